"""A table of values in shared memory: one process writes it, others read it without a message.

    65,536 bytes   marks: one of each row, which those who read it set
    256 bytes      header: sequence number, number of the frame, 16 secret bytes
    256 bytes      first row: tag (4 bytes), kind, size, 2 free bytes, the value; and so on

The sequence number is odd while the writer changes anything. Who reads copies a row between two
looks at the number. If it was odd or has changed, the copy counts for nothing, so no reader ever
gets half of a value, or values of two frames. A row whose tag is another one belongs to another
value by now.

This needs a processor on which the writes of one core are seen in their order (`is_supported`).
"""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import platform
import secrets
import stat
import struct
from collections.abc import Callable, Hashable, Mapping
from time import monotonic
from typing import Any, Final, TypedDict

import numpy as np

from base import wire
from base.shared_memory import shared_memory

ORDERED: Final = ("x86_64", "amd64")
"""Processors on which the writes of one core are seen in their order."""
ROW: Final = 256
"""Size of a row, bytes."""
HEAD: Final = 8
"""Size of what stands before the value in a row, bytes."""
ROWS: Final = 4096
"""Number of rows, with that of the header."""
MARKS: Final = 1 << 16
"""Size of the marks, bytes; Windows maps from a multiple of this."""
SIZE: Final = MARKS + ROW * ROWS
LARGEST: Final = ROW - HEAD
"""Greatest size of a value, bytes."""
SEQUENCE, FRAME = 0, 1
"""Indices of the numbers in the header, from its beginning."""
SECRET: Final = slice(16, 32)
WITHDRAWN: Final = (1 << 64) - 1
"""Stands in place of the frame while the values are not those of the latest frame."""
NO_TAG: Final = bytes(4)
"""Tag of a row that holds nothing."""
TRIES: Final = 50
"""How often a reader looks again while the writer writes; a few microseconds."""
LOOK_SECONDS: Final = 0.05
"""Interval in seconds at which a reader asks whether the writer lives, and marks what it reads."""

NONE, FALSE, TRUE, INTEGER, FLOAT, TEXT, FLOATS, ARRAY, MESSAGE = range(9)
INTEGERS: Final = struct.Struct("=q")
NUMBER: Final = struct.Struct("=d")
LONG: Final = range(-(1 << 63), 1 << 63)
MOST_NUMBERS: Final = LARGEST // NUMBER.size


class Offer(TypedDict):
    """Where a program finds a table."""

    path: str
    secret: str


def is_supported() -> bool:
    """Return whether tables can be used on this machine."""
    return platform.machine().lower() in ORDERED


# -- values as bytes --------------------------------------------------------------------------


def pack(value: object) -> bytes | None:
    """Return a value as it stands in a row after the tag; None if it is too large.

    Args:
        value: a value that `base.wire` sends, as `wire.copied` returns it.
    """
    if isinstance(value, float):
        return _content(FLOAT, NUMBER.pack(value))
    if isinstance(value, np.ndarray):
        return _packed_array(value)
    if value is None or isinstance(value, bool):
        return _content(NONE if value is None else TRUE if value else FALSE, b"")
    if isinstance(value, int) and value in LONG:
        return _content(INTEGER, INTEGERS.pack(value))
    if isinstance(value, str):
        data = value[: LARGEST + 1].encode("utf-8", "surrogatepass")
        return _content(TEXT, data)
    if isinstance(value, list) and set(map(type, value)) == {float}:
        return _content(FLOATS, np.array(value, np.float64).tobytes())
    return _packed_message(value)


def _packed_array(array: Any) -> bytes | None:
    if array.nbytes > LARGEST:
        return None
    if array.dtype == np.float64 and array.dtype.isnative and array.ndim == 1:
        return _content(ARRAY, array.tobytes())
    return _packed_message(array)


def _packed_message(value: object) -> bytes | None:
    if isinstance(value, list | dict) and len(value) > LARGEST:
        return None
    try:
        return _content(MESSAGE, wire.encode(value))
    except wire.WireError:  # far too large
        return None


def _content(kind: int, data: bytes) -> bytes | None:
    return bytes((kind, len(data), 0, 0)) + data if len(data) <= LARGEST else None


def _text(row: bytes) -> object:
    return row[HEAD : HEAD + row[5]].decode("utf-8", "surrogatepass")


def _floats(row: bytes) -> object:
    return list(struct.unpack_from(f"={row[5] // NUMBER.size}d", row, HEAD))


def _array(row: bytes) -> object:
    return np.frombuffer(row, np.float64, row[5] // NUMBER.size, HEAD).copy()


def _message(row: bytes) -> object:
    return wire.read(io.BytesIO(row[HEAD : HEAD + row[5]]))


UNPACK: Final[tuple[Callable[[bytes], object], ...]] = (
    lambda row: None,
    lambda row: False,
    lambda row: True,
    lambda row: INTEGERS.unpack_from(row, HEAD)[0],
    lambda row: NUMBER.unpack_from(row, HEAD)[0],
    _text,
    _floats,
    _array,
    _message,
)
"""Functions that return the value of a row, by kind."""


# -- the writer -------------------------------------------------------------------------------


class ValueTable:
    """A table that this process writes, from one thread.

    Raises:
        GoishiError: there is no room for it.
    """

    def __init__(self) -> None:
        self._file, self._memory = shared_memory(SIZE)
        self._secret = secrets.token_bytes(SECRET.stop - SECRET.start)
        self._memory[MARKS + SECRET.start : MARKS + SECRET.stop] = self._secret
        self._header = memoryview(self._memory)[MARKS : MARKS + ROW].cast("Q")
        self.withdraw()

    @property
    def offer(self) -> Offer:
        """Where a program of this user finds the table."""
        return {"path": str(self._file.path), "secret": self._secret.hex()}

    def write(self, frame: int, changes: Mapping[int, bytes]) -> None:
        """Set the number of the frame, and some rows.

        Args:
            frame: number of the frame; all rows are of its end.
            changes: the new beginning of each row that changes, by index: tag and `pack`.
        """
        header, memory = self._header, self._memory
        sequence = header[SEQUENCE] | 1  # odd already if writing was interrupted
        header[SEQUENCE] = sequence
        for index, content in changes.items():
            start = MARKS + ROW * index
            memory[start : start + len(content)] = content
        header[FRAME] = frame
        header[SEQUENCE] = (sequence + 1) & WITHDRAWN

    def withdraw(self) -> None:
        """Let nobody read the values until the next `write`."""
        if self._header[FRAME] != WITHDRAWN or self._header[SEQUENCE] & 1:
            self.write(WITHDRAWN, {})

    def take_marks(self) -> set[int]:
        """Return the indices of the rows that were read since the last call."""
        memory = self._memory
        found = {index for index, mark in enumerate(memory[:ROWS]) if mark}
        for index in found:
            memory[index] = 0
        return found

    def close(self) -> None:
        """Withdraw the values and let go of the memory."""
        self.withdraw()
        self._header.release()
        self._memory.close()
        self._file.close()


# -- those who read ---------------------------------------------------------------------------


class _Row:
    """Where a value stands.

    Attributes:
        index: index of its row.
        tag: its tag as bytes.
        place: where the row stands behind the marks.
        due: when it is to be marked again, by `time.monotonic`.
    """

    __slots__ = ("due", "index", "place", "tag")

    def __init__(self, index: int, tag: int) -> None:
        self.index = index
        self.tag = tag.to_bytes(4, "little")
        self.place = slice(ROW * index, ROW * (index + 1))
        self.due = 0.0


class ValueReader:
    """Reads the table of another process of this user; any thread may.

    Args:
        offer: where it is.
        is_alive: returns whether the other process lives; it is asked every `LOOK_SECONDS`.

    Raises:
        OSError: the table cannot be opened here.
        ValueError: what is there is no such table, or another one.
    """

    def __init__(self, offer: Offer, is_alive: Callable[[], bool]) -> None:
        flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(offer["path"], flags | getattr(os, "O_CLOEXEC", 0))
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_size != SIZE:
                raise ValueError(f"expected a table of {SIZE} bytes, found {offer['path']}")
            memory = mmap.mmap(handle, SIZE - MARKS, access=mmap.ACCESS_READ, offset=MARKS)
            if memory[SECRET] != bytes.fromhex(offer["secret"]):
                memory.close()
                raise ValueError(f"expected the app's table, found another: {offer['path']}")
            self._marks = mmap.mmap(handle, MARKS)
        finally:
            os.close(handle)
        self._memory = memory
        self._header = memoryview(memory)[:ROW].cast("Q")
        self._is_alive = is_alive
        self._rows: dict[Hashable, _Row] = {}
        self._look = 0.0

    def note(self, key: Hashable, index: int, tag: int) -> None:
        """Note where a value stands.

        Args:
            key: what the value is called here.
            index: index of its row.
            tag: tag of the row.
        """
        if not 0 < index < ROWS or not 0 < tag < 1 << 32:
            return
        if len(self._rows) > ROWS:  # of most of them the rows hold other values by now
            self._rows.clear()
        self._rows[key] = _Row(index, tag)

    def read(self, key: Hashable) -> tuple[Any, int] | None:
        """Return a value and the number of its frame; None if it must be asked for.

        Args:
            key: what it is called here.
        """
        row = self._rows.get(key)
        if row is None:
            return None
        try:
            if monotonic() >= row.due and not self._attend(row):
                return None
            header, memory, place = self._header, self._memory, row.place
            for _ in range(TRIES):
                sequence = header[SEQUENCE]
                found = memory[place]
                frame = header[FRAME]
                if header[SEQUENCE] == sequence and not sequence & 1:
                    break
            else:
                return None
        except ValueError:  # closed meanwhile
            return None
        if frame == WITHDRAWN or not found.startswith(row.tag):
            return None
        return UNPACK[found[4]](found), frame

    def _attend(self, row: _Row) -> bool:
        """Mark a row as one that is read; return False if the other process has ended.

        Raises:
            ValueError: this is closed.
        """
        now = monotonic()
        if now >= self._look:
            if not self._is_alive():
                return False
            self._look = now + LOOK_SECONDS
        self._marks[row.index] = 1
        row.due = self._look
        return True

    def close(self) -> None:
        """Let go of the memory. May be called twice."""
        self._header.release()
        self._marks.close()
        with contextlib.suppress(BufferError):
            self._memory.close()

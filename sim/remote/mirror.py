"""Mirrors values of the scene in shared memory, where programs on this machine read them.

A value is mirrored from when a program has asked for it until nobody has read it for some seconds.
What can be read there is what the answer to a message would be. If a value cannot be read at the
end of a frame, or has grown too large, its row is given up: the program asks, and is told.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from base.errors import GoishiError
from base.value_table import NO_TAG, ROWS, WITHDRAWN, Offer, ValueTable, is_supported, pack
from sim.remote.publisher import KEPT_SECONDS, READING_SHARE
from sim.remote.snapshot import Key

CHECK_SECONDS: Final = 1.0
"""Interval in seconds of checks which values are read still."""
BURST: Final = 0.005
"""Greatest time in seconds that is saved up for frames which follow each other quickly."""
SHORTEST: Final = 0.0005
"""Seconds until it is tried again at least."""
LAST_TAG: Final = (1 << 32) - 1


@dataclass(eq=False)
class _Row:
    """A mirrored value.

    Attributes:
        index: index of its row in the table.
        tag: number that no other value has.
        used: when it was read last, by `time.monotonic`.
        content: what stands in its row after the tag; None before the first time.
    """

    index: int
    tag: int
    used: float
    content: bytes | None = None


class Mirror:
    """The values that programs read in shared memory; nothing is made until the first asks."""

    def __init__(self) -> None:
        self._table: ValueTable | None = None
        self._rows: dict[Key, _Row] = {}
        self._free = list(range(ROWS - 1, 0, -1))
        self._tags = itertools.count(1)
        self._lock = threading.Lock()
        self._is_closed = False
        self._is_fresh = False
        self._checked = 0.0
        self._left = BURST  # seconds that writing may still take
        self._counted = time.perf_counter()

    # -- threads ------------------------------------------------------------------------------

    def offer(self) -> Offer | None:
        """Return where a program finds the values; None if there cannot be any here."""
        with self._lock:
            if self._is_closed or not is_supported():
                return None
            try:
                self._table = self._table or ValueTable()
            except (GoishiError, OSError):  # such as no room: programs send messages
                return None
            return self._table.offer

    def row_of(self, key: Key, value: object) -> tuple[int, int] | None:
        """Return index and tag of the row of a value; it is mirrored from the next frame on.

        Args:
            key: what the value is of.
            value: the present value.

        Returns:
            None if it is not mirrored: it is too large, or there are too many.
        """
        row = self._rows.get(key)
        if row is not None:
            row.used = time.monotonic()
        else:
            if pack(value) is None:
                return None
            with self._lock:
                tag = next(self._tags)
                if self._table is None or not self._free or tag > LAST_TAG:
                    return None
                row = _Row(self._free.pop(), tag, time.monotonic())
                self._rows[key] = row
        return row.index, row.tag

    # -- the main thread ----------------------------------------------------------------------

    def publish(
        self, frame: int, read: Callable[[Key], object], *, at_any_cost: bool = False
    ) -> None:
        """Write the values as they are now; withdraw them if that would cost too much time.

        Args:
            frame: number of the frame.
            read: returns a copy of a value, or the error that reading it raised.
            at_any_cost: whether they are written however much time it costs.
        """
        table = self._table
        if table is None or not self._rows:
            return
        if self._pause() and not at_any_cost:
            self.withdraw()
            return
        begun = time.perf_counter()
        rows = self._rows.copy()  # other threads add to it
        unused = self._unused(table, rows)
        written: list[tuple[_Row, bytes]] = []
        for key, row in rows.items():
            if key not in unused:
                value = read(key)
                content = None if isinstance(value, Exception) else pack(value)
                if content is None:
                    unused[key] = row
                elif content != row.content:
                    written.append((row, content))
        changes = {row.index: NO_TAG for row in unused.values()}
        changes |= {row.index: row.tag.to_bytes(4, "little") + item for row, item in written}
        table.write(frame, changes)
        for row, content in written:
            row.content = content
        self._give_up(unused)
        self._is_fresh = True
        self._left -= time.perf_counter() - begun

    def catch_up(self, frame: int, read: Callable[[Key], object]) -> float:
        """Write the values if those in the memory are not of now; return the seconds until then.

        Args:
            frame: as for `publish`.
            read: as for `publish`.

        Returns:
            Seconds after which to call it again; infinity if there is nothing to do any more.
        """
        if self._rows and not self._is_fresh:
            pause = self._pause()
            if pause:
                return max(pause, SHORTEST)
            self.publish(frame, read)
        return math.inf

    def withdraw(self) -> None:
        """Let programs ask until the next `publish`, because the scene has changed since."""
        self._is_fresh = False
        if self._table is not None:
            self._table.withdraw()

    def clear(self) -> None:
        """Give up all values: the scene ends, or nobody is connected."""
        if self._table is None or not (self._rows or self._is_fresh):
            return
        self._is_fresh = False
        rows = self._rows.copy()
        self._table.write(WITHDRAWN, {row.index: NO_TAG for row in rows.values()})
        self._give_up(rows)

    def close(self) -> None:
        """Let go of the memory."""
        with self._lock:
            self._is_closed = True
            self._rows.clear()
            table, self._table = self._table, None
        if table is not None:
            table.close()

    def _pause(self) -> float:
        """Return the seconds until writing is within `READING_SHARE` of the time; 0 for now."""
        now = time.perf_counter()
        self._left = min(BURST, self._left + READING_SHARE * (now - self._counted))
        self._counted = now
        return max(0.0, -self._left / READING_SHARE) if READING_SHARE else math.inf

    def _unused(self, table: ValueTable, rows: Mapping[Key, _Row]) -> dict[Key, _Row]:
        """Return the values that nobody has read lately; looked up every `CHECK_SECONDS`."""
        now = time.monotonic()
        if now - self._checked < CHECK_SECONDS:
            return {}
        self._checked = now
        marks = table.take_marks()
        for row in rows.values():
            if row.index in marks:
                row.used = now
        return {key: row for key, row in rows.items() if now - row.used > KEPT_SECONDS}

    def _give_up(self, rows: Mapping[Key, _Row]) -> None:
        """Free the rows of values, whose tags have been removed from the memory."""
        with self._lock:
            for key, row in rows.items():
                if self._rows.pop(key, None) is row:
                    self._free.append(row.index)

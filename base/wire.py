"""Messages between two programs over a stream: JSON, followed by the raw bytes of arrays.

    4 bytes: length of the header, big-endian
    header: JSON `{"message": …, "arrays": [{"dtype": "<f4", "shape": [2, 3]}, …]}`
    the arrays one after the other

In the message an array is `{"$array": 0}`: its index in the list. No part of a message is ever
executed: a stream may come from anybody.
"""

from __future__ import annotations

import functools
import json
import math
import re
import select
import socket
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, cast

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError

LENGTH: Final = struct.Struct(">I")
LONGEST_HEADER: Final = 16_000_000
"""Maximum size of a message without its arrays, bytes."""
LARGEST_ARRAYS: Final = 256_000_000
"""Maximum size of the arrays of a message, bytes."""
KINDS: Final = "biufc"
"""Kinds of dtypes that arrays may have: bool, integers, floating-point and complex numbers."""
DTYPE: Final = re.compile(rf"[<>=|][{KINDS}]\d{{1,2}}")
"""A dtype in a message. NumPy itself reads far more, such as Python's syntax for tuples."""
ARRAY: Final = "$array"
DEEPEST: Final = 50
PLAIN: Final = {type(None), bool, int, float, str}
"""Types of which a list is sent as it is."""
ENCODER: Final = json.JSONEncoder(check_circular=False)
"""Writes headers; how deep they are has been checked."""
NOW: Final = getattr(socket, "MSG_DONTWAIT", 0)
"""Flag of `recv` that never waits; 0 where the system has none."""
SENT: Final = "numbers, texts, arrays, lists or dicts of them"


class WireError(GoishiError, ValueError):
    """A message cannot be sent, or the received bytes are not a valid message."""


def encode(message: object, where: str = "message") -> bytes:
    """Return a message as bytes.

    Args:
        message: None, bools, numbers, texts, arrays, and lists, tuples and dicts (with texts as
            keys) of these; a tuple is received as a list.
        where: name of the message in errors.

    Raises:
        WireError: the message holds another type of value, or is too long.
    """
    arrays: list[npt.NDArray[Any]] = []

    def placed(array: npt.NDArray[Any]) -> object:
        arrays.append(array)
        return {ARRAY: len(arrays) - 1}

    plain = _plain_from(message, where, placed)
    metadata = [{"dtype": array.dtype.str, "shape": array.shape} for array in arrays]
    header = ENCODER.encode({"message": plain, "arrays": metadata}).encode()
    if len(header) > LONGEST_HEADER:
        raise WireError(f"{where}: expected at most {LONGEST_HEADER} bytes, found {len(header)}")
    size = sum(array.nbytes for array in arrays)
    if size > LARGEST_ARRAYS:
        raise WireError(f"{where}: expected arrays of at most {LARGEST_ARRAYS} bytes, found {size}")
    return b"".join((LENGTH.pack(len(header)), header, *(array.tobytes() for array in arrays)))


def copied(value: object, where: str = "value") -> object:
    """Return a copy of a value that can be sent; later changes of the value do not change it.

    Args:
        value: any value that `encode` takes.
        where: name of the value in errors.

    Raises:
        WireError: the value cannot be sent.
    """
    return _plain_from(value, where, np.array)


class Stream(Protocol):
    """What messages are read from: a blocking stream, or something that reads like one."""

    def read(self, size: int, /) -> bytes:
        """Return 1 to `size` bytes; none at the end of the stream."""


def read(
    stream: Stream, longest: int = LONGEST_HEADER, *, largest_arrays: int = LARGEST_ARRAYS
) -> Any:
    """Read one message.

    Args:
        stream: a blocking stream.
        longest: maximum size of its header, bytes.
        largest_arrays: maximum size of its arrays, bytes; nothing of larger ones is read.

    Raises:
        EOFError: the stream has ended.
        WireError: the received bytes are not a valid message.
    """
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    if length > longest:
        raise WireError(f"message: expected at most {longest} bytes, found {length}")
    try:
        header = json.loads(_exactly(stream, length).decode())
        message, metadata = header["message"], [_shape_of(item) for item in header["arrays"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise WireError(f"message: expected JSON with arrays, found {error}") from None
    size = sum(dtype.itemsize * math.prod(shape) for dtype, shape in metadata)
    if size > largest_arrays:
        raise WireError(f"message: expected arrays of at most {largest_arrays} bytes, found {size}")
    arrays = []
    for dtype, shape in metadata:
        data = _exactly(stream, dtype.itemsize * math.prod(shape))
        try:
            arrays.append(np.frombuffer(data, dtype).reshape(shape).copy())
        except (ValueError, OverflowError):
            raise WireError(f"message: expected an array, found the shape {shape!s:.80}") from None
    try:
        return _filled(message, arrays, 0)
    except (IndexError, TypeError):
        raise WireError(f"message: expected one of its {len(arrays)} arrays, found none") from None


def has_ended(end: socket.socket) -> bool:
    """Return whether the program at the other end of a connection has closed it or has ended.

    Args:
        end: a connection without a timeout, from which no other thread reads.
    """
    try:
        if NOW:
            return not end.recv(1, socket.MSG_PEEK | NOW)
        is_told, _, _ = select.select([end], [], [], 0.0)
        return bool(is_told) and not end.recv(1, socket.MSG_PEEK)
    except BlockingIOError:  # it is open, and has sent nothing
        return False
    except (OSError, ValueError):  # it was reset, or closed on this side
        return True


class _MisfitError(Exception):
    """A value that cannot be sent.

    Args:
        text: what was expected and found.

    Attributes:
        place: indices and keys that lead to the value, the innermost first.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        self.place: list[str] = []


def _plain_from(value: object, where: str, placed: Callable[[npt.NDArray[Any]], object]) -> object:
    """Return a value as JSON can hold it.

    Args:
        value: the value.
        where: its name in errors.
        placed: returns what stands for an array.

    Raises:
        WireError: the value cannot be sent.
    """
    try:
        return _plain(value, placed, 0)
    except _MisfitError as error:
        place = "".join(reversed(error.place))
        raise WireError(f"{where}{place}: expected {error.text}") from None


def _plain(value: object, placed: Callable[[npt.NDArray[Any]], object], depth: int) -> object:
    """Return a value as JSON can hold it; its place is only named if it cannot.

    Args:
        value: the value.
        placed: returns what stands for an array.
        depth: number of lists and dicts around it.
    """
    kind = type(value)
    if kind in PLAIN:
        return value
    if depth >= DEEPEST:
        raise _MisfitError(f"at most {DEEPEST} levels, found more")
    if kind is dict or isinstance(value, Mapping):
        return _plain_map(cast("Mapping[object, object]", value), placed, depth + 1)
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        return placed(value)
    if isinstance(value, list | tuple):
        if set(map(type, value)) <= PLAIN:  # such as many ids
            return list(value)
        return _plain_list(value, placed, depth + 1)
    if isinstance(value, np.generic):
        return _plain(value.item(), placed, depth)
    raise _MisfitError(f"{SENT}, found {kind.__name__}")


def _plain_map(
    values: Mapping[object, object], placed: Callable[[npt.NDArray[Any]], object], depth: int
) -> object:
    found: dict[object, object] = {}
    for key, item in values.items():
        if type(key) is not str or key == ARRAY:
            raise _MisfitError(f"{SENT}, found {type(values).__name__}")
        try:
            found[key] = item if type(item) in PLAIN else _plain(item, placed, depth)
        except _MisfitError as error:
            error.place.append(f"[{key!r:.40}]")
            raise
    return found


def _plain_list(
    values: Iterable[object], placed: Callable[[npt.NDArray[Any]], object], depth: int
) -> object:
    found: list[object] = []
    for index, item in enumerate(values):
        try:
            found.append(item if type(item) in PLAIN else _plain(item, placed, depth))
        except _MisfitError as error:
            error.place.append(f"[{index}]")
            raise
    return found


def _filled(value: Any, arrays: list[npt.NDArray[Any]], depth: int) -> Any:
    """Return a value with its arrays in their places."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return value
    if depth >= DEEPEST:
        raise TypeError
    if kind is list:
        if set(map(type, value)) <= PLAIN:
            return value
        return [_filled(item, arrays, depth + 1) for item in value]
    if len(value) == 1 and ARRAY in value:
        return arrays[value[ARRAY]]
    return {
        key: item if type(item) in PLAIN else _filled(item, arrays, depth + 1)
        for key, item in value.items()
    }


def _shape_of(metadata: Mapping[str, Any]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    text, shape = str(metadata["dtype"]), tuple(metadata["shape"])
    if not all(type(side) is int and side >= 0 for side in shape):
        raise ValueError(f"an array {metadata!s:.200}")
    return _dtype_of(text), shape


@functools.lru_cache(maxsize=64)
def _dtype_of(text: str) -> np.dtype[Any]:
    """Return the dtype of an array.

    Raises:
        ValueError: there is no such dtype.
        TypeError: as above.
    """
    if not DTYPE.fullmatch(text):
        raise ValueError(f"a dtype {text:.200}")
    return np.dtype(text)


def _exactly(stream: Stream, size: int) -> bytes:
    """Read exactly `size` bytes.

    Raises:
        EOFError: the stream ends earlier.
    """
    parts: list[bytes] = []
    while size:
        part = stream.read(min(size, 1 << 20))
        if not part:
            raise EOFError
        size -= len(part)
        if not size and not parts:
            return part
        parts.append(part)
    return b"".join(parts)

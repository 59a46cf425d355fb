"""Messages between two programs over a stream: JSON, followed by the raw bytes of arrays.

    4 bytes: length of the header, big-endian
    header: JSON `{"message": …, "arrays": [{"dtype": "<f4", "shape": [2, 3]}, …]}`
    the arrays one after the other

In the message an array is `{"$array": 0}`: its index in the list. No part of a message is ever
executed: a stream may come from anybody.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

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

    plain = _plain(message, where, placed, 0)
    metadata = [{"dtype": array.dtype.str, "shape": array.shape} for array in arrays]
    header = json.dumps({"message": plain, "arrays": metadata}).encode()
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
    return _plain(value, where, np.array, 0)


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
        header = json.loads(_exactly(stream, length))
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


def _plain(
    value: object, where: str, placed: Callable[[npt.NDArray[Any]], object], depth: int
) -> object:
    """Return a value as JSON can hold it.

    Args:
        value: the value.
        where: its name in errors.
        placed: returns what stands for an array.
        depth: number of lists and dicts around it.
    """
    if depth > DEEPEST:
        raise WireError(f"{where}: expected at most {DEEPEST} levels, found more")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic):
        return _plain(value.item(), where, placed, depth)
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        return placed(value)
    if isinstance(value, list | tuple):
        if set(map(type, value)) <= PLAIN:  # such as many ids
            return list(value)
        return [_plain(item, f"{where}[{i}]", placed, depth + 1) for i, item in enumerate(value)]
    if isinstance(value, Mapping) and all(type(key) is str and key != ARRAY for key in value):
        return {
            key: _plain(item, f"{where}[{key!r:.40}]", placed, depth + 1)
            for key, item in value.items()
        }
    raise WireError(
        f"{where}: expected numbers, texts, arrays, lists or dicts of them, "
        f"found {type(value).__name__}"
    )


def _filled(value: Any, arrays: list[npt.NDArray[Any]], depth: int) -> Any:
    if depth > DEEPEST:
        raise TypeError
    if isinstance(value, list):
        if set(map(type, value)) <= PLAIN:
            return value
        return [_filled(item, arrays, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {ARRAY}:
        return arrays[value[ARRAY]]
    return {key: _filled(item, arrays, depth + 1) for key, item in value.items()}


def _shape_of(metadata: Mapping[str, Any]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    text, shape = str(metadata["dtype"]), tuple(metadata["shape"])
    if not DTYPE.fullmatch(text) or not all(type(side) is int and side >= 0 for side in shape):
        raise ValueError(f"an array {metadata!s:.200}")
    return np.dtype(text), shape


def _exactly(stream: Stream, size: int) -> bytes:
    """Read exactly `size` bytes.

    Raises:
        EOFError: the stream ends earlier.
    """
    parts = []
    while size:
        part = stream.read(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)

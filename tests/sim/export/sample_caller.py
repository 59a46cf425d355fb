"""Calls each function of the exported `native_sample.py`, in any Python, and writes what came back.

It is run as a program: `python sample_caller.py LIBRARY`. It needs nothing but Python itself, so a
Python for Windows runs it, too. `answers` takes any other way to call, such as a module of WebAssembly.
"""

from __future__ import annotations

import ctypes
import json
import struct
import sys
from collections.abc import Iterator
from typing import Any

X = (0.25, -3.0, 7.5)
SCALE = 1.5
PLACES = (0.0, 0.5, -1.5, 0.25, 0.75, 0.5)
BY = 0.125
STEPS = ((0, 2), (1, 1), (-1, 0), (1, 3))
QUOTIENTS = ((-7, 2), (7, -2), (5, 0), (3, 7))
PICTURE = tuple(range(240, 252))
TABLE = (1.0, 2.5, -3.0, 4.0, 0.5, 6.0)


def packed(kind: str, numbers: Any) -> bytes:
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


def unpacked(kind: str, data: bytes) -> list[Any]:
    return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))


def answers(library: Any) -> Iterator[tuple[str, int, Any, str]]:
    """Yield what each call answered: what was called, its code, its numbers, the last error.

    Args:
        library: `library(name, *values)` calls a function and returns its code and what is then in
            the memory of the values that are bytes; `library.error()` is the last error's text.
    """

    def told(name: str, code: int, found: Any) -> tuple[str, int, Any, str]:
        return name, code, found if code == 0 else None, library.error() if code else ""

    x, size = packed("f", X), bytes(8)
    for count, room in ((3, 4), (2, 4), (3, 2)):
        code, (_, found, sizes) = library("layer", x, count, SCALE, bytes(16), room, size)
        yield told(f"layer {count} {room}", code, [unpacked("f", found), unpacked("q", sizes)])
    for twice in (0, 1):
        code, (moved, beyond) = library("move", packed("d", PLACES), 2, 3, BY, twice, bytes(4))
        yield told(f"move {twice}", code, [unpacked("d", moved), unpacked("i", beyond)])
    for name, pairs in (("step_of", STEPS), ("quotient", QUOTIENTS)):
        for pair in pairs:
            code, (found,) = library(name, *pair, bytes(8))
            yield told(f"{name} {pair}", code, unpacked("q", found))
    code, (_, found, *sizes) = library("corner", bytes(PICTURE), 3, 4, bytes(24), 6, size, size)
    yield told("corner", code, [unpacked("i", found), *(unpacked("q", one) for one in sizes)])
    given = packed("d", TABLE)
    code, (_, found, *sizes) = library("turned", given, 2, 3, bytes(48), 6, size, size)
    yield told("turned", code, [unpacked("d", found), *(unpacked("q", one) for one in sizes)])
    yield told("nothing", library("nothing")[0], [])


class Library:
    """The library, by ctypes.

    Args:
        path: its file.
    """

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
        self._library.native_sample_last_error.restype = ctypes.c_char_p

    def __call__(self, name: str, *values: Any) -> tuple[int, list[bytes]]:
        memory = [
            ctypes.create_string_buffer(value, len(value)) if isinstance(value, bytes) else value
            for value in values
        ]
        words = [
            ctypes.c_double(word)
            if isinstance(word, float)
            else ctypes.c_int64(word) if isinstance(word, int) else word
            for word in memory
        ]  # fmt: skip
        code = getattr(self._library, f"native_sample_{name}")(*words)
        return code, [word.raw for word in memory if isinstance(word, ctypes.Array)]

    def error(self) -> str:
        return self._library.native_sample_last_error().decode()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(list(answers(Library(sys.argv[1])))))

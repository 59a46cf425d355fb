"""A library's description in bytes: what the shim reads to check and convert arguments.

All numbers are little-endian, all places are offsets from the first byte, so that it needs no
relocation. The structures stand in shim.h: Library, Function, Value.
"""

from __future__ import annotations

import struct
from typing import Final

from sim.core.native.exported import MOST_DIMENSIONS, Signature, Value
from sim.export.library import Library

MAGIC: Final = b"goishi/1"
_HEAD: Final = struct.Struct("<8s10I")
_FUNCTION: Final = struct.Struct("<4I")
_VALUE: Final = struct.Struct(f"<IBBH{MOST_DIMENSIONS}q")
_KINDS: Final = {"int": b"i", "float": b"d", "bool": b"b", "str": b"s", "array": b"a"}
_ITEM_SIZES: Final = {"bool": 1}


class _Texts:
    """Texts, each once, with a zero byte after it."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._places: dict[str, int] = {}
        self.data = bytearray()

    def place(self, text: str) -> int:
        """Return the offset of a text, which is added if need be."""
        if text not in self._places:
            self._places[text] = self._start + len(self.data)
            self.data += text.encode("utf-8") + b"\0"
        return self._places[text]


def describe(library: Library) -> bytes:
    """Return the description of a library."""
    functions = library.functions
    function_start = _HEAD.size
    value_start = function_start + _FUNCTION.size * len(functions)
    values = [value for function in functions for value in _values(function)]
    texts = _Texts(value_start + _VALUE.size * len(values))
    head = _HEAD.pack(
        MAGIC,
        texts.place(library.name),
        texts.place(library.home_variable),
        texts.place(library.python.library),
        texts.place(library.python.standard),
        texts.place("\n".join(library.python.preload)),
        texts.place(library.module),
        texts.place("\n".join(map(str, functions))),
        len(functions),
        function_start,
        0,
    )
    records = bytearray()
    for function in functions:
        records += _FUNCTION.pack(
            texts.place(function.name),
            value_start,
            len(function.parameters),
            function.result is not None,
        )
        value_start += _VALUE.size * len(_values(function))
    for value in values:
        records += _pack_value(value, texts)
    return bytes(head + records + texts.data)


def _values(function: Signature) -> tuple[Value, ...]:
    return (*function.parameters, *(() if function.result is None else (function.result,)))


def _pack_value(value: Value, texts: _Texts) -> bytes:
    bits = "".join(character for character in value.dtype if character.isdigit())
    item_size = int(bits) // 8 if bits else _ITEM_SIZES.get(value.dtype, 0)
    sizes = [-1 if size is None else size for size in value.sizes]
    sizes += [-1] * (MOST_DIMENSIONS - len(sizes))
    place = texts.place(value.name)
    return _VALUE.pack(place, _KINDS[value.kind][0], item_size, len(value.sizes), *sizes)

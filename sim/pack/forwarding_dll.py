"""Writes `python3.dll`, which extension modules for any Python 3 ask for on Windows.

It holds no code: each of its names is forwarded to the library of one version, such as
`python311.dll`. The format is Microsoft's "PE Format" (PE32+, the export directory table).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from base.errors import GoishiError

_HEADERS: Final = 0x200
_PLACE: Final = 0x1000
"""Address of the only section, relative to where the library is loaded."""


class DllError(GoishiError):
    """A file is no Windows library, or a damaged one."""


def exported_names(content: bytes) -> list[str]:
    """Return the names that a 64-bit Windows library exports, in order.

    Raises:
        DllError: the content is none.
    """
    try:
        return _names(content)
    except (struct.error, ValueError, LookupError, StopIteration):
        raise DllError("expected a 64-bit Windows library, found another file") from None


def _names(content: bytes) -> list[str]:
    start = struct.unpack_from("<I", content, 0x3C)[0]
    if content[:2] != b"MZ" or content[start : start + 4] != b"PE\0\0":
        raise ValueError(start)
    count, size = (
        struct.unpack_from("<H", content, start + 6)[0],
        struct.unpack_from("<H", content, start + 20)[0],
    )
    sections = [
        struct.unpack_from("<IIII", content, start + 24 + size + 40 * number + 8)
        for number in range(count)
    ]

    def place(address: int) -> int:
        low, begin = next(
            (low, begin) for length, low, _, begin in sections if low <= address < low + length
        )
        return int(address - low + begin)

    table = place(struct.unpack_from("<I", content, start + 24 + 112)[0])
    number, _, names = struct.unpack_from("<III", content, table + 24)
    addresses = struct.unpack_from(f"<{number}I", content, place(names))
    found = []
    for address in addresses:
        begin = place(address)
        found.append(content[begin : content.index(b"\0", begin)].decode("ascii"))
    return found


def forwarding_dll(name: str, target: str, names: Sequence[str]) -> bytes:
    """Return a 64-bit Windows library that forwards names to another one.

    Args:
        name: file name of the library, such as "python3.dll".
        target: file name of the other library, such as "python311.dll".
        names: the names.
    """
    section = _section(name, target.removesuffix(".dll"), sorted(names))
    raw = -(-len(section) // 0x200) * 0x200
    extent = _PLACE + -(-len(section) // 0x1000) * 0x1000
    coff = struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 240, 0x2022)
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, 0, raw, 0, 0, 0)
    optional += struct.pack("<QIIHHHHHHIIII", 1 << 35, 0x1000, 0x200, 6, 0, 0, 0, 6, 0, 0, extent,
                            _HEADERS, 0)  # fmt: skip
    optional += struct.pack("<HHQQQQII", 3, 0x160, 1 << 20, 4096, 1 << 20, 4096, 0, 16)
    optional += struct.pack("<II", _PLACE, len(section)) + bytes(8 * 15)
    header = struct.pack("<8sIIIIIIHHI", b".edata", len(section), _PLACE, raw, _HEADERS,
                         0, 0, 0, 0, 0x40000040)  # fmt: skip
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
    start = (dos + b"PE\0\0" + coff + optional + header).ljust(_HEADERS, b"\0")
    return start + section.ljust(raw, b"\0")


def _section(name: str, target: str, names: Sequence[str]) -> bytes:
    """Return the export directory: its table, three lists, and the texts that they point to.

    Args:
        name: file name of the library.
        target: name of the other library without its suffix.
        names: the names, sorted, as the loader searches them by halves.
    """
    count = len(names)
    lists = 40
    texts = lists + 10 * count
    pool = bytearray(name.encode() + b"\0")
    functions, places = [], []
    for item in names:
        places.append(_PLACE + texts + len(pool))
        pool += item.encode() + b"\0"
        functions.append(_PLACE + texts + len(pool))
        pool += f"{target}.{item}".encode() + b"\0"
    table = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, _PLACE + texts, 1, count, count,
                        _PLACE + lists, _PLACE + lists + 4 * count,
                        _PLACE + lists + 8 * count)  # fmt: skip
    body = struct.pack(f"<{count}I", *functions) + struct.pack(f"<{count}I", *places)
    return table + body + struct.pack(f"<{count}H", *range(count)) + bytes(pool)

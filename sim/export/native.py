"""Shared libraries that extension modules need, on Linux."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path
from typing import Final

_OF_THE_SYSTEM: Final = re.compile(
    r"(ld-linux|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|nsl|stdc\+\+|gcc_s|anl)\.so"
    r"|ld-musl|libc\.musl|lib(GL|EGL|OpenGL|gbm|drm|cuda|nv|X|xcb|ICE|SM|wayland))"
)
"""What is left to the target machine: the C library, the compiler's, and the display's."""
_LOAD, _DYNAMIC_SEGMENT = 1, 2
_NEEDED, _STRINGS = 1, 5
_PYTHON: Final = re.compile(r"libpython3")


def is_of_the_system(soname: str) -> bool:
    """Return whether a library is part of the system, and so is not copied."""
    return bool(_OF_THE_SYSTEM.match(soname) or _PYTHON.match(soname))


def needed_libraries(path: Path) -> list[str]:
    """Return the libraries that a shared library needs (ELF `DT_NEEDED`).

    Empty for a file that is no shared library.
    """
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        return []
    try:
        return _needed(data)
    except (struct.error, ValueError, OverflowError, LookupError):  # damaged
        return []


def _needed(data: bytes) -> list[str]:
    start, size, count = (*struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54))
    segments = [struct.unpack_from("<IIQQQQ", data, start + size * i) for i in range(count)]
    dynamic = [one for one in segments if one[0] == _DYNAMIC_SEGMENT]
    if not dynamic:
        return []
    entries: list[tuple[int, int]] = []
    for offset in range(dynamic[0][2], dynamic[0][2] + dynamic[0][5], 16):
        tag, value = struct.unpack_from("<qQ", data, offset)
        if tag == 0:
            break
        entries.append((tag, value))
    strings = dict(entries)[_STRINGS]
    loads = [one for one in segments if one[0] == _LOAD]
    base = max((one for one in loads if one[3] <= strings), key=lambda one: one[3])
    places = [strings - base[3] + base[2] + value for tag, value in entries if tag == _NEEDED]
    return [data[place : data.index(b"\0", place)].decode() for place in places]


def find_libraries(path: Path) -> dict[str, Path]:
    """Return the files that this machine's loader finds for a library's needs, by name."""
    try:
        done = subprocess.run(["ldd", str(path)], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    found = re.findall(r"^\s+(\S+) => (/\S+) \(", done.stdout, re.MULTILINE)
    return {name: Path(place) for name, place in found}

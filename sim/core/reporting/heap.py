"""Prevents a crash caused by two memory allocators in one process with Panda3D.

Panda3D has its own memory allocator. Like the C library's, it requests memory from the system by
moving the program break (the end of the process's data segment) with `sbrk`. Each allocator locks
only its own calls. If two threads use the two allocators at the same time, both read the same break
and both move it. Then memory is lost or handed out twice, and the process crashes later.

So the break is blocked before Panda3D is loaded: an inaccessible page is mapped there, `sbrk`
fails, and both allocators use `mmap` instead, which the kernel makes safe.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import sys
from typing import Final

M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
NEVER: Final = 2**31 - 1
LARGE: Final = 32 * 2**20
"""Size in bytes from which the C library maps each block separately, as it would by default."""
NO_ACCESS: Final = 0
PRIVATE_ANONYMOUS_HERE: Final = 0x02 | 0x20 | 0x100000
"""Flags of `mmap` on Linux: MAP_PRIVATE, MAP_ANONYMOUS and MAP_FIXED_NOREPLACE.

The values hold for every processor that Panda3D's wheels are built for.
"""


def separate_heaps() -> bool:
    """Block the program break; return whether that was needed and succeeded.

    Call it before `panda3d` is imported; a second call changes nothing.
    """
    if not sys.platform.startswith("linux") or platform.libc_ver()[0] != "glibc":
        return False  # there Panda3D's allocator does not share the break
    try:
        libc = ctypes.CDLL(None)
        # a break that went back would leave room before the wall to fight over
        libc.mallopt(M_TRIM_THRESHOLD, NEVER)
        libc.mallopt(M_MMAP_THRESHOLD, LARGE)
        libc.sbrk.restype = libc.mmap.restype = ctypes.c_void_p
        libc.sbrk.argtypes = [ctypes.c_ssize_t]
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        wall = -(-int(libc.sbrk(0)) // mmap.PAGESIZE) * mmap.PAGESIZE
        libc.mmap(wall, mmap.PAGESIZE, NO_ACCESS, PRIVATE_ANONYMOUS_HERE, -1, 0)
        # refused either because of this wall or of something that lay there before
        return bool(libc.sbrk(2 * mmap.PAGESIZE) == ctypes.c_void_p(-1).value)
    except (OSError, AttributeError):
        return False

"""Keeps the two allocators of a window's process out of each other's way.

Panda3D brings an allocator of its own, which asks the system for memory with `sbrk`, as the C
library's does. When the C library gives the end of the heap back while another thread is in
Panda3D's, that end may be Panda3D's by then, and the next access crashes the process. So the C
library is told to keep what it has.
"""

from __future__ import annotations

import ctypes
import platform
from typing import Final

M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
NEVER: Final = 2**31 - 1
LARGE: Final = 32 * 2**20
"""Bytes from which on memory is no part of the heap: what the C library comes to by itself."""


def keep_heap() -> bool:
    """Let the C library's heap never shrink; tell whether it could be told."""
    if platform.libc_ver()[0] != "glibc":
        return False  # other libraries do not shrink with `sbrk`
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(M_TRIM_THRESHOLD, NEVER)) and bool(mallopt(M_MMAP_THRESHOLD, LARGE))

"""Memory that a process has freed and its C library still holds is given back to the system.

glibc keeps what was freed below a piece that is still in use. A worker whose pieces of work take
tens of megabytes each, never of the same size, holds a little more after each of them.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable


def give_back_freed() -> bool:
    """Return freed memory to the system; return whether there was any. Needs glibc."""
    trim = _trim()
    return trim is not None and bool(trim(0))


@functools.cache
def _trim() -> Callable[[int], int] | None:
    """Return glibc's `malloc_trim`, None where the C library has no such function."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library of no name
        return None
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    found: Callable[[int], int] = trim
    return found

"""Memory: when Python collects garbage, and how freed memory is returned to the system.

While modules are imported the collector is off. glibc keeps freed memory that lies below a block
still in use: a worker whose tasks take tens of megabytes each would hold a little more after each.
"""

from __future__ import annotations

import ctypes
import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def collector_waits() -> Iterator[None]:
    """Switch the garbage collector off in the block, for imports: their objects stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def give_back_freed() -> bool:
    """Give freed memory back to the system; return whether there was any. Needs glibc."""
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

"""Control of Python's garbage collector during imports, and release of freed memory.

glibc keeps freed memory that lies below a block still in use. A worker whose tasks take tens of
megabytes would grow a little with each task. `give_back_freed` prevents this.
"""

from __future__ import annotations

import ctypes
import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def collector_waits() -> Iterator[None]:
    """Context manager in whose block Python does not collect garbage; to be used for imports.

    Imported objects stay in use, so collecting garbage during imports would free nothing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def give_back_freed() -> bool:
    """Return freed memory to the operating system; return whether there was any.

    Without glibc this does nothing and returns False.
    """
    trim = _trim()
    return trim is not None and bool(trim(0))


@functools.cache
def _trim() -> Callable[[int], int] | None:
    """Return the C function `malloc_trim` of glibc; None if the C library has no such function."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library of no name
        return None
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    found: Callable[[int], int] = trim
    return found

"""Control of Python's garbage collector, and release of freed memory.

The collector runs in whichever thread has just made objects. While the main thread draws, or runs
other code that leaves Python to the other threads, it could free there what is being drawn with.
`collector_waits` prevents this.

glibc keeps freed memory that lies below a block still in use. A worker whose tasks take tens of
megabytes would grow a little with each task. `give_back_freed` prevents this.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Waits:
    """How many blocks wait at present, in all threads, and whether the collector was on before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._was_enabled = False

    def begin(self) -> None:
        """Turn the collector off, unless another block already has."""
        with self._lock:
            if self._count == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._count += 1

    def end(self) -> None:
        """End a block; the last one turns the collector on again if it was on before."""
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._was_enabled:
                gc.enable()


_waits = _Waits()


@contextmanager
def collector_waits() -> Iterator[None]:
    """Context manager in whose block no thread collects garbage.

    It is for code that leaves Python to other threads while it uses objects, such as drawing. It
    is for imports, too: imported objects stay in use, so collecting then would free nothing. Blocks
    may overlap, in one thread or in several.
    """
    _waits.begin()
    try:
        yield
    finally:
        _waits.end()


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

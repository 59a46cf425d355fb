"""How much memory a process uses, and whether that is more than it may."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

import psutil  # type: ignore[import-untyped]

ROOM: Final = 32 * 2**20
"""Bytes that a player must have built up before it is worth making it forget them."""


def own_memory() -> int:
    """Return the bytes of memory that this process holds."""
    return int(psutil.Process(os.getpid()).memory_info().rss)


class MemoryWatch:
    """Tells when this process holds more memory than it may.

    What it holds when the player has given its first answer, libraries above all, cannot be given
    back: where the limit is below that, it is over only when `ROOM` more is held.
    """

    def __init__(self, read: Callable[[], int] = own_memory) -> None:
        self._read = read
        self._first: int | None = None

    def note(self) -> None:
        """Note what is held after an answer; the first one counts."""
        if self._first is None:
            self._first = self._read()

    def is_over(self, limit: int) -> bool:
        """Return whether more than `limit` bytes are held; 0 is no limit."""
        if not limit or self._first is None:
            return False
        return self._read() > max(limit, self._first + ROOM)


__all__ = ["MemoryWatch"]

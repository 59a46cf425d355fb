"""How a worker process ended, in words, and when it has ended too often."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

MOST_DEATHS: Final = 5
"""Number of deaths after which a process is still started again."""
WINDOW_SECONDS: Final = 600.0
"""Length of the time in which deaths count, seconds. Earlier ones are forgotten."""
_KILLED: Final = -9
"""Exit code of a process that the signal SIGKILL ended."""
_FAULT: Final = 0xC0000000
"""Least exit code of a process that Windows ended for a fault, such as an access violation."""
_UNITS: Final = ((1e9, 1, "GB"), (1e6, 0, "MB"))


class DeathLimit:
    """Counts the deaths of a process; says when it has died too often to be started again.

    That is so after too many deaths within some minutes, or at the same piece of work. Deaths that
    are far apart in a long run do not add up.

    Args:
        most: number of deaths that are allowed.
        seconds: length of the time in which deaths count together.
        now: returns the present time in seconds.
    """

    def __init__(
        self,
        most: int = MOST_DEATHS,
        seconds: float = WINDOW_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._seconds = seconds
        self._now = now
        self._times: deque[float] = deque()
        self._work: object = None
        self._at_work = 0

    def is_exceeded(self, work: object = None) -> bool:
        """Count one death; return whether there were too many.

        Args:
            work: what the process was doing, such as the number of a request; None if unknown.
        """
        now = self._now()
        self._times.append(now)
        while now - self._times[0] > self._seconds:
            self._times.popleft()
        is_same = work is not None and work == self._work
        self._work, self._at_work = work, self._at_work + 1 if is_same else 1
        return self.count > self._most

    @property
    def count(self) -> int:
        """Number of deaths that count together."""
        return max(len(self._times), self._at_work)

    def clear(self) -> None:
        """Forget all deaths."""
        self._times.clear()
        self._work, self._at_work = None, 0


def memory_of(process: int | None) -> int:
    """Return the memory that a process holds, bytes; 0 if it is not known.

    It is known on Linux and Windows while the process lives.

    Args:
        process: id of the process; None for none.
    """
    if sys.platform == "win32":
        from base import windows

        return windows.memory_of(process or 0)
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def how_it_ended(code: int | None, held: int = 0) -> str:
    """Return how a process ended, as the predicate of a sentence.

    Args:
        code: its exit code; the negative number of the signal that ended it; None if unknown.
        held: memory that it held last, bytes; 0 if unknown. Only a kill names it, since the system
            kills processes when memory runs out.

    >>> how_it_ended(-9, 3_100_000_000)
    'was killed while it held 3.1 GB'
    >>> how_it_ended(3)
    'ended with exit code 3'
    >>> how_it_ended(0xC0000005)
    'crashed with exit code 0xc0000005'
    """
    if code is None:
        return "ended"
    if code >= _FAULT:
        return f"crashed with exit code {code:#x}"
    if code >= 0:
        return f"ended with exit code {code}"
    if code == _KILLED and held:
        return f"was killed while it held {_in_words(held)}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def _in_words(size: int) -> str:
    for unit, digits, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.{digits}f} {name}"
    return f"{size} bytes"

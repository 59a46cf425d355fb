"""How long threads were ready to run and had no processor: time that is no script's doing."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

SAMPLE_SECONDS = 0.05
KEPT = 2000
LONGEST_STARVED = 30.0
"""Of what a call waited for a processor, so many seconds count as no time of its own."""


def waited_of(thread: int) -> float:
    """Return the seconds that a thread of this process has waited for a processor, in all.

    Linux counts them; elsewhere, and once the thread has ended, they are 0.

    Args:
        thread: its native id.
    """
    try:
        _, waited, _ = Path(f"/proc/self/task/{thread}/schedstat").read_text("ascii").split()
    except (OSError, ValueError):
        return 0.0
    return int(waited) / 1e9


class Starvation:
    """Remembers how long some threads waited for a processor, and when.

    Of several threads the one that waited longest counts: one that had a processor may have waited
    for one that had none.
    """

    def __init__(self, *threads: int) -> None:
        self._threads = threads
        self._samples: deque[tuple[float, tuple[float, ...]]] = deque(maxlen=KEPT)
        self.sample()

    def follow(self, thread: int) -> None:
        """Look at one more thread from now on."""
        self._threads = (*self._threads, thread)
        self._samples.clear()
        self.sample()

    def sample(self) -> None:
        """Look at the threads, unless that was just done."""
        now = time.monotonic()
        if not self._samples or now - self._samples[-1][0] >= SAMPLE_SECONDS:
            self._samples.append((now, self._waited()))

    def since(self, moment: float) -> float:
        """Return the seconds of waiting since a moment of `time.monotonic`, as far as known."""
        samples = tuple(self._samples)
        before = samples[0][1]
        for at, waited in samples:
            if at > moment:
                break
            before = waited
        longest = max(now - then for now, then in zip(self._waited(), before, strict=True))
        return min(max(0.0, longest), max(0.0, time.monotonic() - moment), LONGEST_STARVED)

    def _waited(self) -> tuple[float, ...]:
        return tuple(waited_of(thread) for thread in self._threads)

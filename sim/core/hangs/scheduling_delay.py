"""How long threads had no processor, or waited for a disk: time that is no script's doing."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

from sim.core.hangs.hang_monitor import processor_delay, state_of

SAMPLE_SECONDS = 0.05
KEPT = 2000
LONGEST_DELAY = 30.0
"""Of what a call waited for a processor or a disk, so many seconds count as no time of its own."""
DISK_SLEEP = "D"


def waited_of(thread: int) -> float:
    """Return the seconds that a thread of this process, by its native id, had no processor."""
    return processor_delay(Path(f"/proc/self/task/{thread}"))


def waits_for_disk(thread: int) -> bool:
    """Return whether a thread, by its native id, waits for a device now, such as for `fsync`.

    Linux tells; elsewhere, and once the thread has ended, it is False.
    """
    return state_of(Path(f"/proc/self/task/{thread}")) == DISK_SLEEP


class SchedulingDelay:
    """Remembers how long some threads waited for a processor or for a disk, and when.

    Of several threads the one that waited longest counts: one that had a processor may have waited
    for one that had none. The system does not add up the waits for a disk: the time between two
    samples counts as one where the thread waits at both.
    """

    def __init__(self, *threads: int) -> None:
        self._threads = threads
        self._samples: deque[tuple[float, dict[int, float]]] = deque(maxlen=KEPT)
        self._at_disk: dict[int, bool] = {}
        self._disk_seconds: dict[int, float] = {}
        self.sample()

    def follow(self, thread: int) -> None:
        """Look at one more thread from now on."""
        self._threads = (*self._threads, thread)
        self._samples = deque([(time.monotonic(), self._waited())], maxlen=KEPT)

    def sample(self) -> None:
        """Look at the threads, unless that was just done."""
        last = self._samples[-1][0] if self._samples else None
        if last is not None and time.monotonic() - last < SAMPLE_SECONDS:
            return
        at_disk = {thread: waits_for_disk(thread) for thread in self._threads}
        now = time.monotonic()  # after what has just taken a while, beside what is stored with it
        for thread in self._threads:
            if last is not None and at_disk[thread] and self._at_disk.get(thread, False):
                self._disk_seconds[thread] = self._disk_seconds.get(thread, 0.0) + now - last
        self._at_disk = at_disk
        self._samples.append((now, self._waited()))

    def since(self, moment: float) -> float:
        """Return the seconds of waiting since a moment of `time.monotonic`, as far as known."""
        samples = tuple(self._samples)
        before = samples[0][1]
        for at, waited in samples:
            if at > moment:
                break
            before = waited
        longest = max(
            waited - before.get(thread, samples[-1][1].get(thread, waited))
            for thread, waited in self._waited().items()
        )
        return min(max(0.0, longest), max(0.0, time.monotonic() - moment), LONGEST_DELAY)

    def _waited(self) -> dict[int, float]:
        return {
            thread: waited_of(thread) + self._disk_seconds.get(thread, 0.0)
            for thread in self._threads
        }

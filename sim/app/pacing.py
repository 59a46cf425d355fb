"""Frame pacing: when a frame is drawn, and how long the loop waits and sleeps."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Iterator

from sim.core.tasks.clock import Clock
from sim.core.workers.pool import Links

FRAME_SECONDS = 1.0 / 60.0
HIDDEN_FRAME_SECONDS = 0.05
DRAWING_SHARE = 0.2  # of the time of a run in which nothing waits, at most
EAGER_SECONDS = 0.012  # how long a frame of a hurrying scene waits for an answer, at most
SWITCH_SECONDS = 0.0005  # after which a thread that received an answer gets its turn


@contextlib.contextmanager
def quick_turns() -> Iterator[None]:
    """Give other threads their turn soon: a loop that never waits holds up every answer.

    A thread that waits for the main thread gets its turn after 5 ms otherwise, and one that
    receives an answer needs several.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Pacing:
    """Frame pacing of the main loop.

    Attributes:
        is_hidden: the window is hidden: nothing is drawn, and frames are rarer.
    """

    def __init__(self, clock: Clock, links: Links) -> None:
        self.is_hidden = False
        self._clock = clock
        self._links = links
        self._last_draw = -1.0
        self._draw_seconds = 0.0

    @property
    def hurries(self) -> bool:
        """Whether frames follow each other without sleeping, and few are drawn."""
        return self._clock.instant or (self._links.is_eager and self._links.is_awaited)

    @property
    def patience(self) -> float:
        """Wall seconds that a frame may wait for workers: for an answer that the scene awaits.

        None at maximum speed, where each frame is a fixed step and a wait would hold up all else.
        """
        return EAGER_SECONDS if self.hurries and not self._clock.instant else 0.0

    def is_draw_due(self, now: float) -> bool:
        """Return whether a frame that begins at `now` should be drawn if something changed."""
        if not self.hurries:
            return True
        pause = max(FRAME_SECONDS, self._draw_seconds * (1.0 / DRAWING_SHARE - 1.0))
        return now - self._last_draw >= pause

    def drew(self, begun: float, ended: float) -> None:
        """Record when a drawing began and ended, by `time.perf_counter`."""
        self._draw_seconds = ended - begun
        self._last_draw = ended

    def draw_next(self) -> None:
        """Draw the next frame if anything changed, however short ago the last one was drawn."""
        self._last_draw = -math.inf

    def rest(self, begun: float) -> None:
        """Sleep for the rest of a frame that began at `begun`."""
        if self._clock.frame_step is not None or self.hurries:
            return
        target = HIDDEN_FRAME_SECONDS if self.is_hidden else FRAME_SECONDS
        left = target - (time.perf_counter() - begun)
        if left > 0:
            time.sleep(left)

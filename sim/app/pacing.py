"""Frame pacing: when a frame is drawn, and how long the loop waits and sleeps."""

from __future__ import annotations

import contextlib
import gc
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from sim.core.hangs.watchdog import waited_of
from sim.core.tasks.clock import Clock
from sim.core.workers.pool import Links

FRAME_SECONDS = 1.0 / 60.0
HIDDEN_FRAME_SECONDS = 0.05
DRAWING_SHARE = 0.2  # of the time of a run in which nothing waits, at most
EAGER_SECONDS = 0.012  # how long a frame of a hurrying scene waits for an answer, at most
LOOK_SECONDS = 0.25  # between looks at whether the machine has too much to do
WAITED_SHARE = 0.1  # of the time between two looks that the main thread waited for a processor
RELIEF_SECONDS = 2.0  # for which workers are then waited for
START_FRAMES = 60  # by then what a start loads has been loaded
SWITCH_SECONDS = 0.0005  # after which a thread that received an answer gets its turn


@contextlib.contextmanager
def quick_turns() -> Iterator[None]:
    """Switch between threads more often during the block, so that answers of workers arrive sooner.

    By default, a thread waits up to 5 ms for its turn while the main loop runs without pause. A
    thread that receives an answer needs several turns.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextlib.contextmanager
def short_collections() -> Iterator[Callable[[], None]]:
    """Shorten the pauses of Python's garbage collector during the block.

    Objects that were made at the start of the run are excluded from collection. Otherwise a
    collection of all objects takes 40 ms and more, in the middle of a frame.

    Yields:
        A function without arguments, to be called after each frame.
    """
    left = START_FRAMES

    def after_frame() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            gc.freeze()

    try:
        yield after_frame
    finally:
        gc.unfreeze()


class Contention:
    """Detects an overloaded machine, on which the main thread often waits for a processor core.

    It measures a few times per second. A detected overload counts for `RELIEF_SECONDS`.
    """

    def __init__(self) -> None:
        self._thread = threading.get_native_id()
        self._looked = time.perf_counter()
        self._waited = waited_of(self._thread)
        self._until = -math.inf

    def is_felt(self, now: float) -> bool:
        """Return whether the machine is overloaded at `now`, by `time.perf_counter`."""
        passed = now - self._looked
        if passed >= LOOK_SECONDS:
            waited = waited_of(self._thread)
            if waited - self._waited > WAITED_SHARE * passed:
                self._until = now + RELIEF_SECONDS
            self._looked, self._waited = now, waited
        return now < self._until


class Driver(Protocol):
    """Connection to another program that steps the scene; the interface that `Pacing` uses."""

    @property
    def is_stepping(self) -> bool:
        """Whether the program waits for fixed steps to be run."""

    @property
    def has_stepped(self) -> bool:
        """Whether the program waits for fixed steps, or waited a moment ago."""

    def serve(self, seconds: float) -> None:
        """Answer the program's requests instead of sleeping.

        Args:
            seconds: maximum time; it ends earlier if the program requests a fixed step.
        """


class Pacing:
    """Decides which frames are drawn and how long the main loop sleeps after each.

    Attributes:
        is_hidden: whether the window is hidden; nothing is drawn then, and frames are rarer.
        is_past: whether a past moment is shown and the scene stands still.
    """

    def __init__(self, clock: Clock, links: Links) -> None:
        self.is_hidden = False
        self.is_past = False
        self._clock = clock
        self._links = links
        self._last_draw = -1.0
        self._draw_seconds = 0.0
        self._contention = Contention()
        self._driver: Driver | None = None

    def drive(self, driver: Driver) -> None:
        """Let another program step the scene: its steps follow each other without sleeping."""
        self._driver = driver

    @property
    def hurries(self) -> bool:
        """Whether frames follow each other without sleeping, and few are drawn."""
        if self.is_past:
            return False
        if self._driver is not None:
            if self._driver.is_stepping:
                return True
            if self._clock.paused:
                return False
        return self._clock.instant or (self._links.is_eager and self._links.is_awaited)

    @property
    def patience(self) -> float:
        """Maximum seconds that a frame may wait for an answer from a worker.

        At maximum speed each frame is one fixed step, and waiting would slow down the run. So the
        value is 0 then, unless the machine is overloaded: in that case waiting leaves a processor
        core to the workers.
        """
        if not self._clock.instant:
            return EAGER_SECONDS if self.hurries else 0.0
        is_full = self._contention.is_felt(time.perf_counter())
        return EAGER_SECONDS if is_full and self._links.is_awaited else 0.0

    def is_draw_due(self, now: float) -> bool:
        """Return whether a frame that begins at `now` should be drawn if something changed."""
        is_driven = self._driver is not None and self._driver.has_stepped
        if not self.hurries and not is_driven:
            return True
        pause = max(FRAME_SECONDS, self._draw_seconds * (1.0 / DRAWING_SHARE - 1.0))
        return now - self._last_draw >= pause

    def drew(self, begun: float, ended: float) -> None:
        """Record when a drawing began and ended, by `time.perf_counter`."""
        self._draw_seconds = ended - begun
        self._last_draw = ended

    def draw_next(self) -> None:
        """Draw the next frame if anything changed, even if the last drawing was very recent."""
        self._last_draw = -math.inf

    def rest(self, begun: float) -> None:
        """Sleep, or answer another program's requests, until the next frame is due.

        Args:
            begun: when the present frame began, in seconds of `time.perf_counter`.
        """
        if self._clock.frame_step is not None or self.hurries:
            return
        target = HIDDEN_FRAME_SECONDS if self.is_hidden else FRAME_SECONDS
        left = target - (time.perf_counter() - begun)
        if left > 0 and self._driver is not None and not self.is_past:
            self._driver.serve(left)
        elif left > 0:
            time.sleep(left)

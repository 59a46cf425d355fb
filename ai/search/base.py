"""The search protocol: limits, results, the clock of a limit, and the planning of time.

Every search is called as `search(board, evaluator, limit, rng, *, …)`. `board` is the position of
an unfinished game, unchanged on return. `evaluator` judges leaf positions, `limit` is the budget,
and `rng` the only source of randomness; its state changes. Further settings are keyword arguments
with defaults.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from ai.game import Move

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai.kernels.jit import Record


@dataclass(frozen=True, slots=True)
class Limit:
    """What one move may cost; a field that is None stands for the player's default.

    A player always does a minimum, such as one evaluation, whatever the limit.
    """

    seconds: float | None = None
    """Wall-clock seconds, or seconds of CPU time if `on_processor` is set."""
    nodes: int | None = None
    """Greatest number of positions."""
    soft_seconds: float | None = None
    """Wall-clock seconds that a move normally takes, the soft limit; None: `seconds` are used up.

    A search that plans its time may end before or after the soft limit.
    """
    on_processor: bool = False
    """Whether `seconds` are CPU time of this process, summed over its threads.

    Then the limit does not depend on the load of the machine, and waiting costs nothing.
    """


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search: the chosen move and what was found for the side to move."""

    move: Move
    value: float
    """Expected result in [-1, 1] for the side to move."""
    policy: NDArray[np.float32]
    """`[points]` probabilities of the moves by the search; their sum is 1."""
    visits: NDArray[np.int64]
    """`[points]` positions searched below each move; all 0 if the search does not count them."""
    principal_variation: tuple[Move, ...]
    """The best line of play found, beginning with `move`."""
    nodes: int
    """Number of positions searched."""


class Stop:
    """Ends searches before their limits are reached; `set` may be called by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: list[Callable[[], None]] = []
        self._is_set = False

    @property
    def is_set(self) -> bool:
        """Whether the searches are to end."""
        return self._is_set

    def set(self) -> None:
        """End the searches, those that begin later, too."""
        with self._lock:
            self._is_set = True
            for end in self._running:
                end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Iterator[None]:
        """Context manager in which `set` calls a function; at once, if it was called before.

        Args:
            end: ends what runs in the block; fast.
        """
        with self._lock:
            self._running.append(end)
            if self._is_set:
                end()
        try:
            yield
        finally:
            with self._lock:
                self._running.remove(end)


SHORTEST_WAIT: Final = 0.0005
"""Shortest wait in seconds between two checks of a clock that is about to run out."""


class SearchClock:
    """Counts positions and seconds from its creation, and checks them against a limit.

    Python code calls `spend`, or increases `nodes` and checks; kernels use `record()`.
    """

    def __init__(self, limit: Limit, stop: Stop | None = None) -> None:
        """Start the clock.

        Args:
            limit: the budget.
            stop: if it is set, the budget is used up at once; None for none.
        """
        self.nodes = 0
        """Positions counted so far."""
        self.stop = stop
        self._on_processor = limit.on_processor
        self._now: Callable[[], float] = time.process_time if limit.on_processor else time.monotonic
        self._began = self._now()
        self._node_limit = math.inf if limit.nodes is None else limit.nodes
        self._deadline = math.inf if limit.seconds is None else self._began + limit.seconds

    @property
    def is_unlimited(self) -> bool:
        """Whether neither seconds nor positions are limited."""
        return self._deadline == self._node_limit == math.inf

    @property
    def elapsed(self) -> float:
        """Seconds since the clock was created."""
        return self._now() - self._began

    def is_late(self) -> bool:
        """Return whether the seconds are used up, or the search is to stop."""
        is_stopped = self.stop is not None and self.stop.is_set
        return is_stopped or (self._deadline < math.inf and self._now() >= self._deadline)

    def spend(self) -> bool:
        """Count a position; return whether the limit is reached."""
        self.nodes += 1
        return self.nodes >= self._node_limit or self.is_late()

    def count(self, nodes: int) -> None:
        """Add positions that another clock counted while it used a share of this clock's budget.

        Args:
            nodes: number of these positions.
        """
        self.nodes += nodes

    def is_over(self) -> bool:
        """Return whether the nodes or the seconds are used up."""
        return self.nodes > self._node_limit or self.is_late()

    def remaining(self, share: float = 1.0) -> Limit:
        """Return a share of the remaining budget as a limit.

        Args:
            share: 0 to 1.
        """
        seconds, nodes = self._deadline - self._now(), self._node_limit - self.nodes
        return Limit(
            seconds=max(0.0, seconds) * share if seconds < math.inf else None,
            nodes=int(max(0.0, nodes) * share) if nodes < math.inf else None,
            on_processor=self._on_processor,
        )

    @contextmanager
    def record(self) -> Iterator[Record]:
        """Context manager that yields the remaining budget as a record for kernels.

        The record has the layout `ai.kernels.clock.CLOCK`. A thread sets its stop flag when the
        seconds are over. At the end of the block, the positions counted by the kernel are added to
        `nodes`.
        """
        # numba is loaded only where a kernel runs: a player without kernels starts without it.
        from ai.kernels.clock import CLOCK, UNLIMITED
        from ai.kernels.jit import get_field, new_record, set_field

        left, record = self.remaining(), new_record(CLOCK)
        set_field(record, "node_limit", UNLIMITED if left.nodes is None else left.nodes)
        ended = threading.Event()
        threads = (os.cpu_count() or 1) if left.on_processor else 1

        def watch() -> None:
            while not self.is_late():
                if ended.wait(max((self._deadline - self._now()) / threads, SHORTEST_WAIT)):
                    return
            set_field(record, "is_stopped", 1)

        if left.seconds is not None:
            threading.Thread(target=watch, name="clock", daemon=True).start()
        end = partial(set_field, record, "is_stopped", 1)
        try:
            with nullcontext() if self.stop is None else self.stop.ending(end):
                yield record
        finally:
            ended.set()
            self.nodes += get_field(record, "nodes")


LEAST_GROWTH: Final = 1.5
"""Least expected ratio of the durations of two successive depths.

`MOST_GROWTH` is the greatest.
"""
MOST_GROWTH: Final = 4.0
CHANGED: Final = 1.6
"""Factor by which the soft limit grows when the best move has just changed."""
STEADY: Final = 0.7
"""Factor by which the soft limit shrinks when the best move stays the same for long.

That is for `STEADY_DEPTHS` depths.
"""
STEADY_DEPTHS: Final = 4
FALL: Final = 0.15
"""Drop of the best move's value between two depths from which on more time is allowed.

Values go from -1 to 1. `FALLEN` is the factor by which the soft limit then grows.
"""
FALLEN: Final = 1.8
MOST: Final = 3.0
"""Greatest factor by which the soft limit may grow."""


class TimePlan:
    """Decides after each depth whether to begin the next one.

    Without a soft limit the next depth is always begun, since even a part of it may find something.
    With a soft limit, unused time is saved for later moves. A depth is then begun only if it is
    expected to end before the hard limit, and to be at least half done at the soft one. The soft
    limit becomes longer if the best move has just changed or its value has fallen, and shorter if
    it is stable.
    """

    def __init__(self, limit: Limit) -> None:
        self._soft, self._hard = limit.soft_seconds, limit.seconds
        self._ended = 0.0
        self._took: list[float] = []
        self._best: Move | None = None
        self._value: float | None = None
        self._steady = 0
        self._has_fallen = False

    def record(self, elapsed: float, best: Move, value: float) -> None:
        """Record a finished depth.

        Args:
            elapsed: seconds since the search began.
            best: the best move.
            value: its value for the side to move, in [-1, 1].
        """
        self._took.append(max(0.0, elapsed - self._ended))
        self._ended = elapsed
        self._steady = self._steady + 1 if best == self._best else 0
        self._has_fallen = self._value is not None and self._value - value >= FALL
        self._best, self._value = best, value

    def stretch(self) -> float:
        """Return the factor by which the soft limit of this move is multiplied.

        It is above 1 if the best move has just changed or its value has fallen, below 1 if it is
        stable.
        """
        found = 1.0
        if self._steady == 0 and len(self._took) > 1:
            found = CHANGED
        elif self._steady >= STEADY_DEPTHS:
            found = STEADY
        return min(MOST, max(found, 1.0) * FALLEN) if self._has_fallen else found

    def next_depth(self) -> float:
        """Return the expected duration of the next depth in seconds; 0 while it is not known."""
        if len(self._took) < 2:
            return 0.0
        before, last = self._took[-2:]
        growth = last / before if before > 0.0 else MOST_GROWTH
        return last * min(max(growth, LEAST_GROWTH), MOST_GROWTH)

    def is_over(self, elapsed: float) -> bool:
        """Return whether to stop instead of beginning another depth.

        Args:
            elapsed: seconds since the search began.
        """
        if self._soft is None:
            return False
        wanted = self.next_depth()
        if self._hard is not None and elapsed + wanted > self._hard:
            return True
        return elapsed + wanted / 2 > self._soft * self.stretch()


__all__ = ["TimePlan"]

"""The clock that enforces a move's limit, in Python and in kernels."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from ai.search.base import Limit

if TYPE_CHECKING:
    from ai.kernels.jit import Record


SHORTEST_WAIT: Final = 0.0005
"""Seconds between two looks at a clock that is about to end."""


class Clock:
    """Counts positions and seconds from its creation.

    Python code calls `spend`, or increases `nodes` and checks; kernels use `record()`.
    """

    def __init__(self, limit: Limit) -> None:
        self.nodes = 0
        """Positions looked at so far."""
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
        """Seconds since its creation."""
        return self._now() - self._began

    def is_late(self) -> bool:
        """Return whether the seconds are used up."""
        return self._deadline < math.inf and self._now() >= self._deadline

    def spend(self) -> bool:
        """Count a position; return whether the limit is reached."""
        self.nodes += 1
        return self.nodes >= self._node_limit or self.is_late()

    def count(self, nodes: int) -> None:
        """Count positions that were looked at within a share of this clock."""
        self.nodes += nodes

    def is_over(self) -> bool:
        """Return whether the nodes are exceeded or the seconds used up."""
        return self.nodes > self._node_limit or self.is_late()

    def remaining(self, share: float = 1.0) -> Limit:
        """Return a share (0 to 1) of the remaining budget as a limit."""
        seconds, nodes = self._deadline - self._now(), self._node_limit - self.nodes
        return Limit(
            seconds=max(0.0, seconds) * share if seconds < math.inf else None,
            nodes=int(max(0.0, nodes) * share) if nodes < math.inf else None,
            on_processor=self._now is time.process_time,
        )

    @contextmanager
    def record(self) -> Iterator[Record]:
        """Yield the remaining budget in the form that kernels take (`ai.kernels.clock.CLOCK`).

        A thread sets the record's flag when the seconds are over. On leaving the block the
        positions that the kernel counted are added to `nodes`.
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
        try:
            yield record
        finally:
            ended.set()
            self.nodes += get_field(record, "nodes")

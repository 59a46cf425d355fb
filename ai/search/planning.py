"""How long a search that deepens ply by ply thinks under a soft and a hard limit."""

from __future__ import annotations

from typing import Final

from ai.game import Move
from ai.search.base import Limit

LEAST_GROWTH: Final = 1.5
"""A depth is expected to take at least so many times as long as the one before it, and at most
`MOST_GROWTH` times."""
MOST_GROWTH: Final = 4.0
CHANGED: Final = 1.6
"""Soft limits that a move may take which has just become the best."""
STEADY: Final = 0.7
"""The same for a move that was the best for `STEADY_DEPTHS` depths."""
STEADY_DEPTHS: Final = 4
FALL: Final = 0.15
"""Of the value in [-1, 1], from one depth to the next, that is worth more time."""
FALLEN: Final = 1.8
MOST: Final = 3.0
"""Soft limits that a move may take at most."""


class TimePlan:
    """Decides after each depth whether the next one is begun.

    Without a soft limit it always is: a part of a depth may still find something. With one, time
    that is not used is left for later moves, so that no depth is begun that is not expected to end
    before the hard limit, or whose larger part lies behind the soft one. That limit moves: out
    where the best move has just changed or its value has fallen, in where it is long the same.
    """

    def __init__(self, limit: Limit) -> None:
        self._soft, self._hard = limit.soft_seconds, limit.seconds
        self._ended = 0.0
        self._took: list[float] = []
        self._best: Move | None = None
        self._value: float | None = None
        self._steady = 0
        self._has_fallen = False

    def note(self, elapsed: float, best: Move, value: float) -> None:
        """Take note of a depth that has ended.

        Args:
            elapsed: seconds since the search began.
            best: the best move.
            value: in [-1, 1], for the side to move.
        """
        self._took.append(max(0.0, elapsed - self._ended))
        self._ended = elapsed
        self._steady = self._steady + 1 if best == self._best else 0
        self._has_fallen = self._value is not None and self._value - value >= FALL
        self._best, self._value = best, value

    def stretch(self) -> float:
        """Return how many soft limits the move may take, by what was noted."""
        found = 1.0
        if self._steady == 0 and len(self._took) > 1:
            found = CHANGED
        elif self._steady >= STEADY_DEPTHS:
            found = STEADY
        return min(MOST, max(found, 1.0) * FALLEN) if self._has_fallen else found

    def next_depth(self) -> float:
        """Return the seconds that the next depth is expected to take."""
        if len(self._took) < 2:
            return 0.0
        before, last = self._took[-2:]
        growth = last / before if before > 0.0 else MOST_GROWTH
        return last * min(max(growth, LEAST_GROWTH), MOST_GROWTH)

    def is_over(self, elapsed: float) -> bool:
        """Return whether no further depth is begun.

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

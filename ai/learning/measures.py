"""Measures of a trained network: does it reproduce its memory, agree with it, and see the board?

Three numbers are measured after each training.

- `held`: share of remembered positions that the network answers with a point of their
  highest label.
- `agrees`: share of positions of the last games in which network and memory (kernel
  regression, `ai.memory.Recall`) have the same best free point.
- `variety`: number of different best points, occupied ones included, divided by the number of
  positions. A network that ranks the points in one fixed order has the same best point everywhere.

A falling loss and won games do not show that a network has learnt. A network that ranks the points
in one fixed order can beat a deterministic opponent, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, GameRecord, playable
from ai.samples.one_hot import learner_plies, stones_after

FAILED_BELOW: Final = 0.9
"""Smallest `held` of a successful training; below this the training has failed."""
RECENT_GAMES: Final = 20
"""Number of most recent games whose positions are used for `agrees` and `variety`."""
MOST_EXAMINED: Final = 4096
"""Maximum number of positions used for `held`; from a larger memory, evenly spaced ones."""

Answer: TypeAlias = Callable[[NDArray[np.int8]], NDArray[np.float32]]
"""A network as a function: from states `[B, A]` to scores of the points `[B, A]`.

The states are stones from the learner's perspective.
"""
MemoryAnswer: TypeAlias = Callable[[NDArray[np.int8]], NDArray[np.float64]]
"""A memory as a function: from states `[B, A]` to scores of the points `[B, A]`."""


@dataclass(frozen=True, slots=True)
class Measures:
    """The three measures of a trained network; each is None if there was nothing to measure.

    The module `ai.learning.measures` explains them.
    """

    held: float | None = None
    agrees: float | None = None
    variety: float | None = None

    @property
    def has_failed(self) -> bool:
        """Whether `held` is below `FAILED_BELOW`; False if it was not measured."""
        return self.is_below(FAILED_BELOW)

    def is_below(self, share: float) -> bool:
        """Return whether `held` is below a share; False if it was not measured."""
        return self.held is not None and self.held < share


NOT_MEASURED: Final = Measures()


@dataclass(frozen=True, slots=True)
class HeldTest:
    """Measures which share of a memory a network reproduces; one test serves several networks.

    Remembered positions with the same stones count as one position with the sum of their labels.
    """

    states: NDArray[np.int8]
    """`[N, A]` the remembered positions, each once."""
    labels: NDArray[np.float32]
    """`[N, A]` labels; 0 on points where no stone can be placed."""
    valid: NDArray[np.bool_]
    """`[N, A]` whether a stone can be placed on each point."""
    best: int = 1
    """Number of best points among which one with the highest label must be."""

    @classmethod
    def of(
        cls,
        stones: NDArray[np.int8],
        labels: NDArray[np.float32],
        rules: Game,
        *,
        most: int = MOST_EXAMINED,
        best: int = 1,
    ) -> HeldTest:
        """Prepare the test of a memory; labels on points where no stone can be placed are dropped.

        A position that has no label left is dropped, too.

        Args:
            stones: `[N, A]` remembered positions: 1 for the opponent's stones, -1 for the
                learner's.
            labels: `[N, A]` sums of one-hot vectors of the right moves.
            rules: rules that determine the playable points.
            most: maximum number of positions to test.
            best: number of best points among which one with the highest label must be.
        """
        states, places = np.unique(stones, axis=0, return_inverse=True)
        sums = np.zeros(states.shape, np.float32)
        np.add.at(sums, places.ravel(), labels)
        counts = playable(states, rules)
        sums = np.where(counts, sums, np.float32(0.0))
        kept = np.flatnonzero(sums.any(axis=1))
        if len(kept) > most:
            kept = kept[np.linspace(0, len(kept) - 1, most).astype(np.intp)]
        return cls(states[kept], sums[kept], counts[kept], best)

    def __len__(self) -> int:
        return len(self.labels)

    def at_most(self, most: int) -> HeldTest:
        """Return a test of at most so many of these positions, evenly spaced."""
        if len(self) <= most:
            return self
        kept = np.linspace(0, len(self) - 1, most).astype(np.intp)
        return replace(
            self, states=self.states[kept], labels=self.labels[kept], valid=self.valid[kept]
        )

    def fraction(self, answer: Answer) -> float | None:
        """Return `held`: the share of positions whose best point has the highest label.

        With `best` above 1 it is enough if one of that many best points has it.

        Args:
            answer: the network, see `Answer`.

        Returns:
            The share; None if the test has no positions.
        """
        if not len(self):
            return None
        scores = np.where(self.valid, answer(self.states), -np.inf)
        if self.best == 1:
            chosen = self.labels[np.arange(len(self)), scores.argmax(axis=1)]
            return float(np.mean(chosen >= self.labels.max(axis=1)))
        is_right = self.labels >= self.labels.max(axis=1, keepdims=True)
        rated = np.where(is_right, scores, -np.inf).max(axis=1, keepdims=True)
        return float(np.mean((scores > rated).sum(axis=1) < self.best))


def positions_of(records: Iterable[GameRecord], points: int) -> NDArray[np.int8]:
    """Return the positions in which the learner was to move, each once.

    Args:
        records: the games.
        points: number of points of the board, A.

    Returns:
        `[N, A]` the positions from the learner's perspective.
    """
    seen = [stones_after(record, ply) for record in records for ply in learner_plies(record)]
    if not seen:
        return np.zeros((0, points), np.int8)
    return np.unique(np.stack(seen), axis=0)


def agreement(
    scores: NDArray[np.float32], recalled: NDArray[np.float64], free: NDArray[np.bool_]
) -> float | None:
    """Return `agrees`: the share of positions where network and memory rank the same point first.

    Args:
        scores: `[B, A]` scores of the network.
        recalled: `[B, A]` scores of the memory.
        free: `[B, A]` whether a stone can be placed; other points are left out.

    Returns:
        The share; None if there are no positions.
    """
    if not len(scores):
        return None
    mine = np.where(free, scores, -np.inf).argmax(axis=1)
    its = np.where(free, recalled, -np.inf).argmax(axis=1)
    return float(np.mean(mine == its))


def variety(scores: NDArray[np.float32] | NDArray[np.float64]) -> float | None:
    """Return `variety`: the number of different best points divided by that of the positions.

    >>> variety(np.array([[0.1, 0.9], [0.2, 0.8]]))
    0.5

    Args:
        scores: `[B, A]` scores of the points in B positions.

    Returns:
        The quotient; None if there are no positions.
    """
    if not len(scores):
        return None
    return len(np.unique(scores.argmax(axis=1))) / len(scores)


def measure(
    answer: Answer,
    test: HeldTest,
    positions: NDArray[np.int8],
    rules: Game,
    recalled: MemoryAnswer | None,
) -> Measures:
    """Measure `held`, `agrees` and `variety` of a network.

    Args:
        answer: the network, see `Answer`.
        test: test of the memory, for `held`.
        positions: `[B, A]` positions of the last games, see `positions_of`.
        rules: rules that determine the playable points.
        recalled: the memory's answer; None if there is none to compare with.
    """
    scores = answer(positions) if len(positions) else np.zeros((0, 0), np.float32)
    agrees = None
    if recalled is not None and len(positions):
        agrees = agreement(scores, recalled(positions), playable(positions, rules))
    return Measures(test.fraction(answer), agrees, variety(scores))

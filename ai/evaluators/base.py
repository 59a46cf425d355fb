"""What an evaluator is asked and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ai.game import playable

if TYPE_CHECKING:
    from ai.game import Board


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluator says of `B` positions."""

    policy: NDArray[np.float32]
    """`[B, A]` share of each move, sum 1; 0 where no stone can be placed."""
    value: NDArray[np.float32]
    """`[B]` expected result in [-1, 1] for the side to move; 0 where the evaluator tells none."""


class Evaluator(Protocol):
    """Anything that judges positions at one look."""

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Judge positions of games that go on.

        Args:
            boards: `B` of them, of the evaluator's own rules; unchanged on return.
        """


class Scorer(Evaluator, Protocol):
    """An evaluator whose values come of whole numbers, as a search that compares them likes."""

    def score(self, board: Board) -> int:
        """Return how well the side to move stands, in a unit of its own; far quicker than a value.

        Args:
            board: position of a game that goes on; unchanged on return.
        """

    def to_value(self, score: int) -> float:
        """Return a score as a value in (-1, 1)."""


def stones_of(boards: Sequence[Board]) -> NDArray[np.int8]:
    """Return `[B, A]` the color of each point."""
    return np.array([board.stones for board in boards], np.int8)


def policy_of(weights: NDArray[np.floating], boards: Sequence[Board]) -> NDArray[np.float32]:
    """Return `[B, A]` shares in proportion to weights, over the points that can be played alone.

    Args:
        weights: `[B, A]` or `[A]`, at least 0; all playable points are equal where they have none.
        boards: `B` positions.
    """
    is_free = playable(stones_of(boards), boards[0].rules)
    kept = np.where(is_free, weights, 0.0)
    totals = kept.sum(axis=1, keepdims=True)
    kept, totals = np.where(totals > 0.0, kept, is_free), np.where(totals > 0.0, totals, 1.0)
    shares: NDArray[np.float32] = (kept / kept.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares

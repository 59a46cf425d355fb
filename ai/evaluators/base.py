"""The evaluator protocol and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ai.game import playable

if TYPE_CHECKING:
    from ai.game import Board, Position


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Policy and value of `B` positions."""

    policy: NDArray[np.float32]
    """`[B, A]` share of each move, sum 1; 0 where no stone can be placed."""
    value: NDArray[np.float32]
    """`[B]` expected result in [-1, 1] for the side to move; 0 if the evaluator has no value."""


class Evaluator(Protocol):
    """Evaluates positions without a search."""

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions of unfinished games.

        Args:
            boards: `B` positions of the evaluator's rules; unchanged on return.
        """


class Scorer(Evaluator, Protocol):
    """An evaluator with integer scores, which a search can compare fast."""

    def score(self, board: Board) -> int:
        """Return a heuristic score for the side to move; much faster than `evaluate`.

        Args:
            board: position of an unfinished game; unchanged on return.
        """

    def to_value(self, score: int) -> float:
        """Map a score to a value in (-1, 1)."""


def stones_of(boards: Sequence[Position]) -> NDArray[np.int8]:
    """Return the colors of all points, `[B, A]`."""
    return np.array([board.stones for board in boards], np.int8)


def policy_of(weights: NDArray[np.floating], boards: Sequence[Position]) -> NDArray[np.float32]:
    """Normalise weights over the playable points to a policy `[B, A]`.

    Args:
        weights: `[B, A]` or `[A]`, at least 0; uniform if all playable points have weight 0.
        boards: `B` positions.
    """
    own = np.array([[-board.to_move] for board in boards], np.int8)  # [B, 1], see `Game.encode`
    is_free = playable(stones_of(boards) * own, boards[0].rules)
    kept = np.where(is_free, weights, 0.0)
    totals = kept.sum(axis=1, keepdims=True)
    kept, totals = np.where(totals > 0.0, kept, is_free), np.where(totals > 0.0, totals, 1.0)
    shares: NDArray[np.float32] = (kept / kept.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares

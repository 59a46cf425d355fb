"""The protocol `Evaluator`, its result, and two evaluators without compiled kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ai.game import Board, Position, Rules, playable
from ai.game.lines import windows


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Policy and value of `B` positions with `A` points each."""

    policy: NDArray[np.float32]
    """`[B, A]` probability of each move, sum 1; 0 where no stone can be placed."""
    value: NDArray[np.float32]
    """`[B]` expected result in [-1, 1] for the side to move; 0 if the evaluator has no value."""


class Evaluator(Protocol):
    """Protocol of objects that evaluate positions without a search."""

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions of unfinished games.

        Args:
            boards: at least one position, all of the evaluator's rules; unchanged on return.
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
    """Return the colors of all points as an array `[B, A]` of B positions with A points each."""
    return np.array([board.stones for board in boards], np.int8)


def policy_of(weights: NDArray[np.floating], boards: Sequence[Position]) -> NDArray[np.float32]:
    """Normalise weights over the playable points to a policy `[B, A]` with sum 1 per position.

    Here B is the number of positions and A the number of points of the board.

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


class UniformEvaluator:
    """Evaluator that gives all playable points the same policy, and every position the value 0."""

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions; see `Evaluator.evaluate`."""
        points = boards[0].rules.points
        return Evaluation(policy_of(np.ones(points), boards), np.zeros(len(boards), np.float32))


_EVEN_SCORE: Final = 20.0
"""Score that maps to the value 0.5.

It is the score of five more open lines with two stones than the opponent has.
"""


class LineEvaluator:
    """Evaluator that counts open lines: winning rows that hold stones of one side only.

    An open line scores the square of its number of stones.
    """

    def __init__(self, rules: Rules) -> None:
        self._rows = _rows(rules)
        self._through = lines_through(rules)

    def score(self, board: Board) -> int:
        """Return the score of the side to move's open lines minus that of the opponent's.

        Args:
            board: the position.
        """
        stones = np.array(board.stones, np.int8)[self._rows]  # [L, W]
        sums = stones.sum(axis=0, dtype=np.int64)
        open_lines = sums[np.abs(sums) == np.abs(stones).sum(axis=0, dtype=np.int64)]
        return int(open_lines @ np.abs(open_lines)) * board.to_move

    def to_value(self, score: int) -> float:
        """Map a score to a value in (-1, 1)."""
        return score / (abs(score) + _EVEN_SCORE)

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions.

        The policy of a point is proportional to the number of winning rows through it. The value
        comes from the score.

        Args:
            boards: the positions.
        """
        values = [self.to_value(self.score(board)) for board in boards]
        return Evaluation(policy_of(self._through, boards), np.array(values, np.float32))


@lru_cache(maxsize=16)
def _rows(rules: Rules) -> NDArray[np.intp]:
    """Return the points of all possible winning rows, `[L, W]`: W rows of L points each.

    Args:
        rules: rules of the game.
    """
    runs = np.array(windows(rules.size, rules.win_length, rules.rows), np.intp)  # [W, L]
    return np.ascontiguousarray(runs.T)


def lines_through(rules: Rules) -> NDArray[np.float32]:
    """Return how many of the possible winning rows go through each point, `[A]` for A points.

    Args:
        rules: rules of the game.
    """
    counts = np.bincount(_rows(rules).ravel(), minlength=rules.points)
    return counts.astype(np.float32)

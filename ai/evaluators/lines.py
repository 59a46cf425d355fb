"""Open lines: the rows that each side can still complete, and the points that lie on most."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Evaluation, policy_of
from ai.game import Board, Rules
from ai.game.lines import windows

_EVEN_SCORE: Final = 20.0
"""Score that is the value 0.5: five open lines of two stones more than the other side."""


class LineEvaluator:
    """Scores lines with stones of one side only, each by the square of its number of stones."""

    def __init__(self, rules: Rules) -> None:
        self._rows = _rows(rules)
        self._through = lines_through(rules)

    def score(self, board: Board) -> int:
        """Return the score of the side to move's open lines minus the opponent's."""
        stones = np.array(board.stones, np.int8)[self._rows]  # [L, W]
        sums = stones.sum(axis=0, dtype=np.int64)
        open_lines = sums[np.abs(sums) == np.abs(stones).sum(axis=0, dtype=np.int64)]
        return int(open_lines @ np.abs(open_lines)) * board.to_move

    def to_value(self, score: int) -> float:
        """Map a score to a value in (-1, 1)."""
        return score / (abs(score) + _EVEN_SCORE)

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions: a point's policy is proportional to the lines through it."""
        values = [self.to_value(self.score(board)) for board in boards]
        return Evaluation(policy_of(self._through, boards), np.array(values, np.float32))


@lru_cache(maxsize=16)
def _rows(rules: Rules) -> NDArray[np.intp]:
    """Return `[L, W]` the points of each straight run of the win length L."""
    runs = np.array(windows(rules.size, rules.win_length, rules.rows), np.intp)  # [W, L]
    return np.ascontiguousarray(runs.T)


def lines_through(rules: Rules) -> NDArray[np.float32]:
    """Return `[A]` the number of straight runs of the win length through each point."""
    counts = np.bincount(_rows(rules).ravel(), minlength=rules.points)
    return counts.astype(np.float32)

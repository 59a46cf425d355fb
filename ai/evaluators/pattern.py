"""Evaluator by patterns: they give the value, and those that a stone makes give the policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Evaluation, policy_of
from ai.game import WHITE, Board, Rules
from ai.kernels.greedy import SCORES, score_points
from ai.kernels.jit import fields_of, new_record
from ai.kernels.layout import CLASSES
from ai.kernels.position import KernelPosition
from ai.kernels.values import PATTERN_VALUES, stone_values, value_scale

_EVEN_SCORE: Final = 400.0
"""Score that maps to the value 0.5.

It is the score of two more open threes than the opponent has.
"""


class PatternEvaluator:
    """Evaluator that scores points by the patterns in their four directions, without a search.

    Not thread-safe.
    """

    def __init__(self, rules: Rules) -> None:
        """Create the evaluator for boards of these rules.

        Raises:
            RulesError: the board is not square, or has gravity.
        """
        self._position = KernelPosition(rules)
        self._record = new_record(SCORES)
        self._fields = fields_of(self._record)
        for line_class, value in PATTERN_VALUES.items():
            self._fields.values[line_class] = value
        self._stone_values = np.array(stone_values(rules.win_length), np.int64)  # [CLASSES]
        self._scale = value_scale(rules.win_length)

    def point_scores(self, board: Board) -> NDArray[np.int64]:
        """Return the score of placing a stone on each of the board's A points, `[A]`.

        A score is twice the value of the patterns that the stone makes, plus the value of the
        opponent's patterns that it blocks. Occupied points have -1.
        """
        self._position.follow(board)
        score_points(self._position.record, self._record, board.ply % 2)
        return np.array(self._fields.scores[: board.rules.points], np.int64)

    def score(self, board: Board) -> int:
        """Return the summed values of all patterns on the board, own minus the opponent's."""
        self._position.follow(board)
        stones = np.array(self._position.stone_counts(), np.int64).reshape(2, CLASSES)
        black, white = (int(value) for value in stones @ self._stone_values)
        return white - black if board.to_move == WHITE else black - white

    def to_value(self, score: int) -> float:
        """Map a score to a value in (-1, 1)."""
        return score / (abs(score) + _EVEN_SCORE * self._scale)

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions: a point's policy is proportional to its score."""
        scores = np.array([self.point_scores(board) for board in boards], np.float64)  # [B, A]
        values = [self.to_value(self.score(board)) for board in boards]
        return Evaluation(policy_of(np.maximum(scores, 0.0), boards), np.array(values, np.float32))

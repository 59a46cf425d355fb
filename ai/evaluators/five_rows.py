"""The five-row evaluator: fixed scores of ten patterns, own sum minus the opponent's.

As in a report on a Gomoku engine by reinforcement learning and tree search (its Table 2). The
report names the patterns only; `ai.kernels.cross.lines` defines them here. The board's value is
kept line by line. A stone changes only the four lines through it, so that only this cross is
scanned ("cross evaluation"). For comparison, every line can be scanned.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from ai.evaluators.base import Evaluation, lines_through, policy_of
from ai.game import BLACK, EMPTY, Board, Move, Rules, RulesError
from ai.kernels.cross import lines
from ai.kernels.jit import Record, fields_of, new_record

TABLE: Final = MappingProxyType(
    {
        lines.WIN: 100_000,
        lines.H4: 10_000,
        lines.C4: 100,
        lines.H3: 200,
        lines.M3: 50,
        lines.H2: 5,
        lines.M2: 3,
        lines.S4: -5,
        lines.S3: -5,
        lines.S2: -5,
    }
)
"""Score of each kind of pattern, from Table 2 of the report."""
_CLASSES: Final = (
    (lines.WIN,),
    (lines.H4, lines.C4, lines.S4),
    (lines.H3, lines.M3, lines.S3),
    (lines.H2, lines.M2, lines.S2),
)
"""The kinds of pattern, grouped by how many stones they lack to a row of five: 0, 1, 2, 3."""
_EVEN_SCORE: Final = 400.0
"""Score that maps to the value 0.5.

It is the score of two more live threes than the opponent has.
"""


class FiveRowEvaluator:
    """Evaluator that scores a board by the patterns in all its lines.

    Not thread-safe.
    """

    def __init__(self, rules: Rules, *, scans_all: bool = False) -> None:
        """Create the evaluator for boards of these rules.

        Args:
            rules: rules of the boards.
            scans_all: whether to scan every line of the board after each stone, as the first
                version of the published `minimax-q` did. False to scan the four lines through it.

        Raises:
            RulesError: the board is not square or has gravity, or the rule is not freestyle or
                standard.
        """
        if not rules.is_plain:
            raise RulesError(f"expected a square board without gravity, found {rules!r}")
        if rules.rule not in ("freestyle", "standard"):
            raise RulesError(f"rule: expected freestyle or standard, found {rules.rule}")
        self.rules = rules
        self.record: Record = new_record(lines.BOARD)
        """Record of the board for the kernels of `ai.kernels.cross`."""
        self._fields = fields_of(self.record)
        self._fields.size = rules.size
        self._fields.win_length = rules.win_length
        self._fields.is_exact = int(rules.exact)
        self._fields.scans_all = int(scans_all)
        for line_class, value in TABLE.items():
            self._fields.values[line_class] = value
        for missing, classes in enumerate(_CLASSES):
            for line_class in classes:
                self._fields.lengths[line_class] = max(1, rules.win_length - missing)
        self._stones = [EMPTY] * rules.points

    @property
    def scans(self) -> int:
        """Number of lines scanned so far."""
        return int(self._fields.scans)

    def follow(self, board: Board) -> None:
        """Update the kernels' record to a position, point by point.

        Args:
            board: the position.
        """
        for move, color in enumerate(board.stones):
            if color == self._stones[move]:
                continue
            if self._stones[move] != EMPTY:
                lines.clear_point(self.record, move)
            if color != EMPTY:
                lines.put_stone(self.record, move, 1 if color == BLACK else 2, 0)
            self._stones[move] = color

    def score(self, board: Board) -> int:
        """Return the summed values of all patterns on the board, own minus the opponent's."""
        self.follow(board)
        return int(self._fields.total) * board.to_move

    def to_value(self, score: float) -> float:
        """Map a score to a value in (-1, 1)."""
        return score / (abs(score) + _EVEN_SCORE)

    def near_moves(self, board: Board) -> list[Move]:
        """Return the empty points beside a stone, which the report calls adjacent nodes."""
        self.follow(board)
        near = self._fields.near
        return [
            move for move, color in enumerate(self._stones) if color == EMPTY and near[move] > 0
        ]

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions.

        The policy of a point is proportional to the number of winning rows through it. The value
        comes from the score.

        Args:
            boards: the positions.
        """
        values = [self.to_value(self.score(board)) for board in boards]
        through = lines_through(self.rules)
        return Evaluation(policy_of(through, boards), np.array(values, np.float32))

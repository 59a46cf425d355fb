"""Proven lessons: the exact solver says which of White's moves lost, and which would have held.

Used on finished games only; at the board the player asks nobody. The solver knows boards of up to
8x8 points on which a full board is White's, and judges White alone: of other games nothing is
learnt here.
"""

from __future__ import annotations

from typing import Final

from ai.game import WHITE, GameRecord, Rules, RulesError
from ai.samples.one_hot import Sample, one_hot, stones_after
from ai.search.oracle import Oracle

_TABLE_BITS: Final = 16


class Prover:
    """Finds the losing moves of finished games, and what should have been played instead."""

    def __init__(self, rules: Rules, node_limit: int) -> None:
        """Build the solver.

        Args:
            rules: what is played.
            node_limit: positions that it may visit for one question.
        """
        self._oracle: Oracle | None
        try:
            self._oracle = Oracle(rules, node_limit=node_limit, table_bits=_TABLE_BITS)
        except RulesError:
            self._oracle = None

    def lessons(self, record: GameRecord) -> list[Sample]:
        """Return a lesson for each move that lost what was proven held, the last first.

        The label is shared by all moves that are proven to hold.
        """
        if self._oracle is None or record.learner_color != WHITE:
            return []
        lessons = []
        board = record.board()
        for ply in reversed(self._oracle.judge(record).mistakes):
            while board.ply > ply:
                board.pop()
            defences = self._oracle.defences(board)
            if defences:
                lessons.append(
                    Sample(stones_after(record, ply), one_hot(len(board.stones), *defences))
                )
        return lessons

"""Samples from proofs: the exact solver finds White's losing moves, and moves that do not lose.

Used on finished games only, never while playing. The solver supports boards of up to 8x8 points on
which a full board counts as White's win. It analyses White's moves only. A game in which the
learner played Black gives no samples.
"""

from __future__ import annotations

from typing import Final

from ai.game import WHITE, GameRecord, Rules, RulesError, as_board
from ai.samples.one_hot import Sample, one_hot, stones_after
from ai.search.oracle import Oracle

_TABLE_BITS: Final = 16


class SampleProver:
    """Finds losing moves in finished games, and the moves that would not have lost."""

    def __init__(self, rules: Rules, node_limit: int) -> None:
        """Create the solver.

        Args:
            rules: rules of the game.
            node_limit: maximum number of positions for one proof.
        """
        self._oracle: Oracle | None
        try:
            self._oracle = Oracle(rules, node_limit=node_limit, table_bits=_TABLE_BITS)
        except RulesError:
            self._oracle = None

    def lessons(self, record: GameRecord) -> list[Sample]:
        """Return a sample for each of the learner's losing moves in a game, the last one first.

        A losing move turns a position that was not lost into a lost one. The label of the position
        gives equal shares to all moves that are proven not to lose.
        """
        if self._oracle is None or record.learner_color != WHITE:
            return []
        lessons = []
        board = as_board(record.board())
        for ply in reversed(self._oracle.find_mistakes(record).mistakes):
            while board.ply > ply:
                board.pop()
            defences = self._oracle.defences(board)
            if defences:
                lessons.append(
                    Sample(stones_after(record, ply), one_hot(len(board.stones), *defences))
                )
        return lessons

"""The default policy of a report on a Gomoku engine: quick moves before any search.

If the side to move has a four or an open four, the policy makes five. Otherwise it stops a four, an
open four or an open three of the opponent. Otherwise the player's own method decides. A four is
found by the points that make it five, an open three by those that make it an open four.
"""

from __future__ import annotations

from typing import Final

from ai.game import Move, Rules
from ai.kernels.cross import forced as kernels
from ai.kernels.jit import fields_of, new_record
from ai.kernels.position import KernelPosition
from ai.kernels.values import PATTERN_VALUES
from ai.players.explanation import ForcedMove

WORDS: Final = {
    kernels.MAKES_FIVE: "five",
    kernels.MAKES_OPEN_FOUR: "open four",
    kernels.STOPS_FIVE: "five of the other side",
    kernels.STOPS_OPEN_FOUR: "open four of the other side",
}


class DefaultPolicy:
    """Finds forced moves by the patterns that a stone makes and blocks on its four lines."""

    def __init__(
        self, rules: Rules, *, makes_open_four: bool = False, takes_first: bool = False
    ) -> None:
        """Create the policy for boards of these rules.

        Args:
            rules: a square board without gravity.
            makes_open_four: whether an own open three is made an open four before the other
                side's is stopped; the report does not say so.
            takes_first: whether the first such point in board order is taken, not the one where
                a stone makes and denies most.
        """
        self.rules = rules
        self._record = new_record(kernels.FORCED)
        self._fields = fields_of(self._record)
        for line_class, value in PATTERN_VALUES.items():
            self._fields.values[line_class] = value
        self._fields.makes_open_four = int(makes_open_four)
        self._fields.takes_first = int(takes_first)

    def find(self, position: KernelPosition) -> tuple[Move, ForcedMove] | None:
        """Return the forced move with its explanation; None if no move is forced.

        Args:
            position: the kernels' position, equal to the board to play on.
        """
        move = int(kernels.find_forced(position.record, self._record))
        if move < 0:
            return None
        points = tuple(int(point) for point in self._fields.points[: int(self._fields.count)])
        return move, ForcedMove(WORDS[int(self._fields.reason)], points)

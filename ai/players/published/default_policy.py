"""The default policy of a report on a Gomoku engine: fixed rules for moves without a search.

If the side to move has a four or an open four, the policy makes five. Otherwise it stops a four, an
open four or an open three of the opponent. Otherwise the player's own method decides. Fours are
recognised by the points that complete a five, open threes by those that make an open four.
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
    """Finds forced moves by the patterns that a stone makes and blocks on its four lines.

    A move is forced if it wins soon or if it stops the opponent's win.
    """

    def __init__(
        self, rules: Rules, *, makes_open_four: bool = False, takes_first: bool = False
    ) -> None:
        """Create the policy for boards of these rules.

        Args:
            rules: a square board without gravity.
            makes_open_four: whether to turn an own open three into an open four before stopping the
                other side's open three; the report does not say so.
            takes_first: which of several points that stop a row to choose. True: the one with the
                lowest number. False: the one where a stone makes and blocks most.
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
            position: the position to play in, in the form that the kernels use.
        """
        move = int(kernels.find_forced(position.record, self._record))
        if move < 0:
            return None
        points = tuple(int(point) for point in self._fields.points[: int(self._fields.count)])
        return move, ForcedMove(WORDS[int(self._fields.reason)], points)

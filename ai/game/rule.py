"""The rule of a five: which rows win, by its name."""

from __future__ import annotations

from enum import StrEnum

from ai.game.errors import RulesError
from ai.game.move import WHITE, Color


class Rule(StrEnum):
    """Which rows win; its text is its name in files and on the command line.

    `INFO rule` of the Gomocup protocol: 0, 1, 4, and 9 for caro (8, and 1 for exactly five).
    """

    FREESTYLE = "freestyle"
    """A row of the win length, or a longer one."""
    STANDARD = "standard"
    """A row of exactly the win length."""
    RENJU = "renju"
    """White: five or more. Black: exactly five, and never a foul, see `ai.game.renju`."""
    CARO = "caro"
    """Exactly the win length, unless the opponent's stones stand at both ends.

    So the caro league of Gomocup; the edge of the board blocks nothing. Elsewhere, longer rows win
    in caro, too (Wikipedia, "Gomoku"): that is not played here.
    """

    def __repr__(self) -> str:
        return repr(self.value)

    def wins(self, length: int, win_length: int, color: Color, *, is_blocked: bool) -> bool:
        """Return whether a row of one color wins.

        Args:
            length: its stones, from end to end.
            win_length: stones in a row that win.
            color: BLACK or WHITE.
            is_blocked: whether a stone of the other color stands at each of its ends.
        """
        if length < win_length:
            return False
        if self is Rule.FREESTYLE or (self is Rule.RENJU and color == WHITE):
            return True
        return length == win_length and not (self is Rule.CARO and is_blocked)


RULE_NAMES: tuple[str, ...] = tuple(rule.value for rule in Rule)
"""The rules by their names in files and on the command line."""


def rule_of(given: object) -> Rule:
    """Return the rule of this name; of True and False, what `exact` said before: standard or not.

    Raises:
        RulesError: there is no such rule.
    """
    if isinstance(given, bool):
        return Rule.STANDARD if given else Rule.FREESTYLE
    if isinstance(given, str) and given in RULE_NAMES:
        return Rule(given)
    raise RulesError(f"rule: expected one of {', '.join(RULE_NAMES)}; found {given!r}")

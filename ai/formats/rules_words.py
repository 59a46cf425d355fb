"""Rules as words: the property RU of SGF."""

from __future__ import annotations

import re
from typing import Final

from ai.formats.builder import Stated
from ai.game import BLACK, EMPTY, RULE_NAMES, WHITE, Rule, Rules

GRAVITY: Final = "gravity"
_LENGTH: Final = re.compile(r"(\d{1,2}) in a row")
_FULL: Final = {
    "Black wins a full board": BLACK,
    "White wins a full board": WHITE,
    "a full board is a draw": EMPTY,
}


def words_of(rules: Rules) -> str:
    """Return rules as words, such as "standard" or "freestyle, 4 in a row, gravity"."""
    words = [rules.rule.value]
    if rules.win_length != 5:
        words.append(f"{rules.win_length} in a row")
    if rules.full_board_winner != EMPTY:
        words += [name for name, winner in _FULL.items() if winner == rules.full_board_winner]
    if rules.gravity:
        words.append(GRAVITY)
    return ", ".join(words)


def stated_by(text: str, longest: int) -> Stated | None:
    """Return what words say of the rules; None where they are not of `words_of`.

    Args:
        text: the words.
        longest: points along the longer side of the board.
    """
    first, *rest = (word.strip() for word in text.split(","))
    if first.lower() not in RULE_NAMES:
        return None
    length, winner, gravity = 5, EMPTY, False
    for word in rest:
        number = _LENGTH.fullmatch(word)
        if number and 3 <= int(number[1]) <= longest:
            length = int(number[1])
        elif word in _FULL:
            winner = _FULL[word]
        elif word == GRAVITY:
            gravity = True
        else:
            return None
    return Stated(length, Rule(first.lower()), winner if len(rest) else None, gravity)

"""Conversion of points to text and back; the only place where that is done.

| system      | far left corner of a 7x7 board | near left corner |
|-------------|--------------------------------|------------------|
| move        | 0                              | 42               |
| (row, col)  | (0, 0)                         | (6, 0)           |
| text        | 'a7'                           | 'a1'             |

Letters are columns (no letter is skipped), numbers count rows from the near side.
"""

from __future__ import annotations

import re

from ai.game.errors import CoordinateError
from ai.game.move import PASS, Move

_PASS = "pass"
_TEXT = re.compile(r"([a-z])([1-9][0-9]?)")


def to_text(move: Move, size: int, rows: int | None = None) -> str:
    """Write `move` as text, PASS as 'pass'; `rows` where the board is no square.

    >>> to_text(24, 7)
    'd4'

    Raises:
        CoordinateError: `move` is not on a board of this size.
    """
    if move == PASS:
        return _PASS
    height = size if rows is None else rows
    if not 0 <= move < size * height:
        raise CoordinateError(f"expected a point from 0 to {size * height - 1}, found {move!r}")
    row, col = divmod(move, size)
    return f"{chr(ord('a') + col)}{height - row}"


def from_text(text: str, size: int, rows: int | None = None) -> Move:
    """Parse a point; the exact inverse of `to_text`, ignoring letter case.

    >>> from_text('d4', 7)
    24

    Raises:
        CoordinateError: `text` is not a point of a board of this size.
    """
    if text.strip().lower() == _PASS:
        return PASS
    match = _TEXT.fullmatch(text.strip().lower())
    if match is None:
        raise CoordinateError(f"expected a letter and a number such as 'd4', found {text!r}")
    col = ord(match[1]) - ord("a")
    height = size if rows is None else rows
    row = height - int(match[2])
    if not (0 <= row < height and 0 <= col < size):
        last = f"{chr(ord('a') + size - 1)}{height}"
        raise CoordinateError(f"expected a point from 'a1' to {last!r}, found {text!r}")
    return row * size + col

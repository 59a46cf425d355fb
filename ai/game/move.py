"""Colors and moves as numbers and as text, and the errors for moves, rules and games.

Only this module converts points to text and back:

| system      | far left corner of a 7x7 board | near left corner |
|-------------|--------------------------------|------------------|
| move        | 0                              | 42               |
| (row, col)  | (0, 0)                         | (6, 0)           |
| text        | 'a7'                           | 'a1'             |

Letters are columns (no letter is skipped), numbers count rows from the near side. A game is written
as its moves (`'d4 d5 e4'`). A position is written as a diagram, one line a row from the far side:
`X` black, `O` white, `.` empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray


class RulesError(ValueError):
    """The rules of a game are inconsistent (size, win length, winner of a full board)."""


class CoordinateError(ValueError):
    """A point's text or number is not on the board."""


class NotationError(ValueError):
    """A written game or diagram cannot be read."""


class RecordError(ValueError):
    """A stored game is malformed or breaks its own rules."""


class IllegalMoveError(ValueError):
    """A move is not allowed: it is off the board, on an occupied point, or against the rules."""


class GameOverError(IllegalMoveError):
    """A move was played or requested although the game is over."""


Color: TypeAlias = int
"""BLACK, WHITE, or EMPTY for no side."""

Move: TypeAlias = int
"""PASS, or a point as `row * size + col`; row 0 is at the far side (the top, under gravity)."""

BLACK: Final = 1
"""The side that moves first, and its stones."""
WHITE: Final = -1
"""The other side, and its stones."""
EMPTY: Final = 0
"""A point without a stone; as a winner: nobody."""
PASS: Final = -1
"""The move of a side that has no legal point; it counts as a ply, and the turn changes."""


PASS_TEXT: Final = "pass"
"""Name of the move PASS."""
_TEXT = re.compile(r"([a-z])([1-9][0-9]?)")


def to_text(move: Move, size: int, rows: int | None = None) -> str:
    """Write a move as text, such as 'd4', or 'pass' for PASS.

    >>> to_text(24, 7)
    'd4'

    Args:
        move: a point or PASS.
        size: number of columns.
        rows: number of rows; None for a square board.

    Raises:
        CoordinateError: the point is not on a board of this size.
    """
    if move == PASS:
        return PASS_TEXT
    height = size if rows is None else rows
    if not 0 <= move < size * height:
        raise CoordinateError(f"expected a point from 0 to {size * height - 1}, found {move!r}")
    row, col = divmod(move, size)
    return f"{chr(ord('a') + col)}{height - row}"


def from_text(text: str, size: int, rows: int | None = None) -> Move:
    """Parse a point, ignoring letter case; the inverse of `to_text`.

    >>> from_text('d4', 7)
    24

    Args:
        text: the point as text.
        size: number of columns.
        rows: number of rows; None for a square board.

    Raises:
        CoordinateError: the text is not a point of a board of this size.
    """
    if text.strip().lower() == PASS_TEXT:
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


_SYMBOLS: Final = {BLACK: "X", WHITE: "O", EMPTY: "."}
_COLORS: Final = {"X": BLACK, "x": BLACK, "O": WHITE, "o": WHITE, ".": EMPTY}


def format_moves(moves: Iterable[Move], size: int, rows: int | None = None) -> str:
    """Write moves as text, with blanks between them.

    >>> format_moves([24, 17], 7)
    'd4 d5'

    Args:
        moves: points and passes.
        size: number of columns.
        rows: number of rows; None for a square board.
    """
    return " ".join(to_text(move, size, rows) for move in moves)


def parse_moves(text: str, size: int, rows: int | None = None) -> tuple[Move, ...]:
    """Parse moves separated by blanks or commas; the inverse of `format_moves`.

    Args:
        text: the moves as text.
        size: number of columns.
        rows: number of rows; None for a square board.

    Raises:
        NotationError: a word is not a point of the board; the message names the word and its place.
    """
    moves = []
    for place, word in enumerate(text.replace(",", " ").split(), start=1):
        try:
            moves.append(from_text(word, size, rows))
        except CoordinateError as error:
            raise NotationError(f"move {place}: {error}") from None
    return tuple(moves)


def format_diagram(array: NDArray[np.int8]) -> str:
    """Draw a `[rows, columns]` array of colors."""
    return "\n".join(" ".join(_SYMBOLS[int(color)] for color in row) for row in array)


def parse_diagram(text: str) -> NDArray[np.int8]:
    """Parse a diagram into a `[size, size]` array of colors; the inverse of `format_diagram`.

    Blanks inside a line and empty lines around the diagram are ignored.

    Raises:
        NotationError: the diagram is not square or holds an unknown symbol.
    """
    rows = ["".join(line.split()) for line in text.strip().splitlines()]
    size = len(rows)
    array = np.zeros((size, size), np.int8)
    for row, symbols in enumerate(rows):
        if len(symbols) != size:
            raise NotationError(
                f"line {row + 1}: expected {size} points (the diagram is square), "
                f"found {len(symbols)}"
            )
        for col, symbol in enumerate(symbols):
            if symbol not in _COLORS:
                raise NotationError(f"line {row + 1}: expected 'X', 'O' or '.', found {symbol!r}")
            array[row, col] = _COLORS[symbol]
    return array

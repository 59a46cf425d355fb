"""Text notation of games and positions.

A game is its moves (`'d4 d5 e4'`); a position is a diagram, one line a row from
the far side: `X` black, `O` white, `.` empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game.coords import from_text, to_text
from ai.game.errors import CoordinateError, NotationError
from ai.game.move import BLACK, EMPTY, WHITE, Move

_SYMBOLS: Final = {BLACK: "X", WHITE: "O", EMPTY: "."}
_COLORS: Final = {"X": BLACK, "x": BLACK, "O": WHITE, "o": WHITE, ".": EMPTY}


def format_moves(moves: Iterable[Move], size: int, rows: int | None = None) -> str:
    """Write moves as text; `rows` if the board is not square.

    >>> format_moves([24, 17], 7)
    'd4 d5'
    """
    return " ".join(to_text(move, size, rows) for move in moves)


def parse_moves(text: str, size: int, rows: int | None = None) -> tuple[Move, ...]:
    """Read moves separated by blanks or commas; the inverse of `format_moves`.

    Raises:
        NotationError: a word is not a point of the board; names the word and its position.
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
    """Read a diagram into a `[size, size]` array; the inverse of `format_diagram`.

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

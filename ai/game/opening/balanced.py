"""Balanced openings: three stones after which both colors win about as often.

Found by `python -m benchmarks.balanced_openings`: 15x15, freestyle, Black won 47 to 53 % of 300
games of the pattern player against itself. For stronger players, other rules and other boards they
are fair only as far as that carries over.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from ai.game.game import Game
from ai.game.move import Move

Offsets: TypeAlias = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]

_STONES: Final[tuple[Offsets, ...]] = (
    ((1, 1), (2, -3), (-3, -3)),
    ((-1, 1), (2, 4), (4, 0)),
    ((0, 0), (-2, 3), (-2, 4)),
    ((-1, 0), (-2, 3), (-4, -1)),
    ((-1, 2), (2, 2), (-3, -4)),
    ((-1, -1), (2, 0), (1, 3)),
    ((1, 2), (3, -1), (-1, 3)),
    ((1, 0), (-2, -2), (-3, -3)),
    ((1, 2), (1, -1), (-3, -1)),
    ((2, -1), (-2, -2), (-4, -1)),
    ((0, -2), (-3, -3), (3, -3)),
    ((2, -1), (2, 1), (-3, 1)),
    ((1, 1), (-4, 0), (-1, -4)),
    ((0, 2), (-1, -4), (1, -3)),
    ((-2, 2), (0, 1), (1, -1)),
    ((2, 1), (-3, -1), (0, -3)),
    ((0, 2), (-3, 1), (-2, 2)),
    ((-2, -2), (-1, 1), (-1, 4)),
    ((-1, -2), (2, 2), (0, 1)),
    ((2, 0), (2, -2), (-3, 3)),
    ((2, -2), (4, 4), (2, 4)),
    ((-1, 1), (-2, 0), (3, -2)),
    ((-1, 2), (-4, -2), (2, 1)),
    ((-1, 2), (2, 0), (-4, 3)),
)
"""A black, a white and a black stone, as (row, column) from the centre."""
_TURNS: Final = (
    (1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0),
    (1, 0, 0, -1), (-1, 0, 0, 1), (0, 1, 1, 0), (0, -1, -1, 0),
)  # fmt: skip
"""The eight symmetries of the square, as matrices."""

COUNT: Final = len(_STONES) * len(_TURNS)
"""How many there are, turned and mirrored ones included."""


def balanced_stones(rules: Game, number: int) -> tuple[Move, ...]:
    """Return the three stones of an opening, turned or mirrored.

    Args:
        rules: of a board of at least nine points a side.
        number: any number; `COUNT` of them are different.
    """
    turn, index = divmod(number % COUNT, len(_STONES))
    a, b, c, d = _TURNS[turn]
    row, column = rules.rows // 2, rules.size // 2
    return tuple(
        (row + a * down + b * right) * rules.size + column + c * down + d * right
        for down, right in _STONES[index]
    )

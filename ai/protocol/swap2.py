"""The opening swap2: what a brain places, and which side it takes.

The document of the players describes no policy, so this one is ours:

- **The first three stones** are drawn from a list of openings near the edge in which Black's two
  stones share no row of five, turned and mirrored at random.
- **After three stones** White is to move. The player is asked for White's move and what the
  position is worth (`MoveChoice.value`). From `CLEAR` up it stays White and plays that move, from
  `-CLEAR` down it swaps to Black. In between it places two stones and lets the other side choose:
  White's move, and of the points beside the stones that of which the player then says that the
  position is worth least to either side.
- **After five stones** White is to move. Worth 0 or more: it plays White's move; else it swaps.

A player that says no value is judged by rows: the most stones that a side has in five points in a
row that the other has none in. Black ahead: swap; else White's move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from ai.game import BLACK, EMPTY, WHITE, Color, Move, Position, Rules
from ai.game.lines import windows
from ai.players.base import MoveChoice
from ai.protocol.messages import Coordinates, Point, Swap
from ai.protocol.table import move_of, point_of

Ask: TypeAlias = Callable[[Position, float], MoveChoice]
"""Asks the player in a position, with a share of the time (0 to 1)."""

CLEAR: Final = 0.2
"""Value from which a side is clearly ahead after three stones."""
CANDIDATES: Final = 4
"""Points that are tried as the fifth stone."""
SMALLEST: Final = 9
"""Side of the smallest board that has room for the list of openings."""
OPENINGS: Final = (
    ((1, 1), (2, 4), (6, 3)),
    ((1, 2), (3, 3), (2, 7)),
    ((0, 3), (2, 2), (5, 5)),
    ((2, 1), (4, 4), (7, 2)),
    ((1, 4), (3, 1), (6, 6)),
    ((0, 2), (1, 5), (6, 1)),
)
"""Black, white, black: column and row from a corner of the board."""


def answer(position: Position, ask: Ask, rng: np.random.Generator) -> Coordinates | Swap:
    """Return the answer to SWAP2BOARD.

    Args:
        position: without a stone, or with three or five.
        ask: asks the player.
        rng: draws the opening.
    """
    if not position.ply:
        return Coordinates(first_three(position.rules.size, position.rules.rows, rng))
    choice = ask(position, 1.0 / (2 + CANDIDATES) if position.ply == 3 else 1.0)
    move = Coordinates((point_of(choice.move, position.rules),))
    if choice.value is None:
        return Swap() if is_black_ahead(position) else move
    if position.ply == 5:
        return move if choice.value >= 0 else Swap()
    if abs(choice.value) >= CLEAR:
        return move if choice.value > 0 else Swap()
    fifth = _most_even(position, choice.move, ask)
    return Coordinates((*move.points, point_of(fifth, position.rules)))


def first_three(width: int, height: int, rng: np.random.Generator) -> tuple[Point, ...]:
    """Draw three stones: black, white, black.

    Args:
        width: columns.
        height: rows.
        rng: consumed.
    """
    if min(width, height) < SMALLEST:
        middle = Point(width // 2, height // 2)
        return Point(0, 0), middle, Point(width - 1, height - 1)
    opening = OPENINGS[int(rng.integers(len(OPENINGS)))]
    is_turned, from_right, from_below = (bool(bit) for bit in rng.integers(2, size=3))
    points = (Point(y, x) if is_turned else Point(x, y) for x, y in opening)
    return tuple(
        Point(
            width - 1 - point.x if from_right else point.x,
            height - 1 - point.y if from_below else point.y,
        )
        for point in points
    )


def is_black_ahead(position: Position) -> bool:
    """Return whether Black has more stones in one open row of five than White."""
    return _longest(position, BLACK) > _longest(position, WHITE)


def _longest(position: Position, color: Color) -> int:
    """Return the most stones of a side in points in a row that the other has none in."""
    rules, stones = position.rules, position.stones
    length = rules.win_length if isinstance(rules, Rules) else 5
    most = 0
    for window in windows(rules.size, length, rules.rows):
        held = [stones[point] for point in window]
        if -color not in held:
            most = max(most, held.count(color))
    return most


def _most_even(position: Position, fourth: Move, ask: Ask) -> Move:
    """Return the fifth stone after which the position is worth least to either side."""
    position = position.copy()
    position.push(fourth)
    best, least = -1, 2.0
    for move in _candidates(position):
        position.push(move)
        value = ask(position, 1.0 / (2 + CANDIDATES)).value
        position.pop()
        if value is not None and abs(value) < least:
            best, least = move, abs(value)
    return best if best >= 0 else next(iter(position.legal_moves))


def _candidates(position: Position) -> list[Move]:
    """Return empty points two steps from stones, those nearest to the middle first."""
    rules, stones = position.rules, position.stones
    near: set[Move] = set()
    for stone in position.moves:
        x, y = point_of(stone, rules)
        for column, row in ((x - 2, y), (x + 2, y), (x, y - 2), (x, y + 2)):
            if 0 <= column < rules.size and 0 <= row < rules.rows:
                move = move_of(Point(column, row), rules)
                if stones[move] == EMPTY:
                    near.add(move)

    def far(move: Move) -> tuple[float, Move]:
        x, y = point_of(move, rules)
        return (x - (rules.size - 1) / 2) ** 2 + (y - (rules.rows - 1) / 2) ** 2, move

    return sorted(near, key=far)[:CANDIDATES]


__all__ = ["answer", "first_three", "is_black_ahead"]

"""Fouls: moves forbidden to Black in renju, by the International Rules (RIF), sections 3 and 9.

A *four* is four stones to which one more stone makes exactly five. A *straight four* is an unbroken
four that can be completed at either end. A *three* is three stones to which one more stone makes a
straight four, but no five at the same time. That stone must be a move which Black is allowed (9.3:
not an overline, a double four, or a double three that is a foul itself). So threes and fours that
only look like them do not count. A move that makes five is never a foul.

Fouls are illegal moves here, as in engine tournaments, where playing one loses the game. A recorded
game may end by a foul (`Board.replay`): then White wins. If it goes on, the foul was not claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from ai.game.lines import rays
from ai.game.move import BLACK, EMPTY, WHITE, Color, Move

FIVE: Final = 5
REACH: Final = 5
"""Number of points that are examined on each side of a point, in each line.

Four points may belong to a row of five with it. The fifth shows whether the row is longer.
"""

Cells: TypeAlias = tuple[Color, ...]
"""Colors of the `2 * REACH + 1` points of a line with a given point in the middle.

WHITE stands for points off the board.
"""
Around: TypeAlias = tuple[Callable[[Sequence[Color]], Cells], tuple[Move, ...]]
"""One line through a point: a function and the points of the line.

The function returns the colors of these points from the colors of a board.
"""


class Foul(StrEnum):
    """A pattern that Black must not make with a stone in renju."""

    OVERLINE = "overline"
    """Six stones in a row, or more."""
    DOUBLE_FOUR = "double four"
    """Two fours at once, in one line or in two."""
    DOUBLE_THREE = "double three"
    """Two threes at once."""


class _Line(NamedTuple):
    """The patterns that a black stone makes in one line.

    Attributes:
        is_five: whether it makes exactly five.
        is_overline: whether it makes six or more in a row.
        fours: number of fours that it makes.
    """

    is_five: bool
    is_overline: bool
    fours: int
    straight: tuple[int, ...]
    """Places in the line, by index, where one more black stone makes a straight four.

    The stone makes a three in this line if Black is allowed to play at one of these places.
    """


_NOTHING: Final = _Line(is_five=False, is_overline=False, fours=0, straight=())


def find_foul(stones: Sequence[Color], point: Move, size: int, rows: int) -> Foul | None:
    """Return the foul that a black stone on an empty point would make; None if it is allowed.

    Args:
        stones: `[A]` color of each point.
        point: an empty point.
        size: number of columns.
        rows: number of rows.
    """
    return _foul([*stones, WHITE], point, _around(size, rows))


def foul_points(stones: Sequence[Color], size: int, rows: int) -> dict[Move, Foul]:
    """Return the empty points where a black stone would be a foul, with the kind of foul.

    Args:
        stones: `[A]` color of each point.
        size: number of columns.
        rows: number of rows.
    """
    edged, around = [*stones, WHITE], _around(size, rows)
    found: dict[Move, Foul] = {}
    for point, color in enumerate(stones):
        foul = _foul(edged, point, around) if color == EMPTY else None
        if foul is not None:
            found[point] = foul
    return found


def has_legal_point(stones: Sequence[Color], size: int, rows: int) -> bool:
    """Return whether Black has an empty point that is no foul.

    Args:
        stones: `[A]` color of each point.
        size: number of columns.
        rows: number of rows.
    """
    edged, around = [*stones, WHITE], _around(size, rows)
    return any(
        color == EMPTY and _foul(edged, point, around) is None for point, color in enumerate(stones)
    )


def _foul(edged: list[Color], point: Move, around: Sequence[tuple[Around, ...]]) -> Foul | None:
    """Return the foul that a black stone on an empty point would make; None if it is allowed.

    Args:
        edged: color of each point, and at the end one WHITE for all points off the board.
        point: an empty point.
        around: for each point of the board, the four lines through it.
    """
    lines = [_read(cells_of(edged)) for cells_of, _ in around[point]]
    if any(line.is_five for line in lines):
        return None
    if any(line.is_overline for line in lines):
        return Foul.OVERLINE
    if sum(line.fours for line in lines) >= 2:
        return Foul.DOUBLE_FOUR
    if sum(bool(line.straight) for line in lines) < 2:
        return None
    edged[point] = BLACK
    threes = sum(
        any(_is_allowed(edged, points[place], around) for place in line.straight)
        for line, (_, points) in zip(lines, around[point], strict=True)
    )
    edged[point] = EMPTY
    return Foul.DOUBLE_THREE if threes >= 2 else None


def _is_allowed(edged: list[Color], point: Move, around: Sequence[tuple[Around, ...]]) -> bool:
    """Return whether Black may play at a point where the stone turns a three into a straight four.

    Args:
        edged: color of each point, and at the end one WHITE for all points off the board.
        point: the point.
        around: for each point of the board, the four lines through it.
    """
    if any(_read(cells_of(edged)).is_five for cells_of, _ in around[point]):
        return False
    return _foul(edged, point, around) is None


@lru_cache(maxsize=1 << 16)
def _read(cells: Cells) -> _Line:
    """Return the patterns that a black stone makes in a line when it is placed in its middle.

    Args:
        cells: colors along the line.
    """
    if cells.count(BLACK) < 2:
        return _NOTHING
    stones = list(cells)
    stones[REACH] = BLACK
    first, last = _run(stones)
    length = last - first + 1
    if length >= FIVE:
        return _Line(length == FIVE, length > FIVE, 0, ())
    fives = _completing(stones)
    is_straight_four = len(fives) == 2 and fives[1] - fives[0] == FIVE
    straight = []
    for place in range(REACH - 3, REACH + 4):
        if stones[place] != EMPTY:
            continue
        stones[place] = BLACK
        first, last = _run(stones)
        if last - first + 1 == FIVE - 1 and first <= place <= last:
            ends = _completing(stones)
            if ends == [first - 1, last + 1]:
                straight.append(place)
        stones[place] = EMPTY
    return _Line(
        is_five=False,
        is_overline=False,
        fours=1 if is_straight_four else len(fives),
        straight=tuple(straight),
    )


def _completing(stones: list[Color]) -> list[int]:
    """Return the places where one more stone makes exactly five in a row through the middle.

    Args:
        stones: colors along a line.

    Returns:
        Indices in the line of empty points.
    """
    found = []
    for place in range(1, 2 * REACH):
        if stones[place] == EMPTY:
            stones[place] = BLACK
            first, last = _run(stones)
            if last - first + 1 == FIVE and first <= place <= last:
                found.append(place)
            stones[place] = EMPTY
    return found


def _run(stones: Sequence[Color]) -> tuple[int, int]:
    """Find the black row that passes through the middle of a line.

    Args:
        stones: colors along the line, with a black stone in the middle.

    Returns:
        Indices in the line of the row's first and last stone.
    """
    first = last = REACH
    while first > 0 and stones[first - 1] == BLACK:
        first -= 1
    while last < 2 * REACH and stones[last + 1] == BLACK:
        last += 1
    return first, last


@lru_cache(maxsize=32)
def _around(size: int, rows: int) -> tuple[tuple[Around, ...], ...]:
    """Return for each point of a board the four lines through it; see `Around`.

    In the points of a line, -1 stands for a point off the board.

    Args:
        size: number of columns.
        rows: number of rows.
    """
    found = []
    for point, lines in enumerate(rays(size, REACH, rows)):
        around: list[Around] = []
        for backward, forward in lines:
            before = (-1,) * (REACH - len(backward)) + backward[::-1]
            after = forward + (-1,) * (REACH - len(forward))
            points = (*before, point, *after)
            around.append((itemgetter(*points), points))
        found.append(tuple(around))
    return tuple(found)

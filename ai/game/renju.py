"""Fouls: moves forbidden to Black in renju, by the International Rules (RIF), sections 3 and 9.

A *four* is four stones to which one more stone makes exactly five. A *straight four* is an unbroken
four that can be completed at either end. A *three* is three stones to which one more stone makes a
straight four, but no five at the same time. That stone must be a move which Black is allowed (9.3:
not an overline, a double four, or a double three that is a foul itself). So threes and fours that
only look like them do not count. A move that makes five is never a foul.

Fouls are illegal moves here, as in engine tournaments, where playing one loses the game.
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
"""Points examined on each side of a point: four of a possible five and one that lengthens it."""

Cells: TypeAlias = tuple[Color, ...]
"""Colors of the `2 * REACH + 1` points of a line around a point; WHITE off the board."""
Around: TypeAlias = tuple[Callable[[Sequence[Color]], Cells], tuple[Move, ...]]
"""One line through a point: a function that reads its colors from a board, and its points."""


class Foul(StrEnum):
    """A pattern that Black must not make with a stone in renju."""

    OVERLINE = "overline"
    """Six stones in a row, or more."""
    DOUBLE_FOUR = "double four"
    """Two fours at once, in one line or in two."""
    DOUBLE_THREE = "double three"
    """Two threes at once."""


class _Line(NamedTuple):
    """The patterns that a black stone makes in one line: a five, an overline, fours, a three."""

    is_five: bool
    is_overline: bool
    fours: int
    straight: tuple[int, ...]
    """Indices in the line where one more stone makes a straight four.

    The line is a three if Black is allowed to play one of them.
    """


_NOTHING: Final = _Line(is_five=False, is_overline=False, fours=0, straight=())


def find_foul(stones: Sequence[Color], point: Move, size: int, rows: int) -> Foul | None:
    """Return the foul that a black stone on an empty point would make; None if it is allowed.

    Args:
        stones: `[A]` colors.
        point: an empty point.
        size: columns.
        rows: rows.
    """
    return _foul([*stones, WHITE], point, _around(size, rows))


def foul_points(stones: Sequence[Color], size: int, rows: int) -> dict[Move, Foul]:
    """Return the empty points where a black stone would be a foul, with the kind of foul.

    The arguments are those of `find_foul`.
    """
    edged, around = [*stones, WHITE], _around(size, rows)
    found: dict[Move, Foul] = {}
    for point, color in enumerate(stones):
        foul = _foul(edged, point, around) if color == EMPTY else None
        if foul is not None:
            found[point] = foul
    return found


def has_legal_point(stones: Sequence[Color], size: int, rows: int) -> bool:
    """Return whether Black has a point without a foul; arguments as in `find_foul`."""
    edged, around = [*stones, WHITE], _around(size, rows)
    return any(
        color == EMPTY and _foul(edged, point, around) is None for point, color in enumerate(stones)
    )


def _foul(edged: list[Color], point: Move, around: Sequence[tuple[Around, ...]]) -> Foul | None:
    """Return the foul that a black stone on an empty point would make; None if it is allowed.

    Args:
        edged: colors by point, followed by one WHITE that stands for all points off the board.
        point: an empty point.
        around: the four lines through each point.
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
    """Return whether Black may play a point that turns a three into a straight four.

    Args:
        edged: colors by point, followed by one WHITE that stands for all points off the board.
        point: the point.
        around: the four lines through each point.
    """
    if any(_read(cells_of(edged)).is_five for cells_of, _ in around[point]):
        return False
    return _foul(edged, point, around) is None


@lru_cache(maxsize=1 << 16)
def _read(cells: Cells) -> _Line:
    """Return the patterns that a black stone in the middle of a line makes.

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
    """Return the indices of empty points that would complete exactly five through the middle.

    Args:
        stones: colors along a line.
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
    """Return the indices of the first and the last stone of the black row through the middle."""
    first = last = REACH
    while first > 0 and stones[first - 1] == BLACK:
        first -= 1
    while last < 2 * REACH and stones[last + 1] == BLACK:
        last += 1
    return first, last


@lru_cache(maxsize=32)
def _around(size: int, rows: int) -> tuple[tuple[Around, ...], ...]:
    """Return the four lines through each point, by point and direction; see `Around`.

    In the points of a line, -1 stands for a point off the board.
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

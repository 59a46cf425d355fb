"""Lookup tables from line keys to line classes, the patterns that a stone is part of.

A line key says what the neighbours of a point on one line hold. The class of a stone in a direction
depends on the windows through it (see `moves.most_in_window`). In terms of five in a row: *five* is
five stones in a row, *open four* `.XXXX.`. A *four* is four stones and one empty cell within five.
An *open three* is one stone short of an open four, a *three* one short of a four, an *open two* one
short of an open three. Other win lengths shift the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game.rules import Rule, Rules
from ai.kernels import layout

_FIVE: Final = 5
_PART: Final = 1 << 15
"""Number of line keys whose classes are computed at once."""


def reach_of(rules: Rules) -> int:
    """Return the number of cells on each side that determine a stone's line class."""
    return rules.win_length - 1 if rules.rule is Rule.FREESTYLE else rules.win_length


def has_table(rules: Rules) -> bool:
    """Return whether lines under these rules are short enough for a table."""
    return reach_of(rules) <= layout.MAX_TABLE_REACH


@lru_cache(maxsize=8)
def class_table(win_length: int, *, exact: bool) -> NDArray[np.uint8]:
    """Return the lookup table of patterns: the line classes of both sides for each line key.

    A key holds two bits for each neighbour, beginning with the farthest one before the point.

    Args:
        win_length: stones in a row that win.
        exact: whether longer rows do not win.

    Returns:
        `[4^(2 reach)]` bytes: Black's class in the low four bits, White's in the high four. The
        reach is `win_length` if `exact`, else one less.
    """
    reach = win_length if exact else win_length - 1
    table = np.zeros(1 << (4 * reach), np.uint8)
    for first, keys in _parts(reach):
        for side in range(2):
            stone = side + 1
            contents = _contents(keys, stone, reach)
            classes = _classes(contents, stone, win_length, exact=exact)
            table[first : first + len(keys)] |= classes << np.uint8(4 * side)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=2)
def rule_table(rule: Rule) -> NDArray[np.uint8]:
    """Return the lookup table of patterns for five in a row under the renju or caro rule.

    Keys cover five neighbours on each side. In renju, White may make longer rows, and the bits
    about Black's fouls follow from index `layout.INFO` on. In caro, a row between two stones of the
    other side does not win. So an open four in caro needs an empty point or the edge beyond both of
    its empty ends.

    Args:
        rule: renju or caro.
    """
    reach = _FIVE
    count = 1 << (4 * reach)
    table = np.zeros(2 * count if rule is Rule.RENJU else count, np.uint8)
    for first, keys in _parts(reach):
        for side in range(2):
            contents = _contents(keys, side + 1, reach)
            is_exact = rule is Rule.CARO or side == 0
            classes = _classes(
                contents, side + 1, _FIVE, exact=is_exact, is_blocked=rule is Rule.CARO
            )
            table[first : first + len(keys)] |= classes << np.uint8(4 * side)
        if rule is Rule.RENJU:
            info = _foul_info(_contents(keys, 1, reach))
            table[count + first : count + first + len(keys)] = info
    table.setflags(write=False)
    return table


def _parts(reach: int) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Yield all line keys in parts, since a table computed at once would take 60 MiB.

    Args:
        reach: neighbours on each side of a point.

    Yields:
        For each part, its first key and the array of its keys.
    """
    count = 1 << (4 * reach)
    step = min(count, _PART)
    for first in range(0, count, step):
        yield first, np.arange(first, first + step, dtype=np.int32)


def _contents(keys: NDArray[np.int32], stone: int, reach: int) -> dict[int, NDArray[np.uint8]]:
    """Return what the cells of a line hold, for each line key.

    Args:
        keys: `[N]` line keys.
        stone: stone in the middle, 1 for Black, 2 for White.
        reach: neighbours on each side.

    Returns:
        By offset from the middle, `[N]` what the cell there holds; the stone is at offset 0.
    """
    contents = {
        offset: ((keys >> (2 * _slot(offset, reach))) & 3).astype(np.uint8)
        for offset in range(-reach, reach + 1)
        if offset != 0
    }
    contents[0] = np.full(len(keys), stone, np.uint8)
    return contents


def _foul_info(contents: dict[int, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return the bits about fouls (see `layout.INFO`) of every line key.

    Fouls are defined in `ai.game.renju`.

    Args:
        contents: by offset from the middle, what each key holds there.
    """
    own = {offset: content == 1 for offset, content in contents.items()}
    empty = {offset: content == layout.EMPTY_CELL for offset, content in contents.items()}
    length = _run(own)[0]
    fives = np.zeros(len(length), np.uint8)
    straight_ends = np.zeros(len(length), np.bool_)
    has_three = np.zeros(len(length), np.bool_)
    for place in range(-_FIVE + 1, _FIVE):
        if place == 0:
            continue
        longer, first, last = _run({**own, place: own[place] | empty[place]})
        is_joined = empty[place] & (first <= place) & (place <= last)
        fives += is_joined & (longer == _FIVE)
        if abs(place) <= _FIVE - 2:
            for start in range(max(-3, place - 3), min(0, place) + 1):
                is_here = is_joined & (longer == _FIVE - 1) & (first == start)
                end = start + _FIVE - 2
                is_open = empty[start - 1] & empty[end + 1]
                is_open &= ~own.get(start - 2, straight_ends) & ~own.get(end + 2, straight_ends)
                has_three |= is_here & is_open
    first, last = _run(own)[1:]
    is_straight = np.zeros(len(length), np.bool_)
    for start in range(-3, 1):
        end = start + _FIVE - 2
        is_four = (length == _FIVE - 1) & (first == start) & (last == end)
        is_straight |= is_four & empty[start - 1] & empty[end + 1]
    is_quiet = length < _FIVE
    fours = np.where(is_straight & (fives == 2), 1, fives).astype(np.uint8)
    info = np.where(is_quiet, np.minimum(fours, layout.INFO_FOURS), 0).astype(np.uint8)
    info |= (length > _FIVE).astype(np.uint8) * np.uint8(layout.INFO_OVERLINE)
    info |= (is_quiet & has_three).astype(np.uint8) * np.uint8(layout.INFO_THREE)
    return info


def _run(
    own: dict[int, NDArray[np.bool_]],
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]:
    """Return the length and the ends of the row of stones through the middle of a line.

    Args:
        own: by offset from the middle, whether each line key holds a stone of the side there.

    Returns:
        For each key, the length of the row, the offset of its first stone and that of its last.
    """
    counts = []
    for sign in (-1, 1):
        goes_on = np.ones(len(own[0]), np.bool_)
        count = np.zeros(len(own[0]), np.int8)
        for distance in range(1, _FIVE + 1):
            goes_on &= own[sign * distance]
            count += goes_on
        counts.append(count)
    back, ahead = counts
    return (back + ahead + np.int8(1)).astype(np.int8), -back, ahead


def _slot(offset: int, reach: int) -> int:
    """Return where a line key stores a neighbour, counted in neighbours from the lowest bits.

    Args:
        offset: cells from the point to the neighbour; negative before the point.
        reach: neighbours on each side.
    """
    return offset + reach if offset < 0 else offset + reach - 1


def _classes(
    contents: dict[int, NDArray[np.uint8]],
    stone: int,
    win_length: int,
    *,
    exact: bool,
    is_blocked: bool = False,
) -> NDArray[np.uint8]:
    """Return the line class of every line key for one side.

    Args:
        contents: by offset from the middle, what each key holds there.
        stone: 1 for Black, 2 for White.
        win_length: stones in a row that win.
        exact: whether longer rows do not win.
        is_blocked: True in caro, where a row between two stones of the other side does not win.
    """
    most, most_open = (
        _most(contents, stone, win_length, is_open=is_open, exact=exact, is_blocked=is_blocked)
        for is_open in (False, True)
    )
    ranked = (
        (most >= win_length, layout.FIVE),
        (most_open == win_length - 1, layout.OPEN_FOUR),
        (most == win_length - 1, layout.FOUR),
        (most_open == win_length - 2, layout.OPEN_THREE),
        (most == win_length - 2, layout.THREE),
        ((most_open == win_length - 3) & (most_open > 0), layout.OPEN_TWO),
    )
    conditions, classes = zip(*ranked, strict=True)
    result: NDArray[np.uint8] = np.select(conditions, classes, layout.NONE).astype(np.uint8)
    return result


def _most(
    contents: dict[int, NDArray[np.uint8]],
    stone: int,
    win_length: int,
    *,
    is_open: bool,
    exact: bool,
    is_blocked: bool,
) -> NDArray[np.int8]:
    """Return for every line key the most stones in a window through the middle.

    A window is `win_length` cells without a stone of the other side.

    Args:
        contents: by offset from the middle, what each key holds there.
        stone: 1 for Black, 2 for White.
        win_length: stones in a row that win.
        is_open: whether only open windows count: one cell longer, and empty at both ends.
        exact: whether longer rows do not win.
        is_blocked: True in caro, where a row between two stones of the other side does not win.

    Returns:
        `[N]` the counts; -1 if there is no window.
    """
    own = {offset: content == stone for offset, content in contents.items()}
    empty = {offset: content == layout.EMPTY_CELL for offset, content in contents.items()}
    other = {offset: content == 3 - stone for offset, content in contents.items()}
    length = win_length + is_open
    best = np.full(len(contents[0]), -1, np.int8)
    for start in range(-(length - 1) + is_open, 1 - is_open):
        end = start + length - 1
        is_window = np.ones(len(best), np.bool_)
        count = np.zeros(len(best), np.int8)
        for offset in range(start, end + 1):
            is_window &= own[offset] | empty[offset]
            count += own[offset]
        if is_open:
            is_window &= empty[start] & empty[end]
        if exact:
            is_window &= ~own[start - 1] & ~own[end + 1]
        if is_blocked and is_open:
            is_window &= ~other[start - 1] & ~other[end + 1]
        elif is_blocked:
            is_window &= ~(other[start - 1] & other[end + 1])
        best = np.where(is_window, np.maximum(best, count), best)
    return best

"""Tables from line keys to line classes.

A stone's class in a direction looks at windows through it (see
`moves.most_in_window`). In terms of five in a row: *five* five stones in a row;
*open four* `.XXXX.`; *four* four stones and one empty cell within five; *open
three* one stone short of an open four; *three* one short of a four; *open two*
one short of an open three. Other win lengths shift the counts.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ai.game.rules import Rules
from ai.kernels import layout


def reach_of(rules: Rules) -> int:
    """Return the number of cells on each side that determine a stone's line class."""
    return rules.win_length if rules.exact else rules.win_length - 1


def has_table(rules: Rules) -> bool:
    """Return whether lines under these rules are short enough for a table."""
    return reach_of(rules) <= layout.MAX_TABLE_REACH


@lru_cache(maxsize=8)
def class_table(win_length: int, *, exact: bool) -> NDArray[np.uint8]:
    """Return `[4^(2 reach)]`: black class in the low nibble, white class in the high one.

    A key holds two bits a neighbour, the farthest one backward in the lowest.
    """
    reach = win_length if exact else win_length - 1
    keys = np.arange(1 << (4 * reach), dtype=np.int32)
    table = np.zeros(len(keys), np.uint8)
    for side in range(2):
        stone = side + 1
        contents = {
            offset: ((keys >> (2 * _slot(offset, reach))) & 3).astype(np.uint8)
            for offset in range(-reach, reach + 1)
            if offset != 0
        }
        contents[0] = np.full(len(keys), stone, np.uint8)
        classes = _classes(contents, stone, win_length, exact=exact)
        table |= classes << np.uint8(4 * side)
    table.setflags(write=False)
    return table


def _slot(offset: int, reach: int) -> int:
    """Return the place in a key of the neighbour at `offset`."""
    return offset + reach if offset < 0 else offset + reach - 1


def _classes(
    contents: dict[int, NDArray[np.uint8]], stone: int, win_length: int, *, exact: bool
) -> NDArray[np.uint8]:
    """Classify every key for one side, `contents[offset]` being what the keys hold there."""
    most = _most(contents, stone, win_length, is_open=False, exact=exact)
    most_open = _most(contents, stone, win_length, is_open=True, exact=exact)
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
) -> NDArray[np.int8]:
    """Return the most stones in any (open) window through offset 0, -1 without one."""
    own = {offset: content == stone for offset, content in contents.items()}
    empty = {offset: content == layout.EMPTY_CELL for offset, content in contents.items()}
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
        best = np.where(is_window, np.maximum(best, count), best)
    return best

"""Numbers for the content of a line near a point, for five in a row.

A *half* is what the four neighbours on one side of the point hold. What lies beyond an edge does
not matter. Nor does what lies beyond the first stone that differs in color from the nearest stone:
no side can make a row through it. This leaves 57 halves. A *row* is the pair of both halves, one of
3,249. A *code* is a row without regard to its direction, one of 1,653, since a mirrored line is
worth the same.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.kernels.layout import BORDER, EMPTY_CELL

REACH: Final = 4
"""Number of neighbours on each side of a point that a line key covers."""
KEYS: Final = 1 << (4 * REACH)
HALVES: Final = 57
ROWS: Final = HALVES * HALVES
CODES: Final = HALVES * (HALVES + 1) // 2
_SWAPPED: Final = (0, 2, 1, BORDER)
"""What a neighbour holds after the colors are exchanged, by what it held before."""

Half = tuple[int, ...]


def _half(contents: Half) -> Half:
    """Return the neighbours on one side of a point, up to the last one that matters.

    That is an edge or a stone that differs in color from the nearest stone, if there is one. Either
    is returned as BORDER.

    Args:
        contents: what each neighbour on this side holds, the nearest first.
    """
    found: list[int] = []
    color = EMPTY_CELL
    for content in contents:
        if content == BORDER or (content and color and content != color):
            return (*found, BORDER)
        color = color or content
        found.append(content)
    return tuple(found)


@cache
def _halves() -> dict[Half, int]:
    """Return the number of each half.

    The keys are all different results of `_half`: what the neighbours on one side of a point hold,
    the nearest first.
    """
    every = (
        tuple((number >> (2 * place)) & 3 for place in range(REACH))
        for number in range(1 << (2 * REACH))
    )
    return {half: number for number, half in enumerate(sorted({_half(one) for one in every}))}


def _half_numbers() -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Return the number of each half, for the neighbours before and for those after a point.

    The index is the half's part of a line key, two bits for each neighbour.

    Returns:
        Two arrays `[4^REACH]`: before the point, and after it.
    """
    numbers = _halves()
    behind, ahead = (np.zeros(1 << (2 * REACH), np.int16) for _ in range(2))
    for half_key in range(1 << (2 * REACH)):
        contents = tuple((half_key >> (2 * place)) & 3 for place in range(REACH))
        ahead[half_key] = numbers[_half(contents)]
        behind[half_key] = numbers[_half(contents[::-1])]
    return behind, ahead


@cache
def row_table() -> NDArray[np.int16]:
    """Return the number of the row, the pair of halves, for each line key, `[KEYS]`."""
    behind, ahead = _half_numbers()
    keys = np.arange(KEYS)
    low, high = keys & ((1 << (2 * REACH)) - 1), keys >> (2 * REACH)
    rows: NDArray[np.int16] = (behind[low].astype(np.int32) * HALVES + ahead[high]).astype(np.int16)
    rows.setflags(write=False)
    return rows


@cache
def code_table() -> NDArray[np.int16]:
    """Return the code of each row as Black and as White sees it, `[2, ROWS]`."""
    numbers = _halves()
    other = np.array([numbers[tuple(_SWAPPED[one] for one in half)] for half in numbers])
    first, second = np.divmod(np.arange(ROWS), HALVES)
    codes = [_code(first, second), _code(other[first], other[second])]
    found: NDArray[np.int16] = np.stack(codes).astype(np.int16)
    found.setflags(write=False)
    return found


def _code(first: NDArray[np.int_], second: NDArray[np.int_]) -> NDArray[np.int_]:
    """Return a number for each pair of halves, the same in either order.

    Args:
        first: `[N]` number of one half of each pair.
        second: `[N]` number of the other half.
    """
    most, least = np.maximum(first, second), np.minimum(first, second)
    found: NDArray[np.int_] = most * (most + 1) // 2 + least
    return found


@cache
def blank_codes() -> NDArray[np.bool_]:
    """Return for each code of a line's content whether the line holds no stones, `[CODES]`."""
    is_blank = np.array([not any(content in (1, 2) for content in half) for half in _halves()])
    first, second = np.divmod(np.arange(ROWS), HALVES)
    found = np.zeros(CODES, np.bool_)
    found[code_table()[0]] = is_blank[first] & is_blank[second]
    found.setflags(write=False)
    return found

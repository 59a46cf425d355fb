"""Playable points: every empty point, or the lowest of each column under gravity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ai.game.rules import EMPTY, Color, Move, Rules


def playable(stones: NDArray[np.int8], rules: Rules) -> NDArray[np.bool_]:
    """Return `[..., A]` whether each point is playable, ignoring the end of the game.

    Args:
        stones: `[..., A]` colors; under gravity every stone is supported.
        rules: give the board's shape and gravity.
    """
    empty: NDArray[np.bool_] = stones == EMPTY
    if rules.gravity:
        below_is_empty = np.zeros_like(empty)
        below_is_empty[..., : -rules.size] = empty[..., rules.size :]
        empty = empty & ~below_is_empty
    return empty


def landing_points(stones: Sequence[Color], size: int) -> list[Move]:
    """Return the lowest empty point of each column that has one, from left to right.

    Args:
        stones: `[A]` colors, row 0 on top.
        size: columns.
    """
    points = []
    for column in range(size):
        heights = stones[column::size]
        empty = heights.count(EMPTY)
        if empty:
            points.append((empty - 1) * size + column)
    return points

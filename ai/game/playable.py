"""Where a stone can be placed, by the rules of any game; the lowest points of columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ai.game.game import Game
from ai.game.move import EMPTY, WHITE, Color, Move


def playable(stones: NDArray[np.int8], rules: Game, color: Color = WHITE) -> NDArray[np.bool_]:
    """Return `[..., A]`: which points a side can play, the end left aside.

    Args:
        stones: `[..., A]` colors; under gravity every stone is supported.
        rules: what is played.
        color: the side; by default the learner, as it sees its own stones.
    """
    return rules.legal(stones, color)


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

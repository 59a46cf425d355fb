"""Scores of all points by the patterns on the lines through them, without a search."""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import CLASSES, EMPTY_CELL, POINTS, POSITION

SCORES: Final = np.dtype([("values", np.int64, CLASSES), ("scores", np.int64, POINTS)], align=True)


@kernel(POSITION, SCORES, INT)
def score_points(positions: Record, scores: Record, side: int) -> None:
    """Score each point: twice the value of what `side` makes there plus what it blocks.

    Occupied points have -1.

    Args:
        positions: the position.
        scores: record with the values of the patterns; its field `scores` receives the result.
        side: 0 for Black, 1 for White.
    """
    position = positions[0]
    score = scores[0]
    for move in range(position.size * position.size):
        cell = position.cells[move]
        if position.board[cell] != EMPTY_CELL:
            score.scores[move] = -1
            continue
        total = 0
        for direction in range(4):
            classes = position.line_classes[cell * 4 + direction]
            own = (classes >> (4 * side)) & 15
            others = (classes >> (4 * (1 - side))) & 15
            total += 2 * score.values[own] + score.values[others]
        score.scores[move] = total

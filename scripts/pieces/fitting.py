"""Boards of any size in the room of the one that a scene was arranged for."""

from __future__ import annotations

from scripts.pieces.goban import MARGIN
from sim import SceneObject


def fit(board: SceneObject, size: int, planned: int) -> None:
    """Scale a board so that it takes the room of a board of the planned size, at most its own.

    Args:
        board: object of the board, whose points lie one metre apart at scale 1.
        size: points along a side.
        planned: points along a side for which the scene was arranged.
    """
    share = min(1.0, width_of(planned) / width_of(size))
    board.transform.scale = (share, share, share)


def width_of(size: int) -> float:
    """Return the width of a board at scale 1, metres."""
    return size - 1 + 2 * MARGIN

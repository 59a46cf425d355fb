"""Rays and windows of a board: the geometry shared by all win checks."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

from ai.game.move import Move

DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Row and column step of the four line directions: row, column, and both diagonals."""

Ray: TypeAlias = tuple[Move, ...]
"""Points in the order met when walking away from a point."""


@lru_cache(maxsize=64)
def rays(size: int, reach: int, rows: int | None = None) -> tuple[tuple[tuple[Ray, Ray], ...], ...]:
    """Return, for each point, for each direction, the rays backward and forward.

    Args:
        size: points along one side (columns).
        reach: longest ray wanted.
        rows: points along the other side if the board is not square.
    """
    height = size if rows is None else rows
    return tuple(
        tuple(
            (
                _ray(size, height, row, col, -row_step, -col_step, reach),
                _ray(size, height, row, col, row_step, col_step, reach),
            )
            for row_step, col_step in DIRECTIONS
        )
        for row in range(height)
        for col in range(size)
    )


def _ray(size: int, rows: int, row: int, col: int, row_step: int, col_step: int, reach: int) -> Ray:
    """Walk away from (row, col) until the edge or `reach`."""
    points = []
    for _ in range(reach):
        row += row_step
        col += col_step
        if not (0 <= row < rows and 0 <= col < size):
            break
        points.append(row * size + col)
    return tuple(points)


@lru_cache(maxsize=64)
def windows(size: int, length: int, rows: int | None = None) -> tuple[Ray, ...]:
    """Return every straight run of `length` points on the board; `rows` as in `rays`."""
    found = []
    height = size if rows is None else rows
    for row in range(height):
        for col in range(size):
            for row_step, col_step in DIRECTIONS:
                ray = _ray(size, height, row, col, row_step, col_step, length - 1)
                if len(ray) == length - 1:
                    found.append((row * size + col, *ray))
    return tuple(found)

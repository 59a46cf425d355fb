"""Tables of a board's grid: rays and windows to find rows, symmetries, and Zobrist keys.

A Zobrist key is one number per color and point; the key (hash) of a position is the XOR of the
numbers of its stones. The numbers come from a fixed splitmix64 sequence (Steele, Lea, Flood 2014),
so a key means the same in every process and on every machine. They have 63 bits and so fit a signed
64-bit integer of the compiled kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game.move import Move

DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps (rows, columns) of the four line directions: along a row, a column, both diagonals."""

Ray: TypeAlias = tuple[Move, ...]
"""Points of a straight line that leads away from a start point, the nearest first.

The start point is not among them.
"""


@lru_cache(maxsize=64)
def rays(size: int, reach: int, rows: int | None = None) -> tuple[tuple[tuple[Ray, Ray], ...], ...]:
    """Return the rays from each point in the four line directions.

    Args:
        size: number of columns.
        reach: maximum length of a ray.
        rows: number of rows; None for a square board.

    Returns:
        For each point, for each of the four `DIRECTIONS`, two rays: against the direction and along
        it.
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
    """Return the points on a ray from (row, col), up to the board's edge or `reach` points.

    Args:
        size: number of columns.
        rows: number of rows.
        row: row of the first point, which is not part of the ray.
        col: column of this point.
        row_step: rows from one point to the next.
        col_step: columns from one point to the next.
        reach: maximum length of the ray.
    """
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
    """Return every straight line of `length` adjacent points on the board.

    Args:
        size: number of columns.
        length: number of points in a line.
        rows: number of rows; None for a square board.
    """
    found = []
    height = size if rows is None else rows
    for row in range(height):
        for col in range(size):
            for row_step, col_step in DIRECTIONS:
                ray = _ray(size, height, row, col, row_step, col_step, length - 1)
                if len(ray) == length - 1:
                    found.append((row * size + col, *ray))
    return tuple(found)


SYMMETRY_COUNT: Final = 8
"""Number of symmetries of a square board without gravity."""


@cache
def symmetries(size: int) -> NDArray[np.intp]:
    """Return the eight symmetries of a square board as permutations of its points: `[8, points]`.

    `points[symmetries(size)[s]]` is the board under symmetry `s`. Symmetry 0 is the identity, 1 to
    3 turn by 90, 180 and 270 degrees counter-clockwise, 4 to 7 are the same after a mirroring left
    to right. Entry `[s, i]` is the point that moves to point `i`. So a move `m` becomes
    `invert(symmetries(size)[s])[m]`. The array is shared: do not write to it.
    """
    grid = np.arange(size * size).reshape(size, size)
    tables = [np.rot90(face, turns).ravel() for face in (grid, grid[:, ::-1]) for turns in range(4)]
    result = np.stack(tables).astype(np.intp)
    result.setflags(write=False)
    return result


@cache
def grid_symmetries(size: int, rows: int, *, is_upright: bool = False) -> NDArray[np.intp]:
    """Return the symmetries of a grid as permutations, as `symmetries` does; 0 is the identity.

    The shape is `[S, points]`. A square has S = 8. A rectangle has four: identity, both reflections
    and the turn by 180 degrees. An upright board has two: identity and the reflection left to
    right.

    Args:
        size: number of columns.
        rows: number of rows.
        is_upright: whether the game has gravity, so that top and bottom differ.
    """
    if size == rows and not is_upright:
        return symmetries(size)
    grid = np.arange(size * rows).reshape(rows, size)
    faces = [grid, grid[:, ::-1]]
    if not is_upright:
        faces += [grid[::-1], grid[::-1, ::-1]]
    result = np.stack([face.ravel() for face in faces]).astype(np.intp)
    result.setflags(write=False)
    return result


def invert(permutation: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the inverse of a permutation of points: `[points]`."""
    result = np.empty_like(permutation)
    result[permutation] = np.arange(len(permutation), dtype=permutation.dtype)
    return result


def compose(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the permutation of points that applies `first` and then `second`: `[points]`."""
    return first[second]


_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class ZobristKeys:
    """The Zobrist keys (hash numbers) for the boards of one size."""

    black: tuple[int, ...]
    """Key of a black stone on each point: `[points]`."""
    white: tuple[int, ...]
    """Key of a white stone on each point: `[points]`."""
    white_to_move: int
    """Key that is part of a position's key whenever White is to move."""


def splitmix64(state: int) -> int:
    """Return a well-mixed 64-bit number from `state` (splitmix64)."""
    mixed = (state + 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


@cache
def zobrist_keys(size: int, rows: int | None = None) -> ZobristKeys:
    """Return the Zobrist keys of a board.

    Args:
        size: number of columns.
        rows: number of rows; None for a square board.
    """
    points = size * (size if rows is None else rows)
    numbers = [splitmix64((size << 32) + index) >> 1 for index in range(2 * points + 1)]
    return ZobristKeys(
        black=tuple(numbers[:points]),
        white=tuple(numbers[points : 2 * points]),
        white_to_move=numbers[-1],
    )


@lru_cache(maxsize=64)
def board_lines(size: int, win_length: int, rows: int | None = None) -> NDArray[np.intp]:
    """Return the four lines through each point of a board, see `Game.lines`: `[A, 4, 2, R]`.

    Args:
        size: number of columns.
        win_length: number of stones in a row that win; R is one less.
        rows: number of rows; None for a square board.

    Returns:
        A read-only array.
    """
    points = size * (size if rows is None else rows)
    table = np.full((points, len(DIRECTIONS), 2, win_length - 1), points, np.intp)
    for point, lines in enumerate(rays(size, win_length - 1, rows)):
        for line, sides in enumerate(lines):
            for side, ray in enumerate(sides):
                table[point, line, side, : len(ray)] = ray
    table.flags.writeable = False
    return table


def lines_of_rows(rows: NDArray[np.integer], points: int) -> NDArray[np.intp]:
    """Return the lines through each point of a game that is won by whole rows, see `Game.lines`.

    >>> lines_of_rows(np.array([[0, 1, 2]]), 3)[1].tolist()  # one line through the middle
    [[[0, 3], [2, 3]]]

    Args:
        rows: `[N, L]` the points of each row that wins, in order along it.
        points: number of points, A.

    Returns:
        `[A, D, 2, L - 1]`; D is the largest number of rows that a point is in.
    """
    length = rows.shape[1]
    most = int(np.bincount(rows.ravel(), minlength=points).max())
    table = np.full((points, most, 2, length - 1), points, np.intp)
    count = np.zeros(points, np.intp)
    for row in rows:
        for place, point in enumerate(row):
            table[point, count[point], 0, :place] = row[:place][::-1]
            table[point, count[point], 1, : length - 1 - place] = row[place + 1 :]
            count[point] += 1
    return table

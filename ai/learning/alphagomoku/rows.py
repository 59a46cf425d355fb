"""Rows of stones on many boards at once: who has a five, and where a stone would complete one.

A "five" means a row of the game's win length: in four-in-a-row, four stones.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ai.game.lines import DIRECTIONS


@cache
def windows(size: int, length: int) -> NDArray[np.intp]:
    """Return `[W, length]` the points of all windows; read-only.

    A window is a run of `length` points in a straight line. W is their number on the board.

    Args:
        size: points along a side of the board.
        length: points of a window.
    """
    found = []
    for down, right in DIRECTIONS:
        for row in range(size):
            for column in range(size):
                last_row, last_column = row + down * (length - 1), column + right * (length - 1)
                if 0 <= last_row < size and 0 <= last_column < size:
                    found.append(
                        [
                            (row + down * step) * size + column + right * step
                            for step in range(length)
                        ]
                    )
    result = np.array(found, np.intp).reshape(len(found), length)
    result.setflags(write=False)
    return result


def stones_in_windows(stones: NDArray[np.int8], size: int, length: int) -> NDArray[np.int8]:
    """Return `[N, W]` the sum of `stones` in each window; W is ordered as in `windows`.

    Args:
        stones: `[N, A]` 1 where a stone counts, else 0; other small integers are summed too.
        size: points along a side.
        length: points of a window.
    """
    boards = stones.reshape(len(stones), size, size)
    most = size - length + 1
    parts = []
    for down, right in DIRECTIONS:
        rows = most if down else size
        columns = most if right else size
        first = length - 1 if right < 0 else 0  # going left, a window begins at its right end
        total = np.zeros((len(stones), rows, columns), np.int8)
        for step in range(length):
            row, column = down * step, first + right * step
            total += boards[:, row : row + rows, column : column + columns]
        parts.append(total.reshape(len(stones), -1))
    return np.concatenate(parts, axis=1)


def has_five(stones: NDArray[np.int8], size: int, length: int) -> NDArray[np.bool_]:
    """Return `[N]` whether either side has `length` stones in a row.

    Args:
        stones: `[N, A]` 1 for one side, -1 for the other, 0 for empty.
        size: points along a side.
        length: stones in a row that win.
    """
    full: NDArray[np.bool_] = (np.abs(stones_in_windows(stones, size, length)) == length).any(
        axis=1
    )
    return full


def five_points(stones: NDArray[np.int8], size: int, length: int) -> NDArray[np.bool_]:
    """Return `[N, A]` whether a stone on each empty point would complete a winning row.

    Args:
        stones: `[N, A]` 1 for the side that would place the stone, -1 for the other, 0 for empty.
        size: points along a side.
        length: stones in a row that win.
    """
    # One stone of side 1 completes a window with length - 1 stones of that side and none of the
    # other. Only such windows have the sum length - 1, since a stone of the other side counts -1.
    wanting = stones_in_windows(stones, size, length) == length - 1
    boards, places = np.nonzero(wanting)
    points = windows(size, length)[places]  # [H, length]
    is_empty = stones[boards[:, None], points] == 0
    found = np.zeros(stones.shape, np.bool_)
    found[np.repeat(boards, length)[is_empty.ravel()], points[is_empty]] = True
    return found


def shifted(size: int, point: int, down: int, right: int) -> int:
    """Return the point that lies some rows and columns away from a point; -1 if off the board.

    Args:
        size: points along a side.
        point: point to start from.
        down: rows to go down; negative: up.
        right: columns to go right; negative: left.
    """
    row, column = point // size + down, point % size + right
    return row * size + column if 0 <= row < size and 0 <= column < size else -1

"""Runs of one side's stones: how many there are, and how many a stone on each point would add.

These counts replace the convolutions of `ai.evaluators.convolution`, with the same results. There a
filter is a straight line of ones. Its full convolution with a board of 1, 0 and -1 equals the
number of ones exactly where a run of that length lies. A stone changes only the counts on the four
lines through its point.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import BORDER, CELLS, EMPTY_CELL, POINTS, POSITION, STEPS

LENGTHS: Final = 4
"""Number of run lengths that are counted: the win length and the next three below it."""

RUNS: Final = np.dtype(
    [
        ("lengths", np.int64, LENGTHS),  # longest first; 0 for none
        ("present", np.int64, LENGTHS),  # runs of both sides on the board
        ("counts", np.int64, POINTS * LENGTHS),  # [move, length]: see `count_runs`
    ],
    align=True,
)


@kernel(POSITION, INT, INT, INT, INT, returns=INT)
def run_from(positions: Record, cell: int, step: int, stone: int, limit: int) -> int:
    """Count the stones of one side in a row directly after a cell.

    Args:
        positions: the position.
        cell: the cell before the first counted one.
        step: difference from one cell to the next; negative for the opposite direction.
        stone: 1 for Black, 2 for White.
        limit: greatest count.
    """
    board = positions[0].board
    count = 0
    while count < limit and board[cell + (count + 1) * step] == stone:
        count += 1
    return count


@kernel(POSITION, RUNS)
def count_present(positions: Record, runs: Record) -> None:
    """Count the runs of each length on the board, for both sides together and in all directions.

    Args:
        positions: the position.
        runs: record that receives the counts.
    """
    position = positions[0]
    found = runs[0]
    for index in range(LENGTHS):
        found.present[index] = 0
    for move in range(position.size * position.size):
        cell = position.cells[move]
        stone = position.board[cell]
        if stone == EMPTY_CELL:
            continue
        for direction in range(4):
            step = STEPS[direction]
            if position.board[cell - step] == stone:
                continue
            length = 1 + run_from(positions, cell, step, stone, CELLS)
            for index in range(LENGTHS):
                wanted = found.lengths[index]
                if 0 < wanted <= length:
                    found.present[index] += length - wanted + 1


@kernel(POSITION, RUNS, INT)
def count_added(positions: Record, runs: Record, move: int) -> None:
    """Count the new runs that a stone of either side on a point would make.

    They are added to the counts of the point.

    Args:
        positions: the position.
        runs: record that receives the counts.
        move: the point.
    """
    found = runs[0]
    cell = positions[0].cells[move]
    for stone in range(1, BORDER):
        for direction in range(4):
            step = STEPS[direction]
            reach = found.lengths[0] - 1
            behind = run_from(positions, cell, -step, stone, reach)
            ahead = run_from(positions, cell, step, stone, reach)
            for index in range(LENGTHS):
                length = found.lengths[index]
                if length == 0:
                    continue
                added = min(behind, length - 1) + min(ahead, length - 1) - length + 2
                if added > 0:
                    found.counts[move * LENGTHS + index] += added


@kernel(POSITION, RUNS)
def count_runs(positions: Record, runs: Record) -> None:
    """Count for each point and length the runs on the board after a stone on the point.

    The counts of both sides are added, each as if the stone were of that side. Occupied points have
    0.

    Args:
        positions: the position.
        runs: record that receives the counts.
    """
    position = positions[0]
    found = runs[0]
    count_present(positions, runs)
    for move in range(position.size * position.size):
        is_free = position.board[position.cells[move]] == EMPTY_CELL
        for index in range(LENGTHS):
            found.counts[move * LENGTHS + index] = found.present[index] if is_free else 0
        if is_free:
            count_added(positions, runs, move)

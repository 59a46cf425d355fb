"""The pattern player for other programs, on a square board of any size, five in a row.

`python main.py export scripts/export/pattern_player.py --native` makes a small library of machine
code. It plays as the player `pattern` does: it scores each point by the patterns that a stone makes
or stops there, in four directions.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sim import Shape, exported

Board: TypeAlias = Annotated[NDArray[np.int8], Shape(None, None)]
Step: TypeAlias = tuple[int, int]

WIN = 5
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
FIVE, OPEN_FOUR, FOUR, OPEN_THREE, THREE, OPEN_TWO, NONE = 100_000, 10_000, 100, 200, 50, 5, 0


def content(board: Board, row: int, column: int, stone: int) -> int:
    """Return what a point holds: 1 the stone, 0 nothing, -1 another stone or the edge."""
    if row < 0 or column < 0 or row >= board.shape[0] or column >= board.shape[1]:
        return -1
    found = board[row, column]
    return 1 if found == stone else 0 if found == 0 else -1


def most_stones(
    board: Board, row: int, column: int, step: Step, stone: int, length: int, is_open: bool
) -> int:
    """Return the most stones in a window through a point, if the stone were there; -1 for none.

    A window is `length` points in a row without another stone. An open one is empty at both ends.
    """
    best = -1
    for start in range(1 - length, 1):
        count = 0
        for place in range(start, start + length):
            held = 1
            if place != 0:
                held = content(board, row + place * step[0], column + place * step[1], stone)
            is_end = place in (start, start + length - 1)
            if held < 0 or (is_open and is_end and held == 1):
                count = -1
                break
            count += held
        best = max(best, count)
    return best


def pattern_value(board: Board, row: int, column: int, step: Step, stone: int) -> int:
    """Return the value of the pattern that a stone on a point makes in one direction."""
    most = most_stones(board, row, column, step, stone, WIN, False)
    most_open = most_stones(board, row, column, step, stone, WIN + 1, True)
    value = NONE
    if most >= WIN:
        value = FIVE
    elif most_open == WIN - 1:
        value = OPEN_FOUR
    elif most == WIN - 1:
        value = FOUR
    elif most_open == WIN - 2:
        value = OPEN_THREE
    elif most == WIN - 2:
        value = THREE
    elif most_open == WIN - 3:
        value = OPEN_TWO
    return value


def point_score(board: Board, row: int, column: int, to_move: int) -> int:
    """Return a point's score: what a stone makes counts twice, what it stops once; -1 if taken."""
    if board[row, column] != 0:
        return -1
    score = 0
    for step in STEPS:
        score += 2 * pattern_value(board, row, column, step, to_move)
        score += pattern_value(board, row, column, step, -to_move)
    return score


@exported
def score(board: Board, row: int, column: int, to_move: int) -> int:
    """Score a point for the side to move.

    Args:
        board: the stones row by row: 1 Black, -1 White, 0 empty.
        row: the point's row, from 0.
        column: the point's column, from 0.
        to_move: side to move: 1 Black, -1 White.

    Returns:
        Twice the value of the patterns that a stone makes, plus the value of those that it stops.
        -1 for a point that is taken.
    """
    return point_score(board, row, column, to_move)


@exported
def choose(board: Board, to_move: int, seed: int) -> int:
    """Choose a point for the next stone.

    Args:
        board: the stones row by row: 1 Black, -1 White, 0 empty.
        to_move: side to move: 1 Black, -1 White.
        seed: which of several equally good points: any number.

    Returns:
        The point, row * columns + column; -1 if the board is full. The middle of an empty board.
    """
    rows: int = board.shape[0]
    columns: int = board.shape[1]
    best, count, taken = -1, 0, 0
    for row in range(rows):
        for column in range(columns):
            found = point_score(board, row, column, to_move)
            taken += found < 0
            if found > best:
                best, count = found, 1
            elif found == best:
                count += 1
    if taken == 0:
        return rows // 2 * columns + columns // 2
    wanted = seed % max(count, 1)
    for row in range(rows):
        for column in range(columns):
            if best >= 0 and point_score(board, row, column, to_move) == best:
                if wanted == 0:
                    return row * columns + column
                wanted -= 1
    return -1

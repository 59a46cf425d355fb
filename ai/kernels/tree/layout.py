"""Memory layout of the board of the tree searches: stones in bit lines, and the region around them.

A cell of the board is `(row + MARGIN) * STRIDE + col + MARGIN`. Each row, column and
diagonal is a word for each side with a bit for each point, so that a row of stones is found
by shifts. A side is 0 for Black, 1 for White.

The *region* is what random play and the tree are limited to: the points at most `reach`
rows and columns from a stone. Its empty points are the *spots*.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.game.move import BLACK, WHITE, RulesError
from ai.game.rules import Rules
from ai.kernels.jit import Record, fields_of, new_record

MAX_SIDE: Final = 22
"""Points along a side of the largest board."""
MAX_REACH: Final = 4
POINTS: Final = MAX_SIDE * MAX_SIDE
MARGIN: Final = MAX_REACH
STRIDE: Final = 32
CELLS: Final = STRIDE * STRIDE
NEAR: Final = (2 * MAX_REACH + 1) ** 2 - 1

COLUMNS: Final = STRIDE
FALLING: Final = 2 * STRIDE
RISING: Final = 4 * STRIDE
LINES: Final = 6 * STRIDE
"""Number of words for the lines of one side: rows, columns, and the diagonals of both kinds."""

NOBODY: Final = 2
"""Stands for the winner of a drawn game."""
UNDECIDED: Final = 3

UCB: Final = 0
EXP3: Final = 1

TREE_BOARD: Final = np.dtype(
    [
        ("lines", np.int32, 2 * LINES),  # [side * LINES + line]: bits of stones
        ("drawn_lines", np.int32, 2 * LINES),  # the same, of the rollout
        ("spots", np.int16, POINTS),  # the region's empty cells, `count` of them
        ("drawn_spots", np.int16, POINTS),  # the same, of the rollout
        ("places", np.int16, CELLS),  # [cell]: its place in `spots`, or where it stood there
        ("is_known", np.uint8, CELLS),  # [cell]: 1 in the region, occupied, or off the board
        ("opened", np.int16, POINTS),  # [ply]: spots that the stone brought to the region
        ("near", np.int16, NEAR),  # steps to the cells in reach
        ("near_count", np.int64),
        ("count", np.int64),
        ("side", np.int64),  # to move
        ("ply", np.int64),
        ("points", np.int64),
        ("length", np.int64),  # win length
        ("is_exact", np.int64),
        ("full_winner", np.int64),  # side that wins a full board, or NOBODY
        # the search
        ("path", np.int32, POINTS + 1),  # [depth]: nodes, the root first
        ("chances", np.float64, POINTS + 1),  # [depth]: probability of the draw (Exp3)
        ("used", np.int64),  # nodes of the tree
        ("capacity", np.int64),
        ("selection", np.int64),  # UCB or EXP3
        ("exploration", np.float64),  # 2 Cp of UCB, gamma of Exp3
        ("is_guided", np.int64),  # 1: a network chooses the children and plays out
    ],
    align=True,
)
"""Layout of the record of a position, the region around its stones, and the search's settings."""


def new_tree_board(rules: Rules, reach: int) -> Record:
    """Return the record of an empty board with Black to move and an empty region.

    Args:
        rules: rules with a square board without gravity, of at most `MAX_SIDE` points a side.
        reach: rows and columns between a stone and the region's edge, 1 to `MAX_REACH`.

    Raises:
        RulesError: the rules are not supported.
        ValueError: the reach is out of bounds.
    """
    if not rules.is_plain or rules.size > MAX_SIDE:
        raise RulesError(
            f"expected a square board without gravity of at most {MAX_SIDE} points a side, "
            f"found {rules!r}"
        )
    if not 1 <= reach <= MAX_REACH:
        raise ValueError(f"region: expected 1 to {MAX_REACH}, found {reach!r}")
    record = new_record(TREE_BOARD)
    board = fields_of(record)
    board.points, board.length = rules.points, rules.win_length
    board.is_exact = int(rules.exact)
    board.full_winner = {BLACK: 0, WHITE: 1}.get(rules.full_board_winner, NOBODY)
    steps = range(-reach, reach + 1)
    board.near_count = (2 * reach + 1) ** 2 - 1
    board.near[: board.near_count] = [
        row * STRIDE + col for row in steps for col in steps if row or col
    ]
    board.is_known[:] = [1] * CELLS
    for move in range(rules.points):
        board.is_known[cell_of(move, rules.size)] = 0
    return record


def open_centre(record: Record, rules: Rules) -> None:
    """Set the region of an empty board to the centre and the points within reach of it.

    Args:
        record: record of the board.
        rules: rules of the game.
    """
    board = fields_of(record)
    middle = cell_of(rules.size // 2 * (rules.size + 1), rules.size)
    cells = [middle, *(middle + int(step) for step in board.near[: board.near_count])]
    spots = [cell for cell in cells if not board.is_known[cell]]
    board.spots[: len(spots)] = spots
    for place, cell in enumerate(spots):
        board.is_known[cell], board.places[cell] = 1, place
    board.count = len(spots)


def open_everywhere(record: Record, rules: Rules) -> None:
    """Set the region of an empty board to the whole board.

    Args:
        record: record of the board.
        rules: rules of the game.
    """
    board = fields_of(record)
    cells = [cell_of(move, rules.size) for move in range(rules.points)]
    board.spots[: len(cells)] = cells
    for place, cell in enumerate(cells):
        board.is_known[cell], board.places[cell] = 1, place
    board.count = len(cells)


def cell_of(move: int, size: int) -> int:
    """Return the cell, the index on the padded board, that belongs to a move.

    Args:
        move: the point, counted row by row.
        size: columns of the board.
    """
    return (move // size + MARGIN) * STRIDE + move % size + MARGIN


def move_of(cell: int, size: int) -> int:
    """Return the move, the point counted row by row, that belongs to a cell.

    Args:
        cell: index on the padded board.
        size: columns of the board.
    """
    return (cell // STRIDE - MARGIN) * size + cell % STRIDE - MARGIN

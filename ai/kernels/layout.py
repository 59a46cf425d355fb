"""Memory layout of a position: one record that every kernel has as an argument.

Cells are the points of a padded board, `(row + 1) * STRIDE + col + 1`. A walk along a line needs no
bounds check: it ends at a BORDER cell. Every cell has a *line key* in each of the four directions,
with two bits for each neighbour within reach. The key determines the *line classes*: the pattern
that a black (low nibble) or white (high nibble) stone on this cell is, or would be, part of.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.game.rules import MAX_SIZE

STRIDE: Final = MAX_SIZE + 2
CELLS: Final = STRIDE * STRIDE
POINTS: Final = MAX_SIZE * MAX_SIZE
CELL_MASK: Final = (1 << CELLS.bit_length()) - 1
KEY_MASK: Final = (1 << 20) - 1
"""Masks that change no cell and no line key.

`cell & CELL_MASK` tells the compiler that an index is not negative. Then it makes no code for
indices counted from the end.
"""
STEPS: Final = (1, STRIDE, STRIDE + 1, STRIDE - 1)
"""Differences between neighbouring cells along a row, a column and both diagonals.

The order is that of `game.lines`.
"""

# What a cell holds. A side s (0 Black, 1 White) has the stone s + 1.
EMPTY_CELL: Final = 0
BORDER: Final = 3

# Line classes, weakest first; the names are those of a win length of five.
NONE: Final = 0
OPEN_TWO: Final = 1
THREE: Final = 2
OPEN_THREE: Final = 3
FOUR: Final = 4
OPEN_FOUR: Final = 5
FIVE: Final = 6
INFO: Final = 1 << 20
"""Offset in the table of renju where the bits about Black's fouls begin, after the classes."""
INFO_FOURS: Final = 3
INFO_OVERLINE: Final = 4
INFO_THREE: Final = 8
"""Masks of the foul bits: the number of fours, an overline, and a three.

They tell what a black stone makes in one direction: how many fours, whether a row of six or more,
and whether three stones that one more turns into a straight four.
"""
CLASSES: Final = 16
"""Number of counters reserved for line classes; a class is stored in four bits."""

MAX_TABLE_REACH: Final = 5
"""Longest reach for which there is a table (4^10 keys); with a longer one, lines are scanned."""

MAX_POPULATION: Final = 256
MAX_GENERATIONS: Final = 1024
"""Greatest numbers of genomes and of generations that the record of an evolution can hold."""

POSITION: Final = np.dtype(
    [
        ("board", np.uint8, CELLS),  # content of each cell
        ("line_classes", np.uint8, CELLS * 4),  # [cell * 4 + direction]
        ("line_keys", np.int32, CELLS * 4),  # [cell * 4 + direction]
        ("points", np.int32, 2 * CLASSES),  # [side, class]: (empty cell, direction) pairs
        ("stones", np.int32, 2 * CLASSES),  # [side, class]: (stone, direction) pairs
        ("cells", np.int16, POINTS),  # cell of each move
        ("moves", np.int16, POINTS),  # played, first to last
        ("zobrist", np.int64, 2 * POINTS),  # [side, move]
        ("zobrist_side", np.int64),
        ("key", np.int64),
        ("ply", np.int64),
        ("side", np.int64),  # to move: 0 Black, 1 White
        ("size", np.int64),
        ("win_length", np.int64),
        ("is_exact", np.int64),
        ("reach", np.int64),  # neighbours that a line key covers on each side
        ("has_table", np.int64),
        ("has_fouls", np.int64),  # 1: some points are forbidden to Black, see `threats.fouls`
        ("has_blocks", np.int64),  # 1: a row between two stones of the other side wins nothing
    ],
    align=True,
)
"""Record of a position; `moves.place` and `moves.take_back` keep all its fields up to date."""

"""Memory layout of a position: one record, the first argument of many kernels.

Cells are the points of a padded board: the index is `(row + 1) * STRIDE + col + 1`. A walk along a
line needs no bounds check: it ends at a BORDER cell.

Every cell has a *line key* for each of the four directions. It tells what the neighbours on this
line hold, in two bits for each neighbour up to a distance called *reach*. A lookup table turns the
key into two *line classes*. A class is the pattern that a stone on this cell is, or would be, part
of: the low four bits hold Black's, the high four White's.
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
"""Mask that leaves every line key as it is; `CELL_MASK` does the same for cells.

The masks tell the compiler that an index is not negative. Then it makes no code for indices counted
from the end.
"""
STEPS: Final = (1, STRIDE, STRIDE + 1, STRIDE - 1)
"""Difference between the indices of neighbouring cells, for each of the four directions.

They are the row, the column and both diagonals, in the order of `ai.game.lines`.
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
"""Index in renju's lookup table from which on it holds the bits about Black's fouls.

The line classes are before this index.
"""
INFO_FOURS: Final = 3
INFO_OVERLINE: Final = 4
INFO_THREE: Final = 8
"""Bit of a table entry about fouls: a black stone makes a three in this direction.

A three here is three stones that one more turns into a straight four: four in a row between two
empty points. `INFO_FOURS` masks the number of fours, and `INFO_OVERLINE` is the bit for a row of
six or more.
"""
CLASSES: Final = 16
"""Number of pattern counters reserved for each side, one for each possible line class.

A line class is a number of four bits.
"""

MAX_TABLE_REACH: Final = 5
"""Greatest reach for which there is a lookup table of patterns; it has 4^10 line keys.

The reach is the number of neighbours on each side that determine a pattern. With a longer one,
lines are scanned instead.
"""

MAX_POPULATION: Final = 256
MAX_GENERATIONS: Final = 1024
"""Greatest number of generations that the record of an evolution can hold.

`MAX_POPULATION` is the greatest number of genomes.
"""

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

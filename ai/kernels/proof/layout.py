"""Memory layout of the proof search: a record for position and stacks, one for a table entry.

A *window* is `win_length` points in a row. It is live for a side while the other side has no stone
in it. A side wins by filling one of its live windows. A side is 0 for Black, 1 for White. Sets of
points are 64-bit words: point p is `bits[p]`.
"""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from ai.game import SYMMETRY_COUNT, Rules, invert, symmetries
from ai.game.lines import Ray, windows, zobrist_keys
from ai.kernels.jit import Record, fields_of, is_jit_enabled, new_record

MAX_SIDE: Final = 8
"""Points along a side of the largest board; its 64 points fit in one word."""
POINTS: Final = MAX_SIDE * MAX_SIDE
WINDOWS: Final = 168
"""Number of windows of the largest board at the shortest win length."""
LENGTHS: Final = MAX_SIDE + 1
"""Number of stone counts that a window can have, from 0 to the longest win length."""
THROUGH: Final = 16
"""Greatest number of windows (rows that would win) through one point."""
LEVELS: Final = POINTS + 1
IMAGES: Final = SYMMETRY_COUNT

BLACK_SIDE: Final = 0
WHITE_SIDE: Final = 1
NOBODY: Final = -1
"""Winner of a position that is not decided yet."""
NO_MOVE: Final = -1
INFINITE: Final = 1 << 30
"""Proof number of a disproved position; also the disproof number of a proved one."""

SOLVER: Final = np.dtype(
    [
        # the board's geometry
        ("points", np.int64),
        ("windows", np.int64),
        ("length", np.int64),  # win length
        ("cells", np.int16, WINDOWS * MAX_SIDE),  # [window * MAX_SIDE + place]: points
        ("through", np.int16, POINTS * THROUGH),  # [point * THROUGH + n]: windows
        ("through_count", np.int16, POINTS),
        ("images", np.int16, IMAGES * POINTS),  # [symmetry * POINTS + point]: points
        ("bits", np.int64, POINTS),
        ("zobrist", np.int64, 2 * POINTS),  # [side, point]
        # the position
        ("side", np.int64),  # to move
        ("empty_count", np.int64),
        ("stones", np.int8, POINTS),  # 0 empty, 1 Black, 2 White
        ("counts", np.int16, 2 * WINDOWS),  # [side, window]: stones
        ("live", np.int32, 2 * LENGTHS),  # [side, stones]: live windows
        ("weights", np.int32, 2 * POINTS),  # [side, point]: sum of 2^stones of live windows
        ("keys", np.int64, IMAGES),
        ("boards", np.int64, 2 * IMAGES),  # [side * IMAGES + symmetry]: sets of stones
        # the search for continuous fours
        ("four_limit", np.int64),  # positions that one such search may visit
        ("four_nodes", np.int64),
        ("zone", np.int64),  # points that the sequence found needs
        ("replies", np.int64),  # the defender's points on the way
        ("four_at", np.int64, LEVELS),  # [depth], as below: place in `cells` to go on from
        ("tried", np.int64, LEVELS),
        ("forced", np.int64, LEVELS),  # the only point that stops a five; -1 none, -2 several
        ("attacks", np.int64, LEVELS),
        ("answers", np.int64, LEVELS),
        # the pairing argument
        ("follows", np.int8, WINDOWS),  # 1: the window goes on along the line of the one before
        ("group_of", np.int16, WINDOWS),  # -1: the window is not live for Black
        ("group_count", np.int64),
        ("group_points", np.int64, WINDOWS),  # [group]: empty points that all its windows share
        ("group_stones", np.int64, WINDOWS),  # [group]: most stones in one of its windows
        ("is_paired", np.int64, WINDOWS),  # [group]
        ("owners", np.int16, POINTS),  # [point]: the group whose pair it is of; -1
        ("visited", np.int64),
        ("reached_by", np.int64, POINTS),  # [point]: the group that could take it
        ("entered", np.int64, WINDOWS),  # [group]: the point through which it was reached
        ("queue", np.int64, WINDOWS),
        ("rest", np.int64),  # sum of the weights of the windows without a pair
        ("rest_weights", np.int64, POINTS),  # [point]: weight in the windows without a pair
        # the proof search; what is per level is indexed [level] or [level * POINTS + child]
        ("generation", np.int64),  # entries of others count as empty
        ("table_mask", np.int64),
        ("image", np.int64),  # symmetry that leads to the form in the table
        ("found_move", np.int64),
        ("relevant", np.int64),  # see `proof.assess`
        ("is_relevant", np.int64),
        ("candidates", np.int64, LEVELS),
        ("child_count", np.int64, LEVELS),
        ("children", np.int16, LEVELS * POINTS),
        ("child_proof", np.int64, LEVELS * POINTS),
        ("child_disproof", np.int64, LEVELS * POINTS),
        ("proof", np.int64, LEVELS),
        ("disproof", np.int64, LEVELS),
        ("proof_limit", np.int64, LEVELS),
        ("disproof_limit", np.int64, LEVELS),
        ("chosen", np.int64, LEVELS),
        ("entered_at", np.int64, LEVELS),  # positions looked at when the level was entered
    ],
    align=True,
)
"""Layout of the solver's record: a position and all memory of the search, except the table."""

ENTRY: Final = np.dtype(
    [
        ("black", np.int64),
        ("white", np.int64),
        ("candidates", np.int64),
        ("proof", np.int32),
        ("disproof", np.int32),
        ("effort", np.int32),  # nodes spent below
        ("generation", np.int32),
        ("move", np.int16),  # that proves it for the side to move
        ("side", np.int16),
    ],
    align=True,
)
"""Layout of an entry of the transposition table, which holds one position.

Of the position's eight symmetric images, the one with the smallest key is stored.
"""


def new_solver(rules: Rules) -> Record:
    """Return a solver's record of the empty board with Black to move.

    Args:
        rules: rules with a board of at most `MAX_SIDE` points a side.
    """
    record = new_record(SOLVER)
    fields = fields_of(record)
    fields.points, fields.length = rules.points, rules.win_length
    lines = sorted(windows(rules.size, rules.win_length), key=_along)
    fields.windows = len(lines)
    for number, line in enumerate(lines):
        fields.follows[number] = number > 0 and line[:-1] == lines[number - 1][1:]
        for place, point in enumerate(line):
            fields.cells[number * MAX_SIDE + place] = point
            fields.through[point * THROUGH + int(fields.through_count[point])] = number
            fields.through_count[point] += 1
    for image, permutation in enumerate(symmetries(rules.size)):
        for point, target in enumerate(invert(permutation).tolist()):
            fields.images[image * POINTS + point] = target
    keys = zobrist_keys(rules.size)
    for point in range(rules.points):
        fields.bits[point] = 1 << point if point < 63 else -(1 << 63)
        fields.zobrist[point] = keys.black[point]
        fields.zobrist[POINTS + point] = keys.white[point]
        fields.weights[point] = fields.weights[POINTS + point] = fields.through_count[point]
    fields.live[0] = fields.live[LENGTHS] = len(lines)
    fields.empty_count = rules.points
    return record


def _along(window: Ray) -> tuple[int, int, int]:
    """Return a sort key that puts windows along the same line next to each other.

    Args:
        window: points of the window.
    """
    step = window[1] - window[0]
    return step, window[0] % step, window[0]


def new_proof_table(bits: int) -> Any:
    """Return a transposition table of 2^`bits` entries, 48 bytes each.

    In plain Python it is a dict that creates its entries when they are used.
    """
    if is_jit_enabled():
        return np.zeros(1 << bits, ENTRY)
    names = ENTRY.names or ()
    return defaultdict(lambda: SimpleNamespace(**dict.fromkeys(names, 0)))

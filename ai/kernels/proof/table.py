"""Transposition table of the proof search: positions up to symmetry, compared exactly.

Of a position's eight symmetric images, the one with the smallest Zobrist key is stored. The key
only leads to the entry. The stones are compared, so two positions are never confused.
"""

from __future__ import annotations

from typing import Final

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.proof.layout import (
    BLACK_SIDE,
    ENTRY,
    IMAGES,
    NO_MOVE,
    POINTS,
    SOLVER,
    WHITE_SIDE,
)

SLOTS: Final = 4
"""Number of table entries among which a given position is stored or looked for."""
MOST_EFFORT: Final = (1 << 31) - 1


@kernel(SOLVER)
def choose_image(solvers: Record) -> None:
    """Choose the symmetric image of the position whose key is smallest, and store it in `image`.

    Args:
        solvers: record of the solver.
    """
    solver = solvers[0]
    solver.image = 0
    for image in range(1, IMAGES):
        if solver.keys[image] < solver.keys[solver.image]:
            solver.image = image


@kernel(SOLVER, ENTRY, INT, returns=INT)
def is_entry(solvers: Record, table: Record, index: int) -> int:
    """Return 1 if the table entry at `index` holds the position, else 0.

    The position's stones are compared in the chosen symmetric image.

    Args:
        solvers: record of the solver, whose `image` is up to date.
        table: the transposition table.
        index: index of the entry.
    """
    solver = solvers[0]
    entry = table[index]
    if (
        entry.generation == solver.generation
        and entry.black == solver.boards[BLACK_SIDE * IMAGES + solver.image]
        and entry.white == solver.boards[WHITE_SIDE * IMAGES + solver.image]
        and entry.side == solver.side
    ):
        return 1
    return 0


@kernel(SOLVER, ENTRY, returns=INT)
def look_up(solvers: Record, table: Record) -> int:
    """Return the index of the position's table entry; -1 if there is none.

    The field `image` of the record is set to the chosen symmetric image.

    Args:
        solvers: record of the solver.
        table: the transposition table.
    """
    choose_image(solvers)
    solver = solvers[0]
    first: int = solver.keys[solver.image] & solver.table_mask
    for slot in range(SLOTS):
        if is_entry(solvers, table, first ^ slot) == 1:
            return first ^ slot
    return -1


@kernel(SOLVER, ENTRY, returns=INT)
def slot_for(solvers: Record, table: Record) -> int:
    """Return the index at which to store the position.

    It is the position's own entry or else a free one. If there is neither, it is the entry whose
    search looked at the fewest positions. The field `image` of the record is set.

    Args:
        solvers: record of the solver.
        table: the transposition table.
    """
    index = look_up(solvers, table)
    if index >= 0:
        return index
    solver = solvers[0]
    first: int = solver.keys[solver.image] & solver.table_mask
    best = first
    least = MOST_EFFORT + 1
    for slot in range(SLOTS):
        entry = table[first ^ slot]
        if entry.generation != solver.generation:
            return first ^ slot
        if entry.effort < least:
            least = entry.effort
            best = first ^ slot
    return best


@kernel(SOLVER, ENTRY, INT, INT, INT)
def store(solvers: Record, table: Record, level: int, move: int, effort: int) -> None:
    """Store the results of the position at `level` in the table.

    Args:
        solvers: record of the solver.
        table: the transposition table.
        level: how many plies the position is below the root.
        move: proven winning move; -1 for none.
        effort: positions looked at below this one.
    """
    solver = solvers[0]
    entry = table[slot_for(solvers, table)]
    entry.black = solver.boards[BLACK_SIDE * IMAGES + solver.image]
    entry.white = solver.boards[WHITE_SIDE * IMAGES + solver.image]
    entry.side = solver.side
    entry.generation = solver.generation
    entry.proof = solver.proof[level]
    entry.disproof = solver.disproof[level]
    entry.effort = min(effort, MOST_EFFORT)
    entry.move = NO_MOVE
    if move >= 0:
        entry.move = solver.images[solver.image * POINTS + move]
    points = 0
    for point in range(solver.points):
        if solver.candidates[level] & solver.bits[point] != 0:
            points |= solver.bits[solver.images[solver.image * POINTS + point]]
    entry.candidates = points


@kernel(SOLVER, ENTRY, INT, INT)
def recall(solvers: Record, table: Record, index: int, level: int) -> None:
    """Load the results of a table entry into a level, and its move into `found_move`.

    Without a proven winning move, `found_move` becomes -1.

    Args:
        solvers: record of the solver, whose `image` is up to date.
        table: the transposition table.
        index: index of the entry, which holds the position.
        level: how many plies the position is below the root.
    """
    solver = solvers[0]
    entry = table[index]
    solver.proof[level] = entry.proof
    solver.disproof[level] = entry.disproof
    solver.found_move = NO_MOVE
    points = 0
    for point in range(solver.points):
        target = solver.images[solver.image * POINTS + point]
        if entry.candidates & solver.bits[target] != 0:
            points |= solver.bits[point]
        if entry.move == target:
            solver.found_move = point
    solver.candidates[level] = points

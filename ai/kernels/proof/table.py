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
"""Number of entries that may hold a given position."""
MOST_EFFORT: Final = (1 << 31) - 1


@kernel(SOLVER)
def choose_image(solvers: Record) -> None:
    """Set `image` to the symmetry whose key is smallest."""
    solver = solvers[0]
    solver.image = 0
    for image in range(1, IMAGES):
        if solver.keys[image] < solver.keys[solver.image]:
            solver.image = image


@kernel(SOLVER, ENTRY, INT, returns=INT)
def is_entry(solvers: Record, table: Record, index: int) -> int:
    """Return 1 if the entry at `index` holds the position in the chosen image, else 0."""
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
    """Return the index of the position's table entry; -1 if there is none. Sets `image`."""
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

    It is its own entry, a free one, or the one with the least effort.
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
    """Store the results of the position at `level`.

    Args:
        solvers: the solver.
        table: the transposition table.
        level: level of the position.
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
    """Load a table entry of the position into `level`, and its move into `found_move`."""
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

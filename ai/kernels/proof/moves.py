"""Making and unmaking moves for the proof search, and the points that complete a window."""

from __future__ import annotations

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.proof.layout import IMAGES, LENGTHS, MAX_SIDE, POINTS, SOLVER, THROUGH, WINDOWS


@kernel(SOLVER, INT, INT, INT)
def add_weight(solvers: Record, side: int, window: int, change: int) -> None:
    """Add `change` to a side's weight of every point of a window.

    A point's weight is the sum of 2^n over the live windows through it, each with n stones of the
    side.

    Args:
        solvers: record of the solver.
        side: 0 for Black, 1 for White.
        window: number of the window.
        change: number to add; negative to subtract.
    """
    solver = solvers[0]
    weights = solver.weights
    for place in range(window * MAX_SIDE, window * MAX_SIDE + solver.length):
        weights[side * POINTS + solver.cells[place]] += change


@kernel(SOLVER, INT, INT)
def toggle_keys(solvers: Record, point: int, side: int) -> None:
    """Add a stone to the keys and point sets of all eight symmetric images of the position.

    A second call removes it again.

    Args:
        solvers: record of the solver.
        point: point of the stone.
        side: side of the stone, 0 for Black, 1 for White.
    """
    solver = solvers[0]
    for image in range(IMAGES):
        target = solver.images[image * POINTS + point]
        solver.keys[image] ^= solver.zobrist[side * POINTS + target]
        solver.boards[side * IMAGES + image] ^= solver.bits[target]


@kernel(SOLVER, INT, INT)
def put(solvers: Record, point: int, side: int) -> None:
    """Place a stone of a side and update the counters of the windows.

    The record's `side`, the side to move, stays the same; the caller changes it.

    Args:
        solvers: record of the solver.
        point: the point.
        side: 0 for Black, 1 for White.
    """
    solver = solvers[0]
    counts = solver.counts
    live = solver.live
    other = 1 - side
    for index in range(point * THROUGH, point * THROUGH + solver.through_count[point]):
        window = solver.through[index]
        own = counts[side * WINDOWS + window]
        others = counts[other * WINDOWS + window]
        counts[side * WINDOWS + window] = own + 1
        if own == 0:
            live[other * LENGTHS + others] -= 1
            add_weight(solvers, other, window, -(1 << others))
        if others == 0:
            live[side * LENGTHS + own] -= 1
            live[side * LENGTHS + own + 1] += 1
            add_weight(solvers, side, window, 1 << own)
    solver.stones[point] = side + 1
    solver.empty_count -= 1
    toggle_keys(solvers, point, side)


@kernel(SOLVER, INT, INT)
def lift(solvers: Record, point: int, side: int) -> None:
    """Remove a stone of a side: the inverse of `put`.

    Args:
        solvers: record of the solver.
        point: the point.
        side: 0 for Black, 1 for White.
    """
    solver = solvers[0]
    counts = solver.counts
    live = solver.live
    other = 1 - side
    for index in range(point * THROUGH, point * THROUGH + solver.through_count[point]):
        window = solver.through[index]
        own = counts[side * WINDOWS + window] - 1
        others = counts[other * WINDOWS + window]
        counts[side * WINDOWS + window] = own
        if own == 0:
            live[other * LENGTHS + others] += 1
            add_weight(solvers, other, window, 1 << others)
        if others == 0:
            live[side * LENGTHS + own] += 1
            live[side * LENGTHS + own + 1] -= 1
            add_weight(solvers, side, window, -(1 << own))
    solver.stones[point] = 0
    solver.empty_count += 1
    toggle_keys(solvers, point, side)


@kernel(SOLVER, INT, returns=INT)
def empty_point(solvers: Record, window: int) -> int:
    """Return the first empty point of a window; -1 for none."""
    solver = solvers[0]
    for place in range(window * MAX_SIDE, window * MAX_SIDE + solver.length):
        point: int = solver.cells[place]
        if solver.stones[point] == 0:
            return point
    return -1


@kernel(SOLVER, INT, returns=INT)
def five_points(solvers: Record, side: int) -> int:
    """Return the points where a side completes one of its windows, and so wins.

    Args:
        solvers: record of the solver.
        side: 0 for Black, 1 for White.

    Returns:
        The set of points, one bit for each.
    """
    solver = solvers[0]
    found = 0
    if solver.live[side * LENGTHS + solver.length - 1] == 0:
        return found
    for window in range(solver.windows):
        own = solver.counts[side * WINDOWS + window]
        if own == solver.length - 1 and solver.counts[(1 - side) * WINDOWS + window] == 0:
            found |= solver.bits[empty_point(solvers, window)]
    return found


@kernel(SOLVER, INT, INT, returns=INT)
def five_points_through(solvers: Record, point: int, side: int) -> int:
    """Return the points where a side completes a window that goes through a given point.

    Args:
        solvers: record of the solver.
        point: the point.
        side: 0 for Black, 1 for White.

    Returns:
        The set of points, one bit for each.
    """
    solver = solvers[0]
    found = 0
    for index in range(point * THROUGH, point * THROUGH + solver.through_count[point]):
        window = solver.through[index]
        own = solver.counts[side * WINDOWS + window]
        if own == solver.length - 1 and solver.counts[(1 - side) * WINDOWS + window] == 0:
            found |= solver.bits[empty_point(solvers, window)]
    return found


@kernel(SOLVER, INT, returns=INT)
def single_point(solvers: Record, points: int) -> int:
    """Return the only point of a set; -1 if it is empty, -2 for more than one.

    Args:
        solvers: record of the solver.
        points: the set, one bit for each point.
    """
    solver = solvers[0]
    if points == 0:
        return -1
    for point in range(solver.points):
        if points == solver.bits[point]:
            return point
    return -2


@kernel(SOLVER, INT, returns=INT)
def first_point(solvers: Record, points: int) -> int:
    """Return the lowest point of a set; -1 if it is empty.

    Args:
        solvers: record of the solver.
        points: the set, one bit for each point.
    """
    solver = solvers[0]
    for point in range(solver.points):
        if points & solver.bits[point] != 0:
            return point
    return -1

"""The pairing argument: White holds if each line of Black's gets two points of its own.

When Black plays one point of a pair, White answers on the other. So Black never fills a line that
contains a pair. Lines without a pair may be left to the potential argument, if the points of all
pairs count as Black's there. See Hales and Jewett, "Regularity and positional games", 1963, joined
with Erdős and Selfridge, 1973.
"""

from __future__ import annotations

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.proof.layout import BLACK_SIDE, MAX_SIDE, SOLVER, WHITE_SIDE, WINDOWS


@kernel(SOLVER, INT, returns=INT)
def empty_points_in(solvers: Record, window: int) -> int:
    """Return the empty points of a window.

    Args:
        solvers: record of the solver.
        window: number of the window.

    Returns:
        The set of points, one bit for each.
    """
    solver = solvers[0]
    points = 0
    for place in range(window * MAX_SIDE, window * MAX_SIDE + solver.length):
        point = solver.cells[place]
        if solver.stones[point] == 0:
            points |= solver.bits[point]
    return points


@kernel(INT, returns=INT)
def holds_two(points: int) -> int:
    """Return 1 if a set has at least two points, else 0.

    Args:
        points: the set, one bit for each point.
    """
    rest = points & (points - 1)
    return 1 if rest != 0 else 0


@kernel(SOLVER)
def group_windows(solvers: Record) -> None:
    """Put Black's live windows along each line into groups that need only one pair of points.

    Successive live windows stay in a group as long as all of them share two empty points. The
    shared points lie in all windows of the group.

    Args:
        solvers: record of the solver.
    """
    solver = solvers[0]
    group = -1
    is_open = False
    for window in range(solver.windows):
        if solver.follows[window] == 0:
            is_open = False
        solver.group_of[window] = -1
        if solver.counts[WHITE_SIDE * WINDOWS + window] != 0:
            continue
        points = empty_points_in(solvers, window)
        stones = solver.counts[BLACK_SIDE * WINDOWS + window]
        if is_open and holds_two(points & solver.group_points[group]) == 1:
            solver.group_points[group] &= points
            solver.group_stones[group] = max(solver.group_stones[group], stones)
        else:
            group += 1
            is_open = True
            solver.group_points[group] = points
            solver.group_stones[group] = stones
            solver.is_paired[group] = 0
        solver.group_of[window] = group
    solver.group_count = group + 1


@kernel(SOLVER, INT, INT)
def hand_over(solvers: Record, group: int, point: int) -> None:
    """Give each group on an augmenting path the next point of the path.

    `take_point` found the path. It leads from a group to a free point, over groups and points in
    turn.

    Args:
        solvers: record of the solver.
        group: group of windows at which the path begins.
        point: free point at which the path ends.
    """
    solver = solvers[0]
    while True:
        taker = solver.reached_by[point]
        solver.owners[point] = taker
        if taker == group:
            return
        point = solver.entered[taker]


@kernel(SOLVER, INT, returns=INT)
def take_point(solvers: Record, group: int) -> int:
    """Give one more point to a group of windows, reassigning other groups' points if needed.

    It finds a shortest augmenting path of bipartite matching (Hopcroft and Karp 1973).

    Args:
        solvers: record of the solver.
        group: number of the group.

    Returns:
        1 if the group got a point, 0 if no assignment is possible.
    """
    solver = solvers[0]
    for other in range(solver.group_count):
        solver.entered[other] = -1
    solver.visited = 0
    solver.queue[0] = group
    length = 1
    at = 0
    while at < length:
        taker = solver.queue[at]
        at += 1
        wanted = solver.group_points[taker] & ~solver.visited
        if wanted == 0:
            continue
        for point in range(solver.points):
            if wanted & solver.bits[point] == 0:
                continue
            owner = solver.owners[point]
            if owner == taker:
                continue
            solver.visited |= solver.bits[point]
            solver.reached_by[point] = taker
            if owner < 0:
                hand_over(solvers, group, point)
                return 1
            if owner != group and solver.entered[owner] < 0:
                solver.entered[owner] = point
                solver.queue[length] = owner
                length += 1
    return 0


@kernel(SOLVER, INT)
def pair_group(solvers: Record, group: int) -> None:
    """Give a group of windows two points of its own if possible, else none.

    If it gets them, its `is_paired` is set to 1.

    Args:
        solvers: record of the solver.
        group: number of the group.
    """
    solver = solvers[0]
    taken = 0
    for _ in range(2):
        taken += take_point(solvers, group)
        if taken == 0:
            return
    if taken == 2:
        solver.is_paired[group] = 1
        return
    for point in range(solver.points):
        if solver.owners[point] == group:
            solver.owners[point] = -1


@kernel(SOLVER, INT, returns=INT)
def rest_weight(solvers: Record, window: int) -> int:
    """Return a window's weight 2^stones, as if Black had a stone on all paired points.

    It is 0 if the window contains both points of a pair.

    Args:
        solvers: record of the solver.
        window: number of the window, which is live for Black.
    """
    solver = solvers[0]
    stones: int = solver.counts[BLACK_SIDE * WINDOWS + window]
    first = window * MAX_SIDE
    for place in range(first, first + solver.length):
        point = solver.cells[place]
        owner = solver.owners[point]
        if solver.stones[point] != 0 or owner < 0:
            continue
        stones += 1
        for earlier in range(first, place):
            if solver.owners[solver.cells[earlier]] == owner:
                return 0
    return 1 << stones


@kernel(SOLVER)
def weigh_rest(solvers: Record) -> None:
    """Sum the weights of Black's live windows that contain no pair of points.

    The record's `rest` receives the total, `rest_weights` the sum of the windows through each
    point.

    Args:
        solvers: record of the solver.
    """
    solver = solvers[0]
    solver.rest = 0
    for point in range(solver.points):
        solver.rest_weights[point] = 0
    for window in range(solver.windows):
        group = solver.group_of[window]
        if group < 0 or solver.is_paired[group] == 1:
            continue
        weight = rest_weight(solvers, window)
        solver.rest += weight
        for place in range(window * MAX_SIDE, window * MAX_SIDE + solver.length):
            solver.rest_weights[solver.cells[place]] += weight


@kernel(SOLVER)
def make_pairs(solvers: Record) -> None:
    """Give pairs of points to groups of windows, those with the most stones first.

    Args:
        solvers: record of the solver.
    """
    solver = solvers[0]
    for point in range(solver.points):
        solver.owners[point] = -1
    group_windows(solvers)
    for lacking in range(solver.length + 1):
        for group in range(solver.group_count):
            if solver.group_stones[group] == solver.length - lacking:
                pair_group(solvers, group)


@kernel(SOLVER, returns=INT)
def is_held_by_pairs(solvers: Record) -> int:
    """Return 1 if the pairing argument proves that White holds, else 0.

    Windows without a pair are left to the potential argument. If White is to move, `found_move` is
    then a move for it: the unpaired point with the most weight. Where no weight is left, any point
    would do, since an extra stone never hurts.

    Args:
        solvers: record of the solver.
    """
    solver = solvers[0]
    make_pairs(solvers)
    weigh_rest(solvers)
    best = -1
    for point in range(solver.points):
        is_free = solver.stones[point] == 0 and solver.owners[point] < 0
        if is_free and (best < 0 or solver.rest_weights[point] > solver.rest_weights[best]):
            best = point
    total = solver.rest
    if best >= 0:
        solver.found_move = best
        if solver.side == BLACK_SIDE:
            total += solver.rest_weights[best]
    return 1 if total < 1 << solver.length else 0

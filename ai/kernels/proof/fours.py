"""Continuous fours: wins in which every move threatens to complete a window.

Each attacking move has one answer, so a win found is a sequence, not a tree. Its points and the
answers limit the defender's choice: a stone elsewhere changes nothing ("threat-space search",
Allis, van den Herik and Huntjens 1993).
"""

from __future__ import annotations

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.proof.layout import LENGTHS, MAX_SIDE, SOLVER, WINDOWS
from ai.kernels.proof.moves import (
    first_point,
    five_points,
    five_points_through,
    lift,
    put,
    single_point,
)


@kernel(SOLVER, INT, INT, returns=INT)
def answer_to_four(solvers: Record, side: int, move: int) -> int:
    """Return the other side's only answer to the stone that `side` has just placed.

    The answer is the point where `side` threatens to complete a window, a row of points that wins
    when it is filled. The stone wins if there are two such points. It fails if there is none, or if
    the other side threatens to complete a window itself. If the stone wins, the record's `zone`
    receives the points of the win.

    Args:
        solvers: record of the solver.
        side: the attacking side, 0 for Black, 1 for White.
        move: point of the stone.

    Returns:
        Point of the answer; -1 if the stone wins, -2 if it fails.
    """
    solver = solvers[0]
    if solver.live[(1 - side) * LENGTHS + solver.length - 1] != 0:
        return -2
    fives = five_points_through(solvers, move, side)
    if fives == 0:
        return -2
    answer = single_point(solvers, fives)
    if answer >= 0:
        return answer
    solver.zone = solver.bits[move] | fives
    solver.replies = 0
    return -1


@kernel(SOLVER, INT, INT, returns=INT)
def begin_fours(solvers: Record, side: int, depth: int) -> int:
    """Prepare the search for the next attack, or return the point where `side` wins at once.

    Args:
        solvers: record of the solver.
        side: the attacking side, to move.
        depth: number of attacks played.

    Returns:
        A point that completes a window; -1 if there is none and the search is prepared.
    """
    solver = solvers[0]
    fives = five_points(solvers, side)
    if fives != 0:
        point = first_point(solvers, fives)
        solver.zone = solver.bits[point]
        solver.replies = 0
        return point
    solver.four_at[depth] = 0
    solver.tried[depth] = 0
    solver.forced[depth] = single_point(solvers, five_points(solvers, 1 - side))
    return -1


@kernel(SOLVER, INT, INT, returns=INT)
def next_four(solvers: Record, side: int, depth: int) -> int:
    """Return the next untried point where `side` makes a four; -1 after the last.

    If the other side threatens to complete a window, only the point that stops it is tried. If
    several points would have to be stopped, none is.

    Args:
        solvers: record of the solver.
        side: the attacking side.
        depth: number of attacks already played.
    """
    solver = solvers[0]
    forced = solver.forced[depth]
    if solver.live[side * LENGTHS + solver.length - 2] == 0 or forced == -2:
        return -1
    index = solver.four_at[depth]
    while index < solver.windows * MAX_SIDE:
        window = index // MAX_SIDE
        own = solver.counts[side * WINDOWS + window]
        if own != solver.length - 2 or solver.counts[(1 - side) * WINDOWS + window] != 0:
            index = (window + 1) * MAX_SIDE
            continue
        is_in_window = index % MAX_SIDE < solver.length
        point: int = solver.cells[index]
        index += 1
        if not is_in_window or solver.stones[point] != 0:
            continue
        if solver.tried[depth] & solver.bits[point] == 0 and (forced < 0 or point == forced):
            solver.tried[depth] |= solver.bits[point]
            solver.four_at[depth] = index
            return point
    solver.four_at[depth] = index
    return -1


@kernel(SOLVER, INT, INT, INT)
def undo_fours(solvers: Record, side: int, depth: int, is_won: int) -> None:
    """Undo the attack and the answer at `depth`.

    Args:
        solvers: the solver.
        side: the attacking side.
        depth: depth of the attack.
        is_won: 1 to record both stones as part of a win, in `zone` and `replies`.
    """
    solver = solvers[0]
    point = solver.attacks[depth]
    answer = solver.answers[depth]
    lift(solvers, answer, 1 - side)
    lift(solvers, point, side)
    if is_won == 1:
        solver.zone |= solver.bits[point] | solver.bits[answer]
        solver.replies |= solver.bits[answer]


@kernel(SOLVER, INT, returns=INT)
def find_fours(solvers: Record, side: int) -> int:
    """Search for a win by continuous fours of `side`, which is to move; return its first move.

    If a win is found, the record's `zone` receives its points. The record's `replies` receives the
    points of the other side's answers before the last attack. The search has a limit: if it finds
    no win, there may still be one.

    Args:
        solvers: record of the solver.
        side: 0 for Black, 1 for White.

    Returns:
        The first move; -1 if no win was found.
    """
    solver = solvers[0]
    depth = 0
    winning = begin_fours(solvers, side, depth)
    while winning < 0:
        point = next_four(solvers, side, depth)
        if point < 0 or solver.four_nodes >= solver.four_limit:
            if depth == 0:
                return -1
            depth -= 1
            undo_fours(solvers, side, depth, 0)
            continue
        solver.four_nodes += 1
        put(solvers, point, side)
        answer = answer_to_four(solvers, side, point)
        if answer < 0:
            lift(solvers, point, side)
            if answer == -1:
                winning = point
            continue
        put(solvers, answer, 1 - side)
        solver.attacks[depth] = point
        solver.answers[depth] = answer
        depth += 1
        winning = begin_fours(solvers, side, depth)
    while depth > 0:
        depth -= 1
        undo_fours(solvers, side, depth, 1)
        winning = solver.attacks[depth]
    return winning


@kernel(SOLVER, INT, INT, returns=INT)
def count_in_window(solvers: Record, points: int, window: int) -> int:
    """Return how many points of a window are in a set of points.

    Args:
        solvers: record of the solver.
        points: the set, one bit for each point.
        window: number of the window.
    """
    solver = solvers[0]
    count = 0
    for place in range(window * MAX_SIDE, window * MAX_SIDE + solver.length):
        if points & solver.bits[solver.cells[place]] != 0:
            count += 1
    return count


@kernel(SOLVER, INT, returns=INT)
def relevant_points(solvers: Record, defender: int) -> int:
    """Return the points where a stone of `defender` could refute the fours that were just found.

    These are the points of the fours themselves, as `find_fours` left them in `zone`. Others are
    all points of a window in which the defender could threaten a five meanwhile. The new stone, its
    present stones and its forced answers count for that. A stone on any other point changes
    nothing.

    Args:
        solvers: record of the solver.
        defender: the side against which the fours win, 0 for Black, 1 for White.

    Returns:
        The set of points, one bit for each.
    """
    solver = solvers[0]
    points: int = solver.zone
    for window in range(solver.windows):
        if solver.counts[(1 - defender) * WINDOWS + window] != 0:
            continue
        own = solver.counts[defender * WINDOWS + window]
        if own + count_in_window(solvers, solver.replies, window) + 1 < solver.length - 1:
            continue
        for place in range(window * MAX_SIDE, window * MAX_SIDE + solver.length):
            points |= solver.bits[solver.cells[place]]
    return points

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
    """Return the only answer to `side`'s stone just placed on `move`; -1: it wins; -2: it fails.

    It wins if two points complete a window. It fails if there is no such point or the other side
    threatens to complete one itself.
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
    """Prepare the search at `depth`; return the point where `side` completes a window, or -1.

    Args:
        solvers: the solver.
        side: the attacking side, to move.
        depth: number of attacks played.
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

    If the other side threatens to complete a window, only the point that stops it counts.
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
    """Return the first move of a win by continuous fours of `side`, who is to move; -1 if none.

    A win leaves its points in `zone`, and in `replies` the other side's answers before the last
    attack. Without a win the result is inconclusive, since the search has a limit.
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
    """Return how many of a window's points are in the set `points`."""
    solver = solvers[0]
    count = 0
    for place in range(window * MAX_SIDE, window * MAX_SIDE + solver.length):
        if points & solver.bits[solver.cells[place]] != 0:
            count += 1
    return count


@kernel(SOLVER, INT, returns=INT)
def relevant_points(solvers: Record, defender: int) -> int:
    """Return the set of points where a stone of `defender` could refute the sequence just found.

    These are the points of the sequence itself, and those from which the defender could make a five
    in between, together with its present stones and its answers. A stone on any other point changes
    nothing.
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

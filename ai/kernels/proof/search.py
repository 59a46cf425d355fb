"""Proof-number search: can Black force a line against every defence?

Depth-first proof-number search (Nagai 2002) over "Black wins" (proved) and "White holds"
(disproved). White holds when Black makes no line at all. A position is given up for Black as soon
as White's potential argument covers all live windows (Erdős and Selfridge, "On a combinatorial
game", 1973). The potential is the sum of 2^(stones - length) over Black's live windows. While it is
below one with White to move, White can always break the heaviest window, and it never reaches one.
"""

from __future__ import annotations

from typing import Final

from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.proof.fours import find_fours, relevant_points
from ai.kernels.proof.layout import (
    BLACK_SIDE,
    ENTRY,
    IMAGES,
    INFINITE,
    LENGTHS,
    NO_MOVE,
    NOBODY,
    POINTS,
    SOLVER,
    WHITE_SIDE,
)
from ai.kernels.proof.moves import (
    first_point,
    five_points,
    lift,
    put,
    single_point,
    toggle_keys,
)
from ai.kernels.proof.pairing import is_held_by_pairs
from ai.kernels.proof.table import look_up, recall, store

EIGHTHS: Final = 8
"""Number of parts into which the potential that Black needs is divided, for estimates of work."""
HARDEST: Final = 128
"""Estimated work of proving a win where Black's potential is nearly zero."""


@kernel(SOLVER, returns=INT)
def black_potential(solvers: Record) -> int:
    """Return the sum of 2^stones over Black's live windows: the potential times 2^length."""
    solver = solvers[0]
    total = 0
    for stones in range(solver.length + 1):
        total += solver.live[BLACK_SIDE * LENGTHS + stones] << stones
    return total


@kernel(SOLVER, INT, returns=INT)
def heaviest_point(solvers: Record, side: int) -> int:
    """Return the empty point with the most weight for a side; -1 if no point is empty.

    A point's weight is the sum of 2^stones over the side's live windows through it.

    Args:
        solvers: record of the solver.
        side: 0 for Black, 1 for White.
    """
    solver = solvers[0]
    best = -1
    for point in range(solver.points):
        if solver.stones[point] == 0 and (
            best < 0 or solver.weights[side * POINTS + point] > solver.weights[side * POINTS + best]
        ):
            best = point
    return best


@kernel(SOLVER, returns=INT)
def is_held(solvers: Record) -> int:
    """Return 1 if the potential or the pairing argument proves that Black cannot complete a line.

    `found_move` is then a move for White.
    """
    solver = solvers[0]
    bound = 1 << solver.length
    potential = black_potential(solvers)
    heaviest = heaviest_point(solvers, BLACK_SIDE)
    solver.found_move = heaviest
    if heaviest < 0 or potential == 0:
        return 1
    if solver.side == BLACK_SIDE:
        potential += solver.weights[BLACK_SIDE * POINTS + heaviest]
    if potential < bound:
        return 1
    if solver.live[BLACK_SIDE * LENGTHS + solver.length - 1] > 0:
        return 0
    return is_held_by_pairs(solvers)


@kernel(SOLVER, returns=INT)
def useful_points(solvers: Record) -> int:
    """Return the empty points that lie in a live window of either side."""
    solver = solvers[0]
    points = 0
    for point in range(solver.points):
        if solver.stones[point] == 0 and solver.weights[point] + solver.weights[POINTS + point] > 0:
            points |= solver.bits[point]
    return points


@kernel(SOLVER, CLOCK, INT, returns=INT)
def assess(solvers: Record, clocks: Record, level: int) -> int:
    """Decide the position by threats and potential, or list the moves to search.

    If the side to move wins by fours, `is_relevant` is set. Then `relevant` holds the points where
    the other side's last stone could have prevented the win.

    Args:
        solvers: record of the solver.
        clocks: budget, which counts the positions looked at.
        level: how many plies the position is below the root; its `candidates` receive the moves.

    Returns:
        The winning side, 0 for Black, 1 for White; NOBODY if the moves must be searched.
    """
    solver = solvers[0]
    side: int = solver.side
    other = 1 - side
    solver.candidates[level] = 0
    fives = five_points(solvers, side)
    if fives != 0:
        solver.found_move = first_point(solvers, fives)
        return side
    if is_held(solvers) == 1:
        return WHITE_SIDE
    forced = five_points(solvers, other)
    if forced != 0 and single_point(solvers, forced) < 0:
        return other
    solver.four_nodes = 0
    move = find_fours(solvers, side)
    clocks[0].nodes += solver.four_nodes
    if move >= 0:
        solver.found_move = move
        solver.relevant = relevant_points(solvers, other)
        solver.is_relevant = 1
        return side
    points = forced
    if forced == 0:
        points = useful_points(solvers)
        solver.four_nodes = 0
        if find_fours(solvers, other) >= 0:
            points &= relevant_points(solvers, side)
        clocks[0].nodes += solver.four_nodes
    solver.candidates[level] = points
    return NOBODY if points != 0 else other


@kernel(SOLVER, INT, INT)
def settle(solvers: Record, level: int, winner: int) -> None:
    """Set the proof and disproof number of a decided position.

    Args:
        solvers: the solver.
        level: how many plies the position is below the root.
        winner: the side that wins, 0 for Black, 1 for White.
    """
    solver = solvers[0]
    solver.child_count[level] = 0
    solver.proof[level] = 0 if winner == BLACK_SIDE else INFINITE
    solver.disproof[level] = 0 if winner == WHITE_SIDE else INFINITE


@kernel(SOLVER, INT, INT)
def estimate_child(solvers: Record, index: int, point: int) -> None:
    """Estimate the proof and disproof number of the position after a move.

    It uses the potential of the windows that the pairing argument (`is_held_by_pairs`) left without
    a pair.

    Args:
        solvers: record of the solver.
        index: index of the move in `child_proof` and `child_disproof`.
        point: the move.
    """
    solver = solvers[0]
    gained = solver.weights[BLACK_SIDE * POINTS + point]
    if solver.owners[point] < 0:
        gained += EIGHTHS * solver.rest_weights[point]
    if solver.side == WHITE_SIDE:
        gained = -gained
    eighths = max(1, (EIGHTHS * solver.rest + gained) >> solver.length)
    solver.child_disproof[index] = 1 + eighths
    solver.child_proof[index] = 1 + HARDEST // eighths


@kernel(SOLVER, INT, INT, returns=INT)
def is_doubled(solvers: Record, level: int, point: int) -> int:
    """Return 1 if a symmetry of the position turns a move into an earlier candidate, else 0.

    Args:
        solvers: record of the solver.
        level: how many plies the position is below the root.
        point: the move.
    """
    solver = solvers[0]
    for image in range(1, IMAGES):
        if (
            solver.boards[image] != solver.boards[0]
            or solver.boards[IMAGES + image] != solver.boards[IMAGES]
        ):
            continue
        target = solver.images[image * POINTS + point]
        if target < point and solver.candidates[level] & solver.bits[target] != 0:
            return 1
    return 0


@kernel(SOLVER, ENTRY, INT)
def list_children(solvers: Record, table: Record, level: int) -> None:
    """List the candidate moves of a position with their proof numbers, from the table or estimated.

    Args:
        solvers: record of the solver.
        table: the transposition table.
        level: how many plies the position is below the root.
    """
    solver = solvers[0]
    count = 0
    side = solver.side
    is_held_by_pairs(solvers)  # for what it leaves: the guesses
    for point in range(solver.points):
        if solver.candidates[level] & solver.bits[point] == 0:
            continue
        if is_doubled(solvers, level, point) == 1:
            continue
        index = level * POINTS + count
        count += 1
        solver.children[index] = point
        estimate_child(solvers, index, point)
        toggle_keys(solvers, point, side)
        solver.side = 1 - side
        entry = look_up(solvers, table)
        toggle_keys(solvers, point, side)
        solver.side = side
        if entry >= 0:
            solver.child_proof[index] = table[entry].proof
            solver.child_disproof[index] = table[entry].disproof
    solver.child_count[level] = count


@kernel(SOLVER, ENTRY, CLOCK, INT)
def enter(solvers: Record, table: Record, clocks: Record, level: int) -> None:
    """Begin the search of a position: load its results from the table, or assess it.

    If the position is not decided, its moves are listed.

    Args:
        solvers: record of the solver.
        table: the transposition table.
        clocks: the budget of the move.
        level: how many plies the position is below the root.
    """
    solver = solvers[0]
    solver.entered_at[level] = clocks[0].nodes
    clocks[0].nodes += 1
    solver.is_relevant = 0
    index = look_up(solvers, table)
    if index >= 0:
        recall(solvers, table, index, level)
        solver.child_count[level] = 0
        if solver.proof[level] > 0 and solver.disproof[level] > 0:
            list_children(solvers, table, level)
        return
    winner = assess(solvers, clocks, level)
    if winner == NOBODY:
        list_children(solvers, table, level)
        return
    settle(solvers, level, winner)
    if winner != solver.side:
        solver.found_move = NO_MOVE
    store(solvers, table, level, solver.found_move, 1)


@kernel(SOLVER, INT)
def weigh(solvers: Record, level: int) -> None:
    """Compute a position's proof numbers from those after its moves, and choose the next move.

    Black chooses the move with the smallest proof number, White that with the smallest disproof
    number. The position's other number is the sum over the moves. The bounds of the next search are
    set, too.

    Args:
        solvers: record of the solver.
        level: how many plies the position is below the root.
    """
    solver = solvers[0]
    first = level * POINTS
    total = 0
    least = INFINITE
    second = INFINITE
    chosen = 0
    is_black = solver.side == BLACK_SIDE
    for child in range(solver.child_count[level]):
        proof = solver.child_proof[first + child]
        disproof = solver.child_disproof[first + child]
        own = proof if is_black else disproof
        total += disproof if is_black else proof
        if own < least:
            second = least
            least = own
            chosen = child
        elif own < second:
            second = own
    if least == 0:
        total = INFINITE
    elif least < INFINITE:
        total = min(total, INFINITE - 1)
    else:
        total = 0
    solver.chosen[level] = chosen
    solver.proof[level] = least if is_black else total
    solver.disproof[level] = total if is_black else least
    growth = min(INFINITE, second + second // 4 + 1)
    if is_black:
        spent = total - solver.child_disproof[first + chosen]
        solver.proof_limit[level + 1] = min(solver.proof_limit[level], growth)
        solver.disproof_limit[level + 1] = solver.disproof_limit[level] - spent
    else:
        spent = total - solver.child_proof[first + chosen]
        solver.disproof_limit[level + 1] = min(solver.disproof_limit[level], growth)
        solver.proof_limit[level + 1] = solver.proof_limit[level] - spent


@kernel(SOLVER, CLOCK, INT, returns=INT)
def is_finished(solvers: Record, clocks: Record, level: int) -> int:
    """Return 1 if the search of a position is to stop, else 0.

    It stops when the position is decided, one of its numbers reaches its bound, or the budget is
    used up.

    Args:
        solvers: record of the solver.
        clocks: the budget of the move.
        level: how many plies the position is below the root.
    """
    solver = solvers[0]
    if solver.proof[level] == 0 or solver.disproof[level] == 0:
        return 1
    if solver.proof[level] >= solver.proof_limit[level]:
        return 1
    if solver.disproof[level] >= solver.disproof_limit[level]:
        return 1
    return 1 - may_go_on(clocks, 1)


@kernel(SOLVER, INT, returns=INT)
def proven_move(solvers: Record, level: int) -> int:
    """Return the move that is proven to win for the side to move; -1 for none."""
    solver = solvers[0]
    number = solver.proof[level] if solver.side == BLACK_SIDE else solver.disproof[level]
    if number != 0:
        return NO_MOVE
    move: int = solver.children[level * POINTS + solver.chosen[level]]
    return move


@kernel(SOLVER, INT)
def drop_irrelevant(solvers: Record, level: int) -> None:
    """Discard the moves of a position that cannot prevent the win by fours just found.

    They are marked as losing.

    Args:
        solvers: record of the solver.
        level: how many plies the position is below the root.
    """
    solver = solvers[0]
    solver.is_relevant = 0
    loss_proof = 0 if solver.side == WHITE_SIDE else INFINITE
    solver.candidates[level] &= solver.relevant
    for index in range(level * POINTS, level * POINTS + solver.child_count[level]):
        if solver.relevant & solver.bits[solver.children[index]] == 0:
            solver.child_proof[index] = loss_proof
            solver.child_disproof[index] = INFINITE - loss_proof


@kernel(SOLVER, ENTRY, INT)
def leave(solvers: Record, table: Record, level: int) -> None:
    """Go back to the position one ply before: remove the last stone and update its numbers.

    If a win by fours was found, the earlier position's moves that cannot prevent it are discarded.

    Args:
        solvers: record of the solver.
        table: the transposition table, not used.
        level: plies of the present position below the root.
    """
    solver = solvers[0]
    parent = level - 1
    index = parent * POINTS + solver.chosen[parent]
    solver.side = 1 - solver.side
    lift(solvers, solver.children[index], solver.side)
    solver.child_proof[index] = solver.proof[level]
    solver.child_disproof[index] = solver.disproof[level]
    if solver.is_relevant == 1:
        drop_irrelevant(solvers, parent)


@kernel(SOLVER, ENTRY, CLOCK)
def prove(solvers: Record, table: Record, clocks: Record) -> None:
    """Search until the position is decided or the budget is used up.

    The result is in `proof[0]` and `disproof[0]`: a proof number of 0 means that Black wins, a
    disproof number of 0 that White holds. `found_move` is a proven winning move of the side to
    move; -1 if there is none.
    """
    solver = solvers[0]
    level = 0
    solver.proof_limit[0] = INFINITE
    solver.disproof_limit[0] = INFINITE
    enter(solvers, table, clocks, level)
    while True:
        if solver.child_count[level] > 0:
            weigh(solvers, level)
        if is_finished(solvers, clocks, level) == 0:
            move = solver.children[level * POINTS + solver.chosen[level]]
            put(solvers, move, solver.side)
            solver.side = 1 - solver.side
            level += 1
            enter(solvers, table, clocks, level)
            continue
        if solver.child_count[level] > 0:
            solver.found_move = proven_move(solvers, level)
            effort = clocks[0].nodes - solver.entered_at[level]
            store(solvers, table, level, solver.found_move, effort)
        if level == 0:
            return
        leave(solvers, table, level)
        level -= 1

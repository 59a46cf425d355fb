"""The search of `minimax-q`: the gains of later stones change the scores of the root moves.

A root move's score begins with the gain of the board's value by its own stone. Then each empty
point next to a stone is tried for the other side. That is layer 1; the next layers follow in the
same way, down to the depth. A stone on layer d changes the score by `alpha gamma^d` times the
board's gain by that stone.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.cross.lines import BOARD, lift_stone, makes_row, put_stone
from ai.kernels.jit import FLOAT, INT, Record, kernel
from ai.kernels.layout import POINTS

MAX_DEPTH: Final = 6
BEST: Final = 0
MEAN: Final = 1
SUM: Final = 2
"""How the stones of a layer are combined: the best one for its side, their mean, or their sum."""

ROOTS: Final = np.dtype(
    [
        ("count", np.int64),
        ("moves", np.int64, POINTS),
        ("first", np.float64, POINTS),  # scores before the search, by root
        ("scores", np.float64, POINTS),
        ("visits", np.int64, POINTS),  # positions below each root, itself counted
        ("finished", np.int64),  # roots below which the search came to its depth: the first ones
        ("factors", np.float64, MAX_DEPTH),  # of the gain on each layer; 1 for the root's
        ("depth", np.int64),  # layers, the root's counted
        ("update", np.int64),  # BEST, MEAN or SUM
        ("alternates", np.int64),  # 1: the other side's gains are losses
        ("side", np.int64),  # that moves at the root: 1 Black, 2 White
        ("is_cut", np.int64),  # 1: the limit has ended the search
    ],
    align=True,
)


@kernel(BOARD, ROOTS, INT, INT, returns=INT)
def gain_of(boards: Record, roots: Record, before: int, stone: int) -> int:
    """Return by how much the last stone raised the board's value.

    Args:
        boards: the board.
        roots: the search. If its field `alternates` is 1, the gain counts for the side to move at
            the root, else for the side that placed the stone.
        before: the board's value for Black before the stone.
        stone: the stone, 1 for Black, 2 for White.
    """
    gain: int = boards[0].total - before
    seen_by = roots[0].side if roots[0].alternates == 1 else stone
    return gain if seen_by == 1 else -gain


@kernel(BOARD, ROOTS, CLOCK, INT, INT, returns=FLOAT)
def replies(boards: Record, roots: Record, clocks: Record, stone: int, layer: int) -> float:
    """Return by how much the stones of a layer and the layers below it change a root move's score.

    Args:
        boards: record of the board.
        roots: record of the search, with its settings.
        clocks: the budget of the move.
        stone: stone of the layer, 1 for Black, 2 for White.
        layer: number of the layer; the root move's is 0.
    """
    board = boards[0]
    root = roots[0]
    takes_least = root.alternates == 1 and stone != root.side
    found = 0.0
    count = 0
    for move in range(board.size * board.size):
        if board.stones[move] != 0 or board.near[move] == 0:
            continue
        if may_go_on(clocks, 1) == 0:
            root.is_cut = 1
            break
        clocks[0].nodes += 1
        before = board.total
        put_stone(boards, move, stone, layer)
        worth = root.factors[layer] * gain_of(boards, roots, before, stone)
        if layer + 1 < root.depth and makes_row(boards, move, stone) == 0:
            worth += replies(boards, roots, clocks, 3 - stone, layer + 1)
        lift_stone(boards, move, layer)
        if root.update != BEST:
            found += worth
        elif count == 0 or (worth < found) == takes_least:
            found = worth
        count += 1
        if root.is_cut == 1:
            break
    if root.update == MEAN and count > 0:
        found /= count
    return found


@kernel(BOARD, ROOTS, CLOCK)
def score_first(boards: Record, roots: Record, clocks: Record) -> None:
    """Score each root move by the board after it, before any reply; sort them, the best first.

    Equally good moves keep their order. At least one root move is scored. If a limit ends the
    search, the moves that are not scored are removed from the list.
    """
    root = roots[0]
    for index in range(root.count):
        if index > 0 and may_go_on(clocks, 1) == 0:
            root.count = index
            root.is_cut = 1
            break
        clocks[0].nodes += 1
        move = root.moves[index]
        before = boards[0].total
        put_stone(boards, move, root.side, 0)
        score = root.factors[0] * gain_of(boards, roots, before, root.side)
        lift_stone(boards, move, 0)
        place_at = index
        while place_at > 0 and root.first[place_at - 1] < score:
            root.first[place_at] = root.first[place_at - 1]
            root.moves[place_at] = root.moves[place_at - 1]
            place_at -= 1
        root.first[place_at] = score
        root.moves[place_at] = move


@kernel(BOARD, ROOTS, CLOCK)
def search_roots(boards: Record, roots: Record, clocks: Record) -> None:
    """Score the root moves in `moves`, then search below each of them, the best first.

    Args:
        boards: record of the board.
        roots: record of the search.
        clocks: the budget of the move.
    """
    root = roots[0]
    root.is_cut = 0
    root.finished = 0
    score_first(boards, roots, clocks)
    for index in range(root.count):
        root.scores[index] = root.first[index]
        root.visits[index] = 1
    for index in range(root.count):
        if root.is_cut == 1:
            break
        nodes = clocks[0].nodes
        move = root.moves[index]
        put_stone(boards, move, root.side, 0)
        change = 0.0
        if root.depth > 1 and makes_row(boards, move, root.side) == 0:
            change = replies(boards, roots, clocks, 3 - root.side, 1)
        lift_stone(boards, move, 0)
        root.visits[index] += clocks[0].nodes - nodes
        if root.is_cut == 0:
            root.scores[index] += change
            root.finished += 1

"""Default policy of the players: moves that the patterns on the lines force, without a search."""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import (
    CLASSES,
    EMPTY_CELL,
    FIVE,
    OPEN_FOUR,
    POINTS,
    POSITION,
)
from ai.kernels.moves import best_class

QUIET: Final = 0
MAKES_FIVE: Final = 1
MAKES_OPEN_FOUR: Final = 2
STOPS_FIVE: Final = 3
STOPS_OPEN_FOUR: Final = 4

FORCED: Final = np.dtype(
    [
        ("values", np.int64, CLASSES),  # of one pattern
        ("makes_open_four", np.int64),  # 1: an own open three is used before one is stopped
        ("takes_first", np.int64),  # 1: the first point in board order, else the one worth most
        ("reason", np.int64),
        ("count", np.int64),
        ("points", np.int64, POINTS),  # what the move was chosen among
    ],
    align=True,
)


@kernel(POSITION, FORCED, INT, INT, returns=INT)
def find_points(positions: Record, policies: Record, side: int, line_class: int) -> int:
    """List the points where a stone of `side` makes a pattern of one kind.

    Points where the stone makes a stronger pattern, too, are left out.

    Args:
        positions: the position.
        policies: record that receives the points.
        side: 0 for Black, 1 for White.
        line_class: number of the kind of pattern (see `ai.kernels.layout`).

    Returns:
        1 if there is such a point, else 0.
    """
    position = positions[0]
    policy = policies[0]
    policy.count = 0
    if position.points[side * CLASSES + line_class] == 0:
        return 0
    for move in range(position.size * position.size):
        if position.board[position.cells[move]] != EMPTY_CELL:
            continue
        if best_class(positions, move, side) == line_class:
            policy.points[policy.count] = move
            policy.count += 1
    return 1 if policy.count > 0 else 0


@kernel(POSITION, FORCED, INT, returns=INT)
def worth_of(positions: Record, policies: Record, move: int) -> int:
    """Return the worth of a stone on a point: twice what it makes, plus what it blocks.

    Both are sums of pattern values over the four lines. The stone blocks what the other side would
    make there.

    Args:
        positions: the position; the stone is one of the side to move.
        policies: record with the values of the patterns.
        move: the point.
    """
    position = positions[0]
    policy = policies[0]
    cell = position.cells[move]
    side = position.side
    worth = 0
    for direction in range(4):
        classes = position.line_classes[cell * 4 + direction]
        worth += 2 * policy.values[(classes >> (4 * side)) & 15]
        worth += policy.values[(classes >> (4 * (1 - side))) & 15]
    return worth


@kernel(POSITION, FORCED, returns=INT)
def find_forced(positions: Record, policies: Record) -> int:
    """Return a move that wins at once or stops the other side's win; -1 if no move is forced.

    The reasons are tried in this order: make a five, stop a five, make an open four (if
    `makes_open_four` is set), stop an open four. The record receives the reason and the points
    among which the move was chosen.

    Args:
        positions: the position.
        policies: record with the settings, which receives the reason and the points.
    """
    policy = policies[0]
    side = positions[0].side
    policy.reason = QUIET
    if find_points(positions, policies, side, FIVE) == 1:
        policy.reason = MAKES_FIVE
    elif find_points(positions, policies, 1 - side, FIVE) == 1:
        policy.reason = STOPS_FIVE
    elif policy.makes_open_four == 1 and find_points(positions, policies, side, OPEN_FOUR) == 1:
        policy.reason = MAKES_OPEN_FOUR
    elif find_points(positions, policies, 1 - side, OPEN_FOUR) == 1:
        policy.reason = STOPS_OPEN_FOUR
    if policy.reason == QUIET:
        return -1
    chosen: int = policy.points[0]
    if policy.takes_first == 0:
        most = worth_of(positions, policies, chosen)
        for index in range(1, policy.count):
            worth = worth_of(positions, policies, policy.points[index])
            if worth > most:
                most = worth
                chosen = policy.points[index]
    return chosen

"""Wins by continuous fours at the leaves that wait for the network.

The tree's board knows only rows. To search for fours, each leaf is set up as a position with
pattern counters, from the planes that the network sees.
"""

from __future__ import annotations

from ai.kernels.clock import CLOCK
from ai.kernels.jit import INT, TABLE, ArrayType, Record, Table, kernel
from ai.kernels.layout import POSITION
from ai.kernels.moves import place, take_back
from ai.kernels.puct.layout import PLANES, PUCT
from ai.kernels.threats.fours import find_fours
from ai.kernels.threats.layout import FOURS
from ai.kernels.tree.layout import MARGIN, STRIDE


@kernel(ArrayType("float32"), INT, INT, INT, returns=INT)
def next_stone(planes: Record, start: int, points: int, move: int) -> int:
    """Return the first point after `move` with a stone in an input plane of the network.

    Args:
        planes: input planes of the waiting leaves.
        start: index of the plane's first point.
        points: number of points of the board.
        move: point after which to look; -1 to begin.

    Returns:
        The point; `points` if no stone is left.
    """
    move += 1
    while move < points and planes[start + move * PLANES] == 0:
        move += 1
    return move


@kernel(POSITION, TABLE, ArrayType("float32"), INT, INT)
def set_up(positions: Record, table: Table, planes: Record, start: int, side: int) -> None:
    """Set up the position of a leaf from its planes, placing the stones in board order.

    Args:
        positions: receives the position; its former moves are taken back.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        planes: input planes of the waiting leaves.
        start: index where the leaf's planes begin.
        side: side to move at the leaf, 0 for Black, 1 for White.
    """
    position = positions[0]
    points = position.size * position.size
    while position.ply > 0:
        take_back(positions, table)
    black, white = start + side, start + 1 - side
    stone = next_stone(planes, black, points, -1)
    other = next_stone(planes, white, points, -1)
    while stone < points:
        place(positions, table, stone)
        stone = next_stone(planes, black, points, stone)
        if other < points:
            place(positions, table, other)
            other = next_stone(planes, white, points, other)


@kernel(PUCT, POSITION, TABLE, FOURS, CLOCK, ArrayType("float32"))
def settle_by_fours(
    searches: Record,
    positions: Record,
    table: Table,
    fours: Record,
    clocks: Record,
    planes: Record,
) -> None:
    """Look for a win by fours at each waiting leaf that has no forced move.

    If one is found within `leaf_fours` fours, its first move becomes the leaf's only child, and the
    leaf's value is certain.

    Args:
        searches: the search; its leaves were collected.
        positions: a position of the same rules, used for the search; its moves are taken back.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        fours: memory of the search for fours.
        clocks: a budget without a limit.
        planes: `[batch * points * 3]` as `collect` wrote them.
    """
    search = searches[0]
    size = search.size
    for slot in range(search.count):
        if search.forced[slot] != 0:
            continue
        set_up(positions, table, planes, slot * size * size * PLANES, search.sides[slot])
        fours[0].nodes = 0
        fours[0].is_cut = 0
        fours[0].node_limit = search.leaf_fours
        plies = find_fours(positions, table, fours, clocks, 0)
        if plies > 0:
            move = fours[0].line[0]
            search.forced[slot] = (move // size + MARGIN) * STRIDE + move % size + MARGIN
            search.known[slot] = search.decay**plies

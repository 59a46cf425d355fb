"""Wins by continuous fours of the leaves that wait for the network.

The tree's board knows rows alone. For the search for fours each leaf is set up on the pattern
core, from the planes that the network sees.
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
    """Return the first stone of a plane after `move`, -1 before the first; `points`: none is left.

    Args:
        planes: of the leaves that wait.
        start: of the plane's first point.
        points: of the board.
        move: point to go on from.
    """
    move += 1
    while move < points and planes[start + move * PLANES] == 0:
        move += 1
    return move


@kernel(POSITION, TABLE, ArrayType("float32"), INT, INT)
def set_up(positions: Record, table: Table, planes: Record, start: int, side: int) -> None:
    """Make a leaf the position of the pattern core, its stones in the order of their points.

    Args:
        positions: the core's.
        table: of line classes.
        planes: of the leaves that wait.
        start: of the leaf's planes.
        side: to move at the leaf.
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
    """Look for a win by fours of the side to move at each leaf that waits and is free to move.

    Where one is found within `leaf_fours` fours, its first move becomes the leaf's only one, and
    the leaf's value is sure.

    Args:
        searches: the search; its leaves were collected.
        positions: the pattern core, of the same rules; whatever it holds is taken back.
        table: of line classes.
        fours: memory of the search for fours.
        clocks: without a limit.
        planes: `[batch * A * 3]` as `collect` wrote them.
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

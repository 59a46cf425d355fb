"""The guided tree: children by the network's shares, games in which it plays both sides."""

from __future__ import annotations

import math

from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.guided.network import NET, best_point, rank_points, share_points
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.tree.growth import clear_node
from ai.kernels.tree.layout import NOBODY, NODE, TREE_BOARD, UNDECIDED
from ai.kernels.tree.selection import back_up, highest_bound
from ai.kernels.tree.stones import lift_stone, put_stone


@kernel(TREE_BOARD, NET, INT, returns=INT)
def place(boards: Record, nets: Record, cell: int) -> int:
    """Place a stone of the side to move on both boards; return not 0 where it makes a row."""
    nets[0].stones[cell] = 1 - 2 * boards[0].side
    return put_stone(boards, cell)


@kernel(TREE_BOARD, NET, INT)
def take_back(boards: Record, nets: Record, cell: int) -> None:
    """Take the last stone, which stands on `cell`, from both boards."""
    nets[0].stones[cell] = 0
    lift_stone(boards, cell)


@kernel(TREE_BOARD, NODE, NET, INT, returns=INT)
def expand_guided(boards: Record, nodes: Record, nets: Record, parent: int) -> int:
    """Give a node a child for each move that the network finds likely enough.

    Returns:
        0 where memory is used up.
    """
    board, net = boards[0], nets[0]
    share_points(nets, 1 - 2 * board.side)
    count = rank_points(nets, net.threshold)
    first = board.used
    if first + count > board.capacity:
        return 0
    for number in range(count):
        clear_node(nodes, first + number, net.cells[net.order[number]])
    nodes[parent].first = first
    nodes[parent].children = count
    board.used = first + count
    return 1


@kernel(TREE_BOARD, NODE, INT, returns=INT)
def select_guided(boards: Record, nodes: Record, parent: int) -> int:
    """Return the likeliest child that was not visited, else that of the largest UCB."""
    node = nodes[parent]
    if node.tried < node.children:
        node.tried += 1
        return int(node.first + node.tried - 1)
    spread = boards[0].exploration * math.sqrt(2.0 * math.log(node.visits))
    return highest_bound(nodes, node.first, node.children, spread)


@kernel(TREE_BOARD, NODE, NET, returns=INT)
def descend_guided(boards: Record, nodes: Record, nets: Record) -> int:
    """Go down from the root, `path[0]`, to a position that is new, and return its depth."""
    board = boards[0]
    index, depth = board.path[0], 0
    while nodes[index].winner == UNDECIDED:
        if nodes[index].first == 0 and expand_guided(boards, nodes, nets, index) == 0:
            break
        depth += 1
        parent = index
        index = select_guided(boards, nodes, parent)
        board.path[depth] = index
        rows = place(boards, nets, nodes[index].cell)
        if nodes[index].visits == 0:
            if rows != 0:
                nodes[index].winner = 1 - board.side
            elif board.ply == board.points:
                nodes[index].winner = board.full_winner
            break
    return depth


@kernel(TREE_BOARD, NET, CLOCK, returns=INT)
def simulate(boards: Record, nets: Record, clocks: Record) -> int:
    """Let the network's best point be played for both sides; return the winner: a side, or NOBODY.

    UNDECIDED where the time was over before. The position stays as it is.
    """
    board, net = boards[0], nets[0]
    count = 0
    winner = UNDECIDED
    while winner == UNDECIDED and clocks[0].is_stopped == 0:
        cell = net.cells[best_point(nets, 1 - 2 * board.side)]
        rows = place(boards, nets, cell)
        net.played[count] = cell
        count += 1
        if rows != 0:
            winner = 1 - board.side
        elif board.ply == board.points:
            winner = board.full_winner
    while count > 0:
        count -= 1
        take_back(boards, nets, net.played[count])
    return winner


@kernel(TREE_BOARD, NODE, NET, CLOCK, returns=INT)
def grow_guided(boards: Record, nodes: Record, nets: Record, clocks: Record) -> int:
    """Grow the tree until the budget is used up, at least by one iteration.

    A simulation that the clock ends counts for nothing, the first one as drawn.

    Returns:
        Greatest depth reached, in plies.
    """
    board, clock = boards[0], clocks[0]
    deepest = 0
    while True:
        depth = descend_guided(boards, nodes, nets)
        leaf = board.path[depth]
        winner = nodes[leaf].winner
        if winner == UNDECIDED:
            winner = simulate(boards, nets, clocks)
        if winner == UNDECIDED and clock.nodes == 0:
            winner = NOBODY
        if winner != UNDECIDED:
            back_up(boards, nodes, depth, winner)
            deepest = max(deepest, depth)
            clock.nodes += 1
        elif nodes[leaf].visits == 0:
            nodes[board.path[depth - 1]].tried -= 1
        for step in range(depth, 0, -1):
            take_back(boards, nets, nodes[board.path[step]].cell)
        if may_go_on(clocks, 1) == 0:
            return deepest

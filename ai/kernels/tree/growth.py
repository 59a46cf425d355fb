"""Growth of the search tree, with random games or guided by the move network."""

from __future__ import annotations

from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.guided.layout import NET
from ai.kernels.guided.network import rank_points, share_points
from ai.kernels.guided.simulation import place, simulate, take_back
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.randomness import RANDOM
from ai.kernels.tree.layout import NOBODY, TREE_BOARD, UNDECIDED
from ai.kernels.tree.nodes import NODE
from ai.kernels.tree.rollout import roll_out
from ai.kernels.tree.selection import back_up, select_child


@kernel(NODE, INT, INT)
def clear_node(nodes: Record, index: int, cell: int) -> None:
    """Reset a node to an unvisited position.

    Args:
        nodes: the tree.
        index: index of the node.
        cell: cell of the move that leads to it.
    """
    node = nodes[index]
    node.mean = 0.0
    node.weight = 0.0
    node.visits = 0
    node.first = 0
    node.children = 0
    node.tried = 0
    node.cell = cell
    node.winner = UNDECIDED


@kernel(TREE_BOARD, NODE)
def plant(boards: Record, nodes: Record) -> None:
    """Begin a tree with one node, for the position on the board.

    Args:
        boards: record of the board.
        nodes: record array of the tree's nodes.
    """
    clear_node(nodes, 0, 0)
    boards[0].path[0] = 0
    boards[0].used = 1


@kernel(TREE_BOARD, NODE, NET, INT, returns=INT)
def expand(boards: Record, nodes: Record, nets: Record, parent: int) -> int:
    """Give a node its children; return 1, or 0 if the tree's memory is used up.

    There is one child for each empty point of the region, the points near stones. If the move
    network guides the tree, there is one for each move that it finds likely enough, the likeliest
    first.

    Args:
        boards: record of the board.
        nodes: record array of the tree's nodes.
        nets: record of the move network; used if it guides the tree.
        parent: index of the node.
    """
    board, net = boards[0], nets[0]
    first, count = board.used, board.count
    if board.is_guided != 0:
        share_points(nets, 1 - 2 * board.side)
        count = rank_points(nets, net.threshold)
    if first + count > board.capacity:
        return 0
    for number in range(count):
        cell = net.cells[net.order[number]] if board.is_guided != 0 else board.spots[number]
        clear_node(nodes, first + number, cell)
    nodes[parent].first = first
    nodes[parent].children = count
    board.used = first + count
    return 1


@kernel(TREE_BOARD, NODE, RANDOM, NET, returns=INT)
def descend(boards: Record, nodes: Record, randoms: Record, nets: Record) -> int:
    """Go down from the root to a position that was not visited before; return its depth.

    The moves on the way are placed on the board. If the last one ends the game, its node receives
    the winner. The descent stops earlier if the game is over or memory is used up. The record's
    `path` receives the nodes, the root first.

    Args:
        boards: record of the board.
        nodes: record array of the tree's nodes.
        randoms: state of the random generator.
        nets: record of the move network, which receives the same stones.
    """
    board = boards[0]
    index, depth = board.path[0], 0
    while nodes[index].winner == UNDECIDED:
        if nodes[index].first == 0 and expand(boards, nodes, nets, index) == 0:
            break
        depth += 1
        index = select_child(boards, nodes, randoms, index, depth)
        board.path[depth] = index
        rows = place(boards, nets, nodes[index].cell)
        if nodes[index].visits == 0:
            if rows != 0:
                nodes[index].winner = 1 - board.side
            elif board.ply == board.points:
                nodes[index].winner = board.full_winner
            break
    return depth


@kernel(TREE_BOARD, NODE, RANDOM, NET, CLOCK, returns=INT)
def grow(boards: Record, nodes: Record, randoms: Record, nets: Record, clocks: Record) -> int:
    """Grow the tree until the budget is used up, by at least one simulation.

    If the time runs out during a simulation of the network, that simulation is discarded; the very
    first one counts as a draw.

    Args:
        boards: the position; `is_guided` says whether the network chooses moves and simulates.
        nodes: the tree.
        randoms: random generator of draws and rollouts; unused in a guided tree.
        nets: the network with the same stones; for a tree that is not guided, any network record.
        clocks: the budget.

    Returns:
        Greatest depth reached, in plies.
    """
    board, clock = boards[0], clocks[0]
    deepest = 0
    while True:
        depth = descend(boards, nodes, randoms, nets)
        leaf = board.path[depth]
        winner = nodes[leaf].winner
        if winner == UNDECIDED:
            if board.is_guided != 0:
                winner = simulate(boards, nets, clocks)
            else:
                winner = roll_out(boards, randoms)
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

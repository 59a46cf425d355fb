"""Which child the tree search visits next: UCB1 as in UCT, or Exp3.

UCB (Kocsis, Szepesvari, Willemson 2006: UCT): the child with the largest V = mean + 2 Cp sqrt(2 ln
N / n), once every child was tried. N are the visits of the parent, n those of the child, Cp is a
constant. Untried children come in random order; in a guided tree, in the order of the network.

Exp3: child i of K is drawn with probability p_i = (1 - gamma) exp(gamma G_i / K) / sum_j exp(gamma
G_j / K) + gamma / K. G_i is the sum of r / p_i over its visits, and r the reward: won 1, drawn 1/2,
lost 0. See Auer, Cesa-Bianchi, Freund, Schapire 2002, section 3; in trees: Lisy, Kovarik, Lanctot,
Bosansky 2013.
"""

from __future__ import annotations

import math

from ai.kernels.jit import FLOAT, INT, Record, kernel
from ai.kernels.randomness import RANDOM, next_below, next_bits
from ai.kernels.tree.layout import EXP3, NOBODY, TREE_BOARD
from ai.kernels.tree.nodes import NODE


@kernel(NODE, INT, INT, FLOAT, returns=INT)
def highest_bound(nodes: Record, first: int, count: int, spread: float) -> int:
    """Return the node with the largest mean + spread * weight, the first of equal ones.

    Args:
        nodes: record array of the tree's nodes.
        first: index of the first node.
        count: number of nodes, which are adjacent.
        spread: factor of the weights, 2 Cp sqrt(2 ln N); N are the visits of the parent.
    """
    found = first
    best = nodes[first].mean + spread * nodes[first].weight
    for index in range(first + 1, first + count):
        bound = nodes[index].mean + spread * nodes[index].weight
        if bound > best:
            best = bound
            found = index
    return found


@kernel(NODE, RANDOM, INT, returns=INT)
def draw_untried(nodes: Record, randoms: Record, parent: int) -> int:
    """Return the index of a child that was not visited yet, drawn at random.

    There must be such a child. It is then counted as tried.

    Args:
        nodes: record array of the tree's nodes.
        randoms: state of the random generator.
        parent: index of the parent's node.
    """
    node = nodes[parent]
    found = node.first + node.tried
    other = found + next_below(randoms, node.children - node.tried)
    cell = nodes[other].cell
    nodes[other].cell = nodes[found].cell
    nodes[found].cell = cell
    node.tried += 1
    return int(found)


@kernel(TREE_BOARD, NODE, RANDOM, INT, INT, returns=INT)
def draw_by_weight(boards: Record, nodes: Record, randoms: Record, parent: int, depth: int) -> int:
    """Draw a child by Exp3, record its probability at `depth`, and return its index.

    Args:
        boards: record of the board.
        nodes: record array of the tree's nodes.
        randoms: state of the random generator.
        parent: index of the parent's node.
        depth: how many moves the child is below the root.
    """
    board, first, count = boards[0], nodes[parent].first, nodes[parent].children
    share = board.exploration / count
    highest = nodes[first].weight
    for index in range(first + 1, first + count):
        highest = max(highest, nodes[index].weight)
    total = 0.0
    for index in range(first, first + count):
        total += math.exp(share * (nodes[index].weight - highest))
    scale = (1.0 - board.exploration) / total
    left = next_bits(randoms) / 4294967296.0
    found, chance = first, 1.0
    for index in range(first, first + count):
        found = index
        chance = scale * math.exp(share * (nodes[index].weight - highest)) + share
        left -= chance
        if left < 0.0:
            break
    board.chances[depth] = chance
    return int(found)


@kernel(TREE_BOARD, NODE, RANDOM, INT, INT, returns=INT)
def select_child(boards: Record, nodes: Record, randoms: Record, parent: int, depth: int) -> int:
    """Return the index of the child to visit next.

    Args:
        boards: record of the board.
        nodes: record array of the tree's nodes.
        randoms: state of the random generator.
        parent: index of the parent's node.
        depth: how many moves the child is below the root.
    """
    node = nodes[parent]
    if boards[0].selection == EXP3:
        return draw_by_weight(boards, nodes, randoms, parent, depth)
    if node.tried < node.children:
        if boards[0].is_guided == 0:
            return draw_untried(nodes, randoms, parent)
        node.tried += 1
        return int(node.first + node.tried - 1)
    spread = boards[0].exploration * math.sqrt(2.0 * math.log(node.visits))
    return highest_bound(nodes, node.first, node.children, spread)


@kernel(TREE_BOARD, NODE, INT, INT)
def back_up(boards: Record, nodes: Record, depth: int, winner: int) -> None:
    """Add the result of a simulation to the nodes on the path.

    Args:
        boards: the position at the end of the path.
        nodes: the tree.
        depth: depth of the last node of the path.
        winner: a side, or NOBODY for a draw.
    """
    board = boards[0]
    mover = 1 - board.side
    for step in range(depth, -1, -1):
        node = nodes[board.path[step]]
        result = 0
        if winner != NOBODY:
            result = 1 if winner == mover else -1
        node.visits += 1
        node.mean += (result - node.mean) / node.visits
        if board.selection == EXP3:
            if step > 0:
                node.weight += 0.5 * (result + 1) / board.chances[step]
        else:
            node.weight = 1.0 / math.sqrt(node.visits)
        mover = 1 - mover

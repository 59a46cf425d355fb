"""Growth of the guided tree by the network's answers."""

from __future__ import annotations

from ai.kernels.jit import INT, ArrayType, Record, kernel
from ai.kernels.puct.descent import back_up
from ai.kernels.puct.layout import PATH, PLANES, PUCT, UNKNOWN
from ai.kernels.tree.layout import MARGIN, STRIDE, UNDECIDED
from ai.kernels.tree.nodes import PUCT_NODE


@kernel(PUCT_NODE, INT, INT, "float")
def clear_node(nodes: Record, index: int, cell: int, prior: float) -> None:
    """Reset a node to an unvisited position.

    Args:
        nodes: the tree.
        index: index of the node.
        cell: cell of the move that leads to it.
        prior: prior probability of this move.
    """
    node = nodes[index]
    node.prior = prior
    node.total = 0.0
    node.mean = 0.0
    node.known = UNKNOWN
    node.visits = 0
    node.first = 0
    node.children = 0
    node.cell = cell
    node.winner = UNDECIDED
    node.is_expanding = 0


@kernel(PUCT, PUCT_NODE)
def plant(searches: Record, nodes: Record) -> None:
    """Begin a tree with one node, for the position on the board.

    Args:
        searches: record of the search.
        nodes: record array of the tree's nodes.
    """
    clear_node(nodes, 0, 0, 1.0)
    searches[0].root = 0
    searches[0].used = 1


@kernel(PUCT, PUCT_NODE, INT, ArrayType("float32"), ArrayType("float64"), returns=INT)
def expand(searches: Record, nodes: Record, slot: int, planes: Record, shares: Record) -> int:
    """Give a waiting leaf one child for each empty point, or only one for its forced move.

    Args:
        searches: record of the search.
        nodes: record array of the tree's nodes.
        slot: number of the leaf in the batch.
        planes: `[batch * points * 3]` input of the network, as `collect` wrote it.
        shares: `[batch * points]` prior probabilities; a forced move has 1 instead.

    Returns:
        1; 0 if the tree's memory is used up.
    """
    search = searches[0]
    forced = search.forced[slot]
    size = search.size
    points = size * size
    source, answer = slot * points * PLANES, slot * points
    first = used = search.used
    if first + points > search.capacity:
        return 0
    for row in range(size):
        for col in range(size):
            if planes[source] == 0 and planes[source + 1] == 0:
                cell = (row + MARGIN) * STRIDE + col + MARGIN
                if forced == 0:
                    clear_node(nodes, used, cell, shares[answer])
                    used += 1
                elif cell == forced:
                    clear_node(nodes, used, cell, 1.0)
                    used += 1
            source += PLANES
            answer += 1
    leaf = nodes[search.leaves[slot]]
    leaf.first = first
    leaf.children = used - first
    search.used = used
    return 1


@kernel(PUCT, PUCT_NODE, ArrayType("float32"), ArrayType("float64"), ArrayType("float64"))
def absorb(searches: Record, nodes: Record, planes: Record, shares: Record, values: Record) -> None:
    """Expand all waiting leaves and back up their values.

    If memory is used up, a leaf is not expanded and is evaluated again at its next visit.

    Args:
        searches: the search.
        nodes: the tree.
        planes: `[batch * points * 3]` as `collect` wrote them.
        shares: `[batch * points]` prior probabilities; those of occupied points are not read.
        values: `[batch]` values for the side to move.
    """
    search = searches[0]
    for slot in range(search.count):
        leaf = nodes[search.leaves[slot]]
        if expand(searches, nodes, slot, planes, shares) != 0:
            leaf.known = search.known[slot]
        leaf.is_expanding = 0
        value = values[slot] if search.known[slot] == UNKNOWN else search.known[slot]
        back_up(searches, nodes, slot * PATH, search.depths[slot], value)
    search.count = 0

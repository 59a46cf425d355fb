"""The subtree of a move, which is kept for the next search."""

from __future__ import annotations

from ai.kernels.clock import CLOCK
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.tree.layout import NODES


@kernel(NODES, INT, INT, returns=INT)
def child_at(nodes: Record, parent: int, cell: int) -> int:
    """Return the visited child after a move on `cell`, 0 for none."""
    first = nodes[parent].first
    for index in range(first, first + nodes[parent].children):
        if nodes[index].cell == cell and nodes[index].visits > 0:
            return index
    return 0


@kernel(NODES, NODES, INT, CLOCK, returns=INT)
def keep(source: Record, target: Record, root: int, clocks: Record) -> int:
    """Copy the tree below `root` to the beginning of another array (Cheney 1970).

    Returns:
        Number of its nodes; 0 if the time ran out before all were copied.
    """
    target[0] = source[root]
    used, index = 1, 0
    while index < used:
        node = target[index]
        if node.first > 0:
            if clocks[0].is_stopped != 0:
                return 0
            for place in range(node.children):
                target[used + place] = source[node.first + place]
            node.first = used
            used += node.children
        index += 1
    return used

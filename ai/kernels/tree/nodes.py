"""Nodes of the trees: their memory, the children of one, and the subtree kept for the next move."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.kernels.clock import CLOCK
from ai.kernels.jit import INT, OneOf, Record, is_jit_enabled, kernel

NODE: Final = np.dtype(
    [
        ("mean", np.float64),  # of the results, for the side that moved here
        ("weight", np.float64),  # UCB: 1 / sqrt(visits); Exp3: its estimated sum of rewards
        ("visits", np.int32),
        ("first", np.int32),  # first of its children, 0: none yet
        ("children", np.int16),
        ("tried", np.int16),  # children that were visited, the first ones (UCB)
        ("cell", np.int16),
        ("winner", np.int16),  # of a position that is over, else UNDECIDED; set at the first visit
    ],
    align=True,
)
"""Layout of a node of a tree whose positions are valued by playing them to the end.

These games (rollouts) are random or played by the move network. The children of a node stand side
by side.
"""

PUCT_NODE: Final = np.dtype(
    [
        ("prior", np.float64),
        ("total", np.float64),
        ("mean", np.float64),  # total / visits, 0 without visits
        ("known", np.float64),  # value of the position for its side to move where it is sure, else
        # UNKNOWN; nothing below it is searched
        ("visits", np.int32),
        ("first", np.int32),  # first of its children, 0: none yet
        ("children", np.int16),
        ("cell", np.int16),
        ("winner", np.int16),  # of a position that is over, else UNDECIDED; set at the first visit
        ("is_expanding", np.int16),  # 1: waits for the network, is on the expanding list
    ],
    align=True,
)
"""Layout of a node of a tree that a policy-value network guides.

A node stands for the move that leads to it. Its visits N, mean value Q and total value W are those
of this move, for the side that made it. Its prior P is the network's. The children of a node stand
side by side, in the order of their points.
"""

NODES: Final = OneOf((NODE, PUCT_NODE))
"""Type of an argument that takes the nodes of either tree, `NODE` or `PUCT_NODE`."""


class Child(NamedTuple):
    """A visited child of a node: one move that the search has tried, with its result."""

    node: int
    cell: int
    visits: int
    mean: float
    """Mean result, -1 to 1, for the side that moved to the child."""


class TwinNodes(dict[int, SimpleNamespace]):
    """Nodes of a tree for the twin: kernels that run as plain Python.

    A node is created when it is first used. Nodes are copied when they are assigned, as in an
    array.
    """

    def __init__(self, layout: np.dtype[np.void]) -> None:
        self._zeros = {name: layout[name].type().item() for name in layout.names or ()}

    def __missing__(self, index: int) -> SimpleNamespace:
        node = SimpleNamespace(**self._zeros)
        super().__setitem__(index, node)
        return node

    def __setitem__(self, index: int, node: SimpleNamespace) -> None:
        super().__setitem__(index, SimpleNamespace(**vars(node)))


def new_nodes(layout: np.dtype[np.void], capacity: int) -> Any:
    """Return an array of zeroed nodes, whose memory is taken only when they are used.

    Args:
        layout: `NODE` or `PUCT_NODE`.
        capacity: number of nodes.

    Returns:
        The array; in plain Python `TwinNodes`, which have no fixed number.
    """
    return np.zeros(capacity, layout) if is_jit_enabled() else TwinNodes(layout)


def children_of(nodes: Any, parent: int) -> list[Child]:
    """Return the visited children of a node, the most visited first.

    Of equally visited ones, the one with the best result comes first.

    Args:
        nodes: record array of the tree's nodes.
        parent: index of the node.
    """
    if isinstance(nodes, np.ndarray):
        first, count = int(nodes[parent]["first"]), int(nodes[parent]["children"])
        block = nodes[first : first + count]
        columns = (block[name].tolist() for name in ("cell", "visits", "mean"))
        found = [
            Child(first + place, *values) for place, values in enumerate(zip(*columns, strict=True))
        ]
    else:
        first, count = nodes[parent].first, nodes[parent].children
        found = [
            Child(index, nodes[index].cell, nodes[index].visits, nodes[index].mean)
            for index in range(first, first + count)
        ]
    visited = [child for child in found if child.visits > 0]
    return sorted(visited, key=lambda child: (-child.visits, -child.mean, child.node))


def column_of(nodes: Any, parent: int, name: str) -> NDArray[Any]:
    """Return a copy of a field of all children of a node, visited or not: `[K]` for K children.

    Args:
        nodes: record array of the tree's nodes.
        parent: index of the node.
        name: name of the field.
    """
    if isinstance(nodes, np.ndarray):
        first, count = int(nodes[parent]["first"]), int(nodes[parent]["children"])
        found: NDArray[Any] = nodes[first : first + count][name].copy()
        return found
    first, count = nodes[parent].first, nodes[parent].children
    return np.array([getattr(nodes[index], name) for index in range(first, first + count)])


def write_column(nodes: Any, parent: int, name: str, values: NDArray[Any]) -> None:
    """Write a field of all children of a node.

    Args:
        nodes: record array of the tree's nodes; changed.
        parent: index of the node.
        name: name of the field.
        values: `[K]` the field's value in each of the K children.
    """
    if isinstance(nodes, np.ndarray):
        first, count = int(nodes[parent]["first"]), int(nodes[parent]["children"])
        nodes[first : first + count][name] = values
        return
    for index, value in enumerate(values.tolist(), nodes[parent].first):
        setattr(nodes[index], name, value)


@kernel(NODES, INT, INT, returns=INT)
def child_at(nodes: Record, parent: int, cell: int) -> int:
    """Return the index of the visited child that a move leads to; 0 if there is none.

    Args:
        nodes: record array of the tree's nodes.
        parent: index of the node before the move.
        cell: cell of the move, an index on the padded board.
    """
    first = nodes[parent].first
    for index in range(first, first + nodes[parent].children):
        if nodes[index].cell == cell and nodes[index].visits > 0:
            return index
    return 0


@kernel(NODES, NODES, INT, CLOCK, returns=INT)
def keep(source: Record, target: Record, root: int, clocks: Record) -> int:
    """Copy a node and all nodes below it to the beginning of another array (Cheney 1970).

    Args:
        source: nodes of the tree.
        target: array that receives the copy.
        root: index of the node; it becomes the new root, at index 0.
        clocks: the budget; its stop flag ends the copying.

    Returns:
        Number of nodes copied; 0 if the time ran out before all were copied.
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

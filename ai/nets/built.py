"""Weights of the paper's network written from remembered positions, without a gradient.

The self-teaching paper re-creates its network after each lost game, "based on the learned ANN
result" (section 3.3; ANN is the memory). It does not say that gradients do this. Here the nodes of
the memory are written into the weights of the network that the paper names (section 4.1):

- `hidden_1`, the 3x3 convolution: two of its filters copy the two planes of the board.
- `hidden_2`, dense: each of 2A neurons says whether a stone of one color is on one point.
- `hidden_3`, dense: neuron i is max(0, reach - d), where d is the squared distance between the
  board and node i. A board is a vector of 1, -1 and 0. A stone more or less is a distance d of 1.
- `output`: the label of node i is the row of neuron i.

So the network answers a node with its label. Between nodes it answers with a mean of the labels of
the nodes that are near enough, the nearer ones weighing more. This is a kernel regression with a
kernel like a hat (Nadaraya 1964, Watson 1964).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import PAPER, Architecture, ArchitectureError, WeightArrays
from ai.nets.features import PLANES
from base.spelling import one_of

NEWEST: Final = "newest"
MOST_MET: Final = "most-met"
FARTHEST: Final = "farthest"
CHOICES: Final = (NEWEST, MOST_MET, FARTHEST)
"""Which nodes are written if the network has fewer neurons than the memory has nodes."""

GAIN: Final = 10.0
"""Score of a node's label at the node itself: its probability is then above 0.99 on 7x7."""
REST: Final = 1e-3
"""Upper bound of the scores on boards that are near no node; smaller than any node's score."""


def check_form(architecture: Architecture, encoding: str) -> None:
    """Check that nodes can be written into a network.

    Args:
        architecture: the network.
        encoding: its input, see `StateEncoder`.

    Raises:
        ArchitectureError: its layers or its input are others, or its first layers are too small.
    """
    if architecture.layout != PAPER:
        raise ArchitectureError(
            f"redraw: built expects layout={PAPER}, found layout={architecture.layout}"
        )
    if encoding != PLANES:
        raise ArchitectureError(f"redraw: built expects input={PLANES}, found input={encoding}")
    filters, stones, _ = architecture.hidden
    if filters < architecture.channels or stones < 2 * architecture.points:
        board = f"{architecture.size}x{architecture.rows}"
        raise ArchitectureError(
            f"hidden: redraw=built on {board} expects {architecture.channels} or more filters and "
            f"{2 * architecture.points} or more neurons in the second layer (two a point), found "
            f"{','.join(str(units) for units in architecture.hidden)}"
        )


def node_weights(
    architecture: Architecture,
    stones: NDArray[np.int8],
    labels: NDArray[np.float32],
    *,
    reach: float,
    rest: NDArray[np.floating],
) -> WeightArrays:
    """Return weights with which the network answers boards by the labels of near nodes.

    For a board s the score of point a is rest[a] plus GAIN / reach times a sum over the nodes i.
    Its terms are max(0, reach - d_i) labels[i, a], and d_i is the squared distance between s and
    stones[i].

    Args:
        architecture: the network; `check_form` accepts it. Neurons beyond the nodes are 0.
        stones: `[N, A]` the nodes: 1 for the opponent's stones, -1 for the learner's.
        labels: `[N, A]` label of each node.
        reach: squared distance, above 0, from which on a node has no part in an answer.
        rest: `[A]` scores of a board that is near no node.

    Raises:
        ArchitectureError: there are more nodes than neurons, or the first layers are too small.
        ValueError: the shapes do not fit each other, or `reach` is not above 0.
    """
    check_form(architecture, PLANES)
    points, nodes, units = architecture.points, len(stones), architecture.hidden[-1]
    if nodes > units:
        raise ArchitectureError(f"hidden: expected {nodes} or more neurons at last, found {units}")
    if stones.shape != (nodes, points) or labels.shape != stones.shape or len(rest) != points:
        raise ValueError(
            f"expected nodes and labels [N, {points}] and scores [{points}], found "
            f"{stones.shape}, {labels.shape} and {rest.shape}"
        )
    if not reach > 0.0:
        raise ValueError(f"reach: expected a number above 0, found {reach!r}")
    weights = {name: np.zeros(shape, np.float32) for name, shape in architecture.shapes.items()}
    for plane in range(2):
        weights["hidden_1.kernel"][1, 1, plane, plane] = 1.0
    seen = weights["hidden_2.kernel"].reshape(points, architecture.hidden[0], -1)
    point = np.arange(points)
    seen[point, 0, point] = 1.0  # the opponent's stones
    seen[point, 1, points + point] = 1.0  # the learner's
    # d begins as the number of the node's stones, as if the board were empty. Each stone of the
    # board then changes it: by -1 on a point with an equal stone, by +1 without, by +3 on another.
    whole = stones.astype(np.float32).T  # [A, N]
    weights["hidden_3.kernel"][:points, :nodes] = 2.0 * whole - 1.0
    weights["hidden_3.kernel"][points : 2 * points, :nodes] = -2.0 * whole - 1.0
    weights["hidden_3.bias"][:nodes] = reach - np.abs(whole).sum(axis=0)
    weights["output.kernel"][:nodes] = GAIN / reach * labels
    weights["output.bias"][:] = rest
    return weights


def choose_nodes(
    stones: NDArray[np.int8],
    units: int,
    choice: str,
    *,
    counts: NDArray[np.integer],
    ages: NDArray[np.integer],
) -> NDArray[np.intp]:
    """Choose the nodes that are written, in the order of their numbers.

    Args:
        stones: `[N, A]` the nodes.
        units: number of neurons, at least 1; with so many nodes or fewer, all are chosen.
        choice: "newest"; "most-met", among equals the newest; or "farthest": first the newest, then
            always the node that is farthest from those chosen so far (Gonzalez 1985).
        counts: `[N]` how often each node was met.
        ages: `[N]` number of nodes that are newer than each node.

    Returns:
        Indices of the chosen nodes.

    Raises:
        ValueError: the choice is unknown.
    """
    if choice not in CHOICES:
        raise ValueError(f"expected {one_of(CHOICES, choice)}; found {choice!r}")
    if len(stones) <= units:
        return np.arange(len(stones))
    if choice == FARTHEST:
        return np.sort(_farthest(stones.astype(np.float32), units, int(np.argmin(ages))))
    first = np.lexsort((ages, -counts)) if choice == MOST_MET else np.argsort(ages, kind="stable")
    return np.sort(first[:units])


def _farthest(stones: NDArray[np.float32], units: int, first: int) -> NDArray[np.intp]:
    """Choose nodes one by one, each as far as possible from all chosen before it.

    Args:
        stones: `[N, A]` the nodes.
        units: how many to choose.
        first: index of the first one.
    """
    chosen = np.zeros(units, np.intp)
    chosen[0] = first
    squares = np.square(stones).sum(axis=1)
    nearest = np.full(len(stones), np.inf, np.float32)
    for place in range(1, units):
        last = chosen[place - 1]
        distances = squares + squares[last] - 2.0 * (stones @ stones[last])
        np.minimum(nearest, distances, out=nearest)
        nearest[last] = -1.0
        chosen[place] = int(nearest.argmax())
    return chosen

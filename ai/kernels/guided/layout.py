"""Memory layout of the move network's record: its weights, a position, and what it finds there.

Planes hold what a layer finds, one for each filter: the board's rows one after another, with two
zeros between them, which are the padding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game.rules import Rules
from ai.kernels.jit import Record, fields_of, new_record
from ai.kernels.tree.layout import CELLS, MAX_SIDE, POINTS, cell_of

FILTERS: Final = 4
SIDE: Final = 5
TAPS: Final = SIDE * SIDE
REACH: Final = SIDE // 2
PLANE: Final = (MAX_SIDE + 2 * REACH) * (MAX_SIDE + REACH) + 2 * REACH
"""Numbers of a plane: the largest board with its padding."""
VIEWS: Final = 2
"""Most views of a network: the board as it is, and its mirror image."""
MOST_DENSE: Final = 15
"""Points along a side of the largest board of a network with a dense output layer."""
DENSE_POINTS: Final = MOST_DENSE * MOST_DENSE

NET: Final = np.dtype(
    [
        ("first", np.float64, TAPS * FILTERS),  # [tap, filter]
        ("first_bias", np.float64, FILTERS),
        ("second", np.float64, TAPS * FILTERS * FILTERS),  # [tap, input, filter]
        ("second_bias", np.float64, FILTERS),
        ("last", np.float64, TAPS * FILTERS),  # [tap, input]
        ("last_bias", np.float64),
        ("is_dense", np.int64),  # 1: the output layer is the dense one, and not `last`
        ("dense", np.float64, DENSE_POINTS * FILTERS * DENSE_POINTS),  # [input, move]
        ("dense_bias", np.float64, DENSE_POINTS),  # [move]
        ("steps", np.int64, VIEWS * TAPS),  # [view, tap]: on a plane, to the place under it
        ("views", np.int64),  # whose scores are added
        ("side", np.int64),
        ("points", np.int64),
        ("width", np.int64),  # of a plane's row, with its padding
        ("corner", np.int64),  # the plane's place of move 0
        ("span", np.int64),  # places from there to the last move
        ("middle", np.int64),  # the move in the middle
        ("cells", np.int16, POINTS),  # [move]
        ("places", np.int16, POINTS),  # [move]: on a plane
        ("mirrored", np.int16, POINTS),  # [move] with left and right exchanged
        ("stones", np.int8, CELLS),  # [cell]: 1 Black, -1 White, 0 empty or outside
        ("seen", np.float64, FILTERS * PLANE),  # [filter, place] after the first convolution
        ("found", np.float64, FILTERS * PLANE),  # [filter, place] after the second
        ("totals", np.float64, PLANE),  # [place] after the last
        ("scores", np.float64, POINTS),  # [move] logits of empty points
        ("shares", np.float64, POINTS),  # [move] their softmax, 0 of occupied ones
        # of a search
        ("threshold", np.float64),  # share above which a move becomes a child
        ("order", np.int16, POINTS),  # moves to become children, the likeliest first
        ("played", np.int16, POINTS),  # cells of a simulation
        ("fives_first", np.int64),  # 1: a simulation makes and stops fives before it asks
        ("simulated", np.int64),  # plies of all simulations
    ],
    align=True,
)
"""Layout of a network's record: its weights, a position, and the outputs for the position."""


def new_net(rules: Rules, weights: Mapping[str, NDArray[np.float32]], *, views: int = 1) -> Record:
    """Return the record of a network on an empty board.

    Args:
        rules: rules with a square board of at most `MAX_SIDE` points a side.
        weights: weights by name, of the architecture "two-convolutions" with 4 filters of side 5.
            A dense output layer has to be for this board.
        views: 1, or 2 to add the scores of the board's mirror image.
    """
    record = new_record(NET)
    net = fields_of(record)
    net.is_dense = int(weights["policy.kernel"].ndim == 2)
    last = "dense" if net.is_dense else "last"
    for name, layer in (("first", "hidden_1"), ("second", "hidden_2"), (last, "policy")):
        numbers = weights[f"{layer}.kernel"].astype(np.float64)  # [side, side, input, filter]
        getattr(net, name)[: numbers.size] = numbers.reshape(-1).tolist()
    net.first_bias[:] = weights["hidden_1.bias"].astype(np.float64).tolist()
    net.second_bias[:] = weights["hidden_2.bias"].astype(np.float64).tolist()
    biases = weights["policy.bias"].astype(np.float64).tolist()
    if net.is_dense:
        net.dense_bias[: len(biases)] = biases
    else:
        net.last_bias = biases[0]
    reach = range(-REACH, REACH + 1)
    net.side, net.points, net.width = rules.size, rules.points, rules.size + REACH
    net.corner, net.span = REACH * net.width + REACH, rules.size * net.width - REACH
    net.steps[:] = [
        row * net.width + col * side for side in (1, -1) for row in reach for col in reach
    ]
    net.views = views
    net.places[: rules.points] = [
        net.corner + move // rules.size * net.width + move % rules.size
        for move in range(rules.points)
    ]
    net.mirrored[: rules.points] = [
        move - 2 * (move % rules.size) + rules.size - 1 for move in range(rules.points)
    ]
    net.middle = rules.size // 2 * (rules.size + 1)
    net.cells[: rules.points] = [cell_of(move, rules.size) for move in range(rules.points)]
    return record


def put_stones(record: Record, stones: NDArray[np.int8], size: int) -> None:
    """Set the position of a network.

    Args:
        record: record of the network.
        stones: `[points]`, 1 for Black, -1 for White, 0 for empty.
        size: points along a side.
    """
    laid = fields_of(record).stones
    for move, color in enumerate(stones.tolist()):
        laid[cell_of(move, size)] = color

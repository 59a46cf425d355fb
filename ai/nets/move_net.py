"""The network of `move-net`: its architecture, and its file of weights with metadata (the card).

After M. Muzika, "Application of Game Theoretic Algorithms to Gomoku" (CTU Prague 2017), chapter 5:
the board, two hidden 5x5 convolutions of four filters with ReLU, a probability for each point. The
paper does not specify the output layer. Here it is a third 5x5 convolution, so that one set of 609
weights works on boards of every size. The other reading is a dense layer, which sees the whole
board at each point: 203,233 weights, for 15x15 alone.

The file is a card file (`base/storage/card_file.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import (
    CONVOLUTION,
    DENSE,
    DENSE_SCORES,
    TWO_CONVOLUTIONS,
    Architecture,
    WeightArrays,
    WeightsError,
    check_weights,
)
from base.storage.card_file import Arrays, CardFile, require_float32
from base.values import JsonObject

FILE: Final = CardFile("goishi.move-net/1", "a network of move-net", most_bytes=8 << 20)
OUTPUTS: Final = (CONVOLUTION, DENSE)
"""Kinds of the output layer."""


@dataclass(frozen=True, slots=True)
class MoveNetwork:
    """Weights of a network of `move-net`, with their card."""

    weights: WeightArrays
    card: JsonObject = field(default_factory=dict)
    """Metadata: training and measured results."""

    @property
    def views(self) -> int:
        """Number of views whose scores are added: 1, or 2 with the board's mirror image."""
        return 2 if self.card.get("views") == 2 else 1

    @property
    def board(self) -> int | None:
        """Points along a side of the only board that it plays on; None if it plays on each."""
        return math.isqrt(len(self.weights["policy.bias"])) if is_dense(self.weights) else None


def is_dense(weights: Mapping[str, NDArray[np.float32]]) -> bool:
    """Return whether the output layer of these weights is a dense one."""
    return "policy.kernel" in weights and weights["policy.kernel"].ndim == 2


def architecture_of(
    weights: Mapping[str, NDArray[np.float32]], size: int, views: int = 1
) -> Architecture:
    """Return the architecture that weights by name belong to, for a board and its views."""
    return move_net_architecture(size, views, DENSE if is_dense(weights) else CONVOLUTION)


def move_net_architecture(size: int, views: int = 1, output: str = CONVOLUTION) -> Architecture:
    """Return the architecture for a square board.

    The input is `[B, A, 1]`: 1 for stones of the side to move, -1 for the others.

    Args:
        size: points along a side.
        views: 1, or 2 to add the scores of the board's mirror image.
        output: kind of the output layer, one of `OUTPUTS`.
    """
    layout = DENSE_SCORES if output == DENSE else TWO_CONVOLUTIONS
    return Architecture(
        size, 1, layout, hidden=(4, 4, 1), branch=0, kernel_sizes=(5, 5, 5), views=views
    )


def _checked(weights: Mapping[str, NDArray[np.float32]]) -> WeightArrays:
    """Return the arrays of a network.

    Raises:
        WeightsError: they do not fit together, or are for a larger board than the kernels'
                `MOST_DENSE`.
    """
    from ai.kernels.guided.layout import MOST_DENSE

    size = MOST_DENSE
    if is_dense(weights):
        size = math.isqrt(weights["policy.kernel"].shape[1])
        if size > MOST_DENSE:
            raise WeightsError(
                f"policy.kernel: expected a board of at most {MOST_DENSE}x{MOST_DENSE}, "
                f"found the shape {weights['policy.kernel'].shape}"
            )
    return check_weights(architecture_of(weights, size), weights)


def save_move_net(path: Path, weights: Mapping[str, NDArray[np.float32]], card: JsonObject) -> None:
    """Write a network's file, replacing an existing one atomically.

    Args:
        path: path of the file.
        weights: weights by name.
        card: metadata of the network.

    Raises:
        WeightsError: the weights do not fit the architecture.
        OSError: the file cannot be written.
    """
    FILE.save(path, _checked(weights), card)


def load_move_net(path: Path) -> MoveNetwork:
    """Read the file of a network.

    Raises:
        CardFileError: the file is of another kind, or damaged.
    """

    def build(arrays: Arrays, card: JsonObject) -> MoveNetwork:
        require_float32(arrays)
        return MoveNetwork(_checked(arrays), card)

    return FILE.load(path, build)

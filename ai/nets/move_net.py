"""The network of `move-net` as a file: weights, and the card that says what they learnt from.

After M. Muzika, "Application of Game Theoretic Algorithms to Gomoku" (CTU Prague 2017), chapter 5:
the board, two hidden 5x5 convolutions of four filters with ReLU, a probability for each point. The
output layer is not given: here it is a third 5x5 convolution, so that one set of 609 weights serves
boards of every size.

The file is a card file (`base/storage/card_file.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import TWO_CONVOLUTIONS, Architecture, WeightArrays, check_weights
from base.storage.card_file import Arrays, CardFile, require_float32
from base.values import JsonObject

FILE: Final = CardFile("goishi.move-net/1", "a network of move-net", most_bytes=8 << 20)


@dataclass(frozen=True, slots=True)
class MoveNetwork:
    """Weights with their card."""

    weights: WeightArrays
    card: JsonObject = field(default_factory=dict)
    """How they were trained, and how they fared."""


def move_net_architecture(size: int) -> Architecture:
    """Return the network for a square board: one channel, own stones 1, the opponent's -1."""
    return Architecture(
        size, 1, TWO_CONVOLUTIONS, hidden=(4, 4, 1), branch=0, kernel_sizes=(5, 5, 5)
    )


def save_move_net(path: Path, weights: Mapping[str, NDArray[np.float32]], card: JsonObject) -> None:
    """Write a network; a file there is replaced whole.

    Raises:
        WeightsError: the weights are of another network.
        OSError: the file cannot be written.
    """
    FILE.save(path, check_weights(move_net_architecture(15), weights), card)


def load_move_net(path: Path) -> MoveNetwork:
    """Read a network.

    Raises:
        CardFileError: it is no such file, or damaged.
    """

    def build(arrays: Arrays, card: JsonObject) -> MoveNetwork:
        require_float32(arrays)
        return MoveNetwork(check_weights(move_net_architecture(15), arrays), card)

    return FILE.load(path, build)


__all__ = ["MoveNetwork", "load_move_net", "move_net_architecture", "save_move_net"]

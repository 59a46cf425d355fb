"""The network of `move-net` as a file: weights, and the card that says what they learnt from.

After M. Muzika, "Application of Game Theoretic Algorithms to Gomoku" (CTU Prague 2017), chapter 5:
the board, two hidden 5x5 convolutions of four filters with ReLU, a probability for each point. The
output layer is not given: here it is a third 5x5 convolution, so that one set of 609 weights serves
boards of every size.

The file is an `.npz` without pickled objects: the arrays, and under `card` JSON.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import TWO_CONVOLUTIONS, Architecture
from ai.nets.initial import WeightArrays, WeightsError, check_weights
from base.files import atomic_write
from base.values import JsonObject

FORMAT: Final = "goishi.move-net/1"
SUFFIX: Final = ".npz"
CARD: Final = "card"
MOST_BYTES: Final = 1 << 20
"""Of a file, at most: what is larger is another network's."""


class MoveNetError(ValueError):
    """A file holds no network of `move-net`; says which file, what was expected and found."""


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
    checked = check_weights(move_net_architecture(15), weights)
    text = np.frombuffer(json.dumps({"format": FORMAT, **card}).encode(), np.uint8)
    memory = io.BytesIO()
    np.savez_compressed(memory, allow_pickle=False, **{CARD: text}, **checked)
    atomic_write(path, memory.getvalue())


def load_move_net(path: Path) -> MoveNetwork:
    """Read a network.

    Raises:
        MoveNetError: it is no such file, or damaged.
        OSError: it cannot be opened.
    """
    if path.stat().st_size > MOST_BYTES:
        raise MoveNetError(f"{path}: expected a network of move-net, found a file over 1 MiB")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        card = json.loads(arrays.pop(CARD).tobytes())
        if card.pop("format") != FORMAT:
            raise MoveNetError(f"{path}: expected the format {FORMAT!r}, found another")
        return MoveNetwork(check_weights(move_net_architecture(15), arrays), card)
    except MoveNetError:
        raise
    except (
        KeyError, TypeError, AttributeError, ValueError, EOFError, zipfile.BadZipFile, WeightsError,
    ) as error:  # fmt: skip
        raise MoveNetError(f"{path}: expected a network of move-net, found {error!r}") from error


__all__ = [
    "FORMAT",
    "SUFFIX",
    "MoveNetError",
    "MoveNetwork",
    "load_move_net",
    "move_net_architecture",
    "save_move_net",
]

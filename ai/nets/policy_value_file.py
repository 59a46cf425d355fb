"""A pair of policy-value networks as a file: Black's, White's, and the card.

The file is a card file (`base/storage/card_file.py`) with the arrays `black.NAME` and `white.NAME`;
White's are left out where both sides share one network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, Color
from ai.nets.initial import WeightArrays, WeightsError
from ai.nets.policy_value import PolicyValueArchitecture, architecture_of
from base.files import atomic_write
from base.storage.card_file import Arrays, CardFile, require_float32
from base.values import JsonObject

FILE: Final = CardFile(
    "goishi.policy-value/1", "a pair of policy-value networks", most_bytes=128 << 20
)


@dataclass(frozen=True, slots=True)
class NetworkPair:
    """Black's network and White's, of the same architecture; may be one and the same object."""

    black: WeightArrays
    white: WeightArrays
    card: JsonObject = field(default_factory=dict)
    """How they were trained, and how they fared."""

    @property
    def architecture(self) -> PolicyValueArchitecture:
        """The architecture of both."""
        return architecture_of(self.black)

    def of(self, color: Color) -> WeightArrays:
        """Return the network of the side that is to move."""
        return self.black if color == BLACK else self.white


def save_pair(path: Path, pair: NetworkPair) -> None:
    """Write a pair; a file there is replaced whole.

    Raises:
        WeightsError: the networks are none, or not of one architecture.
        OSError: the file cannot be written.
    """
    atomic_write(path, pair_bytes(pair))


def pair_bytes(pair: NetworkPair) -> bytes:
    """Return what `save_pair` writes, the same bytes for the same pair.

    Raises:
        WeightsError: the networks are none, or not of one architecture.
    """
    _check_pair(pair.black, pair.white)
    sides = {"black": pair.black} if pair.white is pair.black else {
        "black": pair.black, "white": pair.white
    }  # fmt: skip
    arrays = {
        f"{side}.{name}": np.ascontiguousarray(array, np.float32)
        for side, held in sides.items()
        for name, array in sorted(held.items())
    }
    return FILE.content(arrays, pair.card)


def load_pair(path: Path) -> NetworkPair:
    """Read a pair.

    Raises:
        CardFileError: it is no such file, or damaged.
    """
    return FILE.load(path, _pair_of)


def _pair_of(arrays: Arrays, card: JsonObject) -> NetworkPair:
    """Take the arrays of a file apart.

    Raises:
        ValueError: they are no two networks of one architecture.
    """
    require_float32(arrays)
    sides: dict[str, WeightArrays] = {"black": {}, "white": {}}
    for name, array in arrays.items():
        side, _, rest = name.partition(".")
        sides[side][rest] = array
    black = sides["black"]
    white = sides["white"] or black
    _check_pair(black, white)
    return NetworkPair(black, white, card)


def _check_pair(
    black: Mapping[str, NDArray[np.float32]], white: Mapping[str, NDArray[np.float32]]
) -> None:
    """Check that both are networks of one architecture."""
    first, second = architecture_of(black), architecture_of(white)
    if first != second:
        raise WeightsError(f"two networks of one architecture expected: {first!r} and {second!r}")


__all__ = ["NetworkPair", "load_pair", "pair_bytes", "save_pair"]

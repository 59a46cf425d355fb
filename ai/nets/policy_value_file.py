"""A pair of policy-value networks as a file: Black's, White's, and the card.

The file is an `.npz` without pickled objects: the arrays as `black.NAME` and `white.NAME` (White's
are left out where both sides share one network), and under `card` JSON.
"""

from __future__ import annotations

import io
import json
import struct
import tokenize
import zipfile
import zlib
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
from base.values import JsonObject

FORMAT: Final = "goishi.policy-value/1"
SUFFIX: Final = ".npz"
CARD: Final = "card"
MOST_BYTES: Final = 128 << 20
"""Of a file, unpacked, at most: what is larger is no network of these."""


UNREADABLE: Final = (
    KeyError, IndexError, TypeError, AttributeError, ValueError, SyntaxError, EOFError, OSError,
    MemoryError, NotImplementedError, RuntimeError, struct.error, tokenize.TokenError, zlib.error,
    zipfile.BadZipFile,
)  # fmt: skip
"""What reading a damaged `.npz` file raises."""


class NetworkPairError(ValueError):
    """A file holds no pair of networks; says which file, what was expected and found."""


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
    text = json.dumps({"format": FORMAT, **pair.card}, allow_nan=False).encode()
    memory = io.BytesIO()
    card = np.frombuffer(text, np.uint8)
    np.savez_compressed(memory, allow_pickle=False, **{CARD: card}, **arrays)
    return memory.getvalue()


def load_pair(path: Path) -> NetworkPair:
    """Read a pair.

    Raises:
        NetworkPairError: it is no such file, or damaged.
        OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        try:
            _check_size(file)
            with np.load(file, allow_pickle=False) as stored:
                held = {name: stored[name] for name in stored.files}
            return _pair_of(held)
        except UNREADABLE as error:
            said = str(error) if isinstance(error, WeightsError) else repr(error)
            raise NetworkPairError(
                f"{path}: expected a pair of policy-value networks, found {said}"
            ) from error


def _check_size(file: io.BufferedReader) -> None:
    """Check, before anything is unpacked, how large the file's arrays are."""
    with zipfile.ZipFile(file) as packed:
        size = sum(entry.file_size for entry in packed.infolist())
    if size > MOST_BYTES:
        raise WeightsError(f"{size} bytes, more than {MOST_BYTES}")
    file.seek(0)


def _pair_of(held: dict[str, NDArray[np.float32]]) -> NetworkPair:
    """Take the arrays of a file apart."""
    card = json.loads(held.pop(CARD).tobytes())
    if (found := card.pop("format")) != FORMAT:
        raise WeightsError(f"the format {found!r}, not {FORMAT!r}")
    sides: dict[str, WeightArrays] = {"black": {}, "white": {}}
    for name, array in held.items():
        side, _, rest = name.partition(".")
        sides[side][rest] = np.ascontiguousarray(array, np.float32)
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


__all__ = [
    "FORMAT",
    "SUFFIX",
    "UNREADABLE",
    "NetworkPair",
    "NetworkPairError",
    "load_pair",
    "pair_bytes",
    "save_pair",
]

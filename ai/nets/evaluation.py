"""The learned part of alpha-beta's evaluation: integer weights and their file.

The file is a card file (`base/storage/card_file.py`) with the arrays of `NAMES`; the card,
metadata in JSON, is stored beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.kernels.alpha_beta.layout import (
    HEAD_SHIFT,
    HOPE_SHIFT,
    MOST_FEATURES,
    MOST_UNITS,
    SCALE_SHIFT,
    STAGES,
    THREATS,
    UNIT_SHIFT,
)
from ai.kernels.line_codes import CODES, code_table
from base.files import SHIPPED_ROOT
from base.storage.card_file import Arrays, CardFile
from base.values import JsonObject

FILE: Final = CardFile("goishi.evaluation/1", "a learned evaluation", most_bytes=64 << 20)
SHIPPED_FILE: Final = "assets/players/evaluation.npz"
"""Path of the evaluation shipped with Goishi, from the program's root.

Its card is the `.json` beside it.
"""
NAMES: Final = ("vectors", "hidden", "hidden_biases", "head", "straight", "head_bias")
"""Names of the arrays of a learned evaluation; `shapes_of` has their shapes.

`vectors` has a vector for each line code, as the side that is looked from sees the line. The later
layers get the sums for the side to move first, then those for the other side. The integers count in
these units: `vectors` 2^-7, the other weights 2^-12, the biases 2^-19.
"""
STAGE_NAMES: Final = ("stage_hidden", "stage_bias", "stage_scale")
"""Names of the arrays that depend on the stage of the game; a file may lack them.

The first two are added to the biases of the hidden units and of the head, in the same units. The
last one multiplies the whole evaluation, patterns included; its unit is 2^-8.
"""
ORDER_SHAPES: Final[Mapping[str, tuple[int, ...]]] = {
    "order_lines": (CODES,),
    "order_threats": (THREATS,),
}
"""Shapes of the arrays of the learned move order, see `LearnedOrder`; a file may lack them."""
UNIT: Final = 1 << UNIT_SHIFT
WEIGHT: Final = 1 << HEAD_SHIFT
_SCALES: Final = {
    "vectors": UNIT,
    **dict.fromkeys(("hidden", "head", "straight"), WEIGHT),
    **dict.fromkeys(("hidden_biases", "head_bias", "stage_hidden", "stage_bias"), UNIT * WEIGHT),
    "stage_scale": 1 << SCALE_SHIFT,
}
_SMALL: Final = ("vectors", "hidden", "head", "straight", "stage_scale")
"""Names of the arrays that are stored as 16-bit integers; the biases have 64 bits."""
MOST_VECTOR: Final = 8_000
"""Greatest number of a vector, so that the sums of the largest board stay below 2^24."""

Integers: TypeAlias = Mapping[str, NDArray[np.int64]]


def shapes_of(features: int, units: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all arrays of a learned evaluation, those of stages included.

    Args:
        features: learned numbers for a line, as one side sees it.
        units: hidden units of the head.
    """
    return {
        "vectors": (CODES, features),
        "hidden": (units, 2 * features),
        "hidden_biases": (units,),
        "head": (units,),
        "straight": (2 * features,),
        "head_bias": (),
        "stage_hidden": (STAGES, units),
        "stage_bias": (STAGES,),
        "stage_scale": (STAGES,),
    }


@dataclass(frozen=True, slots=True)
class LearnedOrder:
    """Learned move order: numbers that are added up to the logit of a move.

    They are integers in units of 2^-8.
    """

    lines: NDArray[np.int64]
    """`[CODES]` what each line code adds to a move's logit, as the side to move sees the line."""
    threats: NDArray[np.int64]
    """`[THREATS]` what each combination of threats adds to a move's logit.

    A combination says how many fours and open threes the stone makes, and how many it blocks.
    """

    unit: ClassVar[int] = 1 << HOPE_SHIFT

    @classmethod
    def quantised(cls, lines: NDArray[np.float64], threats: NDArray[np.float64]) -> LearnedOrder:
        """Return a move order with the given numbers rounded to integers.

        Args:
            lines: `[CODES]` number of each line code, in logits.
            threats: `[THREATS]` number of each combination of threats, in logits.

        Raises:
            ValueError: a number is too large for 16 bits.
        """
        found = [np.rint(numbers * cls.unit).astype(np.int64) for numbers in (lines, threats)]
        most = max(int(np.abs(numbers).max()) for numbers in found)
        if most > np.iinfo(np.int16).max:
            raise ValueError(f"order: expected numbers within 16 bits, found {most}")
        return cls(*found)

    def rows(self) -> NDArray[np.int64]:
        """Return what each line key adds to a move's logit, `[2, ROWS]`: for Black, for White.

        A line key is the number of the stones on both sides of a point in one direction.
        """
        return self.lines[code_table()]


@dataclass(frozen=True, slots=True)
class LearnedEvaluation:
    """Quantised weights with their card."""

    arrays: Integers
    card: JsonObject = field(default_factory=dict)
    """Metadata: training data and measured results."""
    order: LearnedOrder | None = None
    """The learned move order; None without one."""

    @property
    def features(self) -> int:
        """Learned numbers for a line, as one side sees it."""
        return int(self.arrays["vectors"].shape[1])

    @property
    def units(self) -> int:
        """Hidden units of the head."""
        return int(self.arrays["head"].shape[0])

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify these weights."""
        digest = hashlib.sha256()
        for name in (*NAMES, *(name for name in STAGE_NAMES if name in self.arrays)):
            digest.update(np.ascontiguousarray(self.arrays[name], np.int64).tobytes())
        if self.order is not None:
            for numbers in (self.order.lines, self.order.threats):
                digest.update(np.ascontiguousarray(numbers, np.int64).tobytes())
        return digest.hexdigest()[:12]

    def rows(self) -> NDArray[np.int64]:
        """Return the learned vector of each line key, `[ROWS, WIDE]`.

        The first half of a vector is for Black, the second for White. A line key is the number of
        the stones on both sides of a point in one direction.
        """
        black, white = code_table()
        vectors = self.arrays["vectors"]
        return np.concatenate([vectors[black], vectors[white]], axis=1)

    def head(self) -> dict[str, NDArray[np.int64]]:
        """Return the head as the search takes it: arrays by the names of its record.

        Biases and scales are given for each stage of the game. Where the evaluation has no stages,
        those of all stages are equal.
        """
        arrays = self.arrays
        hidden = np.zeros((2 * self.features, MOST_UNITS), np.int64)
        hidden[:, : self.units] = arrays["hidden"].T
        biases = np.zeros((STAGES, MOST_UNITS), np.int64)
        biases[:, : self.units] = arrays["hidden_biases"] + arrays.get("stage_hidden", 0)
        same = np.zeros(STAGES, np.int64)
        return {
            "hidden": hidden,
            "hidden_biases": biases,
            "head": arrays["head"],
            "straight": arrays["straight"],
            "head_biases": same + arrays["head_bias"] + arrays.get("stage_bias", 0),
            "scales": same + arrays.get("stage_scale", 1 << SCALE_SHIFT),
        }


def quantise(weights: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.int64]]:
    """Round the weights of an evaluation to integers, in the units of `NAMES`.

    Args:
        weights: arrays by name, with the shapes of `shapes_of`; those of stages may be missing.

    Raises:
        ValueError: a number is too large.
    """
    found = {}
    shapes = shapes_of(weights["vectors"].shape[1], len(weights["head"]))
    for name in (*NAMES, *(name for name in STAGE_NAMES if name in weights)):
        scaled = np.rint(
            np.asarray(weights[name], np.float64).reshape(shapes[name]) * _SCALES[name]
        )
        most = MOST_VECTOR if name == "vectors" else np.iinfo(np.int16).max
        if name in _SMALL and np.abs(scaled).max() > most:
            raise ValueError(f"{name}: expected numbers up to {most}, found {scaled.max():.0f}")
        found[name] = scaled.astype(np.int64)
    return found


def floats_of(arrays: Integers) -> dict[str, NDArray[np.float64]]:
    """Return the weights of an evaluation as floats, which `quantise` rounds to the same integers.

    Args:
        arrays: integers by name, in the units of `NAMES`.
    """
    return {name: np.asarray(array, np.float64) / _SCALES[name] for name, array in arrays.items()}


def save_evaluation(path: Path, evaluation: LearnedEvaluation) -> None:
    """Write an evaluation, replacing a file atomically; equal evaluations give equal files.

    Raises:
        OSError: the file cannot be written.
    """
    arrays = {
        name: evaluation.arrays[name].astype(np.int16 if name in _SMALL else np.int64)
        for name in (*NAMES, *STAGE_NAMES)
        if name in evaluation.arrays
    }
    if evaluation.order is not None:
        for name in ORDER_SHAPES:
            arrays[name] = getattr(evaluation.order, name.removeprefix("order_")).astype(np.int16)
    FILE.save(path, arrays, evaluation.card)


def load_evaluation(path: Path) -> LearnedEvaluation:
    """Read the file of an evaluation.

    Raises:
        CardFileError: the file is of another kind, or damaged.
    """
    return FILE.load(path, _evaluation_of)


def _evaluation_of(arrays: Arrays, card: JsonObject) -> LearnedEvaluation:
    """Build the evaluation from the arrays and the card of a file.

    Raises:
        ValueError: the arrays do not fit.
    """
    shapes = {name: array.shape for name, array in arrays.items()}
    vectors, head = shapes.get("vectors", ()), shapes.get("head", ())
    features = vectors[-1] if len(vectors) == 2 else 0
    units = head[0] if len(head) == 1 else 0
    expected = {**shapes_of(features, units), **ORDER_SHAPES}
    for optional in (STAGE_NAMES, tuple(ORDER_SHAPES)):
        if not any(name in arrays for name in optional):
            expected = {name: shape for name, shape in expected.items() if name not in optional}
    if not (0 < features <= MOST_FEATURES and 0 < units <= MOST_UNITS):
        raise ValueError(
            f"{features} features and {units} units, not 1 to {MOST_FEATURES} and 1 to {MOST_UNITS}"
        )
    if shapes != expected or any(array.dtype.kind != "i" for array in arrays.values()):
        raise ValueError(f"{shapes}, not integers of {expected}")
    numbers = {name: array.astype(np.int64) for name, array in arrays.items()}
    most = int(np.abs(numbers["vectors"]).max())
    if most > MOST_VECTOR:
        raise ValueError(f"vectors of up to {most}, not {MOST_VECTOR}")
    ordered = [numbers.pop(name) for name in ORDER_SHAPES if name in numbers]
    return LearnedEvaluation(numbers, card, LearnedOrder(*ordered) if ordered else None)


@cache
def shipped_evaluation() -> LearnedEvaluation:
    """Return the shipped evaluation.

    Raises:
        CardFileError: the file cannot be read.
    """
    return load_evaluation(SHIPPED_ROOT / SHIPPED_FILE)

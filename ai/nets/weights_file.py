"""Weights on disk: `.weights.h5` in Keras' own layout, written without TensorFlow.

Keras stores a layer's variables under `layers/<class>_<n>/vars/<i>`, counting the layers of one
class in order. `model.load_weights` reads our files, which a test checks.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import (
    CONVOLUTION,
    LINE,
    Architecture,
    WeightArrays,
    WeightsError,
    check_weights,
)
from base.storage.card_file import reading

SUFFIX: Final = ".weights.h5"
"""Ending of a weight file's name; Keras accepts no other."""
_CLASSES: Final = {CONVOLUTION: "conv2d", LINE: "line_filters"}
"""Name that Keras gives the class of a layer, by kind; all others are dense."""
CHECKPOINT_WEIGHTS: Final = f"network{SUFFIX}"
"""Name of the weights file in a learner's checkpoint."""


def weights_bytes(architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]) -> bytes:
    """Return the content of a weights file, whose name must end in `.weights.h5`.

    Raises:
        WeightsError: the weights do not fit.
    """
    import h5py  # not before there is something to save: a learner opens at once

    checked = check_weights(architecture, weights)
    memory = io.BytesIO()  # HDF5 crashes the process where the disk is full
    with h5py.File(memory, "w") as file:
        for place, name in _places(architecture):
            file.create_dataset(place, data=checked[name])
    return memory.getvalue()


def read_weights(path: Path, architecture: Architecture) -> WeightArrays:
    """Read a weights file for this architecture.

    Raises:
        CardFileError: the file is unreadable, damaged, or belongs to another network.
    """
    with reading(path, "weights of this network"):
        with path.open("rb"):  # its error names a missing file more plainly than h5py
            pass
        return check_weights(architecture, _read(path, architecture))


def _read(path: Path, architecture: Architecture) -> WeightArrays:
    """Read the arrays of a weight file; shapes are checked before any array is read.

    Raises:
        WeightsError: an array is missing or has another shape.
    """
    import h5py

    found: WeightArrays = {}
    with h5py.File(path, "r") as file:
        for place, name in _places(architecture):
            dataset, shape = file.get(place), architecture.shapes[name]
            if not isinstance(dataset, h5py.Dataset):
                raise WeightsError(f"no array {place!r}")
            if dataset.shape != shape or dataset.dtype.kind != "f":  # before anything is read
                raise WeightsError(
                    f"{place!r}: {dataset.shape} of {dataset.dtype}, not the shape {shape}"
                )
            found[name] = np.array(dataset, np.float32)
    return found


def _places(architecture: Architecture) -> Iterator[tuple[str, str]]:
    """Yield, for each array of the network, its path inside the file and its name."""
    counts: dict[str, int] = {}
    for layer in architecture.layers:
        kind = _CLASSES.get(layer.kind, "dense")
        number = counts.get(kind, 0)
        counts[kind] = number + 1
        folder = kind if number == 0 else f"{kind}_{number}"
        yield f"layers/{folder}/vars/0", f"{layer.name}.kernel"
        yield f"layers/{folder}/vars/1", f"{layer.name}.bias"

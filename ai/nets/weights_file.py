"""Weights on disk: `.weights.h5` in Keras' own layout, written without TensorFlow.

Keras files a layer's variables under `layers/<class>_<n>/vars/<i>`, counting the
layers of one class in order; `model.load_weights` reads our files (a test does).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import CONVOLUTION, Architecture
from ai.nets.initial import WeightArrays, WeightsError, check_weights

SUFFIX: Final = ".weights.h5"
"""Keras refuses any other ending."""
MOST_NUMBERS: Final = 50_000_000
CHECKPOINT_WEIGHTS: Final = f"network{SUFFIX}"
"""The weights' name in a learner's checkpoint."""


def write_weights(
    path: Path, architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]
) -> None:
    """Write `weights` to `path`, which must end in `.weights.h5`.

    Raises:
        ValueError: the path ends differently.
        WeightsError: the weights do not fit.
        OSError: the file cannot be written.
    """
    if not path.name.endswith(SUFFIX):
        raise ValueError(f"expected a name ending in {SUFFIX!r}, found {path.name!r}")
    import h5py  # not before there is something to save: a learner opens at once

    checked = check_weights(architecture, weights)
    memory = io.BytesIO()  # HDF5 crashes the process where the disk is full
    with h5py.File(memory, "w") as file:
        for place, name in _places(architecture):
            file.create_dataset(place, data=checked[name])
    path.write_bytes(memory.getbuffer())


def read_weights(path: Path, architecture: Architecture) -> WeightArrays:
    """Read weights for this architecture.

    Raises:
        WeightsError: the file is damaged or belongs to another network.
        OSError: the file cannot be opened.
    """
    import h5py

    found: WeightArrays = {}
    try:
        with h5py.File(path, "r") as file:
            for place, name in _places(architecture):
                dataset = file.get(place)
                if not isinstance(dataset, h5py.Dataset):
                    raise WeightsError(f"{path.name}: expected the weights {place!r}, found none")
                if (dataset.size or 0) > MOST_NUMBERS:  # a damaged file may claim any size
                    raise WeightsError(f"{path.name}: {place!r}: found {dataset.size} numbers")
                found[name] = np.array(dataset, np.float32)
    except RuntimeError as error:
        raise OSError(f"{path}: expected weights, found {error}") from error
    return check_weights(architecture, found)


def _places(architecture: Architecture) -> Iterator[tuple[str, str]]:
    """Yield each array's place in the file and its name."""
    counts: dict[str, int] = {}
    for layer in architecture.layers:
        kind = "conv2d" if layer.kind == CONVOLUTION else "dense"
        number = counts.get(kind, 0)
        counts[kind] = number + 1
        folder = kind if number == 0 else f"{kind}_{number}"
        yield f"layers/{folder}/vars/0", f"{layer.name}.kernel"
        yield f"layers/{folder}/vars/1", f"{layer.name}.bias"

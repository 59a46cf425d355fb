"""Initial weights of a network, drawn in NumPy without TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import Architecture

WeightArrays: TypeAlias = dict[str, NDArray[np.float32]]
"""Weights by the names of `Architecture.shapes`."""

_STREAM: Final = 1
"""Keeps the draws of first weights apart from all others of the same seed."""


class WeightsError(ValueError):
    """Weights do not fit their network."""


def draw_weights(architecture: Architecture, rng: np.random.Generator) -> WeightArrays:
    """Draw initial weights: he_uniform kernels (He et al. 2015), biases 0.

    The last layer of a chain is drawn small (a tenth), so that a fresh network
    answers almost evenly and no early guess must be unlearnt first.
    """
    last = {chain[-1].name for chain in architecture.chains}
    weights: WeightArrays = {}
    for layer in architecture.layers:
        limit = np.sqrt(6.0 / layer.fan_in) * (0.1 if layer.name in last else 1.0)
        drawn = rng.uniform(-limit, limit, layer.kernel_shape)
        weights[f"{layer.name}.kernel"] = drawn.astype(np.float32)
        weights[f"{layer.name}.bias"] = np.zeros(layer.outputs, np.float32)
    return weights


def initial_weights(architecture: Architecture, seed: int, network: int = 0) -> WeightArrays:
    """Return the initial weights of a run's network.

    Args:
        architecture: the network.
        seed: seed of the run.
        network: id of the network; 0 is the initial one.
    """
    return draw_weights(architecture, np.random.default_rng([seed, _STREAM, network]))


def check_weights(
    architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]
) -> WeightArrays:
    """Select the network's arrays from `weights` and check them; other keys are dropped.

    Raises:
        WeightsError: an array is missing, has another shape or is not finite.
    """
    result: WeightArrays = {}
    for name, shape in architecture.shapes.items():
        if name not in weights:
            raise WeightsError(f"{name}: expected an array of shape {shape}, found none")
        array = np.ascontiguousarray(weights[name], np.float32)
        if array.shape != shape:
            raise WeightsError(f"{name}: expected the shape {shape}, found {array.shape}")
        if not np.isfinite(array).all():
            raise WeightsError(f"{name}: expected finite numbers, found NaN or infinity")
        result[name] = array
    return result

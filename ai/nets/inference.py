"""Stage 2 of 6, "CNN-based estimation": inference in NumPy.

One move costs a few small matrix products, far less than a call into TensorFlow;
a test holds the answers equal to Keras.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ai.nets.architecture import CONVOLUTION, Architecture, Layer
from ai.nets.initial import WeightArrays, check_weights
from base.policies.layers import padded, softmax, windows


class Network:
    """A network with its weights, for inference."""

    def __init__(
        self, architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]
    ) -> None:
        """Check and store the weights.

        Raises:
            WeightsError: the weights do not fit the architecture.
        """
        self.architecture = architecture
        self.weights: WeightArrays = check_weights(architecture, weights)

    def logits(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return `[B, A]` scores before the softmax, for features `[B, A, C]`."""
        total: NDArray[np.float32] | None = None
        for chain in self.architecture.chains:
            value = features
            for layer in chain[:-1]:
                value = np.maximum(self._apply(layer, value), 0.0)
            answer = self._apply(chain[-1], value).reshape(len(features), -1)
            total = answer if total is None else total + answer
        if total is None:
            raise ValueError("expected a network with at least one chain of layers, found none")
        return total

    def estimate(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return probabilities `[B, A]`, each row's sum 1, for features `[B, A, C]`."""
        return softmax(self.logits(features))

    def _apply(self, layer: Layer, value: NDArray[np.float32]) -> NDArray[np.float32]:
        """Apply one layer: `[B, A, C]` or `[B, K]` in, the same kinds out."""
        kernel = self.weights[f"{layer.name}.kernel"]
        bias = self.weights[f"{layer.name}.bias"]
        count = len(value)
        if layer.kind != CONVOLUTION:
            return value.reshape(count, -1) @ kernel + bias
        if layer.kernel > 1:
            images = value.reshape(count, self.architecture.rows, self.architecture.size, -1)
            value = windows(padded(images, layer.kernel // 2), layer.kernel, layer.kernel)
        columns = value.reshape(count * self.architecture.points, -1)  # [B*A, K*K*C]
        result = columns @ kernel.reshape(-1, layer.outputs) + bias
        return result.reshape(count, self.architecture.points, layer.outputs)

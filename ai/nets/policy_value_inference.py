"""Inference of policy-value networks without TensorFlow, batch normalisation folded in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.nets.policy_value import architecture_of, fold

Floats: TypeAlias = NDArray[np.float32]


class PolicyValueNetwork:
    """A policy-value network with its weights, for inference on boards of one size."""

    def __init__(self, arrays: Mapping[str, Floats], size: int) -> None:
        """Check and fold the weights.

        Args:
            arrays: by name, as in `ai.nets.policy_value`; not kept.
            size: points along a side of the board, n.

        Raises:
            WeightsError: the arrays are no such network, or it is not for boards of this size.
        """
        self.architecture = architecture_of(arrays, size)
        self.size = size
        self._folded = fold(self.architecture, arrays)

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """Return logits `[B, A]` and values `[B]` in [-1, 1] for the side to move.

        Args:
            planes: `[B, n, n, 3]`: own stones, the opponent's, and its last move.
        """
        tower = self._tower(planes)
        policy = self._point(tower, "policy_conv")
        value = np.maximum(self._point(tower, "value_conv"), 0.0)
        count = len(planes)
        if self.architecture.is_pooled:
            policy += self._dense(_pools(tower), "policy_pool")[:, None, None, :]
            logits = self._point(np.maximum(policy, 0.0), "policy_out").reshape(count, -1)
            seen = _pools(value)
        else:
            logits = self._dense(np.maximum(policy, 0.0).reshape(count, -1), "policy_out")
            seen = value.reshape(count, -1)
        hidden = np.maximum(self._dense(seen, "value_hidden"), 0.0)
        return logits, np.tanh(self._dense(hidden, "value_out"))[:, 0]

    def _tower(self, planes: Floats) -> Floats:
        """Return `[B, n, n, F]` what the residual tower finds."""
        layers = self.architecture.tower
        tower = np.maximum(self._convolve(planes, layers[0].name), 0.0)
        for first, second in zip(layers[1::2], layers[2::2], strict=True):
            inner = np.maximum(self._convolve(tower, first.name), 0.0)
            tower = np.maximum(self._convolve(inner, second.name) + tower, 0.0)
        return tower

    def _convolve(self, value: Floats, name: str) -> Floats:
        """Apply a 3x3 convolution."""
        count, side, _, channels = value.shape
        padded = np.zeros((count, side + 2, side + 2, channels), np.float32)
        padded[:, 1:-1, 1:-1] = value
        image, down, across, channel = padded.strides
        windows = np.lib.stride_tricks.as_strided(
            padded,
            (count, side, side, 3, 3, channels),
            (image, down, across, down, across, channel),
            writeable=False,
        )
        kernel = self._folded[f"{name}.kernel"]
        found = windows.reshape(count * side * side, -1) @ kernel.reshape(-1, kernel.shape[-1])
        found += self._folded[f"{name}.bias"]
        return found.reshape(count, side, side, -1)

    def _point(self, value: Floats, name: str) -> Floats:
        """Apply a 1x1 convolution."""
        kernel = self._folded[f"{name}.kernel"]
        found: Floats = value @ kernel[0, 0] + self._folded[f"{name}.bias"]
        return found

    def _dense(self, value: Floats, name: str) -> Floats:
        """Apply a dense layer."""
        found: Floats = value @ self._folded[f"{name}.kernel"] + self._folded[f"{name}.bias"]
        return found


def _pools(value: Floats) -> Floats:
    """Return the mean and the maximum of each plane, `[B, 2 C]`."""
    return np.concatenate([value.mean(axis=(1, 2)), value.max(axis=(1, 2))], axis=1)


__all__ = ["PolicyValueNetwork"]

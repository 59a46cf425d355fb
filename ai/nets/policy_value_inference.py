"""Inference of policy-value networks without TensorFlow, with batch normalisation folded in.

The results for a position do not depend on the others in the batch, down to the last bit, since
each matrix product is computed for a single position. So games that are searched together go as
they would alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.kernels.jit import is_jit_enabled
from ai.kernels.winograd.tiles import (
    PLACES,
    SEEN,
    TILE,
    join,
    spread,
    tiles_along,
    transform_kernel,
)
from ai.nets.policy_value import PolicyValueLayer, architecture_of, fold
from base.policies.layers import padded, windows

Floats: TypeAlias = NDArray[np.float32]

WINOGRAD_FROM: Final = 11
"""Smallest side of a board for which Winograd's convolutions are faster.

On smaller boards too much of their tiles lies outside the board (`python -m benchmarks.puct`).
"""

_NO_SHORTCUT: Floats = np.zeros(1, np.float32)


class PolicyValueNetwork:
    """A policy-value network with its weights, for inference on boards of one size.

    Not thread-safe.
    """

    def __init__(self, arrays: Mapping[str, Floats], size: int) -> None:
        """Check the weights and fold batch normalisation into them.

        Args:
            arrays: arrays by name, as in `ai.nets.policy_value`; not kept.
            size: points along a side of the board, n.

        Raises:
            WeightsError: the arrays are not a policy-value network for boards of this size.
        """
        self.architecture = architecture_of(arrays, size)
        self.size = size
        self._folded = fold(self.architecture, arrays)
        tower = self.architecture.tower
        filters = self.architecture.filters
        self._tower = (
            _WinogradTower(self._folded, tower, size, filters)
            if is_jit_enabled() and size >= WINOGRAD_FROM
            else _PlainTower(self._folded, tower)
        )

    def evaluate(self, planes: Floats) -> tuple[Floats, Floats]:
        """Return logits of the points `[B, A]` and values `[B]` in [-1, 1] for the side to move.

        Args:
            planes: `[B, n, n, 3]`: own stones, the opponent's, and the opponent's last move.
        """
        count = len(planes)
        tower = self._tower.forward(planes).reshape(count, self.size * self.size, -1)  # [B, A, F]
        policy = self._apply(tower, "policy_conv")
        value = np.maximum(self._apply(tower, "value_conv"), 0.0)
        if self.architecture.is_pooled:
            policy += self._apply(_pools(tower), "policy_pool")
            logits = self._apply(np.maximum(policy, 0.0), "policy_out")
            seen = _pools(value)
        else:
            logits = self._apply(np.maximum(policy, 0.0).reshape(count, 1, -1), "policy_out")
            seen = value.reshape(count, 1, -1)
        hidden = np.maximum(self._apply(seen, "value_hidden"), 0.0)
        result = np.tanh(self._apply(hidden, "value_out"))
        return logits.reshape(count, -1), result.reshape(count)

    def _apply(self, value: Floats, name: str) -> Floats:
        """Return the output of a 1x1 convolution or of a dense layer.

        Args:
            value: `[B, rows, C]` input.
            name: name of the layer.
        """
        kernel = self._folded[f"{name}.kernel"]
        found: Floats = value @ kernel.reshape(kernel.shape[-2:]) + self._folded[f"{name}.bias"]
        return found


class _PlainTower:
    """The residual tower in NumPy, for small boards or without compiled kernels."""

    def __init__(self, folded: Mapping[str, Floats], layers: tuple[PolicyValueLayer, ...]) -> None:
        self._layers = [
            (folded[f"{layer.name}.kernel"], folded[f"{layer.name}.bias"]) for layer in layers
        ]

    def forward(self, planes: Floats) -> Floats:
        """Return the tower's output `[B, n, n, F]` for planes `[B, n, n, 3]`."""
        tower = np.maximum(_convolve(planes, *self._layers[0]), 0.0)
        for first, second in zip(self._layers[1::2], self._layers[2::2], strict=True):
            inner = np.maximum(_convolve(tower, *first), 0.0)
            tower = np.maximum(_convolve(inner, *second) + tower, 0.0)
        return tower


class _WinogradTower:
    """The residual tower with Winograd's convolutions, which is faster on large boards."""

    def __init__(
        self,
        folded: Mapping[str, Floats],
        layers: tuple[PolicyValueLayer, ...],
        size: int,
        filters: int,
    ) -> None:
        self._stem = folded["stem.kernel"], folded["stem.bias"]
        self._layers = [
            (transform_kernel(folded[f"{layer.name}.kernel"]), folded[f"{layer.name}.bias"])
            for layer in layers[1:]
        ]
        self._size, self._filters = size, filters
        self._tiles = tiles_along(size)
        side = TILE * self._tiles + 2
        self._rows = np.zeros(SEEN * side * filters, np.float32)
        self._room = np.zeros(TILE * SEEN * self._tiles**2 * filters, np.float32)
        self._places = np.zeros((PLACES, self._tiles**2, filters), np.float32)
        self._products = np.zeros_like(self._places)
        self._images = np.zeros((2, side, side, filters), np.float32)

    def forward(self, planes: Floats) -> Floats:
        """Return the tower's output `[B, n, n, F]` for planes `[B, n, n, 3]`."""
        size = self._size
        board = slice(1, size + 1)
        found = np.maximum(_convolve(planes, *self._stem), 0.0)
        tower, inner = self._images
        for image in found:  # one by one: what a position needs stays in the processor's cache
            tower[board, board] = image
            for first, second in zip(self._layers[::2], self._layers[1::2], strict=True):
                self._apply(tower, *first, _NO_SHORTCUT, inner)
                self._apply(inner, *second, tower.reshape(-1), tower)
            image[:] = tower[board, board]
        return found

    def _apply(
        self, image: Floats, kernel: Floats, bias: Floats, shortcut: Floats, found: Floats
    ) -> None:
        """Compute a convolution and write the result to `found`; add the shortcut and apply ReLU.

        Args:
            image: `[W, W, F]` input of the convolution.
            kernel: kernel in Winograd's transformed form.
            bias: `[F]` bias.
            shortcut: flat image that is added before the ReLU; `_NO_SHORTCUT` for none.
            found: `[W, W, F]` array for the result; may be the same memory as the shortcut.
        """
        places, products, filters = self._places, self._products, self._filters
        spread(image.reshape(-1), self._rows, places.reshape(-1), self._tiles, filters)
        np.matmul(places, kernel, out=products)
        flat, found = products.reshape(-1), found.reshape(-1)
        join(flat, self._room, bias, shortcut, found, self._size, filters)


def _convolve(value: Floats, kernel: Floats, bias: Floats) -> Floats:
    """Return the 3x3 convolution of `[B, n, n, C]`, padded with zeros."""
    count, side, _, channels = value.shape
    columns = windows(padded(value, 1), 3, 3).reshape(count, side * side, 9 * channels)
    found: Floats = columns @ kernel.reshape(9 * channels, -1) + bias
    return found.reshape(count, side, side, -1)


def _pools(value: Floats) -> Floats:
    """Return `[B, 1, 2 C]` the mean and the maximum of each plane of `[B, A, C]`."""
    pools = [value.mean(axis=1, keepdims=True), value.max(axis=1, keepdims=True)]
    return np.concatenate(pools, axis=2)

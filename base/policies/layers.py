"""Layers of networks in NumPy, for inference without TensorFlow."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]


def windows(images: Floats, rows: int, columns: int, *, stride: int = 1) -> Floats:
    """Return the parts of images on which a convolution's kernel is placed, as a view.

    Args:
        images: `[B, h, w, C]`.
        rows: height of the kernel.
        columns: width of the kernel.
        stride: distance from one part to the next, pixels.

    Returns:
        `[B, (h - rows) // stride + 1, (w - columns) // stride + 1, rows, columns, C]`.
    """
    count, high, wide, channels = images.shape
    image, down, across, channel = images.strides
    places = (high - rows) // stride + 1, (wide - columns) // stride + 1
    return np.lib.stride_tricks.as_strided(
        images,
        (count, *places, rows, columns, channels),
        (image, down * stride, across * stride, down, across, channel),
        writeable=False,
    )


def padded(images: Floats, reach: int) -> Floats:
    """Return images with a border of zeros on all four sides.

    Args:
        images: `[B, h, w, C]`.
        reach: width of the border, pixels.

    Returns:
        `[B, h + 2 * reach, w + 2 * reach, C]`.
    """
    count, high, wide, channels = images.shape
    found = np.zeros((count, high + 2 * reach, wide + 2 * reach, channels), np.float32)
    found[:, reach : reach + high, reach : reach + wide] = images
    return found


def softmax(logits: Floats) -> Floats:
    """Return probabilities `[B, A]` for logits `[B, A]`; each row sums to 1, -inf gives 0."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return found


__all__ = ["padded", "softmax", "windows"]

"""A board seen from all its symmetries at once, in an ONNX model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ai.exchange.graph import OnnxGraph


def turned(graph: OnnxGraph, value: str, images: NDArray[np.intp]) -> str:
    """Return each board's images: `[batch, S * A, …]` for values `[batch, A, …]` of the points.

    Args:
        graph: the model.
        value: name of the values.
        images: `[S, A]` the symmetries as permutations of the points.
    """
    return graph.add("Gather", value, graph.constant(images.reshape(-1).astype(np.int64)), axis=1)


def averaged(graph: OnnxGraph, answers: str, images: NDArray[np.intp]) -> str:
    """Return `[batch, A]` the mean of the answers to a board's images, turned back.

    Args:
        graph: the model.
        answers: name of the answers, `[batch * S, A]`.
        images: `[S, A]` the symmetries, as in `turned`.
    """
    count, points = images.shape
    back = np.argsort(images, axis=1) + np.arange(count)[:, None] * points  # [S, A]
    rows = graph.reshaped(answers, [-1, count * points])
    rows = graph.add("Gather", rows, graph.constant(back.reshape(-1).astype(np.int64)), axis=1)
    rows = graph.reshaped(rows, [-1, count, points])
    return graph.add("ReduceMean", rows, axes=[1], keepdims=0)


__all__ = ["averaged", "turned"]

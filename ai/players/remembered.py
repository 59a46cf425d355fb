"""The situation nodes that a learner hands to its player beside the weights."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Color
from ai.memory import MemoryNodes, Recall
from ai.nets.features import StateEncoder

_SHOWN: Final = 4
"""Recalled nodes that an explanation names."""


class Remembered:
    """What a memory knows about positions, for people to look at and for `ann` to play by."""

    def __init__(
        self,
        nodes: MemoryNodes | None,
        encoder: StateEncoder,
        *,
        alpha: float | None,
        width: float,
    ) -> None:
        """Take the nodes.

        Args:
            nodes: of the learner's memory; None where none was handed over.
            encoder: makes the state vectors.
            alpha: the memory's merge distance, None where it merges nothing.
            width: of the kernel by which it answers.
        """
        self.is_known = nodes is not None
        nothing = np.zeros((0, encoder.points), np.float32)
        self._nodes = nodes = MemoryNodes(nothing) if nodes is None else nodes
        self.encoder = encoder
        self.alpha = alpha
        labels = np.zeros_like(nodes.vectors) if nodes.labels is None else nodes.labels
        self.recall = Recall(nodes.vectors, labels, width=width)

    def describe(self, stones: NDArray[np.int8], color: Color) -> dict[str, Any]:
        """Return what the memory knows about a position.

        Args:
            stones: `[A]` as the learner sees it.
            color: of the learner.

        Returns:
            Always `nodes` (how many it holds) and `alpha`. Where it holds any, `width`; of the
            nearest `node`, `distance`, `count` (records it combines), `labels` (`[A]` list, its
            combined vector with sum 1) and `stones` (`[A]` list of colors, the situation that
            made it); and `recalled`: the nodes that weigh most in the memory's own answer, each
            with `node`, `weight` (of 1 in all), `distance`, `count`, `labels` and `stones`.
        """
        known: dict[str, Any] = {"nodes": len(self.recall), "alpha": self.alpha}
        if not len(self.recall):
            return known
        vector = self.encoder.vectors(stones[None])  # [1, A]
        weights = self.recall.weights(vector)[0]  # [N]
        distances = np.sqrt(np.square(self._nodes.vectors - vector).sum(axis=1))  # [N]
        order = np.lexsort((np.arange(len(distances)), distances))[:_SHOWN]
        known.update(self._node(int(order[0]), distances, color))
        known["width"] = self.recall.width
        known["recalled"] = [
            {**self._node(int(node), distances, color), "weight": float(weights[node])}
            for node in order
        ]
        return known

    def _node(self, node: int, distances: NDArray[np.float32], color: Color) -> dict[str, Any]:
        """Return one node as plain values."""
        found: dict[str, Any] = {"node": node, "distance": float(distances[node])}
        if self._nodes.counts is not None:
            found["count"] = int(self._nodes.counts[node])
        if self._nodes.labels is not None:
            labels = self._nodes.labels[node]
            found["labels"] = (labels / max(float(labels.sum()), 1e-9)).tolist()
        if self._nodes.stones is not None:
            found["stones"] = [int(stone) * -color for stone in self._nodes.stones[node]]
        return found


__all__ = ["Remembered"]

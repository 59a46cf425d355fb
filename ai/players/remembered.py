"""Situation nodes in a player: loaded beside the weights."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Color
from ai.memory import MemoryNodes, Recall
from ai.nets.features import StateEncoder
from ai.players.explaining.memory import MemoryReading, RecalledNode

_SHOWN: Final = 4
"""Recalled nodes that an explanation names."""


class Remembered:
    """A memory's readings of positions, for explanations and for `ann` to play by."""

    def __init__(
        self,
        nodes: MemoryNodes | None,
        encoder: StateEncoder,
        *,
        alpha: float | None,
        width: float,
    ) -> None:
        """Copy the nodes.

        Args:
            nodes: the learner's memory nodes; None for none.
            encoder: computes the state vectors.
            alpha: the memory's merge distance, None where it merges nothing.
            width: width of the kernel regression.
        """
        self.is_known = nodes is not None
        nothing = np.zeros((0, encoder.points), np.float32)
        self._nodes = nodes = MemoryNodes(nothing) if nodes is None else nodes
        self.encoder = encoder
        self.alpha = alpha
        labels = np.zeros_like(nodes.vectors) if nodes.labels is None else nodes.labels
        self.recall = Recall(nodes.vectors, labels, width=width)

    def describe(self, stones: NDArray[np.int8], color: Color) -> MemoryReading:
        """Return the memory's reading of a position.

        Args:
            stones: `[A]` from the learner's perspective.
            color: color of the learner.
        """
        if not len(self.recall):
            return MemoryReading(0, self.alpha)
        vector = self.encoder.vectors(stones[None])  # [1, A]
        weights = self.recall.weights(vector)[0]  # [N]
        distances = np.sqrt(np.square(self._nodes.vectors - vector).sum(axis=1))  # [N]
        order = np.lexsort((np.arange(len(distances)), distances))[:_SHOWN]
        recalled = tuple(
            self._node(int(node), float(distances[node]), float(weights[node]), color)
            for node in order
        )
        return MemoryReading(len(self.recall), self.alpha, recalled[0], self.recall.width, recalled)

    def _node(self, node: int, distance: float, weight: float, color: Color) -> RecalledNode:
        known = self._nodes
        labels: tuple[float, ...] = ()
        if known.labels is not None:
            summed = known.labels[node]
            labels = tuple((summed / max(float(summed.sum()), 1e-9)).tolist())
        stones: tuple[int, ...] = ()
        if known.stones is not None:  # where the opponent's are 1
            stones = tuple(int(stone) * -color for stone in known.stones[node])
        count = None if known.counts is None else int(known.counts[node])
        return RecalledNode(node, distance, count, labels, stones, weight)

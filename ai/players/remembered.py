"""The situation nodes that a learner sends along with its weights, as a player knows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Color
from ai.memory import Recall
from ai.nets.features import StateEncoder
from ai.players.explanation import MemoryReading, RecalledNode

MEMORY_VECTORS: Final = "memory.vectors"
MEMORY_COUNTS: Final = "memory.counts"
MEMORY_LABELS: Final = "memory.labels"
MEMORY_STONES: Final = "memory.stones"
"""Names of the nodes' arrays among the weights: `[N, A]`, `[N]`, `[N, A]`, `[N, A]`."""

_ALL: Final = (MEMORY_VECTORS, MEMORY_COUNTS, MEMORY_LABELS, MEMORY_STONES)
_SHOWN: Final = 4
"""Recalled nodes that an explanation names."""


class Remembered:
    """What a memory knows about positions, for people to look at and for `ann` to play by."""

    def __init__(
        self,
        arrays: Mapping[str, NDArray[np.float32]],
        encoder: StateEncoder,
        *,
        alpha: float | None,
        width: float,
    ) -> None:
        """Take the nodes out of a learner's arrays; arrays of another length are left out.

        Args:
            arrays: by the names above, others among them.
            encoder: makes the state vectors.
            alpha: the memory's merge distance, None where it merges nothing.
            width: of the kernel by which it answers.
        """
        nodes = len(arrays.get(MEMORY_VECTORS, ()))
        self._arrays = {
            name: arrays[name] for name in _ALL if name in arrays and len(arrays[name]) == nodes
        }
        self.encoder = encoder
        self.alpha = alpha
        points = encoder.points
        nothing = np.zeros((0, points), np.float32)
        vectors = self._arrays.get(MEMORY_VECTORS, nothing)
        self.recall = Recall(
            vectors, self._arrays.get(MEMORY_LABELS, np.zeros_like(vectors)), width=width
        )

    @property
    def is_known(self) -> bool:
        """Whether a memory was sent along, be it empty."""
        return MEMORY_VECTORS in self._arrays

    def describe(self, stones: NDArray[np.int8], color: Color) -> MemoryReading:
        """Return what the memory knows about a position.

        Args:
            stones: `[A]` as the learner sees it.
            color: of the learner.
        """
        if not len(self.recall):
            return MemoryReading(0, self.alpha)
        vector = self.encoder.vectors(stones[None])  # [1, A]
        weights = self.recall.weights(vector)[0]  # [N]
        distances = np.sqrt(np.square(self._arrays[MEMORY_VECTORS] - vector).sum(axis=1))  # [N]
        order = np.lexsort((np.arange(len(distances)), distances))[:_SHOWN]
        recalled = tuple(
            self._node(int(node), float(distances[node]), float(weights[node]), color)
            for node in order
        )
        return MemoryReading(len(self.recall), self.alpha, recalled[0], self.recall.width, recalled)

    def _node(self, node: int, distance: float, weight: float, color: Color) -> RecalledNode:
        counts = self._arrays.get(MEMORY_COUNTS)
        labels: tuple[float, ...] = ()
        if MEMORY_LABELS in self._arrays:
            summed = self._arrays[MEMORY_LABELS][node]
            labels = tuple((summed / max(float(summed.sum()), 1e-9)).tolist())
        stones: tuple[int, ...] = ()
        if MEMORY_STONES in self._arrays:  # where the opponent's are 1
            stones = tuple(int(stone) * -color for stone in self._arrays[MEMORY_STONES][node])
        return RecalledNode(
            node, distance, None if counts is None else int(counts[node]), labels, stones, weight
        )


__all__ = ["MEMORY_COUNTS", "MEMORY_LABELS", "MEMORY_STONES", "MEMORY_VECTORS", "Remembered"]

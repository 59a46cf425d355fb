"""Stage 3 of the paper's 6, "decision making": chooses a legal point by the network's answer.

The module also finds the remembered positions that a player with a memory uses or shows.

"A case might arise where the action corresponding to the highest probability cannot be performed.
This case is considered as -1 … thereby selecting an alternative action with the highest
probability" (the self-teaching paper, section 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ai.game import Color, Move
from ai.memory import MemoryNodes, Recall
from ai.nets.features import StateEncoder
from ai.players.explanation import MemoryReading, NetworkAnswer, RecalledNode
from base.schema import OptionValue


class Decision(NamedTuple):
    """The chosen point and its rank in the network's answer."""

    move: Move
    rank: int
    """Rank from 1, the network's best point; points that cannot be played are counted too."""


def decide(
    estimates: NDArray[np.float32] | NDArray[np.float64],
    stones: NDArray[np.int8] | NDArray[np.bool_],
) -> Decision:
    """Choose the legal point with the highest estimate; of equal ones the lowest index.

    Args:
        estimates: `[points]` the network's answer.
        stones: `[points]` 0 or False for each point that can be played.
    """
    # The paper masks by -1, which is below every probability, but not below logarithms.
    playable = np.where(stones == 0, estimates, -np.inf)
    move = int(np.argmax(playable))
    better = estimates > estimates[move]
    equal_before = estimates[:move] == estimates[move]
    return Decision(move, 1 + int(np.count_nonzero(better)) + int(np.count_nonzero(equal_before)))


def network_answer(
    policy: NDArray[np.float32], decision: Decision, network_id: int, memory: MemoryReading | None
) -> NetworkAnswer:
    """Return the explanation of a move that was chosen by the shares of all points.

    Args:
        policy: `[A]` share of each point, sum 1.
        decision: the chosen point and its rank.
        network_id: number of the network; without a network, number of the training.
        memory: what the memory knows about the position; None if no memory was used.
    """
    return NetworkAnswer(
        probabilities=tuple(policy.tolist()),
        rank=decision.rank,
        masked=decision.rank - 1,
        network_id=network_id,
        memory=memory,
    )


_SHOWN: Final = 4
"""Number of remembered positions that an explanation includes."""


class MemoryReader:
    """Compares positions with a memory: for explanations, and to choose the moves of `ann`."""

    def __init__(
        self,
        encoder: StateEncoder,
        settings: Mapping[str, OptionValue],
        nodes: MemoryNodes | None = None,
    ) -> None:
        """Create a reader of a memory; the memory's nodes are copied.

        Args:
            encoder: computes the state vectors of positions.
            settings: the player's settings, of which `alpha` and `width` are read.
            nodes: nodes of the learner's memory; None: an empty memory.
        """
        self.is_known = nodes is not None
        nothing = np.zeros((0, encoder.points), np.float32)
        self._nodes = nodes = MemoryNodes(nothing) if nodes is None else nodes
        self.encoder = encoder
        self._settings = settings
        self.alpha = cast("float | None", settings["alpha"])

    @cached_property
    def recall(self) -> Recall:
        """The answers of the memory to positions; made when it is first asked.

        A player whose setting `width` is about something else never asks.
        """
        nodes = self._nodes
        labels = np.zeros_like(nodes.vectors) if nodes.labels is None else nodes.labels
        return Recall(nodes.vectors, labels, width=cast("float", self._settings["width"]))

    def holding(self, nodes: MemoryNodes | None) -> MemoryReader:
        """Return a reader of another memory with the same encoder and settings.

        Args:
            nodes: nodes of that memory; None: an empty memory.
        """
        return MemoryReader(self.encoder, self._settings, nodes)

    def describe(self, stones: NDArray[np.int8], color: Color) -> MemoryReading:
        """Return what the memory knows about a position: the nearest remembered ones.

        Args:
            stones: `[points]` stones as the learner sees them: 1 the opponent's, -1 its own.
            color: color of the learner.
        """
        if not len(self.recall):
            return MemoryReading(0, self.alpha)
        vector = self.encoder.vectors(stones[None])  # [1, A]
        weights = self.recall.weights(vector)[0]  # [N]
        distances = np.sqrt(np.square(self._nodes.vectors - vector).sum(axis=1))  # [N]
        recalled = tuple(
            self._node(int(node), float(distances[node]), float(weights[node]), color)
            for node in smallest(distances, _SHOWN)
        )
        return MemoryReading(len(self.recall), self.alpha, recalled[0], self.recall.width, recalled)

    def _node(self, node: int, distance: float, weight: float, color: Color) -> RecalledNode:
        known = self._nodes
        labels: tuple[float, ...] = ()
        if known.labels is not None:
            summed = known.labels[node]
            labels = tuple((summed / max(float(summed.sum()), 1e-9)).tolist())
        stones: tuple[int, ...] = ()
        if known.stones is not None:  # from the learner's view: the opponent's are 1
            stones = tuple(int(stone) * -color for stone in known.stones[node])
        count = None if known.counts is None else int(known.counts[node])
        return RecalledNode(node, distance, count, labels, stones, weight)


def smallest(values: NDArray[np.floating[Any]], count: int) -> NDArray[np.intp]:
    """Return the places of the smallest values, the smallest first; of equal ones the first.

    >>> smallest(np.array([3.0, 1.0, 2.0, 1.0]), 3).tolist()
    [1, 3, 2]

    Args:
        values: `[N]` the values.
        count: how many places are returned, if there are as many values.
    """
    places = np.arange(len(values))
    if len(values) > count:  # only these few are sorted
        places = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
    return places[np.argsort(values[places], kind="stable")][:count]

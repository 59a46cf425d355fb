"""Stage 3 of 6, "decision making": from the network's answer to a playable point.

"A case might arise where the action corresponding to the highest probability cannot
be performed. This case is considered as -1 … thereby selecting an alternative action
with the highest probability" (the self-teaching paper, section 3.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import Move
from ai.players.explaining.memory import MemoryReading
from ai.players.explanation import NetworkAnswer


class Decision(NamedTuple):
    """The chosen point and its rank in the network's answer."""

    move: Move
    rank: int
    """1 if the network's best point was played; occupied points are counted."""


def decide(
    estimates: NDArray[np.float32] | NDArray[np.float64],
    stones: NDArray[np.int8] | NDArray[np.bool_],
) -> Decision:
    """Choose the playable point with the highest estimate; the lowest index among equals.

    Args:
        estimates: `[A]` the network's answer.
        stones: `[A]` 0 (or False) where a stone can be placed.
    """
    # The paper's -1 is meant to lie below every answer; logarithms go lower.
    playable = np.where(stones == 0, estimates, -np.inf)
    move = int(np.argmax(playable))
    better = estimates > estimates[move]
    equal_before = estimates[:move] == estimates[move]
    return Decision(move, 1 + int(np.count_nonzero(better)) + int(np.count_nonzero(equal_before)))


def network_answer(
    policy: NDArray[np.float32], decision: Decision, network_id: int, memory: MemoryReading | None
) -> NetworkAnswer:
    """Return the explanation of a move that was decided by an answer over all points.

    Args:
        policy: `[A]` the answer as shares of 1.
        decision: the chosen point and its rank.
        network_id: id of the network, or number of the training.
        memory: the memory's reading of the position; None if it was not used.
    """
    return NetworkAnswer(
        probabilities=tuple(policy.tolist()),
        rank=decision.rank,
        masked=decision.rank - 1,
        network_id=network_id,
        memory=memory,
    )

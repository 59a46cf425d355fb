"""Stage 3 of 6, "decision making": from the network's answer to a point that can be played.

"A case might arise where the action corresponding to the highest probability cannot
be performed. This case is considered as -1 … thereby selecting an alternative action
with the highest probability" (the self-teaching paper, section 3.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import Move
from ai.players.explanation import MemoryReading, NetworkAnswer


class Decision(NamedTuple):
    """A point and how far down the network's list it stood."""

    move: Move
    rank: int
    """1 where the network's own first choice was played; occupied points count."""


def decide(
    estimates: NDArray[np.float32] | NDArray[np.float64],
    stones: NDArray[np.int8] | NDArray[np.bool_],
) -> Decision:
    """Take the playable point with the highest estimate; the lowest number among equals.

    Args:
        estimates: `[A]` the network's answer.
        stones: `[A]` 0 (or False) where a stone can be placed.
    """
    # The paper's -1 is meant to lie below every answer; linear outputs and logarithms go lower.
    playable = np.where(stones == 0, estimates, -np.inf)
    move = int(np.argmax(playable))
    better = estimates > estimates[move]
    equal_before = estimates[:move] == estimates[move]
    return Decision(move, 1 + int(np.count_nonzero(better)) + int(np.count_nonzero(equal_before)))


def shares_of(estimates: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a network's `[A]` answer as shares of 1, whatever its outputs are.

    A softmax's stay as they are; of sigmoid and linear outputs what is below 0 counts as 0.
    """
    positive: NDArray[np.float32] = np.maximum(estimates, np.float32(0.0))
    total = positive.sum()
    if total <= 0.0:
        return np.full(len(estimates), 1.0 / len(estimates), np.float32)
    if abs(total - 1.0) >= 1e-5:
        positive /= total
    return positive


def network_answer(
    policy: NDArray[np.float32], decision: Decision, network_id: int, memory: MemoryReading | None
) -> NetworkAnswer:
    """Return the explanation of a move decided by an answer over all points.

    Args:
        policy: `[A]` the answer as shares of 1.
        decision: what was made of it.
        network_id: number of the network, or of the lesson.
        memory: what the situation memory knows of the position; None where it was not asked.
    """
    return NetworkAnswer(
        probabilities=tuple(policy.tolist()),
        rank=decision.rank,
        masked=decision.rank - 1,
        network_id=network_id,
        memory=memory,
    )

"""Measures of how well a pair of networks has learnt what it was taught, and control networks.

To compare, the same measures are taken of controls: a pair that was never trained, and the pair
itself with the weights of each array in random order. In phase 1 there can also be a pair that was
trained on shuffled labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, WHITE, Color, Rules
from ai.learning.alphagomoku.rows import five_points
from ai.learning.alphagomoku.samples import PairSamples
from ai.learning.alphagomoku.training import SIDES
from ai.nets.policy_value import NetworkPair
from ai.nets.policy_value_inference import PolicyValueNetwork
from base.values import JsonObject

TRAINED: Final = "trained"
UNTRAINED: Final = "untrained"
SHUFFLED_WEIGHTS: Final = "shuffled weights"
SHUFFLED_LABELS: Final = "shuffled labels"
ONE_VALUE: Final = 1e-5
"""A network's values count as constant if their standard deviation is below this."""
_CHUNK: Final = 512


class Score(NamedTuple):
    """Result of testing a pair of networks on positions with known answers."""

    positions: int
    right: float
    """Share of positions in which the empty point with the highest logit is a right answer."""
    loss: float
    """Mean cross entropy of the policy, in nats."""
    error: float
    """Mean absolute error of the value."""
    spread: float
    """How much the predicted values vary: their standard deviation over one side's positions.

    It is computed for each side; the smaller one is kept. 0 means that a network predicts the same
    value for every position.
    """

    def as_dict(self) -> JsonObject:
        """Return the numbers by field name, rounded to four decimals."""
        return {name: round(value, 4) for name, value in self._asdict().items()}


def score(
    pair: NetworkPair, samples: PairSamples, size: int, right: NDArray[np.bool_] | None = None
) -> Score:
    """Test a pair of networks, each network on its own side's positions.

    Args:
        pair: the networks.
        samples: positions; without any, the score is all zeros.
        size: points along a side.
        right: `[N, A]` whether each point is a right answer; None: the points with the largest
            share in the target policy are.
    """
    if right is None:
        right = samples.policy >= samples.policy.max(axis=1, keepdims=True, initial=0.0)
    hits = loss = error = 0.0
    spreads = []
    for _, color in SIDES:
        network = PolicyValueNetwork(pair.of(color), size)
        rows = np.flatnonzero(samples.color == color)
        values = []
        for first in range(0, len(rows), _CHUNK):
            part = rows[first : first + _CHUNK]
            one = samples.select(part)
            logits, value = network.evaluate(one.planes(size))
            logits = np.where(one.stones != 0, np.float32(-1e9), logits)
            top = logits.argmax(axis=1)
            hits += float(right[part, top].sum())
            logits = logits - logits.max(axis=1, keepdims=True)
            logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
            loss -= float((one.policy.astype(np.float32) * np.maximum(logs, -50.0)).sum())
            error += float(np.abs(value - one.value).sum())
            values.append(value)
        if values:
            spreads.append(float(np.concatenate(values).std()))
    count = max(len(samples), 1)
    spread = min(spreads, default=0.0)
    return Score(len(samples), hits / count, loss / count, error / count, spread)


def sides_of_one_value(
    pair: NetworkPair, samples_of: Callable[[Color], PairSamples], size: int
) -> list[str]:
    """Return the sides whose network predicts the same value for every position.

    A side whose true values are all equal is never returned.

    Args:
        pair: the networks.
        samples_of: returns the samples of a colour; only the last 512 are examined.
        size: points along a side.

    Returns:
        "black", "white", both or none of them.
    """
    found = []
    for side, color in SIDES:
        samples = samples_of(color).select(slice(-_CHUNK, None))
        if len(samples) and float(samples.value.std()) > ONE_VALUE:
            value = PolicyValueNetwork(pair.of(color), size).evaluate(samples.planes(size))[1]
            if float(value.std()) < ONE_VALUE:
                found.append(side)
    return found


def right_in_basic_positions(samples: PairSamples, rules: Rules) -> NDArray[np.bool_]:
    """Return `[N, A]` whether each point is a right move in each basic position.

    In an attack, every point that makes a five is right. In a defence it is the blocking point.

    Args:
        samples: basic positions, see `basic_positions`.
        rules: rules of the game.
    """
    fives = five_points(samples.stones, rules.size, rules.win_length)
    is_attack = (samples.color == BLACK)[:, None]
    return np.where(is_attack, fives, samples.policy > 0)


def shuffled_weights(pair: NetworkPair, seed: int) -> NetworkPair:
    """Return a control: the same networks with the numbers inside each array in random order.

    Args:
        pair: the networks; not changed.
        seed: random seed of the order.
    """
    rng = np.random.default_rng([seed, 77])

    def of(arrays: Mapping[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
        return {
            name: rng.permutation(array.ravel()).reshape(array.shape)
            for name, array in arrays.items()
        }

    black = of(pair.black)
    return NetworkPair(black, black if pair.white is pair.black else of(pair.white))


def shuffled_labels(samples: PairSamples, seed: int) -> PairSamples:
    """Return a control: the same positions with each other's policies and values.

    Policies and values are exchanged at random among the positions of one side.

    Args:
        samples: the samples; not changed.
        seed: random seed of the exchange.
    """
    rng = np.random.default_rng([seed, 78])
    order = np.arange(len(samples))
    for color in (BLACK, WHITE):
        rows = np.flatnonzero(samples.color == color)
        order[rows] = rng.permutation(rows)
    return PairSamples(
        samples.stones, samples.last, samples.policy[order], samples.value[order], samples.color
    )

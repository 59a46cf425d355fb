"""Trains the network of `move-net` on frequencies of moves, and measures what it has learnt.

It minimises the cross entropy of a softmax over the empty points, by Adam with a one-cycle learning
rate. As in the paper, the training is divided into parts of 10,000 positions. Here each position is
also rotated or mirrored at random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.learning.learner import Progress, Trainers
from ai.nets.architecture import CONVOLUTION, InferenceNetwork, WeightArrays, initial_weights
from ai.nets.move_net import OUTPUTS, architecture_of, move_net_architecture
from ai.nets.plan import TrainingPlan, epoch_order, one_cycle
from ai.samples.move_frequencies import MoveFrequencies
from ai.samples.threats import winning_points
from base.policies.layers import softmax
from base.schema import setting

PART: Final = 10_000
"""Positions of one part of the training."""
_CHUNK: Final = 256
_FAR: Final = np.float32(-1e9)


@dataclass(frozen=True, slots=True)
class MoveNetPlan:
    """Settings of the training."""

    epochs: int = setting(40, 1, 100_000, key="--epochs", help="Times each position is seen.")
    batch: int = setting(128, 1, 65_536, key="--batch", help="Positions in a step.")
    rate: float = setting(0.01, 1e-6, 1.0, key="--rate", help="Highest learning rate.")
    seed: int = setting(0, 0, key="--seed", help="The training's seed.")
    views: int = setting(1, 1, 2, help="1, or 2 to add the scores of the mirror image.")
    """Views of the board whose scores are added; see `Architecture.views`."""
    decided: float = setting(1.0, 1.0, 100.0, help="Weight of positions that a five decides.")
    """Weight in the loss of positions in which either side can complete a row."""
    output: str = setting(CONVOLUTION, choices=OUTPUTS, help="Kind of the output layer.")


class MoveScores(NamedTuple):
    """How well a network predicts the moves in some positions."""

    positions: int
    share: float
    """Share of the positions in which the network's best move is one of the most frequent moves."""
    so: float
    """The paper's score SO: mean over positions of sum_j p_j e_j.

    p_j is the predicted probability of point j, e_j its frequency.
    """
    loss: float
    """Mean cross entropy, in nats."""

    def as_dict(self) -> dict[str, object]:
        """Return the numbers by field name, rounded to four decimals."""
        return {name: round(value, 4) for name, value in self._asdict().items()}


def train_move_net(
    samples: MoveFrequencies,
    plan: MoveNetPlan,
    trainers: Trainers,
    progress: Progress | None = None,
    *,
    shuffles: bool = False,
) -> WeightArrays:
    """Train a network from its initial weights; loads TensorFlow.

    Args:
        samples: at least one position.
        plan: settings of the training.
        trainers: holds the compiled training loop.
        progress: called after each part with (step, steps, loss, accuracy); may raise to stop. None
            for no calls.
        shuffles: whether the positions exchange their answers at random: a control.

    Returns:
        The trained weights by name.
    """
    architecture = move_net_architecture(samples.rules.size, plan.views, plan.output)
    rng = np.random.default_rng([plan.seed, len(samples)])
    importance = _importance(samples, plan.decided)
    answers = rng.permutation(len(samples)) if shuffles else np.arange(len(samples))
    parts = [
        part
        for _ in range(plan.epochs)
        for part in np.array_split(rng.permutation(len(samples)), -(-len(samples) // PART))
    ]
    counts = [-(-len(part) // plan.batch) for part in parts]
    rates = one_cycle(sum(counts), plan.rate)
    firsts = np.cumsum([0, *counts])

    def plan_of(number: int) -> TrainingPlan:
        span = slice(firsts[number], firsts[number + 1])
        rows = parts[number]
        made = _part(samples, rows, answers[rows], rates[span], plan.batch, rng)
        return replace(made, weights=made.weights * importance[rows][made.order])

    left = iter(range(1, len(parts)))

    def further() -> TrainingPlan | None:
        number = next(left, None)
        return None if number is None else plan_of(number)

    trainer = trainers.of(architecture, plan.batch)
    trained = trainer.train(
        initial_weights(architecture, plan.seed),
        plan_of(0),
        progress,
        parts=1,
        further=further,
        most_steps=int(firsts[-1]),
    )
    return trained.weights


def _importance(samples: MoveFrequencies, decided: float) -> NDArray[np.float32]:
    """Return `[N]` the weight of each position in the loss.

    Args:
        samples: all positions.
        decided: weight of those in which a side can complete a row; the others have 1.
    """
    found = np.ones(len(samples), np.float32)
    if decided != 1.0:
        for first in range(0, len(samples), _CHUNK):
            stones = samples.stones[first : first + _CHUNK]
            rows = [winning_points(stones, color, samples.rules).any(axis=1) for color in (1, -1)]
            found[first : first + _CHUNK][rows[0] | rows[1]] = decided
    return found


def _part(
    samples: MoveFrequencies,
    rows: NDArray[np.intp],
    answers: NDArray[np.intp],
    rates: NDArray[np.float32],
    batch: int,
    rng: np.random.Generator,
) -> TrainingPlan:
    """Return the training plan of one part.

    Args:
        samples: all positions.
        rows: `[B]` indices of the part's positions.
        answers: `[B]` for each of these, the index of the position whose move frequencies are its
            target; equal to `rows` unless the training is a control.
        rates: learning rate of each step.
        batch: positions per step.
        rng: random generator that draws order and symmetries; its state advances.
    """
    images = np.asarray(samples.rules.symmetries())  # [8, A]
    turns = images[rng.integers(len(images), size=len(rows))]  # [B, A]
    stones = np.take_along_axis(samples.stones[rows], turns, axis=1)
    targets = np.take_along_axis(samples.targets(answers), turns, axis=1)
    occupied = stones != 0
    targets = np.where(occupied, np.float32(0.0), targets)  # shuffled answers may lie on stones
    totals = targets.sum(axis=1, keepdims=True)
    free = (~occupied).astype(np.float32)
    even = free / np.maximum(free.sum(axis=1, keepdims=True), 1.0)
    targets = np.where(totals > 0.0, targets / np.maximum(totals, 1e-9), even)
    order, weights = epoch_order(len(rows), batch=batch, epochs=1, rng=rng)
    return TrainingPlan(
        stones[..., None].astype(np.float32),
        targets.astype(np.float32),
        occupied,
        order,
        weights,
        rates,
    )


def score_move_net(
    weights: Mapping[str, NDArray[np.float32]], samples: MoveFrequencies, *, views: int = 1
) -> MoveScores:
    """Measure how well a network predicts the moves in `samples`.

    Args:
        weights: weights of the network by name.
        samples: positions with the frequencies of their moves.
        views: of the board whose scores are added.
    """
    network = InferenceNetwork(architecture_of(weights, samples.rules.size, views), weights)
    return _score(samples, lambda stones: network.logits(stones[..., None].astype(np.float32)))


def score_blind(known: MoveFrequencies, samples: MoveFrequencies) -> MoveScores:
    """Measure a control that does not look at the board: it always ranks the points alike.

    The ranking is how often each point was played in `known`.

    Args:
        known: positions from which the frequencies are counted.
        samples: positions to measure on.
    """
    images = np.asarray(known.rules.symmetries())
    counts = np.bincount(known.moves, known.counts, minlength=known.rules.points)
    # Summed over the symmetries of the board; the 0.5 keeps every point possible.
    alike = sum(counts[image] for image in images) + 0.5
    logits = np.log(alike / alike.sum()).astype(np.float32)
    return _score(samples, lambda stones: np.tile(logits, (len(stones), 1)))


def _score(
    samples: MoveFrequencies, logits_of: Callable[[NDArray[np.int8]], NDArray[np.float32]]
) -> MoveScores:
    hits = so = loss = 0.0
    for first in range(0, len(samples), _CHUNK):
        rows = np.arange(first, min(first + _CHUNK, len(samples)))
        stones, targets = samples.stones[rows], samples.targets(rows)
        shares = softmax(np.where(stones != 0, _FAR, logits_of(stones)))
        best = targets[np.arange(len(rows)), shares.argmax(axis=1)]
        hits += float((best >= targets.max(axis=1)).sum())
        so += float((shares * targets).sum())
        loss -= float((targets * np.log(np.maximum(shares, 1e-12))).sum())
    count = max(len(samples), 1)
    return MoveScores(len(samples), hits / count, so / count, loss / count)

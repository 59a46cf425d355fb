"""Stage 6 of 6, "enhanced CNN training": what the network is trained on, and in which order.

The paper re-creates the network and trains it on all situation nodes (`fresh_plan`).
Our improvement goes on from the last weights (`warm_plan`) with a fixed number of
steps: the situations just lost, those still answered wrong, and a rehearsal of all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Rules, playable, symmetries_of
from ai.learning.configuration import LearningSettings
from ai.nets.features import StateEncoder
from ai.nets.inference import Network
from ai.nets.plan import TrainingPlan, epoch_order, one_cycle

LATEST_SHARE: Final = 0.25
"""Part of a warm training that the latest lessons get."""
HARD_SHARE: Final = 0.35
"""Part that the nodes still answered wrong get."""
REPEATED_RATE: Final = 0.4
REPEATED_LENGTH: Final = 2.0
"""A training that failed is repeated at this part of the rate, this many times as long."""
_EXAMINED: Final = 2048
"""Nodes looked through for hard ones, at most."""


@dataclass(frozen=True, slots=True)
class Samples:
    """States with what should be played in them."""

    stones: NDArray[np.int8]
    """`[N, A]`."""
    labels: NDArray[np.float32]
    """`[N, A]` combined one-hot vectors."""
    latest: NDArray[np.intp]
    """Rows that the latest game made or touched."""
    rules: Rules
    """What is played: says which points can be played, and which symmetries hold."""

    def __len__(self) -> int:
        return len(self.stones)

    @property
    def playable(self) -> NDArray[np.bool_]:
        """`[N, A]` where a stone can be placed."""
        return playable(self.stones, self.rules)


def targets_of(samples: Samples, settings: LearningSettings) -> NDArray[np.float32]:
    """Return `[N, A]` what the network is trained to answer.

    With occupied points (and those in the air) masked in the loss their part of a combined
    label goes to the other points, as nothing can be learnt from it.
    """
    labels = samples.labels
    if settings.mask_occupied:
        labels = np.where(samples.playable, labels, np.float32(0.0))
    if settings.combine == "counts":
        return labels
    sums = labels.sum(axis=1, keepdims=True)
    result: NDArray[np.float32] = labels / np.maximum(sums, np.float32(1e-9))
    return result


def repeated(settings: LearningSettings) -> LearningSettings:
    """Return the settings of a training that is repeated because it failed: slower and longer."""
    return replace(
        settings,
        rate=settings.rate * REPEATED_RATE,
        epochs=math.ceil(settings.epochs * REPEATED_LENGTH),
        least_steps=math.ceil(settings.least_steps * REPEATED_LENGTH),
    )


def fresh_plan(
    samples: Samples, encoder: StateEncoder, settings: LearningSettings, rng: np.random.Generator
) -> TrainingPlan:
    """Return a plan that goes through all samples, epoch by epoch."""
    steps_in_epoch = -(-len(samples) // settings.batch)
    epochs = max(settings.epochs, -(-settings.least_steps // steps_in_epoch))
    order, weights = epoch_order(len(samples), batch=settings.batch, epochs=epochs, rng=rng)
    return _plan(samples, encoder, settings, rng, order, weights)


def warm_plan(
    samples: Samples,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
    network: Network,
) -> TrainingPlan:
    """Return a plan of a fixed number of steps that mixes new, hard and old samples."""
    total = settings.steps * settings.batch
    rows = rng.integers(len(samples), size=total)  # rehearsal
    pools = [(samples.latest, LATEST_SHARE if settings.rehearsal else 1.0)]
    if settings.hard_examples:
        pools.append((hard_rows(samples, encoder, settings, rng, network), HARD_SHARE))
    kind = rng.random(total)
    above = 1.0
    for pool, share in pools:
        below = above - share
        chosen = (kind < above) & (kind >= below) if len(pool) else np.zeros(total, np.bool_)
        rows[chosen] = rng.choice(pool, size=int(chosen.sum())) if len(pool) else 0
        above = below
    order = rows.astype(np.int32).reshape(settings.steps, settings.batch)
    return _plan(samples, encoder, settings, rng, order, np.ones(order.shape, np.float32))


def hard_rows(
    samples: Samples,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
    network: Network,
) -> NDArray[np.intp]:
    """Return the rows that `network` answers with a point that is not in the label."""
    rows = np.arange(len(samples))
    if len(rows) > _EXAMINED:
        rows = np.sort(rng.choice(rows, _EXAMINED, replace=False))
    stones, labels = samples.stones[rows], samples.labels[rows]
    logits = network.logits(encoder.features(stones))
    if settings.mask_occupied:
        logits = np.where(playable(stones, samples.rules), logits, -np.inf)
    answered = labels[np.arange(len(rows)), logits.argmax(axis=1)] > 0
    result: NDArray[np.intp] = rows[~answered]
    return result


def _plan(
    samples: Samples,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
    order: NDArray[np.int32],
    weights: NDArray[np.float32],
) -> TrainingPlan:
    """Lay out the samples in the order given; each under a symmetry of its own, if wanted."""
    stones, targets = samples.stones, targets_of(samples, settings)
    if settings.symmetries:
        images = symmetries_of(samples.rules)
        tables = images[rng.integers(len(images), size=order.size)]
        rows = order.reshape(-1, 1)
        stones, targets = stones[rows, tables], targets[rows, tables]  # [S * batch, A]
        order = np.arange(order.size, dtype=np.int32).reshape(order.shape)
    occupied = (
        ~playable(stones, samples.rules)
        if settings.mask_occupied
        else np.zeros(stones.shape, np.bool_)
    )
    return TrainingPlan(
        features=encoder.features(stones),
        targets=np.ascontiguousarray(targets, np.float32),
        occupied=occupied,
        order=order,
        weights=weights,
        rates=one_cycle(len(order), settings.rate),
    )

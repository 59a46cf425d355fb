"""Stage 6 of 6, "enhanced CNN training": which samples a training uses, and in what order.

The paper creates the network anew and trains it on all remembered positions (`fresh_plan`). Our
improvement is the *warm* training: it continues from the last weights (`WarmCycles`), for as many
steps as needed. It mixes positions of the latest game, a random selection of all remembered
positions, and variations of both (`ai.samples.threats.vary`). If that is not enough, it adds
positions that the network still answers wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, playable
from ai.nets.architecture import Architecture, WeightArrays
from ai.nets.built import choose_nodes, node_weights
from ai.nets.features import StateEncoder
from ai.nets.plan import TrainingPlan, epoch_order, falling, one_cycle
from ai.players.learning_settings import LearningSettings

LATEST_SHARE: Final = 0.25
"""Share of a warm training's samples that come from the latest game."""
HARD_SHARE: Final = 0.35
"""Share of a warm training's samples that the network still answers wrong."""
REPEATED_RATE: Final = 0.4
REPEATED_LENGTH: Final = 2.0
"""Factor of the number of steps when a failed training is repeated.

`REPEATED_RATE` is the factor of its learning rate.
"""
KEPT_LATEST_SHARE: Final = 0.15
KEPT_NODE_SHARE: Final = 0.5
"""Share of the samples of a `kept_plan` that are remembered positions, of any game.

`KEPT_LATEST_SHARE` is the part of them that comes from the latest game.
"""
VARIED_SHARE: Final = 0.5
"""Probability with which a sample of a warm training is replaced by a variation of it."""
_EXAMINED: Final = 2048
"""Largest number of remembered positions of which the network's answers are checked."""


@dataclass(frozen=True, slots=True)
class SampleVariations:
    """Variations of training samples: similar positions with their labels.

    See `ai.samples.threats`.
    """

    stones: NDArray[np.int8]
    """`[V, A]` the varied positions; those of one sample follow each other."""
    labels: NDArray[np.float32]
    """`[V, A]` label of each variation."""
    first: NDArray[np.intp]
    """`[N + 1]` where the variations of each of the N samples begin; the last entry is V."""


@dataclass(frozen=True, slots=True)
class NodeSamples:
    """Training samples: remembered positions ("nodes") and their labels."""

    stones: NDArray[np.int8]
    """`[N, A]` positions: 1 for the opponent's stones, -1 for the learner's."""
    labels: NDArray[np.float32]
    """`[N, A]` labels: sums of one-hot vectors of the right moves."""
    latest: NDArray[np.intp]
    """Indices of the positions that the latest game added, or whose labels it changed."""
    rules: Game
    """Rules of the game; they say where a stone can be placed and which symmetries there are."""
    variations: SampleVariations | None = None
    counts: NDArray[np.integer] | None = None
    """`[N]` how often each position was met; None: once."""
    ages: NDArray[np.integer] | None = None
    """`[N]` number of positions that are newer than each; None: they stand in order of age."""

    def __len__(self) -> int:
        return len(self.stones)

    @property
    def playable(self) -> NDArray[np.bool_]:
        """`[N, A]` whether a stone can be placed on each point."""
        return playable(self.stones, self.rules)


def targets_of(samples: NodeSamples, settings: LearningSettings) -> NDArray[np.float32]:
    """Return the training targets `[N, A]`: the labels, each scaled to the sum 1.

    With the setting `mask_occupied` the loss ignores points where no stone can be placed. Their
    labels are then set to 0 before the scaling.

    Args:
        samples: the training samples.
        settings: the learner's settings.
    """
    labels = samples.labels
    if settings.mask_occupied:
        labels = np.where(samples.playable, labels, np.float32(0.0))
    sums = labels.sum(axis=1, keepdims=True)
    result: NDArray[np.float32] = labels / np.maximum(sums, np.float32(1e-9))
    return result


def built_weights(
    samples: NodeSamples,
    architecture: Architecture,
    settings: LearningSettings,
    rest: NDArray[np.floating],
) -> WeightArrays:
    """Return weights written from the samples, see `ai.nets.built`; nothing is trained.

    Where the network is too small for all of them, the setting `chosen_nodes` says which are taken.

    Args:
        samples: the training samples.
        architecture: the network.
        settings: the learner's settings.
        rest: `[A]` scores of a board that is near no sample.
    """
    count = len(samples)
    rows = choose_nodes(
        samples.stones,
        architecture.hidden[-1],
        settings.chosen_nodes,
        counts=np.ones(count, np.int64) if samples.counts is None else samples.counts,
        ages=np.arange(count)[::-1] if samples.ages is None else samples.ages,
    )
    labels = targets_of(samples, settings)[rows]
    return node_weights(architecture, samples.stones[rows], labels, reach=settings.reach, rest=rest)


def repeated(settings: LearningSettings) -> LearningSettings:
    """Return changed settings with which a failed training is repeated.

    The learning rate is lower, and there are more steps.
    """
    return replace(
        settings,
        rate=settings.rate * REPEATED_RATE,
        epochs=math.ceil(settings.epochs * REPEATED_LENGTH),
        least_steps=math.ceil(max(settings.least_steps, settings.steps) * REPEATED_LENGTH),
    )


def fresh_plan(
    samples: NodeSamples,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
    *,
    steps: int | None = None,
) -> TrainingPlan:
    """Return the plan of a training from new weights, for a number of epochs over all samples.

    Args:
        samples: the training samples.
        encoder: computes the features.
        settings: the learner's settings, among them the number of epochs.
        rng: random generator that draws the order; its state advances.
        steps: number of steps in place of the settings' epochs; None: those.
    """
    steps_in_epoch = -(-len(samples) // settings.batch)
    epochs = max(settings.epochs, -(-settings.least_steps // steps_in_epoch))
    if steps is not None:
        epochs = -(-steps // steps_in_epoch)
    order, weights = epoch_order(len(samples), batch=settings.batch, epochs=epochs, rng=rng)
    return _plan(samples, encoder, settings, rng, order[:steps], weights[:steps])


Logits: TypeAlias = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""A network as a function: from features `[B, A, C]` to scores of the points `[B, A]`."""


class WarmCycles:
    """Plans of a training that continues from the last weights, one for each of its cycles.

    All cycles together have at most `settings.steps` steps. From the second on, each cycle is as
    long as all before it together. In a long cycle the learning rate falls slowly, so that it can
    teach what several short ones did not.

    Two things change from cycle to cycle. From the second on, samples that the network answers
    wrong are drawn more often; with `hard_examples` also in the first. From the third on, fewer and
    fewer samples are rotated or mirrored. So a memory that is too large to be learnt in all
    symmetries is learnt at least as it is.
    """

    def __init__(
        self,
        samples: NodeSamples,
        encoder: StateEncoder,
        settings: LearningSettings,
        rng: np.random.Generator,
    ) -> None:
        self._samples = samples
        self._encoder = encoder
        self._settings = settings
        self._rng = rng
        self._left = settings.steps
        self._cycles = 0

    def first(self, logits: Logits) -> TrainingPlan:
        """Return the plan of the first cycle.

        Args:
            logits: the network before the training, as a function; see `Logits`.
        """
        hard = self._hard(logits) if self._settings.hard_examples else None
        return self._plan(hard)

    def next(self, logits: Logits) -> TrainingPlan | None:
        """Return the plan of the next cycle; None when all steps are used up.

        Args:
            logits: the network as trained so far, as a function; see `Logits`.
        """
        return self._plan(self._hard(logits)) if self._left else None

    def _hard(self, logits: Logits) -> NDArray[np.intp]:
        return hard_rows(self._samples, self._encoder, self._settings, self._rng, logits)

    def _plan(self, hard: NDArray[np.intp] | None) -> TrainingPlan:
        length = self._settings.cycle or self._left
        steps = min(max(length, self._settings.steps - self._left), self._left)
        turned = 1.0 / max(1, self._cycles)
        self._left -= steps
        self._cycles += 1
        settings = replace(self._settings, steps=steps)
        return warm_plan(
            self._samples, self._encoder, settings, self._rng, hard=hard, symmetry_fraction=turned
        )


def warm_plan(
    samples: NodeSamples,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
    *,
    hard: NDArray[np.intp] | None = None,
    symmetry_fraction: float = 1.0,
) -> TrainingPlan:
    """Return a plan that mixes samples of the latest game, hard ones and others.

    Hard samples are those that the network answers wrong.

    Args:
        samples: the training samples.
        encoder: computes the features.
        settings: the learner's settings; their `steps` is the number of steps.
        rng: random generator that draws the samples; its state advances.
        hard: indices of the hard samples; None for none.
        symmetry_fraction: share of the samples to rotate or mirror at random, if the setting
            `symmetries` is on.
    """
    total = settings.steps * settings.batch
    rows = rng.integers(len(samples), size=total)  # uniformly: old samples are rehearsed
    pools = [(samples.latest, LATEST_SHARE if settings.rehearsal else 1.0)]
    if hard is not None:
        pools.append((hard, HARD_SHARE))
    kind = rng.random(total)
    above = 1.0
    for pool, share in pools:
        below = above - share
        chosen = (kind < above) & (kind >= below) if len(pool) else np.zeros(total, np.bool_)
        rows[chosen] = rng.choice(pool, size=int(chosen.sum())) if len(pool) else 0
        above = below
    if samples.variations is not None:
        samples, rows = _varied(samples, samples.variations, rows, rng)
    order = rows.astype(np.int32).reshape(settings.steps, settings.batch)
    ones = np.ones(order.shape, np.float32)
    return _plan(samples, encoder, settings, rng, order, ones, turned=symmetry_fraction)


def _varied(
    samples: NodeSamples,
    variations: SampleVariations,
    rows: NDArray[np.intp],
    rng: np.random.Generator,
) -> tuple[NodeSamples, NDArray[np.intp]]:
    """Replace about half of the drawn samples by variations of them.

    Args:
        samples: the training samples.
        variations: variations of all samples.
        rows: indices of the drawn samples.
        rng: random generator; its state advances.

    Returns:
        The samples followed by all variations, and the new indices in them.
    """
    counts = np.diff(variations.first)
    chosen = (rng.random(len(rows)) < VARIED_SHARE) & (counts[rows] > 0)
    of = rows[chosen]
    result = rows.copy()
    result[chosen] = len(samples) + variations.first[of] + rng.integers(counts[of])
    together = replace(
        samples,
        stones=np.concatenate([samples.stones, variations.stones]),
        labels=np.concatenate([samples.labels, variations.labels]),
        variations=None,
    )
    return together, result


def with_kept(samples: NodeSamples, met: NDArray[np.int8], played: NDArray[np.intp]) -> NodeSamples:
    """Append further samples: the learner's own moves in other positions that it met.

    A network forgets what it is not shown again (French 1999); rehearsing its own answers prevents
    that (Li, Hoiem 2016). The labels of the remembered positions become 0 on points where no stone
    can be placed.

    Args:
        samples: the remembered positions.
        met: `[M, A]` positions in which the learner was to move.
        played: `[M]` the point that the learner last played in each.
    """
    nodes = {stones.tobytes() for stones in samples.stones}
    rows = [row for row, stones in enumerate(met) if stones.tobytes() not in nodes]
    answers = np.zeros((len(rows), samples.labels.shape[1]), np.float32)
    answers[np.arange(len(rows)), played[rows]] = 1.0
    return replace(
        samples,
        stones=np.concatenate([samples.stones, met[rows]]),
        labels=np.concatenate([samples.labels * samples.playable, answers]),
    )


def kept_plan(
    samples: NodeSamples,
    nodes: int,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
) -> TrainingPlan:
    """Return a plan that mixes the latest positions, all remembered ones, and own moves.

    Own moves are positions labelled with the move that the learner played there.

    Args:
        samples: the result of `with_kept`: the remembered positions, then the own moves.
        nodes: number of remembered positions in `samples`.
        encoder: computes the features.
        settings: the learner's settings; their `steps` is the number of steps.
        rng: random generator that draws the order; its state advances.
    """
    total = settings.steps * settings.batch
    kind = rng.random(total)
    rows = rng.integers(nodes, size=total)
    if len(samples) > nodes:
        is_kept = kind >= KEPT_NODE_SHARE
        rows[is_kept] = rng.integers(nodes, len(samples), size=int(is_kept.sum()))
    is_latest = kind < KEPT_LATEST_SHARE
    if len(samples.latest):
        rows[is_latest] = rng.choice(samples.latest, size=int(is_latest.sum()))
    order = rows.astype(np.int32).reshape(settings.steps, settings.batch)
    masked = replace(settings, mask_occupied=True)
    plan = _plan(samples, encoder, masked, rng, order, np.ones(order.shape, np.float32))
    return replace(plan, learning_rates=falling(settings.steps, settings.rate))


def hard_rows(
    samples: NodeSamples,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
    logits: Logits,
) -> NDArray[np.intp]:
    """Return the indices of samples that the network answers wrong.

    An answer is wrong if the point with the highest score has the label 0. At most `_EXAMINED`
    samples are examined.

    Args:
        samples: the samples to examine.
        encoder: computes the features.
        settings: the learner's settings; with `mask_occupied` only playable points count.
        rng: random generator that selects the examined samples if there are too many.
        logits: the network as a function, see `Logits`.
    """
    rows = np.arange(len(samples))
    if len(rows) > _EXAMINED:
        rows = np.sort(rng.choice(rows, _EXAMINED, replace=False))
    stones, labels = samples.stones[rows], samples.labels[rows]
    scores = logits(encoder.features(stones))
    if settings.mask_occupied:
        scores = np.where(playable(stones, samples.rules), scores, -np.inf)
    answered = labels[np.arange(len(rows)), scores.argmax(axis=1)] > 0
    result: NDArray[np.intp] = rows[~answered]
    return result


def _plan(
    samples: NodeSamples,
    encoder: StateEncoder,
    settings: LearningSettings,
    rng: np.random.Generator,
    order: NDArray[np.int32],
    weights: NDArray[np.float32],
    *,
    turned: float = 1.0,
) -> TrainingPlan:
    """Build a plan from drawn samples, rotated or mirrored at random if `symmetries` is on.

    Args:
        samples: the samples to draw from.
        encoder: computes the features.
        settings: the learner's settings.
        rng: random generator that draws the symmetries; its state advances.
        order: `[steps, batch]` indices of the drawn samples.
        weights: `[steps, batch]` weight of each drawn sample in the loss.
        turned: share of the drawn samples that are rotated or mirrored, in [0, 1].
    """
    stones, targets = samples.stones, targets_of(samples, settings)
    if settings.symmetries:
        images = samples.rules.symmetries()
        which = rng.integers(len(images), size=order.size)
        if turned < 1.0:
            which[rng.random(order.size) >= turned] = 0
        tables = images[which]
        rows = order.reshape(-1, 1)
        stones, targets = stones[rows, tables], targets[rows, tables]  # [S * batch, A]
        order = np.arange(order.size, dtype=np.int32).reshape(order.shape)
    is_masked = settings.mask_occupied
    occupied = ~playable(stones, samples.rules) if is_masked else np.zeros(stones.shape, np.bool_)
    return TrainingPlan(
        features=encoder.features(stones),
        targets=np.ascontiguousarray(targets, np.float32),
        occupied=occupied,
        order=order,
        weights=weights,
        learning_rates=one_cycle(len(order), settings.rate),
    )

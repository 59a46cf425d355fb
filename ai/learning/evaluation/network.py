"""Trains the learned part of alpha-beta's evaluation: vectors for lines, and a small network.

A line is what the stones near a point look like in one direction. Each different line has a number,
its *code*. Lines in which the same patterns are possible for both sides are of one *kind*. A line's
vector is the sum of two: one for its kind and one for its code.

The target is the probability to win. It is what a search found, mixed with the game's result if
that is known. The network learns only the difference to the logit of the fixed pattern weights. One
game in ten is held out; the epoch that predicts the held-out games best is kept.

With stages, a search's score counts as the chance that it has meant so far: at each stage it is
multiplied by the factor that predicts the results best. A training may begin with the numbers of
another evaluation. Then fewer positions are enough, and it changes only what they say otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.kernels.alpha_beta.layout import STAGE_PLIES, STAGES
from ai.kernels.layout import CLASSES
from ai.kernels.line_codes import CODES, blank_codes, code_table, row_table
from ai.kernels.patterns import class_table
from ai.learning.evaluation.positions import (
    UNKNOWN,
    WON,
    Positions,
    count_classes,
    line_keys,
)
from ai.nets.evaluation import STAGE_NAMES, LearnedEvaluation, floats_of, quantise
from ai.search.pattern_alpha_beta import LOGIT, TEMPO, WEIGHTS

if TYPE_CHECKING:
    from ai.nets.backend import keras

FEATURES: Final = 8
"""Number of learned numbers for a line, as one side sees it, if nothing else is asked for."""
UNITS: Final = 8
"""Number of hidden units of the head, if nothing else is asked for."""
HELD_OUT: Final = 10
"""One game in this many is held out for validation."""
BATCH: Final = 128
"""Maximum number of positions in a step."""
POINTS: Final = 16_384
"""Maximum number of points in a training step, summed over its positions.

It is large enough for any single position.
"""
RESULT_SHARE: Final = 0.25
"""Weight of the game's result in the target; the rest is the search's value."""
MIDDLE: Final = (14, 60)
"""Smallest and largest number of stones in the middle of the game."""
FEWEST: Final = 200
"""Positions with a result that a stage needs for a factor of its own."""
WEIGHT_LOSS: Final = 1e-2
"""Weight decay of the vectors of single line codes; those of the kinds have none."""
_SPREAD: Final = 0.3
"""Standard deviation of the random vectors with which the line kinds start."""
_KINDS: Final = CLASSES * CLASSES

Progress = Callable[[int, int, float], None]
"""Called with (step, steps, loss) after each step of the training.

The loss is that on the held-out games, after the last whole epoch; before, it is NaN.
"""


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """Settings of the training."""

    epochs: int
    """Maximum number of passes over all positions."""
    rate: float
    """Initial learning rate; it falls to a tenth."""
    seed: int
    features: int = FEATURES
    """Learned numbers for a line, as one side sees it."""
    units: int = UNITS
    """Hidden units of the head."""
    has_stages: bool = False
    """Whether biases and a scale are learned for each stage of the game."""
    middle: float = 1.0
    """Weight of a position from the middle of the game; that of the others is 1."""
    results: float = RESULT_SHARE
    """Weight of the game's result in the target."""


class Lines(NamedTuple):
    """The network's input for N positions: their empty points with a stone in some direction.

    These are M points in all, those of one position after those of the position before it.
    """

    own: NDArray[np.int16]
    """`[M, 4]` line code of a point in each direction, as the side to move sees it.

    A line without stones has the number `CODES`.
    """
    other: NDArray[np.int16]
    firsts: NDArray[np.int64]
    """`[N + 1]` where the points of each position begin among the M; the last entry is M."""
    base: NDArray[np.float32]
    """`[N]` evaluation of each position by the fixed pattern weights, as a logit."""
    target: NDArray[np.float32]
    """`[N]` target probability that the side to move wins."""
    stage: NDArray[np.int32]
    """`[N]` stage of the game, by the number of stones."""
    weight: NDArray[np.float32]
    """`[N]` weight of each position in the loss."""

    def __len__(self) -> int:
        return len(self.base)


def lines_of(
    positions: Positions,
    factors: NDArray[np.float64] | None = None,
    results: float = RESULT_SHARE,
    middle: float = 1.0,
) -> Lines:
    """Convert positions to the network's input.

    Args:
        positions: N positions.
        factors: `[STAGES]` factor of the searches' scores at each stage; None for 1.
        results: weight of the game's result in the target.
        middle: weight of a position from the middle of the game.
    """
    parts = [_points_of(chunk) for chunk in positions.chunks()]
    counts = np.concatenate([np.zeros(1, np.int64), *(part[2] for part in parts)])
    blank = np.zeros((0, 4), np.int16)
    return Lines(
        np.concatenate([blank, *(part[0] for part in parts)]),
        np.concatenate([blank, *(part[1] for part in parts)]),
        np.cumsum(counts),
        base_logits(positions),
        targets(positions, factors, results),
        stages(positions),
        np.where(is_middle(positions), middle, 1.0).astype(np.float32),
    )


def _points_of(
    positions: Positions,
) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int64]]:
    """Return the empty points that lie in line with a stone, with the codes of their lines.

    Args:
        positions: N positions.

    Returns:
        Line codes `[M, 4]` of the M points as the side to move sees them, and the same for the
        other side. Last, the number of points of each position, `[N]`.
    """
    codes = code_table().copy()
    codes[blank_codes()[codes]] = CODES
    rows = row_table()[line_keys(positions.stones)]
    is_white = positions.side.astype(np.bool_)[:, None, None]
    black, white = codes[0][rows], codes[1][rows]
    counts = (positions.stones == 0)[:, :, None] & (black != CODES)
    seen = counts.any(axis=2)
    own, other = np.where(is_white, white, black), np.where(is_white, black, white)
    return own[seen], other[seen], seen.sum(axis=1).astype(np.int64)


def base_logits(positions: Positions) -> NDArray[np.float32]:
    """Return `[N]` the evaluation of positions by the fixed pattern weights, as logits."""
    weights = np.zeros((2, CLASSES))
    for side, values in enumerate(WEIGHTS):
        for kind, value in values.items():
            weights[side, kind] = value
    scores = (count_classes(positions) * weights).sum(axis=(1, 2)) + TEMPO
    logits: NDArray[np.float32] = (scores / LOGIT).astype(np.float32)
    return logits


def stages(positions: Positions) -> NDArray[np.int32]:
    """Return `[N]` the stage of the game at each position, as the search counts it."""
    stones = (positions.stones != 0).sum(axis=1)
    found: NDArray[np.int32] = np.minimum(stones // STAGE_PLIES, STAGES - 1).astype(np.int32)
    return found


def is_middle(positions: Positions) -> NDArray[np.bool_]:
    """Return `[N]` whether each position is from the middle of the game."""
    stones = (positions.stones != 0).sum(axis=1)
    found: NDArray[np.bool_] = (stones >= MIDDLE[0]) & (stones <= MIDDLE[1])
    return found


def seen_logits(positions: Positions) -> NDArray[np.float64]:
    """Return `[N]` what the searches found, as logits."""
    return np.clip(positions.score / LOGIT, -20.0, 20.0)


def targets(
    positions: Positions,
    factors: NDArray[np.float64] | None = None,
    results: float = RESULT_SHARE,
) -> NDArray[np.float32]:
    """Return `[N]` the target probability to win, from the search and the result if known.

    Args:
        positions: N positions.
        factors: `[STAGES]` factor of the searches' scores at each stage, which certain wins and
            losses keep as they are; None for 1.
        results: weight of the result, where it is known.
    """
    logits = seen_logits(positions)
    if factors is not None:
        is_open = np.abs(positions.score) <= WON
        logits = np.where(is_open, logits * factors[stages(positions)], logits)
    seen = 1.0 / (1.0 + np.exp(-logits))
    known = positions.result != UNKNOWN
    share = np.where(known, results, 0.0)
    mixed = (1.0 - share) * seen + share * (0.5 + 0.5 * positions.result)
    chances: NDArray[np.float32] = mixed.astype(np.float32)
    return chances


def score_factors(positions: Positions) -> NDArray[np.float64]:
    """Return `[STAGES]` the factor with which the searches' scores predict the results best.

    Stages with few results have the factor of all.

    Args:
        positions: positions to learn from.
    """
    rows = (positions.result != UNKNOWN) & (np.abs(positions.score) <= WON)
    logits, stage = seen_logits(positions)[rows], stages(positions)[rows]
    results = (0.5 + 0.5 * positions.result[rows]).astype(np.float32)
    found = np.full(STAGES, best_factor(logits, results))
    for one in range(STAGES):
        chosen = stage == one
        if chosen.sum() >= FEWEST:
            found[one] = best_factor(logits[chosen], results[chosen])
    return found


def best_factor(logits: NDArray[np.floating[Any]], chances: NDArray[np.float32]) -> float:
    """Return the factor, 0.05 to 2, with which logits predict probabilities best; 1 for none."""
    if not len(logits):
        return 1.0
    factors = np.linspace(0.05, 2.0, 79)
    return float(min(factors, key=lambda one: log_loss(logits * one, chances)))


class Batch(NamedTuple):
    """The positions of one training step, padded to a fixed size.

    There are `POINTS` points and `BATCH + 1` positions; the last position takes the padding points.
    """

    own: NDArray[np.int32]
    other: NDArray[np.int32]
    segments: NDArray[np.int32]
    """`[POINTS]` index of the position to which each point belongs; `BATCH` for padding."""
    stages: NDArray[np.int32]
    base: NDArray[np.float32]
    target: NDArray[np.float32]
    weight: NDArray[np.float32]
    """`[BATCH + 1]` weight in the loss; 0 for padding."""


def batches(lines: Lines, order: NDArray[np.int64]) -> Iterator[Batch]:
    """Yield batches that together hold the given positions, in this order.

    A batch is closed when the next position would exceed `BATCH` positions or `POINTS` points.

    Args:
        lines: all positions.
        order: indices of the positions to yield.
    """
    counts = np.diff(lines.firsts)
    chosen: list[int] = []
    points = 0
    for row in order.tolist():
        if chosen and (len(chosen) == BATCH or points + counts[row] > POINTS):
            yield _batch(lines, np.array(chosen))
            chosen, points = [], 0
        chosen.append(row)
        points += int(counts[row])
    if chosen:
        yield _batch(lines, np.array(chosen))


def _batch(lines: Lines, rows: NDArray[np.int64]) -> Batch:
    firsts, counts = lines.firsts[rows], np.diff(lines.firsts)[rows]
    segments = np.repeat(np.arange(len(rows)), counts)
    inner = np.arange(len(segments)) - np.repeat(np.cumsum(counts) - counts, counts)
    points = np.repeat(firsts, counts) + inner
    codes = [np.full((POINTS, 4), CODES, np.int32) for _ in range(2)]
    codes[0][: len(points)], codes[1][: len(points)] = lines.own[points], lines.other[points]
    where = np.full(POINTS, BATCH, np.int32)
    where[: len(points)] = segments
    numbers = np.zeros(BATCH + 1, np.int32)
    numbers[: len(rows)] = lines.stage[rows]
    filled = lines.base[rows], lines.target[rows], lines.weight[rows]
    columns = [np.zeros(BATCH + 1, np.float32) for _ in range(3)]
    for column, values in zip(columns, filled, strict=True):
        column[: len(rows)] = values
    return Batch(codes[0], codes[1], where, numbers, *columns)


def kinds_of_codes() -> NDArray[np.int32]:
    """Return `[CODES]` the kind of each line code.

    A kind is a pair of pattern classes, written as one number: the class for the side that sees the
    line, and the class for the other side.
    """
    found = np.zeros(CODES, np.int32)
    found[code_table()[0][row_table()]] = (
        class_table(5, exact=False) % CLASSES * CLASSES + class_table(5, exact=False) // CLASSES
    )
    return found


def build_network(plan: NetworkPlan) -> keras.Model:
    """Build the network that computes logits of positions from line codes.

    Its inputs are three arrays for M points and one for `BATCH + 1` positions. The points have the
    line codes as each side sees them, both `[M, 4]`, and `[M]` the index of the point's position.
    The positions have the number of their stage. Its outputs are `[BATCH + 1]` a logit for each
    position that is added to that of the patterns, and a scale by which the sum is multiplied. The
    last position stands for the padding and is ignored.

    Args:
        plan: settings of the training: sizes, and the random seed of the initial weights.
    """
    from ai.nets.backend import keras

    ops, layers = keras.ops, keras.layers
    own, other = (keras.Input((4,), dtype="int32", name=name) for name in ("own", "other"))
    segments, stage = (keras.Input((), dtype="int32", name=name) for name in ("segments", "stages"))
    start = keras.initializers.RandomNormal(stddev=_SPREAD, seed=plan.seed)
    shared = layers.Embedding(_KINDS, plan.features, embeddings_initializer=start, name="kinds")
    table = layers.Embedding(
        CODES + 1, plan.features, embeddings_initializer="zeros", name="vectors"
    )
    kinds = ops.convert_to_tensor(np.append(kinds_of_codes(), 0), "int32")

    def view(codes: Any) -> Any:
        is_seen = ops.cast(ops.expand_dims(codes, -1) < CODES, "float32")
        vectors = table(codes) + shared(ops.take(kinds, codes, axis=0))
        points = ops.relu(ops.sum(vectors * is_seen, axis=1))
        return ops.segment_sum(points, segments, num_segments=BATCH + 1)

    def by_stage(size: int, name: str, at_first: str = "zeros") -> Any:
        layer = layers.Embedding(STAGES, size, embeddings_initializer=at_first, name=name)
        layer.trainable = plan.has_stages
        return layer(stage)

    sums = ops.concatenate([view(own), view(other)], axis=1)
    small = keras.initializers.RandomNormal(stddev=0.01, seed=plan.seed + 1)
    units = layers.Dense(plan.units, kernel_initializer=small, name="hidden")(sums)
    units = ops.relu(units + by_stage(plan.units, "stage_hidden"))
    head = layers.Dense(1, kernel_initializer=small, name="head")(units)
    straight = layers.Dense(1, use_bias=False, kernel_initializer="zeros", name="straight")(sums)
    added = head + straight + by_stage(1, "stage_bias")
    scale = by_stage(1, "stage_scale", "ones")
    return keras.Model([own, other, segments, stage], [added[:, 0], scale[:, 0]])


def weights_of(network: keras.Model, *, has_stages: bool = False) -> dict[str, NDArray[np.float32]]:
    """Return a network's weights by the names of `ai.nets.evaluation.NAMES`, as floats.

    Args:
        network: the network.
        has_stages: whether those of `ai.nets.evaluation.STAGE_NAMES` are returned, too.
    """
    hidden, biases = network.get_layer("hidden").get_weights()
    head, bias = network.get_layer("head").get_weights()
    vectors = network.get_layer("vectors").get_weights()[0][:CODES].copy()
    vectors += network.get_layer("kinds").get_weights()[0][kinds_of_codes()]
    vectors[blank_codes()] = 0.0
    found = {
        "vectors": vectors,
        "hidden": hidden.T,
        "hidden_biases": biases,
        "head": head[:, 0],
        "straight": network.get_layer("straight").get_weights()[0][:, 0],
        "head_bias": bias[0],
    }
    if has_stages:
        found |= {name: network.get_layer(name).get_weights()[0] for name in STAGE_NAMES}
        found |= {name: found[name][:, 0] for name in ("stage_bias", "stage_scale")}
    return found


def begin_with(network: keras.Model, start: LearnedEvaluation) -> None:
    """Give a network the numbers of another evaluation of its size.

    The vector of a kind is the mean of the vectors of its codes, and the codes keep the rest.

    Args:
        network: the network, with stages or without.
        start: the other evaluation.

    Raises:
        ValueError: it is of another size.
    """
    weights = floats_of(start.arrays)
    sizes = (start.features, start.units)
    wanted = (
        network.get_layer("vectors").embeddings.shape[1],
        network.get_layer("head").kernel.shape[0],
    )
    if sizes != wanted:
        raise ValueError(
            f"expected {wanted[0]} features and {wanted[1]} units, found {sizes[0]} and {sizes[1]}"
        )
    vectors, kinds, is_blank = weights["vectors"], kinds_of_codes(), blank_codes()
    shared = network.get_layer("kinds").get_weights()[0]
    for kind in set(kinds[~is_blank].tolist()):
        shared[kind] = vectors[(kinds == kind) & ~is_blank].mean(axis=0)
    own = np.where(is_blank[:, None], 0.0, vectors - shared[kinds])
    values = {
        "kinds": [shared],
        "vectors": [np.concatenate([own, np.zeros((1, own.shape[1]))])],
        "hidden": [weights["hidden"].T, weights["hidden_biases"]],
        "head": [weights["head"][:, None], weights["head_bias"].reshape(1)],
        "straight": [weights["straight"][:, None]],
    }
    if "stage_scale" in weights:
        values |= {name: [weights[name].reshape(STAGES, -1)] for name in STAGE_NAMES}
    for name, arrays in values.items():
        network.get_layer(name).set_weights(arrays)


def logits_of(
    weights: Mapping[str, NDArray[np.floating[Any]]], lines: Lines
) -> NDArray[np.float64]:
    """Compute the logits of positions with NumPy: patterns and network together.

    Args:
        weights: weights before quantising, see `weights_of`.
        lines: the positions.

    Returns:
        `[N]` logits.
    """
    width = weights["vectors"].shape[1]
    vectors = np.concatenate([weights["vectors"], np.zeros((1, width))])
    sums = []
    for codes in (lines.own, lines.other):
        points = np.maximum(vectors[codes].sum(axis=1), 0.0)
        ends = np.concatenate([np.zeros((1, width)), np.cumsum(points, axis=0)])
        sums.append(ends[lines.firsts[1:]] - ends[lines.firsts[:-1]])
    inputs = np.concatenate(sums, axis=1).reshape(-1, 2 * width)
    biases, bias = weights["hidden_biases"], weights["head_bias"]
    scale = np.ones(len(lines), np.float32)
    if "stage_scale" in weights:
        biases = biases + weights["stage_hidden"][lines.stage]
        bias = bias + weights["stage_bias"][lines.stage]
        scale = weights["stage_scale"][lines.stage]
    units = np.maximum(inputs @ weights["hidden"].T + biases, 0.0)
    added = units @ weights["head"] + inputs @ weights["straight"] + bias
    found: NDArray[np.float64] = (lines.base + added) * scale
    return found


def log_loss(
    logits: NDArray[np.floating[Any]],
    probabilities: NDArray[np.float32],
    weights: NDArray[np.float32] | None = None,
) -> float:
    """Return the mean cross entropy of predictions.

    Args:
        logits: `[N]` predicted logits.
        probabilities: `[N]` target probabilities.
        weights: `[N]` weight of each prediction; None for 1.
    """
    losses = np.logaddexp(0.0, logits) - probabilities * logits
    return float(np.average(losses, weights=weights))


def _best_scale(lines: Lines) -> float:
    """Return the best factor for the logits of the hand-made pattern weights alone.

    With it they predict the results best without the network, which is the control.

    Args:
        lines: positions with their pattern logits and results.
    """
    scales = np.linspace(0.3, 2.0, 69)
    return float(
        min(scales, key=lambda one: log_loss(lines.base * one, lines.target, lines.weight))
    )


def train_network(
    positions: Positions,
    plan: NetworkPlan,
    progress: Progress | None = None,
    start: LearnedEvaluation | None = None,
) -> LearnedEvaluation:
    """Train and quantise the network; loads TensorFlow.

    The same positions and plan give the same weights.

    Args:
        positions: positions of at least two games.
        plan: settings of the training.
        progress: see `Progress`; None for no calls.
        start: evaluation whose numbers it begins with; None for random ones.

    Raises:
        PositionsError: there is no game to learn from, or none to hold out.
        ValueError: `start` is of another size.
    """
    is_held = positions.held_out(HELD_OUT)
    factors = score_factors(positions.only(~is_held)) if plan.has_stages else None
    learnt, held = (
        lines_of(positions.only(rows), factors, plan.results, plan.middle)
        for rows in (~is_held, is_held)
    )
    weights, losses = _train(learnt, held, plan, progress, start)
    scale = _best_scale(learnt)
    card = {
        **positions.card,
        "plan": asdict(plan),
        "games": len(set(positions.game.tolist())),
        "positions": len(learnt),
        "held_out": len(held),
        "epoch": int(np.argmin(losses)) + 1,
        "loss": round(log_loss(logits_of(weights, learnt), learnt.target, learnt.weight), 4),
        "held_out_loss": round(min(losses), 4),
        "patterns_held_out_loss": round(log_loss(held.base * scale, held.target, held.weight), 4),
        "patterns_scale": round(scale, 3),
        "least_held_out_loss": round(_entropy(held.target, held.weight), 4),
    }
    if factors is not None:
        card["score_factors"] = [round(float(one), 3) for one in factors]
    if start is not None:
        card["start"] = start.digest
    return LearnedEvaluation(quantise(weights), card)


def _entropy(chances: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
    """Return the loss of a perfect prediction: the mean entropy of the target probabilities.

    Args:
        chances: `[N]` target probabilities.
        weights: `[N]` weight of each.
    """
    sure = np.clip(chances.astype(np.float64), 1e-9, 1.0 - 1e-9)
    entropies = -(sure * np.log(sure) + (1.0 - sure) * np.log(1.0 - sure))
    return float(np.average(entropies, weights=weights))


def _train(
    learnt: Lines,
    held: Lines,
    plan: NetworkPlan,
    progress: Progress | None,
    start: LearnedEvaluation | None,
) -> tuple[dict[str, NDArray[np.float32]], list[float]]:
    """Train a network and return the weights of its best epoch.

    Args:
        learnt: positions to train on.
        held: held-out positions; the best epoch is the one that predicts them best.
        plan: settings of the training.
        progress: see `Progress`; None for no calls.
        start: evaluation whose numbers it begins with; None for random ones.

    Returns:
        The weights by name, and the loss on the held-out positions after each epoch.
    """
    from ai.nets.trainer import configure_tensorflow

    configure_tensorflow(1)
    network = build_network(plan)
    if start is not None:
        begin_with(network, start)
    rng = np.random.default_rng(plan.seed)
    steps = plan.epochs * sum(1 for _ in batches(learnt, np.arange(len(learnt))))
    step = _step_of(network, plan.rate, max(steps, 1))
    best, losses = weights_of(network, has_stages=plan.has_stages), list[float]()
    done, last = 0, math.nan
    for _ in range(plan.epochs):
        for batch in batches(learnt, rng.permutation(len(learnt))):
            step(*batch)
            done += 1
            if progress is not None:
                progress(min(done, steps), max(steps, 1), last)
        weights = weights_of(network, has_stages=plan.has_stages)
        losses.append(log_loss(logits_of(weights, held), held.target, held.weight))
        last = losses[-1]
        if last == min(losses):
            best = weights
    return best, losses


def _step_of(network: keras.Model, learning_rate: float, steps: int) -> Any:
    """Return the compiled training step; its learning rate falls to a tenth along a cosine curve.

    Args:
        network: the network; each step changes it.
        learning_rate: initial learning rate.
        steps: total number of steps.
    """
    from ai.nets.backend import tf
    from ai.nets.optimizer import Optimizer

    optimizer = Optimizer(network.trainable_variables)
    vectors = network.get_layer("vectors").embeddings
    falling = learning_rate * (0.1 + 0.9 * (1.0 + np.cos(np.pi * np.arange(steps) / steps)) / 2.0)
    rates = iter(falling.astype(np.float32))

    @tf.function(autograph=False)  # type: ignore[untyped-decorator]
    def step(
        own: Any,
        other: Any,
        segments: Any,
        stage: Any,
        base: Any,
        target: Any,
        weight: Any,
        rate: Any,
    ) -> Any:
        def loss_of() -> tuple[Any]:
            added, scale = network([own, other, segments, stage], training=True)
            logits = (base + added) * scale
            entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
            loss = tf.reduce_sum(entropy * weight) / tf.reduce_sum(weight)
            return (loss + WEIGHT_LOSS * tf.reduce_sum(tf.square(vectors)) / BATCH,)

        return optimizer.update(loss_of, rate)

    return lambda *batch: step(*batch, tf.constant(next(rates)))

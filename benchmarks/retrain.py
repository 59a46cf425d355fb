"""What a training costs and what it holds, for the players that train a network, as they come.

    python -m benchmarks.retrain [--states 1000] [--threads 1] [--repeats 3] [--without-keras]

The exit code is 1 unless these hold for each player:

- A training step takes at most 1.15 times as long as its matrix products and its Adam update alone
  in numpy (its BLAS), with the same threads. Convolutions are products of their unfolded windows.
- One training holds 0.98 or more of `--states` distinct states with random labels.

Beside it stands what the usual way (a new Keras model, `compile`, `fit`) takes for as many steps.
Seconds are the processor's. Steps and products take turns, so that other work on the machine slows
both. The ratio is the median of the turns' ratios.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import partial
from importlib.metadata import version
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import Game, Rules
from ai.learning.enhanced_training import NodeSamples, targets_of
from ai.nets.architecture import CONVOLUTION, Architecture, NetworkLayer, WeightArrays, draw_weights
from ai.nets.plan import TrainingPlan, epoch_order, one_cycle
from benchmarks.console import machine, parser_of
from benchmarks.timing import timed

PLAYERS: Final = ("cnn-ann", "cnn-ann-plus")
MOST_RATIO: Final = 1.15
LEAST_HELD: Final = 0.98
STEPS: Final = 60
"""Of a turn."""
TURNS: Final = 9
_BLOCK: Final = 16_384
"""Numbers of the Adam update's blocks: small enough for the processor's cache."""


class Measurement(NamedTuple):
    """What one player's training came to."""

    player: str
    step_seconds: float
    floor_seconds: float
    ratio: float
    held: tuple[float, ...]
    steps: tuple[int, ...]
    seconds: tuple[float, ...]
    keras_seconds: float | None

    @property
    def is_reached(self) -> bool:
        """Whether both judged numbers are as wanted."""
        return self.ratio <= MOST_RATIO and min(self.held) >= LEAST_HELD


def random_samples(states: int, rules: Game, rng: np.random.Generator) -> NodeSamples:
    """Draw distinct states with White to move, labelled with a random empty point.

    Nothing but memory tells the labels, so an accuracy of 1 means that the net holds
    every single state.
    """
    seen: dict[bytes, NDArray[np.int8]] = {}
    while len(seen) < states:
        plies = 2 * int(rng.integers(2, 12)) - 1
        moves = rng.permutation(rules.points)[:plies]
        stones = np.zeros(rules.points, np.int8)
        stones[moves[0::2]], stones[moves[1::2]] = 1, -1
        seen.setdefault(stones.tobytes(), stones)
    board = np.stack(list(seen.values()))
    labels = np.zeros((states, rules.points), np.float32)
    for row, stones in enumerate(board):
        labels[row, rng.choice(np.flatnonzero(stones == 0))] = 1.0
    return NodeSamples(board, labels, np.arange(states), rules)


def fit_new_model(
    architecture: Architecture, plan: TrainingPlan, epochs: int, batch: int
) -> WeightArrays:
    """Train the usual way: build, compile and fit a new Keras model."""
    from ai.nets.backend import keras, tf
    from ai.nets.trainer import build_model, get_weights

    class OneCycle(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
        """The plan's rates, looked up inside Keras' own training step."""

        def __call__(self, step: Any) -> Any:
            return tf.gather(tf.constant(plan.learning_rates), tf.cast(step, tf.int32))

    size = architecture.size
    model = build_model(architecture)
    model.compile(
        optimizer=keras.optimizers.Adam(OneCycle()),
        loss=keras.losses.CategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    features = plan.features.reshape(-1, size, size, architecture.channels)
    model.fit(features, plan.targets, batch_size=batch, epochs=epochs, verbose=0)
    return get_weights(model, architecture)


class Floor:
    """A training step's matrix products and its Adam update, in numpy, and nothing else.

    Attributes:
        products: left and right factor and result of each.
        adam: `[4, W]` weights, gradient, first and second moments.
    """

    def __init__(self, architecture: Architecture, batch: int, rng: np.random.Generator) -> None:
        """Draw the matrices of a step with `batch` samples."""
        self.products = [
            product
            for chain in architecture.chains
            for number, layer in enumerate(chain)
            for product in _products(layer, architecture.points, batch, rng, is_first=not number)
        ]
        sizes = [int(np.prod(shape)) for shape in architecture.shapes.values()]
        self.adam = rng.random((4, sum(sizes)), np.float32)
        self._work = np.empty((2, _BLOCK), np.float32)

    def run(self, steps: int) -> None:
        """Do as many."""
        for _ in range(steps):
            for left, right, result in self.products:
                np.matmul(left, right, out=result)
            for first in range(0, self.adam.shape[1], _BLOCK):
                self._update(self.adam[:, first : first + _BLOCK])

    def _update(self, block: NDArray[np.float32]) -> None:
        """Take Adam's step (Kingma, Ba 2015) on a block of weights, gradient and moments."""
        weights, gradient, mean, square = block
        change, root = self._work[:, : block.shape[1]]
        np.subtract(gradient, mean, out=change)
        change *= 0.1
        mean += change
        np.multiply(gradient, gradient, out=change)
        change -= square
        change *= 0.001
        square += change
        np.sqrt(square, out=root)
        root += 1e-7
        np.divide(mean, root, out=change)
        change *= 1e-6
        weights -= change


def _products(
    layer: NetworkLayer, points: int, batch: int, rng: np.random.Generator, *, is_first: bool
) -> list[tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]]:
    """Return the factors and the results of a layer's products, forward and backward.

    The first layer needs no gradient of what it sees.
    """
    rows = batch * points if layer.kind == CONVOLUTION else batch
    seen = rng.random((rows, layer.fan_in), np.float32)
    kernel = rng.random((layer.fan_in, layer.outputs), np.float32)
    error = rng.random((rows, layer.outputs), np.float32)
    found = [(seen, kernel, np.empty_like(error)), (seen.T, error, np.empty_like(kernel))]
    if not is_first:
        found.append((error, kernel.T, np.empty_like(seen)))
    return found


def compare(player: str, states: int, threads: int, repeats: int) -> Measurement:
    """Measure a player; in a process of its own."""
    from ai.learning.learner import Trainers
    from ai.learning.self_teaching import SelfTeachingLearner

    rules = Rules(7, 5)
    trainers = Trainers(threads=threads)
    learner = SelfTeachingLearner(player, rules, {}, trainers=trainers)
    learner.prepare()
    held, steps, seconds = [], [], []
    for seed in range(repeats):
        samples = random_samples(states, rules, np.random.default_rng(seed))
        spent, trained = timed(partial(learner.fit, samples, seed + 1))
        seconds.append(spent)
        held.append(trained.measures.held or 0.0)
        steps.append(trained.steps or 0)
    trainer = trainers.of(learner.architecture, learner.settings.batch)
    step, floor, ratio = _step_times(learner, trainer, states)
    return Measurement(player, step, floor, ratio, tuple(held), tuple(steps), tuple(seconds), None)


def _step_times(learner: Any, trainer: Any, states: int) -> tuple[float, float, float]:
    """Return the seconds of a step, those of its products and Adam, and their ratio."""
    batch, architecture = learner.settings.batch, learner.architecture
    rng = np.random.default_rng(0)
    samples = random_samples(states, learner.rules, rng)
    plan = _plan(learner, samples, STEPS, rng)
    weights = draw_weights(architecture, rng)
    floor = Floor(architecture, batch, rng)
    turns = []
    for _ in range(TURNS):
        ours = timed(lambda: trainer.train(weights, plan, parts=1))[0] / STEPS
        least = timed(lambda: floor.run(STEPS))[0] / STEPS
        turns.append((ours, least, ours / least))
    step, least, ratio = np.median(np.array(turns), axis=0)
    return float(step), float(least), float(ratio)


def _plan(learner: Any, samples: NodeSamples, steps: int, rng: np.random.Generator) -> TrainingPlan:
    """Return a plan of so many whole batches."""
    batch = learner.settings.batch
    epochs = -(-steps * batch // len(samples))
    order, weights = epoch_order(len(samples), batch=batch, epochs=epochs, rng=rng)
    return TrainingPlan(
        features=learner.encoder.features(samples.stones),
        targets=targets_of(samples, learner.settings),
        occupied=samples.stones != 0,
        order=order[:steps],
        weights=weights[:steps],
        learning_rates=one_cycle(steps, learner.settings.rate),
    )


def run_keras(player: str, states: int, steps: int, threads: int) -> float:
    """Return the seconds of the usual way for as many steps; in a process of its own."""
    from ai.learning.self_teaching import SelfTeachingLearner
    from ai.nets.trainer import configure_tensorflow

    configure_tensorflow(threads)
    learner = SelfTeachingLearner(player, Rules(7, 5), {})
    batch = learner.settings.batch
    rng = np.random.default_rng(0)
    samples = random_samples(states, learner.rules, rng)
    plan = _plan(learner, samples, steps + 2 * batch, rng)
    epochs = max(1, round(steps * batch / states))
    fit_new_model(learner.architecture, plan, 1, batch)  # loads and compiles what is loaded once
    return timed(lambda: fit_new_model(learner.architecture, plan, epochs, batch))[0]


def report(found: Measurement, states: int) -> str:
    """Return the lines of one player."""
    seconds, steps = float(np.median(found.seconds)), int(np.median(found.steps))
    lines = [
        f"{found.player}: {'reached' if found.is_reached else 'MISSED'}",
        f"  a step {found.step_seconds * 1000:.2f} ms, its products and Adam "
        f"{found.floor_seconds * 1000:.2f} ms: ratio {found.ratio:.2f} (wanted: {MOST_RATIO:g})",
        f"  holds at least {min(found.held):.3f} of {states} states (wanted: {LEAST_HELD:g}) "
        f"after {steps} steps, {seconds:.2f} s (medians of {len(found.seconds)})",
    ]
    if found.keras_seconds is not None:
        lines.append(
            f"  a new Keras model, as many steps: {found.keras_seconds:.2f} s, "
            f"{found.keras_seconds / seconds:.1f} times as much"
        )
    return "\n".join(lines)


def main() -> int:
    """Read the command line, measure, print; 1 where a goal is missed."""
    parser = parser_of(
        __doc__, states=1000, threads=1, repeats=3, without_keras=(False, "leave the usual way out")
    )
    options = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(options.threads)  # read by the processes below
    packages = (f"{name} {version(name)}" for name in ("tensorflow", "keras", "numpy"))
    print(machine(*packages, f"{options.threads} threads"))
    are_reached = True
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for player in PLAYERS:
            found = pool.apply(compare, (player, options.states, options.threads, options.repeats))
            if not options.without_keras:
                steps = int(np.median(found.steps))
                arguments = (player, options.states, steps, options.threads)
                found = found._replace(keras_seconds=pool.apply(run_keras, arguments))
            print(report(found, options.states), flush=True)
            are_reached = are_reached and found.is_reached
    return 0 if are_reached else 1


if __name__ == "__main__":
    sys.exit(main())

"""Compares our retraining with `model.fit` on a new Keras model: CPU seconds and accuracy.

    python -m benchmarks.retrain [--states 1000] [--threads 1] [--repeats 3]

Both train the network of `cnn-ann` from new weights on the same distinct states for the
same epochs, with the same batch size and learning rates. Each way runs in a process of its
own, after an uncounted warm-up: ours as the trainer worker runs it, Keras' as it
comes (`compile` with the accuracy metric, `fit`, TensorFlow's own thread counts; --threads
applies to both when given). Accuracy is measured afterwards, on all states. Exits with 1
where ours is not at least three times cheaper at an accuracy of at least 0.98.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import Rules
from ai.learning.configuration import LearningSettings
from ai.learning.enhanced_training import Samples, fresh_plan, targets_of
from ai.nets.architecture import Architecture
from ai.nets.configuration import build_architecture, build_encoder
from ai.nets.inference import Network
from ai.nets.initial import WeightArrays, draw_weights
from ai.nets.plan import TrainingPlan
from ai.players.registry import get_player_info, resolve_settings

_WANTED_RATIO = 3.0
_WANTED_ACCURACY = 0.98


class Measurement(NamedTuple):
    """One way's cost and outcome."""

    cpu_seconds: float
    wall_seconds: float
    accuracy: float


def random_samples(states: int, rules: Rules, rng: np.random.Generator) -> Samples:
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
    return Samples(board, labels, np.arange(states), rules)


def measure(
    train: Callable[[], WeightArrays],
    architecture: Architecture,
    features: NDArray[np.float32],
    targets: NDArray[np.float32],
) -> Measurement:
    """Run one training and see what it cost and holds."""
    wall, cpu = time.perf_counter(), time.process_time()
    weights = train()
    cpu_seconds, wall_seconds = time.process_time() - cpu, time.perf_counter() - wall
    answers = Network(architecture, weights).logits(features).argmax(axis=1)
    accuracy = float(np.mean(answers == targets.argmax(axis=1)))
    return Measurement(cpu_seconds, wall_seconds, accuracy)


def fit_new_model(
    architecture: Architecture, plan: TrainingPlan, epochs: int, batch: int
) -> WeightArrays:
    """Train the usual way: build, compile and fit a new Keras model."""
    from ai.nets.backend import keras, tf
    from ai.nets.keras_model import build_model, get_weights

    class OneCycle(keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
        """The plan's rates, looked up inside Keras' own training step."""

        def __call__(self, step: Any) -> Any:
            return tf.gather(tf.constant(plan.rates), tf.cast(step, tf.int32))

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


class Task(NamedTuple):
    """One training, the same for both ways."""

    architecture: Architecture
    features: NDArray[np.float32]
    targets: NDArray[np.float32]
    plan: TrainingPlan
    epochs: int
    batch: int
    seed: int


def make_task(states: int, seed: int) -> Task:
    """Draw the states of one training."""
    rules = Rules(7, 5)
    resolved = resolve_settings(get_player_info("cnn-ann"), {})
    settings = LearningSettings.from_settings(resolved)
    encoder = build_encoder(rules, resolved)
    rng = np.random.default_rng(seed)
    samples = random_samples(states, rules, rng)
    plan = fresh_plan(samples, encoder, settings, rng)
    return Task(
        build_architecture(rules, resolved, channels=encoder.channels),
        encoder.features(samples.stones),
        targets_of(samples, settings),
        plan,
        plan.steps // -(-states // settings.batch),
        settings.batch,
        seed,
    )


def run_ours(states: int, threads: int | None, repeats: int) -> list[Measurement]:
    """Measure the compiled loop; in a process of its own."""
    from ai.nets.trainer import CompiledTrainer

    tasks = [make_task(states, seed) for seed in range(repeats)]
    trainer = CompiledTrainer(tasks[0].architecture, threads=threads or 1)
    trainer.warm_up(tasks[0].batch)
    results = []
    for task in tasks:

        def train(task: Task = task) -> WeightArrays:
            weights = draw_weights(task.architecture, np.random.default_rng(task.seed))
            return trainer.train(weights, task.plan).weights

        results.append(measure(train, task.architecture, task.features, task.targets))
    return results


def run_keras(states: int, threads: int | None, repeats: int) -> list[Measurement]:
    """Measure `model.fit`; in a process of its own."""
    if threads is not None:
        from ai.nets.trainer import configure_tensorflow

        configure_tensorflow(threads)
    warm_up = make_task(100, repeats)
    fit_new_model(warm_up.architecture, warm_up.plan, warm_up.epochs, warm_up.batch)
    results = []
    for task in (make_task(states, seed) for seed in range(repeats)):

        def train(task: Task = task) -> WeightArrays:
            return fit_new_model(task.architecture, task.plan, task.epochs, task.batch)

        results.append(measure(train, task.architecture, task.features, task.targets))
    return results


def describe_machine() -> str:
    """Return what the numbers were measured on."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("tensorflow", "keras", "numpy"))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{platform.system()} {platform.machine()}, {cores} cores, "
        f"Python {platform.python_version()}, {packages}"
    )


def main() -> int:
    """Read the command line, measure, print; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    arguments = (options.states, options.threads, options.repeats)
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        ours = pool.apply(run_ours, arguments)
        keras = pool.apply(run_keras, arguments)
    print(f"machine: {describe_machine()}")
    for name, runs in (("compiled loop, weights re-drawn", ours), ("new model, model.fit", keras)):
        cpu, wall, accuracy = (np.median([run[i] for run in runs]) for i in range(3))
        print(
            f"{name:>32}: {cpu:6.2f} CPU s, {wall:6.2f} wall s, accuracy {accuracy:.3f} "
            f"(median of {len(runs)}; {options.states} states)"
        )
    ratio = float(
        np.median(
            [theirs.cpu_seconds / own.cpu_seconds for own, theirs in zip(ours, keras, strict=True)]
        )
    )
    worst = min(run.accuracy for run in ours)
    is_reached = ratio >= _WANTED_RATIO and worst >= _WANTED_ACCURACY
    print(
        f"{ratio:.1f} times cheaper (wanted: {_WANTED_RATIO:g}), accuracy at least {worst:.3f} "
        f"(wanted: {_WANTED_ACCURACY:g}): {'reached' if is_reached else 'MISSED'}"
    )
    return 0 if is_reached else 1


if __name__ == "__main__":
    sys.exit(main())

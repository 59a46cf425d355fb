"""The compiled training loop: one TensorFlow graph, built once, used for every training.

A new Keras model and `fit` spend most of their time on building and tracing. Here the model, its
gradients and the optimiser are traced once. Weights are written in place, and the numbers of
samples and steps are tensors, so that a growing memory does not cause another trace.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.memory.lines import line_responses
from ai.nets.architecture import (
    CONVOLUTION,
    DENSE,
    LINE,
    Architecture,
    NetworkLayer,
    WeightArrays,
    check_weights,
)
from ai.nets.backend import keras, tf
from ai.nets.optimizer import Optimizer
from ai.nets.plan import TrainingPlan


class LineFilters(keras.layers.Layer):  # type: ignore[misc]
    """Rates the points of a board by filters along its lines; see `NetworkLayer.kind`, LINE."""

    def __init__(self, architecture: Architecture, **options: Any) -> None:
        """Create the layer.

        Args:
            architecture: a network of the layout "lines".
            **options: options of every Keras layer, such as its name.
        """
        super().__init__(**options)
        responses = line_responses(architecture.line_reach, architecture.line_width)
        self._responses = tf.constant(responses)
        self.kernel = self.add_weight(shape=(len(responses), 1), initializer="zeros", name="kernel")
        self.bias = self.add_weight(shape=(1,), initializer="zeros", name="bias")

    def call(self, codes: tf.Tensor) -> tf.Tensor:
        """Return `[B, rows, size, 1]` ratings for the numbers of a point's line situations."""
        worths = tf.matmul(self._responses, self.kernel)[:, 0]  # [K]
        lines = tf.gather(worths, tf.cast(codes, tf.int32))
        return tf.reduce_sum(lines, axis=-1, keepdims=True) + self.bias


def build_model(architecture: Architecture) -> keras.Model:
    """Return a Keras model that computes logits `[B, A]` from features `[B, rows, size, C]`."""
    shape = (architecture.rows, architecture.size, architecture.channels)
    features = keras.Input(shape, name="features")
    answers = []
    for chain in architecture.chains:
        layers = [
            (layer, _keras_layer(architecture, layer, is_last=layer is chain[-1]))
            for layer in chain
        ]
        answers.append(_flat(_through(layers, features)))
        if architecture.views == 2:
            seen = _through(layers, keras.ops.flip(features, axis=2))
            seen = keras.ops.reshape(seen, (-1, architecture.rows, architecture.size, 1))
            answers.append(_flat(keras.ops.flip(seen, axis=2)))
    logits = answers[0] if len(answers) == 1 else keras.layers.Add()(answers)
    return keras.Model(features, logits, name=architecture.layout.replace("-", "_"))


def _keras_layer(
    architecture: Architecture, layer: NetworkLayer, *, is_last: bool
) -> keras.layers.Layer:
    """Return the Keras layer of a layer, with ReLU unless it is the last of its chain.

    Args:
        architecture: the network.
        layer: the layer.
        is_last: whether it is the last one.
    """
    if layer.kind == LINE:
        return LineFilters(architecture, name=layer.name)
    activation = None if is_last else "relu"
    if layer.kind == CONVOLUTION:
        return keras.layers.Conv2D(
            layer.outputs,
            layer.kernel,
            padding="same",
            activation=activation,
            kernel_initializer="he_uniform",
            name=layer.name,
        )
    return keras.layers.Dense(
        layer.outputs, activation=activation, kernel_initializer="he_uniform", name=layer.name
    )


def _through(
    layers: list[tuple[NetworkLayer, keras.layers.Layer]], value: keras.KerasTensor
) -> keras.KerasTensor:
    """Return the output of layers, each of which gets the output of the one before.

    Args:
        layers: each layer, and the Keras layer of it.
        value: input of the first one.
    """
    for layer, made in layers:
        value = made(_flat(value) if layer.kind == DENSE else value)
    return value


def _flat(value: keras.KerasTensor) -> keras.KerasTensor:
    """Return a value with one axis beside that of the samples."""
    return keras.layers.Flatten()(value) if len(value.shape) > 2 else value


def set_weights(
    model: keras.Model, architecture: Architecture, weights: Mapping[str, NDArray[np.float32]]
) -> None:
    """Copy weight arrays, by name, into the variables of a model."""
    for layer in architecture.layers:
        kernel, bias = model.get_layer(layer.name).variables
        kernel.assign(weights[f"{layer.name}.kernel"])
        bias.assign(weights[f"{layer.name}.bias"])


def get_weights(model: keras.Model, architecture: Architecture) -> WeightArrays:
    """Return the model's variables as arrays by name."""
    weights: WeightArrays = {}
    for layer in architecture.layers:
        kernel, bias = model.get_layer(layer.name).variables
        weights[f"{layer.name}.kernel"] = np.array(kernel.numpy(), np.float32)
        weights[f"{layer.name}.bias"] = np.array(bias.numpy(), np.float32)
    return weights


log = logging.getLogger(__name__)

Progress: TypeAlias = Callable[[int, int, float, float], None]
"""Function called with (step, steps, loss, accuracy) during a training."""

CHUNKS: Final = 8
"""Number of parts of a training; between them progress is reported and other processes may run."""
LEAST_BATCH: Final = 32
"""Smallest batch of boards for `CompiledTrainer.answer`; a smaller one is padded."""
MOST_BATCH: Final = 256
"""Largest batch of boards for `CompiledTrainer.answer`.

It is the smallest batch times a power of two.
"""


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """Result of one training: the weights and how well they fit the samples."""

    weights: WeightArrays
    loss: float
    """Mean loss over the last part of the steps."""
    accuracy: float
    """Share of the samples of the last part of the steps that the network answered right.

    An answer is right if its best point has the highest label.
    """
    steps: int
    """Number of steps taken; fewer than planned if the training ended early."""


def batch_sizes(boards: int) -> list[int]:
    """Return the sizes of the batches in which a number of boards is computed.

    Only four sizes occur; the last batch is padded. oneDNN keeps compiled code of 0.4 MB for each
    of the last thousand sizes that it has met, and the number of boards changes as a memory grows.
    """
    whole, rest = divmod(boards, MOST_BATCH)
    sizes = [MOST_BATCH] * whole
    if rest or not sizes:
        sizes.append(max(LEAST_BATCH, 1 << (rest - 1).bit_length()))
    return sizes


def configure_tensorflow(threads: int) -> None:
    """Configure TensorFlow for training: deterministic, few threads, no graphics cards.

    Networks this small train faster on the CPU, and results are the same with and without a GPU. If
    TensorFlow already runs, its thread counts stay as they are.

    Args:
        threads: number of CPU threads.
    """
    try:
        tf.config.set_visible_devices([], "GPU")
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError as error:
        log.debug("TensorFlow is running already: %s", error)
    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(0)


class CompiledTrainer:
    """Trains networks of one architecture; not thread-safe."""

    def __init__(self, architecture: Architecture, *, threads: int = 1) -> None:
        """Build the model; the graph is traced at the first training or `warm_up`.

        Args:
            architecture: the network.
            threads: CPU threads that TensorFlow may use; the first trainer of a process decides.
        """
        configure_tensorflow(threads)
        self.architecture = architecture
        self.model = build_model(architecture)
        self._optimizer = Optimizer(
            [
                variable
                for layer in architecture.layers
                for variable in self.model.get_layer(layer.name).variables
            ]
        )
        self._run = self._compile()
        self._answer = tf.function(
            lambda boards: self.model(boards, training=False),
            input_signature=[tf.TensorSpec([None, *self._board_shape], tf.float32)],
            autograph=False,
        )

    @property
    def trace_count(self) -> int:
        """How often the graph has been traced; it stays at 1 after the first training."""
        return int(self._run.experimental_get_tracing_count())

    def warm_up(self, batch: int) -> None:
        """Build the graph with a dummy training, so that the first real training starts at once.

        Args:
            batch: samples per step.
        """
        points = self.architecture.points
        plan = TrainingPlan(
            features=np.zeros((2, points, self.architecture.channels), np.float32),
            targets=np.full((2, points), 1.0 / points, np.float32),
            occupied=np.zeros((2, points), np.bool_),
            order=np.zeros((1, batch), np.int32),
            weights=np.ones((1, batch), np.float32),
            learning_rates=np.zeros(1, np.float32),
        )
        self.train(get_weights(self.model, self.architecture), plan)
        self.answer(plan.features)

    def train(
        self,
        initial: Mapping[str, NDArray[np.float32]],
        plan: TrainingPlan,
        progress: Progress | None = None,
        *,
        fraction: float = 1.0,
        parts: int | None = None,
        is_enough: Callable[[], bool] = lambda: False,
        further: Callable[[], TrainingPlan | None] | None = None,
        most_steps: int = 0,
    ) -> TrainedNetwork:
        """Train a network by a plan and, if wanted, by further plans until it is good enough.

        Args:
            initial: weights to start from; not changed.
            plan: the samples and the steps.
            progress: called after each part with (step, steps, loss, accuracy); may raise to stop
                the training. None for no calls.
            fraction: share of the time spent on computing, above 0 to 1; the rest is slept.
            parts: number of parts into which the steps are divided; None: `CHUNKS`.
            is_enough: returns True to end the training early; meanwhile `answer` uses the present
                weights. It is called after each part but the last; with `further`, after each plan
                instead.
            further: called after a plan if `is_enough` returned False. It returns the next plan, or
                None to end. None if there is only `plan`.
            most_steps: total number of steps of all plans, for `progress`.

        Returns:
            The trained weights and their measures.
        """
        set_weights(self.model, self.architecture, check_weights(self.architecture, initial))
        self._optimizer.reset()
        loss, accuracy, done = 0.0, 0.0, 0
        following: TrainingPlan | None = plan
        while following is not None:
            steps = max(most_steps, done + following.steps)
            for loss, accuracy, last in self._run_plan(following, parts, done, fraction):
                if progress is not None:
                    progress(last, steps, loss, accuracy)
                if further is None and last < following.steps and is_enough():
                    break
            done = last
            following = None if further is None or is_enough() else further()
        return TrainedNetwork(get_weights(self.model, self.architecture), loss, accuracy, done)

    def _run_plan(
        self, plan: TrainingPlan, parts: int | None, done: int, fraction: float
    ) -> Iterator[tuple[float, float, int]]:
        """Run the steps of a plan part by part.

        Args:
            plan: the samples and the steps.
            parts: number of parts; None: `CHUNKS`.
            done: number of steps run before this plan.
            fraction: share of the time spent on computing; the rest is slept.

        Yields:
            After each part: its loss, its accuracy, and the number of steps so far.
        """
        samples = (
            tf.constant(plan.features.reshape(-1, *self._board_shape)),
            tf.constant(plan.targets),
            tf.constant(plan.occupied),
        )
        for first, last in _chunks(plan.steps, CHUNKS if parts is None else parts):
            started = time.perf_counter()
            sums = self._run(
                *samples,
                tf.constant(plan.order[first:last]),
                tf.constant(plan.weights[first:last]),
                tf.constant(plan.learning_rates[first:last]),
            )
            loss_sum, hits, weight = (float(value) for value in sums)
            yield loss_sum / max(weight, 1e-9), hits / max(weight, 1e-9), done + last
            if fraction < 1.0:
                time.sleep((time.perf_counter() - started) * (1.0 - fraction) / fraction)

    def answer(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return scores `[B, A]` of the last trained network, for features `[B, A, C]`."""
        boards = features.reshape(-1, *self._board_shape)
        sizes = batch_sizes(len(boards))
        padded = np.pad(boards, ((0, sum(sizes) - len(boards)), (0, 0), (0, 0), (0, 0)))
        answers = [
            self._answer(tf.constant(padded[end - size : end])).numpy()
            for size, end in zip(sizes, accumulate(sizes), strict=True)
        ]
        scores: NDArray[np.float32] = np.concatenate(answers)
        return scores[: len(boards)]

    @property
    def _board_shape(self) -> tuple[int, int, int]:
        """Rows, columns and channels of the network's input."""
        return (self.architecture.rows, self.architecture.size, self.architecture.channels)

    def _compile(self) -> tf.types.experimental.PolymorphicFunction:
        """Return the compiled function that runs the steps of one part of a training.

        Its loop consists of TensorFlow operations, since converting a Python loop takes most of a
        second.
        """
        points, model = self.architecture.points, self.model

        def run(
            features: tf.Tensor,
            targets: tf.Tensor,
            occupied: tf.Tensor,
            order: tf.Tensor,
            weights: tf.Tensor,
            rates: tf.Tensor,
        ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
            def step_once(
                step: tf.Tensor, loss_sum: tf.Tensor, hits: tf.Tensor, total: tf.Tensor
            ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
                rows, weight = order[step], weights[step]
                labels, taken = tf.gather(targets, rows), tf.gather(occupied, rows)

                def loss_of() -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
                    logits = model(tf.gather(features, rows), training=True)
                    losses = _losses(logits, labels, taken)  # [batch]
                    loss = tf.reduce_sum(losses * weight) / tf.maximum(tf.reduce_sum(weight), 1e-9)
                    return loss, losses, logits

                _, losses, logits = self._optimizer.update(loss_of, rates[step])
                loss_sum += tf.reduce_sum(losses * weight)
                hits += tf.reduce_sum(_hits(logits, labels, taken) * weight)
                return step + 1, loss_sum, hits, total + tf.reduce_sum(weight)

            steps, nothing = tf.shape(order)[0], tf.constant(0.0)
            _, *sums = tf.while_loop(
                lambda step, *_: step < steps,
                step_once,
                (tf.constant(0), nothing, nothing, nothing),
                parallel_iterations=1,
            )
            return tuple(sums)

        signature = [
            tf.TensorSpec([None, *self._board_shape], tf.float32),
            tf.TensorSpec([None, points], tf.float32),
            tf.TensorSpec([None, points], tf.bool),
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None, None], tf.float32),
            tf.TensorSpec([None], tf.float32),
        ]
        return tf.function(run, input_signature=signature, autograph=False)


def _losses(logits: tf.Tensor, labels: tf.Tensor, occupied: tf.Tensor) -> tf.Tensor:
    """Return `[batch]` the cross entropy of each sample.

    Args:
        logits: `[batch, A]` output of the network.
        labels: `[batch, A]` target probabilities.
        occupied: `[batch, A]` points that are left out of the softmax.
    """
    masked = tf.where(occupied, tf.constant(-1e9), logits)
    return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=masked)


def _hits(logits: tf.Tensor, labels: tf.Tensor, occupied: tf.Tensor) -> tf.Tensor:
    """Return `[batch]` 1 where the network's best point has the highest label, else 0.

    Args:
        logits: `[batch, A]` output of the network.
        labels: `[batch, A]` target probabilities.
        occupied: `[batch, A]` points that are not considered.
    """
    best = tf.argmax(tf.where(occupied, tf.constant(-1e9), logits), axis=1)
    chosen = tf.gather(labels, best, axis=1, batch_dims=1)
    return tf.cast(chosen >= tf.reduce_max(labels, axis=1), tf.float32)


def _chunks(steps: int, parts: int) -> list[tuple[int, int]]:
    """Split steps into about `parts` parts of equal length; return (first, end) of each.

    Args:
        steps: number of steps.
        parts: wished number of parts.
    """
    length = max(1, -(-steps // parts))
    return [(first, min(first + length, steps)) for first in range(0, steps, length)]

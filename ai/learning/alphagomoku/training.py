"""The training loop of AlphaGomoku: improves a pair of networks by gradient descent on samples.

After Xie et al., "AlphaGomoku", and AlphaGo Zero (Silver et al. 2017). For each step a batch of
positions is drawn evenly from the samples, each in one of the eight symmetries. The step lowers

    loss = (z - v)^2 - sum_a pi_a log p_a + c ||theta||^2

by stochastic gradient descent with momentum. Here z is the target value and v the predicted one. pi
is the target policy and p the predicted one. c is the weight decay, theta are all weights.

The black network learns only from positions with Black to move, the white one only from White's. A
single network for both sides learns from all. Read from top to bottom: settings, device, the step,
the loop.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, WHITE, Color
from ai.learning.alphagomoku.samples import PairSamples, draw, draw_mixed, join
from ai.nets.policy_value import (
    NetworkPair,
    PolicyValueArchitecture,
    arrays_of,
    initial_arrays,
    policy_value_model,
    set_arrays,
)

if TYPE_CHECKING:
    from ai.nets.backend import tf

# -- settings ------------------------------------------------------------------------------------

AUTO: Final = "auto"
CPU: Final = "cpu"
GPU: Final = "gpu"
DEVICES: Final = (AUTO, CPU, GPU)
SIDES: Final = (("black", BLACK), ("white", WHITE))
THREADS: Final = min(4, os.cpu_count() or 1)
"""Number of TensorFlow's threads.

It is fixed on each machine, because sums depend slightly on the number of threads.
"""
NORM_MOMENTUM: Final = 0.9
"""Momentum of the running averages in batch normalisation.

Keras' default, 0.99, follows too slowly in short trainings.
"""


class DeviceError(ValueError):
    """The requested device is not available."""


@dataclass(frozen=True, slots=True)
class OptimizerConfig:
    """Settings of the optimiser; the paper gives none of these numbers."""

    learning_rate: float = 0.02
    momentum: float = 0.9
    """Momentum: the factor with which the previous update is added to the next one.

    With the optimiser "adam" it is beta 1, the decay of the gradients' running mean.
    """
    weight_decay: float = 1e-4
    """Weight decay: factor of the sum of all squared weights in the loss; c in the formula."""
    batch: int = 128
    """Positions per step."""
    optimizer: str = "momentum"
    """"momentum" or "adam" (Kingma, Ba 2015)."""


@dataclass(frozen=True, slots=True)
class TrainState:
    """State of a training: a pair of networks and the optimiser's state of each."""

    pair: NetworkPair
    optimizer_state: Mapping[str, Mapping[str, NDArray[np.float32]]] = field(default_factory=dict)
    """Arrays of each network's optimiser by side, "black" and "white"; empty at the start.

    See `ai.nets.optimizer`.
    """
    steps: int = 0
    """Number of steps that each of the networks has been trained so far."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean losses over the steps of a training."""

    policy: float
    """Cross entropy of the policy, in nats."""
    value: float
    """Squared error of the value."""


Progress: TypeAlias = Callable[[int, int], None]
"""Function called with (finished steps, total steps); it may raise to stop the training."""


def new_pair(architecture: PolicyValueArchitecture, seed: int, *, shares: bool) -> NetworkPair:
    """Return a pair of networks with random weights.

    Args:
        architecture: architecture of both networks.
        seed: random seed of the initial weights.
        shares: whether one network serves both sides.
    """
    black = initial_arrays(architecture, 2 * seed)
    return NetworkPair(black, black if shares else initial_arrays(architecture, 2 * seed + 1))


# -- the device ----------------------------------------------------------------------------------


def open_device(name: str, threads: int = THREADS) -> str:
    """Choose TensorFlow's device; call this before anything else loads TensorFlow.

    `ai.nets.backend` hides graphics cards by default, so a process that wants one must ask first.

    Args:
        name: "cpu", "gpu", or "auto" for a graphics card if TensorFlow finds one.
        threads: number of TensorFlow's threads.

    Returns:
        The device in use, "cpu" or "gpu".

    Raises:
        DeviceError: the name is unknown, or "gpu" was given and there is no graphics card.
    """
    if name not in DEVICES:
        raise DeviceError(f"--device: expected auto, cpu or gpu, found {name!r}")
    if name != CPU:
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
    from ai.nets.backend import keras, tf

    cards = [] if name == CPU else tf.config.list_physical_devices("GPU")
    if name == GPU and not cards:
        raise DeviceError("--device gpu: expected a graphics card that TensorFlow sees, found none")
    try:
        tf.config.set_visible_devices(cards[:1], "GPU")
        for card in cards[:1]:
            tf.config.experimental.set_memory_growth(card, True)
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    except RuntimeError:
        pass  # TensorFlow runs already; its first settings stay
    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(0)
    return GPU if cards else CPU


# -- the step ------------------------------------------------------------------------------------


class PairTrainer:
    """Trains pairs of networks of one architecture; creating a trainer loads TensorFlow.

    The TensorFlow graph is built once and used for both networks and all trainings.
    """

    def __init__(self, architecture: PolicyValueArchitecture, plan: OptimizerConfig) -> None:
        """Build the model that both networks use in turn.

        Args:
            architecture: architecture of the networks.
            plan: settings of the optimiser.

        Raises:
            ValueError: the optimiser is unknown.
        """
        from ai.nets.backend import keras, tf
        from ai.nets.optimizer import Optimizer

        self.architecture = architecture
        self.plan = plan
        self._tf = tf
        self._model = policy_value_model(
            architecture.size,
            architecture.filters,
            architecture.blocks,
            pooled=architecture.is_pooled,
        )
        for layer in self._model.layers:
            if isinstance(layer, keras.layers.BatchNormalization):
                layer.momentum = NORM_MOMENTUM
        self._theta = self._model.trainable_variables
        self._optimizer = Optimizer(self._theta, name=plan.optimizer, momentum=plan.momentum)
        size, points = architecture.size, architecture.points
        self._run = tf.function(
            self._step,
            input_signature=[
                tf.TensorSpec([plan.batch, size, size, 3], tf.float32),
                tf.TensorSpec([plan.batch, points], tf.float32),
                tf.TensorSpec([plan.batch], tf.float32),
                tf.TensorSpec([], tf.float32),
            ],
            autograph=False,
        )

    def _step(
        self, planes: tf.Tensor, pi: tf.Tensor, z: tf.Tensor, learning_rate: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Run one optimiser step; return the loss of the policy and that of the value.

        Args:
            planes: `[B, n, n, 3]` input of the network, see `PairSamples.planes`.
            pi: `[B, A]` target policies.
            z: `[B]` target values.
            learning_rate: learning rate of this step.
        """
        tf = self._tf

        def loss_of() -> tuple[Any, ...]:
            logits, v = self._model(planes, training=True)  # [B, A], [B]
            policy_loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(pi, logits))
            value_loss = tf.reduce_mean(tf.square(z - v))
            squares = tf.add_n([tf.reduce_sum(tf.square(weight)) for weight in self._theta])
            loss = value_loss + policy_loss + self.plan.weight_decay * squares
            return loss, policy_loss, value_loss

        _, policy_loss, value_loss = self._optimizer.update(loss_of, learning_rate)
        return policy_loss, value_loss

    # -- the loop --------------------------------------------------------------------------------

    def train(
        self,
        state: TrainState,
        samples_of: Callable[[Color], PairSamples],
        steps: int,
        seed: int,
        progress: Progress = lambda step, steps: None,
        *,
        learning_rate_scale: float = 1.0,
        rehearsed: Callable[[Color], PairSamples] | None = None,
        rehearsal: float = 0.0,
    ) -> tuple[TrainState, dict[str, Losses]]:
        """Train each network of a pair on the positions of its own side.

        Args:
            state: the state to start from; it is not changed.
            samples_of: returns the samples of a colour; a side without samples is not trained.
            steps: number of steps of each network.
            seed: random seed of the batches.
            progress: called after each step with (finished steps, total steps).
            learning_rate_scale: factor of the learning rate.
            rehearsed: returns earlier samples of a colour to mix in; None for none.
            rehearsal: fraction of each batch drawn from `rehearsed`.

        Returns:
            The new state, and the losses by side ("black", "white").
        """
        is_single = state.pair.white is state.pair.black
        arrays = {"black": state.pair.black, "white": state.pair.white}
        remembered = dict(state.optimizer_state)
        losses: dict[str, Losses] = {}
        turns = self._turns(samples_of, is_single=is_single)
        known = dict(self._turns(rehearsed, is_single=is_single)) if rehearsed and rehearsal else {}
        size, count = self.architecture.size, self.plan.batch
        learning_rate = self.plan.learning_rate * learning_rate_scale
        for turn, (side, samples) in enumerate(turns):
            rng = np.random.default_rng([seed, turn])
            set_arrays(self._model, arrays[side])
            self._optimizer.restore(remembered.get(side, {}), state.steps, learning_rate)
            sums = np.zeros(2)
            for step in range(steps):
                if side in known:
                    batch = draw_mixed(samples, known[side], count, rehearsal, size, rng)
                else:
                    batch = draw(samples, count, size, rng)
                sums += self._one(batch, learning_rate)
                progress(turn * steps + step + 1, len(turns) * steps)
            losses[side] = Losses(*(sums / max(steps, 1)))
            arrays[side] = arrays_of(self._model)
            remembered[side] = self._optimizer.state()
        white = arrays["black"] if is_single else arrays["white"]
        pair = NetworkPair(arrays["black"], white, state.pair.card)
        return TrainState(pair, remembered, state.steps + steps), losses

    def _turns(
        self, samples_of: Callable[[Color], PairSamples], *, is_single: bool
    ) -> list[tuple[str, PairSamples]]:
        """Return the networks to train: for each the name of its side, and its samples.

        Args:
            samples_of: returns the samples of a colour; a side without samples is left out.
            is_single: whether one network plays both sides; it is returned as "black", with all
                samples.
        """
        if is_single:
            return [("black", _both(samples_of))]
        sides = [(side, samples_of(color)) for side, color in SIDES]
        return [(side, samples) for side, samples in sides if len(samples)]

    def _one(self, batch: PairSamples, learning_rate: float) -> NDArray[np.float64]:
        """Take one step on a batch; return `[2]` the losses of policy and value."""
        found = self._run(
            batch.planes(self.architecture.size),
            batch.policy.astype(np.float32),
            batch.value,
            np.float32(learning_rate),
        )
        return np.array([float(loss) for loss in found])


def _both(samples_of: Callable[[Color], PairSamples]) -> PairSamples:
    return join([samples_of(color) for _, color in SIDES])


def optimizer_arrays(state: TrainState) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield the optimiser's arrays to store, as `SIDE.NAME` and array."""
    for side, remembered in state.optimizer_state.items():
        for name, array in remembered.items():
            yield f"{side}.{name}", array


def optimizer_state(
    arrays: Mapping[str, NDArray[np.float32]],
) -> dict[str, dict[str, NDArray[np.float32]]]:
    """Convert stored arrays back to the optimiser's state; the inverse of `optimizer_arrays`."""
    found: dict[str, dict[str, NDArray[np.float32]]] = {}
    for name, array in arrays.items():
        side, _, rest = name.partition(".")
        found.setdefault(side, {})[rest] = array
    return found

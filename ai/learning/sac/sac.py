"""Soft actor-critic, from top to bottom.

T. Haarnoja et al., "Soft actor-critic algorithms and applications" (2018), with the details that
implementations depend on. Each is marked in the code where it is done:

    [1]  T. Haarnoja et al., 2018: a policy that is paid for its entropy, and the temperature that
         keeps the entropy at a target
    [2]  S. Fujimoto et al., "Addressing function approximation error in actor-critic methods",
         2018: the smaller of two values
    [3]  T. Lillicrap et al., "Continuous control with deep reinforcement learning", 2016: a memory
         of steps, and targets that follow slowly
    [4]  F. Pardo et al., "Time limits in reinforcement learning", 2018
    [5]  X. Chen et al., "Randomized ensembled double Q-learning", 2021: several steps of learning
         for each step of the environment

Actions are numbers with bounds: a Gaussian squashed by tanh, whose mean and deviation depend on the
observation. Observations are flat. Steps are played with NumPy, with the very code that plays a
saved policy; Keras computes the gradients. Same seed, same numbers.

Shapes: T steps of a round, N environments, U steps of learning, B rows of a minibatch, n numbers of
an observation, k numbers of an action.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ai.learning.ppo.method import Array, Method, SpaceError, Step
from ai.learning.ppo.ppo import RunningMoments, layers_of
from ai.store.checkpoints import CheckpointError, reading_checkpoint
from base.files import atomic_write
from base.policies.policy import (
    RELU,
    Floats,
    PlainSpace,
    Policy,
    actions_of,
    forward,
    input_shape,
    normalised,
    output_size,
    space_text,
)
from base.schema import OptionError, OptionValue, options_of, resolve, setting
from base.storage.card_file import packed, read_arrays

if TYPE_CHECKING:
    from ai.nets.backend import tf

# -- settings --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SacSettings:
    """Settings of SAC."""

    envs: int = setting(8, 1, 1024, help="environments side by side")
    horizon: int = setting(125, 2, 100_000, help="steps of each in a round, which is one metric")
    start: int = setting(1000, 0, 10**7, help="first steps, with random actions and no learning")
    updates: float = setting(0.5, 0.0, 100.0, help="steps of learning for each step played [5]")
    batch_size: int = setting(128, 2, 65_536, help="rows of a minibatch")
    memory: int = setting(300_000, 100, 10**8, help="steps that are remembered, the newest [3]")
    rate: float = setting(1e-3, 1e-7, 1.0, help="learning rate of Adam")
    gamma: float = setting(0.99, 0.0, 1.0, help="discount of later rewards")
    tau: float = setting(0.005, 0.0, 1.0, help="share by which targets follow the values [3]")
    entropy: float = setting(-1.0, -100.0, 100.0, help="target of each number's entropy [1]")
    scale: float = setting(1.0, 1e-6, 1e6, help="factor of rewards")
    hidden: int = setting(64, 1, 4096, help="units of each of the two hidden layers")

    @classmethod
    def of(cls, action_space: PlainSpace, given: Mapping[str, object]) -> SacSettings:
        """Return settings with the defaults for an action space.

        Args:
            action_space: action space of the agent; all have the same defaults.
            given: values that replace the defaults, by key.

        Raises:
            OptionError: a setting is unknown or invalid.
        """
        found = resolve(OPTIONS, given, owner="--set")
        settings = cls(**found)  # type: ignore[arg-type]  # each was checked by its option
        if settings.memory < settings.batch_size:
            raise OptionError(
                f"memory: expected at least batch_size = {settings.batch_size}, "
                f"found {settings.memory}"
            )
        return settings

    @property
    def batch(self) -> int:
        """Number of steps of a round, of all environments together."""
        return self.envs * self.horizon

    def as_dict(self) -> dict[str, OptionValue]:
        """Return plain values for JSON."""
        return asdict(self)


OPTIONS: Final = tuple(options_of(SacSettings).values())
"""The settings as options for forms and command lines, in the order in which they are shown."""


def check_spaces(observation_space: PlainSpace, action_space: PlainSpace) -> None:
    """Check that SAC supports the spaces of an agent.

    Observations must be flat arrays, actions flat arrays with bounds.

    Raises:
        SpaceError: a space is not supported.
    """
    for name, space in (("observations", observation_space), ("actions", action_space)):
        is_box = space[0] == "box" and np.ndim(space[1]) == 1
        if not is_box or not str(space[3]).startswith("float"):
            raise SpaceError(
                f"{name}: expected a flat Box of float32, which SAC learns, found "
                f"{space_text(space)}; train ppo learns more kinds"
            )
    low, high = (np.asarray(bound) for bound in action_space[1:3])
    if not low.size or not (np.isfinite(low) & np.isfinite(high)).all():
        raise SpaceError(
            "actions: expected a Box with bounds, which SAC learns, found "
            f"{space_text(action_space)}; train ppo learns actions without bounds"
        )


# -- the memory ------------------------------------------------------------------------------------

BLOCK: Final = 5_000
"""Steps in a file of the memory."""
COLUMNS: Final = ("before", "actions", "rewards", "after", "terminated")


class Memory:
    """The newest steps of all environments, as a ring of rows [3]; its files are written once each.

    Steps are numbered from 0. A file holds `BLOCK` steps. The steps after the last whole file are
    part of the checkpoint (`rest`). So a checkpoint costs no more when the memory is large.
    """

    def __init__(self, size: int, sees: int, acts: int, folder: Path) -> None:
        """Create an empty memory.

        Args:
            size: number of steps that are remembered.
            sees: numbers of an observation, n.
            acts: numbers of an action, k.
            folder: where its files are; made when the first is written.
        """
        self.size, self.folder, self.count = size, folder, 0
        widths = {"before": sees, "actions": acts, "rewards": 1, "after": sees, "terminated": 1}
        self._widths = [widths[name] for name in COLUMNS]
        self._rows = np.zeros((0, sum(self._widths)), np.float32)  # grows up to `size`
        self._written = 0  # files
        self._before = 0  # steps of the last state

    def add(self, *columns: Array) -> None:
        """Add steps, the columns `[m, …]` in the order of `COLUMNS`."""
        count = len(columns[0])
        pairs = zip(columns, self._widths, strict=True)
        parts = [np.asarray(column, np.float32).reshape(count, width) for column, width in pairs]
        rows = np.concatenate(parts, axis=1)
        self._put(self.count, rows)
        self.count += count

    def sample(self, rng: np.random.Generator, shape: tuple[int, int]) -> list[Floats]:
        """Return `U x B` random steps, as columns `[U, B, width]` in the order of `COLUMNS`."""
        rows = self._rows[rng.integers(min(self.count, self.size), size=shape)]
        return np.split(rows, np.cumsum(self._widths)[:-1], axis=-1)

    def _put(self, first: int, rows: Floats) -> None:
        """Put rows at their places, of which the first is that of step `first`."""
        needed = min(first + len(rows), self.size)
        if needed > len(self._rows):
            more = min(max(needed, 2 * len(self._rows), 1024), self.size) - len(self._rows)
            self._rows = np.concatenate(
                [self._rows, np.zeros((more, self._rows.shape[1]), np.float32)]
            )
        self._rows[(first + np.arange(len(rows))) % self.size] = rows

    def _between(self, first: int, last: int) -> Floats:
        return self._rows[np.arange(first, last) % self.size]

    # -- keeping ------------------------------------------------------------------------------

    def state(self) -> dict[str, Array]:
        """Write the files that are whole, and return the steps after them.

        Files are deleted that neither this state needs nor the one before it.

        Raises:
            CheckpointError: a file cannot be written.
        """
        whole = self.count // BLOCK
        oldest = self._oldest(self.count)
        for number in range(max(self._written, oldest), whole):
            rows = self._between(max(number * BLOCK, self.count - self.size), (number + 1) * BLOCK)
            self._write(number, rows)
        self._written = whole
        self._prune(self._before)
        self._before = self.count
        rest = max(whole * BLOCK, self.count - self.size)
        return {
            "memory.count": np.array(self.count),
            "memory.rest": self._between(rest, self.count),
        }

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore what `state` returned, and read the files before it.

        Raises:
            CheckpointError: a file is missing or damaged.
        """
        count, rest = int(arrays["memory.count"]), arrays["memory.rest"]
        self._rows = self._rows[:0]
        for number in range(self._oldest(count), count // BLOCK):
            rows = self._read(number)
            self._put((number + 1) * BLOCK - len(rows), rows)
        self._put(count - len(rest), rest)
        self.count, self._written, self._before = count, count // BLOCK, count

    def _prune(self, count: int) -> None:
        """Delete the files that a memory of `count` steps no longer needs."""
        for number in range(self._oldest(count) - 1, -1, -1):
            if not self._file(number).exists():
                return
            self._file(number).unlink()

    def _oldest(self, count: int) -> int:
        """Return the number of the first block of which a memory of `count` steps has a step."""
        return max(count - self.size, 0) // BLOCK

    def _file(self, number: int) -> Path:
        return self.folder / f"{number:08}.npz"

    def _write(self, number: int, rows: Floats) -> None:
        path = self._file(number)
        try:
            path.parent.mkdir(exist_ok=True)
            atomic_write(path, packed({"rows": rows}, compress=False), sync=True)
        except OSError as error:
            raise CheckpointError(f"{path}: expected to write a memory, found {error}") from error

    def _read(self, number: int) -> Floats:
        path = self._file(number)
        with reading_checkpoint(path, "steps of a training"):
            rows: Floats = read_arrays(path)["rows"]
            if rows.shape[1:] != self._rows.shape[1:]:
                raise ValueError(f"rows of {rows.shape}")
        return rows


# -- a round ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Round:
    """What N environments did in T steps, and what was learnt meanwhile."""

    raw: Floats  # (N, k), the last actions, from -1 to 1
    returns: list[float]  # of the episodes that ended in it
    lengths: list[int]
    measures: list[Floats]  # of each time that the networks learnt
    observations: list[Floats]  # of all steps, for their mean and deviation


Measures: Final = ("value_loss", "policy_loss", "entropy", "temperature", "value")
"""Names of what a step of learning measures."""


# -- the learner -----------------------------------------------------------------------------------

LOG_DEVIATIONS: Final = (-5.0, 2.0)
"""Smallest and largest logarithm of the deviation of an action's number, before tanh."""


class Sac:
    """Learner by soft actor-critic: trains a policy, two value networks and a temperature.

    Creating one loads TensorFlow.
    """

    def __init__(
        self,
        observation_space: PlainSpace,
        action_space: PlainSpace,
        settings: SacSettings,
        seed: int,
        folder: Path,
    ) -> None:
        """Build the networks with random weights.

        Args:
            observation_space: observation space of the agents.
            action_space: action space of the agents.
            settings: settings of SAC.
            seed: random seed of weights, actions and minibatches.
            folder: where the files of the memory are kept.

        Raises:
            SpaceError: SAC does not support these spaces.
        """
        check_spaces(observation_space, action_space)
        from ai.nets.backend import keras, tf
        from ai.nets.optimizer import Optimizer

        self.observation_space, self.action_space = observation_space, action_space
        self.settings, self.seed, self.done, self.rate = settings, seed, 0, settings.rate
        self._tf, self._keras = tf, keras
        (self._sees,), self._acts = input_shape(observation_space), output_size(action_space)
        # The policy gives a mean and the logarithm of a deviation for each number of an action.
        self._actor = self._network(self._sees, 2 * self._acts, 5 * seed)
        # Two values of the same, of which the smaller counts [2], and the slow copies of both [3].
        both = self._sees + self._acts
        self._critics = [self._network(both, 1, 5 * seed + number) for number in (1, 2)]
        self._targets = [self._network(both, 1, 5 * seed + number) for number in (1, 2)]
        self._log_temperature = keras.Variable(np.zeros((), np.float32))
        self._values = [v for one in self._critics for v in one.trainable_variables]
        self._slow = [v for one in self._targets for v in one.trainable_variables]
        self._optimizers = {
            "actor": Optimizer(self._actor.trainable_variables),
            "critic": Optimizer(self._values),
            "temperature": Optimizer([self._log_temperature]),
        }
        self._steps = 0  # of learning
        self.seen = RunningMoments(self._sees)  # of observations
        self.memory = Memory(settings.memory, self._sees, self._acts, folder)
        self._learn = self._traced()
        self._refresh()

    def _network(self, inputs: int, outputs: int, seed: int) -> Any:
        """Build a network of two ReLU layers and a linear one [1].

        Args:
            inputs: number of inputs.
            outputs: number of outputs.
            seed: random seed of the weights.
        """
        keras, hidden = self._keras, self.settings.hidden
        layers = [keras.Input((inputs,))]
        for units, name in ((hidden, "relu"), (hidden, "relu"), (outputs, "linear")):
            start = keras.initializers.HeUniform(seed=7 * seed + len(layers) - 1)
            if name == "linear":  # small, so that policy and values begin even
                start = keras.initializers.RandomUniform(-3e-3, 3e-3, seed=7 * seed + 6)
            layers.append(keras.layers.Dense(units, name, kernel_initializer=start))
        return keras.Sequential(layers)

    # -- playing ------------------------------------------------------------------------------

    def begin(self, observations: Array) -> None:
        """Prepare for new episodes that start with the observations `[N, n]`."""
        self._observations = np.asarray(observations, np.float32)
        count = len(self._observations)
        self._done = np.zeros(count, bool)
        self._totals, self._lengths = np.zeros(count), np.zeros(count, int)

    def open_rollout(self) -> Round:
        """Return an empty round; `choose` and `record` then fill it, step by step."""
        self._rng = np.random.default_rng([self.seed, self.done, 0])
        return Round(np.zeros((len(self._done), self._acts), np.float32), [], [], [], [])

    def choose(self, kept: Round, t: int) -> Array:
        """Draw the actions `[N, k]` of step `t`, store them in the round and return them.

        Args:
            kept: the round.
            t: index of the step.
        """
        shape = kept.raw.shape
        if self.memory.count < self.settings.start:
            kept.raw = self._rng.uniform(-1.0, 1.0, shape).astype(np.float32)
        else:
            found = forward(self._played, self._scaled(self._observations), RELU)
            noise = self._rng.standard_normal(shape).astype(np.float32)
            log_deviation = np.clip(found[:, self._acts :], *LOG_DEVIATIONS)
            kept.raw = np.tanh(found[:, : self._acts] + np.exp(log_deviation) * noise)
        return actions_of(self.action_space, kept.raw)

    def record(self, kept: Round, t: int, step: Step) -> None:
        """Remember the results of step `t`, then learn.

        Args:
            kept: the round.
            t: index of the step.
            step: the results.
        """
        found, rewards, terminated, truncated = step
        lived = ~self._done  # elsewhere the step only began an episode
        after = np.asarray(found, np.float32)
        self._totals = np.where(lived, self._totals + rewards, 0.0)
        self._lengths = np.where(lived, self._lengths + 1, 0)
        # After an episode that was cut off, the value of the last observation counts [4]: only an
        # end of its own is remembered.
        columns = (self._observations, kept.raw, rewards, after, terminated)
        self.memory.add(*(np.asarray(column)[lived] for column in columns))
        kept.observations.append(self._observations[lived])
        self._observations, self._done = after, np.asarray(terminated | truncated)
        kept.returns += self._totals[self._done & lived].tolist()
        kept.lengths += self._lengths[self._done & lived].tolist()
        self._learn_from_memory(kept, int(lived.sum()))

    def close_rollout(self, kept: Round) -> None:
        """Complete a round; nothing is left to do."""

    def episodes(self) -> dict[str, Array]:
        """Return what is known of the running episodes, as arrays by name."""
        return {
            "observations": self._observations,
            "done": self._done,
            "totals": self._totals,
            "lengths": self._lengths,
        }

    def restore_episodes(self, arrays: Mapping[str, Array]) -> None:
        """Restore what `episodes` returned."""
        self._observations, self._done = arrays["observations"], arrays["done"]
        self._totals, self._lengths = arrays["totals"], arrays["lengths"]

    def _scaled(self, observations: Array) -> Floats:
        return normalised(observations, self._mean, self._deviation)

    # -- learning -----------------------------------------------------------------------------

    def _learn_from_memory(self, kept: Round, lived: int) -> None:
        """Learn as many steps as those played ask for.

        Args:
            kept: the round, which gets the measures.
            lived: number of steps that were just played.
        """
        settings, count = self.settings, self.memory.count
        after_start = max(count - max(settings.start, settings.batch_size), 0)
        if self.settings.updates == 0.0 or not after_start:
            return
        # The whole number of steps that are due by now, less those that were due before.
        before = max(after_start - lived, 0)
        due = int(after_start * settings.updates) - int(before * settings.updates)
        if due < 1:
            return
        before_, actions, rewards, after, ended = self.memory.sample(
            self._rng, (due, settings.batch_size)
        )
        noise = self._rng.standard_normal((2, *actions.shape)).astype(np.float32)
        shape = before_.shape
        columns = (
            self._scaled(before_.reshape(-1, self._sees)).reshape(shape),
            actions,
            rewards[..., 0] * np.float32(settings.scale),
            self._scaled(after.reshape(-1, self._sees)).reshape(shape),
            ended[..., 0],
            noise[0],
            noise[1],
        )
        found = self._learn(*columns, np.float32(self.rate))
        kept.measures.append(np.array(found, np.float32))
        self._steps += due
        self._played = layers_of(self._actor)

    def steer(self, rate: float | None, clip: float | None) -> None:
        """Change the learning rate from the next step on; None leaves it as it is.

        Args:
            rate: learning rate.
            clip: a setting of PPO, which SAC does not have.
        """
        self.rate = self.rate if rate is None else rate

    def update(self, kept: Round) -> dict[str, float]:
        """Complete a round: renew the normalisation of observations.

        Returns:
            Means over all steps of learning by name: `value_loss`, `policy_loss`, `entropy`,
            `temperature` and `value`; also `rate` as used. They are 0 before learning begins.
        """
        self.seen.add(np.concatenate(kept.observations).astype(np.float64))
        self.done += 1
        self._refresh()
        means = np.mean(kept.measures, 0) if kept.measures else np.zeros(len(Measures))
        return {**dict(zip(Measures, means.tolist(), strict=True)), "rate": self.rate}

    def _traced(self) -> Any:
        """Return U steps of learning, compiled to one TensorFlow graph."""
        tf, number = self._tf, self._tf.float32
        sees = tf.TensorSpec([None, None, self._sees], number)
        acts, row = tf.TensorSpec([None, None, self._acts], number), tf.TensorSpec([None, None])
        inputs = [sees, acts, row, sees, row, acts, acts, tf.TensorSpec([], number)]

        def learn(*given: Any) -> Any:
            *columns, rate = given
            steps = tf.shape(columns[0])[0]

            def body(step: Any, sums: Any) -> tuple[Any, Any]:
                rows = (*(column[step] for column in columns), rate)
                found = self._step(*rows)
                return step + 1, sums + tf.stack(found)

            start = (tf.constant(0), tf.zeros(len(Measures)))
            _, sums = tf.while_loop(lambda step, _: step < steps, body, start)
            return sums / tf.cast(steps, number)

        return tf.function(learn, input_signature=inputs, autograph=False)

    def _step(
        self,
        before: tf.Tensor,  # (B, n)
        actions: tf.Tensor,  # (B, k), from -1 to 1
        rewards: tf.Tensor,  # (B)
        after: tf.Tensor,  # (B, n)
        ended: tf.Tensor,  # (B), 1 where the episode has ended by itself
        noise: tf.Tensor,  # (B, k)
        noise_after: tf.Tensor,  # (B, k)
        rate: tf.Tensor,
    ) -> tuple[tf.Tensor, ...]:
        """Run one step of Adam on values, policy and temperature, then let the targets follow.

        Args:
            before: normalised observations in which the actions were chosen.
            actions: the actions.
            rewards: the rewards of the actions.
            after: normalised observations after them.
            ended: whether nothing comes after.
            noise: draws from a standard normal distribution, for new actions before.
            noise_after: the same, for actions after.
            rate: learning rate.

        Returns:
            What `Measures` names, as means over the minibatch.
        """
        tf, settings = self._tf, self.settings
        temperature = tf.exp(self._log_temperature)
        # The soft value of what comes after [1], equations 2 and 3, with the smaller value [2].
        next_actions, next_logs = self._drawn(after, noise_after)
        later = self._least(self._targets, after, next_actions) - temperature * next_logs
        wanted = tf.stop_gradient(rewards + settings.gamma * (1.0 - ended) * later)

        def value_loss_of() -> tuple[Any, ...]:
            rows = tf.concat([before, actions], 1)
            values = [critic(rows, training=True)[:, 0] for critic in self._critics]
            losses = [0.5 * tf.reduce_mean(tf.square(value - wanted)) for value in values]
            return losses[0] + losses[1], tf.reduce_mean(values[0])

        value_loss, value = self._optimizers["critic"].update(value_loss_of, rate)

        def policy_loss_of() -> tuple[Any, ...]:  # [1], equation 7
            drawn, logs = self._drawn(before, noise)
            values = self._least(self._critics, before, drawn)
            return tf.reduce_mean(temperature * logs - values), logs

        policy_loss, logs = self._optimizers["actor"].update(policy_loss_of, rate)
        goal = settings.entropy * self._acts
        logs = tf.stop_gradient(logs)

        def temperature_loss_of() -> tuple[Any, ...]:  # [1], equation 18, of the logarithm
            return (-tf.reduce_mean(self._log_temperature * (logs + goal)),)

        self._optimizers["temperature"].update(temperature_loss_of, rate)
        for slow, fast in zip(self._slow, self._values, strict=True):
            slow.assign(slow + settings.tau * (fast - slow))
        return value_loss, policy_loss, -tf.reduce_mean(logs), temperature, value

    def _drawn(self, rows: tf.Tensor, noise: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Draw actions by the policy, as a function of noise that gradients pass through.

        Args:
            rows: `[B, n]` normalised observations.
            noise: `[B, k]` draws from a standard normal distribution.

        Returns:
            Actions from -1 to 1, `[B, k]`, and the logarithms of their densities, `[B]`.
        """
        tf = self._tf
        found = self._actor(rows, training=True)
        mean = found[:, : self._acts]
        log_deviation = tf.clip_by_value(found[:, self._acts :], *LOG_DEVIATIONS)
        wide = mean + tf.exp(log_deviation) * noise
        normal = -0.5 * tf.square(noise) - log_deviation - 0.5 * float(np.log(2.0 * np.pi))
        # The change of the density by tanh [1], equation 21, in a form that does not overflow:
        # log(1 - tanh²(u)) = 2 (log 2 - u - softplus(-2 u)).
        change = 2.0 * (float(np.log(2.0)) - wide - tf.nn.softplus(-2.0 * wide))
        return tf.tanh(wide), tf.reduce_sum(normal - change, 1)

    def _least(self, critics: list[Any], rows: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
        """Return the smaller value of each of B pairs of observation and action, `[B]`."""
        whole = self._tf.concat([rows, actions], 1)
        first, second = (critic(whole, training=True)[:, 0] for critic in critics)
        return self._tf.minimum(first, second)

    # -- keeping ------------------------------------------------------------------------------

    def policy(self, **card: object) -> Policy:
        """Return the current policy: it plays the mean of each number, squashed.

        Args:
            card: entries to add to the policy's metadata.
        """
        weights, biases = self._played[-1]
        last = weights[:, : self._acts], biases[: self._acts]
        return Policy(
            self.observation_space,
            self.action_space,
            self._mean,
            self._deviation,
            (*self._played[:-1], last),
            card=dict(card),
            activation=RELU,
            is_squashed=True,
        )

    def _variables(self) -> list[Any]:
        actor = self._actor.trainable_variables
        return [*actor, *self._values, *self._slow, self._log_temperature]

    def state(self) -> dict[str, Array]:
        """Return the learner's state as arrays by name; running episodes are not part of it.

        Whole files of the memory are written.
        """
        arrays: dict[str, Array] = {"steps": np.array([self._steps, self.done])}
        for number, weight in enumerate(self._variables()):
            arrays[f"theta.{number}"] = weight.numpy()
        for name, optimizer in self._optimizers.items():
            arrays |= {f"{name}.{key}": array for key, array in optimizer.state().items()}
        arrays["seen.mean"], arrays["seen.variance"] = self.seen.mean, self.seen.variance
        arrays["seen.count"] = np.array(self.seen.count)
        return arrays | self.memory.state()

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the state that `state` returned.

        Raises:
            KeyError: an array is missing.
            ValueError: an array has another shape.
            CheckpointError: a file of the memory is missing or damaged.
        """
        self.memory.restore(arrays)
        self._steps, self.done = (int(number) for number in arrays["steps"])
        for number, weight in enumerate(self._variables()):
            weight.assign(arrays[f"theta.{number}"])
        for name, optimizer in self._optimizers.items():
            keys = optimizer.state()
            optimizer.restore({key: arrays[f"{name}.{key}"] for key in keys}, self._steps)
        self.seen.mean, self.seen.variance = arrays["seen.mean"], arrays["seen.variance"]
        self.seen.count = float(arrays["seen.count"])
        self._refresh()

    def _refresh(self) -> None:
        """Copy weights and normalisation into what is used for playing."""
        self._played = layers_of(self._actor)
        self._mean = self.seen.mean.astype(np.float32)
        self._deviation = self.seen.deviation.astype(np.float32)


SAC: Final = Method(
    "sac",
    "goishi.sac/1",
    OPTIONS,
    SacSettings.of,
    check_spaces,
    lambda sees, acts, settings, seed, _, out: Sac(sees, acts, settings, seed, out / "memory"),
    has_several=False,
)
"""Soft actor-critic, as a method of learning."""

"""Proximal policy optimisation, from top to bottom.

J. Schulman et al., "Proximal policy optimization algorithms" (2017), with the details that
implementations depend on. Each is marked in the code where it is done:

    [1]  J. Schulman et al., 2017: clipped surrogate, several epochs over each rollout
    [2]  J. Schulman et al., "High-dimensional continuous control using generalized advantage
         estimation", 2016
    [3]  L. Engstrom et al., "Implementation matters in deep policy gradients", 2020
    [4]  M. Andrychowicz et al., "What matters for on-policy deep actor-critic methods?", 2021
    [5]  S. Huang et al., "The 37 implementation details of proximal policy optimization", 2022
    [6]  F. Pardo et al., "Time limits in reinforcement learning", 2018

Actions are whole numbers (a softmax) or arrays (a Gaussian with a deviation for each number);
observations are flat, or images. Rollouts are played with NumPy, with the very code that plays a
saved policy; Keras computes the gradients. Same seed, same numbers.

Shapes: T steps of a rollout, N environments, B rows of a minibatch, n numbers of an observation
(of an image `h, w, c`), k numbers that say what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.learning.ppo.method import Array, Method, SpaceError, Step
from base.policies.policy import (
    Floats,
    Layers,
    PlainSpace,
    Policy,
    actions_of,
    forward,
    input_shape,
    is_image,
    normalised,
    output_size,
    space_text,
)
from base.schema import OptionError, OptionValue, options_of, resolve, setting

if TYPE_CHECKING:
    from ai.nets.backend import tf

# -- settings --------------------------------------------------------------------------------------

CONTINUOUS: Final = {"horizon": 256, "epochs": 10, "minibatches": 16, "entropy": 0.0}
"""Default settings for actions that are arrays of numbers, where they differ from the others.

After the tables of [1] and [5].
"""
LIVE: Final = ("rate", "clip")
"""Settings that may change during a training."""
MOST_OUTPUTS: Final = 4096
SIDES: Final = (16, 64)
"""Minimum and maximum side of an image, pixels."""
FILTERS: Final = ((8, 5), (16, 3), (16, 3), (16, 3))
"""(Number of filters, side of a filter) of each convolution; the stride is 2."""
SMALL: Final = 8
"""No further convolution is added once the image's shorter side is this small, pixels."""


@dataclass(frozen=True, slots=True)
class PpoSettings:
    """Settings of PPO."""

    envs: int = setting(8, 1, 1024, help="environments side by side")
    horizon: int = setting(128, 2, 100_000, help="steps of each before every update")
    epochs: int = setting(4, 1, 100, help="times that each rollout is learnt from [1]")
    minibatches: int = setting(4, 1, 1024, help="of each epoch")
    rate: float = setting(1e-3, 1e-7, 1.0, help="learning rate of Adam at the beginning")
    anneals: bool = setting(True, help="lower the rate evenly to 0 at the last step [5]")
    gamma: float = setting(0.99, 0.0, 1.0, help="discount of later rewards")
    gae: float = setting(0.95, 0.0, 1.0, help="lambda of the advantages [2]")
    clip: float = setting(0.2, 0.001, 10.0, help="how far probabilities may go, as a ratio [1]")
    clips_values: bool = setting(True, help="clip the values' loss in the same way [5]")
    entropy: float = setting(0.01, 0.0, 1.0, help="weight of the entropy [1]")
    value: float = setting(0.5, 0.0, 10.0, help="weight of the values' loss [1]")
    most_norm: float = setting(0.5, 1e-3, 1e3, help="norm of all gradients together, at most [5]")
    hidden: int = setting(64, 1, 4096, help="units of each of the two hidden layers")
    scales_rewards: bool = setting(True, help="divide rewards by the deviation of returns [3]")

    @classmethod
    def of(cls, action_space: PlainSpace, given: Mapping[str, object]) -> PpoSettings:
        """Return settings with the defaults for an action space.

        Args:
            action_space: action space of the agent.
            given: values that replace the defaults, by key.

        Raises:
            OptionError: a setting is unknown or invalid.
        """
        usual = CONTINUOUS if action_space[0] == "box" else {}
        found = resolve(OPTIONS, {**usual, **given}, owner="--set")
        settings = cls(**found)  # type: ignore[arg-type]  # each was checked by its option
        if settings.minibatches > settings.envs * settings.horizon:
            raise OptionError(
                f"minibatches: expected at most envs x horizon = {settings.envs * settings.horizon}"
                f", found {settings.minibatches}"
            )
        return settings

    @property
    def batch(self) -> int:
        """Number of samples of a rollout: its steps, times the number of environments."""
        return self.envs * self.horizon

    def as_dict(self) -> dict[str, OptionValue]:
        """Return plain values for JSON."""
        return asdict(self)


OPTIONS: Final = tuple(options_of(PpoSettings).values())
"""The settings as options for forms and command lines, in the order in which they are shown."""


def check_spaces(observation_space: PlainSpace, action_space: PlainSpace) -> None:
    """Check that PPO supports the spaces of an agent.

    Observations must be flat arrays or images; actions must be whole numbers or flat arrays.

    Raises:
        SpaceError: a space is not supported.
    """
    if not _is_flat(observation_space) and not is_image(observation_space):
        raise SpaceError(
            "observations: expected a flat Box of float32 or an image [h, w, c] of uint8, which "
            f"PPO learns from, found {space_text(observation_space)}"
        )
    if is_image(observation_space) and not all(
        SIDES[0] <= side <= SIDES[1] for side in input_shape(observation_space)[:2]
    ):
        raise SpaceError(
            f"observations: expected images of {SIDES[0]} to {SIDES[1]} pixels a side, found "
            f"{space_text(observation_space)}"
        )
    if not _is_flat(action_space) and action_space[0] != "discrete":
        raise SpaceError(
            "actions: expected a Discrete or a flat Box of float32, which PPO learns, found "
            f"{space_text(action_space)}"
        )
    if not 0 < output_size(action_space) <= MOST_OUTPUTS:
        raise SpaceError(
            f"actions: expected 1 to {MOST_OUTPUTS} numbers, found {output_size(action_space)}"
        )


def _is_flat(space: PlainSpace) -> bool:
    """Return whether values of a space are rows of floats."""
    return space[0] == "box" and np.ndim(space[1]) == 1 and str(space[3]).startswith("float")


# -- running means ---------------------------------------------------------------------------------


class RunningMoments:
    """Running mean and variance of all rows added so far.

    New rows are merged by the formula of T. Chan et al., 1979.
    """

    def __init__(self, size: int) -> None:
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4

    def add(self, rows: Array) -> None:
        """Include rows `[m, size]` in mean and variance."""
        if not len(rows):
            return
        mean, variance, count = rows.mean(0), rows.var(0), len(rows)
        whole, away = self.count + count, mean - self.mean
        squares = self.variance * self.count + variance * count
        self.variance = (squares + away * away * self.count * count / whole) / whole
        self.mean = self.mean + away * count / whole
        self.count = whole

    @property
    def deviation(self) -> NDArray[np.float64]:
        """Standard deviation, `[size]`."""
        return np.sqrt(self.variance + 1e-8)


# -- a rollout -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Rollout:
    """What N environments did in T steps: the experience that one update learns from."""

    observations: Array  # (T + 1, N, n), not normalised; images as uint8
    raw: Array  # (T, N) or (T, N, k), actions as the network's output
    log_probs: Floats  # (T, N), logarithms of the actions' probabilities
    rewards: Floats  # (T, N)
    terminated: Array  # (T, N), the episode has ended by itself
    done: Array  # (T, N), or was cut off
    valid: Array  # (T, N), False where the step only began an episode
    values: Floats  # (T + 1, N)
    returns: list[float]  # of the episodes that ended in it
    lengths: list[int]


def advantages_of(rollout: Rollout, gamma: float, lam: float) -> Floats:
    """Return the generalised advantage estimates (reference 2) of a rollout, `[T, N]`.

    T counts the steps, N the environments. After a truncation the value of the last observation
    counts as the future reward (reference 6); after a termination the future reward is 0. No
    estimate uses rewards of the next episode.

    Args:
        rollout: the experience.
        gamma: discount factor of later rewards.
        lam: lambda of the estimator: 0 uses one step only, 1 all steps of the episode.
    """
    steps = len(rollout.rewards)
    found = np.zeros_like(rollout.rewards)
    later = np.zeros_like(rollout.rewards[0])
    for t in reversed(range(steps)):
        next_value = rollout.values[t + 1] * ~rollout.terminated[t]
        delta = rollout.rewards[t] + gamma * next_value - rollout.values[t]
        later = delta + gamma * lam * ~rollout.done[t] * later
        found[t] = later
    return found


# -- the learner -----------------------------------------------------------------------------------


class Ppo:
    """Learner by proximal policy optimisation: trains a policy and a value network.

    Creating one loads TensorFlow.
    """

    def __init__(
        self,
        observation_space: PlainSpace,
        action_space: PlainSpace,
        settings: PpoSettings,
        seed: int,
        updates: int,
    ) -> None:
        """Build the networks with random weights.

        Args:
            observation_space: observation space of the agents.
            action_space: action space of the agents.
            settings: settings of PPO.
            seed: random seed of weights, actions and minibatches.
            updates: total number of updates; an annealed rate reaches 0 after them.

        Raises:
            SpaceError: PPO does not support these spaces.
        """
        check_spaces(observation_space, action_space)
        from ai.nets.backend import keras, tf
        from ai.nets.optimizer import Optimizer

        self.observation_space, self.action_space = observation_space, action_space
        self.settings, self.seed = settings, seed
        self.updates, self.done = updates, 0
        self.rate, self.clip = settings.rate, settings.clip  # may change during the training
        self._tf, self._keras = tf, keras
        self.shape, self._kind = (
            input_shape(observation_space),
            np.uint8 if is_image(observation_space) else np.float32,
        )
        outputs, root = output_size(action_space), float(np.sqrt(2.0))
        # Policy and values share no layer [4]. The last layer of the policy has small weights, so
        # that it begins almost uniform [4], [5].
        self._actor = self._network(outputs, (root, root, 0.01), 2 * seed)
        self._critic = self._network(1, (root, root, 1.0), 2 * seed + 1)
        # The deviation of actions does not depend on the observation, and begins at 1 [3], [5].
        self._log_deviation = keras.Variable(np.zeros(outputs, np.float32))
        self._theta = self._actor.trainable_variables + self._critic.trainable_variables
        if action_space[0] == "box":
            self._theta.append(self._log_deviation)
        # Adam with a larger epsilon, and the gradients' norm bounded [5].
        self._optimizer = Optimizer(self._theta, epsilon=1e-5, max_norm=settings.most_norm)
        self._steps = 0
        self.seen = RunningMoments(
            0 if is_image(observation_space) else self.shape[0]
        )  # of observations
        self.gained = RunningMoments(1)  # discounted returns, to scale rewards [3], [5]
        self._learn = self._traced(outputs)
        self._refresh()

    def _network(self, outputs: int, gains: tuple[float, float, float], seed: int) -> Any:
        """Build a network of two tanh layers [1] and a linear one, with orthogonal weights [3] [5].

        For images, convolutions with ReLU come first, until the image is small; then only one tanh
        layer follows.

        Args:
            outputs: number of outputs.
            gains: factors of the initial weights of first, second and last layer.
            seed: random seed of the weights.
        """
        keras, hidden = self._keras, self.settings.hidden
        layers = [keras.Input(self.shape)]
        sides = list(self.shape[:-1])

        def start(gain: float) -> Any:
            return keras.initializers.Orthogonal(gain, seed=7 * seed + len(layers) - 1)

        for count, side in FILTERS if sides else ():
            if min(sides) > SMALL:
                first = {"strides": 2, "activation": "relu", "kernel_initializer": start(gains[0])}
                layers.append(keras.layers.Conv2D(count, side, **first))
                sides = [(length - side) // 2 + 1 for length in sides]
        whole = ((hidden, "tanh", gains[0]), (hidden, "tanh", gains[1]))[len(sides[:1]) :]
        layers += [keras.layers.Flatten()] * bool(sides)
        for units, name, gain in (*whole, (outputs, "linear", gains[2])):
            layers.append(keras.layers.Dense(units, name, kernel_initializer=start(gain)))
        return keras.Sequential(layers)

    # -- playing ------------------------------------------------------------------------------

    def begin(self, observations: Array) -> None:
        """Prepare for new episodes that start with the observations `[N, …]`."""
        self._observations = np.asarray(observations, self._kind)
        count = len(self._observations)
        self._done = np.zeros(count, bool)
        self._totals, self._lengths = np.zeros(count), np.zeros(count, int)
        self._discounted = np.zeros(count)

    def open_rollout(self) -> Rollout:
        """Return an empty rollout; `choose` and `record` then fill it, step by step.

        From here to `update`, observations and rewards are normalised with the same mean and
        deviation, so that learning sees the same numbers as playing did.
        """
        self._rng = np.random.default_rng([self.seed, self.done, 0])
        return self._empty(self.settings.horizon, len(self._observations))

    def choose(self, kept: Rollout, t: int) -> Array:
        """Draw the actions `[N, …]` of step `t`, store them in the rollout and return them.

        Args:
            kept: the rollout.
            t: index of the step.
        """
        rows = self._look(kept, t)
        raw, kept.log_probs[t] = self._draw(forward(self._played, rows), self._rng)
        kept.raw[t] = raw
        kept.valid[t] = ~self._done
        return actions_of(self.action_space, raw)

    def record(self, kept: Rollout, t: int, step: Step) -> None:
        """Store the results of step `t` in the rollout.

        Args:
            kept: the rollout.
            t: index of the step.
            step: the results.
        """
        found, rewards, terminated, truncated = step
        kept.terminated[t], kept.done[t] = terminated, terminated | truncated
        self._count(kept, t, rewards)
        self._observations, self._done = np.asarray(found, self._kind), kept.done[t]

    def close_rollout(self, kept: Rollout) -> None:
        """Complete a rollout: store the observations after its last step, and their values.

        Args:
            kept: the rollout, with all its steps recorded.
        """
        self._look(kept, self.settings.horizon)

    def _empty(self, steps: int, count: int) -> Rollout:
        """Return a rollout with zeros for `steps` steps of `count` environments."""
        shape = (steps, count)
        numbers = () if self.action_space[0] == "discrete" else (output_size(self.action_space),)
        return Rollout(
            observations=np.zeros((steps + 1, count, *self.shape), self._kind),
            raw=np.zeros((*shape, *numbers), np.float32),
            log_probs=np.zeros(shape, np.float32),
            rewards=np.zeros(shape, np.float32),
            terminated=np.zeros(shape, bool),
            done=np.zeros(shape, bool),
            valid=np.zeros(shape, bool),
            values=np.zeros((steps + 1, count), np.float32),
            returns=[],
            lengths=[],
        )

    def _look(self, kept: Rollout, t: int) -> Floats:
        """Store the current observations of step `t`, and the value that the network gives them.

        Args:
            kept: the rollout to store them in.
            t: index of the step.

        Returns:
            The normalised observations `[N, n]`.
        """
        rows = normalised(self._observations, self._mean, self._deviation)
        kept.observations[t] = self._observations
        kept.values[t] = forward(self._valued, rows)[:, 0]
        return rows

    def _draw(self, scores: Floats, rng: np.random.Generator) -> tuple[Array, Floats]:
        """Draw random actions by the policy.

        Args:
            scores: `[N, k]` outputs of the policy network.
            rng: random generator; its state advances.

        Returns:
            The actions, not yet fitted to the action space: `[N]` whole numbers or `[N, k]`
            numbers. Then the logarithms of their probabilities, `[N]`.
        """
        if self.action_space[0] == "discrete":
            logs = scores - _log_sum(scores)  # (N, k)
            raw = (logs + rng.gumbel(size=logs.shape)).argmax(1)  # draws from the softmax
            return raw, np.take_along_axis(logs, raw[:, None], 1)[:, 0]
        noise = rng.standard_normal(scores.shape).astype(np.float32)
        logs = -0.5 * noise * noise - self._spread - 0.5 * np.log(2.0 * np.pi)
        return scores + np.exp(self._spread) * noise, logs.sum(1)

    def _count(self, kept: Rollout, t: int, rewards: Array) -> None:
        """Store the rewards of step `t`, and the returns of the episodes that end with it.

        If the setting `scales_rewards` is on, the stored rewards are scaled.

        Args:
            kept: the rollout to store them in.
            t: index of the step.
            rewards: `[N]` rewards.
        """
        lived, done = kept.valid[t], kept.done[t]
        self._totals = np.where(lived, self._totals + rewards, 0.0)
        self._lengths = np.where(lived, self._lengths + 1, 0)
        kept.returns += self._totals[done & lived].tolist()
        kept.lengths += self._lengths[done & lived].tolist()
        if self.settings.scales_rewards:
            self._discounted = np.where(
                lived, self._discounted * self.settings.gamma + rewards, 0.0
            )
            self.gained.add(self._discounted[lived][:, None])
            rewards = np.clip(rewards / self.gained.deviation, -10.0, 10.0)
        kept.rewards[t] = rewards

    def episodes(self) -> dict[str, Array]:
        """Return what is known of the running episodes, as arrays by name."""
        return {
            "observations": self._observations,
            "done": self._done,
            "totals": self._totals,
            "lengths": self._lengths,
            "discounted": self._discounted,
        }

    def restore_episodes(self, arrays: Mapping[str, Array]) -> None:
        """Restore what `episodes` returned."""
        self._observations, self._done = arrays["observations"], arrays["done"]
        self._totals, self._lengths = arrays["totals"], arrays["lengths"]
        self._discounted = arrays["discounted"]

    # -- learning -----------------------------------------------------------------------------

    def steer(self, rate: float | None, clip: float | None) -> None:
        """Change the learning rate or the clip from the next update on; None leaves one as it is.

        Args:
            rate: learning rate.
            clip: limit of the change of probabilities.
        """
        self.rate = self.rate if rate is None else rate
        self.clip = self.clip if clip is None else clip

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Improve policy and values with a rollout.

        Returns:
            Means over all minibatches by name: `policy_loss`, `value_loss`, `entropy`, `divergence`
            (KL) and `clipped` (share of clipped ratios); also `rate` and `clip` as used.
        """
        settings = self.settings
        advantages = advantages_of(rollout, settings.gamma, settings.gae)
        lived = rollout.valid.reshape(-1)
        observations = rollout.observations[:-1].reshape(-1, *self.shape)[lived]
        values = rollout.values[:-1].reshape(-1)[lived]
        columns = (
            normalised(observations, self._mean, self._deviation),
            rollout.raw.reshape(lived.size, *rollout.raw.shape[2:])[lived],
            rollout.log_probs.reshape(-1)[lived],
            advantages.reshape(-1)[lived],
            (advantages + rollout.values[:-1]).reshape(-1)[lived],
            values,
        )
        rng = np.random.default_rng([self.seed, self.done, 1])
        share = 1.0 - self.done / max(self.updates, 1) if settings.anneals else 1.0  # [5]
        rate = np.float32(self.rate * max(share, 0.0))
        told = []
        for _ in range(settings.epochs):
            for chosen in np.array_split(rng.permutation(len(values)), settings.minibatches):
                if len(chosen) < 2:
                    continue
                self._steps += 1
                batch = [column[chosen] for column in columns]
                found = self._learn(*batch, rate, np.float32(self.clip))
                told.append([float(number) for number in found])
        if self._kind is np.float32:
            self.seen.add(observations.astype(np.float64))
        self.done += 1
        self._refresh()
        names = ("policy_loss", "value_loss", "entropy", "divergence", "clipped")
        means = np.mean(told, 0) if told else np.zeros(len(names))
        measured = dict(zip(names, means.tolist(), strict=True))
        return {**measured, "rate": float(rate), "clip": self.clip}

    def _traced(self, outputs: int) -> Any:
        """Return the training step, compiled to a TensorFlow graph.

        Args:
            outputs: number of outputs of the policy network.
        """
        tf, number = self._tf, self._tf.float32
        raw = [None] if self.action_space[0] == "discrete" else [None, outputs]
        row, one = tf.TensorSpec([None], number), tf.TensorSpec([], number)
        inputs = [tf.TensorSpec([None, *self.shape], number), tf.TensorSpec(raw, number)]
        return tf.function(
            self._step,
            input_signature=[*inputs, row, row, row, row, one, one],
            autograph=False,
        )

    def _step(
        self,
        rows: tf.Tensor,  # (B, n)
        raw: tf.Tensor,  # (B) or (B, k)
        log_probs: tf.Tensor,  # (B), when they were played
        advantages: tf.Tensor,  # (B)
        returns: tf.Tensor,  # (B)
        old_values: tf.Tensor,  # (B)
        rate: tf.Tensor,
        clip: tf.Tensor,
    ) -> tuple[tf.Tensor, ...]:
        """Run one step of Adam on a minibatch of B steps.

        Args:
            rows: normalised observations.
            raw: the actions, as the policy drew them.
            log_probs: `[B]` logarithms of their probabilities when they were drawn.
            advantages: `[B]` how much better the actions were than expected.
            returns: `[B]` targets of the value network.
            old_values: `[B]` values that the network predicted when the actions were drawn.
            rate: learning rate.
            clip: limit of the change of probabilities.

        Returns:
            Policy loss, value loss, entropy, KL divergence, and share of clipped ratios.
        """
        tf, settings = self._tf, self.settings
        # Advantages are normalised for each minibatch [5].
        spread = tf.math.reduce_std(advantages)
        advantages = (advantages - tf.reduce_mean(advantages)) / (spread + 1e-8)

        def loss_of() -> tuple[Any, ...]:
            logs, entropy = self._log_probs(self._actor(rows, training=True), raw)
            change = logs - log_probs
            ratio = tf.exp(change)
            # The clipped surrogate [1], equation 7.
            near = tf.clip_by_value(ratio, 1.0 - clip, 1.0 + clip)
            policy_loss = -tf.reduce_mean(tf.minimum(ratio * advantages, near * advantages))
            values = self._critic(rows, training=True)[:, 0]
            errors = tf.square(values - returns)
            if settings.clips_values:  # [5]; [4] finds it of no use, and it does no harm here
                held = old_values + tf.clip_by_value(values - old_values, -clip, clip)
                errors = tf.maximum(errors, tf.square(held - returns))
            value_loss = 0.5 * tf.reduce_mean(errors)
            # The objective of [1], equation 9.
            loss = policy_loss + settings.value * value_loss - settings.entropy * entropy
            return loss, policy_loss, value_loss, entropy, change, ratio

        _, policy_loss, value_loss, entropy, change, ratio = self._optimizer.update(loss_of, rate)
        # J. Schulman, "Approximating KL divergence" (2020): the third estimator.
        divergence = tf.reduce_mean(ratio - 1.0 - change)
        clipped = tf.reduce_mean(tf.cast(tf.abs(ratio - 1.0) > clip, tf.float32))
        return policy_loss, value_loss, entropy, divergence, clipped

    def _log_probs(self, scores: tf.Tensor, raw: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Return what the policy thinks of given actions: their log probabilities, and its entropy.

        Args:
            scores: `[B, k]` outputs of the policy network.
            raw: the actions, as `_draw` returned them.

        Returns:
            Log probabilities `[B]`, and the mean entropy of the distributions.
        """
        tf = self._tf
        if self.action_space[0] == "discrete":
            logs = tf.nn.log_softmax(scores)  # (B, k)
            entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(logs) * logs, 1))
            return tf.gather(logs, tf.cast(raw, tf.int32), batch_dims=1), entropy
        spread, half = self._log_deviation, 0.5 * float(np.log(2.0 * np.pi))
        away = (raw - scores) * tf.exp(-spread)
        logs = tf.reduce_sum(-0.5 * tf.square(away) - spread - half, 1)
        return logs, tf.reduce_sum(spread + 0.5 + half)

    # -- keeping ------------------------------------------------------------------------------

    def policy(self, **card: object) -> Policy:
        """Return the current policy.

        Args:
            card: entries to add to the policy's metadata.
        """
        is_box = self.action_space[0] == "box"
        return Policy(
            self.observation_space,
            self.action_space,
            self._mean,
            self._deviation,
            self._played,
            self._spread if is_box else None,
            dict(card),
        )

    def state(self) -> dict[str, Array]:
        """Return the learner's state as arrays by name; running episodes are not part of it."""
        arrays: dict[str, Array] = {"steps": np.array([self._steps, self.done])}
        for number, weight in enumerate(self._theta):
            arrays[f"theta.{number}"] = weight.numpy()
        arrays |= self._optimizer.state()
        for name, moments in (("seen", self.seen), ("gained", self.gained)):
            arrays[f"{name}.mean"], arrays[f"{name}.variance"] = moments.mean, moments.variance
            arrays[f"{name}.count"] = np.array(moments.count)
        return arrays

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore the state that `state` returned.

        Raises:
            KeyError: an array is missing.
            ValueError: an array has another shape.
        """
        self._steps, self.done = (int(number) for number in arrays["steps"])
        for number, weight in enumerate(self._theta):
            weight.assign(arrays[f"theta.{number}"])
        names = self._optimizer.state()
        self._optimizer.restore({name: arrays[name] for name in names}, self._steps)
        for name, moments in (("seen", self.seen), ("gained", self.gained)):
            moments.mean, moments.variance = arrays[f"{name}.mean"], arrays[f"{name}.variance"]
            moments.count = float(arrays[f"{name}.count"])
        self._refresh()

    def _refresh(self) -> None:
        """Copy weights and normalisation into the networks used for playing."""
        self._played, self._valued = layers_of(self._actor), layers_of(self._critic)
        self._spread = self._log_deviation.numpy()
        if self._kind is np.uint8:  # bytes are scaled by constants instead
            self._mean = self._deviation = np.full(self.shape[-1], 127.5, np.float32)
            return
        self._mean = self.seen.mean.astype(np.float32)
        self._deviation = self.seen.deviation.astype(np.float32)


def layers_of(model: Any) -> Layers:
    """Return the layers of a Keras model that have weights, in NumPy."""
    return tuple(
        (layer.kernel.numpy(), layer.bias.numpy()) for layer in model.layers if layer.weights
    )


def _log_sum(scores: Floats) -> Floats:
    """Return the logarithm of the sum of exponentials, `[N, 1]`."""
    most = scores.max(1, keepdims=True)
    found: Floats = most + np.log(np.exp(scores - most).sum(1, keepdims=True))
    return found


PPO: Final = Method(
    "ppo",
    "goishi.ppo/1",
    OPTIONS,
    PpoSettings.of,
    check_spaces,
    lambda sees, acts, settings, seed, updates, _: Ppo(sees, acts, settings, seed, updates),
    has_several=True,
)
"""Proximal policy optimisation, as a method of learning."""

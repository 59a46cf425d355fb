"""One training step for all learners: the gradients of a loss, and one of Keras' optimisers.

An optimiser is built once, and so is the graph that steps with it: before a training what it
remembers is set back, or to what was kept, in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.nets.backend import keras, tf

MOMENTUM: Final = "momentum"
ADAM: Final = "adam"
OPTIMIZERS: Final = (MOMENTUM, ADAM)


class _FusedAdam(keras.optimizers.Adam):  # type: ignore[misc]
    """Keras' Adam with TensorFlow's kernel for the whole step, a quarter of a training faster."""

    def update_step(
        self, gradient: tf.Tensor, variable: tf.Variable, learning_rate: tf.Tensor
    ) -> None:
        place = self._get_variable_index(variable)
        step = tf.cast(self.iterations + 1, tf.float32)
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[place].value.handle,
            v=self._velocities[place].value.handle,
            beta1_power=tf.pow(self.beta_1, step),
            beta2_power=tf.pow(self.beta_2, step),
            lr=learning_rate,
            beta1=self.beta_1,
            beta2=self.beta_2,
            epsilon=self.epsilon,
            grad=gradient,
        )


class Optimizer:
    """Lowers losses of some variables, a step at a time."""

    def __init__(
        self,
        variables: Sequence[keras.Variable],
        *,
        name: str = ADAM,
        momentum: float = 0.9,
        epsilon: float = 1e-7,
        most_norm: float | None = None,
    ) -> None:
        """Build it for the variables.

        Args:
            variables: what is trained.
            name: "adam" (Kingma, Ba 2015), or "momentum" (gradient descent).
            momentum: fraction of the last step that is taken again; Adam's first beta.
            epsilon: Adam's, which keeps it from dividing by 0.
            most_norm: norm of all gradients together, at most; None: any.

        Raises:
            ValueError: the name is unknown.
        """
        if name not in OPTIMIZERS:
            raise ValueError(f"optimizer: expected {' or '.join(OPTIMIZERS)}, found {name!r}")
        self._is_adam = name == ADAM
        self._optimizer = (
            _FusedAdam(
                1.0, name="adam", beta_1=momentum, epsilon=epsilon, global_clipnorm=most_norm
            )
            if self._is_adam
            else keras.optimizers.SGD(1.0, momentum=momentum, global_clipnorm=most_norm)
        )
        self._optimizer.build(list(variables))
        self._trained = [variable.value for variable in variables]

    def update(
        self, loss_of: Callable[[], tuple[tf.Tensor, ...]], learning_rate: tf.Tensor
    ) -> tuple[tf.Tensor, ...]:
        """Take one step; call it inside of a graph.

        Args:
            loss_of: computes the loss to be lowered, first, and whatever else.
            learning_rate: of this step.

        Returns:
            All that `loss_of` has computed.
        """
        with tf.GradientTape() as tape:
            found = loss_of()
        slopes = tape.gradient(found[0], self._trained)
        self._optimizer.learning_rate.assign(learning_rate)
        self._optimizer.apply([tf.convert_to_tensor(slope) for slope in slopes])
        return found

    def state(self) -> dict[str, NDArray[np.float32]]:
        """Return what it remembers of each variable, as `restore` takes it.

        `first.N` is the mean of variable N's gradients, of "momentum" their sum; `second.N` the
        mean of their squares, of "adam" alone.
        """
        scale = self._scale
        return {name: held.numpy() / scale for name, held in self._remembered()}

    def restore(
        self, state: Mapping[str, NDArray[np.float32]], steps: int, learning_rate: float = 1.0
    ) -> None:
        """Go on from a state.

        Args:
            state: as `state` has returned it; what is missing has not begun.
            steps: taken so far.
            learning_rate: of the next step.

        Raises:
            ValueError: an array has another shape.
        """
        self._optimizer.iterations.assign(steps)
        self._optimizer.learning_rate.assign(learning_rate)
        scale = self._scale
        for name, held in self._remembered():
            held.assign(state[name] * scale if name in state else tf.zeros(held.shape))

    def reset(self) -> None:
        """Forget all steps."""
        self.restore({}, 0)

    @property
    def _scale(self) -> np.float32:
        """What a kept number is multiplied by: Keras' momentum holds the step, not the slope."""
        rate = float(self._optimizer.learning_rate.numpy())
        return np.float32(1.0 if self._is_adam else -rate)

    def _remembered(self) -> Iterator[tuple[str, keras.Variable]]:
        """Yield the optimiser's own variables, by name."""
        kinds = ("first", "second") if self._is_adam else ("first",)
        own = self._optimizer.variables[2:]  # behind its steps and its learning rate
        for place, variable in enumerate(own):
            number, kind = divmod(place, len(kinds))
            yield f"{kinds[kind]}.{number}", variable


__all__ = ["ADAM", "MOMENTUM", "OPTIMIZERS", "Optimizer"]

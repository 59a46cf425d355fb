"""Training plans: samples, batches and learning rates as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Plan of a training: N samples, and which of them are used in each of S steps."""

    features: NDArray[np.float32]
    """`[N, A, C]` input of the network for each sample."""
    targets: NDArray[np.float32]
    """`[N, A]` target probabilities of each sample."""
    occupied: NDArray[np.bool_]
    """`[N, A]` whether the loss ignores each point, for example because it is occupied."""
    order: NDArray[np.int32]
    """`[S, batch]` indices of the samples of each step."""
    weights: NDArray[np.float32]
    """`[S, batch]` weight of each sample in the loss; 0 for padding."""
    learning_rates: NDArray[np.float32]
    """`[S]` learning rate of each step."""

    @property
    def steps(self) -> int:
        """Number of steps, S."""
        return len(self.order)


def epoch_order(
    samples: int, *, batch: int, epochs: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return an order in which all samples are used once in each epoch, newly shuffled each time.

    Args:
        samples: number of samples.
        batch: samples per step.
        epochs: number of passes over the samples.
        rng: random generator; its state advances.

    Returns:
        `[S, batch]` the indices of the samples of each step, and their weights. The last batch of
        an epoch is padded with entries of weight 0.
    """
    steps = -(-samples // batch)
    order = np.zeros((epochs, steps * batch), np.int32)
    weights = np.zeros((epochs, steps * batch), np.float32)
    weights[:, :samples] = 1.0
    for epoch in range(epochs):
        order[epoch, :samples] = rng.permutation(samples)
    return order.reshape(-1, batch), weights.reshape(-1, batch)


def one_cycle(steps: int, peak: float, *, rise: float = 0.45) -> NDArray[np.float32]:
    """Return `[S]` learning rates of a one-cycle schedule (Smith, Topin 2018).

    The rate rises along a cosine from a tenth of `peak` to `peak`, then falls to a hundredth of it.

    Args:
        steps: number of steps, S.
        peak: highest learning rate.
        rise: share of the steps in which the rate increases.
    """
    place = (np.arange(steps) + 0.5) / max(steps, 1)
    up = 0.1 + 0.9 * (1.0 - np.cos(np.pi * np.minimum(place / rise, 1.0))) / 2.0
    fall = np.maximum((place - rise) / (1.0 - rise), 0.0)
    down = 0.01 + 0.99 * (1.0 + np.cos(np.pi * fall)) / 2.0
    return (peak * np.where(place < rise, up, down)).astype(np.float32)


def falling(
    steps: int, peak: float, *, end: float = 0.1, rise: float = 0.05
) -> NDArray[np.float32]:
    """Return `[S]` learning rates for fine-tuning: a short rise to `peak`, then a linear fall.

    Args:
        steps: number of steps, S.
        peak: highest learning rate.
        end: learning rate of the last step as a share of `peak`.
        rise: share of the steps in which the rate rises from 0; meanwhile Adam's running means
            settle.
    """
    place = (np.arange(steps) + 1.0) / max(steps, 1)
    return (peak * np.minimum(place / rise, 1.0) * (1.0 - (1.0 - end) * place)).astype(np.float32)

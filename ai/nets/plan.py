"""Training plans: samples, batches and learning rates as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Training samples, and the batches to draw from them."""

    features: NDArray[np.float32]
    """`[N, A, C]`."""
    targets: NDArray[np.float32]
    """`[N, A]` labels."""
    occupied: NDArray[np.bool_]
    """`[N, A]` points masked in the loss; all False for no mask."""
    order: NDArray[np.int32]
    """`[S, batch]` sample rows of each step."""
    weights: NDArray[np.float32]
    """`[S, batch]` weight of each row; 0 for padding."""
    learning_rates: NDArray[np.float32]
    """`[S]` learning rate of each step."""

    @property
    def steps(self) -> int:
        """Number of steps, S."""
        return len(self.order)


def epoch_order(
    samples: int, *, batch: int, epochs: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return `[S, batch]` rows and weights: every sample once per epoch, shuffled.

    The last batch of an epoch is padded with rows of weight 0.
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

    The rate rises from a tenth of `peak` along a cosine, then falls to a hundredth.

    Args:
        steps: number of steps.
        peak: the highest rate.
        rise: share of the steps with increasing rate.
    """
    place = (np.arange(steps) + 0.5) / max(steps, 1)
    up = 0.1 + 0.9 * (1.0 - np.cos(np.pi * np.minimum(place / rise, 1.0))) / 2.0
    fall = np.maximum((place - rise) / (1.0 - rise), 0.0)
    down = 0.01 + 0.99 * (1.0 + np.cos(np.pi * fall)) / 2.0
    return (peak * np.where(place < rise, up, down)).astype(np.float32)


def falling(
    steps: int, peak: float, *, end: float = 0.1, rise: float = 0.05
) -> NDArray[np.float32]:
    """Return `[S]` learning rates for fine-tuning: `peak`, then falling linearly.

    Args:
        steps: number of steps.
        peak: the highest rate.
        end: share of `peak` at the last step.
        rise: share of the steps that warm up from 0, until Adam's averages are known.
    """
    place = (np.arange(steps) + 1.0) / max(steps, 1)
    return (peak * np.minimum(place / rise, 1.0) * (1.0 - (1.0 - end) * place)).astype(np.float32)

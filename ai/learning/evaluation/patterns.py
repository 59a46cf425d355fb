"""Fits the weights of alpha-beta's evaluation to the results of games (Texel's method).

A pattern class is what a side can make on a point in one direction, for example an open three. For
each position it is counted on how many points each class is possible. A logistic regression with a
ridge penalty, by Newton's method, predicts the result for the side to move from these counts. Every
fifth game is held out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.kernels.layout import OPEN_FOUR, OPEN_TWO
from ai.learning.evaluation.positions import UNKNOWN, Positions, count_classes
from ai.search.pattern_alpha_beta import LOGIT

KINDS: Final = range(OPEN_TWO, OPEN_FOUR + 1)
RIDGE: Final = 100.0
HELD_OUT: Final = 5


@dataclass(frozen=True, slots=True)
class PatternWeights:
    """Fitted weights of the pattern classes, and how well they predict results."""

    own: tuple[int, ...]
    """Weight of each pattern class of `KINDS` for the side to move, as an integer.

    A sum of `LOGIT` is one logit.
    """
    other: tuple[int, ...]
    tempo: int
    positions: int
    held_out: int
    loss: float
    """Mean logarithmic loss on the training positions."""
    held_out_loss: float
    even_loss: float
    """Loss on the held-out positions of always predicting 0.5, as a control."""


def features(positions: Positions) -> NDArray[np.float64]:
    """Return `[N, 2 K + 1]` the inputs of the regression for N positions.

    They are the counts of the K pattern classes for the side to move, the same for the other side,
    and a constant 1.
    """
    counts = count_classes(positions)[:, :, KINDS.start : KINDS.stop]
    ones = np.ones((len(positions), 1))
    return np.concatenate([counts.reshape(len(positions), -1), ones], axis=1).astype(np.float64)


def fit(rows: NDArray[np.float64], results: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit a logistic regression and return its weights `[features]`.

    Args:
        rows: `[N, features]` inputs.
        results: `[N]` results: 0 lost, 0.5 drawn, 1 won.
    """
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        chances = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (results - chances) - RIDGE * weights
        curve = (rows * (chances * (1.0 - chances))[:, None]).T @ rows + RIDGE * np.eye(
            len(weights)
        )
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def loss(
    rows: NDArray[np.float64], results: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    """Return the mean cross entropy of a logistic regression.

    Args:
        rows: `[N, features]` inputs.
        results: `[N]` results: 0 lost, 0.5 drawn, 1 won.
        weights: `[features]` weights.
    """
    chances = np.clip(1.0 / (1.0 + np.exp(-rows @ weights)), 1e-9, 1.0 - 1e-9)
    return float(-(results * np.log(chances) + (1.0 - results) * np.log(1.0 - chances)).mean())


def fit_patterns(positions: Positions) -> PatternWeights:
    """Fit the weights to the positions with a known result.

    Raises:
        PositionsError: there is no game to fit to, or none to hold out.
    """
    known = positions.only(positions.result != UNKNOWN)
    is_held = known.held_out(HELD_OUT)
    rows, results = features(known), 0.5 + 0.5 * known.result.astype(np.float64)
    weights = fit(rows[~is_held], results[~is_held])
    scaled = [int(number) for number in np.rint(weights * LOGIT)]
    count = len(KINDS)
    return PatternWeights(
        tuple(scaled[:count]),
        tuple(scaled[count : 2 * count]),
        scaled[-1],
        int((~is_held).sum()),
        int(is_held.sum()),
        loss(rows[~is_held], results[~is_held], weights),
        loss(rows[is_held], results[is_held], weights),
        loss(rows[is_held], results[is_held], np.zeros_like(weights)),
    )

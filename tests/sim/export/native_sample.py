"""Functions that need no Python once they are exported: every kind of value that C can have."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from sim import Shape, compiled, exported

WEIGHTS = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(3, 4)
STEPS = (np.array([1, 2, 3]), np.array([5, 7, 11]))


def bend(x):
    return math.tanh(x) * 2.0


@exported
def layer(
    x: Annotated[NDArray[np.float32], Shape(3)], scale: float
) -> Annotated[NDArray[np.float32], Shape(4)]:
    """Multiply by the weights, and bend.

    Args:
        x: numbers.
        scale: by which they are divided.
    """
    found = np.zeros(4, np.float32)
    small = (x - np.float32(0.5)) / np.float32(scale)
    for i in range(3):
        for j in range(4):
            found[j] += small[i] * WEIGHTS[i, j]
    for j in range(4):
        found[j] = bend(found[j])
    return found


@exported
@compiled
def move(places: Annotated[NDArray[np.float64], Shape(None, 3)], by: float, twice: bool) -> bool:
    """Move places where they are; return whether one is beyond 1."""
    beyond = False
    for i in range(places.shape[0]):
        for k in range(3):
            places[i, k] += by * (2 if twice else 1)
            beyond = beyond or places[i, k] > 1.0
    return beyond


@exported
def step_of(row: int, column: int) -> int:
    """Return a number of a table; an index beyond it is an error."""
    return STEPS[row % 2][column]


@exported
def quotient(a: int, b: int) -> int:
    """Divide as Python does."""
    if b == 7:
        raise ValueError("seven divides nothing")
    return a // b


@exported
def corner(
    picture: Annotated[NDArray[np.uint8], Shape(None, None)],
) -> Annotated[NDArray[np.int32], Shape(None, None)]:
    """Return a picture of 3 x 2 numbers: sums of what was seen."""
    found = np.zeros((3, 2), np.int32)
    for row in range(picture.shape[0]):
        for column in range(picture.shape[1]):
            found[row % 3, column % 2] += picture[row, column]
    return found


@exported
def turned(
    x: Annotated[NDArray[np.float64], Shape(2, 3)],
) -> Annotated[NDArray[np.float64], Shape(3, 2)]:
    """Read a table in another shape, and count down from each number."""
    flat = x.reshape(6).copy()
    flat[1:3] += flat[0:2]
    return 10.0 - flat.reshape((3, 2))


@exported
def nothing() -> None:
    """Do nothing."""

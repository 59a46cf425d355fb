"""From the engine's axes to those of glTF: z points up here, y there.

A point (x, y, z) becomes (x, z, -y). All is converted where it is written: points, places of
objects and joints, and matrices. So no node of the file has to turn the whole scene.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.values import JsonObject
from sim.core.assets.animation.poses import decompose

FloatArray = npt.NDArray[np.floating[Any]]
TURN: Final = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
"""From the engine's axes to those of glTF, for row vectors."""
NO_TURN: Final = (0.0, 0.0, 0.0, 1.0)
EXACT: Final = 1e-12


def points_of(points: FloatArray) -> FloatArray:
    """Return points or directions `[..., 3]` in glTF's axes."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def turns_of(quaternions: FloatArray) -> FloatArray:
    """Return rotations, quaternions `[..., 4]` as x, y, z, w, in glTF's axes."""
    x, y, z, w = (quaternions[..., part] for part in range(4))
    return np.stack([x, z, -y, w], axis=-1)


def scales_of(scales: FloatArray) -> FloatArray:
    """Return factors `[..., 3]` in glTF's axes."""
    return np.asarray(scales[..., [0, 2, 1]])


def matrices_of(matrices: FloatArray) -> FloatArray:
    """Return matrices `[..., 4, 4]`, for row vectors, in glTF's axes."""
    return np.asarray(TURN.T @ matrices @ TURN)


def place_of(position: FloatArray, turn: FloatArray, scale: FloatArray) -> JsonObject:
    """Return a place, in the engine's axes, as the keys of a glTF node.

    Keys that would say nothing are left out.

    Args:
        position: `[3]` metres.
        turn: `[4]` unit quaternion x, y, z, w.
        scale: `[3]` factors.
    """
    found: JsonObject = {}
    if np.any(position):
        found["translation"] = _listed(points_of(position))
    turned = turns_of(turn / np.linalg.norm(turn))
    if np.abs(turned[:3]).max() > EXACT:
        found["rotation"] = _listed(turned)
    if np.any(scale != 1.0):
        found["scale"] = _listed(scales_of(scale))
    return found


def place_of_matrix(matrix: FloatArray) -> JsonObject:
    """Return a place, a matrix `[4, 4]` for row vectors, as the keys of a glTF node."""
    position, turn, scale = decompose(np.asarray(matrix, dtype=np.float64))
    return place_of(np.asarray(position), np.asarray(turn), np.asarray(scale))


def _listed(values: FloatArray) -> list[float]:
    return [float(value) + 0.0 for value in values]  # without a minus before 0


__all__ = [
    "matrices_of",
    "place_of",
    "place_of_matrix",
    "points_of",
    "scales_of",
    "turns_of",
]

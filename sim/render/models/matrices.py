"""Conversion of matrices to Panda3D."""

from __future__ import annotations

import numpy as np
from panda3d.core import LMatrix4f, PTA_LMatrix4f

from sim.core.geometry.rotations import FloatArray

FARTHEST = 1e9
"""Metres: the squares of more do not fit into the numbers of graphics cards."""
NOWHERE = np.diag([1e-6, 1e-6, 1e-6, 1.0])
NOWHERE[3, 2] = -FARTHEST


def panda_matrices(matrices: FloatArray) -> PTA_LMatrix4f:
    """Convert matrices `[n, 4, 4]` to a Panda3D array, much faster than one by one.

    Its items are views: keep the array in a variable while they are used. Objects farther away than
    `FARTHEST`, or not finite, are hidden: Panda3D would abort on them.
    """
    if not np.abs(matrices).max(initial=0.0) <= FARTHEST:  # such as at a NaN
        is_there = np.all(np.abs(matrices) <= FARTHEST, axis=(1, 2), keepdims=True)
        matrices = np.where(is_there, matrices, NOWHERE)
    found = PTA_LMatrix4f.empty_array(len(matrices))
    found.set_data(np.ascontiguousarray(matrices, dtype=np.float32).tobytes())
    return found


def panda_eye(matrix: FloatArray) -> LMatrix4f:
    """Convert a camera's matrix `[4, 4]`, each coordinate within `FARTHEST`; NaN becomes 0."""
    numbers = np.array(matrix, dtype=np.float64)
    if not np.isfinite(numbers[:3]).all():
        numbers[:3] = np.eye(4)[:3]
    numbers[3, :3] = np.clip(np.nan_to_num(numbers[3, :3]), -FARTHEST, FARTHEST)
    return LMatrix4f(*numbers.ravel().tolist())

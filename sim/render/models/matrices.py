"""Matrices on their way to Panda3D."""

from __future__ import annotations

import numpy as np
from panda3d.core import LMatrix4f, PTA_LMatrix4f

from sim.core.geometry.rotations import FloatArray

FARTHEST = 1e9
"""Metres: the squares of more do not fit into the numbers of graphics cards."""
NOWHERE = np.diag([1e-6, 1e-6, 1e-6, 1.0])
NOWHERE[3, 2] = -FARTHEST


def panda_matrices(matrices: FloatArray) -> PTA_LMatrix4f:
    """Return matrices `[n, 4, 4]` as an array of Panda3D's: much cheaper than one by one.

    Its items look into its memory: keep the array in a variable while they are used. What lies
    farther than `FARTHEST`, or nowhere, is not seen: Panda3D ends the app where it meets it.
    """
    if not np.abs(matrices).max(initial=0.0) <= FARTHEST:  # such as at a NaN
        is_there = np.all(np.abs(matrices) <= FARTHEST, axis=(1, 2), keepdims=True)
        matrices = np.where(is_there, matrices, NOWHERE)
    found = PTA_LMatrix4f.empty_array(len(matrices))
    found.set_data(np.ascontiguousarray(matrices, dtype=np.float32).tobytes())
    return found


def panda_eye(matrix: FloatArray) -> LMatrix4f:
    """Return the matrix `[4, 4]` of a camera, which is never farther away than `FARTHEST`."""
    numbers = np.array(matrix, dtype=np.float64)
    if not np.isfinite(numbers[:3]).all():
        numbers[:3] = np.eye(4)[:3]
    numbers[3, :3] = np.clip(np.nan_to_num(numbers[3, :3]), -FARTHEST, FARTHEST)
    return LMatrix4f(*numbers.ravel().tolist())

"""Matrices on their way to Panda3D."""

from __future__ import annotations

from typing import Any

import numpy as np
from panda3d.core import PTA_LMatrix4f

from sim.core.rotations import FloatArray


def panda_matrices(matrices: FloatArray) -> Any:
    """Return matrices `[n, 4, 4]` as an array of Panda3D's: much cheaper than one by one.

    Its items look into its memory: keep the array in a variable while they are used.
    """
    found = PTA_LMatrix4f.empty_array(len(matrices))
    found.set_data(np.ascontiguousarray(matrices, dtype=np.float32).tobytes())
    return found


__all__ = ["panda_matrices"]

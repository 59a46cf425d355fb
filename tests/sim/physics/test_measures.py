"""Numbers of bodies."""

from __future__ import annotations

import numpy as np
import pytest
from panda3d.core import LMatrix3d, LQuaterniond

from sim.physics.measures import turns_of


def test_quaternions_become_rotations_of_row_vectors():
    given = np.random.default_rng(3).normal(size=(20, 4))
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    for numbers, found in zip(given, turns_of(given), strict=True):
        wanted = LMatrix3d()
        LQuaterniond(*numbers).extract_to_matrix(wanted)
        assert found == pytest.approx(np.array([list(wanted.get_row(row)) for row in range(3)]))

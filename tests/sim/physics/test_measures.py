"""Numbers of bodies."""

from __future__ import annotations

import numpy as np
import pytest
from panda3d.core import LMatrix3d, LQuaterniond

from sim.core.geometry.rotations import rotations_of
from sim.physics.measures import headings_of, turns_of


def test_quaternions_become_rotations_of_row_vectors():
    given = np.random.default_rng(3).normal(size=(20, 4))
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    for numbers, found in zip(given, turns_of(given), strict=True):
        wanted = LMatrix3d()
        LQuaterniond(*numbers).extract_to_matrix(wanted)
        assert found == pytest.approx(np.array([list(wanted.get_row(row)) for row in range(3)]))


def test_headings_of_few_quaternions_are_to_the_bit_those_of_their_matrices():
    given = np.random.default_rng(4).normal(size=(300, 4))
    steep = np.array([[0.5, 0.5, 0.5, 0.5], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    given = np.concatenate([given, steep])
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    wanted = rotations_of(turns_of(given))
    for few in (1, 9):
        for start in range(0, len(given), few):
            found = headings_of(given[start : start + few])
            assert found.tolist() == wanted[start : start + few].tolist()
    assert headings_of(given).tolist() == wanted.tolist()

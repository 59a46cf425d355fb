"""The block of a board: a closed box that faces outwards."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.pieces.goban import beveled_box
from tests.scripts.pieces.test_pieces import parts


def test_the_underside_is_a_whole_square_that_faces_down():
    points, normals, triangles = parts(beveled_box(2.0, 0.4, 0.05, strip=0.1))
    low = [triangle for triangle in triangles if (normals[triangle][:, 2] < -0.5).all()]
    corners = points[np.array(low)]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0
    assert facing.sum(axis=0) == pytest.approx([0.0, 0.0, -4.0])
    assert corners[:, :, 2] == pytest.approx(-0.4)

"""Outlines of triangles: as many corners as the shape has, near its edges."""

from __future__ import annotations

import numpy as np
import pytest

from sim.render.view.silhouette import MARGIN, SMOOTH, outlines_of

VIEW = (0, 0, 640, 480)


@pytest.mark.parametrize("angle", [3.0, 11.0, 37.0, 71.0])
def test_a_slanted_box_has_few_corners_and_they_are_near_its_own(angle):
    turn = np.radians(angle)
    ahead, side = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    corners = np.array([
        (320, 240) + 150.0 * a * ahead + 80.0 * b * side
        for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ])  # fmt: skip
    (outline,) = outlines_of(corners[[[0, 1, 2], [0, 2, 3]]], VIEW)
    assert 4 <= len(outline) <= 12
    along = np.abs((outline - (320, 240)) @ np.stack([ahead, side], axis=1)) - (150.0, 80.0)
    most = along.max(axis=1)
    assert (np.abs(most) <= (MARGIN + 1.0) * np.sqrt(2.0) + SMOOTH).all()

"""Curves of many values keep their extremes."""

from __future__ import annotations

import numpy as np

from sim.core.canvas.canvas import _thinned


def test_of_each_group_the_least_and_the_greatest_stay_in_their_order():
    across = np.arange(9.0)
    values = np.array([1, 5, 3, 9, 2, 4, 0, 7, 8.0])
    places, ends = _thinned(across, values, 3)
    assert places.tolist() == [0, 0, 3, 3, 6, 6]
    assert ends.tolist() == [1, 5, 9, 2, 0, 8]

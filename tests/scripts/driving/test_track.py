"""A closed track: wide enough, whole, and a point of it is found from the last one."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.driving.track import Track, edge_of, evenly

car = import_module("scripts.examples.car")
TRACK = Track(car.CORNERS, car.WIDTH)


def test_the_cars_track_is_closed_wide_enough_and_nowhere_meets_itself() -> None:
    middle = TRACK.middle
    assert np.diff(TRACK.along).max() < 2.0
    for side in (0.5, -0.5):
        edge = edge_of(middle, side * TRACK.width)
        ahead, along = np.roll(edge, -1, axis=0) - edge, np.roll(middle, -1, axis=0) - middle
        assert (np.einsum("ij,ij->i", ahead, along) > 0).all(), "no wall turns back in a corner"
        away = np.linalg.norm(edge[:, None] - middle[None], axis=2).min(axis=1)
        assert away == pytest.approx(TRACK.width / 2, abs=0.1)


@given(st.integers(0, len(TRACK.middle) - 1), st.floats(-0.4, 0.4), st.integers(-3, 6))
def test_a_point_is_found_from_a_place_before_or_after_it(place, share, last) -> None:
    middle = TRACK.middle[place]
    ahead = TRACK.direction(place)
    left = np.array([-ahead[1], ahead[0]]) / np.hypot(*ahead)
    x, y = middle + share * TRACK.width * left
    found, way, away = TRACK.find(x, y, place - last)
    assert abs((found - place + 8) % len(TRACK.middle) - 8) <= 3
    apart = (way - TRACK.along[place] + TRACK.length / 2) % TRACK.length - TRACK.length / 2
    assert abs(apart) < 1.5
    assert away == pytest.approx(share * TRACK.width, abs=0.4)


def test_pieces_of_a_line_are_alike_and_close_it() -> None:
    square = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)])
    points = evenly(square, 1.0)
    assert len(points) == 17
    assert points[0].tolist() == points[-1].tolist() == [0.0, 0.0]
    assert np.linalg.norm(np.diff(points, axis=0), axis=1) == pytest.approx(1.0)

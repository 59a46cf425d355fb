"""The scale of shares can be read without a sense of colour."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.gomoku.board.overlay_picture import ink_on, lightness, scale_color

# Linear RGB as people see it who have no cones for red (Viénot, Brettel and Mollon 1999).
WITHOUT_RED = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))


def without_red(color):
    linear = [value**2.2 for value in color]
    seen = [sum(a * b for a, b in zip(row, linear, strict=True)) for row in WITHOUT_RED]
    return tuple(max(0.0, value) ** (1 / 2.2) for value in seen)


@pytest.mark.parametrize("see", [lambda color: color, without_red])
def test_its_lightness_grows_evenly(see):
    steps = [lightness(see(scale_color(index / 100))) for index in range(101)]
    growth = [after - before for before, after in itertools.pairwise(steps)]
    assert min(growth) > 0.2
    assert max(growth) < 2.0
    assert steps[0] < 15.0
    assert steps[-1] > 95.0


@given(st.floats(-10.0, 10.0))
def test_every_share_has_a_colour_and_letters_that_stand_out(share):
    color = scale_color(share)
    assert all(0.0 <= value <= 1.0 for value in color)
    assert color == scale_color(min(1.0, max(0.0, share)))
    light, dark = sorted((lightness(color), lightness(ink_on(color))), reverse=True)
    assert light - dark > 40.0


def test_lightness_is_that_of_the_standard():
    assert lightness((0.0, 0.0, 0.0)) == 0.0
    assert lightness((1.0, 1.0, 1.0)) == pytest.approx(100.0)
    assert lightness((0.5, 0.5, 0.5)) == pytest.approx(53.39, abs=0.01)

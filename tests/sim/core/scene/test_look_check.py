"""What counts as a colour."""

from __future__ import annotations

import pytest

from sim.core.scene.look_check import _is_color


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ([0, 0.5, 1], True), ((0, 0, 0, 0), True), ([0.5, 2.0, 0.5], False), ([0, 0, -0.1], False),
        ([0.5, 0.5], False), ([0.5] * 5, False), ("red", False), (None, False), ([0, 0, "x"], False),
    ],
)  # fmt: skip
def test_a_colour_is_three_or_four_shares(value, is_one):
    assert _is_color(value) == is_one

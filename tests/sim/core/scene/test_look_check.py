"""What counts as a colour."""

from __future__ import annotations

import pytest

from sim.core.geometry.builtin_models import ModelRegistry
from sim.core.scene.look_check import _is_color, look_faults


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        ([0, 0.5, 1], True), ((0, 0, 0, 0), True), ([0.5, 2.0, 0.5], False), ([0, 0, -0.1], False),
        ([0.5, 0.5], False), ([0.5] * 5, False), ("red", False), (None, False), ([0, 0, "x"], False),
    ],
)  # fmt: skip
def test_a_colour_is_three_or_four_shares(value, is_one):
    assert _is_color(value) == is_one


@pytest.mark.parametrize(
    ("material", "fault"),
    [
        (
            {"emission": [0.1, 0.3, 0.1]},
            "material.emission: expected a number from 0 to 1000, found",
        ),
        ({"emission": -1}, "material.emission: expected a number from 0 to 1000, found -1"),
        (
            {"layer": "top"},
            "material.layer: expected a whole number from -1000 to 1000, found 'top'",
        ),
        ({"opacity": 1.5}, "material.opacity: expected a number from 0 to 1, found 1.5"),
        ({"emission": 30, "layer": 3, "opacity": 0, "unlit": True}, None),
    ],
)
def test_a_number_of_a_material_is_checked_before_it_is_drawn(material, fault):
    found = look_faults({"builtin": "sphere"}, material, ModelRegistry())
    assert [text.startswith(str(fault)) for text in found] == ([] if fault is None else [True])

"""The judging part of `benchmarks.retrain`."""

from __future__ import annotations

import numpy as np
import pytest

from ai.nets.architecture import HYBRID, Architecture
from benchmarks.retrain import Floor, Measurement, report

SMALL = Architecture(5, 2, HYBRID, hidden=(4, 3, 2), branch=6)


def measurement(**changes) -> Measurement:
    values = {
        "player": "cnn-ann", "step_seconds": 0.003, "floor_seconds": 0.0028, "ratio": 1.07,
        "held": (0.99, 1.0), "steps": (60, 80), "seconds": (0.2, 0.3), "keras_seconds": None,
    }  # fmt: skip
    return Measurement(**(values | changes))


@pytest.mark.parametrize(
    ("changes", "is_reached"),
    [({}, True), ({"ratio": 1.16}, False), ({"held": (1.0, 0.97)}, False),
     ({"keras_seconds": 0.01}, True)],
)  # fmt: skip
def test_the_ratio_and_what_is_held_are_judged_and_keras_is_not(changes, is_reached):
    found = measurement(**changes)
    assert found.is_reached == is_reached
    assert ("MISSED" in report(found, 1000)) != is_reached


def test_the_floor_has_the_products_of_every_layer_and_adam_moves_each_weight():
    floor = Floor(SMALL, 8, np.random.default_rng(0))
    convolutions, dense = 4, 2
    first_layers = 2
    assert len(floor.products) == 3 * (convolutions + dense) - first_layers
    before = floor.adam.copy()
    floor.run(1)
    assert (floor.adam[0] != before[0]).mean() > 0.9
    assert (floor.adam[1] == before[1]).all()
    mean = 0.9 * before[2] + 0.1 * before[1]
    square = 0.999 * before[3] + 0.001 * before[1] ** 2
    assert np.allclose(floor.adam[2], mean, atol=1e-6)
    assert np.allclose(floor.adam[3], square, atol=1e-6)

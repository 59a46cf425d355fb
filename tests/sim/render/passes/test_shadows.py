"""Shadows are as large as what casts them."""

from __future__ import annotations

from typing import Any

import pytest
from panda3d.core import NodePath

from sim.render.passes.shadows import Shadows
from tests.shipped import shipped_models


def width_of(model: dict[str, Any]) -> float:
    shadow = Shadows(NodePath("root"), shipped_models()).make(model)
    assert shadow is not None
    low, high = shadow.get_tight_bounds()
    return float(high[0] - low[0])


@pytest.mark.parametrize(
    ("small", "large", "factor"),
    [
        ({"builtin": "sphere"}, {"builtin": "sphere", "radius": 1.5}, 3.0),
        ({"builtin": "sphere", "radius": 0.5}, {"builtin": "sphere", "radius": 0.1}, 0.2),
        ({"builtin": "box"}, {"builtin": "box", "size": [0.5, 2.0, 9.0]}, 2.0),
        ({"builtin": "box", "size": 1.0}, {"builtin": "box", "size": 0.25}, 0.25),
        ({"builtin": "cylinder"}, {"builtin": "cylinder", "radius": 1.0, "height": 3.0}, 2.0),
        ({"builtin": "stone", "color": "black"}, {"builtin": "stone", "color": "white"}, 1.0),
    ],
)
def test_a_shadow_grows_with_its_model(
    small: dict[str, Any], large: dict[str, Any], factor: float
) -> None:
    assert width_of(large) == pytest.approx(factor * width_of(small))

"""The numbers of built-in models: what no picture could show is refused before it is made."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sim.core.geometry.builtin_models import BUILDERS
from sim.core.geometry.collision_shapes import solid_of

WRONG: list[dict[str, Any]] = [
    {"builtin": "goban", "size": 10**9},
    {"builtin": "goban", "size": 0},
    {"builtin": "goban", "size": 7.5},
    {"builtin": "goban", "size": "seven"},
    {"builtin": "rack", "columns": 10**6, "rows": 10**6},
    {"builtin": "rack", "rows": -1},
    {"builtin": "box", "size": [1, 2]},
    {"builtin": "box", "size": [1, 2, math.inf]},
    {"builtin": "box", "size": {"x": 1}},
    {"builtin": "plane", "size": math.nan},
    {"builtin": "sphere", "radius": 1e300},
    {"builtin": "bar", "length": "long"},
    {"builtin": "capsule", "height": None},
    {"builtin": "lathe", "profile": [[1, 0]] * 100_000},
    {"builtin": "lathe", "sides": 10**9},
    {"builtin": "text", "size": math.inf},
    {"builtin": "torus", "tube": [1]},
]


@pytest.mark.parametrize("model", WRONG, ids=lambda model: f"{model['builtin']}-{list(model)[1]}")
def test_a_wrong_number_is_refused_at_once(model: dict[str, Any]) -> None:
    key = list(model)[1]
    with pytest.raises(ValueError, match=f"^{key}: expected |^text: expected "):
        BUILDERS[model["builtin"]](model)
    with pytest.raises(ValueError, match="expected "):
        solid_of(model)


@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_every_model_can_be_made_without_numbers(name: str) -> None:
    assert len(BUILDERS[name]({"builtin": name}).points)


def test_whole_numbers_may_be_written_with_a_point() -> None:
    assert len(BUILDERS["goban"]({"size": 7.0}).points)
    assert len(BUILDERS["box"]({"size": [1, 2.0, 3]}).points)

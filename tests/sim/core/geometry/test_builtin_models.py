"""The numbers of built-in models: what no picture could show is refused before it is made."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from sim.core.geometry.builtin_models import MODELS, ModelKind, ModelRegistry
from sim.core.geometry.collision_shapes import solid_of
from sim.core.scene.look_check import look_faults
from tests.shipped import shipped_models

SHIPPED = shipped_models()

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
        SHIPPED.kind(model["builtin"]).made(model)
    with pytest.raises(ValueError, match="expected "):
        solid_of(model, SHIPPED)


@pytest.mark.parametrize("name", sorted(SHIPPED.names))
def test_every_model_can_be_made_without_numbers(name: str) -> None:
    assert len(SHIPPED.kind(name).made({"builtin": name}).points)


def test_whole_numbers_may_be_written_with_a_point() -> None:
    assert len(SHIPPED.kind("goban").made({"size": 7.0}).points)
    assert len(MODELS["box"].made({"size": [1, 2.0, 3]}).points)


def test_a_model_is_looked_for_once_and_the_engines_own_go_before() -> None:
    asked: list[str] = []
    kind = ModelKind(MODELS["box"].mesh, MODELS["box"].keys)
    registry = ModelRegistry(("box", "hut", "gone"), lambda name: asked.append(name) or {
        "hut": kind}.get(name))  # fmt: skip
    for _ in range(2):
        assert registry.kind("hut") is kind
        assert registry.kind("gone") is None
        assert registry.kind("box") is MODELS["box"]
        assert registry.kind("no such") is None
        assert registry.kind(7) is None
    assert asked == ["hut", "gone"]
    assert registry.names == (*MODELS, "hut", "gone")


def test_what_a_maker_raises_is_a_wrong_number() -> None:
    kind = ModelKind(lambda: 1 // 0, shadow=lambda: 1 // 0)
    for ask in (kind.made, kind.shadow_of):
        with pytest.raises(ValueError, match="ZeroDivisionError"):
            ask({})


def test_the_menu_of_the_studio_offers_what_can_be_made() -> None:
    starting = SHIPPED.starting()
    assert next(iter(starting)) == "box"
    assert starting["stone"] == {"builtin": "stone", "color": "black"}
    for model in starting.values():
        assert len(SHIPPED.kind(model["builtin"]).made(model).points)


@pytest.mark.parametrize("name", [name for name, kind in MODELS.items() if kind.has_origin])
def test_a_shape_has_its_origin_where_the_scene_says(name: str) -> None:
    kind, plain = MODELS[name], {"builtin": name}
    size = np.ptp(kind.made(plain).points, axis=0)
    for origin, lowest in (("center", -size[2] / 2.0), ("base", 0.0)):
        model = {**plain, "origin": origin}
        points = kind.made(model).points
        expected = np.array([-size[0] / 2.0, -size[1] / 2.0, lowest])
        assert points.min(axis=0) == pytest.approx(expected, abs=1e-6)
        assert look_faults(model, {}, ModelRegistry()) == []
        shape = solid_of(model)
        assert shape.center == pytest.approx([0.0, 0.0, lowest + size[2] / 2.0], abs=1e-2)
        met = shape.meet(np.array([size[0] * 0.45, 0.001, 9.0]), np.array([0.0, 0.0, -1.0]))
        if met is not None:  # a ring has a hole there
            assert points[:, 2].min() - 1e-6 <= 9.0 - met[0] <= points[:, 2].max() + 1e-6
    with pytest.raises(ValueError, match="origin: expected center or base, found 'top'"):
        kind.made({**plain, "origin": "top"})


def test_shapes_stand_as_before_where_nothing_is_said_of_the_origin() -> None:
    lowest = {"box": -0.5, "sphere": -0.5, "capsule": -1.0, "plane": 0.0, "ring": 0.0}
    lowest |= {"cylinder": 0.0, "lathe": 0.0, "torus": 0.0, "bar": 0.0}
    for name, expected in lowest.items():
        assert MODELS[name].made({"builtin": name}).points[:, 2].min() == pytest.approx(
            expected, abs=1e-6
        ), name
    assert {name for name, kind in MODELS.items() if kind.has_origin} == set(lowest)


def test_an_unknown_model_is_met_as_a_box() -> None:
    assert solid_of({"builtin": "goban"}).kind == "box"
    assert solid_of({"builtin": "goban"}).half.max() == pytest.approx(0.3)
    assert solid_of({"builtin": "goban", "size": 9}, SHIPPED).half.max() == pytest.approx(4.95)


def test_only_what_has_a_flat_top_receives_soft_shadows() -> None:
    assert MODELS["sphere"].surface_of({"builtin": "sphere"}) is None
    flat = [name for name, kind in MODELS.items() if kind.surface is not None]
    for name in flat:
        assert (MODELS[name].surface_of({"builtin": name}) or 0.0) > 0.0
    kind = dataclasses.replace(MODELS["sphere"], surface=lambda radius=0.5, **_: 2.0 * radius)
    assert kind.surface_of({"builtin": "sphere", "radius": 3}) == 6.0

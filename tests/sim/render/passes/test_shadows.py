"""Shadows are as large as what casts them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from sim.core.geometry.meshes import Mesh
from sim.render.models.figures import Figure
from sim.render.models.models import node_of
from sim.render.passes.shadows import Ground, Shadows
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


@pytest.mark.parametrize("sun", [(0.6, 0.0, 0.8), (-0.6, 0.0, 0.8), (0.0, 0.6, 0.8)])
def test_a_shadow_falls_away_from_the_sun_and_further_the_higher_its_object(
    sun: tuple[float, float, float],
) -> None:
    ground, worlds = Ground(), np.stack([np.eye(4)] * 2)
    ground.sun_to = np.array(sun)
    worlds[:, 3, :3] = (1.0, 2.0, 0.4), (1.0, 2.0, 1.9)
    views = [SimpleNamespace(shadow=NodePath("shadow"), surface=None) for _ in range(2)]
    ground.cast(views, worlds)
    low, high = ((view.shadow.get_pos() - (1.0, 2.0, 0.0)).xy for view in views)
    away = -np.array(sun[:2]) / sun[2]
    assert tuple(low) == pytest.approx(tuple(away * 0.5), abs=1e-5)
    assert tuple(high) == pytest.approx(tuple(away * 2.0), abs=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        {"builtin": "box", "size": [24.0, 8.0, 0.4]},
        {"builtin": "cylinder", "radius": 1.0, "height": 0.02},
        {"builtin": "plane", "size": [9.0, 9.0]},
    ],
)
def test_what_is_flat_casts_no_soft_shadow(model: dict[str, Any]) -> None:
    assert Shadows(NodePath("root"), shipped_models()).make(model) is None


def test_a_wall_has_no_shadow_as_wide_as_it_is_long() -> None:
    wall = {"builtin": "box", "size": [12.0, 0.2, 3.0]}
    assert width_of(wall) == pytest.approx(0.8 * width_of({"builtin": "box"}))


def test_a_floor_below_the_table_casts_no_shadow_on_it() -> None:
    worlds = np.stack([np.eye(4)] * 2)
    worlds[:, 3, 2] = -0.5, 0.5
    floor, thing = Ground().places(worlds, np.zeros(2, bool))[:, 2, 2]
    assert floor < 1e-3 < thing


@pytest.mark.parametrize(
    ("size", "reach"),
    [((2.0, 3.0, 1.0), 3.0), ((9.0, 9.0, 0.2), 0.0), ((60.0, 40.0, 9.0), 0.0)],
)
def test_a_model_of_a_file_that_is_a_floor_or_a_place_casts_no_soft_shadow(
    size: tuple[float, float, float], reach: float
) -> None:
    figure = SimpleNamespace(node=NodePath(node_of(Mesh.box(*size, top=size[2]), "box")))
    assert Figure.footprint(figure) == pytest.approx(reach)

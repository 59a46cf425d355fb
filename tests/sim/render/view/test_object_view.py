"""What the view of an object decides by its model: without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.geometry.builtin_models import ModelRegistry
from sim.render.view import object_view
from sim.render.view.object_view import ObjectMaker


@pytest.mark.parametrize(
    ("model", "is_cloud"),
    [
        (None, False),
        ({"asset": "a.glb"}, False),
        ({"builtin": "box"}, False),
        ({"builtin": "points"}, True),
    ],
)
def test_only_points_are_a_cloud(monkeypatch, model, is_cloud):
    monkeypatch.setattr(object_view, "PointCloud", lambda obj, shader: obj)
    view = SimpleNamespace(
        _scene=SimpleNamespace(models=ModelRegistry()),
        _points_shader=None,
        follow=lambda cloud: None,
    )
    obj = SimpleNamespace(model=model)
    assert (ObjectMaker._cloud_of(view, obj) is obj) == is_cloud

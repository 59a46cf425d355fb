"""Solid letters: as high and deep as asked for, closed, with the holes that letters have."""

from __future__ import annotations

import numpy as np
import pytest

from sim.core.geometry.collision_shapes import is_inside
from sim.core.geometry.meshes import letters_across, text_block
from sim.render.models.models import letters
from sim.testing import Pilot


def area(mesh, y: float) -> float:
    """The area of the triangles on a plane across the depth."""
    corners = mesh.points[mesh.indices]
    flat = corners[np.abs(corners[:, :, 1] - y).max(axis=1) < 1e-6]
    sides = np.cross(flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0])
    return float(np.linalg.norm(sides, axis=1).sum() / 2)


def test_capitals_are_as_high_as_asked_for_and_stand_on_the_ground():
    mesh = letters({"text": "HEX", "size": 2.0, "depth": 0.5})
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    assert (low[2], high[2]) == pytest.approx((0.0, 2.0), abs=0.05)
    assert (low[1], high[1]) == pytest.approx((0.0, 0.5))
    assert low[0] == pytest.approx(-high[0], abs=0.15), "centred"


def test_letters_are_closed_and_have_holes():
    triangles = letters({"text": "O", "size": 1.0, "depth": 0.4})
    points = triangles.points
    solid = points[triangles.indices].astype(float)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    rim = np.array([points[:, 0].min() + 0.06, 0.2, middle[2]])
    assert is_inside(solid, rim)
    assert not is_inside(solid, np.array([middle[0], 0.2, middle[2]]))
    assert area(triangles, 0.0) == pytest.approx(area(triangles, 0.4))
    assert area(triangles, 0.0) > 0.2


def test_lines_and_sides_are_where_they_belong():
    left = letters({"text": "Go\nlonger", "align": "left"}).points
    right = letters({"text": "Go\nlonger", "align": "right"}).points
    assert left[:, 0].min() > -0.05
    assert right[:, 0].max() < 0.15
    assert left[:, 2].max() == pytest.approx(2.55, abs=0.1)
    assert len(letters({"text": "é ß\n\nü"}).points) > 100


def test_a_text_component_is_seen_and_follows_its_fields():
    with Pilot(
        scene="scenes/hello.scene.json", panels=False, speed=1.0, window=(320, 200)
    ) as pilot:
        scene = pilot.app.scene
        obj = scene.spawn("Label", position=(0, 2, 1))
        slot = obj.add("sim:Text", text="Hi", color=(1.0, 0.0, 0.0), size=2.0)
        pilot.step(2)
        red = pilot.picture().astype(int)
        assert ((red[..., 2] > 120) & (red[..., 0] < 60)).sum() > 200
        slot.instance.text = "Longer"
        pilot.step()
        assert obj.model["text"] == "Longer"
        slot.enabled = False
        pilot.step()
        assert obj.model is None
        assert pilot.app.host.error_count == 0


@pytest.mark.parametrize("text", ["שלום", "مرحبا", "漢字", "한글", "हि", "ไทย", "😀", "ab שלום"])
def test_each_script_is_solid_and_stands_on_the_ground(text):
    mesh = letters({"text": text, "size": 1.0, "depth": 0.4})
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    assert low[2] > -0.6
    assert 0.5 < high[2] < 1.9
    assert area(mesh, 0.0) == pytest.approx(area(mesh, 0.4))
    assert area(mesh, 0.0) > 0.1
    assert low[0] == pytest.approx(-high[0], abs=0.2), "centred"


def test_the_block_for_rays_is_about_as_wide_as_the_letters():
    for text in ("Hello", "漢字漢字", "ab漢字", "한국어"):
        block = text_block({"text": text, "size": 1.0, "depth": 0.4}).points
        solid = letters({"text": text, "size": 1.0, "depth": 0.4}).points
        assert 0.7 < np.ptp(block[:, 0]) / np.ptp(solid[:, 0]) < 1.4, text
    assert letters_across("e\u0301\u200b") == 1.0

"""The triangles of builtin models: closed, as large as asked for, refused where they cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from sim.core.geometry.builtin_models import MODELS
from sim.core.geometry.collision_shapes import is_inside, solid_of
from sim.core.geometry.meshes import capsule, turned
from tests.shipped import shipped_models

SHIPPED = shipped_models()
CLOSED = ("stone", "box", "sphere", "cylinder", "bar", "capsule", "lathe", "goban")


@pytest.mark.parametrize("name", SHIPPED.names)
def test_every_builtin_model_is_sound(name):
    mesh = SHIPPED.kind(name).made({"builtin": name})
    assert len(mesh.indices) > 0
    assert mesh.indices.max() < len(mesh.points)
    rows = np.concatenate(mesh.rows)
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows[:, 3:6], axis=1) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("name", CLOSED)
def test_closed_models_know_their_inside(name):
    solid = solid_of({"builtin": name}, SHIPPED)
    assert is_inside(solid.triangles, np.add(solid.center, (1e-3, 2e-3, 0.0)))
    assert not is_inside(solid.triangles, np.add(solid.center, (0.0, 0.0, 3.0 * solid.reach)))


def test_a_capsule_reaches_from_tip_to_tip():
    points = capsule(0.25, 1.5).points
    assert points.min(axis=0) == pytest.approx([-0.25, -0.25, -0.75], abs=1e-3)
    assert points.max(axis=0) == pytest.approx([0.25, 0.25, 0.75], abs=1e-3)
    with pytest.raises(ValueError, match="at least two radii"):
        capsule(0.5, 0.9)


def test_a_sharp_lathe_keeps_its_corners_and_a_smooth_one_rounds_them():
    profile = [[0, 0], [1, 0], [1, 2], [0, 2]]
    sharp = turned(profile, sides=6, smooth=False)
    assert sharp.points.max(axis=0)[[0, 2]] == pytest.approx([1, 2])
    assert {round(float(z), 3) for z in np.concatenate(sharp.rows)[:, 5]} == {-1.0, 0.0, 1.0}
    smooth = turned(profile, sides=6)
    corner = np.abs(np.hypot(smooth.points[:, 0], smooth.points[:, 1]) - 1) + smooth.points[:, 2]
    assert corner.min() > 0.05


@pytest.mark.parametrize(
    ("profile", "sides"),
    [
        ([], 8),
        ([[1, 0]], 8),
        ([[0, 0], [-1, 1]], 8),
        ([[0, 0, 0], [1, 1, 1]], 8),
        ([[0, 0], [1, 1]], 2),
    ],
)
def test_wrong_profiles_are_named(profile, sides):
    with pytest.raises(ValueError, match="expected"):
        turned(profile, sides=sides)


def test_a_text_is_a_block_for_rays_and_bodies():
    points = (
        MODELS["text"].made({"text": "ab\nc", "size": 2.0, "depth": 0.5, "align": "left"}).points
    )
    assert points.min(axis=0) == pytest.approx([0, 0, 0], abs=1e-6)
    assert points.max(axis=0)[1:] == pytest.approx([0.5, 5.1])


@pytest.mark.parametrize(
    ("model", "message"),
    [({"text": " "}, "1 to 400 letters"), ({"text": "a" * 401}, "found 401"),
     ({"size": 0}, "above 0"), ({"align": "top"}, "'top'")],
)  # fmt: skip
def test_wrong_texts_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        MODELS["text"].made(model)

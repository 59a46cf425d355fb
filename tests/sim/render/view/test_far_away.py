"""Objects and cameras farther away than a graphics card can count: the rest is drawn as before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import LMatrix4f

from sim.render.models.models import FARTHEST, panda_eye, panda_matrices
from sim.testing import Pilot

HUGE = 1e35  # beyond float32 when it is squared


def scene_of(folder: Path, objects: dict[str, Any]) -> Path:
    (folder / "scenes").mkdir()
    path = folder / "scenes" / "a.scene.json"
    camera = {"type": "sim:Camera", "fields": {"target": [0, 0, 0], "fov": 30}}
    data = {
        "format": "goishi.scene/1", "id": "scn_far",
        "objects": {
            "obj_camera": {"name": "Camera", "components": {"cmp_cam": camera}},
            "obj_near": {"name": "Near", "model": {"builtin": "box"}},
            **objects,
        },
    }  # fmt: skip
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


FAR: dict[str, dict[str, Any]] = {
    "far": {"obj_far": {"name": "Far", "model": {"builtin": "box"}, "position": [HUGE] * 3}},
    "large": {"obj_far": {"name": "Far", "model": {"builtin": "box"}, "scale": [HUGE, 1, -HUGE]}},
    "chain": {
        "obj_far": {"name": "Far", "scale": [HUGE] * 3, "position": [HUGE, 0, 0]},
        "obj_below": {
            "name": "Below", "parent": "obj_far", "model": {"builtin": "box"},
            "scale": [HUGE] * 3, "position": [-HUGE, 1, 1],
        },
    },
    "camera": {
        "obj_far": {
            "name": "Far", "position": [HUGE] * 3,
            "components": {"cmp_far": {"type": "sim:Camera", "fields": {"target": [HUGE] * 3}}},
        },
    },
    "light": {
        "obj_far": {
            "name": "Far", "position": [HUGE] * 3,
            "components": {"cmp_far": {"type": "sim:Light", "fields": {}}},
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(FAR))
def test_a_scene_with_something_far_away_is_drawn(tmp_path: Path, kind: str) -> None:
    options = {"window": (320, 200), "panels": False, "quality": "low"}
    with Pilot(scene=scene_of(tmp_path, FAR[kind]), **options) as pilot:
        pilot.step(2)
        pilot.picture()
        far = pilot.app.scene.find("Far")
        assert far is not None
        far.transform.position = (1.0, 1.0, -HUGE)
        pilot.step(2)
        assert pilot.picture().shape == (200, 320, 3)


def test_what_is_near_stands_where_it_stood(tmp_path: Path) -> None:
    options = {"window": (320, 200), "panels": False, "quality": "low"}
    pictures = []
    for name, objects in (("a", {}), ("b", FAR["far"])):
        (tmp_path / name).mkdir()
        with Pilot(scene=scene_of(tmp_path / name, objects), **options) as pilot:
            pilot.step(2)
            pictures.append(pilot.picture().astype(int))
    middle = (slice(80, 120), slice(140, 180))
    assert np.abs(pictures[0][middle] - pictures[1][middle]).mean() < 12.0


def cells(matrix: Any) -> np.ndarray:
    plain = LMatrix4f(matrix)
    return np.array([[plain.get_cell(row, column) for column in range(4)] for row in range(4)])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 2 * FARTHEST, -HUGE])
def test_matrices_are_sound_whatever_comes(wrong: float) -> None:
    matrices = np.tile(np.eye(4), (3, 1, 1))
    matrices[0, 3, :3] = (1, 2, FARTHEST)
    matrices[1, 3, 0] = wrong
    matrices[2, 1, 1] = wrong
    array = panda_matrices(matrices)
    found = [cells(item) for item in array]
    assert np.allclose(found[0], matrices[0])
    for item in found[1:]:
        assert np.isfinite(item).all()
        assert np.linalg.det(item[:3, :3]) > 0.0
        assert item[:3, :3].max() < 1e-3
    for matrix in matrices[1:]:
        eye = cells(panda_eye(matrix))
        assert np.isfinite(eye).all()

"""Pictures of an environment take the shadows of what rests as they are, while that will do."""

from __future__ import annotations

import json
from contextlib import closing

import numpy as np
import pytest

from sim.app.drawn_world import DrawnWorld
from sim.render.passes.sun_maps import SunMaps

SCRIPT = """
from sim import *

class Goer(Script):
    pace: float = field(0.0)

    def fixed_update(self, dt):
        self.object.transform.translate((self.pace, 0, 0))
"""
BALL = {"builtin": "sphere", "radius": 0.5}


def scene_at(root, x, pace, second=0.0):
    """Write a scene with a sun, one more of a certain intensity, a floor, a post, and a ball that goes along x; return its file."""
    for name in ("scenes", "scripts"):
        (root / name).mkdir(exist_ok=True)
    (root / "scripts" / "goer.py").write_text(SCRIPT, encoding="utf-8")
    sun = {"kind": "sun", "shadows": "cast", "intensity": 3.0}
    eye = {"look": "ahead", "fov": 60}
    goer = {"type": "scripts.goer:Goer", "fields": {"pace": pace}}
    objects = {
        "obj_camera": {"name": "Camera", "position": [12, -22, 14], "rotation": [0, -32, 0],
                       "components": {"cmp_camera": {"type": "sim:Camera", "fields": eye}}},
        "obj_sun": {"name": "Sun", "position": [-5, -5, 20],
                    "components": {"cmp_sun": {"type": "sim:Light", "fields": sun}}},
        "obj_second": {"name": "Second", "position": [9, 0, 20], "components": {
            "cmp_second": {"type": "sim:Light", "fields": {"intensity": second}}}},
        "obj_floor": {"name": "Floor", "model": {"builtin": "box", "size": [90, 90, 1]},
                      "position": [0, 0, -0.5], "material": {"color": [0.8, 0.8, 0.8]}},
        "obj_post": {"name": "Post", "model": {"builtin": "box", "size": [0.6, 0.6, 2]},
                     "position": [0, 2, 1]},
        "obj_ball": {"name": "Ball", "model": BALL, "position": [x, 0, 1.2],
                     "material": {"color": [1.0, 0.0, 0.0]},
                     "components": {"cmp_goer": goer}},
    }  # fmt: skip
    path = root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_shadows", "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def seen(root, x, pace, steps, second=0.0):
    """Return the picture after each step, and after which the maps were aimed anew."""
    aimed, pictures, aim = [], [], SunMaps.aim

    def counted(self, scene, sun_to):
        aimed.append(len(pictures))
        aim(self, scene, sun_to)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SunMaps, "aim", counted)
        scene = scene_at(root, x, pace, second)
        with closing(DrawnWorld(scene, 1, root / "data", "rgb_array", {})) as world:
            world.awake()
            for _ in range(steps):
                world.frame()
                pictures.append(world.image("rgb_array", (320, 240)).astype(int))
    return pictures, aimed


def test_what_leaves_the_reach_of_the_shadows_throws_one_all_the_same(tmp_path):
    (tmp_path / "data").mkdir()
    gone, aimed = seen(tmp_path, 0.0, 0.5, 24)
    there, _ = seen(tmp_path, 0.0, 12.0, 1)
    assert len(set(aimed)) < 20, "many pictures take the map as it is"
    assert [step for step in aimed if step > 1], "it has gone out of reach"
    apart = np.abs(gone[-1] - there[-1]).max(axis=2) > 24
    assert apart.sum() < 60, "the edges of shadows are as fine as the maps are, no more"
    bare, _ = seen(tmp_path, 0.0, 200.0, 1)
    without = np.abs(gone[-1] - bare[-1]).max(axis=2) > 24
    assert without.sum() > 4 * apart.sum(), "ball and shadow are seen"


def test_what_moves_within_reach_has_no_map_drawn_anew(tmp_path):
    (tmp_path / "data").mkdir()
    pictures, aimed = seen(tmp_path, 0.0, 0.01, 12)
    assert not [step for step in aimed if step > 1]
    assert (pictures[-1] != pictures[2]).any()


def test_the_shadow_of_what_moves_has_the_light_of_the_second_sun_as_that_of_what_rests(tmp_path):
    (tmp_path / "data").mkdir()
    shades = {}
    for second in (0.0, 3.0):
        for pace in (0.0, 1e-4):
            pictures, _ = seen(tmp_path, 0.0, pace, 4, second)
            bare, _ = seen(tmp_path, 200.0, pace, 4, second)
            darker = (bare[-1] - pictures[-1])[..., 1]
            is_floor = np.ptp(pictures[-1], axis=2) < 60  # the ball is red
            shades[second, pace > 0.0] = float(np.sort(darker[is_floor])[-20:].mean())
    assert shades[3.0, True] == pytest.approx(shades[3.0, False], rel=0.2), shades
    assert shades[3.0, True] < 0.8 * shades[0.0, True], shades

"""Several cameras: one takes the view, others are pictures over it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

SCRIPT = """
from sim import Camera, Script, field


class Flier(Script):
    is_flying: bool = field(False)

    def update(self, dt):
        if self.is_flying:
            self.object.transform.translate((0.0, 3.0 * dt, 0.0))

    def take(self):
        self.object.get(Camera).make_active()
"""


def eye(position: list[float], number: int, **fields: Any) -> dict[str, Any]:
    fields = {"min_elevation": -60, **fields}
    part = {"type": "sim:Camera", "fields": fields}
    return {"position": position, "components": {f"cmp_eye{number}": part}}


def box(position: list[float], color: list[float]) -> dict[str, Any]:
    material = {"color": color, "unlit": True}
    return {"position": position, "model": {"builtin": "box"}, "material": material}


def project(root: Path, **viewport: Any) -> Path:
    (root / "scenes").mkdir()
    (root / "scripts").mkdir()
    (root / "scripts" / "flier.py").write_text(SCRIPT, encoding="utf-8")
    flier = eye([0, -10, 0], 3, look="ahead")
    flier["components"]["cmp_flier"] = {"type": "scripts.flier:Flier"}
    objects = {
        "obj_main": {"name": "Main", **eye([0, -12, 0], 1)},
        "obj_back": {"name": "Back", **eye([0, 12, 0], 2, **viewport)},
        "obj_flier": {"name": "Flier", **flier},
        "obj_red": {"name": "Red", **box([-2, 0, 0], [1, 0, 0])},
        "obj_blue": {"name": "Blue", **box([2, 0, 0], [0, 0, 1])},
    }
    for order, entry in enumerate(objects.values()):
        entry["order"] = order
    path = root / "scenes" / "a.scene.json"
    data = {"format": "goishi.scene/1", "id": "scn_cameras", "objects": objects}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def run(root: Path, **viewport: Any) -> Pilot:
    scene = project(root, **viewport)
    return Pilot(scene=scene, quality="medium", panels=False, speed=1.0, window=(400, 300))


def red_at(picture: np.ndarray) -> float:
    """Where red is, as a share of the width of a BGR picture; NaN where there is none."""
    is_red = (picture[:, :, 2] > 180) & (picture[:, :, :2].max(axis=2) < 60)
    found = np.argwhere(is_red)
    return float(found[:, 1].mean() / picture.shape[1]) if len(found) else float("nan")


@pytest.fixture
def pilot(tmp_path):
    with run(tmp_path) as made:
        yield made


def camera(pilot: Pilot, name: str) -> Any:
    return pilot.app.scene.find(name).get("Camera")


def test_the_first_camera_has_the_view_until_another_is_made_active(pilot):
    assert red_at(pilot.picture()) < 0.45
    pilot.app.host.set_field(camera(pilot, "Back").slot, "active", True)  # as the Inspector does
    pilot.step()
    assert red_at(pilot.picture()) > 0.55
    pilot.component("Flier").take()
    pilot.step()
    assert not camera(pilot, "Back").active, "one at a time"
    assert red_at(pilot.picture()) < 0.45
    camera(pilot, "Back").object.enabled = False
    camera(pilot, "Flier").active = False
    pilot.step()
    assert camera(pilot, "Main") is pilot.app.scene.camera.choose()
    pilot.app.scene.find("Main").destroy()
    pilot.app.scene.find("Flier").destroy()
    pilot.step(2)
    assert pilot.app.scene.camera.choose() is None
    assert pilot.app.host.error_count == 0


def test_a_camera_goes_where_its_object_goes(pilot):
    flier = pilot.component("Flier")
    flier.take()
    flier.is_flying = True
    pilot.app.clock.frame_step = 0.1
    pilot.step(11)
    view = pilot.app.scene.camera.view
    y = float(pilot.app.scene.find("Flier").transform.position[1])
    assert y > -7.5
    assert view.position == pytest.approx((0.0, y, 0.0), abs=1e-6)
    assert view.elevation == pytest.approx(0.0)
    flier.is_flying = False
    flier.object.transform.rotation = (0.0, 0.0, 90.0)
    flier.object.transform.position = (0.0, -10.0, 0.0)
    pilot.step()
    x, y = pilot.pixel_of((-2.0, 0.0, 0.0))
    assert abs(x - 200) < 2, "rolled: what was beside is above or below"
    picture = pilot.picture()
    assert picture[round(y), round(x), 2] > 180, "and picked where it is seen"
    assert pilot.app.view.pick(x, y) == "obj_red"


def test_people_turn_a_camera_at_its_target_until_its_object_moves(pilot):
    view = pilot.app.scene.camera
    before = view.view.azimuth
    for event in (
        InputEvent("button_down", key="mouse3", x=200, y=150),
        InputEvent("pointer_move", x=300, y=150),
        InputEvent("button_up", key="mouse3", x=300, y=150),
    ):
        pilot.app.inject(event)
    pilot.step(60)
    assert abs(view.view.azimuth - before) > 10.0
    pilot.app.scene.find("Main").transform.position = (12.0, 0.0, 0.0)
    pilot.step()
    assert view.view.azimuth == pytest.approx(90.0)
    pilot.app.clock.is_stopped = True  # stopped: people edit the scene
    pilot.app.scene.find("Main").transform.position = (0.0, -12.0, 0.0)
    pilot.step(30)
    assert view.view.azimuth == pytest.approx(90.0)


def test_a_camera_with_a_viewport_lies_over_the_view(tmp_path):
    with run(tmp_path, viewport=[0.6, 0.05, 0.35, 0.35]) as pilot:
        picture = pilot.picture()
        inset = picture[15:120, 240:380]
        assert red_at(inset) > 0.55, "seen from behind"
        assert red_at(picture[120:]) < 0.45, "and the main view is as it was"
        image = pilot.app.scene.camera.image(width=400, height=300)
        assert np.abs(image[:, :, ::-1].astype(int) - picture)[15:120, 240:380].max() > 100
        camera(pilot, "Back").viewport = (0.0, 0.0, 0.5, 0.5)
        assert red_at(pilot.picture()[5:145, 5:195]) > 0.55
        buffers = pilot.app.display.engine.get_num_windows()
        pilot.app.scene.find("Back").enabled = False
        assert red_at(pilot.picture()) < 0.45
        assert pilot.app.display.engine.get_num_windows() == buffers - 1


def test_a_view_over_the_main_one_is_drawn_at_its_rate_and_not_at_rest(tmp_path):
    with run(tmp_path, viewport=[0.6, 0.05, 0.35, 0.35], rate=5.0) as pilot:
        pilot.app.clock.frame_step = 1 / 50
        red, insets = pilot.app.scene.find("Red"), pilot.app.view._insets
        pilot.step(20)
        before = insets.drawn
        for _ in range(100):  # two seconds
            red.transform.translate((0.0, 0.001, 0.0))
            pilot.step()
        assert 8 <= insets.drawn - before <= 12
        pilot.step(20)
        before = insets.drawn
        pilot.step(50)
        assert insets.drawn == before


@pytest.mark.parametrize("viewport", [[0.5, 0.0, 0.8, 0.2], [0.1, 0.1, 0.0, 0.2], [-1, 0, 1, 1]])
def test_a_viewport_outside_is_one_clear_error(tmp_path, viewport):
    with run(tmp_path, viewport=viewport) as pilot:
        pilot.step(3)
        assert pilot.app.host.error_count == 1
        record = str(pilot.app.scene.find("Back").components[0].error)
        assert "Camera.viewport: expected left, top, width and height from 0 to 1" in record
        assert red_at(pilot.picture()) < 0.45

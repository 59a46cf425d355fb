"""The camera that leads itself: gentle, above the table, and gone when a person wants the view."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.files import SHIPPED_ROOT
from scripts.common.cinematic_camera import SPEEDS, CinematicCamera, Shot, SmoothPath, above
from sim.core.geometry.camera_pose import CameraView
from sim.core.input.input_actions import InputEvent
from sim.core.scene.scene_camera import SceneCamera
from sim.testing import Pilot
from tests.examples import examples

views = st.builds(
    CameraView,
    st.tuples(*[st.floats(-8, 8)] * 2, st.floats(-0.5, 1.0)),
    st.floats(-400, 400), st.floats(-20, 80), st.floats(2, 40), st.floats(20, 60),
)  # fmt: skip


def numbers(view: CameraView) -> np.ndarray:
    return np.array([*view.target, view.azimuth, view.elevation, view.distance, view.fov])


@settings(max_examples=examples(30, 60), deadline=None)
@given(views, st.lists(views, min_size=1, max_size=4), st.sampled_from([1 / 60, 1 / 30, 0.1, 2.0]))
def test_the_camera_is_never_faster_than_its_limits_and_arrives(start, goals, dt):
    path = SmoothPath(start)
    for goal in goals:
        for _ in range(25):
            before = numbers(path.view)
            after = numbers(path.step(goal, dt))
            assert (np.abs(after - before) <= SPEEDS * min(dt, 0.1) + 1e-9).all()
    there = 0  # steps since it arrived
    for _ in range(1500):
        gap = numbers(path.step(goals[-1], 0.1)) - numbers(goals[-1])
        gap[3] = (gap[3] + 180.0) % 360.0 - 180.0
        there = there + 1 if np.abs(gap).max() < 0.05 else 0
        if there == 50:
            break
    assert there, "and stays"


def test_the_camera_starts_softly():
    path = SmoothPath(CameraView())
    goal = CameraView(azimuth=60.0)
    places = [path.step(goal, 1 / 60).azimuth for _ in range(60)]
    steps = np.diff([0.0, *places])
    assert steps[0] < steps[20] / 3, "no jerk"
    assert np.abs(np.diff(steps)).max() < SPEEDS[3] / 60 / 4


@given(views, st.floats(0.1, 1.5))
def test_no_shot_is_below_the_table(view, height):
    assert above(view, height).position[2] >= height - 1e-6


def test_a_view_that_is_none_is_refused():
    camera = SceneCamera()
    with pytest.raises(ValueError, match="finite"):
        camera.lead(CameraView(azimuth=float("nan")))
    assert not camera.is_led


def scene_with_camera(folder: Path) -> Path:
    data = json.loads((SHIPPED_ROOT / "scenes/hello.scene.json").read_text(encoding="utf-8"))
    data["objects"]["obj_camera0001"]["components"]["cmp_cinema0001"] = {
        "type": "goishi:scripts.common.cinematic_camera:CinematicCamera",
        "fields": {"is_on": True, "idle_seconds": 1.0, "wide_seconds": 0.5},
    }
    path = folder / "scenes" / "cinema.scene.json"
    path.parent.mkdir()
    (folder / "scripts").mkdir()
    (folder / "scripts" / "common").mkdir()
    shown = SHIPPED_ROOT / "scripts/common/hello_stone.py"
    (folder / "scripts/common/hello_stone.py").write_bytes(shown.read_bytes())
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def pilot(tmp_path):
    options = {
        "scene": scene_with_camera(tmp_path),
        "speed": 1.0,
        "window": (320, 240),
        "panels": False,
    }
    with Pilot(**options, quality="low") as driven:
        driven.app.clock.frame_step = 1 / 30
        driven.app.scene.camera.touch()
        yield driven


def test_it_waits_circles_looks_closer_and_cuts(pilot):
    camera, door = pilot.component("CinematicCamera"), pilot.app.scene.camera
    home = door.view
    pilot.step(20)
    assert not camera.is_leading, "the mouse has not rested long enough"
    pilot.step(100)
    assert camera.is_leading
    assert door.view.azimuth - home.azimuth > 2.0
    assert door.view.distance == pytest.approx(home.distance, rel=0.01)
    camera.look_at((2.0, 1.0, 0.0))
    pilot.step(150)
    assert door.view.distance < home.distance * 0.85
    assert door.view.elevation < home.elevation - 5.0
    assert door.view.position[2] > 0.5
    camera.cut_to([(-2.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    pilot.step(1)
    assert door.view.target == pytest.approx((0.0, 0.0, 0.0), abs=0.2)
    camera.cut_home()
    pilot.step(1)
    assert door.view.distance == pytest.approx(home.distance, rel=0.02)


@pytest.mark.parametrize("kind", ["button_down", "wheel"])
def test_the_mouse_takes_the_view_back_at_once(pilot, kind):
    camera, door = pilot.component("CinematicCamera"), pilot.app.scene.camera
    home = door.view
    pilot.step(150)
    assert camera.is_leading
    led = door.view
    pilot.app.inject(InputEvent(kind, key="mouse1", x=160, y=100))
    pilot.step(1)
    assert not camera.is_leading
    assert not door.is_led
    pilot.app.view.camera.follow(2.0)
    assert door.view.azimuth == pytest.approx(home.azimuth, abs=0.1)
    assert led.azimuth - home.azimuth > 2.0
    pilot.step(60)
    assert camera.is_leading, "and it is led again after the mouse has rested"


def test_switching_it_off_gives_the_view_back(pilot):
    camera = pilot.component("CinematicCamera")
    pilot.step(60)
    pilot.app.host.set_field(camera.slot, "is_on", False)
    pilot.step(2)
    assert not camera.is_leading
    assert not pilot.app.scene.camera.is_led


def test_a_shot_lasts_as_long_as_it_says_however_long_the_one_before_was():
    far, near = (CameraView((0.0, 0.0, 0.0), 0.0, 30.0, away, 40.0) for away in (20.0, 5.0))
    led = SimpleNamespace(
        shot=None, shown_for=99.0, home=far, turn=2.0, clearance=0.0,
        path=SimpleNamespace(view=far, step=lambda view, seconds: view),
    )  # fmt: skip
    led._show, led._circle = (
        partial(CinematicCamera._show, led),
        partial(CinematicCamera._circle, led),
    )
    led._show(Shot(near, seconds=3.0))
    found = [CinematicCamera._advance(led, 1.0).distance for _ in range(4)]
    assert found == [5.0, 5.0, 5.0, 20.0]

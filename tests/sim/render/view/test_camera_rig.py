"""The camera flies where scripts ask, and gives way to the mouse."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.geometry.camera_pose import FAR as FAR_AWAY
from sim.core.geometry.camera_pose import CameraView
from sim.core.input.input_actions import InputEvent
from sim.core.scene.scene_camera import SceneCamera
from sim.render.view.camera_rig import FREE_EDGE, FREE_TOP, CameraRig

FAR = CameraView((20.0, -3.0, 0.5), azimuth=40.0, elevation=60.0, distance=12.0, fov=30.0)


@pytest.fixture
def rig():
    made = CameraRig(SceneCamera())
    made.place((0.0, -60.0, 50.0), (0.0, 0.0, 0.0))
    return made


def test_home_is_where_the_camera_was_placed(rig):
    assert rig.camera.view == rig.camera.home
    assert rig.camera.home.target == (0.0, 0.0, 0.0)
    assert rig.camera.home.distance == pytest.approx(np.hypot(60.0, 50.0))


def test_clipping_distances_are_automatic_or_the_cameras(rig):
    distance = rig.camera.view.distance
    assert (rig.eye.near, rig.eye.far) == pytest.approx((distance * 0.05, FAR_AWAY))
    rig.near, rig.far = 0.01, 2000.0
    assert (rig.eye.near, rig.eye.far) == (0.01, 2000.0)
    assert rig.eye is rig.eye, "it is asked for several times a frame"
    assert rig.coming_eye.near == 0.01
    rig.near, rig.far = 5.0, 1.0
    assert rig.eye.far > rig.eye.near
    assert CameraView(distance=0.5).eye.near == 0.1
    assert CameraView(distance=500.0).eye.far == 50_000.0


def test_a_flight_arrives_and_is_slow_at_both_ends(rig):
    rig.camera.fly_to(FAR, seconds=1.0)
    places = []
    while rig.update(0.02):
        places.append(rig.camera.view.target[0])
    assert rig.camera.view == FAR
    steps = np.diff([0.0, *places])
    assert len(steps) == 50 or len(steps) == 51
    assert steps.min() >= 0.0
    assert max(steps[0], steps[-1]) < 0.1 * steps.max()
    assert not rig.update(0.02)


def test_no_seconds_is_at_once(rig):
    rig.camera.fly_to(FAR, seconds=0.0)
    assert rig.update(0.016)
    assert rig.camera.view == FAR


def test_the_mouse_stops_a_flight_and_home_leads_back(rig):
    rig.camera.fly_to(FAR, seconds=1.0)
    rig.update(0.5)
    rig.feed([InputEvent("wheel", y=1.0)])
    for _ in range(400):
        rig.update(0.02)
    assert rig.camera.view.target[0] == pytest.approx(10.0, abs=0.01)
    rig.feed([InputEvent("key_down", key="home")])
    for _ in range(400):
        rig.update(0.02)
    assert rig.camera.view.target == pytest.approx(rig.camera.home.target, abs=1e-3)
    assert rig.fov == rig.camera.home.fov


def clear_of(rig, share, above=0.0):
    rig.keep_clear(share, above)
    for _ in range(200):
        rig.follow(0.05)


@pytest.mark.parametrize(("share", "above"), [(0.15, 0.0), (0.3, 0.0), (0.3, 0.2), (0.0, 0.25)])
def test_the_view_is_fitted_into_what_panels_leave_free(rig, share, above):
    rig.viewport = (0, 0, 1000, 600)
    rig.follow(0.1)
    corners = [rig.ray(x, y) for x in (0.0, 1000.0) for y in (0.0, 600.0)]
    points = [start + ahead * 20.0 for start, ahead in corners]
    clear_of(rig, share, above)
    seen = np.array([rig.project(point) for point in points])
    below = max(0.0, share - FREE_EDGE) / (1.0 - FREE_EDGE)  # a smaller view has smaller edges
    top = 600.0 * max(0.0, above - FREE_TOP * (1.0 - below))
    end = 600.0 * (1.0 - below)
    assert seen[:, 1].min() == pytest.approx(top, abs=1e-6)
    assert seen[:, 1].max() == pytest.approx(end)
    assert seen[:, 0].mean() == pytest.approx(500.0)
    assert rig.project(rig.target)[1] == pytest.approx((top + end) / 2.0)
    ahead = rig.ray(*seen[1])[1]
    assert ahead == pytest.approx(corners[1][1])
    clear_of(rig, 0.0)
    assert [rig.project(point) for point in points] == [
        pytest.approx((x, y), abs=1e-6) for x in (0.0, 1000.0) for y in (0.0, 600.0)
    ]


@pytest.mark.parametrize("covered", [0.0, 0.25])
def test_a_narrow_view_cuts_nothing_off_at_the_sides(rig, covered):
    rig.viewport = (0, 0, 1650, 1000)
    rig.follow(0.1)
    points = [start + ahead * 20.0 for start, ahead in (rig.ray(0, 500), rig.ray(1650, 500))]
    rig.viewport = (0, 0, 400, 600)
    clear_of(rig, covered)
    seen = [rig.project(point)[0] for point in points]
    assert seen == pytest.approx([0.0, 400.0], abs=0.6)


def test_a_panel_over_the_edge_moves_nothing_and_one_over_all_leaves_a_view(rig):
    clear_of(rig, 0.9 * FREE_EDGE, 0.9 * FREE_TOP)
    assert rig.covered == rig.covered_above == 0.0
    clear_of(rig, 1.0, 1.0)
    assert 0.0 < rig.covered <= 0.5
    assert rig.covered_above > 0.0
    assert rig.covered + rig.covered_above < 0.6


def test_a_script_may_fly_home(rig):
    rig.camera.fly_to(FAR, seconds=0.0)
    rig.update(0.01)
    rig.camera.fly_home(seconds=0.2)
    for _ in range(20):
        rig.update(0.02)
    assert rig.camera.view == rig.camera.home


@given(st.floats(-720.0, 720.0), st.floats(-720.0, 720.0))
def test_it_never_turns_more_than_half_way_round(first, last):
    rig = CameraRig(SceneCamera())
    rig.camera.fly_to(CameraView(azimuth=first), seconds=0.0)
    rig.update(0.01)
    rig.camera.fly_to(CameraView(azimuth=last), seconds=1.0)
    turned = []
    while rig.update(0.05):
        turned.append(rig.camera.view.azimuth)
    assert turned[-1] == pytest.approx(last, abs=1e-6)
    assert max(turned) - min(turned) <= 180.0 + 1e-6


def test_no_target_lies_outside_of_what_can_be_looked_at(rig):
    rig.look_at((-900.0, 3.0, 900.0), distance=7.0)
    assert rig._goal[:3].tolist() == [-500.0, 3.0, 500.0]
    assert rig._goal[5] == 7.0
    rig.look_at((1.0, 2.0, 3.0))
    assert rig._goal[:3].tolist() == [1.0, 2.0, 3.0]
    assert rig._goal[5] == 7.0


@pytest.mark.parametrize(
    ("mount", "is_led", "found"),
    [("pose", False, "pose"), ("pose", True, "own"), (None, False, "own")],
)
def test_a_camera_that_is_mounted_looks_from_there_unless_it_is_led(mount, is_led, found):
    led = SimpleNamespace(
        _mount=mount, camera=SimpleNamespace(is_led=is_led), near=0.1, far=9.0, is_parallel=False,
        _view=lambda: SimpleNamespace(seen_from=lambda near, far: "own"),
    )  # fmt: skip
    assert CameraRig.eye.fget(led) == found

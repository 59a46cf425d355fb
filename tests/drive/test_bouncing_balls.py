"""The shipped scene of bouncing balls: it runs, looks like a day, and takes clicks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim import RigidBody
from sim.app.app import App
from sim.core.project.run_options import RunOptions
from sim.testing import Pilot

SCENE = "scenes/bouncing_balls.scene.json"


PILOT = {"scene": SCENE, "panels": False, "speed": 1.0, "window": (480, 270), "quality": "low"}


@pytest.fixture
def pilot(pilot):
    pilot.app.clock.frame_step = 1 / 60
    return pilot


def run_without_pictures() -> tuple[list[Any], list[list[float]], int]:
    """Run eight seconds of the scene; return the balls, where they are, and the errors."""
    app = App(RunOptions(scene=Path(SCENE), headless=True, graphics=False, speed=1.0, seconds=600))
    try:
        app.clock.frame_step = 1 / 60  # before the first frame, whose length is a clock's
        for _ in range(480):
            app.frame()
        balls = [obj for obj in app.scene.objects.values() if obj.name.endswith(" ball")]
        speeds = [ball.get(RigidBody).velocity.length for ball in balls]
        return speeds, [ball.transform.position.tolist() for ball in balls], app.host.error_count
    finally:
        app.close()


def test_balls_fall_bounce_and_come_to_rest_on_what_is_there():
    speeds, places, errors = run_without_pictures()
    assert 24 <= len(places) <= 28
    assert any(speed < 1.0 for speed in speeds)
    assert all(-0.1 < place[2] < 8 for place in places)
    assert errors == 0
    assert run_without_pictures()[1] == places, "the same seed, the same numbers"


def test_all_balls_come_to_rest_once_no_more_fall():
    with Pilot(scene=SCENE, panels=False, graphics=False, speed=1.0) as pilot:
        pilot.app.clock.frame_step = 1 / 15
        script = pilot.component("BouncingBalls")
        pilot.step(4 * 15)
        script.drop = lambda place: None
        pilot.step(30 * 15)
        bodies = [ball.get(RigidBody) for ball in script.balls]
        assert len(bodies) > 9
        assert sum(body.velocity.length > 0.0 for body in bodies) <= 1


def test_a_click_drops_a_ball_or_kicks_the_one_under_the_pointer(pilot):
    script = pilot.component("BouncingBalls")
    script.seconds_between = 10.0
    count = len(script.balls)
    pilot.click_at((0.0, -4.0, 0.0))
    assert len(script.balls) == count + 1
    dropped = script.balls[-1]
    x, y, z = dropped.transform.position
    assert (x, y) == pytest.approx((0.0, -4.0), abs=0.1)
    assert 2.0 < z < 2.6
    dropped.transform.position = (0.5, -3.6, dropped.model["radius"])
    dropped.get(RigidBody).velocity = (0.0, 0.0, 0.0)
    pilot.step(2)
    before = dropped.get(RigidBody).velocity.length
    pilot.click(*pilot.pixel_of(dropped.transform.position))
    assert len(script.balls) == count + 1
    assert dropped.get(RigidBody).velocity.length > before + 2.0
    assert dropped.get(RigidBody).velocity[1] > 0, "away from who looks"


def test_the_oldest_ball_goes_when_there_are_too_many(pilot):
    script = pilot.component("BouncingBalls")
    script.most, script.seconds_between = 4, 0.05
    pilot.step(30)
    assert len(script.balls) == 4
    assert sum(obj.name.endswith(" ball") for obj in pilot.app.scene.objects.values()) <= 5


def test_the_picture_has_a_sky_above_and_shadows_below(pilot):
    pilot.app.clock.pause()
    picture = pilot.picture().astype(int)
    blue, _, red = picture[:12].reshape(-1, 3).mean(axis=0)
    assert blue > red + 15, "the sky is blue"
    sun = pilot.app.scene.find("Sun").get("Light")
    sun.shadows = "spots"
    without = pilot.picture().astype(int)
    darker = (without - picture).mean(axis=2) > 12
    assert darker[130:].mean() > 0.02, "thrown shadows lie on the ground"
    pilot.app.scene.find("Sky").get("DayLight").hour = 23.0
    night = pilot.picture()
    assert night.mean() < 0.5 * without.mean()


def test_a_moving_ball_throws_its_shadow_on_what_rests(pilot):
    script = pilot.component("BouncingBalls")
    script.seconds_between = 10.0
    for ball in script.balls:
        ball.destroy()
    pilot.step(20)
    view = pilot.app.view
    pilot.app.scene.spawn("Ball", model={"builtin": "sphere", "radius": 0.5}, position=(0, 0, 50))
    ball = pilot.app.scene.find("Ball")
    pilot.step(2)
    before = pilot.app.display.image().astype(int)
    full = view.full_draws
    to_sun = np.array(view._atmosphere.now.sun_to)
    ground = np.array([0.6, -4.2, 0.0])
    ball.transform.position = ground + to_sun * 3.0
    pilot.step()
    x, y = pilot.pixel_of(ground)
    after = pilot.app.display.image().astype(int)
    gap = (before - after)[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2].mean()
    assert gap > 10
    assert view.full_draws <= full + 1, "without drawing everything anew"

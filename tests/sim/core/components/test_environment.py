"""Sun, lamps, sky, fog and the time of day, as numbers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.components.environment import Environment, EnvironmentResolver, SkyState, by_day
from tests.sim.core.stage import Stage, thing


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    made = Stage(tmp_path_factory.mktemp("day"))
    made.open({
        "obj_sun": thing("Sun", {"cmp_sun": ("sim:Light", {"color": [1, 1, 1], "intensity": 2.0})},
                         position=[0, 0, 9]),
        "obj_day": thing("Day", {"cmp_day": "sim:DayLight", "cmp_sky": "sim:Sky"}),
        "obj_fog": thing("Fog", {"cmp_fog": ("sim:Fog", {"density": 0.5, "clear": 3.0})}),
        "obj_lamp": thing("Lamp", {"cmp_lamp": ("sim:Light", {
            "kind": "point", "color": [1, 0, 0], "intensity": 5.0})}, position=[1, 2, 3]),
        "obj_dim": thing("Dim", {"cmp_dim": ("sim:Light", {
            "kind": "ambient", "color": [1, 1, 1], "intensity": 0.25})}),
    })  # fmt: skip
    made.frames(2)
    yield made
    made.close()


def now(stage) -> Environment:
    return EnvironmentResolver(stage.app.scene).now()


def test_everything_is_taken_from_components_and_followed(stage):
    env = now(stage)
    assert env.haze is not None
    assert (env.haze.density, env.haze.start) == (0.5, 3.0)
    assert env.lamps[0].place == (1.0, 2.0, 3.0)
    assert env.lamps[0].light == (5.0, 0.0, 0.0)
    assert env.ambient == (0.25, 0.25, 0.25)
    stage.app.scene.find("Lamp").enabled = False
    stage.slot("cmp_fog").enabled = False
    assert now(stage).lamps == ()
    assert now(stage).haze is None
    stage.app.scene.find("Lamp").enabled = True
    stage.slot("cmp_fog").enabled = True


def test_without_daylight_the_sun_shines_from_its_object(stage):
    stage.slot("cmp_day").enabled = False
    env = now(stage)
    stage.slot("cmp_day").enabled = True
    assert env.sun_to == (0.0, 0.0, 1.0)
    assert env.sun == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("rotation", "towards"),
    [
        ((0, 0, 0), (0.0, 0.0, 1.0)),
        ((0, -90, 0), (0.0, 0.0, 1.0)),
        ((0, -45, 0), (0.0, -(0.5**0.5), 0.5**0.5)),
        ((90, -45, 0), (0.5**0.5, 0.0, 0.5**0.5)),
    ],
)
def test_a_sun_at_the_origin_shines_ahead_of_its_object(stage, rotation, towards):
    transform = stage.app.scene.find("Sun").transform
    stage.slot("cmp_day").enabled = False
    transform.position, transform.rotation = (0, 0, 0), rotation
    env = now(stage)
    transform.position, transform.rotation = (0, 0, 9), (0, 0, 0)
    stage.slot("cmp_day").enabled = True
    assert env.sun_to == pytest.approx(towards, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 24), st.floats(5, 90), st.floats(-360, 360))
def test_at_every_hour_light_comes_from_above_and_the_sky_is_sound(stage, hour, height, north):
    day = stage.slot("cmp_day").instance
    day.hour, day.height, day.north = hour, height, north
    env = now(stage)
    assert np.linalg.norm(env.sun_to) == pytest.approx(1.0)
    assert env.sun_to[2] > -0.05
    values = [*env.sun, *env.heaven.zenith, *env.heaven.horizon, *env.heaven.ground]
    assert np.isfinite(values).all()
    assert min(values) >= 0.0


def test_noon_is_bright_dusk_is_red_and_night_is_dark(stage):
    day = stage.slot("cmp_day").instance
    day.height, day.north = 60.0, 0.0

    def at(hour):
        day.hour = hour
        return now(stage)

    noon, dusk, night = at(12.0), at(17.7), at(23.0)
    assert noon.sun_to[2] == pytest.approx(np.sin(np.radians(60)))
    assert sum(noon.sun) > 2 * sum(dusk.sun) > 2 * sum(night.sun)
    assert dusk.sun[0] > 2 * dusk.sun[2]
    assert sum(noon.haze.color) > 10 * sum(night.haze.color), "fog is lit as the horizon is"
    assert sum(noon.heaven.zenith) > 10 * sum(night.heaven.zenith)


def test_hours_pass_with_the_scene(stage):
    day = stage.slot("cmp_day").instance
    day.hour, day.speed = 23.5, 1.0
    stage.frames(60)
    assert day.hour == pytest.approx(0.5, abs=0.05)
    day.speed = 0.0


def test_the_red_of_dusk_is_half_gone_when_the_sun_is_a_little_below():
    night = (0.010, 0.014, 0.030)
    heaven = SkyState(night, night, night)
    below = SimpleNamespace(
        hour=6.0 + 12.0 / np.pi * np.arcsin(-0.1), height=90.0, north=0.0, intensity=1.0
    )
    _, _, sky = by_day(below, heaven)
    red = (sky.horizon[0] - night[0]) / (0.95 - night[0])
    assert red == pytest.approx(0.75 * 0.84375 * 0.5)

"""A fall takes the same time at every speed: clock, updates, coroutines and bodies are one time."""

from __future__ import annotations

import math

import pytest

from sim.core.components.physics import EARTH
from tests.sim.core.stage import Stage, thing

SECONDS = 18.0
FRAME = 1 / 60
WATCH = """
class Watch(Script):
    def awake(self):
        self.steps, self.frames, self.passed, self.waited = [], [], 0.0, 0

    def start(self):
        self.start_coroutine(self.wait())

    async def wait(self):
        while True:
            await self.seconds(4.0)
            self.waited = self.time.now

    def fixed_update(self, dt):
        self.steps.append((self.time.now, -self.object.transform.position[2]))

    def update(self, dt):
        self.passed += dt
        self.frames.append((self.time.now, self.passed, -self.object.transform.position[2]))
"""


def fall(stage: Stage, speed: float, *, step_seconds: float = math.inf, wall: float = FRAME):
    """Let a body fall in frames of so much wall time; return the script that watched it."""
    slot_id = "cmp_watch"
    app = stage.open(
        {"obj_ball": thing(
            "B", {slot_id: "scripts.watch:Watch", "cmp_body": ("sim:RigidBody", {"damping": 0.0})},
            model={"builtin": "sphere", "radius": 0.5},
        )},
        instant=math.isinf(speed), speed=None if math.isinf(speed) else speed, headless=True,
    )  # fmt: skip
    app.clock.frame_step = None
    app.clock.step_seconds = step_seconds
    advance = app.clock.advance
    app.clock.advance = lambda _: advance(wall)  # however long the machine takes
    while app.clock.time < SECONDS:
        app.frame()
    return stage.slot(slot_id).instance


@pytest.fixture(scope="module")
def falls(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("fall"))
    stage.script("watch", WATCH)
    yield {
        1: fall(stage, 1.0, wall=0.2),
        16: fall(stage, 16.0),
        64: fall(stage, 64.0),
        "max": fall(stage, math.inf),
        "under load": fall(stage, 64.0, step_seconds=0.0),
    }
    stage.close()


def test_each_step_of_a_fall_is_the_same_to_the_bit_at_any_speed(falls):
    shortest = min(len(watch.steps) for watch in falls.values())
    assert shortest > (SECONDS - 1.0) / FRAME
    for speed, watch in falls.items():
        assert watch.steps[:shortest] == falls["max"].steps[:shortest], speed


def test_a_body_has_fallen_as_far_as_the_clock_says(falls):
    for speed, watch in falls.items():
        now, passed, fallen = watch.frames[-1]
        assert fallen == pytest.approx(-EARTH[2] * now**2 / 2, rel=1e-3), speed
        assert passed == pytest.approx(now), speed
        assert now - 5.5 < watch.waited <= now, speed

"""Kinematic bodies push, carry and lift at the speed at which scripts move them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sim.physics.bodies import FLOOR, MOVER, block, moved

RATES = (30, 60, 100, 120, 240)
rates = st.sampled_from(RATES)
law = settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def movers(stage):
    stage.script("mover", MOVER)
    return stage


def opened(stage, *entries, rate=60):
    """Open a scene of several entries with fixed steps of 1 / `rate` seconds."""
    objects = {key: made for entry in entries for key, made in entry.items()}
    stage.open(objects, {"fixed_dt": 1.0 / rate})


def place(stage, name):
    return np.array(stage.app.scene.find(name).transform.position)


def body_of(stage, name):
    return stage.app.scene.find(name).get("RigidBody")


@pytest.mark.parametrize("height", [0.0, 1.0, 2.0, 3.0, 10.0, -7.0])
def test_what_rests_on_a_kinematic_body_stays_there_from_the_start(stage, height):
    opened(stage, block("Plate", (2, 2, 0.2), (1, -1, height), kind="kinematic"),
           block("Box", (0.4, 0.4, 0.4), (1, -1, height + 0.3)))  # fmt: skip
    stage.frames(200)
    assert place(stage, "Box") == pytest.approx([1, -1, height + 0.3], abs=1e-3)
    assert not stage.app.scene.physics._bodies["cmp_box"].node.is_active(), "it sleeps there"


@law
@given(rate=rates, speed=st.floats(0.3, 12.0), restitution=st.sampled_from((0.0, 0.25, 0.5, 1.0)),
       gap=st.floats(0.0, 0.6))  # fmt: skip
def test_a_pusher_gives_its_speed_and_what_a_bounce_adds(movers, rate, speed, restitution, gap):
    same = {"restitution": restitution, "friction": 0.0, "gravity": 0.0, "damping": 0.0}
    opened(movers, block("Box", (0.4, 0.4, 0.4), (0, 0, 0), **same),
           moved(block("Pusher", (0.2, 1, 1), (-0.3 - gap, 0, 0), kind="kinematic", **same),
                 (speed, 0, 0)), rate=rate)  # fmt: skip
    movers.frames(2 + math.ceil(60 * (gap / speed + 0.2)))
    expected = [speed * (1.0 + restitution), 0.0, 0.0]
    assert tuple(body_of(movers, "Box").velocity) == pytest.approx(expected, rel=0.01, abs=0.02)
    assert tuple(body_of(movers, "Pusher").velocity) == pytest.approx([speed, 0, 0], rel=1e-3)
    assert place(movers, "Box")[0] > place(movers, "Pusher")[0] + 0.29


@law
@given(rate=rates, speed=st.floats(0.1, 1.0), way=st.floats(0.0, 360.0))
def test_a_platform_carries_its_rider(movers, rate, speed, way):
    flat = np.array([math.cos(math.radians(way)), math.sin(math.radians(way)), 0.0])
    still = {"friction": 0.6, "restitution": 0.0}
    opened(movers, block("Box", (0.4, 0.4, 0.4), (0, 0, 2.3), **still),
           moved(block("Plate", (4, 4, 0.2), (0, 0, 2), kind="kinematic", **still),
                 tuple(speed * flat)), rate=rate)  # fmt: skip
    movers.frames(120)
    slip = speed**2 / (2 * 0.6 * 9.81)  # until it is as fast as the platform
    gone = place(movers, "Box") - (0, 0, 2.3)
    assert gone @ flat == pytest.approx(2 * speed - slip, abs=0.02 + 0.03 * speed)
    assert abs(gone[2]) < 2e-3


@law
@given(rate=rates, speed=st.floats(-2.0, 1.2), restitution=st.sampled_from((0.0, 0.5)))
def test_a_lift_keeps_its_rider_on_it(movers, rate, speed, restitution):
    same = {"restitution": restitution}
    opened(movers, block("Box", (0.4, 0.4, 0.4), (0, 0, 1.3), **same),
           moved(block("Lift", (2, 2, 0.2), (0, 0, 1), kind="kinematic", **same),
                 (0, 0, speed), begin=0.25), rate=rate)  # fmt: skip
    gaps = []
    for _ in range(120):
        movers.frames(1)
        gaps.append(float(place(movers, "Box")[2] - place(movers, "Lift")[2] - 0.3))
    thrown = max(-speed, restitution * speed) ** 2 / (2 * 9.81)  # it falls behind, or bounces once
    assert max(gaps) < 0.012 + 1.1 * thrown
    assert min(gaps) > -0.012
    assert abs(gaps[-1]) < 1e-3


@law
@given(rate=rates, turn=st.floats(-120.0, 120.0))
def test_a_turntable_carries_what_stands_on_it(movers, rate, turn):
    still = {"friction": 1.0, "restitution": 0.0}
    opened(movers, block("Box", (0.3, 0.3, 0.3), (0.5, 0, 1.25), **still),
           moved(block("Table", (3, 3, 0.2), (0, 0, 1), kind="kinematic", **still), turn=turn),
           rate=rate)  # fmt: skip
    movers.frames(60)
    x, y, _ = place(movers, "Box")
    slid = abs(turn) * 0.5 * math.radians(abs(turn)) / (2.0 * 9.81)  # until friction has sped it up
    behind = math.copysign(1.0, turn) * (turn - math.degrees(math.atan2(y, x)))
    assert -0.5 <= behind <= slid + 0.5
    assert 0.499 <= math.hypot(x, y) <= 0.535  # it slides outwards while it is sped up
    spin = tuple(body_of(movers, "Table").spin)
    assert spin == pytest.approx([0, 0, turn], rel=1e-3, abs=1e-3), "however slowly it turns"


def test_what_lies_on_a_slow_turntable_turns_as_slowly(movers):
    opened(movers, block("Box", (0.3, 0.3, 0.3), (0.5, 0, 1.25), friction=1.0, restitution=0.0),
           moved(block("Table", (3, 3, 0.2), (0, 0, 1), kind="kinematic", friction=1.0), turn=2.0),
           rate=240)  # fmt: skip
    movers.frames(180)
    turned = float(movers.app.scene.find("Box").transform.rotation[0])
    assert turned == pytest.approx(6.0, abs=0.3)


@pytest.mark.parametrize("kind", ["kinematic", "static"])
def test_a_jump_pushes_nothing_but_what_it_lands_in(movers, kind):
    opened(movers, {"obj_floor": FLOOR}, block("Plate", (2, 2, 0.2), (0, 0, 0.1), kind=kind),
           block("Box", (0.4, 0.4, 0.4), (0, 0, 0.4)),
           block("Met", (0.4, 0.4, 0.4), (6, 0, 0.2)))  # fmt: skip
    movers.frames(5)
    speeds, heights = [], []
    for target in ((0, 0, -3.0), (0, 0, 0.1), (6, 0, 0.1), (6, 0.2, 0.1)):
        movers.app.scene.find("Plate").transform.position = target
        for _ in range(30):
            movers.frames(1)
            if target != (6, 0.2, 0.1):  # that is a way: 12 m/s
                speeds += [
                    np.linalg.norm(body_of(movers, name).velocity) for name in ("Box", "Met")
                ]
            heights += [place(movers, name)[2] for name in ("Box", "Met")]
    assert max(speeds) < 3.1
    assert max(heights) < 1.0
    assert place(movers, "Met")[2] == pytest.approx(0.4, abs=0.01), "it came out at the top"
    assert tuple(body_of(movers, "Plate").velocity) == (0.0, 0.0, 0.0)


def test_what_the_reset_of_an_agent_moves_has_jumped(movers):
    movers.script("paddler", '''
        class Paddler(Agent):
            observation_space = Box(-9.0, 9.0, (1,))
            action_space = Box(-1.0, 1.0, (1,))

            def reset(self, rng):
                self.object.transform.position = (0.3, 0, 0)

            def observe(self):
                return [0.0]

            def act(self, action):
                pass
    ''')  # fmt: skip
    paddle = block("Paddle", (0.2, 1, 1), (0, 0, 0), kind="kinematic")
    agent = {"type": "scripts.paddler:Paddler", "fields": {"most_decisions": 5}}
    paddle["obj_paddle"]["components"]["cmp_paddler"] = agent
    opened(movers, paddle, block("Box", (0.4, 0.4, 0.4), (0.45, 0, 0), gravity=0.0))
    for _ in range(4):
        movers.frames(5)
        movers.app.scene.find("Paddle").transform.position = (0, 0, 0)
    assert np.linalg.norm(body_of(movers, "Box").velocity) < 0.1


def test_a_kinematic_body_below_a_body_that_moves_carries_on(movers):
    cart = block("Cart", (1, 1, 0.2), (0, 0, 5), gravity=0.0, damping=0.0, mass=1000.0)
    arm = block("Arm", (0.2, 1, 1), (1, 0, 0), kind="kinematic", restitution=0.0, friction=0.0)
    arm["obj_arm"]["parent"] = "obj_cart"
    opened(movers, cart, arm, block("Box", (0.4, 0.4, 0.4), (2, 0, 5), gravity=0.0,
                                    restitution=0.0, friction=0.0, damping=0.0))  # fmt: skip
    movers.frames(1)
    body_of(movers, "Cart").velocity = (2.0, 0.0, 0.0)
    movers.frames(60)
    assert tuple(body_of(movers, "Box").velocity) == pytest.approx([2, 0, 0], abs=0.05)
    away = movers.app.scene.find("Arm").transform.world_position - place(movers, "Cart")
    assert tuple(away) == pytest.approx([1, 0, 0], abs=1e-6)


def test_a_rewound_scene_goes_on_as_it_went_with_bodies_that_scripts_move(movers):
    """Also from a moment between the move in `update` and the next step."""
    movers.script("later", '''
        class Later(Script):
            def update(self, dt):
                self.object.transform.position = (1.5 * self.time.now, 0, 1)
    ''')  # fmt: skip
    plate = block("Plate", (2, 2, 0.2), (0, 0, 1), kind="kinematic", friction=1.0)
    plate["obj_plate"]["components"]["cmp_later"] = {"type": "scripts.later:Later", "fields": {}}
    wall = moved(block("Wall", (0.2, 1, 1), (-1.3, 3, 2), kind="static"), (3.0, 0, 0))
    opened(movers, plate, wall, block("Box", (0.4, 0.4, 0.4), (0, 0, 1.3), friction=1.0),
           block("Met", (0.4, 0.4, 0.4), (-0.5, 3, 2), gravity=0.0),
           block("One", (0.4, 0.4, 0.4), (9, 3, 2)), block("Two", (0.4, 0.4, 0.4), (9, 3, 2)),
           rate=60)  # fmt: skip
    movers.app.rewind.seconds = 10
    movers.frames(3)
    names = ("Plate", "Wall", "Box", "Met", "One", "Two")
    ends = []
    for back in (0, 6):
        if back:
            movers.app.rewind.seek(len(movers.app.rewind) - 1 - 20)
            movers.app.rewind.continue_here()
        movers.frames(20)
        ends.append([place(movers, name).tolist() for name in names])
    for first, second in zip(*ends, strict=True):  # but for what Bullet itself keeps of contacts
        assert first == pytest.approx(second, abs=1e-3)

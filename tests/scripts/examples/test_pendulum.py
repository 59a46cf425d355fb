"""The pendulum: its controller swings it up, an episode begins where it says, physics agree."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
from scripts.examples import pendulum
from sim.app.app import App
from sim.testing import run_options

POLICY = SHIPPED_ROOT / pendulum.POLICY
SCENE = SHIPPED_ROOT / "scenes" / "pendulum.scene.json"


def test_each_episode_is_seen_from_its_first_moment_where_it_begins(episodes) -> None:
    rod = episodes.world.scene.find("Rod").transform
    begun = []
    for seed in (1, None, None):
        (cosine, sine, speed), *_ = episodes.reset(seed)
        rod = episodes.world.scene.find("Rod").transform
        assert (sine / 2, cosine / 2 + 1.25) == pytest.approx(
            (rod.position[0], rod.position[2]), abs=1e-4
        )
        assert abs(speed) <= 1.001
        begun.append((cosine, sine, speed))
        for _ in range(20):
            episodes.step([[1.0]])
    assert len(set(begun)) == 3
    assert begun[0] == tuple(episodes.reset(1)[0]), "the same seed, the same beginning"


def test_without_torque_the_rod_keeps_its_energy(episodes) -> None:
    cosine, _, speed = episodes.reset(3)[0]
    seen = [(cosine, speed)]
    for _ in range(60):
        cosine, _, speed = episodes.step([[0.0]])[0].observation
        seen.append((cosine, speed))
    energy = [9.81 * 0.5 * cosine + speed * speed / 6.0 for cosine, speed in seen]
    assert np.ptp(energy) < 0.35
    assert np.ptp([cosine for cosine, _ in seen]) > 0.3, "it swings"


def test_its_controller_swings_it_up_and_holds_it_and_chance_does_not(episodes) -> None:
    ends = {}
    for kind in ("controller", "chance"):
        agent_rng = np.random.default_rng(5)
        observation, total, high = episodes.reset(5)[0], 0.0, []
        while True:
            seat = episodes.agents[0]
            chosen = seat.agent.decide(np.asarray(observation))
            action = chosen if kind == "controller" else agent_rng.uniform(-1, 1, 1)
            seat = episodes.step([np.asarray(action, np.float32)])[0]
            observation, total = seat.observation, total + seat.reward
            high.append(observation[0])
            if seat.is_done:
                break
        assert len(high) == 200
        ends[kind] = (total, min(high[-60:]))
    assert ends["controller"][1] > math.cos(math.radians(10.0))
    assert ends["chance"][1] < 0.0
    assert ends["controller"][0] > ends["chance"][0] + 200


def test_the_shipped_policy_swings_it_up_and_holds_it(episodes) -> None:
    policy = load_policy(POLICY)
    for seed in (11, 12, 13):
        observation, angles = np.asarray(episodes.reset(seed)[0]), []
        while True:
            seat = episodes.step([policy.act(observation)])[0]
            observation = np.asarray(seat.observation)
            angles.append(abs(math.atan2(observation[1], observation[0])))
            if seat.is_done:
                break
        assert max(angles[-40:]) < 0.2, "for the last two seconds it stands"


def test_its_key_lets_the_shipped_policy_swing_and_the_script_again() -> None:
    app = App(run_options(scene=SCENE, headless=True, graphics=False, seconds=1e6))
    app.frame()
    (rod,) = [slot.instance for slot in app.scene.components() if slot.class_name == "Pendulum"]
    (command,) = [entry for entry in app.host.panels.commands if entry.name == "trained"]
    assert command.key == "l"
    rod.toggle_policy()
    assert rod.trained_policy is not None
    app.frame()
    rod.toggle_policy()
    assert rod.trained_policy is None
    app.close()


def test_the_card_of_the_shipped_policy_has_its_controls() -> None:
    card = load_policy(POLICY).card
    assert card == json.loads(POLICY.with_suffix(".json").read_text("utf-8"))
    assert POLICY.stat().st_size <= 200_000
    frozen = card["frozen"]
    assert frozen["trained"]["least"] > -600 > frozen["untrained"]["mean"]
    assert frozen["random"]["mean"] < -600

"""The reacher: its hand is where its angles say, and its controller brings it to the target."""

from __future__ import annotations

import json
import math
from importlib import import_module

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy

SCENE = SHIPPED_ROOT / "scenes" / "reacher.scene.json"
reacher = import_module("scripts.examples.reacher")
POLICY = SHIPPED_ROOT / reacher.POLICY


def test_the_hand_is_where_the_joints_say_also_in_motion(episodes) -> None:
    for seed in (1, None, None):
        episodes.reset(seed)
        agent = episodes.agents[0].agent
        hand = episodes.world.scene.find("Forearm/Hand").transform
        for _ in range(15):
            angles, _ = agent.stand()
            assert np.asarray(hand.world_position)[:2] == pytest.approx(
                reacher.hand_of(angles), abs=5e-3
            )
            assert hand.world_position[2] == pytest.approx(reacher.HEIGHT[1], abs=0.02)
            episodes.step([[1.0, -1.0]])


def test_what_is_seen_is_the_arm_the_target_and_the_way(episodes) -> None:
    seen = np.asarray(episodes.reset(3)[0])
    angles = np.arctan2(seen[2:4], seen[0:2])
    assert seen[8:10] == pytest.approx(seen[6:8] - reacher.hand_of(angles), abs=1e-5)
    assert seen[4:6] == pytest.approx(0.0, abs=1e-6), "it rests"
    assert reacher.NEAR <= math.hypot(*seen[6:8]) <= reacher.FAR


def test_the_lever_is_the_slope_of_the_hand() -> None:
    angles, little = np.array([0.7, -1.3]), 1e-6
    for joint in (0, 1):
        moved = angles + little * np.eye(2)[joint]
        slope = (reacher.hand_of(moved) - reacher.hand_of(angles)) / little
        assert reacher.lever_of(angles)[:, joint] == pytest.approx(slope, abs=1e-5)


def test_its_controller_arrives_and_stays_and_chance_does_not(episodes) -> None:
    rng = np.random.default_rng(4)
    ends: dict[str, list[float]] = {"controller": [], "chance": []}
    for kind, away in ends.items():
        for seed in (4, None, None):
            observation = episodes.reset(seed)[0]
            while True:
                agent = episodes.agents[0].agent
                chosen = agent.decide(np.asarray(observation))
                action = chosen if kind == "controller" else rng.uniform(-1, 1, 2)
                seat = episodes.step([np.asarray(action, np.float32)])[0]
                observation = seat.observation
                if seat.is_done:
                    break
            assert seat.is_truncated
            away.append(float(np.linalg.norm(observation[8:10])))
    assert max(ends["controller"]) < 0.1
    assert np.mean(ends["chance"]) > 0.4


def test_a_decision_costs_the_distance_and_a_little_for_the_torque(episodes) -> None:
    seen = np.asarray(episodes.reset(5)[0])
    seat = episodes.step([[0.5, -1.0]])[0]
    away = float(np.linalg.norm(seen[8:10]))
    assert seat.reward == pytest.approx(-away - 0.01 * 1.25, abs=1e-5)


def test_the_shipped_policy_arrives_and_stays(episodes) -> None:
    agent = episodes.agents[0].agent
    agent.toggle_policy()
    policy = agent.trained_policy
    away = []
    for seed in range(40, 50):
        observation = np.asarray(episodes.reset(seed)[0])
        while not (seat := episodes.step([policy.act(observation)])[0]).is_done:
            observation = np.asarray(seat.observation)
        away.append(float(np.linalg.norm(observation[8:10])))
    agent.toggle_policy()
    assert agent.trained_policy is None
    assert np.median(away) < 0.1


def test_the_card_of_the_shipped_policy_says_how_it_was_made_beside_controls() -> None:
    card = load_policy(POLICY).card
    assert card == json.loads(POLICY.with_suffix(".json").read_text("utf-8"))
    assert POLICY.stat().st_size <= 200_000
    frozen = card["frozen"]
    assert frozen["trained"]["mean"] > -60 > frozen["untrained"]["mean"]
    assert frozen["random"]["mean"] < -100

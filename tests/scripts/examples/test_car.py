"""The car: its track, its rays, its driver, and what an episode is worth."""

from __future__ import annotations

import json
import math
from importlib import import_module

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
from sim.app.app import App
from sim.testing import run_options

SCENE = SHIPPED_ROOT / "scenes" / "car.scene.json"
car = import_module("scripts.examples.car")


def drive(episodes, choose, decisions, seed=1):
    """Return the seat after so many decisions, or where the episode ended."""
    observation = episodes.reset(seed)[0]
    for _ in range(decisions):
        action = choose(episodes.agents[0].agent, np.asarray(observation))
        seat = episodes.step([np.asarray(action, np.float32)])[0]
        observation = seat.observation
        if seat.is_done:
            break
    return seat


def test_the_rays_measure_the_walls_alone(episodes) -> None:
    for seed in (1, None, None):
        episodes.reset(seed)
        agent = episodes.agents[0].agent
        agent.x, agent.y = agent.track.middle[agent.place].tolist()
        ahead = agent.track.direction(agent.place)
        agent.heading = math.atan2(ahead[1], ahead[0])
        agent.stand()
        free = agent.rays.read()
        across = (free[0] + free[-1]) * agent.rays.distance * math.cos(math.radians(5.0))
        assert across == pytest.approx(car.WIDTH - 0.18, abs=0.35)


def test_its_driver_goes_round_and_chance_or_a_brick_on_the_pedal_do_not(episodes) -> None:
    driven = drive(episodes, lambda agent, seen: agent.decide(seen), 420)
    assert not driven.is_done
    assert driven.agent.laps == 1
    assert driven.total > 12
    full = drive(episodes, lambda agent, seen: [0.0, 1.0], 420)
    assert full.is_done
    assert not full.is_truncated
    assert full.total < 2


def test_a_metre_along_is_worth_a_tenth_and_back_nothing(episodes) -> None:
    observation = episodes.reset(4)[0]
    agent = episodes.agents[0].agent
    begun = agent.way
    total = 0.0
    for _ in range(60):
        seat = episodes.step([np.asarray(agent.decide(np.asarray(observation)), np.float32)])[0]
        observation, total = seat.observation, total + seat.reward
    whole = agent.track.length
    assert total == pytest.approx(0.1 * ((agent.way - begun) % whole), abs=1e-6)
    assert 0.0 <= observation[9] <= 1.0
    assert abs(observation[10]) <= 1.0


def test_it_turns_as_a_bicycle_does(episodes) -> None:
    episodes.reset(1)
    agent = episodes.agents[0].agent
    agent.x = agent.y = agent.heading = 0.0
    agent.speed, agent.steering, agent.wanted = 4.0, math.radians(20.0), (20.0 / 32.0, 0.0)
    places = []
    for _ in range(40):
        agent.fixed_update(0.002)
        agent.speed = 4.0
        places.append((agent.x, agent.y))
    turned = -agent.heading
    assert turned == pytest.approx(0.08 * 4.0 * math.tan(math.radians(20.0)) / car.LENGTH, rel=1e-3)
    assert places[-1][1] < 0, "to the right"


def test_the_shipped_policy_drives_round_without_a_touch_and_faster_than_the_script() -> None:
    app = App(run_options(scene=SCENE, headless=True, graphics=False, seconds=1e6, seed=3))
    app.frame()
    (driver,) = [slot.instance for slot in app.scene.components() if slot.class_name == "Car"]
    driver.toggle_policy()
    while not len(app.world.metrics.series("return")[1]):
        app.frame()
    (total,) = app.world.metrics.series("return")[1].tolist()
    driver.toggle_policy()
    assert driver.trained_policy is None
    app.close()
    assert total > 30.0, "the script's own driver gets 24"


def test_the_card_of_the_shipped_policy_says_how_it_was_made_beside_controls() -> None:
    path = SHIPPED_ROOT / "assets" / "policies" / "car.npz"
    card = load_policy(path).card
    assert card == json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert path.stat().st_size <= 200_000
    assert card["command"].startswith("python main.py train ppo --scene scenes/car.scene.json")
    frozen = card["frozen"]
    assert frozen["episodes"] == 100
    assert frozen["trained"]["mean"] > 30.0
    assert max(frozen[name]["mean"] for name in ("untrained", "random")) < 5.0

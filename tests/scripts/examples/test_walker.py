"""The walker: what it sees, what a metre is worth, and who gets anywhere."""

from __future__ import annotations

import json
from importlib import import_module

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
from sim.app.app import App
from sim.testing import run_options

SCENE = SHIPPED_ROOT / "scenes" / "walker.scene.json"
walker = import_module("scripts.examples.walker")
STANDING = [0.0, -1.0, 0.0, -1.0, 0.0]


def walk(episodes, choose, decisions=60, seed=1):
    """Return the seats' rewards and observations of an episode's first decisions."""
    observation, rewards, seen = episodes.reset(seed)[0], [], []
    for _ in range(decisions):
        action = choose(episodes.agents[0].agent, observation)
        seat = episodes.step([np.asarray(action, np.float32)])[0]
        observation = seat.observation
        rewards.append(seat.reward)
        seen.append(np.asarray(observation))
        if seat.is_done:
            break
    return np.array(rewards), np.array(seen)


def test_each_episode_begins_where_it_stands_at_a_beat_of_its_own(episodes) -> None:
    begun = []
    for seed in (1, None, None):
        seen = np.asarray(episodes.reset(seed)[0])
        assert seen[2:7] == pytest.approx([0, 0, 1, 0, 0], abs=1e-5)
        assert not seen[7:29].any(), "it rests"
        assert np.hypot(*seen[:2]) == pytest.approx(1.0, abs=1e-6)
        begun.append(seen.tolist())
        for _ in range(4):
            episodes.step([np.ones(5, np.float32)])
    assert len({tuple(item[:2]) for item in begun}) == 3
    assert begun[0] == np.asarray(episodes.reset(1)[0]).tolist()


def test_it_stands_on_four_feet_where_nothing_is_asked_of_it(episodes) -> None:
    rewards, seen = walk(episodes, lambda agent, observation: STANDING, 20)
    assert abs(rewards.sum()) < 0.1
    assert seen[-1][4] > 0.99
    assert seen[-1][29:].tolist() == [1, 1, 1, 1]
    assert np.abs(seen[-1][13:29]).max() < 0.05


def test_its_trot_goes_ahead_and_chance_does_not(episodes) -> None:
    walk(episodes, lambda agent, observation: agent.decide(observation))
    agent = episodes.agents[0].agent
    assert agent.x > 1.2
    assert abs(agent.y) < 0.5
    rng = np.random.default_rng(2)
    walk(episodes, lambda agent, observation: rng.uniform(-1, 1, 5))
    assert episodes.agents[0].agent.x < 0.8


def test_a_metre_ahead_is_worth_one_and_jerks_and_the_side_cost(episodes) -> None:
    places, actions = [(0.0, 0.0)], [np.zeros(5)]

    def choose(agent, observation):
        actions.append(np.array([0.8, 0.2, 0.4, 0.2, 0.5 - len(actions) % 2]))
        return actions[-1]

    rewards, _ = walk(episodes, choose, 1)
    agent = episodes.agents[0].agent
    for _ in range(7):
        places.append((agent.x, agent.y))
        action = choose(agent, None)
        rewards = np.append(rewards, episodes.step([action.astype(np.float32)])[0].reward)
    places.append((agent.x, agent.y))
    ahead, aside = np.diff(np.array(places), axis=0).T
    changes = np.square(np.diff(np.array(actions), axis=0)).sum(axis=1)
    whole = ahead - walker.JERK * changes
    assert (rewards <= whole - walker.ASIDE * np.abs(aside) + 1e-5).all(), "there and back counts"
    assert rewards == pytest.approx(whole, abs=0.02)


def test_a_longer_stride_to_the_right_turns_it_to_the_left(episodes) -> None:
    ends = {}
    for turn in (-1.0, 1.0):
        _, seen = walk(episodes, lambda agent, observation, turn=turn: [0.5, 0, 0.5, 0, turn], 50)
        ends[turn] = seen[-1][5]
    assert ends[1.0] - ends[-1.0] > 0.1, ends


def test_a_fall_costs_and_ends_the_episode(episodes) -> None:
    episodes.reset(1)
    agent = episodes.agents[0].agent
    agent.object.transform.position = (0.0, 0.0, walker.LOWEST - 0.1)
    seat = episodes.step([np.asarray(STANDING, np.float32)])[0]
    assert seat.is_done
    assert not seat.is_truncated
    assert seat.reward < 0.5 - walker.FALL
    assert np.asarray(episodes.reset()[0])[4] == pytest.approx(1.0, abs=1e-5), "it stands again"


def test_learners_have_no_parts_that_are_only_looked_at(episodes) -> None:
    assert not [obj for obj in episodes.world.scene.objects.values() if obj.name == "Part"]


def test_the_shipped_policy_outwalks_the_trot() -> None:
    app = App(run_options(scene=SCENE, headless=True, graphics=False, seconds=1e6, seed=3))
    app.frame()
    (agent,) = [slot.instance for slot in app.scene.components() if slot.class_name == "Walker"]
    agent.toggle_policy()
    for _ in range(240):
        app.frame()
    metres, aside = agent.x, agent.y
    agent.toggle_policy()
    assert agent.trained_policy is None
    app.close()
    assert metres > 4.5, "the trot comes 3.4 m far in these six seconds"
    assert abs(aside) < 0.8


def test_the_card_of_the_shipped_policy_says_how_it_was_made_beside_controls() -> None:
    path = SHIPPED_ROOT / "assets" / "policies" / "walker.npz"
    card = load_policy(path).card
    assert card == json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert path.stat().st_size <= 200_000
    assert card["command"].startswith("python main.py train ppo --scene scenes/walker.scene.json")
    frozen = card["frozen"]
    assert frozen["episodes"] >= 20
    assert frozen["trained"]["mean"] > 15.0, "the trot gets 10.8"
    assert max(frozen[name]["mean"] for name in ("untrained", "random")) < 1.0

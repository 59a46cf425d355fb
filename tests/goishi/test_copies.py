"""Environments that are pickled and copied, at rest and in the middle of an episode."""

from __future__ import annotations

import copy
import logging
import pickle
from typing import Any

import numpy as np
import pytest

import goishi
from base.files import SHIPPED_ROOT
from tests.goishi.conftest import AGENT, CART_POLE

STATED = (
    AGENT
    + """
    def save_state(self):
        return self.x

    def load_state(self, state):
        self.x = state
"""
)
WAYS = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


def played(env: Any, actions: list[dict[str, Any]]) -> list[Any]:
    """Return what an environment of several agents answers to some actions."""
    return [env.step(action) for action in actions]


@pytest.mark.parametrize("way", WAYS, ids=["copied", "pickled"])
def test_an_environment_of_several_agents_can_be_copied(scene_of, opened, way) -> None:
    scene = scene_of(AGENT, count=2)
    env = opened(goishi.make, scene)
    twin = opened(way, env)
    assert twin.possible_agents == env.possible_agents
    assert twin.observation_spaces == env.observation_spaces
    first, second = env.reset(seed=3)[0], twin.reset(seed=3)[0]
    assert all((first[name] == second[name]).all() for name in first)


@pytest.mark.parametrize("way", WAYS, ids=["copied", "pickled"])
def test_a_copy_goes_on_with_the_episode_where_scripts_declare_their_state(
    scene_of, opened, way
) -> None:
    env = opened(goishi.make, scene_of(STATED, count=2))
    env.reset(seed=5)
    actions = [dict.fromkeys(env.agents, number % 2) for number in range(12)]
    played(env, actions[:7])
    twin = opened(way, env)
    assert twin.agents == env.agents
    for mine, others in zip(played(env, actions), played(twin, actions), strict=True):
        assert str(mine) == str(others)
    assert twin.reset()[0].keys() == env.reset()[0].keys()
    assert str(twin.reset()) == str(env.reset()), "and with the randomness of the scripts"


def test_a_copy_of_a_scene_without_states_must_be_reset_and_says_why(
    scene_of, opened, caplog
) -> None:
    env = opened(goishi.make, scene_of(AGENT))
    env.reset(seed=1)
    env.step(1)
    with caplog.at_level(logging.WARNING, "goishi"):
        twin = opened(copy.deepcopy, env)
    assert "a copy begins a new episode" in caplog.text
    assert "Walker" in caplog.text
    with pytest.raises(goishi.ResetNeededError):
        twin.step(1)
    env.step(1)


def test_the_shipped_cart_keeps_its_episode_in_a_copy_of_a_copy(opened) -> None:
    env = opened(goishi.make, CART_POLE)
    env.reset(seed=2)
    for action in (0, 1, 1):
        env.step(action)
    twin = opened(copy.deepcopy, opened(copy.deepcopy, env))
    for action in (1, 0, 1, 0):
        mine, others = env.step(action), twin.step(action)
        assert (mine[0] == others[0]).all()
        assert mine[1:4] == others[1:4]
    env.close()
    assert copy.deepcopy(env).reset(seed=1)[0].shape == (4,), "a copy of a closed one is open"


def test_a_game_is_copied_with_its_moves(tmp_path) -> None:
    othello = goishi.make_game("othello", project=SHIPPED_ROOT / "docs/projects/othello")
    for game in (goishi.make_game("gomoku"), othello):
        game.reset()
        rng = np.random.default_rng(0)
        for _ in range(9):
            mask = game.observe(game.agent_selection)["action_mask"]
            game.step(int(rng.choice(np.flatnonzero(mask))))
        for way in WAYS:
            twin = way(game)
            assert twin.agent_selection == game.agent_selection
            assert twin.position.moves == game.position.moves
            mask = game.observe(game.agent_selection)["action_mask"]
            twin.step(int(np.flatnonzero(mask)[0]))
            assert len(twin.position.moves) == len(game.position.moves) + 1

"""Every shipped environment passes Gymnasium's and PettingZoo's own checks."""

from __future__ import annotations

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import goishi
from goishi.registration import SCENES

INFINITE = "ignore:.*Box observation space (minimum|maximum) value is -?infinity:UserWarning"
pytestmark = [
    pytest.mark.filterwarnings(INFINITE),
    pytest.mark.filterwarnings("ignore:Observation:UserWarning"),  # a board with a mask is a dict
    pytest.mark.filterwarnings("ignore:We recommend agents to be named:UserWarning"),
]
RATES = {"goishi/CartPole-v0": 50, "goishi/Pendulum-v0": 20, "goishi/Car-v0": 10,
         "goishi/Reacher-v0": 20, "goishi/Walker-v0": 20, "goishi/BallTracker-v0": 10}  # fmt: skip
"""Decisions a second of scene time."""
DRAWN = "goishi/BallTracker-v0"
EACH = [pytest.param(name, marks=[pytest.mark.nightly] * (name == DRAWN)) for name in SCENES]
"""The shipped environments; one that draws in a process of its own takes its time."""
GAMES = ("tic-tac-toe", "connect-four", "gomoku")


@pytest.mark.parametrize("name", EACH)
def test_a_shipped_environment_passes_gymnasiums_check(name, opened) -> None:
    environment = opened(gymnasium.make, name).unwrapped
    check_env(environment, skip_render_check=True)
    assert environment.metadata["render_fps"] == RATES[name]


@pytest.mark.parametrize("name", EACH)
def test_the_same_seed_is_the_same_episode(name, opened) -> None:
    one, two = (opened(gymnasium.make, name) for _ in range(2))
    one.action_space.seed(0)
    for seed in (3, 4, 3):
        assert (one.reset(seed=seed)[0] == two.reset(seed=seed)[0]).all()
        for _ in range(30):
            action = one.action_space.sample()
            told, other = one.step(action), two.step(action)
            assert told[0].tolist() == other[0].tolist()
            assert told[1:] == other[1:]
            if told[2]:
                assert (one.reset()[0] == two.reset()[0]).all()
    assert (one.reset(seed=3)[0] != one.reset(seed=4)[0]).any()


@pytest.mark.parametrize("name", GAMES)
def test_a_game_passes_pettingzoos_check(name, opened) -> None:
    api_test(opened(goishi.make_game, name), num_cycles=30)


def test_a_game_of_the_same_moves_is_the_same(opened) -> None:
    seed_test(lambda: goishi.make_game("tic-tac-toe"), num_cycles=20)


def test_a_scene_of_several_agents_passes_pettingzoos_checks(scene_of, opened) -> None:
    scene = scene_of(count=3, fields={"team": "red"})
    environment = opened(goishi.make, scene)
    assert isinstance(environment, goishi.SceneParallelEnv)
    assert environment.possible_agents == ["agent_0", "agent_1", "agent_2"]
    assert environment.teams == dict.fromkeys(environment.possible_agents, "red")
    parallel_api_test(environment, num_cycles=60)
    parallel_seed_test(lambda: opened(goishi.make, scene), num_cycles=20)


def test_the_ball_game_passes_pettingzoos_checks(opened) -> None:
    scene = "scenes/ball_game.scene.json"
    environment = opened(goishi.make, scene)
    parallel_api_test(environment, num_cycles=30)
    parallel_seed_test(lambda: opened(goishi.make, scene), num_cycles=10)


def test_every_shipped_scene_with_an_agent_is_registered() -> None:
    from base.files import SHIPPED_ROOT

    with_agent = {
        path.name.partition(".")[0]
        for path in (SHIPPED_ROOT / "scenes").glob("*.scene.json")
        if any(f"scripts.examples.{name}:" in path.read_text("utf-8") for name in agents())
    }
    others = {"cart_pole_ppo", "ball_game"}  # cart_pole, watched; several agents: goishi.make
    assert with_agent - others == set(SCENES.values())


def agents() -> set[str]:
    """The example scripts that hold an agent."""
    from base.files import SHIPPED_ROOT

    files = (SHIPPED_ROOT / "scripts" / "examples").rglob("*.py")
    return {path.stem for path in files if "(Agent)" in path.read_text("utf-8")}

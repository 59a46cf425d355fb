"""The ball game: goals count, both teams see the same game, and its script beats chance."""

from __future__ import annotations

import json
from importlib import import_module

import numpy as np
import pytest

import goishi
from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
from sim import RigidBody

SCENE = SHIPPED_ROOT / "scenes" / "ball_game.scene.json"
POLICY = SHIPPED_ROOT / "assets" / "policies" / "ball_game.npz"
game = import_module("scripts.examples.ball_game")
STILL = [[0.0, 0.0]] * 4


def shot(episodes, x: float, speed: float, y: float = 0.0):
    """Let the ball roll along x while everyone stands in a corner; return the seats at the end."""
    agent = episodes.agents[0].agent
    for number, seat in enumerate(episodes.agents):
        game.put(seat.agent.object, (-2.0 * number, 3.8), 0.26)
    game.put(agent.ball, (x, y), 0.35)
    agent.ball.get(RigidBody).velocity = (speed, 0.0, 0.0)
    for _ in range(30):
        if all(seat.is_done for seat in episodes.step(STILL)):
            break
    return episodes.agents


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_goal_ends_the_episode_and_is_worth_the_same_to_one_as_it_costs_the_other(
    episodes, side
) -> None:
    episodes.reset(1)
    seats = shot(episodes, 3.0 * side, 9.0 * side)
    assert [seat.is_done and not seat.is_truncated for seat in seats] == [True] * 4
    assert [seat.info["score"] for seat in seats] == [side, side, -side, -side]
    assert [round(seat.reward / game.WON) for seat in seats] == [side, side, -side, -side]
    before = list(seats[0].agent.goals)
    episodes.reset()
    shot(episodes, 3.0, 9.0)
    assert seats[0].agent.goals == [before[0] + 1, before[1]]


def test_beside_the_goal_the_ball_stays_on_the_pitch(episodes) -> None:
    episodes.reset(2)
    seats = shot(episodes, 3.0, 9.0, y=-3.0)
    assert not any(seat.is_done for seat in seats)
    x, y = game.place_of(seats[0].agent.ball)
    assert abs(x) < game.HALF
    assert abs(y) < 4.5


def test_both_teams_see_the_game_as_if_they_played_the_same_way(episodes) -> None:
    episodes.reset(3)
    red, blue = (episodes.agents[number].agent for number in (0, 2))
    for agent, side in ((red, 1.0), (blue, -1.0)):
        game.put(agent.object, (-3.0 * side, 1.0 * side), 0.26)
        game.put(agent.mate, (-4.0 * side, -2.0 * side), 0.26)
    game.put(red.ball, (0.0, 0.0), 0.35)
    mine, its = np.array(red.observe()), np.array(blue.observe())
    assert mine == pytest.approx(its, abs=1e-5)
    assert mine[:6] == pytest.approx([-3.0, 1.0, 0.0, 0.0, 3.0, -1.0], abs=1e-5)
    assert mine[8:12] == pytest.approx([7.0, 0.0, -1.0, -3.0], abs=1e-5)
    assert mine[16:] == pytest.approx([3.0 - game.NEAR, -1.0, 1.0], abs=1e-5)
    assert episodes.agents[1].agent.observe()[18] == 0.0


def test_the_way_of_the_ball_and_to_the_ball_is_worth_a_tenth_a_metre(episodes) -> None:
    episodes.reset(4)
    agent = episodes.agents[0].agent
    game.put(agent.mate, (-6.0, 0.0), 0.26)
    worth = []
    for ball, me in ((0.0, -3.0), (0.0, -2.0), (1.0, -1.0)):
        game.put(agent.ball, (ball, 0.0), 0.35)
        game.put(agent.object, (me, 0.0), 0.26)
        worth.append(agent.worth())
    assert worth[1] - worth[0] == pytest.approx(0.1)
    assert worth[2] - worth[1] == pytest.approx(0.1)


@pytest.mark.nightly
@pytest.mark.parametrize("who", ["script", "policy"])
def test_its_script_and_its_policy_beat_chance(episodes, who) -> None:
    rng, scores = np.random.default_rng(4), []
    policy = load_policy(POLICY)
    for seed in (4, *[None] * 15):
        episodes.reset(seed)
        while not all(seat.is_done for seat in episodes.agents):
            episodes.step([
                rng.uniform(-1, 1, 2) if seat.agent.team != "red"
                else seat.agent.decide(seat.observation) if who == "script"
                else policy.act(seat.observation) for seat in episodes.agents
            ])  # fmt: skip
        scores.append(episodes.agents[0].info["score"])
    assert np.mean(scores) > 0.5


def test_its_key_lets_the_red_team_play_the_shipped_policy_and_the_script_again(episodes) -> None:
    leader, mate, *blue = [seat.agent for seat in episodes.agents]
    leader.toggle_policy()
    assert (leader.policy_file, mate.policy_file) == (game.POLICY, game.POLICY)
    assert all(agent.policy_file == "" for agent in blue)
    assert leader.trained_policy is not None
    leader.toggle_policy()
    assert (leader.policy_file, mate.policy_file) == ("", "")


def test_the_card_of_the_shipped_policy_says_how_it_was_made_beside_controls() -> None:
    card = load_policy(POLICY).card
    assert card == json.loads(POLICY.with_suffix(".json").read_text("utf-8"))
    assert POLICY.stat().st_size <= 200_000
    assert card["command"].startswith(
        "python main.py train ppo --scene scenes/ball_game.scene.json"
    )
    matches = card["frozen"]["matches"]
    assert matches["trained against random"]["won"] > matches["script against random"]["won"]
    assert matches["untrained against random"]["won"] == 0.0
    against = matches["trained against script"]
    assert against["won"] >= 1.0 - against["won"] - against["drawn"], "no worse than its script"


def test_it_is_a_parallel_environment_of_two_teams() -> None:
    env = goishi.make(SCENE)
    assert env.teams == {"Red 1": "red", "Red 2": "red", "Blue 1": "blue", "Blue 2": "blue"}
    seen, _ = env.reset(seed=5)
    assert {name: row.shape for name, row in seen.items()} == dict.fromkeys(env.agents, (19,))
    env.close()

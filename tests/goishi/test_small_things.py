"""Environments: what is said after the end, without a screen, and by name; sizes and rules of games."""

from __future__ import annotations

import json
import os

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import goishi
from base.files import SHIPPED_ROOT
from goishi.registration import MOST_STEPS, SCENES
from sim.core.files.scene_file import load
from tests.goishi.conftest import AGENT, CART_POLE


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("method", ["reset", "step", "render"])
def test_a_closed_environment_says_so(scene_of, opened, count, method) -> None:
    env = opened(goishi.make, scene_of(AGENT, count=count))
    env.reset(seed=1)
    env.close()
    arguments = {"step": [dict.fromkeys(env.agents, 1) if count == 2 else 1]}.get(method, [])
    with pytest.raises(goishi.UsageError, match=f"{method}: expected an open environment, found a"):
        getattr(env, method)(*arguments)


@pytest.mark.parametrize("method", ["judge", "compute_reward", "observe", "act", "reset"])
def test_an_error_is_told_where_it_is(scene_of, opened, method) -> None:
    script = AGENT.replace("compute_reward", method if method == "judge" else "compute_reward")
    head, mark, rest = script.partition(f"def {method}(")
    signature, _, rest = rest.partition(":\n")
    scene = scene_of(f"{head}{mark}{signature}:\n        raise OSError('gone')\n{rest}")
    env = opened(goishi.make, scene)
    expected = rf"Walker\.{method}  scripts/a\.py:\d+ .*gone"
    if method in ("reset", "observe"):
        with pytest.raises(goishi.WorldError, match=expected):
            env.reset(seed=1)
        return
    env.reset(seed=1)
    with pytest.raises(goishi.WorldError, match=expected):
        env.step(1)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"model": {"builtin": "cone"}}, r"More: model: expected one of .*found 'cone'"),
        ({"model": {"builtin": "box", "edge": 2}}, r"More: model: expected the keys size.*'edge'"),
        (
            {"components": {"cmp_more": {"type": "sim:Gravity", "fields": {"value": [0, 0, -2]}}}},
            r"Gravity\.value: expected a field of Gravity \(acceleration\), found 'value'",
        ),
    ],
)
def test_nobody_learns_in_another_world_than_was_meant(scene_of, more, told) -> None:
    path = scene_of(AGENT)
    data = json.loads(path.read_text())
    data["objects"]["obj_more"] = {"name": "More", **more}
    path.write_text(json.dumps(data))
    with pytest.raises(goishi.WorldError, match=told):
        goishi.make(path)


def test_a_window_without_a_screen_is_one_line(monkeypatch) -> None:
    if not os.sys.platform.startswith("linux"):
        pytest.skip("only Linux may have no screen")
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(goishi.UsageError, match="render_mode human: expected a screen, found: no"):
        goishi.make(CART_POLE, render_mode="human")


def test_shipped_environments_are_made_by_their_ids_and_say_how_long_they_last(opened) -> None:
    env = opened(goishi.make, "goishi/CartPole-v0")
    assert env.spec.max_episode_steps == 500
    assert opened(gymnasium.make, "goishi/CartPole-v0").spec.max_episode_steps == 500
    assert goishi.make_vec("goishi/CartPole-v0", 2).num_envs == 2
    with pytest.raises(
        goishi.UsageError, match=r"or an id such as goishi/CartPole-v0, found goishi/X"
    ):
        goishi.make("goishi/X-v0")
    for scene in SCENES.values():
        fields = str(load(SHIPPED_ROOT / "scenes" / f"{scene}.scene.json").data)
        assert f"'most_decisions': {MOST_STEPS[scene]}" in fields


def test_a_scene_without_a_limit_has_none(scene_of, opened) -> None:
    assert opened(goishi.make, scene_of(AGENT)).spec.max_episode_steps is None


def test_a_game_may_have_another_size_and_rule() -> None:
    game = goishi.make_game("gomoku", size=9, rule="renju")
    game.reset()
    assert game.observe("black")["observation"].shape == (9, 9, 2)
    assert game.position.rules.rule == "renju"
    for wrong, said in (
        ({"size": 99}, "gomoku: size: expected an int from 3 to 22, found 99"),
        ({"rule": "go"}, "gomoku: rule: expected one of freestyle, standard, renju, caro; found"),
        ({"size": "9"}, "gomoku: size: expected an int"),
    ):
        with pytest.raises(goishi.UsageError, match=said):
            goishi.make_game("gomoku", **wrong)
    othello = SHIPPED_ROOT / "docs/projects/othello"
    assert goishi.make_game("othello", project=othello, size=6).possible_agents
    with pytest.raises(goishi.UsageError, match="othello: expected a game with rule, found"):
        goishi.make_game("othello", project=othello, rule="renju")


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
@pytest.mark.parametrize("size", [5, 7])
def test_every_rule_is_played_to_its_end(rule, size) -> None:
    rng = np.random.default_rng(size)
    for _ in range(12):
        game = TerminateIllegalWrapper(goishi.make_game("gomoku", size=size, rule=rule), -1)
        game.reset()
        for agent in game.agent_iter(200):
            seen, _, ended, cut, _ = game.last()
            legal = np.flatnonzero(seen["action_mask"])
            assert len(legal) > 0 or ended or cut, agent
            game.step(None if ended or cut else int(rng.choice(legal)))
        assert game.agents == []

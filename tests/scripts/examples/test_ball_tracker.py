"""The ball tracker: its reward is where the ball stands in its picture, and that suffices."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from base.policies.policy import load_policy
from sim.app.world import open_unseen
from sim.core.files.scene_file import load

SCENE = SHIPPED_ROOT / "scenes" / "ball_tracker.scene.json"
tracker = import_module("scripts.examples.ball_tracker")
POLICY = SHIPPED_ROOT / tracker.POLICY


@pytest.fixture
def agent(tmp_path):
    world = open_unseen(load(SCENE), SCENE, 3, tmp_path)
    world.awake()
    (found,) = (slot.instance for slot in world.scene.components() if slot.id == "cmp_tracker001")
    found.reset(np.random.default_rng(2))
    yield found
    world.close()


def test_the_middle_is_worth_one_and_the_edge_nothing(agent) -> None:
    across, up = agent.away()
    agent.turn += across
    agent.tilt += up
    agent.stand()
    assert agent.away() == pytest.approx((0.0, 0.0), abs=1e-4)
    for degrees, worth in ((0.0, 1.0), (15.0, 0.5), (30.0, 0.0), (90.0, 0.0)):
        agent.turn += degrees
        agent.compute_reward()
        assert agent.reward == pytest.approx(worth, abs=1e-3)
        agent.turn -= degrees


def test_the_motors_turn_it_left_and_up_and_the_tilt_has_ends(agent) -> None:
    turn, tilt = agent.turn, agent.tilt
    agent.act(np.array([1.0, 0.5]))
    agent.fixed_update(0.1)
    assert (agent.turn - turn, agent.tilt - tilt) == pytest.approx((9.0, 4.5))
    agent.act(np.array([0.0, 1.0]))
    for _ in range(20):
        agent.fixed_update(0.1)
    assert agent.tilt == tracker.TILTS[1]


@pytest.mark.parametrize(("column", "row", "signs"), [(4, 4, (1, 1)), (28, 28, (-1, -1))])
def test_its_script_turns_to_what_is_orange(agent, column, row, signs) -> None:
    seen = np.full((32, 32, 3), 120, np.uint8)
    seen[row - 2 : row + 2, column - 2 : column + 2] = (240, 110, 30)
    action = agent.decide(seen)
    assert np.sign(action).tolist() == list(signs)
    assert agent.decide(np.full((32, 32, 3), 120, np.uint8)) == [0.4, 0.0], "it looks for it"


def test_without_a_picture_it_is_refused_in_one_line_only_where_it_is_read(agent) -> None:
    with pytest.raises(Exception, match=r"picture|graphics"):
        agent.observe()


DRAWN = """
import pathlib, numpy as np, goishi
env = goishi.make({scene!r})
from base.policies.policy import load_policy
policy = load_policy(pathlib.Path({policy!r}))
chance, script, trained = [], [], []
rng = np.random.default_rng(1)
for found, follows in ((chance, False), (script, True), (trained, False)):
    seen, _ = env.reset(seed=3)
    assert seen.shape == (32, 32, 3) and seen.dtype == np.uint8 and seen.std() > 5
    for _ in range(30):
        red, green, blue = np.moveaxis(seen.astype(float), 2, 0)
        rows, columns = np.nonzero((red > 120) & (red > 1.6 * green) & (red > 1.6 * blue))
        action = rng.uniform(-1, 1, 2)
        if follows and len(rows):
            action = np.clip(4 * (15.5 - np.array([columns.mean(), rows.mean()])) / 15.5, -1, 1)
        if found is trained:
            action = policy.act(seen)
        seen, reward, *_ = env.step(action.astype(np.float32))
        found.append(reward)
env.close()
envs = goishi.make_vec({scene!r}, 2)
first, _ = envs.reset(seed=3)
again, _ = envs.reset(seed=3)
assert first.shape == (2, 32, 32, 3) and (first == again).all() and (first[0] != first[1]).any()
envs.close()
print(np.mean(chance), np.mean(script), np.mean(trained))
"""


@pytest.mark.nightly
def test_its_pictures_come_by_themselves_and_are_enough() -> None:
    """No render mode is asked for: the scene is drawn in processes of its own."""
    done = subprocess.run(
        [sys.executable, "-c", DRAWN.format(scene=str(SCENE), policy=str(POLICY))],
        capture_output=True, text=True, check=False, cwd=SHIPPED_ROOT, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    chance, script, trained = map(float, done.stdout.split())
    assert script > 0.8
    assert trained > 0.65
    assert chance < script - 0.2


def test_its_key_lets_the_shipped_policy_look_and_the_script_again(agent) -> None:
    agent.toggle_policy()
    assert agent.policy_file == tracker.POLICY
    agent.toggle_policy()
    assert agent.policy_file == ""


def test_the_card_of_the_shipped_policy_says_how_it_was_made_beside_controls() -> None:
    card = load_policy(POLICY).card
    assert card == json.loads(POLICY.with_suffix(".json").read_text("utf-8"))
    assert POLICY.stat().st_size <= 200_000
    assert card["command"].startswith(
        "python main.py train ppo --scene scenes/ball_tracker.scene.json"
    )
    frozen = card["frozen"]
    assert frozen["trained"]["mean"] > 75.0, "its script gets 93.6, standing still 26.9"
    assert max(frozen[name]["mean"] for name in ("untrained", "random")) < 30.0

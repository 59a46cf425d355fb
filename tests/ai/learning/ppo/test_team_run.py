"""A training of several agents in a folder: it learns, plays its past, and survives a kill."""

from __future__ import annotations

import json

import pytest

from ai.learning.ppo import run
from ai.learning.ppo.agents import TeamPlan
from ai.learning.ppo.ppo import PpoSettings
from ai.learning.ppo.run import Plan, PolicyRun
from base.errors import UsageError
from base.policies.policy import load_policy
from base.storage.json_file import read_lines
from tests.ai.learning.ppo.seats import ACTS, TWO, Seats
from tests.ai.learning.ppo.test_run import Killed

SMALL = {"envs": 8, "horizon": 16, "hidden": 8, "rate": 0.05, "minibatches": 2}
STEPS = 6 * 128


def begun(out, policies="shared", report=lambda line: None, env=None, **given) -> PolicyRun:
    plan = Plan("seats", STEPS, 4, PpoSettings.of(ACTS, SMALL))
    teams = TeamPlan.of(policies, {}, is_self_play=policies == "shared")
    found = PolicyRun(plan, out, env or Seats(8, TWO), report, teams)
    found.prepare(**{"resume": False, **given})
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A training by self-play that nobody disturbed, with a checkpoint every two updates."""
    out = tmp_path_factory.mktemp("teams") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "EVERY", 2)
        found = begun(out)
        found.train()
        card = found.measure(8, command="so")
    return found, out, card


def test_self_play_wins_against_chance_and_the_card_says_the_controls(whole) -> None:
    _, out, card = whole
    matches = card["frozen"]["matches"]
    assert matches["trained against random"]["won"] > 0.9
    assert matches["script against random"]["won"] > 0.9
    assert matches["untrained against random"]["won"] < 0.9
    assert matches["trained against untrained"]["won"] > 0.8
    assert matches["trained against the pool"]["won"] > 0.1
    assert card["frozen"]["trained"]["mean"] > card["frozen"]["random"]["mean"] + 2.0
    assert (card["policies"], card["is_self_play"], card["agents"]) == (
        "shared", True, ["red 0", "blue 1"],
    )  # fmt: skip
    assert card == json.loads((out / "policy.json").read_text())
    lines = read_lines(out / "metrics.jsonl")
    assert all(0 < line["length"] <= 6 for line in lines), "an agent that waits lives no more"


def test_the_pool_holds_the_beginning_and_each_checkpoint(whole) -> None:
    one, out, _ = whole
    names = sorted(path.name for path in (out / "pool").iterdir())
    assert names == ["000000.npz", "000002.npz", "000004.npz", "000006.npz"]
    assert one._member(0).layers[0][0].tolist() == one._untrained[0].layers[0][0].tolist()
    last = load_policy(out / "pool" / "000006.npz")
    assert last.layers[0][0].tolist() == load_policy(out / "policy.npz").layers[0][0].tolist()


@pytest.mark.nightly
def test_a_training_that_was_killed_goes_on_with_the_same_numbers(
    whole, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(run, "EVERY", 2)
    _, out, _ = whole

    def kill(line) -> None:
        if line["update"] == 3:
            raise Killed

    with pytest.raises(Killed):
        begun(tmp_path, report=kill).train()
    with pytest.raises(UsageError, match="add --resume"):
        begun(tmp_path)
    begun(tmp_path, resume=True).train()
    assert (tmp_path / "metrics.jsonl").read_bytes() == (out / "metrics.jsonl").read_bytes()
    for name in ("000002.npz", "000006.npz"):
        assert (tmp_path / "pool" / name).read_bytes() == (out / "pool" / name).read_bytes()


@pytest.mark.nightly
def test_agents_with_other_spaces_learn_policies_of_their_own(tmp_path) -> None:
    one = begun(tmp_path, "agents", env=Seats(8, TWO, wide=(1,)))
    one.train()
    card = one.measure(8)
    for name, size in (("red_0", 3), ("blue_1", 4)):
        policy = load_policy(tmp_path / f"policy_{name}.npz")
        assert policy.mean.shape == (size,)
        assert policy.card["group"] == name.replace("_", " ")
    trained, chance = (card["frozen"][name]["policies"] for name in ("trained", "random"))
    assert trained["red 0"] > chance["red 0"] + 1.0
    assert trained["blue 1"] > chance["blue 1"] + 0.5
    assert set(read_lines(tmp_path / "metrics.jsonl")[0]["policies"]) == {"red 0", "blue 1"}
    assert not (tmp_path / "pool").exists()

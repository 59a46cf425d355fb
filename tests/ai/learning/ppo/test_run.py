"""A training in a folder: killed anywhere, it goes on with the same numbers."""

from __future__ import annotations

import json

import pytest

from ai.learning.ppo import run
from ai.learning.ppo.ppo import PpoSettings
from ai.learning.ppo.run import Plan, PolicyRun
from base.errors import UsageError, WorkerLostError
from base.policies.policy import load_policy
from base.storage.json_file import read_lines
from tests.ai.learning.ppo.lights import WHOLE, Lights
from tests.ai.learning.ppo.test_ppo import SMALL

STEPS = 6 * 128


class Killed(BaseException):
    """As a kill: nothing is tidied up."""


def begun(out, report=lambda line: None, resume=False, seed=4, env=None, steps=STEPS) -> PolicyRun:
    plan = Plan("lights", steps, seed, PpoSettings.of(WHOLE, SMALL))
    found = PolicyRun(plan, out, env or Lights(), report)
    found.prepare(resume=resume)
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A training that nobody disturbed, with a checkpoint every two updates."""
    out = tmp_path_factory.mktemp("ppo") / "whole"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "EVERY", 2)
        found = begun(out)
        found.train()
        card = found.measure(8, command="so")
    return found, out, card


def test_a_training_that_was_killed_goes_on_with_the_same_numbers(
    whole, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(run, "EVERY", 2)
    _, out, _ = whole

    def kill(line) -> None:
        if line["update"] == 3:  # in the middle, after the checkpoint of update 2
            raise Killed

    with pytest.raises(Killed):
        begun(tmp_path, kill).train()
    assert len(read_lines(tmp_path / "metrics.jsonl")) == 3
    again = begun(tmp_path, resume=True)
    assert again.learner.done == 2
    again.train()
    assert (tmp_path / "metrics.jsonl").read_bytes() == (out / "metrics.jsonl").read_bytes()
    again.measure(8, command="so")
    names = ("mean", "deviation", "layers")
    one, other = (load_policy(folder / "policy.npz") for folder in (tmp_path, out))
    for name in names[:2]:
        assert (getattr(one, name) == getattr(other, name)).all()
    for mine, its in zip(one.layers, other.layers, strict=True):
        assert (mine[0] == its[0]).all()
        assert (mine[1] == its[1]).all()
    assert one.card["frozen"] == other.card["frozen"]


def test_a_training_that_was_killed_between_new_episodes_goes_on_with_the_same_numbers(
    tmp_path, monkeypatch
) -> None:
    """A checkpoint of each minute has the actions since the episodes began."""
    monkeypatch.setattr(run, "EVERY", 4)
    stepped: list[int] = []
    whole = begun(tmp_path / "whole")
    whole._stepped = stepped.append
    whole.train()
    assert stepped == list(range(4, STEPS + 1, 4)), "each step is told"
    monkeypatch.setattr(run, "SECONDS", 0.0)

    def kill(line) -> None:
        if line["update"] == 3:
            raise Killed

    with pytest.raises(Killed):
        begun(tmp_path / "cut", kill).train()
    again = begun(tmp_path / "cut", resume=True)
    assert again.learner.done == 2
    again.train(hours=1e-9)
    assert again.learner.done == 3, "the time limit counts after each update"
    again.train(hours=1e-9)
    begun(tmp_path / "cut", resume=True).train()
    metrics = [(tmp_path / name / "metrics.jsonl").read_bytes() for name in ("cut", "whole")]
    assert metrics[0] == metrics[1]


def test_a_scene_that_does_not_repeat_itself_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(run, "SECONDS", 0.0)
    begun(tmp_path).train(hours=1e-9)

    class Others(Lights):
        def begin(self, seed) -> None:
            super().begin(seed + 1)

    again = begun(tmp_path, resume=True, env=Others())
    again.train()
    assert [message[:48] for message in again.messages] == [
        "the scene did not play its episodes again as bef"
    ]


@pytest.mark.nightly
def test_a_worker_that_ends_costs_updates_that_are_repeated_with_the_same_numbers(
    whole, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(run, "EVERY", 2)
    one = begun(tmp_path, env=Lights(lost_at=32 * 3 + 5))
    one.train()
    assert one.messages == [
        "worker 1: expected an answer, found that it was killed; the last updates are repeated"
    ]
    _, out, _ = whole
    assert (tmp_path / "metrics.jsonl").read_bytes() == (out / "metrics.jsonl").read_bytes()
    monkeypatch.setattr(run, "MOST_LOST", 0)
    again = begun(tmp_path / "b", env=Lights(lost_at=5))
    with pytest.raises(WorkerLostError):
        again.train()


def test_the_card_says_how_it_fared_beside_the_controls(whole) -> None:
    _, out, card = whole
    assert card == json.loads((out / "policy.json").read_text())
    assert card == load_policy(out / "policy.npz").card
    assert (card["command"], card["seed"], card["learnt_steps"]) == ("so", 4, STEPS)
    frozen = card["frozen"]
    assert frozen["trained"]["mean"] > 7.0
    assert frozen["untrained"]["mean"] < 5.0
    assert frozen["random"]["mean"] < 4.0
    lines = read_lines(out / "metrics.jsonl")
    assert [line["steps"] for line in lines] == [128 * n for n in range(1, 7)]
    assert lines[0]["return"] < lines[-1]["return"]
    assert not any("seconds" in line for line in lines)


def test_folders_that_hold_something_else_are_refused(whole, tmp_path) -> None:
    _, out, _ = whole
    with pytest.raises(UsageError, match=r"found a training in .*; add --resume"):
        begun(out)
    with pytest.raises(UsageError, match=r"found another in .*: seed: 4, not 5"):
        begun(out, resume=True, seed=5)
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UsageError, match="expected an empty folder, found files in"):
        begun(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(UsageError, match="expected a training's folder, found"):
        begun(tmp_path, resume=True)


def test_a_finished_training_goes_on_with_more_steps(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(run, "EVERY", 4)
    begun(tmp_path, steps=2 * 128).train()
    with pytest.raises(UsageError, match=r"steps: 256, not 128"):
        begun(tmp_path, resume=True, steps=128)
    with pytest.raises(UsageError, match=r"seed: 4, not 5"):
        begun(tmp_path, resume=True, seed=5, steps=6 * 128)
    again = begun(tmp_path, resume=True, steps=6 * 128)
    assert again.learner.done == 2
    again.train()
    assert [line["update"] for line in read_lines(tmp_path / "metrics.jsonl")] == [1, 2, 3, 4, 5, 6]
    assert again.messages == ["went on from 256 to 768 steps"]
    stored = json.loads((tmp_path / "run.json").read_text())
    assert (stored["config"]["steps"], stored["extended"]) == (768, [256])
    assert begun(tmp_path, resume=True, steps=6 * 128).learner.done == 6
    begun(tmp_path, resume=True, steps=7 * 128).train()
    assert json.loads((tmp_path / "run.json").read_text())["extended"] == [256, 768]

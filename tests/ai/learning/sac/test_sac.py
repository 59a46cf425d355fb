"""SAC: a tiny problem is learnt, and would not be without its parts; its memory and its folder."""

from __future__ import annotations

import numpy as np
import pytest

from ai.learning.ppo import run
from ai.learning.ppo.agents import Players, TeamPlan, groups_of, settings_of
from ai.learning.ppo.method import SpaceError, collect
from ai.learning.ppo.run import Plan, PolicyRun, random_choice
from ai.learning.sac import sac
from ai.learning.sac.sac import SAC, Memory, Sac, SacSettings, check_spaces
from ai.store.checkpoints import CheckpointError
from base.policies.policy import load_policy, save_policy
from base.schema import OptionError
from tests.ai.learning.ppo.lights import ARRAYS, SEES, WHOLE, Lights, begin, returns_of
from tests.ai.learning.ppo.seats import TWO, Seats

SMALL = {"envs": 4, "horizon": 32, "start": 64, "hidden": 16, "batch_size": 32, "rate": 0.01,
         "gamma": 0.5, "updates": 1.0}  # fmt: skip
FREE = ("box", np.array([-np.inf], np.float32), np.array([1.0], np.float32), "float32")


def learner(folder, seed=1, **settings) -> Sac:
    return Sac(SEES, ARRAYS, SacSettings.of(ARRAYS, {**SMALL, **settings}), seed, folder)


def gained(choose, env) -> float:
    return float(np.mean(returns_of(choose, env, 40, 9))) / env.length


def taught(one: Sac, env: Lights, rounds: int) -> float:
    act = Players(env, groups_of(env, TeamPlan()), TeamPlan()).act
    begin(one, env, 3)
    for _ in range(rounds):
        (kept,) = collect([one], one.settings.horizon, act)
        one.update(kept)
    return gained(one.policy().best, env)


def test_it_learns_which_lamp_is_lit_and_the_controls_do_not(tmp_path) -> None:
    env, one = Lights(acts=ARRAYS), learner(tmp_path)
    untrained = gained(one.policy().best, env)
    assert taught(one, env, 8) > 0.7
    assert untrained < 0.4
    assert gained(random_choice(ARRAYS, 1), env) < 0.4
    save_policy(tmp_path / "p.npz", one.policy())
    played, seen = load_policy(tmp_path / "p.npz"), env.look()
    assert (played.best(seen) == one.policy().best(seen)).all()
    means = np.asarray(one._actor(played_rows(one, seen)))[:, :1]
    wanted = -2.0 + 2.0 * np.tanh(means)  # the bounds are -4 and 0
    assert np.allclose(played.best(seen), wanted, atol=1e-5), "NumPy plays what Keras has"


def played_rows(one: Sac, seen):
    return (seen - one._mean) / one._deviation


@pytest.mark.nightly
@pytest.mark.parametrize("broken", ["no step", "no rewards"])
def test_it_does_not_learn_without_its_parts(broken, tmp_path, monkeypatch) -> None:
    env, one = Lights(acts=ARRAYS), learner(tmp_path)
    if broken == "no step":
        monkeypatch.setattr(one, "_learn", lambda *given: np.zeros(5, np.float32))
    else:
        add = one.memory.add
        monkeypatch.setattr(one.memory, "add", lambda a, b, c, d, e: add(a, b, 0 * c, d, e))
    assert taught(one, env, 8) < 0.55


def test_densities_are_those_of_a_squashed_gaussian(tmp_path) -> None:
    """T. Haarnoja et al. (2018), equation 21, where it does not overflow."""
    one = learner(tmp_path)
    rows = np.eye(4, dtype=np.float32)
    noise = np.linspace(-2.0, 2.0, 4, dtype=np.float32)[:, None]
    actions, logs = (np.asarray(found) for found in one._drawn(rows, noise))
    found = np.asarray(one._actor(rows))
    deviation = np.exp(found[:, 1:])
    normal = -0.5 * noise**2 - np.log(deviation) - 0.5 * np.log(2.0 * np.pi)
    wide = found[:, :1] + deviation * noise
    assert np.allclose(actions, np.tanh(wide), atol=1e-6)
    assert np.allclose(logs, (normal - np.log(1.0 - np.tanh(wide) ** 2)).sum(1), atol=1e-4)


def test_the_memory_has_the_newest_steps_and_is_the_same_after_reading(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(sac, "BLOCK", 7)
    memory, states = Memory(20, 2, 1, tmp_path / "memory"), []
    for step in range(60):
        row = np.full((1, 1), step, np.float32)
        memory.add(np.tile(row, 2), row, row[0], np.tile(row, 2), row[0] > 100)
        if step % 5 == 4:
            states.append(memory.state())
            again = Memory(20, 2, 1, tmp_path / "memory")
            again.restore(states[-1])
            drawn = [one.sample(np.random.default_rng(step), (2, 50)) for one in (memory, again)]
            assert all((a == b).all() for a, b in zip(*drawn, strict=True))
            assert set(drawn[0][2].ravel().tolist()) <= set(range(max(step - 19, 0), step + 1))
            Memory(20, 2, 1, tmp_path / "memory").restore(states[-2 if step > 5 else -1])
    assert len(list((tmp_path / "memory").iterdir())) <= 5
    newest = max((tmp_path / "memory").iterdir())
    newest.write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match=newest.name):
        Memory(20, 2, 1, tmp_path / "memory").restore(states[-1])


class Killed(BaseException):
    """As a kill: nothing is tidied up."""


def begun(out, report=lambda line: None, resume=False) -> PolicyRun:
    plan = Plan("lights", 6 * 128, 4, SacSettings.of(ARRAYS, SMALL))
    found = PolicyRun(plan, out, Lights(acts=ARRAYS), report, method=SAC)
    found.prepare(resume=resume)
    return found


def test_a_training_that_was_killed_between_new_episodes_goes_on_with_the_same_numbers(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(run, "EVERY", 4)
    monkeypatch.setattr(sac, "BLOCK", 100)
    whole = begun(tmp_path / "whole")
    whole.train()
    card = whole.measure(8, command="so")
    assert card["learner"] == "sac"
    assert set(card["frozen"]) == {"episodes", "trained", "untrained", "random"}
    monkeypatch.setattr(run, "SECONDS", 0.0)

    def kill(line) -> None:
        if line["update"] == 3:  # the last checkpoint is that of update 2
            raise Killed

    with pytest.raises(Killed):
        begun(tmp_path / "cut", kill).train()
    again = begun(tmp_path / "cut", resume=True)
    assert again.learner.done == 2
    again.train()
    assert again.messages == []
    names = ("metrics.jsonl", "policy.npz")
    again.measure(8, command="so")
    for name in names[:1]:
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    states = [one.learner.state() for one in (again, whole)]
    assert all((states[0][name] == states[1][name]).all() for name in states[1])


@pytest.mark.parametrize(
    ("sees", "acts", "text"),
    [
        (SEES, WHOLE, r"actions: expected a flat Box .* found Discrete 4 from 5; train ppo learns"),
        (SEES, FREE, "actions: expected a Box with bounds, .*; train ppo learns actions without"),
        (
            ("box", np.zeros((16, 16, 1)), np.ones((16, 16, 1)), "uint8"),
            ARRAYS,
            "observations: expected a flat Box of float32, which SAC learns, .*; train ppo",
        ),
    ],
)
def test_spaces_that_cannot_be_learnt_are_named_and_ppo_with_them(sees, acts, text) -> None:
    with pytest.raises(SpaceError, match=text):
        check_spaces(sees, acts)


def test_several_agents_and_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SpaceError, match=r"agents: expected one, .* found 2; train ppo learns"):
        settings_of(Seats(1, TWO), "shared", {}, method=SAC)
    with pytest.raises(OptionError, match="memory: expected at least batch_size = 128, found 100"):
        SacSettings.of(ARRAYS, {"memory": 100})

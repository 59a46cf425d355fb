"""PPO: a tiny problem is learnt, and would not be without its parts; the formulas of the papers."""

from __future__ import annotations

import numpy as np
import pytest

from ai.learning.ppo import ppo
from ai.learning.ppo.method import SpaceError
from ai.learning.ppo.ppo import Ppo, PpoSettings, Rollout, RunningMoments, check_spaces
from ai.learning.ppo.run import random_choice
from base.policies.policy import actions_of, load_policy, save_policy
from base.schema import OptionError
from tests.ai.learning.ppo.lights import (
    ARRAYS,
    SEES,
    WHOLE,
    Lights,
    begin,
    returns_of,
    rollout_of,
)

SMALL = {"envs": 4, "horizon": 32, "hidden": 16, "rate": 0.01, "epochs": 4, "minibatches": 2}


def learner(acts=WHOLE, updates=8, seed=1, **settings) -> Ppo:
    return Ppo(SEES, acts, PpoSettings.of(acts, {**SMALL, **settings}), seed, updates)


def taught(one: Ppo, env: Lights) -> float:
    """Let it learn; return what its policy gains a step, frozen."""
    begin(one, env, 3)
    for _ in range(one.updates):
        one.update(rollout_of(one, env))
    return float(np.mean(returns_of(one.policy().best, env, 40, 9))) / env.length


@pytest.fixture(scope="module")
def trained() -> Ppo:
    return learner()


def test_it_learns_which_lamp_is_lit_and_the_controls_do_not(trained) -> None:
    env = Lights()
    untrained = np.mean(returns_of(trained.policy().best, env, 40, 9)) / env.length
    by_chance = np.mean(returns_of(random_choice(WHOLE, 1), env, 40, 9)) / env.length
    assert taught(trained, env) > 0.9
    assert untrained < 0.6
    assert 0.1 < by_chance < 0.4


@pytest.mark.nightly
def test_arrays_are_learnt_too_and_bounds_are_where_the_space_has_them() -> None:
    env, one = Lights(acts=ARRAYS), learner(ARRAYS, updates=60)
    untrained = np.mean(returns_of(one.policy().best, env, 40, 9)) / env.length
    by_chance = np.mean(returns_of(random_choice(ARRAYS, 1), env, 40, 9)) / env.length
    assert taught(one, env) > 0.6
    assert untrained < 0.4
    assert by_chance < 0.4


@pytest.mark.nightly
@pytest.mark.parametrize("broken", ["no step", "advantages turned", "no rewards"])
def test_it_does_not_learn_without_its_parts(broken, monkeypatch) -> None:
    if broken == "no step":
        monkeypatch.setattr(
            "ai.nets.optimizer._FusedAdam.update_step", lambda self, slope, weight, rate: None
        )
    elif broken == "advantages turned":
        right = ppo.advantages_of
        monkeypatch.setattr(ppo, "advantages_of", lambda *given: -right(*given))
    else:
        monkeypatch.setattr(
            ppo, "advantages_of", lambda rollout, *given: np.zeros_like(rollout.rewards)
        )
    assert taught(learner(), Lights()) < 0.6


def test_advantages_are_sums_of_discounted_errors_that_end_with_the_episode() -> None:
    """J. Schulman et al. (2016), equation 16, added up term by term."""
    rng = np.random.default_rng(2)
    steps, gamma, lam = 7, 0.9, 0.8
    rewards, values = rng.normal(size=(steps, 2)), rng.normal(size=(steps + 1, 2))
    ended, cut = np.zeros((steps, 2), bool), np.zeros((steps, 2), bool)
    ended[2, 0], cut[4, 1] = True, True
    nothing = np.zeros((steps, 2), np.float32)
    kept = Rollout(nothing, nothing, nothing, rewards, ended, ended | cut, ~ended, values, [], [])
    found = ppo.advantages_of(kept, gamma, lam)
    for row in range(2):
        for t in range(steps):
            whole, weight = 0.0, 1.0
            for later in range(t, steps):
                known = 0.0 if ended[later, row] else values[later + 1, row]
                whole += weight * (rewards[later, row] + gamma * known - values[later, row])
                weight *= gamma * lam
                if ended[later, row] or cut[later, row]:
                    break
            assert found[t, row] == pytest.approx(whole)


def test_what_is_learnt_from_is_what_was_lived_and_the_first_step_changes_nothing(trained) -> None:
    """The network's probabilities in the graph are those with which actions were drawn."""
    env = Lights()
    begin(trained, env, 5)
    rollout = rollout_of(trained, env)
    # every ninth step of a row only begins an episode
    assert rollout.valid.sum() == rollout.valid.size - np.sum(rollout.done[:-1])
    assert (rollout.rewards[~rollout.valid] == 0).all()
    assert all(0 <= value <= env.length for value in rollout.returns)
    rows = (rollout.observations[:-1].reshape(-1, 4) - trained._mean) / trained._deviation
    logs, _ = trained._log_probs(trained._actor(rows), rollout.raw.reshape(-1))
    assert np.allclose(logs, rollout.log_probs.reshape(-1), atol=1e-5)


class LitImages(Lights):
    """The lamps as pictures of 16 x 16 pixels: a quarter of each is lit."""

    def __init__(self, count=4):
        low = np.zeros((16, 16, 1), np.uint8)
        super().__init__(count, sees=("box", low, low + 255, "uint8"))

    def look(self):
        lit = super().look().argmax(1)
        found = np.zeros((self.count, 16, 16, 1), np.uint8)
        for row, lamp in enumerate(lit):
            y, x = divmod(int(lamp), 2)
            found[row, 8 * y : 8 * y + 8, 8 * x : 8 * x + 8] = 200
        return found


def test_images_are_learnt_from_and_played_by_the_same_network(tmp_path) -> None:
    env = LitImages()
    one = Ppo(*env.spaces[0], PpoSettings.of(WHOLE, {**SMALL, "rate": 0.005}), 1, 8)
    untrained = np.mean(returns_of(one.policy().best, env, 40, 9)) / env.length
    begin(one, env, 3)
    rollout = rollout_of(one, env)
    assert rollout.observations.dtype == np.uint8
    rows = rollout.observations[:-1].reshape(-1, 16, 16, 1) / np.float32(127.5) - 1.0
    logs, _ = one._log_probs(one._actor(rows), rollout.raw.reshape(-1))
    assert np.allclose(logs, rollout.log_probs.reshape(-1), atol=1e-5), "NumPy plays what Keras has"
    assert taught(one, env) > 0.9
    assert untrained < 0.6
    save_policy(tmp_path / "p.npz", one.policy())
    assert (tmp_path / "p.npz").stat().st_size < 200_000
    played = load_policy(tmp_path / "p.npz")
    seen = env.look()
    assert (played.best(seen) == one.policy().best(seen)).all()


def test_a_picture_of_any_size_is_one_small_policy() -> None:
    for side in (16, 32, 64):
        low = np.zeros((side, side, 3), np.uint8)
        one = Ppo(("box", low, low + 255, "uint8"), ARRAYS, PpoSettings.of(ARRAYS, {}), 1, 1)
        assert 4 * sum(weights.size for weights, _ in one.policy().layers) < 200_000


def test_the_same_seed_gives_the_same_numbers_and_a_state_goes_on_with_them(trained) -> None:
    env = Lights()
    state = trained.state()
    told = []
    for _ in range(2):
        trained.restore(state)
        begin(trained, env, 7)
        told.append(
            [
                trained.update(rollout_of(trained, env)),
                [w.tobytes() for w in trained.state().values()],
            ]
        )
    assert told[0] == told[1]
    assert told[0][1] != [w.tobytes() for w in state.values()]


def test_rate_and_clip_may_change_while_it_learns(trained) -> None:
    env = Lights()
    begin(trained, env, 7)
    before = [w.numpy() for w in trained._theta]
    trained.rate, trained.clip, trained.updates = 0.0, 0.3, 1000
    told = trained.update(rollout_of(trained, env))
    assert (told["rate"], told["clip"]) == (0.0, 0.3)
    assert all((a == b.numpy()).all() for a, b in zip(before, trained._theta, strict=True))


def test_running_moments_are_those_of_all_rows() -> None:
    rows = np.random.default_rng(1).normal(3.0, 2.0, (500, 2))
    moments = RunningMoments(2)
    for part in np.split(rows, [7, 100, 100, 350]):
        moments.add(part)
    assert np.allclose(moments.mean, rows.mean(0), atol=1e-4)
    assert np.allclose(moments.variance, rows.var(0), atol=1e-2)


def test_actions_of_a_box_are_between_its_bounds_and_free_ones_as_they_are() -> None:
    acts = ("box", np.array([-4, -np.inf], np.float32), np.array([0, 9.0], np.float32), "float32")
    raw = np.array([[0.0, 0.5], [1.0, 20.0], [-3.0, -20.0]], np.float32)
    assert actions_of(acts, raw).tolist() == [[-2.0, 0.5], [0.0, 9.0], [-4.0, -20.0]]


@pytest.mark.parametrize(
    ("sees", "acts", "text"),
    [
        (("dict", {}), WHOLE, "observations: expected a flat Box"),
        (
            ("box", np.zeros((20, 8, 3)), np.ones((20, 8, 3)), "uint8"),
            WHOLE,
            r"observations: expected images of 16 to 64 pixels a side, found Box \[20, 8, 3\]",
        ),
        (
            ("box", np.zeros((20, 20, 3)), np.ones((20, 20, 3)), "float32"),
            WHOLE,
            r"expected a flat Box of float32 or an image \[h, w, c\] of uint8, .* found Box \[20",
        ),
        (SEES, ("binary", 3), "actions: expected a Discrete or a flat Box"),
        (SEES, ("discrete", 5000, 0), "actions: expected 1 to 4096 numbers, found 5000"),
    ],
)
def test_spaces_that_cannot_be_learnt_are_named(sees, acts, text) -> None:
    with pytest.raises(SpaceError, match=text):
        check_spaces(sees, acts)


def test_a_setting_that_does_not_fit_is_refused() -> None:
    assert PpoSettings.of(ARRAYS, {}).epochs == 10
    assert PpoSettings.of(WHOLE, {"rate": "0.5"}).rate == 0.5
    with pytest.raises(OptionError, match="minibatches: expected at most"):
        PpoSettings.of(WHOLE, {"minibatches": 100, "horizon": 2})

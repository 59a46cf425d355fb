"""The adapter for Stable-Baselines3: its steps, ends of episodes, seeds and refusals.

By day a stand-in of a few lines takes the place of the package, with what the adapter uses of it.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import types

import numpy as np
import pytest

import goishi
from base.files import SHIPPED_ROOT
from tests.goishi.conftest import CART_POLE

PACKAGE = "stable_baselines3"
PENDULUM = CART_POLE.with_name("pendulum.scene.json")


class StandIn:
    """What the adapter uses of `stable_baselines3.common.vec_env.VecEnv`."""

    def __init__(self, num_envs, observation_space, action_space):
        self.num_envs = num_envs
        self.observation_space, self.action_space = observation_space, action_space
        self.reset_infos = [{} for _ in range(num_envs)]
        self._reset_seeds()
        self._reset_options()
        self.render_mode = self.get_attr("render_mode")[0]

    def _reset_seeds(self):
        self._seeds = [None] * self.num_envs

    def _reset_options(self):
        self._options = [{}] * self.num_envs

    def seed(self, seed):
        self._seeds = [seed + row for row in range(self.num_envs)]

    def step(self, actions):
        self.step_async(actions)
        return self.step_wait()

    def _get_indices(self, indices):
        return range(self.num_envs) if indices is None else np.atleast_1d(indices)


@pytest.fixture
def adapter(monkeypatch):
    """The class, on the package where it is there, or else on the stand-in."""
    if importlib.util.find_spec(PACKAGE) is None:
        names = (PACKAGE, f"{PACKAGE}.common", f"{PACKAGE}.common.vec_env")
        for name in names:
            module = types.ModuleType(name)
            module.__spec__ = importlib.util.spec_from_loader(name, None)
            module.VecEnv = StandIn
            monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "goishi.sb3", raising=False)
    yield importlib.import_module("goishi.sb3").Sb3VecEnv
    sys.modules.pop("goishi.sb3", None)


def test_episodes_begin_anew_in_the_step_that_ends_them(adapter) -> None:
    """The same actions in a vector whose episodes begin with the next step show the same."""
    envs = adapter(goishi.make_vec(CART_POLE, 3))
    plain = goishi.make_vec(CART_POLE, 3)
    envs.seed(5)
    seen = envs.reset()
    wanted, _ = plain.reset(seed=5)
    assert np.array_equal(seen, wanted)
    rng, ends = np.random.default_rng(2), 0
    for _ in range(120):
        actions = rng.integers(0, 2, 3)
        seen, rewards, done, infos = envs.step(actions)
        wanted, gained, terminated, truncated, _ = plain.step(actions)
        assert rewards.dtype == np.float32
        assert np.allclose(rewards, gained)
        assert (done == (terminated | truncated)).all()
        last = wanted.copy()
        if done.any():
            wanted, _ = plain.reset(options={"reset_mask": done})
        assert np.array_equal(seen, wanted)
        for row, info in enumerate(infos):
            assert info["TimeLimit.truncated"] is False
            assert ("terminal_observation" in info) == done[row]
            if done[row]:
                ends += 1
                assert np.array_equal(info["terminal_observation"], last[row])
                assert not np.array_equal(seen[row], last[row])
    assert ends > 5
    envs.close()
    plain.close()
    assert envs.envs.closed


def test_an_episode_that_is_cut_off_is_told(adapter) -> None:
    envs = adapter(goishi.make_vec(PENDULUM, 2))
    envs.reset()
    for step in range(200):
        _, _, done, infos = envs.step(np.zeros((2, 1), np.float32))
        assert done.all() == done.any() == (step == 199)
        assert infos[0]["TimeLimit.truncated"] is (step == 199)
    assert "terminal_observation" in infos[1]
    assert envs.get_attr("render_mode", [0]) == [None]
    assert envs.env_is_wrapped(StandIn) == [False, False]
    with pytest.raises(
        goishi.UsageError, match="set_attr: expected options of make_vec, found most"
    ):
        envs.set_attr("most", 1)
    with pytest.raises(goishi.UsageError, match=r"env_method: expected none, .* found seed"):
        envs.env_method("seed", 1)
    with pytest.raises(AttributeError):
        envs.get_attr("nothing")
    envs._options = [{"a": 1}, {}]
    with pytest.raises(goishi.UsageError, match="set_options: expected no options"):
        envs.reset()
    envs.close()


def test_whole_numbers_begin_at_zero_and_infos_are_given_to_their_copy(adapter) -> None:
    class Envs:
        """Two copies with actions from 5, one of which has an info."""

        num_envs, closed = 2, False
        single_observation_space = goishi_discrete(4, 2)
        single_action_space = goishi_discrete(3, 5)
        render_mode = None

        def reset(self, *, seed=None, options=None):
            return np.array([2, 3]), {}

        def step(self, actions):
            self.given = actions
            infos = {"score": np.array([0.0, 7.0]), "_score": np.array([False, True])}
            return np.array([4, 5]), np.ones(2), np.zeros(2, bool), np.zeros(2, bool), infos

    envs = adapter(Envs())
    assert (envs.action_space.start, envs.action_space.n) == (0, 3)
    assert envs.reset().tolist() == [0, 1]
    seen, _, _, infos = envs.step(np.array([0, 2]))
    assert envs.envs.given.tolist() == [5, 7]
    assert seen.tolist() == [2, 3]
    assert infos == [
        {"TimeLimit.truncated": False},
        {"score": 7.0, "TimeLimit.truncated": False},
    ]


def goishi_discrete(count, start):
    from gymnasium.spaces import Discrete

    return Discrete(count, start=start)


@pytest.mark.skipif(importlib.util.find_spec(PACKAGE) is not None, reason="the package is there")
def test_goishi_does_not_need_the_package_and_the_adapter_says_so() -> None:
    with pytest.raises(
        goishi.UsageError, match="expected the package stable-baselines3, found none"
    ):
        goishi.Sb3VecEnv(None)


def test_import_goishi_loads_no_adapter() -> None:
    code = "import sys, goishi; sys.exit('goishi.sb3' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=SHIPPED_ROOT, check=False).returncode == 0
    )


@pytest.mark.nightly
def test_the_real_package_learns_from_it() -> None:
    if importlib.util.find_spec(PACKAGE) is None:
        pytest.skip("needs stable-baselines3: pip install -e .[sb3]")
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.vec_env import VecMonitor

    copies = VecMonitor(goishi.Sb3VecEnv(goishi.make_vec(CART_POLE, 8)))
    model = PPO("MlpPolicy", copies, n_steps=128, learning_rate=1e-3, seed=1, device="cpu")
    before, _ = evaluate_policy(model, copies, n_eval_episodes=10)
    model.learn(20_000)
    after, _ = evaluate_policy(model, copies, n_eval_episodes=10)
    assert after > 3 * before
    copies.close()

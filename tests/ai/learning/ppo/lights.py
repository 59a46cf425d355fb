"""A problem that is learnt in a second: say which of four lamps is lit."""

from __future__ import annotations

import numpy as np

from ai.learning.ppo.agents import Players, TeamPlan, groups_of
from ai.learning.ppo.method import collect
from ai.learning.ppo.run import play
from base.errors import WorkerLostError

LOW, HIGH = np.full(4, -1.0, np.float32), np.full(4, 1.0, np.float32)
SEES = ("box", LOW, HIGH, "float32")
WHOLE = ("discrete", 4, 5)
ARRAYS = ("box", np.array([-4.0], np.float32), np.array([0.0], np.float32), "float32")


class Lights:
    """Each step is worth 1 for the lit lamp: action 5 to 8, or an array from -3.5 to -0.5."""

    names, teams = ("lights",), ("",)

    def __init__(self, count=4, acts=WHOLE, length=8, lost_at=None, sees=SEES):
        self.count, self.spaces, self.length = count, [(sees, acts)], length
        self.lost_at = lost_at
        self.steps = 0
        actions = np.zeros((count, 1), np.float32) if acts is ARRAYS else np.zeros(count, np.int64)
        self.arrays = {
            "observation.0": np.zeros((count, *sees[1].shape), sees[3]), "action.0": actions,
            "reward": np.zeros((count, 1)), "outcome": np.zeros((count, 1)),
            **{name: np.zeros((count, 1), bool) for name in ("terminated", "truncated", "decides")},
        }  # fmt: skip

    def begin(self, seed):
        self.rng = np.random.default_rng(seed)
        self.age = np.arange(self.count) % self.length
        self.arrays["observation.0"][...] = self.look()
        for name in ("terminated", "truncated"):
            self.arrays[name][...] = False

    def look(self):
        self.lit = self.rng.integers(4, size=self.count)
        return np.eye(4, dtype=np.float32)[self.lit]

    def advance(self):
        self.steps += 1
        if self.steps == self.lost_at:
            raise WorkerLostError("worker 1: expected an answer, found that it was killed")
        actions, begins = self.arrays["action.0"], self.age == self.length
        worth = (actions == 5 + self.lit).astype(float) if actions.ndim == 1 else 0.0
        if actions.ndim > 1:
            worth = 1.0 - np.minimum(1.0, abs(actions[:, 0] + 3.5 - self.lit))
        self.arrays["reward"][:, 0] = np.where(begins, 0.0, worth)
        self.age = np.where(begins, 0, self.age + 1)
        done = self.age == self.length
        self.arrays["observation.0"][...] = self.look()
        self.arrays["terminated"][:, 0] = done & (self.lit > 1)
        self.arrays["truncated"][:, 0] = done & (self.lit < 2)


def begin(one, env, seed):
    """Begin every episode anew, and let a learner play on from there."""
    env.begin(seed)
    one.begin(env.arrays["observation.0"].copy())


def rollout_of(one, env):
    """Return what a learner lives through in all copies."""
    (found,) = collect(
        [one], one.settings.horizon, Players(env, groups_of(env, TeamPlan()), TeamPlan()).act
    )
    return found


def returns_of(choose, env, episodes, seed):
    """Return what whole episodes are worth."""
    lineup = np.full((env.count, 1), "one")
    games = play(env, lineup, {"one": choose}, -(-episodes // env.count), seed)
    return [float(returns[0]) for _, _, returns in games]

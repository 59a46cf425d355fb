"""A problem that is learnt in a second: say which of four lamps is lit."""

from __future__ import annotations

import numpy as np

LOW, HIGH = np.full(4, -1.0, np.float32), np.full(4, 1.0, np.float32)
SEES = ("box", LOW, HIGH, "float32")
WHOLE = ("discrete", 4, 5)
ARRAYS = ("box", np.array([-4.0], np.float32), np.array([0.0], np.float32), "float32")


class Lights:
    """Each step is worth 1 for the lit lamp: action 5 to 8, or an array from -3.5 to -0.5."""

    def __init__(self, count=4, acts=WHOLE, length=8, lost_at=None):
        self.count, self.spaces, self.length = count, (SEES, acts), length
        self.lost_at = lost_at
        self.steps = 0

    def begin(self, seed):
        self.rng = np.random.default_rng(seed)
        self.age = np.arange(self.count) % self.length
        return self.look()

    def look(self):
        self.lit = self.rng.integers(4, size=self.count)
        return np.eye(4, dtype=np.float32)[self.lit]

    def act(self, actions):
        self.steps += 1
        if self.steps == self.lost_at:
            from base.errors import WorkerLostError

            raise WorkerLostError("worker 1: expected an answer, found that it was killed")
        begins = self.age == self.length
        worth = (actions == 5 + self.lit).astype(float)
        if self.spaces[1] is ARRAYS:
            worth = 1.0 - np.minimum(1.0, abs(actions[:, 0] + 3.5 - self.lit))
        rewards = np.where(begins, 0.0, worth)
        self.age = np.where(begins, 0, self.age + 1)
        over = self.age == self.length
        return self.look(), rewards, over & (self.lit > 1), over & (self.lit < 2)

"""A match that is learnt in a second: who says which of three lamps is lit scores."""

from __future__ import annotations

import numpy as np

FOUR, TWO = ("red", "red", "blue", "blue"), ("red", "blue")
SEES = ("box", np.zeros(3, np.float32), np.ones(3, np.float32), "float32")
WIDE = ("box", np.zeros(4, np.float32), np.ones(4, np.float32), "float32")
ACTS = ("discrete", 3, 0)


class Seats:
    """Copies of a match; the second agent leaves it two steps earlier, and waits."""

    def __init__(self, count=4, teams=FOUR, wide=(), length=6):
        self.count, self.teams, self.length = count, list(teams), length
        self.names = [f"{team} {number}" for number, team in enumerate(teams)]
        self.spaces = [(WIDE if k in wide else SEES, ACTS) for k in range(len(teams))]
        shape = (count, len(teams))
        self.arrays = {
            **{f"observation.{k}": np.zeros((count, 4 if k in wide else 3), np.float32)
               for k in range(len(teams))},
            **{f"action.{k}": np.zeros(count, np.int64) for k in range(len(teams))},
            "reward": np.zeros(shape), "outcome": np.zeros(shape),
            **{name: np.zeros(shape, bool) for name in ("terminated", "truncated", "decides")},
        }  # fmt: skip

    def begin(self, seed):
        self.rng = np.random.default_rng(seed)
        self.age, self.totals = np.zeros(self.count, int), np.zeros_like(self.arrays["reward"])
        for name in ("decides", "terminated"):
            self.arrays[name][...] = False
        self.look()

    def look(self):
        self.lit = self.rng.integers(3, size=(self.count, len(self.teams)))
        for k in range(len(self.teams)):
            self.arrays[f"observation.{k}"][:, :3] = np.eye(3)[self.lit[:, k]]

    def advance(self):
        begins = self.arrays["terminated"].all(1)
        was_over = self.arrays["terminated"].copy()
        for k in range(len(self.teams)):
            chosen = np.where(self.arrays["decides"][:, k], self.lit[:, k],
                              self.arrays[f"action.{k}"])  # fmt: skip
            right = (chosen == self.lit[:, k]) & ~was_over[:, k]
            self.arrays["reward"][:, k] = np.where(begins, 0.0, right)
        self.age = np.where(begins, 0, self.age + 1)
        self.totals = np.where(begins[:, None], 0.0, self.totals + self.arrays["reward"])
        ends = np.full(len(self.teams), self.length)
        ends[1] -= 2
        over = self.age[:, None] >= ends
        self.arrays["outcome"][over & ~was_over] = (self.totals / ends)[over & ~was_over]
        self.arrays["terminated"][...] = over
        self.look()

"""What a policy gains, frozen, over whole episodes; and the controls beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.learning.ppo.ppo import VectorEnv
from base.policies.policy import PlainSpace, Policy, actions_of, output_size
from base.values import JsonObject

Choose: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]
"""Returns actions for observations `[N, …]`."""


def returns_of(choose: Choose, env: VectorEnv, episodes: int, seed: int) -> list[float]:
    """Return what whole episodes gained.

    Each environment plays as many as the others, so that short ones are not preferred.

    Args:
        choose: says what to do.
        env: the environments; they are begun anew.
        episodes: at least so many; a multiple of the environments is played.
        seed: of the episodes.
    """
    each = -(-episodes // env.count)
    found: list[list[float]] = [[] for _ in range(env.count)]
    observations, totals = env.begin(seed), np.zeros(env.count)
    begins = np.zeros(env.count, bool)
    while min(map(len, found)) < each:
        observations, rewards, ended, cut = env.act(choose(observations))
        totals = np.where(begins, 0.0, totals + rewards)
        begins = ended | cut
        for row in np.flatnonzero(begins):
            found[row].append(float(totals[row]))
            totals[row] = 0.0
    return [value for values in found for value in values[:each]][:episodes]


def random_choice(acts: PlainSpace, seed: int) -> Choose:
    """Return the control that chooses at random, evenly; a standard normal without bounds."""
    rng = np.random.default_rng([seed, 7])

    def choose(observations: NDArray[Any]) -> NDArray[Any]:
        count = len(observations)
        if acts[0] == "discrete":
            return actions_of(acts, rng.integers(output_size(acts), size=count))
        low, high = (np.asarray(bound).reshape(-1) for bound in acts[1:3])
        is_bounded = np.isfinite(low) & np.isfinite(high)
        size = (count, output_size(acts))
        raw = np.where(is_bounded, rng.uniform(-1.0, 1.0, size), rng.standard_normal(size))
        return actions_of(acts, raw)

    return choose


def compared(
    policy: Policy, untrained: Policy, env: VectorEnv, episodes: int, seed: int
) -> JsonObject:
    """Return mean, deviation and least return of a policy and its controls, by name."""
    players: dict[str, Choose] = {
        "trained": policy.best, "untrained": untrained.best,
        "random": random_choice(policy.acts, seed),
    }  # fmt: skip
    found: JsonObject = {"episodes": episodes}
    for name, choose in players.items():
        returns = returns_of(choose, env, episodes, seed)
        found[name] = {
            "mean": round(float(np.mean(returns)), 3),
            "deviation": round(float(np.std(returns)), 3),
            "least": round(min(returns), 3),
        }
    return found

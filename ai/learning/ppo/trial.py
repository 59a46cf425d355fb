"""Whole episodes by frozen policies and their controls: what they gain, and who wins.

Shapes: M copies of the scene, K agents in each, N cells (one agent in one copy).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from ai.learning.ppo.agents import Array, Cells, Spaces, VectorEnv
from base.policies.policy import PlainSpace, actions_of, is_same_space, output_size

Choose: TypeAlias = Callable[[Array], Array]
"""Returns actions for observations `[N, …]`."""
SCRIPT: Final = "script"
"""Stands for the agents' own `decide`."""


def play(
    env: VectorEnv, lineup: Array, players: Mapping[str, Choose], each: int, seed: int
) -> list[tuple[int, Array, Array]]:
    """Play whole episodes, as many in each copy; return copy, scores `[K]` and returns `[K]`.

    Args:
        env: the copies; they are begun anew.
        lineup: who plays each cell, by name, `[M, K]`; `SCRIPT` is the scene's own.
        players: what the others do.
        each: episodes in each copy.
        seed: of the episodes.
    """
    env.begin(seed)
    arrays = env.arrays
    arrays["decides"][...] = lineup == SCRIPT
    cells = [
        (players[name], part)
        for name in sorted({*lineup.ravel().tolist()} - {SCRIPT})
        for part in _by_space(env, np.argwhere(lineup == name))
    ]
    totals: Array = np.zeros(lineup.shape)
    begins: Array = np.zeros(env.count, bool)
    found: list[list[tuple[int, Array, Array]]] = [[] for _ in range(env.count)]
    while min(map(len, found)) < each:
        for choose, part in cells:
            part.put(choose(part.look()))
        env.advance()
        totals = np.where(begins[:, None], 0.0, totals + arrays["reward"])
        begins = np.asarray((arrays["terminated"] | arrays["truncated"]).all(1))
        for row in np.flatnonzero(begins).tolist():
            found[row].append((row, arrays["outcome"][row].copy(), totals[row].copy()))
    arrays["decides"][...] = False
    return [item for items in found for item in items[:each]]


def _by_space(env: VectorEnv, cells: Array) -> list[Cells]:
    """Return cells in parts whose agents have the same spaces."""
    parts: list[list[Array]] = []
    spaces: list[Spaces] = []
    for cell in cells:
        its = env.spaces[int(cell[1])]
        for known, part in zip(spaces, parts, strict=True):
            if all(is_same_space(*both) for both in zip(known, its, strict=True)):
                part.append(cell)
                break
        else:
            spaces.append(its)
            parts.append([cell])
    return [Cells(env, np.array(part)) for part in parts]


def match_of(
    env: VectorEnv,
    ours: str,
    others: str | Sequence[str],
    players: Mapping[str, Choose],
    episodes: int,
    seed: int,
) -> dict[str, float]:
    """Let one player of all of a team play another of the other teams; each side in turn.

    Args:
        env: the copies.
        ours: the player that is measured.
        others: its opponents; of several one a pair of copies, in turn.
        players: all by name.
        episodes: at least so many.
        seed: of the episodes.

    Returns:
        Shares of episodes won and drawn, and how many there were.
    """
    teams = list(dict.fromkeys(env.teams))
    names = [others] if isinstance(others, str) else list(others)
    lineup = np.array([
        [ours if team == teams[row % len(teams)] else names[row // len(teams) % len(names)]
         for team in env.teams]
        for row in range(env.count)
    ])  # fmt: skip
    won = drawn = 0
    found = play(env, lineup, players, -(-episodes // env.count), seed)
    for row, scores, _ in found:
        is_ours = np.array([team == teams[row % len(teams)] for team in env.teams])
        mine, its = float(scores[is_ours].mean()), float(scores[~is_ours].max())
        won, drawn = won + (mine > its), drawn + (mine == its)
    count = len(found)
    return {"won": round(won / count, 3), "drawn": round(drawn / count, 3), "episodes": count}


def random_choice(acts: PlainSpace, seed: int) -> Choose:
    """Return the control that chooses at random, evenly; a standard normal without bounds."""
    rng = np.random.default_rng([seed, 7])

    def choose(observations: Array) -> Array:
        count = len(observations)
        if acts[0] == "discrete":
            return actions_of(acts, rng.integers(output_size(acts), size=count))
        low, high = (np.asarray(bound).reshape(-1) for bound in acts[1:3])
        is_bounded = np.isfinite(low) & np.isfinite(high)
        size = (count, output_size(acts))
        raw = np.where(is_bounded, rng.uniform(-1.0, 1.0, size), rng.standard_normal(size))
        return actions_of(acts, raw)

    return choose


__all__ = ["SCRIPT", "Choose", "match_of", "play", "random_choice"]

"""Copies of a scene whose actions are kept, so that the running episodes can be played again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ai.learning.ppo.agents import VectorEnv
from ai.learning.ppo.method import Array

_PLAYED = "played."


class RecordedEnv:
    """The copies of a scene as a `VectorEnv` that keeps all actions since its episodes began.

    Args:
        env: the copies of the scene.
        stepped: called after each step.
    """

    def __init__(self, env: VectorEnv, stepped: Callable[[], None]) -> None:
        self._env, self._stepped = env, stepped
        self.count, self.names, self.teams, self.spaces = (
            env.count,
            env.names,
            env.teams,
            env.spaces,
        )
        self._actions: list[dict[str, Array]] = []  # by the name of the array, for each step

    @property
    def arrays(self) -> Mapping[str, Array]:
        """The arrays of the copies; see `VectorEnv.arrays`."""
        return self._env.arrays

    def begin(self, seed: int) -> None:
        """Start new episodes in all copies, with random numbers from `seed`."""
        self._actions = []
        self._env.begin(seed)

    def advance(self) -> None:
        """Step all copies once, with the actions in their arrays."""
        chosen = {name: a.copy() for name, a in self.arrays.items() if name.startswith("action.")}
        self._actions.append(chosen)
        self._env.advance()
        self._stepped()

    def state(self) -> dict[str, Array]:
        """Return all actions since the episodes began, `[T, M, …]` for each agent."""
        names = self._actions[0] if self._actions else {}
        return {
            f"{_PLAYED}{name}": np.stack([step[name] for step in self._actions]) for name in names
        }

    def repeat(self, arrays: Mapping[str, Array]) -> None:
        """Play the steps that `state` returned, in episodes that have just begun.

        Args:
            arrays: result of `state`; other arrays are ignored.
        """
        played = {
            name.removeprefix(_PLAYED): array
            for name, array in arrays.items()
            if name.startswith(_PLAYED)
        }
        for step in range(max(map(len, played.values()), default=0)):
            for name, array in played.items():
                self.arrays[name][...] = array[step]
            self._actions.append({name: array[step] for name, array in played.items()})
            self._env.advance()

"""A scene with several agents as a PettingZoo `ParallelEnv`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.utils import EzPickle
from pettingzoo import ParallelEnv

from base.schema import OptionValue
from goishi.environment import RENDER_MODES, SIZE, CopyableEnv, open_source
from goishi.spaces import Space, space_of
from sim.app.episodes import MOST_SEEDS

if TYPE_CHECKING:
    from sim.app.drawn_world import Mode

METADATA: dict[str, Any] = {
    "name": "goishi",
    "render_modes": list(RENDER_MODES),
    "is_parallelizable": True,
    "render_fps": 60,
}


class SceneParallelEnv(ParallelEnv[str, Any, Any], CopyableEnv):  # type: ignore[misc]  # untyped
    """A scene whose agents decide at the same time; each is named after its object.

    An agent whose episode has ended is removed from `agents`. The episode of all ends when `agents`
    is empty.

    Attributes:
        teams: team of each agent; empty for an agent without a team.

    Args:
        scene: path of the scene file.
        render_mode: as of `SceneEnv`.
        size: width and height of the picture, pixels.
        options: options that the scene's scripts declare, as on the command line.

    Raises:
        GoishiError: the scene cannot be opened.
    """

    metadata = METADATA

    def __init__(
        self,
        scene: str | Path,
        *,
        render_mode: Mode | None = None,
        size: tuple[int, int] = SIZE,
        **options: OptionValue,
    ) -> None:
        path = Path(scene).resolve()
        EzPickle.__init__(self, path, render_mode=render_mode, size=size, **options)
        self.render_mode = render_mode
        self._source = open_source(path, render_mode, size, options)
        about = self._source.about
        name, rate = path.name.partition(".")[0], round(about.rate)
        self.metadata = {**METADATA, "name": name, "render_fps": rate}
        self.possible_agents = list(about.names)
        self.teams = dict(zip(self.possible_agents, about.teams, strict=True))
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = (
            {
                name: space_of(pair[which])
                for name, pair in zip(self.possible_agents, about.spaces, strict=True)
            }
            for which in (0, 1)
        )
        self._is_begun = False

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"agents": list(self.agents)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_carried" in state:
            self.agents = list(state["agents"])

    def observation_space(self, agent: str) -> Space:
        """Return the observation space of an agent, by its name."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        """Return the action space of an agent, by its name."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode of all agents; return observations and empty infos, by agent name.

        Args:
            seed: seed with which the scene is opened anew. None: the first call chooses a seed at
                random, and later calls continue its random sequence.
            options: ignored.

        Raises:
            WorldError: a script failed.
        """
        self._check_open("reset")
        if seed is None and not self._is_begun:
            seed = int(np.random.default_rng().integers(MOST_SEEDS))
        observations = self._source.reset(seed)
        self._is_begun = True
        self.agents = list(self.possible_agents)
        return (
            dict(zip(self.agents, observations, strict=True)),
            {name: {} for name in self.agents},
        )

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Apply one action for each agent and run the scene up to the next decision.

        Args:
            actions: action of each agent in `agents`, by name.

        Returns:
            Observations, rewards, terminated, truncated and infos: five dicts by agent name, as in
            PettingZoo. All are empty if no agent is left.

        Raises:
            FieldError: an action is not in its space; nothing has changed.
            ResetNeededError: no episode runs.
            WorldError: a script failed; `reset` begins anew.
        """
        self._check_open("step")
        if not self.agents:
            self.agents = []
            return {}, {}, {}, {}, {}
        found = self._source.step([actions.get(name) for name in self.possible_agents])
        results = {
            name: result
            for name, result in zip(self.possible_agents, found, strict=True)
            if name in self.agents
        }
        self.agents = [name for name, result in results.items() if not (result[2] or result[3])]
        observations, rewards, terminated, truncated, infos = (
            {name: result[which] for name, result in results.items()} for which in range(5)
        )
        return observations, rewards, terminated, truncated, infos  # type: ignore[return-value]

    def render(self) -> Any:
        """Return the picture according to the render mode.

        Returns:
            For "rgb_array" RGB `[h, w, 3]` uint8. For "depth_array" depths in metres, `[h, w]`
            float32. None for "human" and without a render mode.

        Raises:
            UsageError: the environment is closed.
        """
        self._check_open("render")
        return self._source.render()

    def close(self) -> None:
        """Close the scene. May be called twice."""
        self._is_closed = True
        self._source.close()

"""A scene with one agent as a `gymnasium.Env`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import gymnasium
import numpy.typing as npt
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import EzPickle

from base.errors import UsageError
from base.schema import OptionValue
from base.worker.calls import CallProcess
from goishi.spaces import space_of
from sim.app.episodes import MOST_SEEDS, CarriedEpisode, Episodes, SceneAgents
from sim.app.serving import MAIN, Options
from sim.core.host.agents import StepResult, step_result
from sim.core.script.spaces import Value

if TYPE_CHECKING:
    from sim.app.drawn_world import Mode

RENDER_MODES = ("human", "rgb_array", "depth_array")
SIZE = (480, 320)


class SceneSource(Protocol):
    """Where the scene of an environment runs.

    Attributes:
        about: names, teams and spaces of its agents.
    """

    about: SceneAgents

    def reset(self, seed: int | None) -> list[Value]:
        """Begin an episode; return one observation per agent.

        Args:
            seed: the scene is opened anew with this seed; None to continue the random sequence.
        """

    def step(self, actions: list[object]) -> list[StepResult]:
        """Apply one action per agent and run to the next decision; return one result per agent."""

    def render(self) -> npt.NDArray[Any] | None:
        """Return the rendered picture; None if there is none or it is shown in a window."""

    def carried(self) -> CarriedEpisode | None:
        """Return the running episode for a copy; None if none runs or a script has no state."""

    def carry_on(self, carried: CarriedEpisode) -> None:
        """Open the scene again and go on with an episode of another copy."""

    def close(self) -> None:
        """Close the scene."""


class LocalSource:
    """The scene runs in this process, without a picture."""

    def __init__(self, scene: Path, options: Options) -> None:
        self.episodes = Episodes.of_scene(scene, options=options)
        self.about = self.episodes.about
        self.reset, self.close = self.episodes.reset, self.episodes.close
        self.carried, self.carry_on = self.episodes.carried, self.episodes.carry_on

    def step(self, actions: list[object]) -> list[StepResult]:
        """Apply one action per agent and run to the next decision; return one result per agent."""
        return list(map(step_result, self.episodes.step(actions)))

    def render(self) -> None:
        """Return None: there is no picture."""


class DrawnSource:
    """The scene runs in a child process that draws it, so this process never opens OpenGL."""

    def __init__(self, scene: Path, mode: str, size: tuple[int, int], options: Options) -> None:
        name = f"the process that draws {scene.name}"
        self._process = CallProcess(name, MAIN, "drawn", str(scene), mode, size, options)
        self.about = SceneAgents(*self._process.about)
        self.close = self._process.close

    def reset(self, seed: int | None) -> list[Value]:
        """Begin an episode; return one observation per agent."""
        found: list[Value] = self._process.ask("reset", seed)
        return found

    def step(self, actions: list[object]) -> list[StepResult]:
        """Apply one action per agent and run to the next decision; return one result per agent."""
        found: list[StepResult] = self._process.ask("step", actions)
        return found

    def render(self) -> npt.NDArray[Any] | None:
        """Return the rendered picture; None if it is shown in a window."""
        picture: npt.NDArray[Any] | None = self._process.ask("render")
        return picture

    def carried(self) -> CarriedEpisode | None:
        """Return the running episode for a copy; None if none runs or a script has no state."""
        found = self._process.ask("carried")
        return None if found is None else CarriedEpisode(*found)

    def carry_on(self, carried: CarriedEpisode) -> None:
        """Open the scene again and go on with an episode of another copy."""
        self._process.ask("carry_on", tuple(carried))


class CopyableEnv(EzPickle):
    """An environment that can be pickled and copied, even in the middle of an episode.

    A copy opens the scene anew. It goes on with the same episode if all scripts of the scene
    declare their state (`save_state`, `load_state`). Otherwise it must be reset first, and a
    warning says so. In scenes with bodies in contact, the last digits may differ.
    """

    _source: SceneSource
    _is_begun: bool
    _is_closed = False

    def _check_open(self, method: str) -> None:
        if self._is_closed:
            raise UsageError(f"{method}: expected an open environment, found a closed one")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        runs = self._is_begun and not self._is_closed
        carried = self._source.carried() if runs else None
        if carried is not None:
            state["_carried"] = tuple(carried)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_carried" in state:
            self._source.carry_on(CarriedEpisode(*state["_carried"]))
            self._is_begun = True


def open_source(
    scene: Path, mode: str | None, size: tuple[int, int], options: Mapping[str, OptionValue]
) -> SceneSource:
    """Open a scene: in this process, or in a child process if it must be drawn.

    Args:
        scene: path of the scene file.
        mode: render mode, as of `SceneEnv`. With None the scene is drawn only if an agent observes
            pictures.
        size: width and height of the picture, pixels.
        options: options that the scene's scripts declare, by name.

    Raises:
        UsageError: the render mode or the size of the picture is invalid.
        GoishiError: the scene cannot be opened.
    """
    own = declared(options)
    if mode is None:
        local = LocalSource(scene, own)
        if not local.about.needs_picture:
            return local
        local.close()
        mode = "rgb_array"
    if mode not in RENDER_MODES:
        raise UsageError(f"render_mode: expected {', '.join(RENDER_MODES)} or None, found {mode!r}")
    is_pair = isinstance(size, tuple | list) and len(size) == 2
    if not is_pair or not all(isinstance(side, int) and 16 <= side <= 4096 for side in size):
        raise UsageError(f"size: expected two sides from 16 to 4096 pixels, found {size!r}")
    return DrawnSource(scene, mode, (size[0], size[1]), own)


def declared(options: Mapping[str, OptionValue]) -> Options:
    """Return options with dashes in their names, as scripts declare them.

    Args:
        options: values by names such as "most_laps", which becomes "most-laps".
    """
    return {name.replace("_", "-"): value for name, value in options.items()}


METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 60}


class SceneEnv(gymnasium.Env[Any, Any], CopyableEnv):
    """A scene with one agent as a Gymnasium environment.

    Args:
        scene: path of the scene file.
        render_mode: None for no picture; "rgb_array" or "depth_array" for pictures by `render()`;
            "human" for the app's window. With a render mode the scene runs in a child process, with
            exactly the same results.
        size: width and height of the picture, pixels.
        options: options that the scene's scripts declare, as on the command line.

    Raises:
        UsageError: the scene has no agent or several, or the render mode does not exist.
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
        if len(about.names) != 1:
            names = ", ".join(about.names)
            self._source.close()
            raise UsageError(
                f"{path.name}: expected one agent, found {names}: goishi.make gives a PettingZoo "
                "environment for several"
            )
        self.observation_space, self.action_space = map(space_of, about.spaces[0])
        self.metadata = {**METADATA, "render_fps": round(about.rate)}
        self.spec = EnvSpec(  # `gymnasium.make` puts its own in place
            id=f"goishi/{re.sub(r'[^A-Za-z0-9_.-]+', '_', path.name.partition('.')[0])}",
            entry_point="goishi.make_env:make",
            kwargs={"scene": str(path), "render_mode": render_mode, "size": size, **options},
            max_episode_steps=about.most_decisions or None,
        )
        self._is_begun = False
        self._episodes = (  # saves a call in each step
            self._source.episodes if isinstance(self._source, LocalSource) else None
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: opens the scene anew; the same seed and actions give the same episode.
            options: ignored.

        Raises:
            WorldError: a script failed.
        """
        self._check_open("reset")
        super().reset(seed=seed)
        if seed is None and not self._is_begun:
            seed = int(self.np_random.integers(MOST_SEEDS))
        (observation,) = self._source.reset(seed)
        self._is_begun = True
        return observation, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Apply an action and run the scene up to the agent's next decision.

        Args:
            action: a value of `action_space`.

        Returns:
            Observation, reward, terminated, truncated and info, as in Gymnasium.

        Raises:
            FieldError: `action` is not in the action space; nothing has changed.
            ResetNeededError: no episode runs; call `reset`.
            UsageError: the environment is closed.
            WorldError: a script failed; `reset` begins anew.
        """
        if self._episodes is None:
            self._check_open("step")
            return self._source.step([action])[0]
        return step_result(self._episodes.step((action,))[0])

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

"""`make` and `make_vec`: environments of scenes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import registry

from base.errors import UsageError
from base.schema import OptionValue
from base.spelling import files_like, hint_of, near_names
from base.trust import trust_for_this_run
from goishi.environment import SIZE, SceneEnv
from goishi.internal_imports import ROOT
from goishi.parallel import SceneParallelEnv
from goishi.registration import SCENES
from goishi.vector import SceneVectorEnv
from sim.app.episodes import Episodes
from sim.core.files.scene_file import find_project
from sim.core.project.scene_path import find_scene

if TYPE_CHECKING:
    from sim.app.drawn_world import Mode


def make(
    scene: str | Path,
    *,
    render_mode: Mode | None = None,
    size: tuple[int, int] = SIZE,
    **options: OptionValue,
) -> SceneEnv | SceneParallelEnv:
    """Make an environment of a scene: `SceneEnv` for one agent, `SceneParallelEnv` for several.

    Args:
        scene: path of the scene file, or the id of a shipped environment; see `scene_file`.
        render_mode: None, "rgb_array", "depth_array" or "human"; see `SceneEnv`.
        size: width and height of the picture, pixels.
        options: options that the scene's scripts declare, as on the command line: `laps=3`.

    Raises:
        SceneFileError: the file is invalid.
        UsageError: the scene has no agent, or an option is wrong.
        WorldError: a script failed.
    """
    path = scene_file(scene)
    episodes = Episodes.of_scene(path)
    count = len(episodes.agents)
    episodes.close()
    kind: type[SceneEnv | SceneParallelEnv] = SceneEnv if count == 1 else SceneParallelEnv
    return kind(path, render_mode=render_mode, size=size, **options)


def make_vec(
    scene: str | Path, num_envs: int = 1, *, workers: int = 0, **options: OptionValue
) -> SceneVectorEnv:
    """Make a vector environment from copies of a scene with one agent.

    Args:
        scene: path of the scene file, or the id of a shipped environment; see `scene_file`.
        num_envs: number of copies, which do not affect each other.
        workers: number of worker processes that step the copies; 0 to use this process.
        options: options that the scene's scripts declare, as on the command line.

    Raises:
        SceneFileError: the file is invalid.
        UsageError: the scene has no agent or several, or a number is wrong.
        WorldError: a script failed.
    """
    return SceneVectorEnv(scene_file(scene), num_envs, workers=workers, **options)


def make_shipped(scene: str, **options: Any) -> SceneEnv:
    """Make the environment of a scene shipped with Goishi; `gymnasium.make` calls this.

    Args:
        scene: name of the scene, such as "cart_pole".
        options: further arguments of `SceneEnv`.
    """
    return SceneEnv(shipped_file(scene), **options)


def make_shipped_vec(scene: str, num_envs: int = 1, **options: Any) -> SceneVectorEnv:
    """Make a vector environment of a shipped scene; `gymnasium.make_vec` calls this.

    Args:
        scene: name of the scene, such as "cart_pole".
        num_envs: number of copies.
        options: further arguments of `SceneVectorEnv`.
    """
    return SceneVectorEnv(shipped_file(scene), num_envs, **options)


def shipped_file(scene: str) -> Path:
    """Return the path of a shipped scene's file; `scene` is its name, such as "cart_pole"."""
    return ROOT / "scenes" / f"{scene}.scene.json"


def scene_file(scene: str | Path) -> Path:
    """Return the path of a scene file, whose scripts may then run: the program has named it.

    Args:
        scene: a path. If no file is there, it is taken as relative to Goishi's folder, or as the
            name of a shipped scene, such as "car". Or the Gymnasium id of a shipped environment,
            such as "goishi/CartPole-v0".

    Raises:
        UsageError: there is no file in either place.
    """
    spec = registry.get(str(scene))
    if spec is not None and spec.entry_point == "goishi.make_env:make_shipped":
        return shipped_file(spec.kwargs["scene"])
    path = find_scene(scene)
    if path.is_file():
        trust_for_this_run(find_project(path))
        return path.resolve()
    expected = "a file such as scenes/cart_pole.scene.json, or an id such as goishi/CartPole-v0"
    hint = hint_of(near_names([*SCENES, *SCENES.values()], str(scene)), str(scene))
    raise UsageError(f"scene: expected {expected}, found {scene}{hint or files_like(path)}")

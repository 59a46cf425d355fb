"""Child process that steps scenes for another program, by calls as in `base/worker/calls.py`.

Output of scripts goes to stderr, since the answers use the original standard output.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from base.interruption import ignore_terminal
from base.schema import OptionValue
from base.worker.calls import Methods, answer_of, serve_calls
from sim.app.episodes import CarriedEpisode, Episodes
from sim.app.world import open_unseen_physics
from sim.app.world_batch import ArrayLayout, CopyFault, WorldBatch
from sim.core.files.scene_file import load
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.agents import step_result

if TYPE_CHECKING:
    from sim.app.drawn_world import Mode

Options = dict[str, OptionValue]
MAIN: Final = "sim.app.serving:main"
"""Entry point of the child process, as module and function."""


def main() -> None:
    """Serve until the standard input closes."""
    ignore_terminal()  # Ctrl+C is the program's to handle
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve_calls(sys.stdin.buffer, answers, lambda kind, *arguments: METHODS_OF[kind](*arguments))


def serve_batch(scene: str, count: int, options: Options, is_drawn: bool = False) -> Methods:
    """Open copies of a scene and return the functions that the program can call, by name.

    Args:
        scene: path of the scene file.
        count: number of copies; must be 1 if `is_drawn` is True.
        options: values of the options that the scene's scripts declare, by name.
        is_drawn: whether the scene has a picture.

    Raises:
        GoishiError: the scene cannot be opened.
    """
    path = Path(scene)
    watchdog = Watchdog(load(path).settings.script_timeout)

    def opened() -> Episodes:
        if is_drawn:
            return drawn_episodes(path, "rgb_array", options)
        return Episodes.of_scene(path, watchdog, options, open_unseen_physics)

    try:
        batch = WorldBatch(opened, count)
    except BaseException:
        watchdog.close()
        raise

    def use(file: str, rows: int, first: int) -> None:
        layout = ArrayLayout.of_spaces(rows, batch.about.spaces)
        with open(file, "r+b") as stream:
            memory = mmap.mmap(stream.fileno(), layout.size)
        own = slice(first, first + count)
        batch.use({name: array[own] for name, array in layout.arrays(memory).items()})

    def close() -> None:
        batch.close()
        watchdog.close()

    def outcome(faults: list[CopyFault]) -> object:
        return [(item.row, answer_of(item.error)) for item in faults], dict(batch.infos)

    return {
        "about": lambda: tuple(batch.about),
        "use": use,
        "reset": lambda seeds, chosen: outcome(batch.reset(seeds, chosen)),
        "step": lambda: outcome(batch.step()),
        "close": close,
    }


def drawn_episodes(scene: Path, mode: Mode, options: Options) -> Episodes:
    """Open a scene with a picture in this process, which can hold only one.

    Args:
        scene: path of the scene file.
        mode: what is drawn and where; see `DrawnWorld`.
        options: values of the options that the scene's scripts declare, by name.
    """
    from sim.app.drawn_world import DrawnWorld

    path = scene.resolve()
    return Episodes(lambda seed, files: DrawnWorld(path, seed, files, mode, options))


def serve_drawn(scene: str, mode: Mode, size: tuple[int, int], options: Options) -> Methods:
    """Open one scene with a picture and return the functions that the program can call, by name.

    Args:
        scene: path of the scene file.
        mode: what is drawn and where; see `DrawnWorld`.
        size: width and height of the picture, pixels.
        options: values of the options that the scene's scripts declare, by name.
    """
    episodes = drawn_episodes(Path(scene), mode, options)

    def picture() -> object:
        world: Any = episodes.world
        return world.image(mode, size)

    return {
        "about": lambda: tuple(episodes.about),
        "reset": episodes.reset,
        "step": lambda actions: list(map(step_result, episodes.step(actions))),
        "render": picture,
        "carried": lambda: _plain(episodes.carried()),
        "carry_on": lambda carried: episodes.carry_on(CarriedEpisode(*carried)),
        "close": episodes.close,
    }


def _plain(carried: CarriedEpisode | None) -> tuple[object, ...] | None:
    return None if carried is None else tuple(carried)


METHODS_OF: dict[str, Callable[..., Methods]] = {"batch": serve_batch, "drawn": serve_drawn}
"""Functions that open a scene, "batch" without and "drawn" with a picture.

Each returns the functions that another program can call, by name.
"""

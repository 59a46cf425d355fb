"""`replay`: show the games of a run in 3D."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from ai.runs.reading import RunReadError, read_games
from base.errors import UsageError
from base.files import SHIPPED_ROOT
from sim.commands.run import require_what_is_needed
from sim.core.project.project import project_around
from sim.core.project.run_options import RunOptions, parse_speed, parse_window
from sim.core.project.trust import require_trust

SCENE: Final = SHIPPED_ROOT / "scenes" / "replay.scene.json"
LONGEST: Final = 3600.0


def replay(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Folder of a run, or a run database."),
    ],
    game: Annotated[int | None, typer.Option("--game", metavar="N", help="The game [1].")] = None,
    headless: Annotated[bool, typer.Option("--headless", help="Draw offscreen.")] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Trust the project that the folder lies in.")
    ] = False,
    video: Annotated[
        Path | None, typer.Option("--video", metavar="OUT.mp4", help="Film the game.")
    ] = None,
    screenshot: Annotated[
        Path | None, typer.Option("--screenshot", metavar="OUT.png", help="The last position.")
    ] = None,
    speed: Annotated[
        str | None, typer.Option("--speed", metavar="X|max", help="How fast stones are placed.")
    ] = None,
    window: Annotated[
        str, typer.Option("--window", metavar="WxH", help="Size of the picture.")
    ] = "1280x720",
    quality: Annotated[
        str, typer.Option("--quality", metavar="NAME", help="auto, low, medium or high.")
    ] = "auto",
) -> int:
    """Show the games of a run, from an experiment, from `run --out` or from a run database.

    N and P go to the next and the previous game. With --headless, or with --video or
    --screenshot, it ends after the game.
    """
    is_offscreen = headless or video is not None or screenshot is not None
    project = project_around(folder)
    if is_offscreen and project is not None:
        require_trust(project, is_given=trust)
    try:
        numbers = [record.game for record in read_games(folder)]
    except RunReadError as error:
        raise UsageError(f"DIR: {error}") from None
    if not numbers:
        raise UsageError(f"DIR: expected games, found none in {folder}")
    wanted = numbers[0] if game is None else game
    if wanted not in numbers:
        raise UsageError(
            f"--game: expected a game from {numbers[0]} to {numbers[-1]}, found {game}"
        )
    options = RunOptions(
        scene=SCENE,
        headless=is_offscreen,
        seconds=LONGEST if is_offscreen else None,
        video=video,
        screenshot=screenshot,
        speed=None if speed is None else parse_speed(speed),
        window=parse_window(window),
        quality=quality,
        script_options={"replay": str(folder.absolute()), "replay-game": wanted},
    )
    require_what_is_needed(options)
    return int(import_module("sim.app.app").run(options))

"""`replay`: show the games of a run, or of a game file, in 3D."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from ai.formats import (
    GameFileError,
    check_shown_size,
    is_game_file,
    read_game_file,
    write_game_file,
    written_of,
)
from ai.runs.reading import RunReadError, read_any_games, read_games
from base.errors import UsageError
from base.files import SHIPPED_ROOT, find_file
from sim.commands.cli.ending import echo, tell
from sim.commands.cli.flags import command, flag, switch
from sim.commands.run import require_what_is_needed
from sim.core.project.manifest import project_around
from sim.core.project.run_options import RunOptions, parse_speed, parse_window
from sim.core.project.trust import require_no_unknown_code

SCENE: Final = SHIPPED_ROOT / "scenes" / "replay.scene.json"
LONGEST: Final = 3600.0


def chosen_game(path: Path, game: int | None, project: Path | None = None) -> int:
    """Return the number of the game to show, after checking that it exists.

    Args:
        path: folder of a run, a run database, or a game file.
        game: the number that the user gave; None for the first game.
        project: folder of the project whose scripts define the game; None for games of Goishi.

    Raises:
        UsageError: there are no games, or no such game.
    """
    try:
        if is_game_file(path):
            check_shown_size(path)
        numbers = [record.game for record in read_any_games(path, project)]
    except RunReadError as error:
        raise UsageError(f"DIR: {error}") from None
    except GameFileError as error:
        raise UsageError(str(error)) from None
    if not numbers:
        raise UsageError(f"DIR: expected games, found none in {path}")
    wanted = numbers[0] if game is None else game
    if wanted not in numbers:
        raise UsageError(
            f"--game: expected a game from {numbers[0]} to {numbers[-1]}, found {game}"
        )
    return wanted


def export_games(path: Path, out: Path, game: int | None) -> int:
    """Write games of a run or a game file to another game file; return the exit code.

    Args:
        path: folder of a run, a run database, or a game file.
        out: file to write; its suffix, .sgf, .psq or .txt, chooses the format.
        game: number of the game to write; None for all.

    Raises:
        UsageError: there is no such game, or the format cannot hold the games.
        OSError: the file cannot be written.
    """
    try:
        if is_game_file(path):
            games = dict(enumerate(read_game_file(path), start=1))
        else:
            games = {record.game: written_of(record) for record in read_games(path, note=tell)}
        if game is not None and game not in games:
            raise UsageError(f"--game: expected a game of {path}, found {game}")
        chosen = list(games.values()) if game is None else [games[game]]
        for note in (note for written in chosen for note in written.notes):
            tell(note)
        lost = write_game_file(out, chosen)
    except RunReadError as error:
        raise UsageError(f"DIR: {error}") from None
    except GameFileError as error:
        raise UsageError(str(error)) from None
    count = f"{len(chosen)} game{'s' * (len(chosen) != 1)}"
    without = f", without {', '.join(lost)}" if lost else ""
    echo(f"{out}: {count}{without}")
    return 0


@command
def replay(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|FILE",
            help="Folder of a run, a run database, or a game file: .sgf, .psq, .txt.",
        ),
    ],
    *,
    game: int | None = flag(None, "--game N", "The game [1]."),
    headless: bool = switch("--headless", "Draw offscreen."),
    trust: bool = switch("--trust", "Trust the project that the folder lies in."),
    video: Path | None = flag(None, "--video OUT.mp4", "Film the game."),
    screenshot: Path | None = flag(None, "--screenshot OUT.png", "The last position."),
    export: Path | None = flag(None, "--export OUT.sgf", "Write .sgf, .psq or .txt instead."),
    speed: str | None = flag(None, "--speed X|max", "How fast stones are placed."),
    window: str = flag("1280x720", "--window WxH", "Size of the picture."),
    quality: str = flag("auto", "--quality NAME", "auto, low, medium or high."),
) -> int:
    """Show the games of a run or of a game file in 3D.

    A run is one of an experiment, of `run --out` or a run database. A game file may come from
    another program. N and P show the next and the previous game. With --headless, --video or
    --screenshot, the command ends after the game. With --export it writes the games, or the one of
    --game, to a file, and shows nothing.
    """
    folder = find_file(folder)
    if export is not None:
        return export_games(folder, export, game)
    is_offscreen = headless or video is not None or screenshot is not None
    is_file = is_game_file(folder)
    project = None if is_file else project_around(folder)  # a game file runs no scripts
    if is_offscreen and project is not None:
        require_no_unknown_code(project, is_given=trust)
    needed = None
    try:
        wanted = chosen_game(folder, game)
    except UsageError:
        if project is None:
            raise
        require_no_unknown_code(project, is_given=trust)
        wanted, needed = chosen_game(folder, game, project), project  # its scripts define the game
    options = RunOptions(
        scene=SCENE,
        headless=is_offscreen,
        seconds=LONGEST if is_offscreen else None,
        video=video,
        screenshot=screenshot,
        speed=None if speed is None else parse_speed(speed),
        window=parse_window(window),
        quality=quality,
        project=needed,
        trust=trust,
        script_options={"replay": str(folder.absolute()), "replay-game": wanted},
    )
    require_what_is_needed(options)
    return int(import_module("sim.app.app").run(options))

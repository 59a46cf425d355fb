"""Opens a packed game: what `goishi/main.py` of such a game runs.

Neither Typer nor the commands are packed. The only word that a game knows is `--check`, with which
`pack` tries it: it opens each scene for a moment, without a picture.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Final

from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from base.interruption import be_plain_in_forks
from base.values import JsonObject
from base.worker.chatter import hide_chatter
from base.worker.loaded import LoadedWorkers
from sim.app.game_window import GAME_MODULES, GameWindow
from sim.commands.cli.ending import ending_code
from sim.commands.cli.entry import end_threads, open_streams, process_start
from sim.commands.preflight import LIBRARIES, require_display, require_libraries
from sim.core.hangs.exit_watch import ExitWatch
from sim.core.project.run_options import RunOptions

GAME_FILE: Final = SHIPPED_ROOT.parent / "game.json"
CHECK: Final = "--check"
CHECK_SECONDS: Final = 0.5
NO_GLIB: Final = tuple(name for name in LIBRARIES if "glib" not in name and "EGL" not in name)


def main(words: Sequence[str]) -> int:
    """Open the game and return the exit code; what is missing is told in one line.

    Args:
        words: words of the command line, without the program's name.
    """
    started = process_start()
    told = io.StringIO() if sys.stderr is None else None
    sys.stderr = told or sys.stderr
    open_streams()
    hide_chatter()
    be_plain_in_forks()
    exit_watch = ExitWatch()

    def play() -> int:
        about = read_about()
        if list(words) == [CHECK]:
            return check(about)
        if words:
            raise UsageError(f"expected no words after the game's name, found {words[0]!r}")
        return open_game(about, started, exit_watch)

    code = ending_code(play)()
    if code and told is not None:
        show_error(told.getvalue())
    exit_watch.begin(code)
    end_threads(code)
    return code


def show_error(text: str) -> None:
    """Show the last error line of a game without a terminal in a message box, on Windows.

    Args:
        text: all that was written to stderr.
    """
    lines = [line for line in text.splitlines() if line.startswith("goishi: ")]
    if sys.platform == "win32" and lines:
        ctypes.windll.user32.MessageBoxW(None, lines[-1].removeprefix("goishi: "), "Error", 0x10)


def read_about() -> JsonObject:
    """Return the content of `game.json`.

    Raises:
        GoishiError: it is missing or damaged.
    """
    try:
        found: JsonObject = json.loads(GAME_FILE.read_text(encoding="utf-8"))
        _ = (found["title"], found["project"], found["scene"], found["data"], found["scenes"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise GoishiError(
            f"{GAME_FILE}: expected what the game is, found {type(error).__name__}; "
            "unpack the whole game again"
        ) from None
    return found


def open_game(about: JsonObject, started: float, exit_watch: ExitWatch) -> int:
    """Open the game's window and its first scene; return the exit code.

    Args:
        about: the content of `game.json`.
        started: `time.perf_counter()` at the start of the process.
        exit_watch: is told how long the process may take to end.

    Raises:
        PreflightError: there is no OpenGL or no display.
        GoishiError: the window or the scene cannot be opened.
    """
    require_libraries(names=NO_GLIB, instead="")
    require_display(instead="")
    import platformdirs

    project = SHIPPED_ROOT.parent / about["project"]
    data_dir = Path(platformdirs.user_data_dir(about["data"], appauthor=False))
    options = RunOptions(
        scene=project / about["scene"], panels=False, trust=True, data_dir=data_dir
    )
    if about.get("window"):
        width, height = about["window"]
        options = replace(options, window=(width, height))
    open_window = import_module("sim.render.window.display").Display
    with silent_drivers():
        display = open_window(
            size=options.window,
            title=about["title"],
            icon=SHIPPED_ROOT / "icon.png" if about.get("icon") else None,
            is_quiet=True,
        )
    game = GameWindow(display, about.get("quit", ""), is_full=bool(about.get("full_screen")))
    loaded = LoadedWorkers("ai.workers", "ai.workers.loaded")
    application = import_module("sim.app.app")
    code = application.run(
        options, started=started, exit_watch=exit_watch, loaded=loaded, display=display, game=game
    )
    return int(code)


@contextlib.contextmanager
def silent_drivers() -> Iterator[None]:
    """Context manager: drops what libraries write to stderr, such as Mesa without a driver."""
    try:
        kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is no stderr
        yield
        return
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def check(about: JsonObject) -> int:
    """Load all that the game draws with, and open each scene without a picture for a moment.

    Args:
        about: the content of `game.json`.

    Returns:
        The exit code of the first scene that fails, else 0.

    Raises:
        GoishiError: a script imports a package that is not packed.
    """
    for name in GAME_MODULES:
        import_module(name)
    application = import_module("sim.app.app")
    project = SHIPPED_ROOT.parent / about["project"]
    for scene in about["scenes"]:
        with tempfile.TemporaryDirectory(prefix="goishi-check-") as folder:
            options = RunOptions(
                scene=project / scene, headless=True, graphics=False, panels=False, trust=True,
                seconds=CHECK_SECONDS, data_dir=Path(folder), stats=Path(folder) / "stats.json",
            )  # fmt: skip
            if code := int(application.run(options)):
                return code
            told = json.loads(options.stats.read_text(encoding="utf-8")) if options.stats else {}
            if missing := told.get("missing_packages"):
                raise GoishiError(f"{scene}: its scripts need {', '.join(missing)}")
    return 0

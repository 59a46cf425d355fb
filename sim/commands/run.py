"""`run`: open a scene, in a window or headless. Its flags are made from `RunOptions`."""

from __future__ import annotations

import dataclasses
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from ai.registry.players import UnknownPlayerError, get_player_info
from base.errors import UsageError
from sim.commands.preflight import require_display, require_libraries
from sim.core.files.scene_file import find_project
from sim.core.project.run_options import FLAGS, RunOptions, parse_speed, parse_window

_PARSERS: Final[Mapping[str, Callable[[str], object]]] = {
    "speed": parse_speed,
    "window": parse_window,
}
"""Options that are text on the command line and something else in `RunOptions`."""


def make_run(*, started: float | None = None) -> Callable[..., int]:
    """Return the `run` command, its signature made from the fields of `RunOptions`."""

    def run(**given: object) -> int:
        """Open a scene and run it: in a window, or headless.

        In a window what was learnt last time is taken up again. With --headless or --seed the
        run starts with nothing learnt, in a temporary folder, unless --data-dir names one.
        """
        options = options_from(given)
        check_players(options)
        require_what_is_needed(options)
        if options.debug:
            _restart_for_debugger()
        application = import_module("sim.app.app")
        return int(application.run(options, started=started))

    run.__signature__ = inspect.Signature(_parameters())  # type: ignore[attr-defined]
    return run


def options_from(given: Mapping[str, object]) -> RunOptions:
    """Return the checked options for the values of the command line.

    Args:
        given: value by name of the field of `RunOptions`; None for what was not given, and
            True for a switch that was.

    Raises:
        UsageError: a value does not fit.
    """
    values: dict[str, Any] = {}
    for field in dataclasses.fields(RunOptions):
        value = given.get(field.name)
        if value is None or value is False:
            continue
        if field.name in _PARSERS:
            value = _PARSERS[field.name](str(value))
        elif field.default is True:
            value = False
        values[field.name] = value
    options = RunOptions(**values)
    if not options.scene.is_file():
        raise UsageError(f"SCENE: expected a scene file, found no file {str(options.scene)!r}")
    return options


def check_players(options: RunOptions) -> None:
    """Check the names of the players, those of the scene's project included; none is imported.

    Raises:
        UsageError: nobody has such a name.
        GoishiError: the project's `goishi.toml` is unsound.
    """
    project = find_project(options.scene)
    for flag, name in (
        ("--player-white", options.player_white),
        ("--player-black", options.player_black),
    ):
        try:
            if name is not None:
                get_player_info(name, project)
        except UnknownPlayerError as error:
            raise UsageError(f"{flag}: {error}") from None


def require_what_is_needed(options: RunOptions) -> None:
    """Check the display and the system libraries, as far as this run needs them.

    Raises:
        PreflightError: something is missing; the message says what to do.
    """
    if options.graphics:
        require_libraries()
    if not options.headless:
        require_display()


def _parameters() -> list[inspect.Parameter]:
    scene = inspect.Parameter(
        "scene",
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            Path | None,
            typer.Argument(
                metavar="SCENE",
                help="The scene file [scenes/self_teaching.scene.json].",
                show_default=False,
            ),
        ],
    )
    hints = get_type_hints(RunOptions)
    return [scene, *(_parameter(name, hints[name]) for name in FLAGS)]


def _parameter(name: str, hint: Any) -> inspect.Parameter:
    flag = FLAGS[name]
    kind = str if name in _PARSERS else _plain(hint)
    option = typer.Option(
        flag.name, help=flag.help, metavar=flag.metavar or None, show_default=False
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if kind is bool else None,
        annotation=Annotated[bool if kind is bool else kind | None, option],
    )


def _plain(hint: Any) -> Any:
    """Return `X` of `X | None`, and anything else as it is."""
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    return kinds[0] if kinds else hint


def _restart_for_debugger() -> None:
    """Begin anew with Python's own modules unfrozen, so that a debugger sees their lines.

    Only as main.py, which the same words start again; on Windows a process cannot be replaced.
    """
    is_ours = Path(sys.argv[0]).name == "main.py" and len(sys.orig_argv) > 1
    is_done = sys._xoptions.get("frozen_modules") == "off" or "pydevd" in sys.modules
    if is_ours and not is_done and os.name != "nt":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(sys.executable, [sys.executable, "-Xfrozen_modules=off", *sys.orig_argv[1:]])

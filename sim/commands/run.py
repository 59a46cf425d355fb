"""`run`: open a scene, in a window or headless.

Its flags are made from `RunOptions`, and from the options that the scene's scripts declare.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from ai.registry.engines import declare_engines
from ai.registry.players import UnknownPlayerError, get_player_info, split_label
from ai.registry.project_games import UnknownGameError, get_game
from base.errors import GoishiError, UsageError
from base.garbage import collector_waits
from base.schema import OptionError
from sim.commands.cli.project_option import project_above
from sim.commands.preflight import require_display, require_libraries
from sim.core.host.scene_options import check_options, read_options
from sim.core.project.run_options import (
    DEFAULT_SCENE,
    FLAGS,
    Flag,
    RunOptions,
    from_home,
    offering_project,
    parse_speed,
    parse_window,
)

_PARSERS: Final[Mapping[str, Callable[[str], object]]] = {
    "speed": parse_speed,
    "window": parse_window,
}
"""Options that are text on the command line and something else in `RunOptions`."""


_LISTS: Final[Mapping[str, Callable[[str, Path], object]]] = {
    "players": lambda text, project: get_player_info(split_label(text)[0], project),
    "games": get_game,
}
"""Functions that look a name up in the list of a command, and raise if it is unknown."""
_PREFIX: Final = "scene_option_"
"""Prefix of the names of the parameters for a scene's own options."""


def make_run(*, words: Sequence[str] = (), started: float | None = None) -> Callable[..., int]:
    """Return the `run` command, its signature made from `RunOptions` and the scene's options.

    Args:
        words: those that follow the command; they say which scene's options are asked for.
        started: `time.perf_counter()` at the start of the process.

    Raises:
        UsageError: a word is an option that other scenes have and this one has not.
        SceneFileError: the scene file is invalid.
    """
    scene, declared = scene_options(words)

    def run(**given: object) -> int:
        """Open a scene and run it: in a window, or headless.

        In a window what was learnt last time is taken up again. With --headless or --seed the
        run starts with nothing learnt, in a temporary folder, unless --data-dir names one.
        """
        options = options_from(given, declared)
        declare_engines(options.engine)
        check_names(options, declared)
        require_what_is_needed(options)
        if options.debug:
            _restart_for_debugger()
        with collector_waits():
            application = import_module("sim.app.app")
        return int(application.run(options, started=started))

    heading = "Options, where the scene has them" if scene is None else f"Options of {scene}"
    own = [
        _parameter(_parameter_name(name), option, option.value_kind, heading)
        for name, option in declared.items()
    ]
    run.__signature__ = inspect.Signature([*_parameters(), *own])  # type: ignore[attr-defined]
    return run


def scene_options(words: Sequence[str]) -> tuple[str | None, dict[str, Flag]]:
    """Return the scene that the words of `run` name (None for the first) and its declared options.

    Its scripts' files are read only where a word needs it: an option that is not Goishi's, the
    help, or a headless run that nothing ends yet.

    Raises:
        UsageError: a word is an option that the scene has not, but the one that opens first has.
        SceneFileError: the scene file is invalid.
    """
    flags = {word.partition("=")[0] for word in words if word.startswith("--") and word != "--"}
    unknown = flags - {flag.flag for flag in FLAGS.values()} - {"--help"}
    is_help = not flags.isdisjoint({"--help"}) or "-h" in words
    is_endless = "--for" not in flags and bool(flags & {"--headless", "--no-graphics"})
    scene, declared = _scene_among(words, takes_value=True), {}
    if unknown or is_help or is_endless:
        declared = _read(scene, is_help=is_help)
    missing = unknown - {option.flag for option in declared.values()}
    other = _scene_among(words, takes_value=False)
    if missing and other is not None and other != scene and from_home(Path(other)).is_file():
        scene, declared = other, _read(other, is_help=is_help)
        missing = unknown - {option.flag for option in declared.values()}
    if missing and scene is not None:
        for option in read_options(DEFAULT_SCENE).values():
            if option.flag in missing:
                raise UsageError(
                    f"{option.flag}: expected a scene that has this option, "
                    f"found {Path(scene).name}"
                )
    return scene, declared


def _scene_among(words: Sequence[str], *, takes_value: bool) -> str | None:
    """Return the first word that is neither a flag nor the value of one.

    Args:
        words: of the command line.
        takes_value: whether a flag that is not Goishi's is followed by a value.
    """
    kinds = {flag.flag: bool(flag.metavar) for flag in FLAGS.values()}
    is_value = False
    for word in words:
        if is_value:
            is_value = False
        elif word.startswith("-") and len(word) > 1:
            is_value = "=" not in word and word[1] == "-" and kinds.get(word, takes_value)
        else:
            return word
    return None


def _read(scene: str | None, *, is_help: bool) -> dict[str, Flag]:
    path = DEFAULT_SCENE if scene is None else from_home(Path(scene))
    if not path.is_file():
        if is_help:
            return {}
        raise UsageError(f"SCENE: expected a scene file, found no file {str(path)!r}")
    try:
        return read_options(path)
    except GoishiError:
        if is_help:
            return {}
        raise


def options_from(
    given: Mapping[str, object], declared: Mapping[str, Flag] = MappingProxyType({})
) -> RunOptions:
    """Validate the values of the command line and return them as `RunOptions`.

    Args:
        given: value by name of the field of `RunOptions`, or of the parameter of a scene's
            option; None for what was not given, and True for a switch that was.
        declared: the options of the scene, by name.

    Raises:
        UsageError: a value does not fit.
    """
    values: dict[str, Any] = {}
    for field in dataclasses.fields(RunOptions):
        value = given.get(field.name)
        if value is None or value is False:
            continue
        if isinstance(value, list):
            value = tuple(value)
        if field.name in _PARSERS:
            value = _PARSERS[field.name](str(value))
        elif field.default is True:
            value = False
        elif field.name == "project":
            value = project_above(str(value))
        values[field.name] = value
    own = {name: given.get(_parameter_name(name)) for name in declared}
    values["script_options"] = {
        name: value for name, value in own.items() if value is not None and value is not False
    }
    options = RunOptions(**values)
    if not options.scene.is_file():
        raise UsageError(f"SCENE: expected a scene file, found no file {str(options.scene)!r}")
    check_options(options, declared)
    return options


def check_names(options: RunOptions, declared: Mapping[str, Flag]) -> None:
    """Check the names of players and games, those of the scene's project included.

    None is imported.

    Raises:
        UsageError: nobody, or nothing, has such a name.
        GoishiError: the project's `goishi.toml` is invalid.
    """
    project = offering_project(options)
    for name, value in options.script_options.items():
        look_up = _LISTS.get(declared[name].listed_by)
        try:
            if look_up is not None:
                look_up(str(value), project)
        except (UnknownPlayerError, UnknownGameError, OptionError) as error:
            raise UsageError(f"{declared[name].flag}: {error}") from None


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
    kinds = {name: str if name in _PARSERS else _plain(hints[name]) for name in FLAGS}
    return [scene, *(_parameter(name, flag, kinds[name]) for name, flag in FLAGS.items())]


def _parameter(name: str, flag: Flag, kind: Any, heading: str | None = None) -> inspect.Parameter:
    """Return the parameter of a flag; those of a scene are listed under a heading of their own."""
    listed = f" (names: python main.py {flag.listed_by})" if flag.listed_by else ""
    shown = typer.Option(
        flag.flag,
        help=flag.help + listed,
        show_default=False,
        rich_help_panel=heading,
        metavar=None if kind is bool else flag.value_name,
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if kind is bool else None,
        annotation=Annotated[kind if kind is bool else kind | None, shown],
    )


def _parameter_name(option: str) -> str:
    return _PREFIX + option.replace("-", "_")


def _plain(hint: Any) -> Any:
    """Return `X` of `X | None`, a list for a tuple of any length, and anything else as it is."""
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if Ellipsis in kinds:
        return list[kinds[0]]  # type: ignore[valid-type]  # of a flag that may be given again
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

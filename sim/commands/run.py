"""`run`: open a scene, in a window or headless.

Its flags are made from `RunOptions`, and from the options that the scene's scripts declare.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Annotated, Any, Final, cast, get_args, get_type_hints

from base.errors import GoishiError, UsageError
from base.files import atomic_write, read_regular
from base.garbage import collector_waits
from base.program import PROGRAM
from base.schema import NUMBER, OptionError
from base.trust import Trust, guard_imports, is_trusted, trust_of
from base.worker.loaded import LoadedWorkers
from sim.commands.cli.ending import ending_code
from sim.commands.cli.project_option import project_above
from sim.commands.preflight import require_display, require_libraries
from sim.core.files.scene_file import find_project
from sim.core.hangs.exit_watch import ExitWatch
from sim.core.project.data_dir import user_cache_dir
from sim.core.project.run_options import (
    DEFAULT_SCENE,
    FLAGS,
    Flag,
    RunOptions,
    check_options,
    offering_project,
    parse_speed,
    parse_window,
)
from sim.core.project.scene_path import find_scene, require_scene
from sim.core.project.trust import ask_on_terminal, require_trust

_PARSERS: Final[Mapping[str, Callable[[str], object]]] = {
    "speed": parse_speed,
    "window": parse_window,
}
"""Parsers of values that `RunOptions` does not hold as text, by name of the field.

Each is called with the text from the command line.
"""


def _open_window(options: RunOptions) -> object:
    """Open the window of a run, or its buffer; None without graphics, or if no scene can follow."""
    if not options.graphics:
        return None
    try:
        json.loads(read_regular(options.scene))
    except (OSError, ValueError, RecursionError):
        return None  # the application tells what is wrong
    return import_module("sim.render.window.display").Display.of_run(options)


class WorkersAhead:
    """Begins to load what a scene's workers need while the window is still being opened.

    It remembers which scenes have had workers, in the user's cache.
    """

    def __init__(self, scene: Path) -> None:
        """Create the object; nothing is started yet.

        Args:
            scene: path of the scene's file.
        """
        self.workers = LoadedWorkers("ai.workers", "ai.workers.loaded", _may_load_kernels)
        self._scene = str(scene.absolute())
        self._file = user_cache_dir() / "scenes_with_workers.json"

    def begin(self) -> None:
        """Begin to load, if the scene had workers when it was opened last."""
        if self._scene == str(DEFAULT_SCENE) or self._scene in self._known():
            self.workers.begin()

    def remember(self) -> None:
        """Keep whether the scene had workers; a cache that cannot be written is left as it is."""
        known = self._known()
        if self.workers.was_used is (self._scene in known):
            return
        others = [path for path in known if path != self._scene]
        kept = [*others, self._scene][-MOST_SCENES:] if self.workers.was_used else others
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(self._file, json.dumps(kept))

    def _known(self) -> list[str]:
        try:
            found = json.loads(read_regular(self._file))
        except (OSError, ValueError, RecursionError):
            return []
        return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


MOST_SCENES: Final = 100
"""Maximum number of scenes that are remembered to have workers."""


def _may_load_kernels(settings: Mapping[str, object]) -> bool:
    """Return whether a worker with these settings may have compiled kernels."""
    return settings.get("jit") is not False


def _look_up(command: str, name: str, project: Path) -> None:
    """Check that a command such as "players" lists a name; nothing of a player is imported.

    Args:
        command: "players" or "games"; for others, nothing is checked.
        name: the name; of a player with its settings, as in NAME@KEY=VALUE.
        project: folder of the scene's project, whose names are known, too.

    Raises:
        UsageError: the name is unknown, or its settings are no pairs.
        GoishiError: the project's `goishi.toml` is invalid.
    """
    if command == "players":
        from ai.registry.players import UnknownPlayerError, get_player_info, split_label

        try:
            get_player_info(split_label(name)[0], project)
        except (UnknownPlayerError, OptionError) as error:
            raise UsageError(str(error)) from None
    elif command == "games":
        from ai.registry.project_games import UnknownGameError, get_game

        try:
            get_game(name, project)
        except UnknownGameError as error:
            raise UsageError(str(error)) from None


SCENE_OPTIONS: Final = "sim.core.host.scene_options"
"""Module that reads scripts; it is imported where that is necessary."""
_PREFIX: Final = "scene_option_"
"""Prefix of the names of Python parameters for the options of a scene's scripts.

It keeps them apart from Goishi's own options.
"""


def make_run(
    *,
    words: Sequence[str] = (),
    started: float | None = None,
    exit_watch: ExitWatch | None = None,
) -> Callable[..., int]:
    """Return the function of the command `run`.

    Its parameters are the fields of `RunOptions` and the options that the scene's scripts declare.

    Args:
        words: words of the command line after `run`; the scene is found among them.
        started: `time.perf_counter()` at the start of the process; None if unknown.
        exit_watch: is told how long the process may take to end; None for nothing.

    Raises:
        UsageError: a word is an option that this scene does not have.
        SceneFileError: the scene file is invalid.
    """
    scene, declared = scene_options(words)
    run = _runner(declared, started, exit_watch)
    heading = "Options, where the scene has them" if scene is None else f"Options of {scene}"
    own = [
        _parameter(_parameter_name(name), option, option.value_kind, heading)
        for name, option in declared.items()
    ]
    run.__signature__ = inspect.Signature([*_parameters(), *own])  # type: ignore[attr-defined]
    return run


def run_plainly(
    words: Sequence[str], *, started: float | None = None, exit_watch: ExitWatch | None = None
) -> int | None:
    """Run a scene if its command line is so plain that no library has to parse it.

    Loading that library takes longer than opening the window.

    Args:
        words: words of the command line after `run`.
        started: see `make_run`.
        exit_watch: see `make_run`.

    Returns:
        The exit code; None if the words have to be parsed, and nothing was done.
    """
    given = plain_values(words)
    if given is None:
        return None
    guard_imports()
    return ending_code(_runner({}, started, exit_watch))(**given)


def plain_values(words: Sequence[str]) -> dict[str, Any] | None:
    """Return the values of a plain command line of `run`, as the command's parameters.

    Args:
        words: the words after `run`: a scene, and Goishi's own options with plain values.

    Returns:
        Values by field of `RunOptions`; None if a word is anything else, such as an option of the
        scene, a wrong value, or a second value of an option.
    """
    kinds = option_kinds()
    names = {FLAGS[name].flag: name for name in kinds}
    found: dict[str, Any] = {}
    waiting = list(words)
    while waiting:
        word, equals, text = waiting.pop(0).partition("=")
        name, kind = "scene", cast("Any", Path)
        if not word.startswith("-"):
            text = f"{word}{equals}{text}"
        elif word in names:
            name, kind = names[word], kinds[names[word]]
            if kind is not bool and not equals:
                text = waiting.pop(0) if waiting else ""
        else:
            return None
        value = not equals or None if kind is bool else _plain_value(kind, text)
        if value is None or name in found:
            return None
        found[name] = value
    is_endless = found.keys() & {"headless", "graphics"} and "seconds" not in found
    return None if is_endless else found


def _plain_value(kind: Any, text: str) -> Any:
    """Return a plain value of an option; None if it has to be parsed, or is none."""
    if kind is int:
        return int(text) if text.isascii() and text.isdecimal() else None
    if kind is float:
        return float(text) if NUMBER.fullmatch(text) and text[0] not in "+-" else None
    if kind not in (str, Path) or text.startswith("-"):
        return None
    return kind(text) if text else None


def _runner(
    declared: Mapping[str, Flag], started: float | None, exit_watch: ExitWatch | None
) -> Callable[..., int]:
    """Return a function that runs a scene with given values of its options.

    Args:
        declared: options that the scene's scripts declare, by name.
        started: see `make_run`.
        exit_watch: see `make_run`.
    """

    def run(**given: object) -> int:
        """Open a scene and run it: in a window, or headless.

        In a window the players keep what they learnt in earlier runs. With --headless or --seed the
        run starts with nothing learnt, in a temporary folder, unless --data-dir names one.
        """
        options = options_from(given, declared)
        if options.engine:
            from ai.registry.engines import declare_engines

            declare_engines(options.engine)
        check_names(options, declared)
        require_what_is_needed(options)
        options = asked_about_trust(options)
        if options.debug:
            _restart_for_debugger()
        ahead = None if options.debug else WorkersAhead(options.scene)
        if ahead is not None:
            ahead.begin()
        with collector_waits():
            display = _open_window(options)  # a person sees it while the rest is imported
            application = import_module("sim.app.app")
        code = application.run(
            options,
            started=started,
            exit_watch=exit_watch,
            loaded=ahead and ahead.workers,
            display=display,
        )
        if ahead is not None:
            ahead.remember()
        return int(code)

    return run


def asked_about_trust(options: RunOptions) -> RunOptions:
    """Ask on the terminal whether to trust the scene's project, if the window cannot ask.

    Args:
        options: the run's options.

    Returns:
        The options, with `safe` if the user has chosen that.

    Raises:
        TrustError: there is no terminal, or the user has not trusted the project. No window is open
            yet.
    """
    if options.panels or options.headless or options.trust or options.safe:
        return options
    project = find_project(options.scene)
    if is_trusted(project) or trust_of(project) is Trust.TRUSTED:
        return options
    if trust_of(project) is Trust.UNKNOWN and ask_on_terminal(project) is Trust.SAFE:
        return dataclasses.replace(options, safe=True)
    require_trust(project)
    return options


def scene_options(words: Sequence[str]) -> tuple[str | None, dict[str, Flag]]:
    """Find the scene on the command line of `run`, and the options that its scripts declare.

    The script files are read only if needed: for an option that is not Goishi's, for the help, or
    for a headless run without `--for`.

    Args:
        words: words of the command line after `run`.

    Returns:
        (path of the scene as written, options by name). The path is None for the default scene. The
        options are empty if the script files were not read.

    Raises:
        UsageError: a word is an option that the default scene has, but not this scene.
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
    if missing and other is not None and other != scene and find_scene(other).is_file():
        scene, declared = other, _read(other, is_help=is_help)
        missing = unknown - {option.flag for option in declared.values()}
    if missing and scene is not None:
        for option in _read(None, is_help=False).values():
            if option.flag in missing:
                raise UsageError(
                    f"{option.flag}: expected a scene that has this option, "
                    f"found {Path(scene).name}"
                )
    return scene, declared


def _scene_among(words: Sequence[str], *, takes_value: bool) -> str | None:
    """Return the scene on a command line: the first word that belongs to no option.

    Args:
        words: words of the command line after `run`.
        takes_value: whether an option that Goishi does not know is taken to have a value, which is
            the next word.

    Returns:
        The word; None if there is none.
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
    path = DEFAULT_SCENE if scene is None else find_scene(scene)
    if is_help and not path.is_file():
        return {}
    require_scene(path)
    try:
        found: dict[str, Flag] = import_module(SCENE_OPTIONS).read_options(path)
        return found
    except GoishiError:
        if is_help:
            return {}
        raise


def options_from(
    given: Mapping[str, object], declared: Mapping[str, Flag] = MappingProxyType({})
) -> RunOptions:
    """Check the values of the command line and return them as `RunOptions`.

    Args:
        given: the values, by field of `RunOptions` or by parameter for a scene's option. An option
            that was not given has None or False; a switch that was given has True.
        declared: options that the scene's scripts declare, by name.

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
    require_scene(options.scene)
    check_options(options, declared)
    return options


def check_names(options: RunOptions, declared: Mapping[str, Flag]) -> None:
    """Check that the players and games that the options name exist; nothing is imported.

    Names from the scene's project are known, too.

    Args:
        options: the run's options.
        declared: options of the scene, by name.

    Raises:
        UsageError: there is no player or game of such a name.
        GoishiError: the project's `goishi.toml` is invalid.
    """
    for name, value in options.script_options.items():
        listed_by = declared[name].listed_by
        if listed_by:
            try:
                _look_up(listed_by, str(value), offering_project(options))
            except UsageError as error:
                raise UsageError(f"{declared[name].flag}: {error}") from None


def require_what_is_needed(options: RunOptions) -> None:
    """Check that the display and the system libraries that this run needs are present.

    Raises:
        PreflightError: something is missing; the message says what to do.
    """
    if options.graphics:
        require_libraries()
    if not options.headless:
        require_display()


def _parameters() -> list[inspect.Parameter]:
    import typer

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
    kinds = option_kinds()
    return [scene, *(_parameter(name, flag, kinds[name]) for name, flag in FLAGS.items())]


def option_kinds() -> dict[str, Any]:
    """Return the type of each of Goishi's own options on the command line, by field."""
    hints = get_type_hints(RunOptions)
    return {name: str if name in _PARSERS else _plain(hints[name]) for name in FLAGS}


def _parameter(name: str, flag: Flag, kind: Any, heading: str | None = None) -> inspect.Parameter:
    """Return the parameter of the command's function for an option, with its help text.

    Args:
        name: name of the parameter.
        flag: the option.
        kind: type of its value; bool for a switch.
        heading: heading of the help under which the option is listed; None for the usual one.
    """
    import typer

    listed = f" (names: {PROGRAM} {flag.listed_by})" if flag.listed_by else ""
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
    """Return the type of an option's value, made from a type hint.

    `X | None` becomes `X`. A tuple of any length becomes a list, for an option that may be
    repeated. Other hints stay unchanged.

    Args:
        hint: type hint of the field in `RunOptions`.
    """
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if Ellipsis in kinds:
        return list[kinds[0]]  # type: ignore[valid-type]  # of a flag that may be given again
    return kinds[0] if kinds else hint


def _restart_for_debugger() -> None:
    """Start Python again in a way in which a debugger can show the lines of Python's own modules.

    This does nothing if it was done before, if the program is not main.py, or on Windows.
    """
    is_ours = Path(sys.argv[0]).name == "main.py" and len(sys.orig_argv) > 1
    is_done = sys._xoptions.get("frozen_modules") == "off" or "pydevd" in sys.modules
    if is_ours and not is_done and os.name != "nt":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(sys.executable, [sys.executable, "-Xfrozen_modules=off", *sys.orig_argv[1:]])

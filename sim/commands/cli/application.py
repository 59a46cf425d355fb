"""The Typer application and the table of its commands.

Only the command that the user names is imported. The general help imports all commands. It also
lists the commands of the project in the current folder, or in `--project DIR`.
"""

from __future__ import annotations

import platform
import sys
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from base.errors import GoishiError, UsageError
from base.files import SHIPPED_ROOT
from base.program import PROGRAM
from base.spelling import nearest_first
from base.trust import guard_imports
from sim.commands.cli.ending import (
    FAILED,
    SUCCESS,
    WRONG_USAGE,
    echo,
    example,
    print_error,
    report_errors,
)
from sim.commands.cli.project_option import TRUST, Given, split_project, words_for

if TYPE_CHECKING:
    from sim.core.hangs.exit_watch import ExitWatch


class CommandGroup(TyperGroup):
    """Lists a project's own commands under a separate heading of the help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands into the help, with one section for each heading."""
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max((len(name) for name in names), default=0)
        rows = []
        for name in names:
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                heading = getattr(command, "rich_help_panel", None) or "Commands"
                rows.append((heading, (name, command.get_short_help_str(limit))))
        _write_sections(formatter, rows)


class TrainGroup(CommandGroup):
    """Command group of `train`, whose error for an unknown name lists all that can be trained."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Return the command that the first word names, as the base class does.

        Raises:
            UsageError: there is no such command.
        """
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            known = " or ".join(nearest_first(names, args[0]))
            raise UsageError(f"train: expected {known}, found {args[0]!r}")
        return super().resolve_command(ctx, args)


class OptionGroups(TyperCommand):
    """Lists a scene's own options under a separate heading of the help."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options into the help, with one section for each heading."""
        rows = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                rows.append((getattr(parameter, "rich_help_panel", None) or usual, record))
        _write_sections(formatter, rows)


def _write_sections(formatter: Any, rows: Iterable[tuple[str, tuple[str, str]]]) -> None:
    """Write rows of a help text in sections, one for each heading.

    Args:
        formatter: receives the sections.
        rows: (heading, (name, description)) of each row. A section comes where its heading is first
            met.
    """
    sections: dict[str, list[tuple[str, str]]] = {}
    for heading, row in rows:
        sections.setdefault(heading, []).append(row)
    for heading, own in sections.items():
        with formatter.section(heading):
            formatter.write_dl(own)


VERSION: Final = "--version"
CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@dataclass(frozen=True)
class Command:
    """One command of the command line, imported when needed.

    Attributes:
        place: where the command's function is, as `module:name` below `sim.commands`. For the
            command "run" it is a function that makes the command's function.
        shown: an example call for the help text, or several.
        settings: name of a variable in the same module that holds the command's Typer settings;
            empty for none.
    """

    place: str
    shown: str | tuple[str, ...]
    settings: str = ""

    @property
    def examples(self) -> tuple[str, ...]:
        """The example calls, one string each."""
        return (self.shown,) if isinstance(self.shown, str) else self.shown

    def found(self) -> Any:
        """Import and return the object that `place` names."""
        return self._in_module(self.place.partition(":")[2])

    def found_settings(self) -> dict[str, object] | None:
        """Import and return the command's Typer settings, None for none."""
        return self._in_module(self.settings) if self.settings else None

    def _in_module(self, name: str) -> Any:
        return getattr(import_module(f"sim.commands.{self.place.partition(':')[0]}"), name)


@dataclass(frozen=True)
class Group:
    """Several commands with the same first word, such as "train".

    Attributes:
        help: one sentence that describes them all.
        members: the commands by their second word.
        kind: Typer class of the group.
    """

    help: str
    members: Mapping[str, Command]
    kind: type[CommandGroup] = CommandGroup


COMMANDS: Final[Mapping[str, Command | Group]] = {
    "run": Command(
        "run:make_run",
        "run scenes/self_teaching.scene.json --headless --games 10 --seed 1 --stats out.json",
    ),
    "players": Command("players:players", "players --json"),
    "games": Command("games:games", "games --json"),
    "check": Command("check:check", "check scenes/self_teaching.scene.json"),
    "experiment": Command(
        "experiment:experiment",
        "experiment --player cnn-ann-plus --games 600 --seed 0 --held-out 200 --out runs/plus",
    ),
    "grid": Command(
        "experiment:grid", "grid --player cnn-ann --seeds 5 --jobs 2 --out runs/paper --resume"
    ),
    "arena": Command(
        "arena:arena",
        (
            "arena alpha-beta one-ply random --games 20 --nodes 500 --out runs/arena",
            "arena alpha-beta@depth=2 alpha-beta@depth=1 --games 400 --nodes 500 --sprt 0,50",
        ),
    ),
    "arena-table": Command("arena_table:arena_table", "arena-table runs/arena"),
    "bench": Command("bench:bench", ("bench", "bench --nodes 10000 --json")),
    "train": Group(
        "Train a player's networks, or the agent of a scene.",
        {
            "move-net": Command(
                "learning.train:train_move_net",
                "train move-net --records games.sgf runs/plus --out move_net.npz --seed 1",
            ),
            "alphagomoku": Command(
                "learning.alphagomoku:train_alphagomoku",
                "train alphagomoku --board 6 --win-length 4 --hours 0.3 --jobs 2 --out runs/six",
            ),
            "ppo": Command(
                "learning.ppo:train_ppo",
                "train ppo --scene scenes/cart_pole.scene.json --steps 60000 --seed 1",
            ),
            "sac": Command(
                "learning.ppo:train_sac",
                "train sac --scene scenes/pendulum.scene.json --steps 20000 --seed 1",
            ),
            "patterns": Command(
                "learning.evaluation:train_patterns",
                "train patterns --data runs/positions --games 1200 --seed 1",
            ),
            "evaluation": Command(
                "learning.evaluation:train_evaluation",
                "train evaluation --data runs/positions --games 4000 --out evaluation.npz",
            ),
        },
        TrainGroup,
    ),
    "brain": Command(
        "brain:brain", ("brain pattern", "brain alpha-beta --set nodes=none --package brains")
    ),
    "replay": Command("replay:replay", "replay runs/plus --game 1 --video game.mp4"),
    "review": Command("review:review", "review game.sgf --nodes 20000"),
    "export": Command("export:export", "export scripts/export/gomoku_player.py --out build/player"),
    "pack": Command("pack:pack", "pack ~/my_games --out build/my_game --target windows"),
    "export-policy": Command(
        "exchange:export_policy", "export-policy cart_pole --out cart_pole.onnx"
    ),
    "export-net": Command(
        "exchange:export_net",
        (
            "export-net alphagomoku --board 9 --out nine.onnx",
            "export-net white.learnt --out white.onnx",
        ),
    ),
    "export-scene": Command(
        "export_scene:export_scene",
        (
            "export-scene scenes/bouncing_balls.scene.json --out balls.glb",
            "export-scene scenes/character.scene.json --object Figure --out figure.glb",
        ),
    ),
    "new": Group(
        "Make a new script or a new project.",
        {
            "script": Command("new:new_script", "new script falling_leaf"),
            "project": Command("new:new_project", "new project ~/my_games"),
        },
    ),
    "learnt": Group(
        "Keep what a player has learnt in a file, or load it on another machine.",
        {
            "save": Command("learnt:save_learnt", "learnt save white.learnt"),
            "load": Command("learnt:load_learnt", "learnt load white.learnt"),
        },
    ),
    "warm": Command("warm:warm", "warm"),
    "forget": Command("forget:forget", "forget --yes"),
    "pip": Command("pip:pip", "pip install scipy", settings="CONTEXT"),
    "test": Command(
        "project_tests:run_project_tests", ("test", "test ~/my_games -k hops"), settings="CONTEXT"
    ),
}


def run_application(
    arguments: Sequence[str],
    *,
    started: float | None = None,
    exit_watch: ExitWatch | None = None,
) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the words of the command line: the command first, or `--project DIR` before it.
        started: `time.perf_counter()` at the start of the process.
        exit_watch: is told how long the process may take to end; None for nothing.
    """
    guard_imports()
    try:
        project, words = split_project(arguments)
        given = Given(project, is_trusted=project is not None and words[:1] == [TRUST])
        if project is not None:
            words = words_for(project, words)
    except UsageError as error:
        return print_error(error, code=WRONG_USAGE)
    is_shipped = bool(words) and (words[0] in COMMANDS or words[0] == VERSION)
    try:
        application = build_application(
            [name for name in words[:1] if name in COMMANDS] if is_shipped else COMMANDS,
            words=words[1:],
            started=started,
            exit_watch=exit_watch,
        )
    except UsageError as error:
        return print_error(error, code=WRONG_USAGE)
    except GoishiError as error:
        return print_error(error, code=FAILED)
    has_project = is_shipped or _add_project_commands(application, given)
    try:
        application(words, prog_name=PROGRAM, obj=given)
    except UsageError as error:
        return print_error(error, code=WRONG_USAGE)
    except SystemExit as end:
        if end.code == WRONG_USAGE and not has_project and not words[0].startswith("-"):
            sys.stderr.write(
                "goishi: a project's own commands are known in its folder, or by "
                f"{PROGRAM} --project DIR {words[0]}\n"
            )
        return end.code if isinstance(end.code, int) else FAILED
    return SUCCESS


def build_application(
    names: Collection[str] = COMMANDS,
    *,
    words: Sequence[str] = (),
    started: float | None = None,
    exit_watch: ExitWatch | None = None,
) -> typer.Typer:
    """Build the Typer application with the named commands; by default with all.

    Args:
        names: names of the commands to include.
        words: words of the command line after the command, if only one is included. `run` reads the
            scene from them.
        started: `time.perf_counter()` at the start of the process; None if unknown.
        exit_watch: is told how long the process may take to end; None for nothing.

    Raises:
        GoishiError: `run` is included, and its scene is invalid or has no such option.
    """
    application = _group(CommandGroup, ("run --games 3", "COMMAND --help"), callback=_root)
    for name in names:
        entry = COMMANDS[name]
        if isinstance(entry, Group):
            shown = [text for member in entry.members.values() for text in member.examples]
            group = _group(entry.kind, shown, help=entry.help)
            for second, member in entry.members.items():
                _add(group, second, member, member.found())
            application.add_typer(group, name=name)
            continue
        function = entry.found()
        if name == "run":
            words = words if len(names) == 1 else ()
            function = function(words=words, started=started, exit_watch=exit_watch)
        _add(application, name, entry, function)
    return application


def _add(group: typer.Typer, name: str, command: Command, function: Any) -> None:
    """Add a command to a Typer group.

    Args:
        group: the group.
        name: name of the command.
        command: the command, with example calls and settings.
        function: the function that it runs.
    """
    group.command(
        name,
        cls=OptionGroups,
        epilog=example(*command.examples),
        context_settings=command.found_settings(),
    )(report_errors(function))


def _add_project_commands(application: typer.Typer, given: Given) -> bool:
    """Add the commands of a project: the one of `--project`, or the one around the current folder.

    Nothing of the project is imported. If its `goishi.toml` is invalid, one line is printed, and
    Goishi's own commands still work.

    Args:
        application: the application to extend.
        given: options before the command, with the project's folder.

    Returns:
        Whether there is such a project.
    """
    from base.manifest import ProjectError
    from sim.commands.cli.project_commands import CONTEXT as PROJECT_CONTEXT
    from sim.commands.cli.project_commands import HEADING, make_command, manifest_of

    try:
        manifest = manifest_of(given.project or Path.cwd(), COMMANDS)
    except ProjectError as error:
        print_error(error, code=FAILED)
        return True
    if manifest is None:
        return False
    for entry in manifest.commands:
        add = application.command(
            entry.name,
            add_help_option=False,
            context_settings=PROJECT_CONTEXT,
            rich_help_panel=HEADING,
        )
        add(report_errors(make_command(manifest, entry, given)))
    return True


def version() -> str:
    """Return Goishi's version, as pyproject.toml has it."""
    with (SHIPPED_ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _group(kind: type[CommandGroup], shown: Sequence[str], **more: Any) -> typer.Typer:
    """Return a Typer group that has no commands yet.

    Args:
        kind: class of the group.
        shown: example calls for its help text.
        more: further arguments of `typer.Typer`.
    """
    return typer.Typer(
        cls=kind,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=CONTEXT,
        epilog=example(*shown),
        **more,
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(f"goishi {version()} (Python {platform.python_version()}, {platform.system()})")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            VERSION, callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project",
            metavar="DIR",
            help="Before a command: let it work on this project, from any folder "
            "[that of the current folder].",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Goishi: game AIs play and teach themselves in a 3D world that you can script.

    Without a command it opens the live match; every flag of `run` may be given with it.
    """

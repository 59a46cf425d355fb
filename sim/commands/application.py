"""The Typer application: which commands there are."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from sim.commands.check import check
from sim.commands.ending import FAILED, PROGRAM, SUCCESS, complain, ends_well, example, say
from sim.commands.experiment import experiment, grid
from sim.commands.export import export
from sim.commands.forget import forget
from sim.commands.games import games
from sim.commands.new import new_project, new_script
from sim.commands.pip import CONTEXT as PIP_CONTEXT
from sim.commands.pip import pip
from sim.commands.players import players
from sim.commands.project_commands import CONTEXT as PROJECT_CONTEXT
from sim.commands.project_commands import HEADING, CommandGroup, make_command, manifest_here
from sim.commands.project_tests import CONTEXT as TEST_CONTEXT
from sim.commands.project_tests import run_project_tests
from sim.commands.replay import replay
from sim.commands.run import make_run
from sim.commands.warm import warm
from sim.core.manifest import ManifestError
from sim.core.run_options import SHIPPED_ROOT

CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run_application(arguments: Sequence[str], *, started: float | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the words of the command line, the command first.
        started: `time.perf_counter()` at the start of the process.
    """
    application = build_application(started=started)
    try:
        _add_project_commands(application)
    except ManifestError as error:  # what else there is works all the same
        complain(error, code=FAILED)
    try:
        application(list(arguments), prog_name=PROGRAM)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED
    return SUCCESS


def build_application(*, started: float | None = None) -> typer.Typer:
    """Return the application with all commands that ship."""
    application = _group(example("run --games 3", "COMMAND --help"), _root)
    application.command(
        "run",
        epilog=example(
            "run scenes/self_teaching.scene.json --headless --games 10 --seed 1 --stats out.json"
        ),
    )(ends_well(make_run(started=started)))
    application.command("players", epilog=example("players --json"))(ends_well(players))
    application.command("games", epilog=example("games --json"))(ends_well(games))
    application.command("check", epilog=example("check scenes/self_teaching.scene.json"))(
        ends_well(check)
    )
    application.command(
        "experiment",
        epilog=example(
            "experiment --player cnn-ann-plus --games 600 --seed 0 --held-out 200 --out runs/plus"
        ),
    )(ends_well(experiment))
    application.command(
        "grid", epilog=example("grid --player cnn-ann --seeds 5 --jobs 2 --out runs/paper --resume")
    )(ends_well(grid))
    application.command("replay", epilog=example("replay runs/plus --game 1 --video game.mp4"))(
        ends_well(replay)
    )
    application.command(
        "export", epilog=example("export scripts/export/gomoku_player.py --out build/player")
    )(ends_well(export))
    application.add_typer(_new_commands(), name="new")
    application.command("warm", epilog=example("warm"))(ends_well(warm))
    application.command("forget", epilog=example("forget --yes"))(ends_well(forget))
    application.command("pip", epilog=example("pip install scipy"), context_settings=PIP_CONTEXT)(
        ends_well(pip)
    )
    application.command(
        "test", epilog=example("test", "test ~/my_games -k hops"), context_settings=TEST_CONTEXT
    )(ends_well(run_project_tests))
    return application


def _add_project_commands(application: typer.Typer) -> None:
    """Add what the project of the current folder offers; none of it is imported.

    Raises:
        ManifestError: its `goishi.toml` is unsound.
    """
    taken = set(typer.main.get_group(application).commands)
    manifest = manifest_here(taken)
    if manifest is None:
        return
    for entry in manifest.commands:
        add = application.command(
            entry.name, add_help_option=False, context_settings=PROJECT_CONTEXT,
            rich_help_panel=HEADING,
        )  # fmt: skip
        add(ends_well(make_command(manifest, entry)))


def version() -> str:
    """Return Goishi's version, as pyproject.toml has it."""
    with (SHIPPED_ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _new_commands() -> typer.Typer:
    group = _group(example("new script falling_leaf", "new project ~/my_games"), _new)
    group.command("script", epilog=example("new script falling_leaf"))(ends_well(new_script))
    group.command("project", epilog=example("new project ~/my_games"))(ends_well(new_project))
    return group


def _group(epilog: str, callback: object) -> typer.Typer:
    return typer.Typer(
        cls=CommandGroup,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings=CONTEXT,
        epilog=epilog,
        callback=callback,  # type: ignore[arg-type]
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"goishi {version()} (Python {platform.python_version()}, {platform.system()})")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Goishi: game AIs play and teach themselves in a 3D world that you can script.

    Without a command it opens the live match; every flag of `run` may be given with it.
    """


def _new() -> None:
    """Make a new script or a new project."""

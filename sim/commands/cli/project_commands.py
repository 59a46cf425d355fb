"""Commands that a project's `goishi.toml` adds; each is imported only when it is run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final

import typer

from base.errors import GoishiError
from base.files import SHIPPED_ROOT
from base.manifest import find_manifest, refuse
from base.missing_package import offer, package_of
from base.modules import place_of
from base.program import PROGRAM
from sim.commands.cli.ending import SUCCESS
from sim.commands.cli.project_option import Given
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.manifest import Entry, Manifest, read_manifest
from sim.core.project.trust import require_trust
from sim.core.reporting.failure_text import describe

CONTEXT: Final = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "allow_interspersed_args": False,
    "help_option_names": [],
}
HEADING: Final = "Commands of this project"


def manifest_of(folder: Path, taken: Collection[str]) -> Manifest | None:
    """Return the manifest of the project that contains a folder; None outside of a project.

    Args:
        folder: folder from which to search upwards.
        taken: names of Goishi's own commands.

    Raises:
        ProjectError: its `goishi.toml` is invalid, or a command has the name of one of Goishi's.
    """
    project = find_manifest(folder)
    if project is None or project == SHIPPED_ROOT:
        return None
    manifest = read_manifest(project)
    for entry in manifest.commands:
        if entry.name in taken:
            refuse(f"commands.{entry.name}", "a name that no command of Goishi has", entry.name)
    return manifest


def make_command(manifest: Manifest, entry: Entry, given: Given) -> Callable[[typer.Context], int]:
    """Return a Typer command that imports and runs a function of a project.

    Args:
        manifest: the project's manifest.
        entry: the manifest's entry that names the function.
        given: options before the command; `--trust` lets the function run in an untrusted project.
    """

    def command(context: typer.Context) -> int:
        require_trust(
            manifest.project,
            is_given=given.is_trusted,
            how=f"--project DIR --trust before {entry.name}",
        )
        return run_entry(manifest.project, entry, context.args)

    command.__doc__ = entry.help or f"Run {entry.target}."
    return command


def run_entry(project: Path, entry: Entry, arguments: Sequence[str]) -> int:
    """Run a project's command and return its exit code.

    The command is a function or a Typer application. It may return a code, raise a GoishiError, or
    end by `typer.Exit` or `SystemExit`. Any other error becomes a GoishiError with file and line.

    Args:
        project: folder of the project.
        entry: the command's entry in `goishi.toml`.
        arguments: words after the command.

    Raises:
        GoishiError: the command failed, or the entry does not name a command.
    """
    try:
        found = _load(project, entry)
        command = typer.main.get_command(_as_application(found, entry))
        code = command.main(
            list(arguments), prog_name=f"{PROGRAM} {entry.name}", standalone_mode=True
        )
    except SystemExit as end:
        if isinstance(end.code, str):
            raise GoishiError(f"command {entry.name}: {end.code}") from None
        return end.code or SUCCESS
    except (GoishiError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a project's own kind, too
        raise GoishiError(_describe(error, project, entry)) from error
    return code if isinstance(code, int) else SUCCESS


def _load(project: Path, entry: Entry) -> Callable[..., object]:
    module_name, _, name = entry.target.partition(":")
    package = ScriptLoader(project, SHIPPED_ROOT).project
    found: Callable[..., object] | None = getattr(package.module_within(module_name), name, None)
    if not callable(found):
        expected = f"a function or a Typer application {name} in {module_name}"
        refuse(f"commands.{entry.name}", expected, found)
    return found


def _as_application(found: Callable[..., object], entry: Entry) -> typer.Typer:
    if isinstance(found, typer.Typer):
        return found
    application = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    application.command(entry.name)(_with_exit_code(found))
    return application


def _with_exit_code(function: Callable[..., object]) -> Callable[..., None]:
    """Return a function that ends with the exit code that `function` returns, if it is an int."""

    @functools.wraps(function)
    def command(*arguments: object, **named: object) -> None:
        code = function(*arguments, **named)
        if isinstance(code, int) and not isinstance(code, bool):
            raise typer.Exit(code)

    return command


def _describe(error: BaseException, project: Path, entry: Entry) -> str:
    """Return an error as one line, with the innermost line of the project's scripts, if any.

    If a package is missing, the line also says how to install it.
    """
    text = f"command {entry.name}: {describe(error).splitlines()[0]}"
    if place := place_of(error, project):
        text += f" ({place})"
    package = package_of(error)
    return f"{text}; {offer(package, entry.target.partition(':')[0])}" if package else text

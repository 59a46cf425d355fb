"""`forget`: delete what was learnt."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from base.errors import UsageError
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import command, flag, switch
from sim.core.project import data_dir as data


@command
def forget(
    *,
    data_dir: Path | None = flag(
        None, "--data-dir DIR", "The data folder [your user data folder].", show_default=False
    ),
    yes: bool = switch("--yes", "Do not ask.", ("-y",)),
) -> None:
    """Delete what was learnt.

    Deletes networks, memories and recorded games; settings are kept. Refuses while Goishi is
    running with this data folder.
    """
    path = (data_dir or data.user_data_dir()).expanduser().absolute()
    found = data.learnt_entries(path)
    if not found:
        echo(f"nothing learnt in {path}")
        return
    if not yes:
        _confirm(path, found)
    for entry in data.forget(path):
        echo(f"deleted {entry}")


def _confirm(path: Path, found: list[Path]) -> None:
    names = ", ".join(entry.name for entry in found)
    if not sys.stdin.isatty():
        raise UsageError(
            f"forget: expected --yes (nobody can be asked), to delete {names} in {path}"
        )
    if not typer.confirm(f"Delete {names} in {path}?"):
        raise typer.Exit

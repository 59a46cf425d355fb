"""`arena-table`: a tournament's table of one player against each of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from base.errors import UsageError
from base.storage.run_folder import RUN_FILE
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import command, flag

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="Folder of a tournament, as arena wrote it.")
]


@command
def arena_table(
    folder: Folder,
    *,
    player: str | None = flag(None, "--player NAME", "Whose matches [the tournament's first]."),
    out: Path | None = flag(None, "--out DIR", "Folder of the files [that of the tournament]."),
) -> int:
    """Write the table of one player's matches: opponent, won : lost, sum, ratio, 95 % intervals.

    The files are table.md and table.html. They are made from the folder's games alone, so the same
    command gives the same files again.
    """
    from ai.arena.arena import TABLE_PAGE, TABLE_TEXT, write_table

    if not (folder / RUN_FILE).is_file():
        raise UsageError(f"arena-table: expected a tournament's folder, found {str(folder)!r}")
    place = out or folder
    echo(write_table(folder, player, place).rstrip("\n"))
    echo(f"written to {place / TABLE_TEXT} and {place / TABLE_PAGE}")
    return SUCCESS

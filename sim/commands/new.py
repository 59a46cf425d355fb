"""`new`: make a script or a project that runs, to start from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from base.command_line import join_words
from base.errors import UsageError
from base.program import PROGRAM
from base.values import printable
from sim.commands.cli.ending import echo
from sim.core.editing.new_files import PROJECT_SCENE, make_project, make_script


def new_script(
    name: Annotated[str, typer.Argument(help="As in falling_leaf, or games/falling_leaf.")],
    project: Annotated[
        Path,
        typer.Option(metavar="DIR", help="A folder inside the project [.].", show_default=False),
    ] = Path(),
) -> None:
    """Write scripts/NAME.py, a script with every hook that you may want."""
    path, type_name, fault = make_script(project_of(project), name)
    echo(f"wrote {path}")
    echo(f'attach it in a scene: {{"type": "{type_name}"}}')
    _warn(fault)


def new_project(
    path: Annotated[
        Path, typer.Argument(metavar="NAME", help="The folder to make.", show_default=False)
    ],
) -> None:
    """Make a project: a folder with a scene that runs, a script, a test, assets."""
    folder = path.expanduser()
    fault = make_project(folder)
    echo(f"made {folder}")
    echo(f"open it: {PROGRAM} run {join_words([str(folder / PROJECT_SCENE)])}")
    echo(f"test it: {PROGRAM} test {join_words([str(folder)])}")
    _warn(fault)


def project_of(folder: Path) -> Path:
    """Return the nearest folder from `folder` upwards that holds `scenes/`.

    Raises:
        UsageError: no such folder holds `scenes/`.
    """
    start = folder.expanduser().absolute()
    for candidate in (start, *start.parents):
        if (candidate / "scenes").is_dir():
            return candidate
    raise UsageError(
        f"--project: expected a folder inside a project (one that holds scenes/), found {start}"
    )


def _warn(fault: str) -> None:
    if fault:
        sys.stderr.write(f"goishi: warning: {printable(fault)}\n")

"""`pack`: a project as a game that plays without Goishi and without Python."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from base.errors import GoishiError, UsageError
from base.files import from_home
from base.modules import link_out_of
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import command, flag, switch
from sim.core.project.trust import require_trust


@command
def pack(
    project: Annotated[
        Path,
        typer.Argument(metavar="PROJECT", help="The project's folder.", show_default=False),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="DIR", help="The folder to write; DIR.zip, too.", show_default=False
        ),
    ],
    *,
    target: str = flag("here", "--target NAME", "linux, windows or here [here]."),
    scene: str | None = flag(
        None, "--scene SCENE", "The scene that opens first [the only one, or game.scene]."
    ),
    packages: str = flag("", "--packages LIST", "Packages to add: a,b,c.", show_default=""),
    trust: bool = switch("--trust", "Pack a project that you have not trusted."),
) -> None:
    """Pack a project as a game: a folder and a zip that play without Goishi and without Python.

    The packages that the scripts of the scene import are found and copied, and no others. For
    Windows they are downloaded.
    """
    place = from_home(project)
    if place.is_dir():
        require_trust(place.resolve(), is_given=trust)
        if link := link_out_of(place.resolve()):
            raise UsageError(f"PROJECT: expected scripts inside the project, found a link {link}")
    packer = import_module("sim.pack.packer")
    names = tuple(word for word in re.split(r"[,\s]+", packages) if word)
    request = packer.PackRequest(
        place, from_home(out), target, scene, names, partial(is_learner, place.resolve())
    )
    report = packer.pack(request)
    zipped = report.zip.stat().st_size / 1e6
    echo(f"wrote {out} ({report.size / 1e6:.0f} MB) and {report.zip.name} ({zipped:.0f} MB)")
    echo(f"inside: {', '.join(f'{name} {version}' for name, version in report.versions.items())}")
    echo(f"scenes: {', '.join(report.choice.scenes)}")
    for note in report.choice.notes:
        echo(f"note: {note}")
    echo(f"start: {report.executable}; needs {report.needs}")


def is_learner(project: Path, word: str) -> bool:
    """Whether a text names a player that learns, with or without settings.

    Args:
        project: folder of the project, whose players are known, too.
        word: the text.
    """
    from ai.registry.players import UnknownPlayerError, get_player_info

    try:
        return get_player_info(word.partition("@")[0], project).learner is not None
    except (UnknownPlayerError, GoishiError, ValueError):
        return False

"""`export`: a script as a C library that runs without Goishi."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from base.errors import UsageError
from base.modules import link_out_of
from sim.commands.cli.ending import echo
from sim.core.project.manifest import project_around
from sim.core.project.run_options import from_home
from sim.core.project.trust import require_trust


def export(
    script: Annotated[
        Path,
        typer.Argument(
            metavar="SCRIPT", help="A script with @exported functions.", show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="The folder to write.", show_default=False),
    ],
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the library [the script's]."),
    ] = None,
    packages: Annotated[
        str,
        typer.Option(
            "--packages",
            metavar="LIST",
            help="Packages and modules to add: a,b,c.",
            show_default="",
        ),
    ] = "",
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data", metavar="PATH", help="A file or a folder the script reads; may be repeated."
        ),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Import a script of a folder that you have not trusted.")
    ] = False,
    compiler: Annotated[
        str | None,
        typer.Option(
            "--compiler", metavar="CC", help="Compile the library with CC instead of writing it."
        ),
    ] = None,
) -> None:
    """Make a C library of a script's @exported functions: libNAME.so, NAME.h, and a Python.

    The folder runs on a machine without Goishi and without Python. No compiler is needed on Linux
    (x86-64). The packages that the script imports and the files that it opens when it is imported
    are found and copied.
    """
    exporter = _exporter(script, is_trusted=trust)
    request = exporter.ExportRequest(
        script=from_home(script),
        out=from_home(out),
        name=name or re.sub(r"\W", "_", script.stem),
        packages=tuple(word for word in re.split(r"[,\s]+", packages) if word),
        files=tuple(map(from_home, data or ())),
        compiler=compiler,
    )
    report = exporter.export(request)
    count = len(report.library.functions)
    functions = f"{count} function{'' if count == 1 else 's'}"
    echo(f"wrote {out}: {', '.join(report.files)} ({functions}, {report.size / 1e6:.0f} MB)")
    echo(f"inside: {exporter.python_text(report.versions)}")


def _exporter(script: Path, *, is_trusted: bool) -> ModuleType:
    """Return the module that exports, where the script may be imported."""
    place = from_home(script)
    if place.is_file():
        project = project_around(place) or place.resolve().parent
        require_trust(project, is_given=is_trusted)
        if link := link_out_of(project):
            raise UsageError(f"SCRIPT: expected scripts inside the project, found a link {link}")
    return import_module("sim.export.exporter")

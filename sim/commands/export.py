"""`export`: a script as a C library that runs without Goishi."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Final

import typer

from base.errors import UsageError
from base.files import find_file, from_home
from base.modules import link_out_of
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import command, flag, switch
from sim.core.project.manifest import project_around
from sim.core.project.trust import require_trust

SCRIPT: Final = typer.Argument(
    metavar="SCRIPT",
    help="A script with @exported functions; with --native also a policy file.",
    show_default=False,
)
OUT: Final = typer.Option("--out", metavar="DIR", help="The folder to write.", show_default=False)


@command
def export(
    script: Annotated[Path, SCRIPT],
    out: Annotated[Path, OUT],
    *,
    name: str | None = flag(None, "--name NAME", "Name of the library [the script's]."),
    packages: str = flag(
        "", "--packages LIST", "Packages and modules to add: a,b,c.", show_default=""
    ),
    data: list[Path] | None = flag(
        None, "--data PATH", "A file or a folder the script reads; may be repeated."
    ),
    trust: bool = switch("--trust", "Import a script of a folder that you have not trusted."),
    compiler: str | None = flag(
        None, "--compiler CC", "Compile the library with CC instead of writing it."
    ),
    native: bool = switch(
        "--native", "Machine code alone: for functions of numbers and arrays of numbers."
    ),
    target: list[str] | None = flag(
        None,
        "--target SYSTEM",
        "With --native: linux, windows, macos, wasm or here; may be repeated [here].",
        show_default="",
    ),
) -> None:
    """Make a C library of a script's @exported functions: libNAME.so, NAME.h, and a Python runtime.

    The folder runs on a machine without Goishi and without Python. No compiler is needed on Linux
    (x86-64). The packages that the script imports and the files that it opens while it is imported
    are found and copied.

    With --native the library is machine code without a Python runtime. Other systems than this one
    need the package ziglang.
    """
    if target and not native:
        raise UsageError("--target: expected --native beside it, found none")
    script = find_file(script)
    exporter = _exporter(script, is_trusted=trust)
    request = exporter.ExportRequest(
        script=script,
        out=from_home(out),
        name=name or re.sub(r"\W", "_", script.stem),
        packages=tuple(word for word in re.split(r"[,\s]+", packages) if word),
        files=tuple(map(from_home, data or ())),
        compiler=compiler,
    )
    if native:
        _export_native(request, target or ["here"])
        return
    report = exporter.export(request)
    count = len(report.library.functions)
    functions = f"{count} function{'' if count == 1 else 's'}"
    echo(f"wrote {out}: {', '.join(report.files)} ({functions}, {report.size / 1e6:.0f} MB)")
    echo(f"inside: {exporter.python_text(report.versions)}")


def _export_native(request: Any, targets: list[str]) -> None:
    from sim.export.native.exporter import export_native

    report = export_native(request, targets, echo)
    count = len(report.functions)
    functions = f"{count} function{'' if count == 1 else 's'}"
    sizes = ", ".join(f"{name} {size / 1e3:.0f} kB" for name, size in report.sizes.items())
    echo(f"wrote {request.out}: {', '.join(report.files)} ({functions}; {sizes})")


def _exporter(script: Path, *, is_trusted: bool) -> ModuleType:
    """Import the export module after checking that the script's project is trusted.

    Args:
        script: path of the script.
        is_trusted: whether the user gave `--trust`.

    Raises:
        UsageError: a link in the project's scripts leads outside.
    """
    if script.is_file():
        project = project_around(script) or script.resolve().parent
        require_trust(project, is_given=is_trusted)
        if link := link_out_of(project):
            raise UsageError(f"SCRIPT: expected scripts inside the project, found a link {link}")
    return import_module("sim.export.exporter")

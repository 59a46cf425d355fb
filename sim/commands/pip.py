"""`pip`: packages for scripts, without breaking Goishi's own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from base.files import SHIPPED_ROOT
from base.temporary import own_prefix
from sim.commands.cli.project_option import Given
from sim.core.project.trust import require_trust

CONTEXT: Final = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "allow_interspersed_args": False,
    "help_option_names": ["-h", "--help"],
}
CONSTRAINED: Final = frozenset({"install", "download", "wheel"})
"""Commands of pip that choose versions; they must keep the versions that Goishi needs."""

RUN_PIP: Final = (
    "import sys; sys.path[:] = sys.path[not sys.path[0]:]; import runpy; "
    "runpy.run_module('pip', run_name='__main__', alter_sys=True)"
)
"""Python code that runs pip, as `python -m pip` does, with no module of the current folder.

The Python of a project may be older than the option `-P`.
"""


def pip(context: typer.Context) -> None:
    """Run pip, so that scripts can import what it installs.

    All words after pip are passed on, as in `pip install --help`. If the current folder's project
    (or that of --project, before the word pip) has a `.venv`, its pip is used. Otherwise it is the
    pip of the environment that runs Goishi. Packages that Goishi needs keep their versions.
    """
    given = context.find_object(Given) or Given()
    folder = given.project or Path.cwd()
    if (python := environment_python(folder)) is not None:
        require_trust(
            python.parents[2],
            is_given=given.is_trusted,
            how="--project DIR --trust before pip",
        )
    raise typer.Exit(run_pip(context.args, folder))


def run_pip(arguments: Sequence[str], folder: Path) -> int:
    """Run pip with arguments and return its exit code.

    Args:
        arguments: arguments of pip, such as `["install", "scipy"]`.
        folder: folder from which the project's `.venv` is searched upwards.
    """
    python = environment_python(folder) or Path(sys.executable)
    words = list(arguments) or ["--help"]
    with tempfile.TemporaryDirectory(prefix=own_prefix()) as temporary:
        if words[0] in CONSTRAINED:
            file = Path(temporary) / "goishi-constraints.txt"
            file.write_text(constraints(), encoding="utf-8")
            words[1:1] = ["--constraint", str(file)]
        return subprocess.run([str(python), "-c", RUN_PIP, *words], check=False).returncode


def environment_python(folder: Path) -> Path | None:
    """Return the Python of the project's own `.venv`; None if the project has none.

    Args:
        folder: folder inside the project, from which to search upwards.
    """
    inside = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    for root in (folder, *folder.parents):
        python = (root / ".venv").joinpath(*inside)
        if python.is_file():
            return python
        if (root / "scenes").is_dir():
            break  # the root of the project
    return None


def constraints() -> str:
    """Return the pinned versions of requirements.txt as a pip constraints file."""
    text = (SHIPPED_ROOT / "requirements.txt").read_text(encoding="utf-8")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if line)

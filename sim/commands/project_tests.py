"""`test`: run a project's own tests, which drive its scenes by `sim.testing.Pilot`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer

from base.errors import GoishiError
from base.files import SHIPPED_ROOT
from base.program import PROGRAM
from sim.commands.cli.project_option import Given
from sim.commands.new import project_of
from sim.commands.pip import environment_python
from sim.core.project.trust import require_trust

CONTEXT: Final = {"ignore_unknown_options": True, "allow_extra_args": True}


def run_project_tests(
    context: typer.Context,
    project: Annotated[
        Path,
        typer.Argument(metavar="[DIR]", help="A folder of the project [.].", show_default=False),
    ] = Path(),
) -> int:
    """Run the tests of a project by pytest.

    Further words are passed to pytest; the exit code is pytest's. If the project has a .venv, its
    Python runs the tests.
    """
    words = list(context.args)
    if str(project).startswith("-"):  # no folder was named
        words.insert(0, str(project))
        project = Path()
    folder = project_of(project)
    given = context.find_object(Given) or Given()
    require_trust(folder, is_given=given.is_trusted, how="--project DIR --trust before test")
    if not (folder / "tests").is_dir():
        raise GoishiError(f"test: expected a folder tests in {folder}, found none")
    return run_tests(folder, words)


def run_tests(folder: Path, words: list[str]) -> int:
    """Run pytest on a project's tests and return its exit code; the tests can import Goishi.

    Args:
        folder: folder of the project.
        words: further arguments of pytest.

    Raises:
        GoishiError: pytest is not installed.
    """
    python = environment_python(folder)
    if python is None and find_spec("pytest") is None:
        raise GoishiError(f"test: expected pytest, found none: {PROGRAM} pip install pytest")
    environment = dict(os.environ)
    known = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join([str(SHIPPED_ROOT), *([known] if known else [])])
    command = [str(python or sys.executable), "-m", "pytest", "--import-mode=importlib"]
    command += ["--rootdir", str(folder), *words]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode

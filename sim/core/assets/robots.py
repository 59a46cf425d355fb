"""Robots from files: read in a child process, as the plain data of objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from base.errors import SceneFileError
from base.files import SHIPPED_ROOT, resolve_in_project
from base.values import JsonObject
from sim.core.assets.assets import IMPORT_SECONDS, IMPORTER, AssetError, report_of


def read_robot(project: Path, path: str) -> JsonObject:
    """Read a robot's file in a process of its own.

    Args:
        project: the project's folder.
        path: of the URDF or MJCF file, relative to the project.

    Returns:
        `name`; `objects`, a list of which each names the index of its parent; `left_out`, lines.

    Raises:
        SceneFileError: there is no such file in the project, or no sound robot in it.
    """
    try:
        source = resolve_in_project(project, path)
    except ValueError as error:
        raise SceneFileError(path, "", "", expected=str(error), found=repr(path)) from None
    if not source.is_file():
        raise SceneFileError(path, "", "", expected="a file of the project", found="none")
    words = [sys.executable, "-m", IMPORTER, str(source), "", str(project.resolve())]
    try:
        child = subprocess.run(
            words, cwd=SHIPPED_ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=IMPORT_SECONDS, check=False,
        )  # fmt: skip
        return report_of(child.stdout, child.returncode)
    except subprocess.TimeoutExpired:
        found = f"a file that takes more than {IMPORT_SECONDS:g} s to read"
        raise SceneFileError(path, "", "", expected="a robot", found=found) from None
    except AssetError as error:
        expected, _, found = str(error).removeprefix("expected ").partition(", found")
        raise SceneFileError(
            path, "", "", expected=expected, found=found.removeprefix(":").strip()
        ) from None


__all__ = ["read_robot"]

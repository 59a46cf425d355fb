"""Checks when a scene of a project is opened: its manifest and its required packages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from base.files import SHIPPED_ROOT
from base.manifest import FILE, ProjectError
from sim.core.project.manifest import Manifest, read_manifest

if TYPE_CHECKING:
    from sim.core.reporting.console import Console


def look_at_project(project: Path, console: Console) -> Manifest:
    """Return a project's manifest; invalid entries and missing packages become warnings.

    Nothing of the project is imported.
    """
    for text in package_warnings(project):
        console.warning(text)
    try:
        return read_manifest(project)
    except ProjectError as error:
        console.warning(f"{error}; none of it is offered")
        return Manifest(project)


def project_around(place: Path) -> Path | None:
    """Return the nearest folder from a place upwards that is a project; None for none."""
    full = place.resolve()
    for folder in (full, *full.parents):
        if (folder / FILE).is_file() or (folder / "scenes").is_dir():
            return folder
    return None


def package_warnings(project: Path) -> list[str]:
    """Return a warning for each unmet line of a project's `requirements.txt`."""
    if project.resolve() == SHIPPED_ROOT or not (project / "requirements.txt").is_file():
        return []  # Goishi's own packages were looked for before anything began
    from sim.core.project.requirements import requirement_faults

    return [str(fault) for fault in requirement_faults(project)]

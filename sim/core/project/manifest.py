"""The entries of a project's `goishi.toml` for the engine, and the checks of a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from base.files import SHIPPED_ROOT
from base.manifest import (
    FILE,
    PROJECT_ID,
    ProjectError,
    check_target,
    entries_of,
    read_tables,
    refuse,
    summary,
)
from base.program import IS_PACKED
from base.spelling import one_of

if TYPE_CHECKING:
    from sim.core.reporting.console import Console


OWN_TABLES: Final = ("commands", "panels", "components", "models", "sounds", "game")
FOREIGN_TABLES: Final = ("players", "games")
COMMAND_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Entry:
    """A named entry of a project's `goishi.toml`.

    Attributes:
        name: key of the entry in its table.
        target: `scripts.module:Name`; imported when it is used.
        help: first paragraph of the target's docstring; empty if there is none.
    """

    name: str
    target: str
    help: str = ""


@dataclass(frozen=True)
class Manifest:
    """The entries of a project's `goishi.toml` that the command line and the studio use.

    Attributes:
        project: the project's folder.
        commands: functions or Typer applications, each a command of the command line.
        panels: script classes that show a panel, opened from the studio.
        components: script classes listed first in the studio's list of components.
        models: models for the project's scenes, besides the engine's own.
        sounds: sounds for the project's scripts.
    """

    project: Path
    commands: tuple[Entry, ...] = field(default=())
    panels: tuple[Entry, ...] = field(default=())
    components: tuple[Entry, ...] = field(default=())
    models: tuple[Entry, ...] = field(default=())
    sounds: tuple[Entry, ...] = field(default=())


def read_manifest(project: Path) -> Manifest:
    """Read and check the `goishi.toml` of a project; without the file, the manifest is empty.

    Raises:
        ProjectError: it cannot be read, or an entry is invalid; the message names file and key.
    """
    tables = read_tables(project)
    known = (*FOREIGN_TABLES, *OWN_TABLES)
    if not isinstance(tables.pop(PROJECT_ID, ""), str):
        refuse(PROJECT_ID, "a text", read_tables(project)[PROJECT_ID])
    for key in tables:
        if key not in known:
            refuse(key, one_of(known, key), key)
    return Manifest(
        project,
        commands=_entries(project, tables, "commands", _command_fault),
        panels=_entries(project, tables, "panels", _title_fault),
        components=_entries(project, tables, "components", _title_fault),
        models=_entries(project, tables, "models", _title_fault, has_help=False),
        sounds=_entries(project, tables, "sounds", _title_fault, has_help=False),
    )


def _entries(
    project: Path,
    tables: Mapping[str, object],
    name: str,
    fault_of: Callable[[str], str],
    *,
    has_help: bool = True,
) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for key, value in entries_of(tables, name, fault_of).items():
        target = check_target(f"{name}.{key}", value, within="scripts.")
        found.append(Entry(key, target, summary(project, target) if has_help else ""))
    return tuple(found)


def _command_fault(name: str) -> str:
    """Return what is wrong with a command's name: which form it should have instead.

    Args:
        name: the name.

    Returns:
        The expected form, for an error message; empty if the name is valid.
    """
    return "" if COMMAND_NAME.fullmatch(name) else "a word of small letters, digits and -"


def _title_fault(name: str) -> str:
    return "" if name.strip() and name.isprintable() else "a name that can be shown"


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
    """Return the nearest project folder, from `place` upwards; None if there is none.

    A project folder has a `goishi.toml` or a folder `scenes`.
    """
    full = place.resolve()
    for folder in (full, *full.parents):
        if (folder / FILE).is_file() or (folder / "scenes").is_dir():
            return folder
    return None


def package_warnings(project: Path) -> list[str]:
    """Return a warning for each unmet line of a project's `requirements.txt`."""
    if project.resolve() == SHIPPED_ROOT or not (project / "requirements.txt").is_file():
        return []  # Goishi's own packages were looked for before anything began
    if IS_PACKED:
        return []  # what its scripts import was packed
    from sim.core.project.requirements import requirement_faults

    return [str(fault) for fault in requirement_faults(project)]

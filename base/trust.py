"""Which project folders the user trusts, read from `trust.toml` in the user's settings folder.

    linked_folders = ["/home/me/shared_scripts"]

    [projects]
    "/home/me/my_games" = "trusted"
    "/home/me/downloads/strange" = "safe"

`linked_folders` are folders outside a project to which links in its `scripts/` may lead.
"""

from __future__ import annotations

import os
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Final

from base.files import SHIPPED_ROOT
from base.manifest import FILE as MANIFEST
from base.values import JsonObject

FILE_NAME: Final = "trust.toml"
PROJECTS: Final = "projects"
LINKS: Final = "linked_folders"
SHIPPED_PROJECTS: Final = (SHIPPED_ROOT / "docs" / "projects", SHIPPED_ROOT / "tests")
"""Folders below which all projects ship with Goishi and are trusted."""
CODE: Final = (".py", ".pyc", ".pyd", ".so")
"""Suffixes of files whose code runs when they are imported."""


class Trust(StrEnum):
    """The user's answer to whether a project folder is trusted."""

    TRUSTED = "trusted"
    """The project's scripts run."""
    SAFE = "safe"
    """The project is opened without running its scripts."""
    UNKNOWN = "unknown"
    """The user was never asked."""


def trust_file() -> Path:
    """Return the path of `trust.toml`, which stores the user's answers; it need not exist."""
    import platformdirs  # an exported script runs where it is not installed

    return Path(platformdirs.user_config_dir("goishi", appauthor=False)) / FILE_NAME


def read_trust() -> JsonObject:
    """Return the content of `trust.toml`; empty if it is missing or not valid TOML."""
    try:
        return tomllib.loads(trust_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, ImportError):
        return {}


def trust_of(project: Path) -> Trust:
    """Return whether a project's scripts may run, according to the user's stored answer.

    Projects shipped with Goishi and folders without code are always trusted.
    """
    root = project.resolve()
    is_shipped = root == SHIPPED_ROOT or any(map(root.is_relative_to, SHIPPED_PROJECTS))
    if is_shipped or not has_code(root):
        return Trust.TRUSTED
    answers = read_trust().get(PROJECTS)
    answer = answers.get(str(root)) if isinstance(answers, dict) else None
    return Trust(answer) if answer in (Trust.TRUSTED, Trust.SAFE) else Trust.UNKNOWN


def has_code(project: Path) -> bool:
    """Return whether a project folder holds anything that Goishi could import or run.

    A folder that cannot be read counts as holding code.
    """
    if os.path.lexists(project / MANIFEST) or os.path.lexists(project / "scripts"):
        return True
    try:
        with os.scandir(project) as entries:
            return any(_is_code(entry) for entry in entries)
    except OSError:
        return True  # a folder that cannot be read: ask


def _is_code(entry: os.DirEntry[str]) -> bool:
    """Return whether a directory entry is a module or a folder that contains modules."""
    if entry.name.endswith(CODE):
        return True
    try:
        return entry.is_dir() and any(name.endswith(CODE) for name in os.listdir(entry.path))
    except OSError:
        return False


def linked_folders() -> tuple[Path, ...]:
    """Return the folders that links in a project's `scripts/` may lead to."""
    given = read_trust().get(LINKS, [])
    texts = given if isinstance(given, list) else []
    paths = [Path(text).expanduser() for text in texts if isinstance(text, str)]
    return tuple(path.resolve() for path in paths if path.is_absolute())

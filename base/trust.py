"""Which project folders the user trusts, and the gate that lets no other project's code run.

The user's answers are in `trust.toml` in the user's settings folder:

    linked_folders = ["/home/me/shared_scripts"]

    [projects]
    "/home/me/my_games" = "trusted"
    "/home/me/downloads/strange" = "safe"

`linked_folders` are folders outside a project to which links in its `scripts/` may lead.

`check_import` is called before any module of a project is imported, in every process. The command
line closes this gate by `guard_imports`, for itself and for the processes that it starts.
`trust_for_this_run` opens it for one project. A program that imports Goishi was started by the
user, so there the gate stays open.
"""

from __future__ import annotations

import json
import os
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Final

from base.errors import TrustError
from base.files import SHIPPED_ROOT, read_regular
from base.manifest import FILE as MANIFEST
from base.values import JsonObject

FILE_NAME: Final = "trust.toml"
PROJECTS: Final = "projects"
LINKS: Final = "linked_folders"
SHIPPED_PROJECTS: Final = (SHIPPED_ROOT / "docs" / "projects", SHIPPED_ROOT / "tests")
"""Folders below which all projects ship with Goishi and are trusted."""
CODE: Final = (".py", ".pyc", ".pyd", ".so")
"""Suffixes of files whose code runs when they are imported."""
GATE: Final = "GOISHI_TRUSTED"
"""Environment variable with the folders that are trusted for this run, as a JSON list.

While it is set, no module of another project is imported, unless the user has trusted it.
Child processes inherit it.
"""
MOST_ENTRIES: Final = 20_000
"""Maximum number of files and folders that are looked at for code."""


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
    """Return the content of `trust.toml`; empty if it is missing or invalid, see `trust_fault`."""
    return _read_trust()[0]


def trust_fault() -> str:
    """Return why `trust.toml` cannot be read, so that no answer counts; empty if it can."""
    return _read_trust()[1]


def _read_trust() -> tuple[JsonObject, str]:
    try:
        path = trust_file()
    except ImportError:
        return {}, ""
    try:
        tables = tomllib.loads(read_regular(path).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return {}, f"{path}: expected your answers in TOML, found: {reason}"
    if not isinstance(tables.get(PROJECTS, {}), dict):
        return {}, f"{path}: {PROJECTS}: expected a table, found {tables[PROJECTS]!r:.60}"
    return tables, ""


def trust_of(project: Path) -> Trust:
    """Return whether a project's scripts may run, according to the user's stored answer.

    Projects shipped with Goishi and folders without code are always trusted.
    """
    root = project.resolve()
    return Trust.TRUSTED if _is_shipped(root) or not has_code(root) else _answer_about(root)


def _is_shipped(root: Path) -> bool:
    return root == SHIPPED_ROOT or any(map(root.is_relative_to, SHIPPED_PROJECTS))


def _answer_about(root: Path) -> Trust:
    """Return the user's stored answer about a folder, whatever the folder holds."""
    answers = read_trust().get(PROJECTS)
    answer = answers.get(str(root)) if isinstance(answers, dict) else None
    return Trust(answer) if answer in (Trust.TRUSTED, Trust.SAFE) else Trust.UNKNOWN


def guard_imports() -> None:
    """Let this process and its children import modules only of projects that the user trusts."""
    os.environ[GATE] = "[]"


def trust_for_this_run(project: Path) -> None:
    """Let this process, and the children that it starts from now on, import a project's modules.

    Args:
        project: folder of the project that the user named.
    """
    if GATE in os.environ:
        folders = {*_trusted_now(), str(project.resolve())}
        os.environ[GATE] = json.dumps(sorted(folders))


def _trusted_now() -> list[str]:
    try:
        found = json.loads(os.environ.get(GATE, "[]"))
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def may_import(project: Path) -> bool:
    """Return whether this process may import modules of a project.

    Other than for `trust_of`, it does not matter whether the folder seems to hold code: a folder
    that the user was never asked about may not run anything.

    Args:
        project: the folder that holds the modules.
    """
    return GATE not in os.environ or is_trusted(project)


def is_trusted(project: Path) -> bool:
    """Return whether the user has allowed a project's code to run, now or by a stored answer.

    Args:
        project: the project's folder.
    """
    root = project.resolve()
    is_known = _is_shipped(root) or str(root) in _trusted_now()
    return is_known or _answer_about(root) is Trust.TRUSTED


def check_import(
    project: Path, how: str = "--trust, or choose Trust this project in the window (F1)"
) -> None:
    """Check that modules of a project may be imported in this process.

    Args:
        project: the folder that holds the modules.
        how: how the user can allow it, for the error message.

    Raises:
        TrustError: the user has not allowed it.
    """
    if not may_import(project):
        raise TrustError(refusal_of(project, how))


def refusal_of(project: Path, how: str) -> str:
    """Return the line that says why a project's code does not run.

    Args:
        project: the project's folder.
        how: how the user can allow it.
    """
    root = project.resolve()
    found = "a folder that was never opened"
    if _answer_about(root) is Trust.SAFE:
        found = "one that you opened safely"
    elif fault := trust_fault():
        found = f"no answer that can be read ({fault})"
    return (
        f"{root}: expected a project that you trust, found {found}; its scripts "
        f"run with all your rights: if you want that, add {how} (docs/security.md)"
    )


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


def holds_code(project: Path) -> bool:
    """Return whether there is code anywhere below a folder, however deep; links are not followed.

    A folder with more than `MOST_ENTRIES` files, or one that cannot be read, counts as code.
    """
    if has_code(project):
        return True
    left, faults = MOST_ENTRIES, list[OSError]()
    for _, folders, files in os.walk(project, onerror=faults.append):
        left -= len(folders) + len(files)
        if left < 0 or faults or any(name.endswith(CODE) for name in files):
            return True
    return bool(faults)


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

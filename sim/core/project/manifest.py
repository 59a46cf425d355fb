"""A project's `goishi.toml`: the commands, panels and components that it offers, by name.

Reading it imports none of them: an entry is `name = "scripts.module:Name"`, and what stands in a
help text is the docstring, read from the file's syntax. The tables `[players]` and `[games]` belong
to what plays, and are read there.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from base.errors import GoishiError

FILE: Final = "goishi.toml"
OWN_TABLES: Final = ("commands", "panels", "components", "models", "sounds")
FOREIGN_TABLES: Final = ("players", "games")
COMMAND_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
TARGET: Final = re.compile(r"scripts(\.[A-Za-z_]\w*)+:[A-Za-z_]\w*")


class ManifestError(GoishiError, ValueError):
    """A project's `goishi.toml` is unsound.

    Args:
        key: the key inside it, dotted; empty for the whole file.
        expected: what would have been right.
        found: what stands there.
    """

    def __init__(self, key: str, *, expected: str, found: str) -> None:
        self.key = key
        self.expected = expected
        self.found = found
        place = f"{FILE}:{key}" if key else FILE
        super().__init__(f"{place}: expected {expected}, found {found}")


@dataclass(frozen=True)
class Entry:
    """One thing that a project offers.

    Attributes:
        name: what it is called.
        target: `scripts.module:Name`, imported when it is used.
        help: the first paragraph of its docstring; empty without.
    """

    name: str
    target: str
    help: str = ""


@dataclass(frozen=True)
class Manifest:
    """What a project offers to the command line and to the studio.

    Attributes:
        project: the project's folder.
        commands: functions or Typer applications, each a word of the command line.
        panels: script classes that show a panel, opened from the studio.
        components: script classes that stand first in the list of components to add.
        models: models that its scenes can name, beside the engine's own.
        sounds: sounds that its scripts can name.
    """

    project: Path
    commands: tuple[Entry, ...] = field(default=())
    panels: tuple[Entry, ...] = field(default=())
    components: tuple[Entry, ...] = field(default=())
    models: tuple[Entry, ...] = field(default=())
    sounds: tuple[Entry, ...] = field(default=())


def read_manifest(project: Path) -> Manifest:
    """Read and check the `goishi.toml` of a project; all empty where it has none.

    Raises:
        ManifestError: it cannot be read, or an entry does not fit; says file and key.
    """
    path = project / FILE
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Manifest(project)
    except (OSError, ValueError, RecursionError) as error:
        raise ManifestError("", expected="a TOML file", found=str(error)) from error
    known = (*FOREIGN_TABLES, *OWN_TABLES)
    for key in tables:
        if key not in known:
            raise ManifestError(key, expected=f"one of {', '.join(known)}", found=repr(key))
    return Manifest(
        project,
        commands=_entries(project, tables, "commands", _command_fault),
        panels=_entries(project, tables, "panels", _title_fault),
        components=_entries(project, tables, "components", _title_fault),
        models=_entries(project, tables, "models", _title_fault, has_help=False),
        sounds=_entries(project, tables, "sounds", _title_fault, has_help=False),
    )


def find_manifest(start: Path) -> Path | None:
    """Return the nearest folder from `start` upwards that holds a `goishi.toml`; None without."""
    folder = start.resolve()
    return next((item for item in (folder, *folder.parents) if (item / FILE).is_file()), None)


def _entries(
    project: Path,
    tables: Mapping[str, Any],
    name: str,
    fault_of: Callable[[str], str],
    *,
    has_help: bool = True,
) -> tuple[Entry, ...]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise ManifestError(name, expected="a table", found=repr(table))
    found: list[Entry] = []
    for key, target in table.items():
        fault = fault_of(key)
        if fault:
            raise ManifestError(f"{name}.{key}", expected=fault, found=repr(key))
        if not isinstance(target, str) or not TARGET.fullmatch(target):
            expected = "module:name, as in scripts.my_module:my_name"
            raise ManifestError(f"{name}.{key}", expected=expected, found=f"{target!r:.80}")
        found.append(Entry(key, target, summary(project, target) if has_help else ""))
    return tuple(found)


def _command_fault(name: str) -> str:
    """Return what a command's name should be instead, empty where it is well."""
    return "" if COMMAND_NAME.fullmatch(name) else "a word of small letters, digits and -"


def _title_fault(name: str) -> str:
    return "" if name.strip() and name.isprintable() else "a name that can be shown"


def summary(project: Path, target: str) -> str:
    """Return the first paragraph of the docstring that `module:name` has; no code is run.

    Empty where there is no such file, no such name or no docstring.
    """
    module, _, name = target.partition(":")
    path = project.joinpath(*module.split(".")).with_suffix(".py")
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = (item for item in tree.body if isinstance(item, documented) and item.name == name)
    text = next((ast.get_docstring(item) for item in found), None) or ""
    return " ".join(text.partition("\n\n")[0].split())


__all__ = ["FILE", "Entry", "Manifest", "ManifestError", "find_manifest", "read_manifest"]

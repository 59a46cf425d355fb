"""Reads a project's `goishi.toml` and checks its entries; errors name the key.

No module of the project is imported. An entry has the form `name = "module:Name"`. Help texts are
docstrings, parsed from the source files. `ai` interprets the tables `[players]` and `[games]`, the
engine all others.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NoReturn

from base.errors import GoishiError
from base.files import read_regular
from base.spelling import one_of
from base.values import JsonObject

FILE: Final = "goishi.toml"
PROJECT_ID: Final = "id"
"""Key of a project's id: a text that no other project has, so that it is known after a move."""
WORD: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
TARGET: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
KNOWN_TOPS: Final = ("scripts", "goishi", "ai")
"""Top-level packages that entries may refer to in every project."""
TARGET_FORM: Final = "module:name, as in scripts.my_module:my_name"
MODULE: Final = ""
"""Stands for the module itself among the names of its docstrings."""
MOST_KEPT: Final = 64
"""Number of modules whose docstrings are kept for the next time."""


class ProjectError(GoishiError, ValueError):
    """A project's `goishi.toml` is invalid: file, key, what was expected and what was found."""


def refuse(key: str, expected: str, found: object) -> NoReturn:
    """Raise a `ProjectError` about a key of `goishi.toml`.

    Args:
        key: dotted key.
        expected: description of the valid values.
        found: the value in the file.

    Raises:
        ProjectError: always.
    """
    raise ProjectError(f"{FILE}:{key}: expected {expected}, found {found!r:.80}")


def find_manifest(start: Path) -> Path | None:
    """Return the nearest folder with a `goishi.toml` from `start` upwards; None if none has one."""
    folder = start.resolve()
    return next((item for item in (folder, *folder.parents) if (item / FILE).is_file()), None)


def read_tables(project: Path) -> JsonObject:
    """Return the parsed `goishi.toml` of a project folder; empty if the file does not exist.

    Raises:
        ProjectError: the file cannot be read, or is not valid TOML.
    """
    try:
        return tomllib.loads(read_regular(project / FILE).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ProjectError(f"{FILE}: expected a TOML file, found {error}") from error


def word_fault(name: str) -> str:
    """Check a name that is used on the command line.

    Args:
        name: the name.

    Returns:
        The rule for names if this one breaks it; empty for a valid name.
    """
    return "" if WORD.fullmatch(name) else "a name of small letters, digits, - and _"


def entries_of(
    tables: Mapping[str, object], table: str, fault_of: Callable[[str], str] = word_fault
) -> JsonObject:
    """Return the entries of a table by name; empty if there is no such table.

    Args:
        tables: the parsed `goishi.toml`, see `read_tables`.
        table: name of the table.
        fault_of: called with an entry's name; returns the rule that the name breaks, or "" for a
            valid name.

    Raises:
        ProjectError: the value is no table, or an entry's name is invalid.
    """
    entries = tables.get(table, {})
    if not isinstance(entries, dict):
        refuse(table, "a table", entries)
    for name in entries:
        if fault := fault_of(name):
            refuse(f"{table}.{name}", fault, name)
    return entries


def check_keys(key: str, entry: Mapping[str, object], known: Mapping[str, type]) -> None:
    """Check the keys of an entry and the types of their values.

    Args:
        key: dotted key of the entry, for the error.
        entry: the entry: values by key.
        known: the allowed keys, each with the type of its value.

    Raises:
        ProjectError: a key is unknown, or a value has another type.
    """
    for name, value in entry.items():
        if name not in known:
            refuse(f"{key}.{name}", one_of(known, name), name)
        kind = known[name]
        is_fit = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if not is_fit:
            refuse(f"{key}.{name}", f"a value of type {kind.__name__}", value)


def check_target(key: str, value: object, *, within: str = "") -> str:
    """Check that a value has the form `module:name`, and return it.

    Args:
        key: dotted key of the value, for the error.
        value: the value to check.
        within: required prefix of the target; empty for any module.

    Raises:
        ProjectError: the value has another form or prefix.
    """
    is_target = isinstance(value, str) and TARGET.fullmatch(value)
    if not isinstance(value, str) or not is_target or not value.startswith(within):
        refuse(key, TARGET_FORM, value)
    return value


def check_own_target(key: str, value: object, project: Path) -> str:
    """Check that a value names an object in the project or in Goishi, and return it.

    Valid forms are `scripts.module:name`, `goishi.scripts.module:name`, `ai.module:name`, and
    `module:name` for another module in the project's folder.

    Args:
        key: dotted key of the value, for the error.
        value: the value to check.
        project: folder of the project.

    Raises:
        ProjectError: the value has another form, or the module is neither the project's nor
            Goishi's.
    """
    target = check_target(key, value)
    top = target.partition(":")[0].partition(".")[0]
    is_there = (project / f"{top}.py").is_file() or (project / top).is_dir()
    if top not in KNOWN_TOPS and (top in sys.stdlib_module_names or not is_there):
        refuse(key, f"{TARGET_FORM}, a module of the project", value)
    return target


def summary(project: Path, target: str, *, or_module: bool = False) -> str:
    """Return the first paragraph of the docstring of `module:name`, for help texts.

    The file is parsed, not run. Returns an empty text if there is no such file, name or docstring.

    Args:
        project: folder that contains the module's top package.
        target: the object as `module:name`.
        or_module: whether to use the module's docstring if the name has none.
    """
    module, _, name = target.partition(":")
    base = project.joinpath(*module.split("."))
    paths = (base.with_suffix(".py"), base / "__init__.py")
    try:
        path = next((path for path in paths if path.is_file()), paths[0])
        texts = _docstrings(read_regular(path))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    text = texts.get(name)
    if text is None and or_module:
        text = texts[MODULE]
    return " ".join((text or "").partition("\n\n")[0].split())


@functools.lru_cache(MOST_KEPT)
def _docstrings(source: bytes) -> Mapping[str, str | None]:
    """Return the docstrings of a module's functions and classes by name, and its own by `MODULE`.

    Raises:
        SyntaxError: the source is no Python.
        ValueError: the source is no text, or contains null bytes.
    """
    tree = ast.parse(source.decode("utf-8-sig"))
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = {MODULE: ast.get_docstring(tree)}
    for item in tree.body:
        if isinstance(item, documented):
            found.setdefault(item.name, ast.get_docstring(item))
    return found

"""The tables `[players]` and `[games]` of a project's `goishi.toml`; no module is imported.

The other tables are the engine's (`sim/core/project/manifest.py`), which knows no player.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

FILE: Final = "goishi.toml"
NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
TARGET: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


class ProjectError(ValueError):
    """A project's `goishi.toml` is unsound: file, key, what was expected and what was found."""


def read_table(project: Path, name: str) -> dict[str, Any]:
    """Return a table of the project's file by the names in it; empty where there is none.

    Raises:
        ProjectError: the file cannot be read, is no TOML, or a name does not fit.
    """
    path = project / FILE
    try:
        whole = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProjectError(f"{FILE}: expected a TOML file, found {error}") from error
    table = whole.get(name, {})
    if not isinstance(table, dict):
        refuse(name, "a table", table)
    for key in table:
        if not NAME.fullmatch(key):
            refuse(f"{name}.{key}", "a name of small letters, digits, - and _", key)
    return table


def refuse(key: str, expected: str, found: object) -> NoReturn:
    """Raise the error that names a key of the file.

    Raises:
        ProjectError: always.
    """
    raise ProjectError(f"{FILE}:{key}: expected {expected}, found {found!r:.80}")


def known_keys(key: str, entry: Mapping[str, Any], known: Mapping[str, type]) -> None:
    """Check the keys of an entry and the types of their values.

    Raises:
        ProjectError: a key is unknown, or a value has another type.
    """
    for name, value in entry.items():
        if name not in known:
            refuse(f"{key}.{name}", f"one of {', '.join(known)}", name)
        kind = known[name]
        is_fit = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if not is_fit:
            refuse(f"{key}.{name}", f"a value of type {kind.__name__}", value)


def checked_target(key: str, value: object) -> str:
    """Return a value that has the form `module:name`.

    Raises:
        ProjectError: it has not.
    """
    if not isinstance(value, str) or not TARGET.fullmatch(value):
        refuse(key, "module:name, as in scripts.my_player:create", value)
    return value


def summary(project: Path, target: str) -> str:
    """Return the first paragraph of the docstring that `module:name` has; the module's without.

    The file is parsed, not run. Empty where there is no such file or docstring.
    """
    module, _, name = target.partition(":")
    base = project.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            break
    else:
        return ""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = [item for item in tree.body if isinstance(item, documented) and item.name == name]
    text = (ast.get_docstring(found[0]) if found else None) or ast.get_docstring(tree) or ""
    return " ".join(text.partition("\n\n")[0].split())


__all__ = [
    "FILE", "ProjectError", "checked_target", "known_keys", "read_table", "refuse", "summary",
]  # fmt: skip

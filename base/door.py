"""Public packages whose names are each imported when first used, not when the package is imported.

The package's `__init__.py` imports its public names below `if TYPE_CHECKING:`, where type checkers
find them. `open_door` reads the names and their modules from there.
"""

from __future__ import annotations

import ast
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final, NamedTuple

from base.internal_modules import INSIDE, import_internal

log = logging.getLogger(__name__)

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Door(NamedTuple):
    """The module hooks `__getattr__`, `__dir__` and `__all__` that a package assigns."""

    look_up: Callable[[str], object]
    list_names: Callable[[], list[str]]
    names: list[str]


def open_door(
    package: str, file: str, *, former: Mapping[str, str] = NOTHING, inner: Sequence[str] = ()
) -> Door:
    """Return the hooks with which a package imports its public names when they are first used.

    Args:
        package: name of the package.
        file: path of its `__init__.py`.
        former: present names by their former names, which users' scripts may still use; former
            names are not listed.
        inner: modules whose names the package exported before; they still work, but log a warning
            that names the present module.
    """
    homes = homes_of(Path(file))

    def look_up(name: str) -> object:
        present = former.get(name, name)
        home = homes.get(present) or _home_among(inner, present)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if present not in homes:
            log.warning("%s.%s is now %s.%s; the old name still works", package, name, home, name)
        value: object = getattr(import_internal(home), present)
        setattr(import_internal(package.removeprefix(INSIDE)), name, value)
        return value

    names = sorted(homes)
    return Door(look_up, lambda: names, names)


def _home_among(modules: Sequence[str], name: str) -> str | None:
    """Return the first of `modules` that has the public name `name`; None if none has.

    Submodules do not count as names.
    """
    if name.startswith("_"):
        return None
    for module in modules:
        value = getattr(import_internal(module), name, None)
        if value is not None and not isinstance(value, ModuleType):
            return module
    return None


def homes_of(file: Path) -> dict[str, str]:
    """Return the module that each public name is imported from, by name.

    Args:
        file: `__init__.py` of a package whose imports are below `if TYPE_CHECKING:`.
    """
    found: dict[str, str] = {}
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for item in node.body:
                if isinstance(item, ast.ImportFrom) and item.module is not None:
                    found |= {alias.name: item.module for alias in item.names}
    return found

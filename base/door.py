"""Public packages that import each of their names only when the name is first used.

The package's `__init__.py` imports its public names below `if TYPE_CHECKING:`, where only type
checkers see them. `open_door` reads from there which module has which name.
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
    """The functions and the list that a package assigns to `__getattr__`, `__dir__` and `__all__`.

    Attributes:
        look_up: imports and returns the value of a name.
        list_names: returns the public names.
        names: the public names.
    """

    look_up: Callable[[str], object]
    list_names: Callable[[], list[str]]
    names: list[str]


def open_door(
    package: str, file: str, *, former: Mapping[str, str] = NOTHING, inner: Sequence[str] = ()
) -> Door:
    """Return what a package needs to import its public names when they are first used.

    Args:
        package: name of the package.
        file: path of its `__init__.py`.
        former: present names by former names, which users' scripts may still use. Former names are
            not listed.
        inner: modules whose names the package itself had before. These names still work there, but
            a warning names the module to use.
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
    """Return the module that has a public name; None if no module has it.

    A submodule of that name does not count.

    Args:
        modules: names of the modules to search, in this order.
        name: the public name.
    """
    if name.startswith("_"):
        return None
    for module in modules:
        value = getattr(import_internal(module), name, None)
        if value is not None and not isinstance(value, ModuleType):
            return module
    return None


def homes_of(file: Path) -> dict[str, str]:
    """Return from which module a package imports each of its public names.

    Args:
        file: `__init__.py` of the package, with the imports below `if TYPE_CHECKING:`.

    Returns:
        Names of the modules by public name.
    """
    found: dict[str, str] = {}
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for item in node.body:
                if isinstance(item, ast.ImportFrom) and item.module is not None:
                    found |= {alias.name: item.module for alias in item.names}
    return found

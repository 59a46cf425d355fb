"""Public doors: packages that name each public thing once and import it when it is first used.

In the package's `__init__.py` the names stand below `if TYPE_CHECKING:`, where type checkers and
readers find them; `open_door` reads them from there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Door(NamedTuple):
    """The module hooks `__getattr__`, `__dir__` and `__all__` that a package assigns."""

    look_up: Callable[[str], object]
    list_names: Callable[[], list[str]]
    names: list[str]


def open_door(package: str, file: str, *, former: Mapping[str, str] = NOTHING) -> Door:
    """Build the lazy-import hooks of a package from its `if TYPE_CHECKING:` imports.

    Args:
        package: its dotted name.
        file: path of its `__init__.py`.
        former: present name by former name; former names still import, but are not listed.
    """
    homes = homes_of(Path(file))

    def look_up(name: str) -> object:
        present = former.get(name, name)
        if present not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[present]), present)
        setattr(import_module(package), name, value)
        return value

    names = sorted(homes)
    return Door(look_up, lambda: names, names)


def homes_of(file: Path) -> dict[str, str]:
    """Return the module that each public name of a package's `__init__.py` is imported from."""
    found: dict[str, str] = {}
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for item in node.body:
                if isinstance(item, ast.ImportFrom) and item.module is not None:
                    found |= {alias.name: item.module for alias in item.names}
    return found

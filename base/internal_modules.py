"""Goishi's own modules by name, under whatever prefix they are in `sys.modules`.

In Goishi's processes they are `base`, `sim` and `ai`. In a program that imports `goishi` they are
inside that package, so that the program can have its own `sim` and `scripts`. There `goishi`
redirects the `import` statements of these modules, and this module resolves names given as text.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Final

INSIDE: Final = __name__.removesuffix("base.internal_modules")
"""Prefix of the names of Goishi's modules: empty, or "goishi._own." in other programs."""
TOPS: Final = ("base", "sim", "ai")


def import_internal(name: str) -> ModuleType:
    """Import a module by its name.

    Args:
        name: name of the module. If it begins with one of `TOPS`, it means Goishi's own module,
            whatever prefix that has.

    Raises:
        ImportError: there is no such module.
    """
    return import_module(f"{INSIDE}{name}" if name.partition(".")[0] in TOPS else name)


def is_internal(name: str, package: str) -> bool:
    """Return whether a module lies in one of Goishi's packages.

    Args:
        name: full name of the module, such as a class's `__module__`.
        package: the package without prefix, such as "sim.core".
    """
    return name.startswith(f"{INSIDE}{package}.")


def import_statement() -> Callable[..., Any]:
    """Return the function that an `import` statement in one of Goishi's modules calls."""
    mine = globals().get("__builtins__", builtins)
    found = mine["__import__"] if isinstance(mine, dict) else mine.__import__
    return found  # type: ignore[no-any-return]  # builtins are untyped here

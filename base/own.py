"""Goishi's own modules by name, wherever they stand in `sys.modules`.

In Goishi's processes they are `base`, `sim` and `ai`. In a program that imports `goishi` they stand
inside that package, so that `sim` and `scripts` can be the program's own; there the `import`
statements of these modules are led to it (`goishi/house.py`), and names in texts by this module.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Final

INSIDE: Final = __name__.removesuffix("base.own")
"""What the names of own modules begin with: empty, or a package and a dot."""
TOPS: Final = ("base", "sim", "ai")


def import_own(name: str) -> ModuleType:
    """Import a module by its name; those of `TOPS` are Goishi's own.

    Raises:
        ImportError: there is none.
    """
    return import_module(f"{INSIDE}{name}" if name.partition(".")[0] in TOPS else name)


def is_own(name: str, package: str) -> bool:
    """Return whether a class's or function's `__module__` lies in an own package: "sim.core"."""
    return name.startswith(f"{INSIDE}{package}.")


def import_statement() -> Callable[..., Any]:
    """Return what the `import` statements of own modules call."""
    mine = globals().get("__builtins__", builtins)
    found = mine["__import__"] if isinstance(mine, dict) else mine.__import__
    return found  # type: ignore[no-any-return]  # builtins are untyped here

"""Loads Goishi's own packages inside this one, so that a program's `sim` or `scripts` stay its own.

The packages `base`, `sim` and `ai` are folders beside this one, or inside it where a wheel was
installed, and import each other by these names. Here they are loaded from the same files as
`goishi._own.base`, `goishi._own.sim` and `goishi._own.ai`. A finder in `sys.meta_path` handles only
names below `goishi`. Modules that it loads get their own `import` function, which redirects the
three names to `goishi._own`. Nothing is added to `sys.path`, and `sys.modules` gets no top-level
name.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Final

_HERE: Final = Path(__file__).resolve().parent
ROOT: Final = _HERE / "shipped" if (_HERE / "shipped").is_dir() else _HERE.parent
"""Goishi's folder: a clone, or what a wheel has put inside this package."""
PACKAGE: Final = __name__.partition(".")[0]
OWN: Final = f"{PACKAGE}._own"
TOPS: Final = frozenset({"base", "sim", "ai"})


def open_internal_imports() -> None:
    """Let Goishi's own packages be imported under names inside `goishi`; may be called twice.

    Raises:
        ImportError: the other packages of Goishi are not beside this one.
    """
    if not (ROOT / "sim" / "__init__.py").is_file():
        raise ImportError(
            f"goishi: expected Goishi's folder around it, found no sim/ in {ROOT}; "
            "install it from that folder: pip install -e ."
        )
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds modules below this package, and nothing else."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module whose name lies inside `goishi`.

        Args:
            name: full name of the module.
            path: folders to search; None for those of `sys.path`.
            target: ignored.

        Returns:
            How to load the module, so that its own imports lead inside `goishi`, too. None for
            other names.
        """
        if not name.startswith(f"{PACKAGE}.") or name == __name__:
            return None
        if name == OWN:
            spec = ModuleSpec(OWN, None, is_package=True)
            spec.submodule_search_locations = [str(ROOT)]
            return spec
        if name.startswith(f"{OWN}.") and name.split(".")[2] not in TOPS:
            return None
        found = PathFinder.find_spec(name, path)
        if found is not None and type(found.loader) is SourceFileLoader:
            found.loader = _Loader(found.loader.name, found.loader.path)
        return found


class _Loader(SourceFileLoader):
    """Loads a module so that its imports of `base`, `sim` and `ai` lead inside this package."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code with the redirecting `import`."""
        module.__dict__["__builtins__"] = _BUILTINS
        super().exec_module(module)


def _import(
    name: str,
    module_globals: Mapping[str, object] | None = None,
    module_locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Import a module for one of Goishi's modules, in place of the builtin `__import__`.

    The names `base`, `sim` and `ai` lead to the packages inside `goishi`.

    Args:
        name: name of the module.
        module_globals: as for `__import__`.
        module_locals: as for `__import__`.
        fromlist: as for `__import__`.
        level: as for `__import__`.
    """
    top = name.partition(".")[0]
    if level or top not in TOPS:
        return builtins.__import__(name, module_globals, module_locals, fromlist or (), level)
    if fromlist:
        return builtins.__import__(f"{OWN}.{name}", module_globals, module_locals, fromlist, 0)
    import_module(f"{OWN}.{name}")
    return sys.modules[f"{OWN}.{top}"]


_BUILTINS: Final[dict[str, object]] = {**vars(builtins), "__import__": _import}

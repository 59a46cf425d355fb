"""What `scripts.…` means in a process that plays: the scripts of one project."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

PACKAGE: Final = "scripts"


def open_project(project: Path) -> None:
    """Let `scripts.…` mean this project's own scripts in this process; twice is once.

    For workers and experiments. Modules of another project that were imported before are let go.
    """
    root = project.resolve()
    folder = root / PACKAGE
    known = sys.modules.get(PACKAGE)
    if known is not None and list(known.__path__)[:1] == [str(folder)]:
        return
    for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
        del sys.modules[name]
    if str(root) not in sys.path:
        sys.path.append(str(root))
    importlib.invalidate_caches()
    _install(folder)


def _install(folder: Path) -> None:
    """Make the folder the package, whatever else of this name lies on the path."""
    start = folder / "__init__.py"
    if start.is_file():
        spec = spec_from_file_location(PACKAGE, start, submodule_search_locations=[str(folder)])
    else:
        spec = ModuleSpec(PACKAGE, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
    if spec is None:
        raise ImportError(f"expected a package of scripts, found {folder}")
    module = module_from_spec(spec)
    sys.modules[PACKAGE] = module
    if spec.loader is not None:
        spec.loader.exec_module(module)


__all__ = ["open_project"]

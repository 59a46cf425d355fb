"""What `scripts.…` and `goishi.scripts.…` mean in a process that plays.

`scripts` is the package of one project, `goishi.scripts` that of the scripts that ship with Goishi:
the same two names that a project's scripts have in the window.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any, Final

PACKAGE: Final = "scripts"
SHIPPED_TOP: Final = "goishi"
SHIPPED_PACKAGE: Final = f"{SHIPPED_TOP}.{PACKAGE}"
SHIPPED_FOLDER: Final = Path(__file__).resolve().parents[2] / PACKAGE


def open_project(project: Path) -> None:
    """Let `scripts.…` mean this project's own scripts in this process; twice is once.

    `goishi.scripts.…` are the shipped ones from then on. For workers and experiments. Modules of
    another project that were imported before are let go.
    """
    if not any(isinstance(finder, _ShippedScripts) for finder in sys.meta_path):
        sys.meta_path.insert(0, _ShippedScripts())  # before the one that knows paths alone
    root = project.resolve()
    folder = root / PACKAGE
    if _own_folder() == folder:
        return
    for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
        del sys.modules[name]
    if str(root) not in sys.path:
        sys.path.append(str(root))
    importlib.invalidate_caches()
    _install(folder)


def why_not_found(name: str) -> str:
    """Return what was expected where the module `name` was not found, and what was meant perhaps.

    Args:
        name: dotted, as `ModuleNotFoundError.name` tells it.
    """
    shown = name.removeprefix(f"{SHIPPED_TOP}.")
    if shown.partition(".")[0] != PACKAGE:
        top = name.partition(".")[0]
        return f"expected the package {top}, found none: python main.py pip install {top}"
    inside = shown.split(".")[1:]
    own = _own_folder()
    folder = SHIPPED_FOLDER if shown != name or own is None else own
    text = f"expected the file {folder.joinpath(*inside).with_suffix('.py')}, found none"
    if folder != SHIPPED_FOLDER and inside and _file_of(SHIPPED_FOLDER.joinpath(*inside)):
        text += f"; what ships with Goishi: from {SHIPPED_TOP}.{name} import ..."
    return text


def place_of(error: BaseException) -> str:
    """Return the project's innermost line that an error came through, `scripts/x.py:12`.

    Empty where it came through none, or no project is open.
    """
    own = _own_folder()
    if own is None:
        return ""
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    found = [(Path(file), line) for file, line in frames if Path(file).is_relative_to(own)]
    if not found:
        return ""
    file, line = found[-1]
    return f"{file.relative_to(own.parent).as_posix()}:{line}"


def _own_folder() -> Path | None:
    """Return the folder that `scripts` means now."""
    known = sys.modules.get(PACKAGE)
    folders = list(getattr(known, "__path__", ()))
    return Path(folders[0]) if folders else None


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


class _ShippedScripts(MetaPathFinder):
    """Finds `goishi.scripts.…` where Goishi lies."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Take what ships, know nothing of the rest."""
        if name == SHIPPED_TOP:
            return ModuleSpec(name, None, is_package=True)
        if name != SHIPPED_PACKAGE and not name.startswith(f"{SHIPPED_PACKAGE}."):
            return None
        base = SHIPPED_FOLDER.joinpath(*name.split(".")[2:])
        file = _file_of(base)
        if file is None:
            return None
        if file.is_dir():
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(file)]
            return spec
        folders = [str(base)] if file.name == "__init__.py" else None
        loader = _ShippedLoader(name, str(file))
        return spec_from_file_location(
            name, file, loader=loader, submodule_search_locations=folders
        )


class _ShippedLoader(SourceFileLoader):
    """Runs a shipped script; in it `import scripts.…` means the shipped ones."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with an import of its own."""
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import_for_shipped}
        super().exec_module(module)


def _import_for_shipped(
    name: str,
    module_globals: Mapping[str, Any] | None = None,
    module_locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    if level or (name != PACKAGE and not name.startswith(f"{PACKAGE}.")):
        return builtins.__import__(name, module_globals, module_locals, fromlist or (), level)
    module = builtins.__import__(
        f"{SHIPPED_TOP}.{name}", module_globals, module_locals, fromlist or (), 0
    )
    return module if fromlist else sys.modules[SHIPPED_PACKAGE]


def _file_of(base: Path) -> Path | None:
    """Return the file or folder of a module, None where there is none."""
    for path in (base.with_suffix(".py"), base / "__init__.py", base):
        if path.is_file() or (path == base and path.is_dir()):
            return path
    return None


__all__ = ["open_project", "place_of", "why_not_found"]

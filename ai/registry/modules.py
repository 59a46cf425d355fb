"""Meaning of `scripts.…` and `goishi.scripts.…` in a worker process.

`scripts` is the package of one project, `goishi.scripts` that of the shipped scripts, as in the
window's process.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from base.errors import ScriptLoadError
from base.files import SHIPPED_ROOT
from base.modules import SCRIPTS, SHIPPED_TOP, ScriptPackage, is_within
from base.modules import place_of as place_in

log = logging.getLogger(__name__)


def open_project(project: Path) -> None:
    """Make `scripts.…` mean this project's scripts in this process; may be called twice.

    `goishi.scripts.…` are then the shipped ones. For workers and experiments. Modules of another
    project that were imported before are dropped.
    """
    root = project.resolve()
    finder = next((item for item in sys.meta_path if isinstance(item, _ScriptFinder)), None)
    if finder is None:
        finder = _ScriptFinder()
        sys.meta_path.insert(0, finder)  # before the one that knows paths alone
    if finder.root == root:
        return
    for name in [name for name in sys.modules if is_within(name, SCRIPTS)]:
        del sys.modules[name]
    if str(root) not in sys.path:
        sys.path.append(str(root))
    importlib.invalidate_caches()
    finder.open(root)


def why_not_found(error: ModuleNotFoundError | ScriptLoadError) -> str:
    """Return an error text for a module that was not found, and how to install it."""
    if isinstance(error, ScriptLoadError):
        return str(error)
    top = (error.name or str(error)).partition(".")[0]
    return f"expected the package {top}, found none: python main.py pip install {top}"


def place_of(error: BaseException) -> str:
    """Return the innermost line of the project in an error's traceback, `scripts/x.py:12`.

    Empty if there is none, or no project is open.
    """
    finders = (item for item in sys.meta_path if isinstance(item, _ScriptFinder))
    root = next((finder.root for finder in finders), None)
    return "" if root is None else place_in(error, root)


class _ScriptFinder(MetaPathFinder, Loader):
    """Finds the scripts of one project and the shipped ones, by these names for all who import."""

    def __init__(self) -> None:
        self.shipped = self._package(SHIPPED_ROOT, SHIPPED_TOP)
        self.own: ScriptPackage | None = None

    @property
    def root(self) -> Path | None:
        """The project whose package `scripts` is now, None where it is another's."""
        own = self.own
        is_own = own is not None and sys.modules.get(SCRIPTS) is own.modules.get(SCRIPTS)
        return own.root if own is not None and is_own else None

    def open(self, root: Path) -> None:
        """Set the folder whose scripts `scripts.…` means."""
        self.own = self._package(root, "")
        self.own.shipped = self.shipped
        self.own.module(SCRIPTS)

    @staticmethod
    def _package(root: Path, private: str) -> ScriptPackage:
        package = ScriptPackage(root, private, has_text_annotations=False)
        package.on_moved = lambda former, present: log.warning(
            "%s is now %s; the old name still works", former, present
        )
        return package

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find modules of `scripts` only."""
        if name == SHIPPED_TOP:
            return ModuleSpec(name, None, is_package=True)
        return None if self._package_of(name) is None else ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module, run if need be."""
        package = self._package_of(spec.name)
        if package is None:
            return None
        return package.module_within(spec.name.removeprefix(package.prefix))

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: it has run."""

    def _package_of(self, name: str) -> ScriptPackage | None:
        if is_within(name, f"{SHIPPED_TOP}.{SCRIPTS}"):
            return self.shipped
        return self.own if is_within(name, SCRIPTS) and self.root is not None else None

"""`PlayerInfo`: a player's registry entry, known without importing the player.

A player may be a script. In worker processes as in the application, `scripts` is the package of the
open project's scripts, and `goishi.scripts` that of the scripts that Goishi includes. This module
makes both importable.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Final, cast

from ai.players.levels import Level
from base.errors import ScriptLoadError
from base.files import SHIPPED_ROOT
from base.missing_package import missing_package
from base.modules import SCRIPTS, SHIPPED_TOP, ScriptPackage, is_within
from base.modules import place_of as place_in
from base.schema import Option
from base.trust import check_import, may_import

log = logging.getLogger(__name__)


def open_project(project: Path) -> None:
    """Make modules of a project's scripts importable as `scripts.…` in this process.

    The scripts that Goishi includes become importable as `goishi.scripts.…`. Workers and
    experiments call this. It may be called again: imported scripts of another project are removed.
    If the user does not trust the project, its other modules are not found, and its scripts raise
    an error when they are imported.

    Args:
        project: folder of the project.

    Raises:
        TrustError: `scripts` is a module with code, and the user does not trust the project.
    """
    root = project.resolve()
    if may_import(root) and str(root) not in sys.path:
        sys.path.append(str(root))
        importlib.invalidate_caches()
    finder = next((item for item in sys.meta_path if isinstance(item, _ScriptFinder)), None)
    if finder is None:
        finder = _ScriptFinder()
        sys.meta_path.insert(0, finder)  # before the one that knows paths alone
    if finder.root == root:
        return
    for name in [name for name in sys.modules if is_within(name, SCRIPTS)]:
        del sys.modules[name]
    finder.open(root)


def not_found_message(error: ModuleNotFoundError | ScriptLoadError) -> str:
    """Return an error message for a module that was not found, with the command to install it."""
    if isinstance(error, ScriptLoadError):
        return str(error)
    return missing_package(error.name or str(error))


def project_line_of(error: BaseException) -> str:
    """Return the innermost line of the project in an error's traceback, `scripts/x.py:12`.

    Empty if there is none, or no project is open.
    """
    finders = (item for item in sys.meta_path if isinstance(item, _ScriptFinder))
    root = next((finder.root for finder in finders), None)
    return "" if root is None else place_in(error, root)


class _ScriptFinder(MetaPathFinder, Loader):
    """Import hook that loads the scripts of the open project and those that Goishi includes."""

    def __init__(self) -> None:
        self.shipped = self._package(SHIPPED_ROOT, SHIPPED_TOP)
        self.own: ScriptPackage | None = None

    @property
    def root(self) -> Path | None:
        """Folder of the open project.

        None if no project is open, or if the present module `scripts` is not that of the project.
        """
        own = self.own
        is_own = own is not None and sys.modules.get(SCRIPTS) is own.modules.get(SCRIPTS)
        return own.root if own is not None and is_own else None

    def open(self, root: Path) -> None:
        """Open the project in a folder: from now on its scripts are `scripts.…`."""
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
        """Return a module spec for script modules; None for all other modules.

        Args:
            name: full name of the module.
            path: unused.
            target: unused.
        """
        if name == SHIPPED_TOP:
            return ModuleSpec(name, None, is_package=True)
        return None if self._package_of(name) is None else ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module of a script; run the script first if it was not loaded before.

        Args:
            spec: spec that `find_spec` has returned.
        """
        package = self._package_of(spec.name)
        if package is None:
            return None
        return package.module_within(spec.name.removeprefix(package.prefix))

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: `create_module` has executed the module."""

    def _package_of(self, name: str) -> ScriptPackage | None:
        if is_within(name, f"{SHIPPED_TOP}.{SCRIPTS}"):
            return self.shipped
        return self.own if is_within(name, SCRIPTS) and self.root is not None else None


OWN_TOPS: Final = ("ai", SHIPPED_TOP)
"""Top-level names of what Goishi includes; all others may be modules of a project."""
ANY_GAME: Final = "any game"
ANY_LINES: Final = "any game that names the lines on which a row can win"
ANY_RULES: Final = "freestyle or standard, any win length, any board, with or without gravity"
ALL_RULES: Final = ("freestyle", "standard", "renju", "caro")
"""Names of all rules of `ai.game.Rule`.

They are repeated here, because to import that class would import numpy.
"""
FOUL_FREE: Final = ("freestyle", "standard")
"""Names of the rules that a player plays by default: freestyle and standard.

Renju has fouls, and in caro a row may be blocked, so they are not among them.
"""


class UnknownPlayerError(LookupError):
    """No player has this name, or its `module:callable` is not found; the message says which.

    Attributes:
        expected: what was expected, in words.
    """

    def __init__(self, text: str, expected: str = "a known player") -> None:
        self.expected = expected
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """A player's registry entry: name, texts, what it can play, and where its code is."""

    name: str
    description: str
    source: str
    """Source of the method, such as a paper."""
    factory: str = ""
    """Function that creates the player, "module:callable"; called with (rules, settings)."""
    title: str = ""
    """Name for spectators, such as "genetic algorithm"; if empty, `name` is used."""
    short_name: str = ""
    """Name shown in panels; if empty, `name` is used."""
    explains: str = "choice"
    """Kind of its explanations: "network", "memory", "plans" …; empty if it gives none."""
    after_loss: str = ""
    """What a learner does after a loss, such as "looks back over the game and remembers"."""
    learner: str | None = None
    """Function that creates its learner, "module:callable"; None if the player does not learn."""
    rules: str = ANY_RULES
    """Rules it plays, in words."""
    supported_rules: tuple[str, ...] = FOUL_FREE
    """Names of the rules that it plays; others are refused."""
    sizes: tuple[int, int] = (3, 22)
    """Sides of the smallest and the largest board, in points."""
    ready_sizes: tuple[int, ...] = ()
    """Board sizes for which Goishi includes weights; () if it plays all sizes.

    For other sizes the player needs its setting `weights`.
    """
    plays_other_games: bool = True
    """Whether it also plays rectangular boards and games with gravity."""
    plays_any_game: bool = False
    """Whether it also plays games that are not m,n,k."""
    needs_lines: bool = False
    """Whether it plays only games that name the lines on which a row can win."""
    plain_nodes: int = 300
    """Positions that a move may cost while its kernels are being compiled: some seconds at most."""
    least_held: float = 0.9
    """Smallest `held` of a successful training of its learner; see `ai.learning.measures`."""
    settings_from: str | None = None
    """Where the tuple of its settings is, as "module:name"; None: in `own_settings`."""
    own_settings: tuple[Option, ...] = ()
    """Its settings, if they are declared in a project's file."""
    project: Path | None = None
    """Folder of the project that adds it, None for a shipped player."""
    portrait: tuple[str, str] | None = None
    """Icon and colour of its picture in lists of players; None for those of its `explains`."""
    levels: tuple[Level, ...] = ()
    """Its levels of strength, the weakest first; () if it has no setting `level`."""

    def __post_init__(self) -> None:
        """Use the name for `title` and `short_name` if they are empty."""
        for key in ("title", "short_name"):
            object.__setattr__(self, key, getattr(self, key) or self.name)

    @property
    def settings(self) -> tuple[Option, ...]:
        """The player's settings, imported if necessary."""
        if self.settings_from is None:
            return self.own_settings
        return cast("tuple[Option, ...]", load_target(self.settings_from))

    def load(self, target: str) -> object:
        """Import and return an object.

        The player's project is opened first. So the object may be in one of its scripts.

        Args:
            target: "module:name" of the object.

        Raises:
            UnknownPlayerError: there is no such module or name.
            TrustError: the user does not trust the project, and the object is not Goishi's.
        """
        if self.project is not None:
            if target.partition(":")[0].partition(".")[0] not in OWN_TOPS:
                check_import(self.project)
            open_project(self.project)
        return load_target(target)

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON: the entry of `players --json`."""
        return {
            "name": self.name,
            "description": self.description,
            "source": self.source,
            "learns": self.learner is not None,
            "rules": self.rules,
            "supported_rules": list(self.supported_rules),
            "board_sizes": {"minimum": self.sizes[0], "maximum": self.sizes[1]},
            "ready_sizes": list(self.ready_sizes),
            "settings": [setting.as_dict() for setting in self.settings],
            "levels": [level.as_dict() for level in self.levels],
            "project": None if self.project is None else str(self.project),
        }


def load_target(target: str) -> object:
    """Import the object that `"module:name"` names.

    Raises:
        UnknownPlayerError: there is no such module or name.
    """
    module_name, _, attribute = target.partition(":")
    try:
        module = import_module(module_name)
    except (ModuleNotFoundError, ScriptLoadError) as error:
        raise UnknownPlayerError(_fault_of_import(target, error)) from error
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise UnknownPlayerError(
            f"expected 'module:callable', found {target!r}: {error}"
        ) from error


def _fault_of_import(target: str, error: ModuleNotFoundError | ScriptLoadError) -> str:
    """Return an error message for a failed import; it names the module that is missing.

    This is the module of the target, or one that the target's module imports.

    Args:
        target: "module:name" that was imported.
        error: error of the import.
    """
    place = project_line_of(error)
    return f"{target!r}: {f'{place}: ' if place else ''}{not_found_message(error)}"

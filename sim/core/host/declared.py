"""Models and sounds declared in `goishi.toml`: those of the project, and the shipped ones.

Their modules are imported at first use. Under `--safe` the project's scripts do not run; the
shipped models and sounds are still available.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TypeVar

from base.errors import GoishiError, MakerError, ScriptLoadError
from base.files import SHIPPED_ROOT
from base.interruption import Interruption
from base.modules import ScriptPackage
from sim.core.audio.sound_bank import SoundBank, SoundKind
from sim.core.geometry.builtin_models import ModelKind, ModelRegistry
from sim.core.hangs.watchdog import Watchdog
from sim.core.host.makers import MakerGuard
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.manifest import Entry, Manifest, read_manifest
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.failure_text import describe, user_traceback

T = TypeVar("T")


class DeclaredKinds:
    """The models and sounds that a project's scenes can use by name.

    Args:
        loader: imports the modules.
        manifest: the project's manifest; None for only the models and sounds shipped with Goishi.
        console: receives an error for each module that fails to load, and each sound that fails.
        watchdog: interrupts functions of a project that take too long; None for no limit.
        is_safe: whether to leave out the project's own models and sounds.

    Attributes:
        models: the models.
        sounds: the sounds.
    """

    def __init__(
        self,
        loader: ScriptLoader,
        manifest: Manifest | None,
        console: Console,
        watchdog: Watchdog | None = None,
        *,
        is_safe: bool = False,
    ) -> None:
        self._loader, self._console = loader, console
        shipped = _shipped(manifest)
        own = Manifest(shipped.project) if manifest is None or is_safe else manifest
        self._models = self._entries(shipped.models, own.models)
        self._sounds = self._entries(shipped.sounds, own.sounds)
        guard = MakerGuard(console, watchdog)
        find_model = self._finder("model", ModelKind, self._models, guard.model)
        find_sound = self._finder("sound", SoundKind, self._sounds, guard.sound)
        self.models = ModelRegistry(tuple(self._models), find_model)
        self.sounds = SoundBank(
            tuple(self._sounds),
            find_sound,
            lambda name, error: self._report(f"sound {name}: {error.text}", error),
            project=loader.project.root,
        )

    def modules_using(self, package: ScriptPackage, module: str) -> set[str]:
        """Return the modules of models and sounds that are a module or have imported from it.

        Args:
            package: package of the module.
            module: name of the module, `scripts.…`.
        """
        return {
            entries[name][1].target.partition(":")[0]
            for entries in (self._models, self._sounds)
            for name in self._names_using(entries, package, module)
        }

    def renew(self, package: ScriptPackage, module: str) -> tuple[str, ...]:
        """Forget the models and sounds that a reloaded module defines; return the models' names.

        They are found anew when they are next used.

        Args:
            package: package of the module.
            module: name of the module, `scripts.…`.
        """
        self.sounds.forget(self._names_using(self._sounds, package, module))
        models = self._names_using(self._models, package, module)
        self.models.forget(models)
        return models

    def _entries(self, of_shipped: Sequence[Entry], of_own: Sequence[Entry]) -> _Entries:
        return {
            **{item.name: (self._loader.shipped, item) for item in of_shipped},
            **{item.name: (self._loader.project, item) for item in of_own},
        }

    @staticmethod
    def _names_using(entries: _Entries, package: ScriptPackage, module: str) -> tuple[str, ...]:
        """Return the names of entries whose module is the given one, or has imported from it."""
        private = f"{package.prefix}{module}"
        found: list[str] = []
        for name, (owner, entry) in entries.items():
            home = entry.target.partition(":")[0]
            loaded = owner.modules.get(home)
            values = list(vars(loaded).values()) if loaded is not None else []
            if owner is package and (
                home == module or any(_name_of(value) == private for value in values)
            ):
                found.append(name)
        return tuple(found)

    def _finder(
        self, word: str, kind: type[T], entries: _Entries, guarded: Callable[[T], T]
    ) -> Callable[[str], T | None]:
        """Return a function that imports a declared model or sound, given its name.

        Args:
            word: "model" or "sound", for the error message.
            kind: class that the imported object must have.
            entries: package and manifest entry of every declared name.
            guarded: returns the object with its functions behind the guard; raises TypeError if it
                is invalid.

        Returns:
            The function; it returns the imported object, or None if the import fails.
        """

        def find(name: str) -> T | None:
            package, entry = entries[name]
            module, _, attribute = entry.target.partition(":")
            try:
                found = getattr(package.module_within(module), attribute, None)
                if isinstance(found, kind):
                    return found if package is self._loader.shipped else guarded(found)
                raise ScriptLoadError(
                    f"expected a {kind.__name__} {attribute} in {module}, found {found!r:.80}"
                )
            except Interruption:
                raise
            except BaseException as error:
                self._report(f"{word} {name}: {describe(error).splitlines()[0]}", error)
                return None

        return find

    def _report(self, text: str, error: BaseException) -> None:
        """Write an error to the console, with its place in the project's code.

        Args:
            text: the text.
            error: the exception.
        """
        if isinstance(error, MakerError):
            file, line, details = error.file, error.line, error.details
        else:
            file, line = self._console.place_of(error)
            details = user_traceback(error)
        self._console.add(ConsoleRecord("error", text, file=file, line=line, details=details))


def declared_kinds(
    loader: ScriptLoader, manifest: Manifest | None, console: Console, *, is_safe: bool = False
) -> tuple[ModelRegistry, SoundBank]:
    """Return the models and sounds that a project's scenes can use by name.

    Args:
        loader: imports the modules.
        manifest: the project's manifest; None for only the models and sounds shipped with Goishi.
        console: receives an error for each module that fails to load.
        is_safe: whether to leave out the project's own models and sounds.
    """
    kinds = DeclaredKinds(loader, manifest, console, is_safe=is_safe)
    return kinds.models, kinds.sounds


_Entries = dict[str, tuple[ScriptPackage, Entry]]


def _name_of(value: object) -> object:
    """Return the name of a module, or of the module that defines a value; None if unknown."""
    try:
        return getattr(value, "__name__" if isinstance(value, ModuleType) else "__module__", None)
    except Exception:
        return None


def _shipped(manifest: Manifest | None) -> Manifest:
    if manifest is not None and manifest.project.resolve() == SHIPPED_ROOT:
        return manifest
    try:
        return read_manifest(SHIPPED_ROOT)
    except GoishiError:
        return Manifest(SHIPPED_ROOT)

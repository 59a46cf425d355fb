"""Models and sounds declared in `goishi.toml`: those of the project, and the shipped ones.

Their modules are imported at first use. Under `--safe` the project's scripts do not run; the
shipped models and sounds are still available.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from base.errors import GoishiError, ScriptLoadError
from base.files import SHIPPED_ROOT
from base.interruption import Interruption
from base.modules import ScriptPackage
from sim.core.audio.sound_bank import SoundBank, SoundKind
from sim.core.geometry.builtin_models import ModelKind, ModelRegistry
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.manifest import Entry, Manifest, read_manifest
from sim.core.reporting.console import Console
from sim.core.reporting.failure_text import describe

T = TypeVar("T")


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
    shipped = _shipped(manifest)
    own = Manifest(shipped.project) if manifest is None or is_safe else manifest

    def entries(of_shipped: Sequence[Entry], of_own: Sequence[Entry]) -> _Entries:
        return {
            **{item.name: (loader.shipped, item) for item in of_shipped},
            **{item.name: (loader.project, item) for item in of_own},
        }

    models = entries(shipped.models, own.models)
    sounds = entries(shipped.sounds, own.sounds)
    return (
        ModelRegistry(tuple(models), _finder("model", ModelKind, models, console)),
        SoundBank(tuple(sounds), _finder("sound", SoundKind, sounds, console)),
    )


_Entries = dict[str, tuple[ScriptPackage, Entry]]


def _finder(
    word: str, kind: type[T], entries: _Entries, console: Console
) -> Callable[[str], T | None]:
    """Return a function that imports a declared model or sound, given its name.

    Args:
        word: "model" or "sound", for the error message.
        kind: class that the imported object must have.
        entries: package and manifest entry of every declared name.
        console: receives one error line for each failure.

    Returns:
        The function; it returns the imported object, or None if the import fails.
    """

    def find(name: str) -> T | None:
        package, entry = entries[name]
        module, _, attribute = entry.target.partition(":")
        try:
            found = getattr(package.module_within(module), attribute, None)
            if isinstance(found, kind):
                return found
            raise ScriptLoadError(
                f"expected a {kind.__name__} {attribute} in {module}, found {found!r:.80}"
            )
        except Interruption:
            raise
        except BaseException as error:
            console.error(f"{word} {name}: {describe(error).splitlines()[0]}")
            return None

    return find


def _shipped(manifest: Manifest | None) -> Manifest:
    if manifest is not None and manifest.project.resolve() == SHIPPED_ROOT:
        return manifest
    try:
        return read_manifest(SHIPPED_ROOT)
    except GoishiError:
        return Manifest(SHIPPED_ROOT)

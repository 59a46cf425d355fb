"""Models that `goishi.toml` declares (`[models]`): those of the project, and those that ship.

A model's module is imported when a scene first names it. Under `--safe`, where no script of the
project runs, those that ship are made all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from base.errors import GoishiError, ScriptLoadError
from base.files import SHIPPED_ROOT
from sim.core.geometry.builtin_models import ModelKind, ModelRegistry
from sim.core.host.script_loader import ScriptLoader, ScriptPackage
from sim.core.project.manifest import Entry, Manifest, read_manifest
from sim.core.reporting.console import Console


def declared_models(
    loader: ScriptLoader, manifest: Manifest | None, console: Console, *, is_safe: bool = False
) -> ModelRegistry:
    """Return the models that the scenes of a project can name.

    Args:
        loader: imports the modules.
        manifest: of the project; None for what ships alone.
        console: told of a model that cannot be had.
        is_safe: leave out those of the project.
    """
    found = {item.name: (loader.shipped, item) for item in _shipped(manifest).models}
    if manifest is not None and not is_safe:
        found.update({item.name: (loader.project, item) for item in manifest.models})
    entries: Mapping[str, tuple[ScriptPackage, Entry]] = found

    def find(name: str) -> ModelKind | None:
        package, entry = entries[name]
        try:
            return _kind(package, entry)
        except Exception as error:
            console.error(f"model {name}: {type(error).__name__}: {error}")
            return None

    return ModelRegistry(tuple(entries), find)


def _shipped(manifest: Manifest | None) -> Manifest:
    if manifest is not None and manifest.project.resolve() == SHIPPED_ROOT:
        return manifest
    try:
        return read_manifest(SHIPPED_ROOT)
    except GoishiError:
        return Manifest(SHIPPED_ROOT)


def _kind(package: ScriptPackage, entry: Entry) -> ModelKind:
    module, _, name = entry.target.partition(":")
    found = getattr(package.module_within(module), name, None)
    if not isinstance(found, ModelKind):
        raise ScriptLoadError(f"expected a ModelKind {name} in {module}, found {found!r:.80}")
    return found


__all__ = ["declared_models"]

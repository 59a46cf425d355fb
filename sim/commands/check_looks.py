"""Faults in what a scene's objects look like: models, materials, textures, files.

They are those that a run names when it draws the objects; nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Final

from base.errors import GoishiError, SceneFileError
from base.files import SHIPPED_ROOT
from base.values import JsonObject
from sim.core.assets.animation.animator import asset_paths
from sim.core.assets.assets import IMPORT_SECONDS, AssetLibrary
from sim.core.files.scene_file import SceneDocument
from sim.core.geometry.builtin_models import WRONG_NUMBERS, ModelRegistry
from sim.core.host.declared import declared_kinds
from sim.core.host.script_loader import ScriptLoader
from sim.core.project.manifest import Manifest, read_manifest
from sim.core.reporting.console import Console
from sim.core.scene.look_check import look_faults

PICTURES: Final = "sim.render.materials.textures"


def look_faults_of(document: SceneDocument, *, is_safe: bool) -> Iterator[SceneFileError]:
    """Yield the faults of the models, materials and textures of a scene.

    Args:
        document: the valid scene file.
        is_safe: import none of the project's scripts; its own models are taken for right then.
    """
    own = _manifest(document)
    console = Console(stderr=False)
    loader = ScriptLoader(document.project, SHIPPED_ROOT, is_safe=is_safe)
    models, _ = declared_kinds(loader, own, console, is_safe=is_safe)
    hidden = {entry.name for entry in own.models} if is_safe else set()
    file = document.path.name
    used: dict[str, str] = {}
    for object_id, entry in document.data["objects"].items():
        merged = {**document.prefabs.get(entry.get("prefab", ""), {}), **entry}
        model = merged.get("model") or {}
        if "asset" in model:
            for path in asset_paths(model):
                used.setdefault(path, object_id)
        if model.get("builtin") not in hidden:
            for key, text in _object_faults(merged, document, models):
                yield _fault(file, object_id, key, text)
    for record in console.records:
        yield _fault(file, "", "model", record.text)
    yield from _file_faults(document, used)


def _object_faults(
    entry: JsonObject, document: SceneDocument, models: ModelRegistry
) -> Iterator[tuple[str, str]]:
    """Yield key and text of the faults of an object, its model file left aside."""
    model, material = entry.get("model") or {}, entry.get("material") or {}
    for text in look_faults(model, material, models):
        key, _, rest = text.partition(": ")
        yield key, rest
    kind = models.kind(model.get("builtin"))
    if kind is not None:
        try:
            kind.values(model)
            if not kind.drawn_as:
                kind.made(model)
        except WRONG_NUMBERS as error:
            yield "model", f"expected the keys of docs/scene_format.md, found {model}: {error}"
    if entry.get("texture") is not None:
        try:
            import_module(PICTURES).picture_of(entry["texture"], document.project)
        except OSError as error:
            yield "texture", f"expected a picture, found {entry['texture']}: {error.strerror}"
        except ValueError as error:
            yield "texture", str(error)


def _file_faults(document: SceneDocument, used: dict[str, str]) -> Iterator[SceneFileError]:
    """Yield the faults of the model files, given the first object that shows each."""
    if not used:
        return
    library = AssetLibrary(document.project)
    try:
        assets = [library.get(path) for path in used]
        library.poll(IMPORT_SECONDS)
    finally:
        library.close()
    for asset in assets:
        for text in (asset.error, *asset.warnings):
            if text:
                yield _fault(
                    document.path.name, used[asset.path], "model.asset", f"{asset.path}: {text}"
                )


def _manifest(document: SceneDocument) -> Manifest:
    try:
        return read_manifest(document.project)
    except GoishiError:  # which is named of its own
        return Manifest(document.project)


def _fault(file: str, object_id: str, key: str, text: str) -> SceneFileError:
    before, _, rest = text.partition("expected ")
    expected, _, found = rest.partition(", found ")
    if not found:
        return SceneFileError(file, object_id, key, expected="what can be drawn", found=text)
    return SceneFileError(
        file, object_id, key, expected=expected, found=f"{found} {before}".strip()
    )

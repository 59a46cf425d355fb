"""Builds objects from scene files and prefabs."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from base.values import JsonObject
from sim.core.files.canonical import COMPONENT_KEYS, OBJECT_KEYS
from sim.core.files.scene_checker import VECTORS, SceneChecker, instance_id
from sim.core.files.scene_file import SceneDocument
from sim.core.scene.scene_data import snapshot

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import SceneObject


def build(document: SceneDocument, scene: Scene) -> None:
    """Create the objects of a document: parents first, siblings by their order."""
    entries: JsonObject = document.data["objects"]
    children: dict[str | None, list[str]] = {}
    for object_id, entry in entries.items():
        children.setdefault(entry.get("parent"), []).append(object_id)
    stack: list[str] = []
    made: dict[str, SceneObject] = {}

    def push(parent: str | None) -> None:
        siblings = children.get(parent, [])
        stack.extend(sorted(siblings, key=lambda item: (entries[item].get("order", 0), item))[::-1])

    push(None)
    while stack:
        object_id = stack.pop()
        entry = entries[object_id]
        prefab = document.prefabs.get(entry.get("prefab", ""))
        made[object_id] = _build_object(
            scene, object_id, entry, prefab, made.get(str(entry.get("parent")))
        )
        push(object_id)


def _renamed(value: object, new: dict[str, str]) -> object:
    if isinstance(value, list):
        return [_renamed(item, new) for item in value]
    if isinstance(value, dict) and value.get("$ref") in new:
        return {**value, "$ref": new[value["$ref"]]}
    return value


def _merged(
    object_id: str, entry: JsonObject, prefab: JsonObject
) -> tuple[JsonObject, dict[str, str]]:
    """Return an entry with its prefab's values below it, and the prefab's id of each component.

    The prefab's components get ids of the instance's own; a component that the entry lists under
    such an id stands in the place of the prefab's.
    """
    merged: JsonObject = {**prefab, **{k: v for k, v in entry.items() if k != "overrides"}}
    inner: JsonObject = json.loads(json.dumps(prefab.get("components", {})))
    for key, value in entry.get("overrides", {}).items():
        component_id, _, field_name = key.partition("/")
        if component_id in inner:
            inner[component_id].setdefault("fields", {})[field_name] = value
    new = {key: instance_id(object_id, key) for key in inner}
    for component in inner.values():
        values = component.get("fields", {})
        component["fields"] = {name: _renamed(value, new) for name, value in values.items()}
    own = entry.get("components", {})
    merged["components"] = {**{new[key]: part for key, part in inner.items()}, **own}
    return merged, {new[key]: key for key in inner}


def instantiate(
    scene: Scene,
    path: str,
    *,
    parent: SceneObject | None = None,
    position: Sequence[float] | None = None,
    name: str | None = None,
    object_id: str = "",
) -> SceneObject:
    """Create an instance of a prefab of the scene's project.

    Args:
        scene: the scene to add it to.
        path: project-relative POSIX path of the `*.prefab.json`.
        parent: its parent, None for a root.
        position: in the parent's space, metres; None for the prefab's.
        name: None for the prefab's.
        object_id: empty for a generated one.

    Raises:
        SceneFileError: there is no such prefab, or it is invalid.
        LimitError: the scene holds `max_objects` already.
    """
    prefab = _prefab_of(scene, path)
    siblings = scene.roots if parent is None else parent.children
    entry: JsonObject = {"prefab": path, "order": siblings[-1].order + 1 if siblings else 0.0}
    if parent is not None:
        entry["parent"] = parent.id
    if position is not None:
        entry["position"] = [float(item) for item in position]
    if name is not None:
        entry["name"] = name
    made = object_id or scene.new_id("obj")
    return _build_object(scene, made, entry, copy.deepcopy(prefab), parent)


def _prefab_of(scene: Scene, path: str) -> JsonObject:
    """Return a checked prefab; it is read again only when its file has changed."""
    known = scene.prefab_cache.get(path) if isinstance(path, str) else None
    if known is not None and known[0] == _stamp_of(scene.project, path):
        return known[1]
    before = _stamp_of(scene.project, path)
    checker = SceneChecker(path, scene.project)
    checker.check_prefab("", path)
    if checker.faults:
        raise checker.faults[0]
    if before is not None:
        scene.prefab_cache[path] = (before, checker.prefabs[path])
    return checker.prefabs[path]


def _stamp_of(project: Path, path: str) -> tuple[int, int] | None:
    """Return what tells whether a file has changed; None where it cannot be asked."""
    try:
        status = (project / path).stat()
    except (OSError, TypeError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _build_object(
    scene: Scene,
    object_id: str,
    authored: JsonObject,
    prefab: JsonObject | None,
    parent: SceneObject | None,
) -> SceneObject:
    origins: dict[str, str] = {}
    entry = authored
    if prefab is not None:
        entry, origins = _merged(object_id, authored, prefab)
    obj = scene.spawn(
        entry.get("name") or Path(entry["prefab"]).name.split(".")[0],
        model=entry.get("model"),
        parent=parent,
        position=entry.get("position", VECTORS["position"]),
        rotation=entry.get("rotation", VECTORS["rotation"]),
        scale=entry.get("scale", VECTORS["scale"]),
        material=entry.get("material"),
        object_id=object_id,
    )
    obj.order = entry.get("order", 0)
    obj._enabled = entry.get("enabled", True)
    obj._visible = entry.get("visible", True)
    obj.casts_shadow = entry.get("casts_shadow", True)
    if "texture" in entry:
        obj.texture = entry["texture"]
    obj.extra = {key: value for key, value in authored.items() if key not in OBJECT_KEYS}
    for component_id, component in entry.get("components", {}).items():
        slot = scene.attach(obj, component["type"], component.get("fields"), component_id)
        slot.is_enabled = component.get("enabled", True)
        slot.extra = {k: v for k, v in component.items() if k not in COMPONENT_KEYS}
        origin = origins.get(component_id, "")
        if component_id in authored.get("components", {}):
            slot.stands_for = origin
        else:
            slot.prefab_id = origin
    obj.authored = authored
    obj.snapshot = snapshot(obj)
    return obj

"""Builds objects from scene files and prefabs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from base.values import JsonObject
from sim.core.files.canonical import OBJECT_KEYS
from sim.core.files.scene_checker import SceneChecker, instance_id
from sim.core.files.scene_file import SceneDocument
from sim.core.scene.object_state import (
    ObjectState,
    component_of_entry,
    deep_copy,
    renamed_references,
    restore,
    state_of_entry,
)

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import SceneObject


def build(document: SceneDocument, scene: Scene) -> None:
    """Create the objects of a document: parents first, siblings by their order."""
    entries: JsonObject = document.data["objects"]
    children: dict[str, list[str]] = {}
    for object_id, entry in entries.items():
        children.setdefault(entry.get("parent") or "", []).append(object_id)

    def below(parent: str) -> list[tuple[str, str, int]]:
        found = children.get(parent, [])
        ordered = sorted(found, key=lambda item: (entries[item].get("order", 0), item))
        return [(item, parent, index) for index, item in enumerate(ordered)][::-1]

    stack = below("")
    while stack:
        object_id, parent, index = stack.pop()
        entry = entries[object_id]
        prefab = document.prefabs.get(entry.get("prefab", ""))
        state = _state(object_id, entry, prefab, parent, index)
        obj = restore(scene, state)
        obj.authored, obj.loaded = entry, state
        stack.extend(below(object_id))


def instantiate(
    scene: Scene,
    path: str,
    *,
    parent: SceneObject | None = None,
    position: Sequence[float] | None = None,
    name: str | None = None,
) -> SceneObject:
    """Create an instance of a prefab of the scene's project.

    Args:
        scene: the scene to add it to.
        path: project-relative POSIX path of the `*.prefab.json`.
        parent: its parent, None for a root.
        position: in the parent's space, metres; None for the prefab's.
        name: None for the prefab's.

    Raises:
        SceneFileError: there is no such prefab, or it is invalid.
        LimitError: the scene holds `max_objects` already.
    """
    siblings = scene.roots if parent is None else parent.children
    return restore(
        scene,
        instance_state(
            scene,
            path,
            scene.new_id("obj"),
            parent="" if parent is None else parent.id,
            index=len(siblings),
            order=siblings[-1].order + 1 if siblings else 0.0,
            position=position,
            name=name,
        ),
    )


def instance_state(
    scene: Scene,
    path: str,
    object_id: str,
    *,
    parent: str = "",
    index: int = 0,
    order: float = 0.0,
    position: Sequence[float] | None = None,
    name: str | None = None,
) -> ObjectState:
    """Return the state of a new instance of a prefab of the scene's project.

    Raises:
        SceneFileError: there is no such prefab, or it is invalid.
    """
    prefab = _prefab_of(scene, path)
    entry: JsonObject = {"prefab": path, "order": order}
    if parent:
        entry["parent"] = parent
    if position is not None:
        entry["position"] = [float(item) for item in position]
    if name is not None:
        entry["name"] = name
    state = _state(object_id, entry, prefab, parent, index)
    return replace(state, authored=entry, loaded=state)


def _state(
    object_id: str, authored: JsonObject, prefab: JsonObject | None, parent: str, index: int
) -> ObjectState:
    """Return the state that an object's entry, and its prefab, describe."""
    entry, origins = authored, dict[str, str]()
    if prefab is not None:
        entry, origins = _merged(object_id, authored, prefab)
    own = authored.get("components", {})
    components = []
    for key, part in entry.get("components", {}).items():
        origin = origins.get(key, "")
        kept = {"stands_for": origin} if key in own else {"prefab_id": origin}
        components.append(component_of_entry(key, part, **kept))
    return state_of_entry(
        object_id,
        entry,
        name=entry.get("name") or Path(entry["prefab"]).name.split(".")[0],
        parent=parent,
        index=index,
        order=entry.get("order", 0),
        components=tuple(components),
        extra={key: value for key, value in authored.items() if key not in OBJECT_KEYS},
    )


def _merged(
    object_id: str, entry: JsonObject, prefab: JsonObject
) -> tuple[JsonObject, dict[str, str]]:
    """Return an entry with its prefab's values below it, and the prefab's id of each component.

    The prefab's components get ids of the instance's own; a component that the entry lists under
    such an id stands in the place of the prefab's.
    """
    merged: JsonObject = {**prefab, **{k: v for k, v in entry.items() if k != "overrides"}}
    inner: JsonObject = deep_copy(prefab.get("components", {}))
    for key, value in entry.get("overrides", {}).items():
        component_id, _, field_name = key.partition("/")
        if component_id in inner:
            inner[component_id].setdefault("fields", {})[field_name] = value
    new = {key: instance_id(object_id, key) for key in inner}
    for component in inner.values():
        component["fields"] = renamed_references(component.get("fields", {}), new)
    own = entry.get("components", {})
    merged["components"] = {**{new[key]: part for key, part in inner.items()}, **own}
    return merged, {new[key]: key for key in inner}


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

"""Scene files: read with every fault named, written canonically and atomically.

A file is data: nothing in it is ever executed.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import SceneFileError
from sim.core.files.scene_checker import (
    FORMAT,
    ID_PATTERN,
    PREFAB_FORMAT,
    VECTORS,
    SceneChecker,
    instance_id,
)
from sim.core.files.scene_writer import (
    COMPONENT_KEYS,
    OBJECT_KEYS,
    TOP_KEYS,
    dumps,
    save,
    scene_data,
    snapshot,
)
from sim.core.scene.scene_settings import SceneSettings

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import SceneObject

__all__ = [
    "FORMAT", "ID_PATTERN", "PREFAB_FORMAT", "SceneDocument", "check", "dumps", "find_project",
    "instantiate", "load", "save", "scene_data",
]  # fmt: skip


@dataclass
class SceneDocument:
    """A checked scene file: plain data, keys that nobody knows included."""

    id: str
    settings: SceneSettings
    data: dict[str, Any]
    path: Path
    project: Path
    prefabs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def unknown_keys(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what stands in the file, and in its settings, under keys that nobody knows."""
        known = {item.name for item in fields(SceneSettings)}
        settings = self.data.get("settings", {})
        return (
            {key: value for key, value in self.data.items() if key not in TOP_KEYS},
            {key: value for key, value in settings.items() if key not in known},
        )

    def build(self, scene: Scene) -> None:
        """Create the objects in `scene`: parents first, siblings by their order."""
        entries: dict[str, Any] = self.data["objects"]
        children: dict[str | None, list[str]] = {}
        for object_id, entry in entries.items():
            children.setdefault(entry.get("parent"), []).append(object_id)
        stack: list[str] = []
        made: dict[str, SceneObject] = {}

        def push(parent: str | None) -> None:
            siblings = children.get(parent, [])
            stack.extend(
                sorted(siblings, key=lambda item: (entries[item].get("order", 0), item))[::-1]
            )

        push(None)
        while stack:
            object_id = stack.pop()
            entry = entries[object_id]
            prefab = self.prefabs.get(entry.get("prefab", ""))
            made[object_id] = _build_object(
                scene, object_id, entry, prefab, made.get(str(entry.get("parent")))
            )
            push(object_id)


def find_project(scene: Path) -> Path:
    """Return the nearest folder above the scene that holds `scenes/`; else the scene's own."""
    scene = scene.resolve()
    for folder in scene.parents:
        if (folder / "scenes").is_dir():
            return folder
    return scene.parent


def load(path: Path, *, project: Path | None = None) -> SceneDocument:
    """Read and check a scene file.

    Raises:
        SceneFileError: the first fault; `check` lists them all.
    """
    document, faults = _read(path, project)
    if faults or document is None:
        raise faults[0]
    return document


def check(path: Path, *, project: Path | None = None) -> list[SceneFileError]:
    """Return every fault of a scene file; empty when it is sound."""
    return _read(path, project)[1]


# -- reading ------------------------------------------------------------------------------------


def _read(path: Path, project: Path | None) -> tuple[SceneDocument | None, list[SceneFileError]]:
    root = project or find_project(path)
    checker = SceneChecker(path.name, root)
    data = checker.parse(path)
    if data is None:
        return None, checker.faults
    settings = checker.check_top(data)
    if checker.faults:
        return None, checker.faults
    checker.check_objects(data["objects"])
    document = SceneDocument(data["id"], settings, data, path, root, checker.prefabs)
    return (None if checker.faults else document), checker.faults


# -- building ---------------------------------------------------------------------------------


def _renamed(value: Any, new: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, new) for item in value]
    if isinstance(value, dict) and value.get("$ref") in new:
        return {**value, "$ref": new[value["$ref"]]}
    return value


def _merged(
    object_id: str, entry: dict[str, Any], prefab: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return an entry with its prefab's values below it, and the prefab's id of each component.

    The prefab's components get ids of the instance's own; a component that the entry lists under
    such an id stands in the place of the prefab's.
    """
    merged: dict[str, Any] = {**prefab, **{k: v for k, v in entry.items() if k != "overrides"}}
    inner: dict[str, Any] = json.loads(json.dumps(prefab.get("components", {})))
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
        scene: where.
        path: of the `*.prefab.json`, relative to the project, POSIX.
        parent: the object above it.
        position: where, in the parent's space; None leaves it to the prefab.
        name: None leaves it to the prefab.
        object_id: empty makes the next one of the scene.

    Raises:
        SceneFileError: there is no such prefab, or it is unsound.
        LimitError: the scene holds `max_objects` already.
    """
    prefab = _prefab_of(scene, path)
    siblings = scene.roots if parent is None else parent.children
    entry: dict[str, Any] = {"prefab": path, "order": siblings[-1].order + 1 if siblings else 0.0}
    if parent is not None:
        entry["parent"] = parent.id
    if position is not None:
        entry["position"] = [float(item) for item in position]
    if name is not None:
        entry["name"] = name
    made = object_id or scene.new_id("obj")
    return _build_object(scene, made, entry, copy.deepcopy(prefab), parent)


def _prefab_of(scene: Scene, path: str) -> dict[str, Any]:
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
    authored: dict[str, Any],
    prefab: dict[str, Any] | None,
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

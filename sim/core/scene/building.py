"""Builds states of objects from files: scene documents, prefabs and robots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from base.values import JsonObject
from sim.core.assets.assets import read_robot, stamp
from sim.core.files.scene_checker import SceneChecker, instance_id
from sim.core.files.scene_file import OBJECT_KEYS, SceneDocument
from sim.core.scene.object_state import (
    ComponentState,
    ObjectState,
    component_of_entry,
    deep_copy,
    renamed_references,
    state_of_entry,
)


def document_states(document: SceneDocument) -> Iterator[ObjectState]:
    """Yield the states of a document's objects: parents first, siblings by their `order`."""
    entries: JsonObject = document.data["objects"]
    for object_id, parent, index in _parents_first(entries):
        entry = entries[object_id]
        prefab = document.prefabs.get(entry.get("prefab", ""))
        yield instance_of_entry(object_id, entry, prefab, parent, index)


def _parents_first(entries: JsonObject) -> Iterator[tuple[str, str, int]]:
    """Yield id, parent's id ("" for none) and index of objects: parents first, by their `order`."""
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
        yield object_id, parent, index
        stack.extend(below(object_id))


def instance_of_entry(
    object_id: str, entry: JsonObject, prefab: JsonObject | None, parent: str, index: int
) -> ObjectState:
    """Return the state of an object from its entry in a scene file, merged with its prefab.

    The attribute `authored` of the result is the entry. Its attribute `loaded` is the same state
    without these two attributes.

    Args:
        object_id: the object's id.
        entry: a checked entry of a scene file.
        prefab: the prefab that the object is an instance of; None for none.
        parent: the parent's id; empty for a root.
        index: index among the siblings.
    """
    state = _state(object_id, entry, prefab, parent, index)
    return replace(state, authored=entry, loaded=state)


def _state(
    object_id: str, authored: JsonObject, prefab: JsonObject | None, parent: str, index: int
) -> ObjectState:
    """Return an object's state from its entry and prefab, without `authored` and `loaded`."""
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
    """Return an entry merged with its prefab's values, and the prefab id of each component.

    The entry's values have priority. The prefab's components get new ids that belong to the
    instance. A component that the entry lists under such an id replaces the prefab's.

    Returns:
        (merged entry, prefab's component id by the instance's component id).
    """
    merged: JsonObject = {**prefab, **{k: v for k, v in entry.items() if k != "overrides"}}
    inner: JsonObject = deep_copy(prefab.get("components", {}))
    for key, value in entry.get("overrides", {}).items():
        component_id, _, field_name = key.partition("/")
        if component_id in inner:
            inner[component_id].setdefault("fields", {})[field_name] = value
    new = _ids_in_instance(object_id, prefab)
    for component in inner.values():
        component["fields"] = renamed_references(component.get("fields", {}), new)
    own = entry.get("components", {})
    merged["components"] = {**{new[key]: part for key, part in inner.items()}, **own}
    return merged, {new[key]: key for key in inner}


def _ids_in_instance(object_id: str, prefab: JsonObject) -> dict[str, str]:
    """Return the ids that objects and components of a prefab have in one instance, by their own."""
    objects: JsonObject = prefab.get("objects", {})
    parts = (prefab, *objects.values())
    inside = [*objects, *(key for part in parts for key in part.get("components", {}))]
    ids = {key: instance_id(object_id, key) for key in inside}
    return {**ids, prefab["id"]: object_id} if "id" in prefab else ids


def states_below_instance(object_id: str, prefab: JsonObject) -> list[ObjectState]:
    """Return the states of the objects below a new instance of a prefab, parents first.

    They are objects of their own: what changes in the prefab's file later does not reach them.

    Args:
        object_id: id of the instance.
        prefab: the checked prefab.
    """
    ids = _ids_in_instance(object_id, prefab)
    entries: JsonObject = prefab.get("objects", {})
    found = []
    for inner_id, parent, index in _parents_first(entries):
        entry = entries[inner_id]
        components = tuple(
            component_of_entry(
                ids[key], {**part, "fields": renamed_references(part.get("fields", {}), ids)}
            )
            for key, part in entry.get("components", {}).items()
        )
        state = state_of_entry(
            ids[inner_id],
            deep_copy(entry),
            name=entry["name"],
            parent=ids.get(parent, object_id),
            index=index,
            order=entry.get("order", index),
            components=components,
            extra={key: value for key, value in entry.items() if key not in OBJECT_KEYS},
        )
        found.append(state)
    return found


# -- robots -------------------------------------------------------------------------------------


def states_of_robot(
    data: JsonObject, make_id: Callable[[str], str], *, parent: str, index: int, order: float | None
) -> list[ObjectState]:
    """Return the states of a robot's objects, with new ids, parents first.

    Args:
        data: what `read_robot` returned.
        make_id: returns a new id for a prefix, "obj" or "cmp".
        parent: id of the topmost object's parent; empty for a root.
        index: the topmost object's index among its siblings.
        order: number by which a scene file sorts the topmost object among its siblings; None to use
            `index`.
    """
    entries: list[JsonObject] = data["objects"]
    ids = [make_id("obj") for _ in entries]
    places = dict.fromkeys(range(len(entries)), 0)
    found: list[ObjectState] = []
    for number, entry in enumerate(entries):
        above = entry["parent"]
        place = index if above is None else places[above]
        if above is not None:
            places[above] += 1
        found.append(
            state_of_entry(
                ids[number],
                entry,
                parent=parent if above is None else ids[above],
                index=place,
                name=str(entry["name"])[:200],
                order=order if above is None and order is not None else float(place),
                components=tuple(
                    ComponentState(make_id("cmp"), part["type"], _pointed(part["fields"], ids))
                    for part in entry.get("components", ())
                ),
                extra={},
            )
        )
    return found


def _pointed(fields: JsonObject, ids: list[str]) -> dict[str, Any]:
    """Return a component's field values with object numbers replaced by references.

    Args:
        fields: raw values; `{"$object": i}` refers to the robot's `i`th object.
        ids: ids of the robot's objects.
    """
    found = dict(fields)
    for key, value in fields.items():
        if isinstance(value, dict) and "$object" in value:
            found[key] = {"$ref": ids[value["$object"]]}
    return found


# -- files that are read again only when they change -----------------------------------------------


class PrefabCache:
    """Cache of a project's checked prefabs and robots; a file is read again only if changed."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[list[int], JsonObject]] = {}

    def prefab(self, project: Path, path: str) -> JsonObject:
        """Return a checked prefab, from the cache if its file has not changed.

        Args:
            project: the project's folder.
            path: path of the `*.prefab.json`, relative to the project.

        Raises:
            SceneFileError: there is no such prefab, or it is invalid.
        """
        known = self._known.get(path) if isinstance(path, str) else None
        now = stamp(project / str(path))
        if known is not None and known[0] == now:
            return known[1]
        checker = SceneChecker(path, project)
        checker.check_prefab("", path)
        if checker.faults:
            raise checker.faults[0]
        if now is not None:
            self._known[path] = (now, checker.prefabs[path])
        return checker.prefabs[path]

    def robot(self, project: Path, path: str) -> tuple[JsonObject, bool]:
        """Return the data of a robot's file, and whether this call has read it from disk.

        Args:
            project: the project's folder.
            path: path of the URDF or MJCF file, relative to the project.

        Raises:
            SceneFileError: there is no such robot in the project, or it is invalid.
        """
        now, known = stamp(project / path), self._known.get(path)
        if now is not None and known is not None and known[0] == now:
            return known[1], False
        data = read_robot(project, path)  # says what is wrong with a file that is not there
        if now is not None:
            self._known[path] = (now, data)
        return data, True

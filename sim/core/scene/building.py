"""States of objects from files: scene documents, prefabs and robots."""

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
    """Yield the objects of a document: parents first, siblings by their order."""
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
        yield instance_of_entry(object_id, entry, prefab, parent, index)
        stack.extend(below(object_id))


def instance_of_entry(
    object_id: str, entry: JsonObject, prefab: JsonObject | None, parent: str, index: int
) -> ObjectState:
    """Return the state that an object's entry and its prefab describe, with its authored form.

    Args:
        object_id: the object's id.
        entry: a checked entry of a scene file.
        prefab: the prefab that it is an instance of; None for none.
        parent: the parent's id, empty for a root.
        index: index among the siblings.
    """
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


# -- robots -------------------------------------------------------------------------------------


def states_of_robot(
    data: JsonObject, make_id: Callable[[str], str], *, parent: str, index: int, order: float | None
) -> list[ObjectState]:
    """Return the objects of a robot as states under new ids, parents first.

    Args:
        data: what `read_robot` returned.
        make_id: returns a new id for a prefix.
        parent: id of the topmost object's parent, empty for a root.
        index: the topmost object's index among its siblings.
        order: the key by which a file orders it among them; None for its index.
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
    """Return the values of a component with references in the place of objects' numbers."""
    found = dict(fields)
    for key, value in fields.items():
        if isinstance(value, dict) and "$object" in value:
            found[key] = {"$ref": ids[value["$object"]]}
    return found


# -- files that are read again only when they change -----------------------------------------------


class PrefabCache:
    """Prefabs and robots of a project, checked; each is read again only when its file changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[list[int], JsonObject]] = {}

    def prefab(self, project: Path, path: str) -> JsonObject:
        """Return a checked prefab.

        Args:
            project: the project's folder.
            path: of the `*.prefab.json`, relative to the project.

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
        """Return the data of a robot's file, and whether it was read just now.

        Args:
            project: the project's folder.
            path: of the URDF or MJCF file, relative to the project.

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

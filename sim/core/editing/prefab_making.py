"""Prefabs made of objects of a scene; such an object becomes the first instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from base.files import resolve_in_project
from base.values import JsonObject
from sim.core.editing.changes import Change, ValueChange
from sim.core.editing.checks import refuse
from sim.core.editing.planning import component_change, field_changes
from sim.core.files.scene_checker import PREFAB_FORMAT, instance_id
from sim.core.files.scene_json import Words
from sim.core.scene.building import instance_of_entry
from sim.core.scene.object_state import (
    ComponentState,
    ObjectState,
    ids_of_copy,
    renamed,
    renamed_references,
    vector,
)
from sim.core.scene.scene import (
    ComponentSlot,
    Scene,
    SceneObject,
    capture_component,
    restore_all,
    siblings_of,
)
from sim.core.scene.scene_data import object_data

PREFAB: Final = ".prefab.json"
OF_THE_PLACE: Final = ("parent", "order", "position")
"""Keys of an object's entry that say where an instance is; a prefab made of an object has none."""


def prefab_path(scene: Scene, path: object) -> Path:
    """Return the file in which a prefab of the scene's project is to be written.

    Args:
        scene: the scene.
        path: path of the file within the project.

    Raises:
        EditError: it is no such path.
    """
    if not isinstance(path, str) or not path.endswith(PREFAB) or Path(path).name == PREFAB:
        raise refuse("prefab", f"a path that ends in {PREFAB}", path)
    try:
        return resolve_in_project(scene.project, path)
    except ValueError as error:
        raise refuse("prefab", str(error), path) from None


def ids_kept(obj: SceneObject, path: str) -> dict[str, str]:
    """Return a prefab's ids of an instance's components, which a new version of it keeps.

    Args:
        obj: the object.
        path: path of the prefab file within the project.

    Returns:
        The prefab's ids by those in the scene; empty if the object is no instance of this prefab.
    """
    if (obj.authored or {}).get("prefab") != path:
        return {}
    origins = {slot.id: slot.prefab_id or slot.stands_for for slot in obj.components}
    return {slot_id: origin for slot_id, origin in origins.items() if origin}


def check_replaced(scene: Scene, obj: SceneObject, path: str, prefab: JsonObject) -> None:
    """Check that a prefab may be replaced: all components of its other instances stay.

    Args:
        scene: the authored scene.
        obj: the object that the new prefab was made of.
        path: path of the prefab file within the project.
        prefab: data of the new prefab.

    Raises:
        EditError: another instance would lose components, and what refers to them their targets.
    """
    kept = set(prefab.get("components", {}))
    for other in scene.objects.values():
        is_instance = (other.authored or {}).get("prefab") == path
        origins = {slot.prefab_id or slot.stands_for for slot in other.components} - {""}
        if is_instance and other.id != obj.id and origins - kept:
            found = f"{path}, whose instance {other.path} would lose components"
            raise refuse("prefab", "another name", Words(found))


def prefab_of(
    scene: Scene,
    states: Sequence[ObjectState],
    known: Mapping[str, str],
    make_id: Callable[[str], str],
) -> tuple[JsonObject, dict[str, str]]:
    """Return a prefab of an object and its descendants.

    References to objects outside become null.

    Args:
        scene: the scene; it is not changed.
        states: states of the objects, the topmost first.
        known: ids that the prefab gives to some components, by their ids in the scene.
        make_id: returns a new id for a prefix, "obj" or "cmp".

    Returns:
        The data of the prefab's file, and the prefab's id of each object and component by its id in
        the scene.
    """
    plain = [_without_prefab(state) for state in states]
    ids = ids_of_copy(plain, known, make_id)
    first, *below = (renamed(state, ids) for state in plain)
    copy = Scene(scene.settings)
    copy.project, copy.models = scene.project, scene.models
    top, *others = restore_all(copy, [replace(first, parent="", index=0), *below])
    data: JsonObject = {"format": PREFAB_FORMAT}
    data |= {key: value for key, value in object_data(top).items() if key not in OF_THE_PLACE}
    objects = {obj.id: object_data(obj) for obj in others}
    for entry in objects.values():
        if entry["parent"] == top.id:
            del entry["parent"]
    if _refers_to(top.id, [data, *objects.values()]):
        data["id"] = top.id
    return ({**data, "objects": objects} if objects else data), ids


def _without_prefab(state: ObjectState) -> ObjectState:
    """Return a state that does not know any more what came from a file or a prefab."""
    parts = tuple(replace(item, prefab_id="", stands_for="") for item in state.components)
    return replace(state, authored=None, loaded=None, components=parts)


def _refers_to(object_id: str, value: object) -> bool:
    """Return whether there is a reference to an object in some raw data."""
    if isinstance(value, dict):
        is_here = value.get("$ref") == object_id
        return is_here or any(_refers_to(object_id, item) for item in value.values())
    return isinstance(value, list) and any(_refers_to(object_id, item) for item in value)


def linked(obj: SceneObject, path: str, prefab: JsonObject, ids: Mapping[str, str]) -> list[Change]:
    """Return the changes that make an object an instance of a prefab that was made of it.

    Its components get the ids that an instance's components have, and references to them follow.

    Args:
        obj: the object.
        path: path of the prefab file within the project.
        prefab: data of the prefab's file.
        ids: the prefab's id of each component, by its id in the scene.
    """
    scene = obj.scene
    parts = [slot for slot in obj.components if slot.id in ids]
    new = {slot.id: instance_id(obj.id, ids[slot.id]) for slot in parts}
    old = [slot for slot in parts if new[slot.id] != slot.id]
    changes: list[Change] = []
    for place, slot in enumerate(old, len(obj.components)):
        state = replace(_renamed(slot, new), prefab_id=ids[slot.id], stands_for="")
        changes.append(component_change(obj, state, place, is_creation=True))
    for slot in scene.components():
        if slot not in old:
            for name, value in list(slot.values.items()):
                changes += field_changes(slot, name, renamed_references(value, new))
    for slot in reversed(old):  # an undo begins with the last one
        index = obj.components.index(slot)
        changes.append(component_change(obj, capture_component(slot), index, is_creation=False))
    return [*changes, _form_change(obj, path, prefab)]


def _renamed(slot: ComponentSlot, ids: Mapping[str, str]) -> ComponentState:
    """Return the state of a component with new ids, in its references, too."""
    state = capture_component(slot)
    return replace(state, id=ids[slot.id], values=renamed_references(state.values, ids))


def _form_change(obj: SceneObject, path: str, prefab: JsonObject) -> ValueChange:
    """Return the change of an object's scene file entry to that of an instance."""
    place = vector(obj.transform.position)
    entry: JsonObject = {"prefab": path, "order": obj.order, "position": list(place)}
    parent = "" if obj.parent is None else obj.parent.id
    if parent:
        entry["parent"] = parent
    content = {key: value for key, value in prefab.items() if key != "format"}
    index = siblings_of(obj).index(obj)
    state = instance_of_entry(obj.id, entry, content, parent, index)
    before, after = (obj.authored, obj.loaded), (state.authored, state.loaded)
    return ValueChange(obj.id, obj.name, before, after, "form")

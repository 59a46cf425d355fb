"""Objects and components as text, to copy them between scenes and between programs.

The text is a part of a scene file, in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from base.values import JsonObject, printable
from sim.core.editing import checks
from sim.core.editing.checks import refuse
from sim.core.editing.placing import local_below
from sim.core.files.scene_checker import SceneChecker, instance_id
from sim.core.files.scene_file import SceneDocument
from sim.core.files.scene_json import UnreadableError, Words, parse_json, wrong_values
from sim.core.scene.building import document_states
from sim.core.scene.object_state import ObjectState, Vector
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject
from sim.core.scene.scene_data import object_data

OBJECTS: Final = "goishi.objects/1"
COMPONENT: Final = "goishi.component/1"
WHAT: Final = "clipboard"
VECTORS: Final = ("position", "rotation", "scale")


@dataclass(frozen=True)
class FormerPlace:
    """Where a copied object stood.

    Attributes:
        parent: id of its parent; empty for a root.
        vectors: its position, rotation and scale in the world.
    """

    parent: str
    vectors: Mapping[str, Vector]


@dataclass(frozen=True)
class CopiedObjects:
    """Objects read from a text.

    Attributes:
        groups: the states of each topmost object and of those below it, parents first.
        places: where the topmost objects stood, by id.
        lost: number of references that led to nothing in this scene; they are empty now.
    """

    groups: tuple[tuple[ObjectState, ...], ...]
    places: Mapping[str, FormerPlace]
    lost: int


@dataclass(frozen=True)
class CopiedComponent:
    """A component read from a text.

    Attributes:
        type_name: its type, `module:Class`.
        is_enabled: whether it was enabled.
        values: raw field values.
    """

    type_name: str
    is_enabled: bool
    values: JsonObject


# -- writing ------------------------------------------------------------------------------------


def topmost(objects: Sequence[SceneObject]) -> list[SceneObject]:
    """Return the objects that have none of the others above them, in the order of the tree."""
    wanted = {obj.id for obj in objects}
    found: list[SceneObject] = []
    stack = objects[0].scene.roots[::-1] if objects else []
    while stack:
        obj = stack.pop()
        if obj.id in wanted and obj.is_alive:
            found.append(obj)
        else:
            stack.extend(obj.children[::-1])
    return found


def objects_text(objects: Sequence[SceneObject]) -> str:
    """Return objects with all their descendants as text.

    Raises:
        EditError: a field has a value that no file can hold.
    """
    places: JsonObject = {}
    entries: JsonObject = {}
    for top in topmost(objects):
        above = None if top.parent is None else top.parent.id
        places[top.id] = {"parent": above, **local_below(top, None)}
        for obj in top.subtree():
            if obj.is_alive:
                entry = object_data(obj)
                if not isinstance(entry.get("texture"), str | dict):
                    entry.pop("texture", None)  # painted by a script
                entries[obj.id] = {**entry, "parent": None} if obj is top else entry
    return _text({"format": OBJECTS, "places": places, "objects": entries})


def component_text(slot: ComponentSlot) -> str:
    """Return a component as text.

    Raises:
        EditError: a field has a value that no file can hold.
    """
    head = {"format": COMPONENT, "type": slot.type_name, "enabled": slot.is_enabled}
    return _text({**head, "fields": slot.values})


def _text(data: JsonObject) -> str:
    try:
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise refuse("copy", "values that a file can hold", Words(error)) from None


# -- reading ------------------------------------------------------------------------------------


def is_objects(text: str) -> bool:
    """Return whether a text seems to hold copied objects; only its beginning is looked at."""
    return _begins_with(text, OBJECTS)


def is_component(text: str) -> bool:
    """Return whether a text seems to hold a copied component; only its beginning is looked at."""
    return _begins_with(text, COMPONENT)


def _begins_with(text: str, form: str) -> bool:
    head = text[:200].lstrip()
    return head.startswith("{") and f'"{form}"' in head


def read_objects(scene: Scene, text: str) -> CopiedObjects:
    """Check a text that holds objects, and read them; their ids are still the old ones.

    A reference to an object that is neither in the text nor in the scene becomes empty.

    Args:
        scene: the scene that they are for.
        text: the text, possibly of another program.

    Raises:
        EditError: the text is not valid; the message names the first fault.
    """
    data = _data(text, OBJECTS, "objects copied in Goishi")
    objects = data.get("objects")
    if not isinstance(objects, dict) or not objects:
        raise refuse(WHAT, "at least one object", objects)
    most = scene.settings.max_objects
    if len(objects) > most:
        limit = f"at most {most} objects (setting max_objects)"
        raise refuse(WHAT, limit, Words(len(objects)))
    checker = SceneChecker("", scene.project, allows_missing=True)
    checker.check_objects(objects, is_fragment=True)
    for fault in checker.faults:
        raise refuse(
            _place_of(objects, fault.object_id, fault.key), fault.expected, Words(fault.found)
        )
    for file in checker.missing:
        if file.path not in scene.missing_files:
            where = _place_of(objects, file.object_id, file.key)
            raise refuse(where, "a file of this project", file.path)
    pruning = _Pruning(scene, _ids_in(objects, checker.prefabs))
    entries = {key: pruning.entry(entry) for key, entry in objects.items()}
    document = SceneDocument(
        "", scene.settings, {"objects": entries}, Path(), scene.project, checker.prefabs
    )
    groups = _groups(list(document_states(document)), entries)
    places = _places(data.get("places", {}), {group[0].id for group in groups})
    return CopiedObjects(groups, places, pruning.lost)


def read_component(scene: Scene, text: str) -> CopiedComponent:
    """Check a text that holds a component, and read it.

    A reference to an object that is not in the scene becomes empty.

    Args:
        scene: the scene that it is for.
        text: the text, possibly of another program.

    Raises:
        EditError: the text is not valid; the message names the first fault.
    """
    data = _data(text, COMPONENT, "a component copied in Goishi")
    fields = data.get("fields", {})
    if not isinstance(fields, dict):
        raise refuse(f"{WHAT}: fields", "a map", fields)
    checks.check_type(data.get("type"))
    is_enabled = checks.check_flag("enabled", data.get("enabled", True))
    values = _Pruning(scene, ()).values(fields)
    for name, value in values.items():
        checks.check_raw(scene, name, value)
    return CopiedComponent(data["type"], is_enabled, values)


def _data(text: str, form: str, expected: str) -> JsonObject:
    """Return the JSON object of a text; refuse all else in one line."""
    if not isinstance(text, str):
        raise refuse(WHAT, expected, text)
    shown = printable(" ".join(text[:200].split()))[:60]
    try:
        data = parse_json(text)
    except UnreadableError as error:
        if form in text:  # a copy that was cut off, or edited wrongly
            raise refuse(WHAT, "JSON", error.found) from None
        raise refuse(WHAT, expected, shown or Words("nothing")) from None
    if not isinstance(data, dict) or data.get("format") != form:
        raise refuse(WHAT, expected, shown)
    for path, wanted, found in wrong_values(data):
        raise refuse(f"{WHAT}: {printable('.'.join(path))[:80]}", wanted, found)
    return data


def _place_of(objects: JsonObject, object_id: str, key: str) -> str:
    entry = objects.get(object_id)
    name = entry.get("name") if isinstance(entry, dict) else None
    head = name if isinstance(name, str) and name else object_id
    return ".".join(filter(None, (printable(head)[:80], printable(key)[:80]))) or WHAT


def _ids_in(objects: JsonObject, prefabs: Mapping[str, JsonObject]) -> set[str]:
    """Return the ids of all objects and components of a text, those of prefabs included."""
    found = set(objects)
    for object_id, entry in objects.items():
        found.update(entry.get("components", {}))
        inner = prefabs.get(entry.get("prefab", ""), {}).get("components", {})
        found.update(instance_id(object_id, key) for key in inner)
    return found


class _Pruning:
    """Empties references to what is not there, and counts them.

    Args:
        scene: the scene, which knows the objects that exist.
        ids: further ids that exist.

    Attributes:
        lost: number of references that were emptied.
    """

    def __init__(self, scene: Scene, ids: Collection[str]) -> None:
        self._scene, self._ids = scene, ids
        self.lost = 0

    def entry(self, entry: JsonObject) -> JsonObject:
        """Return an object's entry without references to what is not there."""
        new = dict(entry)
        if "overrides" in new:
            new["overrides"] = self.values(new["overrides"])
        if "components" in new:
            new["components"] = {
                key: {**part, "fields": self.values(part["fields"])} if "fields" in part else part
                for key, part in new["components"].items()
            }
        return new

    def values(self, fields: Mapping[str, object]) -> JsonObject:
        """Return field values without references to what is not there."""
        return {name: self._value(value) for name, value in fields.items()}

    def _value(self, value: object) -> Any:
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
            return value
        target = value["$ref"]
        slot = self._scene.component(target)
        owner = self._scene.get(target) if slot is None else slot.object
        if target in self._ids or (owner is not None and owner.is_alive):
            return value
        self.lost += 1
        return None


def _groups(
    states: Sequence[ObjectState], entries: JsonObject
) -> tuple[tuple[ObjectState, ...], ...]:
    """Return the states by their topmost object, in the order of the text."""
    top_of: dict[str, str] = {}
    groups: dict[str, list[ObjectState]] = {}
    for state in states:
        top = top_of[state.id] = top_of.get(state.parent, state.id)
        groups.setdefault(top, []).append(state)
    return tuple(tuple(groups[key]) for key in entries if key in groups)


def _places(given: object, tops: Collection[str]) -> dict[str, FormerPlace]:
    if not isinstance(given, dict):
        raise refuse(f"{WHAT}: places", "a map", given)
    found: dict[str, FormerPlace] = {}
    for key, place in given.items():
        if key not in tops or not isinstance(place, dict):
            raise refuse(f"{WHAT}: places", "a map for a topmost object", key)
        vectors = {name: _numbers(place.get(name)) for name in VECTORS}
        found[key] = FormerPlace(str(place.get("parent") or ""), vectors)
    return found


def _numbers(value: object) -> Vector:
    """Return three finite numbers; unlike in edits, a scale may be 0."""
    return checks.check_vector("position", value if isinstance(value, list) else ())

"""States of objects and components as plain values, which can be compared, copied and stored.

They serve undo and redo, play and stop, copies, prefabs, robots, rewinding and episode files.
`building.py` makes states from files, `scene.py` captures and restores them, and `scene_data.py`
writes them as entries of a scene file.
"""

from __future__ import annotations

import copy
import enum
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np

from base.values import JsonObject
from sim.core.files.scene_checker import VECTORS, instance_id
from sim.core.files.scene_file import COMPONENT_KEYS

T = TypeVar("T")
Vector = tuple[float, float, float]
SIMPLE: Final = frozenset({type(None), bool, int, float, str})


class Absent(enum.Enum):
    """Type of the marker `ABSENT`."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""Marker for a value, an object or a component that does not exist; copying it returns itself."""


@dataclass(frozen=True, slots=True)
class ComponentState:
    """State of a component without its script; read-only.

    Attributes:
        values: raw field values.
        extra: unknown keys of its entry in the scene file.
        is_enabled: whether the component itself is enabled.
        prefab_id: id of this component in its object's prefab; empty if it is not from a prefab.
        stands_for: id of the prefab's component that this one replaces; empty for none.
    """

    id: str
    type_name: str
    values: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)
    is_enabled: bool = True
    prefab_id: str = ""
    stands_for: str = ""


@dataclass(frozen=True, slots=True)
class ObjectState:
    """State of an object without its children; read-only.

    Attributes:
        parent: the parent's id; empty for a root.
        index: index among its siblings.
        order: number by which a scene file sorts siblings.
        extra: unknown keys of its entry in the scene file.
        authored: its entry in the scene file; None if it was not loaded from a file.
        loaded: its state right after loading; None likewise.
    """

    id: str
    name: str
    parent: str = ""
    index: int = 0
    order: float = 0.0
    position: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)
    scale: Vector = (1.0, 1.0, 1.0)
    enabled: bool = True
    visible: bool = True
    casts_shadow: bool = True
    model: JsonObject | None = None
    material: JsonObject = field(default_factory=dict)
    texture: object = None
    extra: JsonObject = field(default_factory=dict)
    components: tuple[ComponentState, ...] = ()
    authored: JsonObject | None = None
    loaded: ObjectState | None = None


SceneState = tuple[ObjectState, ...]
"""States of all objects of a scene, parents before their children."""


# -- values -------------------------------------------------------------------------------------


def vector(values: Iterable[float]) -> Vector:
    """Return three values as plain floats."""
    x, y, z = map(float, values)
    return (x, y, z)


def deep_copy(value: T) -> T:
    """Return a copy of a plain value; lists and dicts that report changes become plain ones."""
    if type(value) in SIMPLE:
        return value
    made: object  # of most items a call would cost more than their copy
    if isinstance(value, dict):
        made = {key: v if type(v) in SIMPLE else deep_copy(v) for key, v in value.items()}
    elif isinstance(value, list):
        made = [v if type(v) in SIMPLE else deep_copy(v) for v in value]
    else:
        made = copy.deepcopy(value)
    return made  # type: ignore[return-value]


def is_same(one: object, other: object) -> bool:
    """Return whether two plain values are exactly equal: same types, bits and order of keys."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one == other and math.copysign(1.0, one) == math.copysign(1.0, other)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        is_alike = one.dtype == other.dtype and one.shape == other.shape
        return is_alike and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(is_same(one[key], other[key]) for key in one)
    return bool(one == other)


# -- from entries of files ------------------------------------------------------------------------


def state_of_entry(
    object_id: str,
    entry: JsonObject,
    *,
    name: str,
    parent: str,
    index: int,
    order: float,
    components: tuple[ComponentState, ...],
    extra: JsonObject,
) -> ObjectState:
    """Return the state that an object's entry in a scene, prefab or robot file describes.

    Args:
        object_id: the object's id.
        entry: a checked entry; its values are used without copying.
        name: the object's name.
        parent: the parent's id; empty for a root.
        index: index among the siblings.
        order: number by which a scene file sorts siblings.
        components: states of the object's components.
        extra: unknown keys of the entry.
    """
    texture = entry.get("texture")
    return ObjectState(
        object_id,
        name,
        parent,
        index,
        order,
        vector(entry.get("position", VECTORS["position"])),
        vector(entry.get("rotation", VECTORS["rotation"])),
        vector(entry.get("scale", VECTORS["scale"])),
        entry.get("enabled", True),
        entry.get("visible", True),
        entry.get("casts_shadow", True),
        entry.get("model"),
        entry.get("material") or {},
        texture["asset"] if isinstance(texture, dict) else texture,
        extra,
        components,
    )


def component_of_entry(
    component_id: str, entry: JsonObject, *, prefab_id: str = "", stands_for: str = ""
) -> ComponentState:
    """Return the state that a component's entry in a scene file describes.

    Args:
        component_id: the component's id.
        entry: a checked entry; its values are used without copying.
        prefab_id: id of this component in its object's prefab; empty for none.
        stands_for: id of the prefab's component that this one replaces; empty for none.
    """
    return ComponentState(
        component_id,
        entry["type"],
        entry.get("fields", {}),
        {key: value for key, value in entry.items() if key not in COMPONENT_KEYS},
        entry.get("enabled", True),
        prefab_id,
        stands_for,
    )


# -- copies with new ids --------------------------------------------------------------------------


def ids_of_copy(
    states: Iterable[ObjectState], known: Mapping[str, str], make_id: Callable[[str], str]
) -> dict[str, str]:
    """Choose the ids of the copies of objects and components.

    Args:
        states: states of the objects to copy.
        known: ids already chosen: the copy's id by the original's id.
        make_id: returns a new id for a prefix, "obj" or "cmp".

    Returns:
        `known`, completed by all other objects and components. A component from a prefab does not
        get a random id, but the one that a scene file gives it whenever the copy is loaded.
    """
    ids = dict(known)
    for state in states:
        ids.setdefault(state.id, make_id("obj"))
        for component in state.components:
            origin = component.prefab_id or component.stands_for
            if component.id not in ids:
                ids[component.id] = instance_id(ids[state.id], origin) if origin else make_id("cmp")
    return ids


def renamed(state: ObjectState, ids: Mapping[str, str]) -> ObjectState:
    """Return a state in which ids, and references to them, are replaced.

    Args:
        state: the state.
        ids: new ids by old id; other ids are unchanged.
    """
    own = (state.id, state.parent, *(item.id for item in state.components))
    of_its_file = {key: ids[key] for key in own if key in ids}  # a file knows no other copies
    components = tuple(
        replace(item, id=ids.get(item.id, item.id), values=renamed_references(item.values, ids))
        for item in state.components
    )
    return replace(
        state,
        id=ids.get(state.id, state.id),
        parent=ids.get(state.parent, state.parent),
        components=components,
        authored=_renamed_entry(state.authored, ids),
        loaded=None if state.loaded is None else renamed(state.loaded, of_its_file),
    )


def _renamed_entry(entry: JsonObject | None, ids: Mapping[str, str]) -> JsonObject | None:
    if entry is None:
        return None
    new = dict(entry)
    if isinstance(new.get("parent"), str):
        new["parent"] = ids.get(new["parent"], new["parent"])
    if "overrides" in new:
        new["overrides"] = renamed_references(new["overrides"], ids)
    if "components" in new:
        parts = dict(new["components"])
        for key, part in parts.items():
            if "fields" in part:
                parts[key] = {**part, "fields": renamed_references(part["fields"], ids)}
        new["components"] = {ids.get(key, key): part for key, part in parts.items()}
    return new


def renamed_references(value: object, ids: Mapping[str, str]) -> Any:
    """Return a copy of a raw value in which references to the ids in `ids` are replaced.

    Args:
        value: raw value, in which a reference is `{"$ref": id}`.
        ids: new ids by old id.
    """
    if isinstance(value, list):
        return [renamed_references(item, ids) for item in value]
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            return {**value, "$ref": ids.get(value["$ref"], value["$ref"])}
        return {key: renamed_references(item, ids) for key, item in value.items()}
    return deep_copy(value)

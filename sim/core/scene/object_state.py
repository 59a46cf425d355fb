"""The state of objects and components as plain values: compared, copied, read from entries.

Undo and redo, play and stop, copies, prefabs, robots, the authored form of a loaded scene,
rewinding and episode files all use it. `building.py` makes states from files, `scene.py` captures
and restores them, and `scene_data.py` writes them as the entries of a scene file.
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
    """Type of `ABSENT`."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""Stands for a value, an object or a component that is not there; copies of it are itself."""


@dataclass(frozen=True, slots=True)
class ComponentState:
    """State of a component without its script; read-only."""

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
        parent: the parent's id, empty for a root.
        index: its index among its siblings.
        extra: unknown keys of its entry in the scene file.
        authored: its entry in the scene file; None where it comes from none.
        loaded: its state when it was loaded from there.
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
"""The objects of a scene, parents before their children."""


# -- values -------------------------------------------------------------------------------------


def vector(values: Iterable[float]) -> Vector:
    """Return three values as plain floats."""
    x, y, z = map(float, values)
    return (x, y, z)


def deep_copy(value: T) -> T:
    """Return a copy of a plain value; lists and maps that report changes become plain ones."""
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
    """Return whether two plain values are equal to the bit, with their keys in the same order."""
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
    """Return the state that an entry of a scene file, a prefab or a robot's file describes.

    Args:
        object_id: the object's id.
        entry: a checked entry; nothing of it is copied.
        name: the object's name.
        parent: the parent's id, empty for a root.
        index: index among the siblings.
        order: the key by which the file orders siblings.
        components: the object's components.
        extra: its unknown keys.
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
    """Return the state that a component's entry of a scene file describes."""
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
    """Return a new id for each id in the states that has none in `known` yet.

    Components of a prefab get the ids that they will have at each load of the copy.
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
    """Return a state with ids replaced; references follow."""
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
        loaded=None if state.loaded is None else renamed(state.loaded, ids),
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
    """Return a copy of a raw value in which each reference to an id of `ids` has the new id."""
    if isinstance(value, list):
        return [renamed_references(item, ids) for item in value]
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            return {**value, "$ref": ids.get(value["$ref"], value["$ref"])}
        return {key: renamed_references(item, ids) for key, item in value.items()}
    return deep_copy(value)

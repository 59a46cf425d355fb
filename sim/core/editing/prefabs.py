"""Instances of prefabs: creating one, what it overrides, and reverting to the prefab."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from base.values import JsonObject
from sim.core.editing.changes import Change, EnabledChange, ValueChange
from sim.core.editing.checks import refuse
from sim.core.editing.planning import component_change, field_changes, value_changes
from sim.core.files.scene_json import Words
from sim.core.scene.object_state import ABSENT, ComponentState, ObjectState
from sim.core.scene.scene import (
    ComponentSlot,
    Scene,
    SceneObject,
    capture_component,
    instance_states,
)
from sim.core.scene.scene_data import object_data

OBJECT_KEYS = (
    "name", "enabled", "visible", "position", "rotation", "scale", "model", "material",
    "texture", "casts_shadow",
)  # fmt: skip
SWITCHED = "enabled"


def new_instance(
    scene: Scene,
    object_id: str,
    path: str,
    parent: SceneObject | None,
    position: Sequence[float] | None = None,
) -> list[ObjectState]:
    """Return the states of a new instance of a prefab and of the objects below it.

    Args:
        scene: the scene.
        object_id: id of the new object.
        path: path of the prefab file within the project.
        parent: parent of the new object; None for a root.
        position: x, y and z relative to the parent, metres; None for the prefab's.

    Raises:
        SceneFileError: there is no such prefab in the project, or it is invalid.
    """
    if not isinstance(path, str):
        raise refuse("prefab", "a path", path)
    first, *below = instance_states(scene, path, object_id, position=position)
    return [replace(first, parent="" if parent is None else parent.id), *below]


def is_instance(obj: SceneObject) -> bool:
    """Return whether an object is an instance of a prefab."""
    return "prefab" in (obj.authored or {})


def overridden(obj: SceneObject) -> frozenset[str]:
    """Return the keys of what a prefab instance overrides, see `Editor.overridden`."""
    if not is_instance(obj):
        return frozenset()
    entry = object_data(obj)
    keys = {key for key in OBJECT_KEYS if key in entry} | set(entry.get("overrides", {}))
    for slot in obj.components:
        origin = slot.prefab_id or slot.stands_for
        if origin and slot.id in entry.get("components", {}):
            keys.add(origin)
            keys |= {f"{origin}/{name}" for name in _own_fields(slot)}
    return frozenset(keys)


def overridden_fields(slot: ComponentSlot) -> frozenset[str]:
    """Return the keys of what a prefab's component overrides: names of its fields, and "enabled".

    "enabled" is included if the component is enabled or disabled differently from the prefab.
    """
    origin = slot.prefab_id or slot.stands_for
    if not origin:
        return frozenset()
    keys = overridden(slot.object)
    fields = {key.removeprefix(f"{origin}/") for key in keys if key.startswith(f"{origin}/")}
    return frozenset(fields | ({SWITCHED} if origin in keys else set()))


def key_of(slot: ComponentSlot, key: str) -> str:
    """Convert a component's override key to the key that its object uses for the same override.

    Args:
        slot: the component.
        key: name of a field, or "enabled", as in `overridden_fields`.

    Returns:
        A key as in `overridden` for the component's object.
    """
    origin = slot.prefab_id or slot.stands_for
    is_field = key != SWITCHED or f"{origin}/{key}" in overridden(slot.object)
    return f"{origin}/{key}" if is_field else origin


def _own_fields(slot: ComponentSlot) -> set[str]:
    loaded = _component_in(slot.object.loaded, slot.id) if slot.prefab_id else None
    was = {} if loaded is None else loaded.values
    return {name for name, value in slot.values.items() if name not in was or was[name] != value}


def _component_in(state: ObjectState | None, component_id: str) -> ComponentState | None:
    components = () if state is None else state.components
    return next((item for item in components if item.id == component_id), None)


# -- back to the prefab -------------------------------------------------------------------------


def pristine(scene: Scene, obj: SceneObject) -> ObjectState:
    """Return the state that a prefab instance would have if it overrode nothing.

    Raises:
        SceneFileError: the prefab file is missing or invalid.
    """
    return new_instance(scene, obj.id, (obj.authored or {})["prefab"], None)[0]


def reverted(obj: SceneObject, key: str, pristine: ObjectState) -> list[Change]:
    """Return the changes that restore the prefab's value of one overridden property.

    Args:
        obj: the prefab instance.
        key: a key that `overridden` returns.
        pristine: state of the instance without overrides.
    """
    if key in OBJECT_KEYS:
        value = getattr(pristine, key)
        authored = {name: item for name, item in (obj.authored or {}).items() if name != key}
        return [*value_changes(obj, {key: value}), *_form_change(obj, authored, **{key: value})]
    origin, _, field_name = key.partition("/")
    slot = next(
        (item for item in obj.components if origin in (item.prefab_id, item.stands_for)), None
    )
    base = next((item for item in pristine.components if item.prefab_id == origin), None)
    if slot is None or base is None:
        raise refuse(f"{obj.name}.{key}", "a component of the prefab", Words("none"))
    if field_name:
        value = base.values.get(field_name, ABSENT)
        changes = field_changes(slot, field_name, value)
        return [*changes, *(_field_form(obj, slot, field_name, value) if slot.prefab_id else [])]
    if slot.prefab_id:
        title = f"{obj.name} > {slot.class_name}"
        return [EnabledChange(slot.id, title, slot.is_enabled, base.is_enabled)]
    index = obj.components.index(slot)
    return [
        component_change(obj, capture_component(slot), index, is_creation=False),
        component_change(obj, base, index, is_creation=True),
        *_component_form(obj, slot, base),
    ]


def _field_form(obj: SceneObject, slot: ComponentSlot, name: str, value: object) -> list[Change]:
    """Return the changes that remove a field's override from the object's scene file entry.

    Args:
        obj: the prefab instance.
        slot: its component.
        name: name of the field.
        value: value in the prefab; ABSENT for none.
    """
    was = _component_in(obj.loaded, slot.id)
    if was is None:
        return []
    values = {key: item for key, item in was.values.items() if key != name}
    if value is not ABSENT:
        values[name] = value
    authored = _without(obj.authored or {}, "overrides", f"{slot.prefab_id}/{name}")
    return _form_change(obj, authored, components=_with_component(obj, replace(was, values=values)))


def _component_form(obj: SceneObject, slot: ComponentSlot, base: ComponentState) -> list[Change]:
    """Return the changes that remove a component's overrides from the object's scene file entry.

    Args:
        obj: the prefab instance.
        slot: its component.
        base: state of the component in the prefab.
    """
    authored = _without(obj.authored or {}, "components", slot.id)
    return _form_change(obj, authored, components=_with_component(obj, base))


def _without(entry: JsonObject, key: str, item: str) -> JsonObject:
    """Return a copy of a dict without `entry[key][item]`.

    If `entry[key]` has no other items, it is left out as a whole.

    Args:
        entry: an object's entry in the scene file.
        key: key of the inner dict.
        item: key to remove from the inner dict.
    """
    rest = {name: value for name, value in entry.get(key, {}).items() if name != item}
    entry = {name: value for name, value in entry.items() if name != key or rest}
    return {**entry, key: rest} if rest else entry


def _with_component(obj: SceneObject, state: ComponentState) -> tuple[ComponentState, ...]:
    components = () if obj.loaded is None else obj.loaded.components
    return tuple(state if item.id == state.id else item for item in components)


def _form_change(obj: SceneObject, authored: JsonObject, **loaded: Any) -> list[Change]:
    """Return the change of an object's scene file entry and of its state as loaded.

    Args:
        obj: the object. If it was not loaded from a file, there are no changes.
        authored: new scene file entry.
        **loaded: attributes of the loaded state to replace, with their new values.
    """
    if obj.loaded is None:
        return []
    before, after = (obj.authored, obj.loaded), (authored, replace(obj.loaded, **loaded))
    return [] if before == after else [ValueChange(obj.id, obj.name, before, after, "form")]

"""Prefab instances: their overridden keys, and reverting them."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

from base.values import JsonObject
from sim.core.editing.changes import ABSENT, Change, SlotChange, SwitchChange, ValueChange
from sim.core.editing.checks import refuse
from sim.core.editing.planning import field_changes, value_changes
from sim.core.files.scene_json import Words
from sim.core.scene.building import instantiate
from sim.core.scene.records import ObjectRecord, capture, capture_slot
from sim.core.scene.scene import Scene
from sim.core.scene.scene_data import object_data
from sim.core.scene.scene_object import ComponentSlot, SceneObject

OBJECT_KEYS = (
    "name", "enabled", "visible", "position", "rotation", "scale", "model", "material",
    "texture", "casts_shadow",
)  # fmt: skip
SWITCHED = "enabled"


def instance_record(
    scene: Scene,
    object_id: str,
    path: str,
    parent: SceneObject | None,
    position: Sequence[float] | None = None,
) -> ObjectRecord:
    """Return the record of a new prefab instance.

    Raises:
        SceneFileError: there is no such prefab in the project, or it is invalid.
    """
    if not isinstance(path, str):
        raise refuse("prefab", "a path", path)
    scratch = Scene(scene.settings)
    scratch.project = scene.project
    obj = instantiate(scratch, path, position=position, object_id=object_id)
    return replace(capture(obj), parent="" if parent is None else parent.id)


def is_instance(obj: SceneObject) -> bool:
    """Return whether an object is an instance of a prefab."""
    return "prefab" in (obj.authored or {})


def overridden(obj: SceneObject) -> frozenset[str]:
    """Return the keys that an instance overrides; `cmp_id/field` for those of components."""
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
    """Return the fields of a component that override its prefab's, and `enabled`."""
    origin = slot.prefab_id or slot.stands_for
    if not origin:
        return frozenset()
    keys = overridden(slot.object)
    fields = {key.removeprefix(f"{origin}/") for key in keys if key.startswith(f"{origin}/")}
    return frozenset(fields | ({SWITCHED} if origin in keys else set()))


def key_of(slot: ComponentSlot, key: str) -> str:
    """Return the object-level key (`cmp_id/field`) of one of `overridden_fields`."""
    origin = slot.prefab_id or slot.stands_for
    is_field = key != SWITCHED or f"{origin}/{key}" in overridden(slot.object)
    return f"{origin}/{key}" if is_field else origin


def _own_fields(slot: ComponentSlot) -> set[str]:
    was = _snapshot_part(slot.object, slot.id).get("fields", {}) if slot.prefab_id else {}
    return {name for name, value in slot.values.items() if name not in was or was[name] != value}


def _snapshot_part(obj: SceneObject, slot_id: str) -> JsonObject:
    part: JsonObject = (obj.snapshot or {}).get("components", {}).get(slot_id, {})
    return part


# -- back to the prefab -------------------------------------------------------------------------


def pristine(scene: Scene, obj: SceneObject) -> ObjectRecord:
    """Return the record that an instance would have without overrides.

    Raises:
        SceneFileError: the prefab is gone, or invalid.
    """
    return instance_record(scene, obj.id, (obj.authored or {})["prefab"], None)


def reverted(obj: SceneObject, key: str, pristine: ObjectRecord) -> list[Change]:
    """Return the changes that revert `key` to the prefab's value in `pristine`."""
    if key in OBJECT_KEYS:
        base = getattr(pristine, key)
        before = (pristine.snapshot or {})[key]
        return [*value_changes(obj, {key: base}), *_form(obj, key, before)]
    origin, _, field_name = key.partition("/")
    slot = next(
        (item for item in obj.components if origin in (item.prefab_id, item.stands_for)), None
    )
    base_slot = next((item for item in pristine.slots if item.prefab_id == origin), None)
    if slot is None or base_slot is None:
        raise refuse(f"{obj.name}.{key}", "a component of the prefab", Words("none"))
    if field_name:
        value = base_slot.values.get(field_name, ABSENT)
        changes = field_changes(slot, field_name, value)
        return [*changes, *(_field_form(obj, slot, field_name, value) if slot.prefab_id else [])]
    title = f"{obj.name} > {slot.class_name}"
    if slot.prefab_id:
        return [SwitchChange(slot.id, title, slot.is_enabled, base_slot.is_enabled)]
    index = obj.components.index(slot)
    return [
        SlotChange(obj.id, title, capture_slot(slot), index, is_creation=False),
        SlotChange(obj.id, title, base_slot, index, is_creation=True),
        *_component_form(obj, slot, pristine),
    ]


def _form(obj: SceneObject, key: str, before: object) -> list[Change]:
    """Return the change of the authored form in which `key` is not the instance's own."""
    authored, snapshot = dict(obj.authored or {}), dict(obj.snapshot or {})
    authored.pop(key, None)
    snapshot[key] = before
    return _form_change(obj, authored, snapshot)


def _field_form(obj: SceneObject, slot: ComponentSlot, name: str, value: object) -> list[Change]:
    authored, snapshot = copy.deepcopy((obj.authored or {}, obj.snapshot or {}))
    overrides = authored.get("overrides", {})
    overrides.pop(f"{slot.prefab_id}/{name}", None)
    if not overrides:
        authored.pop("overrides", None)
    fields = snapshot["components"][slot.id]["fields"]
    fields.pop(name, None)
    if value is not ABSENT:
        fields[name] = copy.deepcopy(value)
    return _form_change(obj, authored, snapshot)


def _component_form(obj: SceneObject, slot: ComponentSlot, pristine: ObjectRecord) -> list[Change]:
    authored, snapshot = copy.deepcopy((obj.authored or {}, obj.snapshot or {}))
    own = authored.get("components", {})
    own.pop(slot.id, None)
    if not own:
        authored.pop("components", None)
    part = (pristine.snapshot or {})["components"][slot.id]
    snapshot["components"][slot.id] = copy.deepcopy(part)
    return _form_change(obj, authored, snapshot)


def _form_change(obj: SceneObject, authored: JsonObject, snapshot: JsonObject) -> list[Change]:
    before, after = (obj.authored, obj.snapshot), (authored, snapshot)
    return [] if before == after else [ValueChange(obj.id, obj.name, "form", before, after)]

"""Records: snapshots of objects and components from which they can be restored exactly."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from base.errors import LimitError
from base.values import JsonObject
from sim.core.files.scene_checker import instance_id

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import ComponentSlot, SceneObject

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class SlotRecord:
    """Snapshot of a component without its script."""

    id: str
    type_name: str
    values: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)
    is_enabled: bool = True
    prefab_id: str = ""
    stands_for: str = ""


@dataclass(frozen=True)
class ObjectRecord:
    """Snapshot of an object without its children; `authored` and `snapshot` are read-only."""

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
    authored: JsonObject | None = None
    snapshot: JsonObject | None = None
    slots: tuple[SlotRecord, ...] = ()


@dataclass(frozen=True)
class SceneRecord:
    """Snapshot of a scene, parents before their children."""

    objects: tuple[ObjectRecord, ...]


def siblings_of(obj: SceneObject) -> list[SceneObject]:
    """Return the list of siblings that contains the object."""
    return obj.scene.roots if obj.parent is None else obj.parent.children


def vector(values: Iterable[float]) -> Vector:
    """Return three values as plain floats."""
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def capture_slot(slot: ComponentSlot) -> SlotRecord:
    """Return the record of a component."""
    return SlotRecord(
        slot.id,
        slot.type_name,
        copy.deepcopy(slot.values),
        copy.deepcopy(slot.extra),
        slot.is_enabled,
        slot.prefab_id,
        slot.stands_for,
    )


def capture(obj: SceneObject, index: int | None = None) -> ObjectRecord:
    """Return the record of an object; `index` is its index among siblings, if known."""
    return ObjectRecord(
        id=obj.id,
        name=obj.name,
        parent="" if obj.parent is None else obj.parent.id,
        index=siblings_of(obj).index(obj) if index is None else index,
        order=obj.order,
        position=vector(obj.transform.position),
        rotation=vector(obj.transform.rotation),
        scale=vector(obj.transform.scale),
        enabled=obj.enabled,
        visible=obj.visible,
        casts_shadow=obj.casts_shadow,
        model=None if obj.model is None else copy.deepcopy(dict(obj.model)),
        material=copy.deepcopy(dict(obj.material)),
        texture=obj.texture,
        extra=copy.deepcopy(obj.extra),
        authored=obj.authored,
        snapshot=obj.snapshot,
        slots=tuple(capture_slot(slot) for slot in obj.components),
    )


def capture_below(obj: SceneObject, index: int | None = None) -> tuple[ObjectRecord, ...]:
    """Return the records of an object and its descendants, parents first."""
    found: list[ObjectRecord] = []
    open_ones = [(obj, siblings_of(obj).index(obj) if index is None else index)]
    for item, place in open_ones:
        found.append(capture(item, place))
        open_ones.extend((child, number) for number, child in enumerate(item.children))
    return tuple(found)


def capture_scene(scene: Scene) -> SceneRecord:
    """Return the record of all objects of a scene."""
    found: list[ObjectRecord] = []
    for index, root in enumerate(scene.roots):
        found.extend(capture_below(root, index))
    return SceneRecord(tuple(found))


def restore(scene: Scene, record: ObjectRecord) -> SceneObject:
    """Create an object from its record, at its former index.

    Raises:
        LimitError: the scene holds `max_objects` already.
    """
    obj = scene.spawn(
        record.name,
        parent=scene.get(record.parent) if record.parent else None,
        position=record.position,
        rotation=record.rotation,
        scale=record.scale,
        model=copy.deepcopy(record.model),
        material=copy.deepcopy(record.material),
        object_id=record.id,
    )
    siblings = siblings_of(obj)
    siblings.insert(record.index, siblings.pop())
    obj.order = record.order
    obj.enabled = record.enabled
    obj.visible = record.visible
    obj.casts_shadow = record.casts_shadow
    obj.texture = record.texture
    obj.extra = copy.deepcopy(record.extra)
    obj.authored = record.authored
    obj.snapshot = record.snapshot
    for slot in record.slots:
        if scene.component(slot.id) is None:
            restore_slot(obj, slot, len(obj.components))
    return obj


def restore_slot(obj: SceneObject, record: SlotRecord, index: int) -> ComponentSlot:
    """Create a component from its record at an index; its script starts anew."""
    slot = obj.scene.attach(obj, record.type_name, copy.deepcopy(record.values), record.id)
    obj.components.insert(index, obj.components.pop())
    slot.extra = copy.deepcopy(record.extra)
    slot.is_enabled = record.is_enabled
    slot.prefab_id = record.prefab_id
    slot.stands_for = record.stands_for
    return slot


def restore_scene(scene: Scene, record: SceneRecord) -> None:
    """Replace all objects of a scene by those of a record, under their ids; scripts start anew."""
    scene.clear()
    for item in record.objects:
        restore(scene, item)


def copy_below(
    scene: Scene,
    obj: SceneObject,
    *,
    name: str | None = None,
    parent: SceneObject | None = None,
    position: Sequence[float] | None = None,
) -> SceneObject:
    """Copy an object with all its descendants under new ids, as the last sibling.

    Raises:
        LimitError: the scene holds `max_objects` already; nothing was made.
        ValueError: the object is gone.
    """
    if not obj.is_alive or scene.get(obj.id) is not obj:
        raise ValueError(f"clone: expected an object of the scene, got {obj.name}, which is gone")
    records = capture_below(obj)
    if len(scene.objects) + len(records) > scene.settings.max_objects:
        raise LimitError(
            f"scene: expected at most {scene.settings.max_objects} objects "
            f"(setting max_objects), found {len(records)} more"
        )
    above = obj.parent if parent is None else parent
    siblings = scene.roots if above is None else above.children
    ids = ids_of_copy(records, {}, scene.new_id)
    copies = [renamed(record, ids) for record in records]
    copies[0] = replace(
        copies[0],
        name=copies[0].name if name is None else name,
        parent="" if above is None else above.id,
        index=len(siblings),
        order=siblings[-1].order + 1 if siblings else 0.0,
        position=copies[0].position if position is None else vector(position),
    )
    made = [restore(scene, record) for record in copies]
    return made[0]


# -- copies with new ids ------------------------------------------------------------------------


def ids_of_copy(
    records: Iterable[ObjectRecord], known: Mapping[str, str], make_id: Callable[[str], str]
) -> dict[str, str]:
    """Return a new id for each id in the records that has none in `known` yet.

    Components of a prefab get the ids that they will have at each load of the copy.
    """
    ids = dict(known)
    for record in records:
        ids.setdefault(record.id, make_id("obj"))
        for slot in record.slots:
            origin = slot.prefab_id or slot.stands_for
            if slot.id not in ids:
                ids[slot.id] = instance_id(ids[record.id], origin) if origin else make_id("cmp")
    return ids


def renamed(record: ObjectRecord, ids: Mapping[str, str]) -> ObjectRecord:
    """Return a record with ids replaced; references follow."""
    slots = tuple(
        replace(slot, id=ids.get(slot.id, slot.id), values=_renamed_refs(slot.values, ids))
        for slot in record.slots
    )
    return replace(
        record,
        id=ids.get(record.id, record.id),
        parent=ids.get(record.parent, record.parent),
        slots=slots,
        authored=_renamed_entry(record.authored, ids),
        snapshot=_renamed_entry(record.snapshot, ids),
    )


def _renamed_entry(entry: JsonObject | None, ids: Mapping[str, str]) -> JsonObject | None:
    if entry is None:
        return None
    new = dict(entry)
    if isinstance(new.get("parent"), str):
        new["parent"] = ids.get(new["parent"], new["parent"])
    if "overrides" in new:
        new["overrides"] = _renamed_refs(new["overrides"], ids)
    if "components" in new:
        new["components"] = {
            ids.get(key, key): {**part, "fields": _renamed_refs(part["fields"], ids)}
            if "fields" in part
            else part
            for key, part in new["components"].items()
        }
    return new


def _renamed_refs(value: object, ids: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed_refs(item, ids) for item in value]
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            return {**value, "$ref": ids.get(value["$ref"], value["$ref"])}
        return {key: _renamed_refs(item, ids) for key, item in value.items()}
    return copy.deepcopy(value)

"""Changes: the smallest undoable pieces of an edit.

They name their targets by id, so they outlive the objects; a missing target raises GoneError.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from base.errors import FieldError, LimitError
from base.values import JsonObject
from sim.core.scene.fields import collect_fields
from sim.core.scene.records import ObjectRecord, SlotRecord, restore, restore_slot
from sim.core.scene.scene import Scene
from sim.core.scene.scene_object import ComponentSlot, SceneObject


class Absent:
    """Type of the sentinel for a value that is absent."""

    def __repr__(self) -> str:
        return "nothing"

    def __copy__(self) -> Absent:
        return self

    def __deepcopy__(self, memo: object) -> Absent:
        return self


ABSENT = Absent()
VECTOR_KEYS = ("position", "rotation", "scale")


class GoneError(Exception):
    """The target of a change is missing, or is there already."""


class Change(Protocol):
    """One undoable piece of an edit."""

    @property
    def key(self) -> tuple[str, ...]:
        """Identifies the changed property; changes with equal keys can be merged. Empty: never."""

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Apply the change, or revert it with `forward=False`.

        Raises:
            GoneError: the target is not there.
            FieldError: the script no longer takes the value.
            LimitError: the scene holds `max_objects` already.
        """


def object_of(scene: Scene, object_id: str, name: str) -> SceneObject:
    """Return an object of the scene by id; `name` is for the error.

    Raises:
        GoneError: no living object has this id.
    """
    obj = scene.get(object_id)
    if obj is None or not obj.is_alive:
        raise GoneError(f"{name} is gone")
    return obj


def slot_of(scene: Scene, slot_id: str, name: str) -> ComponentSlot:
    """Return a component of the scene by id; `name` is for the error.

    Raises:
        GoneError: no component of a living object has this id.
    """
    slot = scene.component(slot_id)
    if slot is None or not slot.object.is_alive:
        raise GoneError(f"{name} is gone")
    return slot


@dataclass(frozen=True)
class ValueChange:
    """Change of an object's property: attribute, vector of its transform, authored form."""

    target: str
    name: str
    attribute: str
    before: Any
    after: Any

    @property
    def key(self) -> tuple[str, ...]:
        """The object and the attribute."""
        return (self.target, self.attribute)

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Set the property."""
        obj = object_of(scene, self.target, self.name)
        value = self.after if forward else self.before
        if self.attribute in VECTOR_KEYS:
            setattr(obj.transform, self.attribute, value)
            scene.visual_changed(obj)
        elif self.attribute == "form":
            obj.authored, obj.snapshot = value
        else:
            is_picture = self.attribute == "texture"
            setattr(obj, self.attribute, value if is_picture else copy.deepcopy(value))
            scene.visual_changed(obj)
            scene.structure_changed()


@dataclass(frozen=True)
class MaterialChange:
    """Change of one item of an object's material; `names` is the order of all items with it."""

    target: str
    name: str
    item: str
    before: object
    after: object
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The object and the item."""
        return (self.target, "material", self.item)

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Set or remove the item."""
        obj = object_of(scene, self.target, self.name)
        value = self.after if forward else self.before
        obj.material = with_item(obj.material, self.item, value, self.names)
        scene.visual_changed(obj)


@dataclass(frozen=True)
class FieldChange:
    """Change of a component's field; `names` is the order of all values with it."""

    target: str
    name: str
    field: str
    before: object
    after: object
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The component and the field."""
        return (self.target, self.field)

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Store the value as the Inspector does, and notify the script."""
        slot = slot_of(scene, self.target, self.name)
        value = copy.deepcopy(self.after if forward else self.before)
        values = with_item(slot.values, self.field, value, self.names)
        if scene.host is not None and self._known_to_script(slot):
            self._tell_script(slot, value)  # which may set this and other fields in `validate`
            now = dict(slot.values)
            if value is ABSENT:
                now.pop(self.field, None)
            values = {**{name: now[name] for name in values if name in now}, **now}
        slot.values = values
        slot.parsed.pop(self.field, None)
        slot.revision += 1

    def _tell_script(self, slot: ComponentSlot, value: object) -> None:
        """Store the value with its check and `validate`; the default where there is to be none."""
        if value is not ABSENT:
            slot.host.set_field(slot, self.field, value)
            return
        declared = collect_fields(type(slot.instance))[self.field]
        with contextlib.suppress(FieldError):  # no default: the script finds out when it reads it
            slot.host.set_field(slot, self.field, declared.initial())

    def _known_to_script(self, slot: ComponentSlot) -> bool:
        return slot.instance is not None and self.field in collect_fields(type(slot.instance))


@dataclass(frozen=True)
class SwitchChange:
    """Enabling or disabling of a component."""

    target: str
    name: str
    before: bool
    after: bool

    @property
    def key(self) -> tuple[str, ...]:
        """The component."""
        return (self.target, "", "enabled")

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Enable or disable the component."""
        slot_of(scene, self.target, self.name).enabled = self.after if forward else self.before


@dataclass(frozen=True)
class Place:
    """Position in the tree: the parent's id (empty for a root), and the index among siblings."""

    parent: str
    index: int


@dataclass(frozen=True)
class PlaceChange:
    """Move of an object to another parent or index."""

    target: str
    name: str
    before: Place
    after: Place
    key: tuple[str, ...] = ()

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Move the object; its local transform stays."""
        obj = object_of(scene, self.target, self.name)
        place = self.after if forward else self.before
        parent = object_of(scene, place.parent, "its parent") if place.parent else None
        try:
            scene.set_parent(obj, parent, place.index)
        except ValueError as error:
            raise GoneError(str(error)) from None


@dataclass(frozen=True)
class CreateDelete:
    """Creation (`is_creation`) or deletion of objects: one with its descendants, parents first."""

    records: tuple[ObjectRecord, ...]
    is_creation: bool
    key: tuple[str, ...] = ()

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Create the objects, or delete the first with all its descendants, at once."""
        if forward != self.is_creation:
            top = self.records[0]
            scene.destroy(object_of(scene, top.id, top.name))
            scene.flush()
            return
        lost = [record.name for record in self.records if not self._create(scene, record)]
        if lost:
            raise GoneError(f"there is no place for {', '.join(lost[:3])}")

    @staticmethod
    def _create(scene: Scene, record: ObjectRecord) -> bool:
        parent = scene.get(record.parent) if record.parent else None
        is_orphan = bool(record.parent) and (parent is None or not parent.is_alive)
        if is_orphan or record.id in scene.objects:
            return False
        restore(scene, record)
        return True


@dataclass(frozen=True)
class SlotChange:
    """Creation (`is_creation`) or removal of a component."""

    owner: str
    name: str
    record: SlotRecord
    index: int
    is_creation: bool
    key: tuple[str, ...] = ()

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Create or remove the component at once."""
        if forward != self.is_creation:
            scene.detach(slot_of(scene, self.record.id, self.name))
            return
        obj = object_of(scene, self.owner, self.name)
        if scene.component(self.record.id) is not None:
            raise GoneError(f"{self.name} is there already")
        restore_slot(obj, self.record, self.index)


SKIPPED = (GoneError, FieldError, LimitError)
"""What may hinder an undo in the running scene, where scripts do as they like."""


def with_item(
    items: Mapping[str, object], key: str, value: object, names: tuple[str, ...]
) -> JsonObject:
    """Return a copy with an item set or removed (ABSENT); `names` is the order of the keys."""
    new = dict(items)
    if value is ABSENT:
        new.pop(key, None)
        return new
    is_known = key in new
    new[key] = value
    if is_known:
        return new
    ordered = {name: new[name] for name in names if name in new}
    return {**ordered, **new}


def merged(changes: list[Change], new: Change) -> list[Change]:
    """Append a change, merged into an earlier one of the same property if possible.

    Only changes since the last change of the tree are candidates: others cannot move past it.
    """
    for index in range(len(changes) - 1, -1, -1):
        old = changes[index]
        if not old.key or not new.key:
            break
        if old.key == new.key:
            if getattr(old, "after", None) is ABSENT:
                break  # what comes back stands last, what stays keeps its place
            joined: Any = old
            both = replace(joined, after=getattr(new, "after", None))
            rest = [*changes[:index], *changes[index + 1 :]]
            is_back = is_same(getattr(both, "before", None), getattr(both, "after", None))
            return rest if is_back else [*changes[:index], both, *changes[index + 1 :]]
    return [*changes, new]


def is_same(one: object, other: object) -> bool:
    """Return whether two values serialise alike; a picture in memory is never equal to another."""
    if type(one) is not type(other):
        return False
    if hasattr(one, "shape"):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)

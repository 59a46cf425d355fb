"""Changes: the smallest undoable pieces of an edit.

They name their targets by id, so they outlive the objects; a missing target raises TargetGoneError.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from base.errors import FieldError, LimitError
from base.values import JsonObject
from sim.core.scene.fields import collect_fields
from sim.core.scene.object_state import (
    ABSENT,
    Absent,
    ComponentState,
    ObjectState,
    deep_copy,
    is_same,
)
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject, restore, restore_component

VECTOR_KEYS = ("position", "rotation", "scale")


class TargetGoneError(Exception):
    """The target of a change is missing, or is there already."""


class Change(Protocol):
    """One undoable piece of an edit."""

    @property
    def key(self) -> tuple[str, ...]:
        """Identifies the property: changes with equal keys can be merged; empty for never."""

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Apply the change, or revert it with `forward=False`.

        Raises:
            TargetGoneError: the target is not there.
            FieldError: the script no longer accepts the value.
            LimitError: the scene holds `max_objects` already.
        """


def object_of(scene: Scene, object_id: str, name: str) -> SceneObject:
    """Return an object of the scene by id; `name` is for the error.

    Raises:
        TargetGoneError: no living object has this id.
    """
    obj = scene.get(object_id)
    if obj is None or not obj.is_alive:
        raise TargetGoneError(f"{name} is gone")
    return obj


def slot_of(scene: Scene, slot_id: str, name: str) -> ComponentSlot:
    """Return a component of the scene by id; `name` is for the error.

    Raises:
        TargetGoneError: no component of a living object has this id.
    """
    slot = scene.component(slot_id)
    if slot is None or not slot.object.is_alive:
        raise TargetGoneError(f"{name} is gone")
    return slot


@dataclass(frozen=True)
class PropertyChange:
    """Change of one property of an object or a component, with the values before and after.

    Attributes:
        target: id of the object or component.
        name: its name, for errors.
        before: the value before; ABSENT for none.
        after: the value after; ABSENT for none.
    """

    target: str
    name: str
    before: Any
    after: Any

    @property
    def key(self) -> tuple[str, ...]:
        """Empty, because it is never merged with another change."""
        return ()

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Set the property to the value after, or before."""
        self.put(scene, self.after if forward else self.before)

    def put(self, scene: Scene, value: Any) -> None:
        """Set the property to a value."""
        raise NotImplementedError


@dataclass(frozen=True)
class ValueChange(PropertyChange):
    """Change of an object's attribute: a vector of its transform, its authored form, or another."""

    attribute: str

    @property
    def key(self) -> tuple[str, ...]:
        """The object and the attribute."""
        return (self.target, self.attribute)

    def put(self, scene: Scene, value: Any) -> None:
        """Set the attribute."""
        obj = object_of(scene, self.target, self.name)
        if self.attribute in VECTOR_KEYS:
            setattr(obj.transform, self.attribute, value)
            scene.visual_changed(obj)
        elif self.attribute == "form":
            obj.authored, obj.loaded = value
        else:
            setattr(obj, self.attribute, value)
            scene.visual_changed(obj)
            scene.structure_changed()


@dataclass(frozen=True)
class MaterialChange(PropertyChange):
    """Change of one item of an object's material; `names` is the order of all items afterwards."""

    item: str
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The object and the item."""
        return (self.target, "material", self.item)

    def put(self, scene: Scene, value: Any) -> None:
        """Set or remove the item."""
        obj = object_of(scene, self.target, self.name)
        obj.material = with_item(obj.material, self.item, value, self.names)
        scene.visual_changed(obj)


@dataclass(frozen=True)
class FieldChange(PropertyChange):
    """Change of a component's field; `names` is the order of all values afterwards."""

    field: str
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The component and the field."""
        return (self.target, self.field)

    def put(self, scene: Scene, value: Any) -> None:
        """Store the value as the Inspector does, and notify the script."""
        slot = slot_of(scene, self.target, self.name)
        value = deep_copy(value)
        values = with_item(slot.values, self.field, value, self.names)
        if scene.host is not None and self._known_to_script(slot):
            self._set_on_script(slot, value)  # which may set this and other fields in `validate`
            now = dict(slot.values)
            if value is ABSENT:
                now.pop(self.field, None)
            values = {**{name: now[name] for name in values if name in now}, **now}
        slot.values = values
        slot.parsed.pop(self.field, None)
        slot.revision += 1

    def _set_on_script(self, slot: ComponentSlot, value: object) -> None:
        """Check and store the value, then call `validate`; without a value, store the default."""
        if value is not ABSENT:
            slot.host.set_field(slot, self.field, value)
            return
        declared = collect_fields(type(slot.instance))[self.field]
        with contextlib.suppress(FieldError):  # no default: reading the field raises in the script
            slot.host.set_field(slot, self.field, declared.initial())

    def _known_to_script(self, slot: ComponentSlot) -> bool:
        return slot.instance is not None and self.field in collect_fields(type(slot.instance))


@dataclass(frozen=True)
class EnabledChange(PropertyChange):
    """Enabling or disabling of a component."""

    @property
    def key(self) -> tuple[str, ...]:
        """The component."""
        return (self.target, "", "enabled")

    def put(self, scene: Scene, value: Any) -> None:
        """Enable or disable the component."""
        slot_of(scene, self.target, self.name).enabled = value


@dataclass(frozen=True)
class Place:
    """Position in the tree: the parent's id (empty for a root), and the index among siblings."""

    parent: str
    index: int


@dataclass(frozen=True)
class PlaceChange(PropertyChange):
    """Move of an object to another parent or index; the values are `Place`s."""

    def put(self, scene: Scene, value: Any) -> None:
        """Move the object; its local transform stays."""
        obj = object_of(scene, self.target, self.name)
        parent = object_of(scene, value.parent, "its parent") if value.parent else None
        try:
            scene.set_parent(obj, parent, value.index)
        except ValueError as error:
            raise TargetGoneError(str(error)) from None


@dataclass(frozen=True)
class ObjectsChange(PropertyChange):
    """Creation or deletion of an object with its descendants.

    One value holds their states, parents first; the other is ABSENT.
    """

    def put(self, scene: Scene, value: tuple[ObjectState, ...] | Absent) -> None:
        """Create the objects, or delete the first with all its descendants, at once."""
        if isinstance(value, Absent):
            scene.destroy(object_of(scene, self.target, self.name))
            scene.flush()
            return
        lost = [state.name for state in value if not self._create(scene, state)]
        if lost:
            raise TargetGoneError(f"there is no place for {', '.join(lost[:3])}")

    @staticmethod
    def _create(scene: Scene, state: ObjectState) -> bool:
        parent = scene.get(state.parent) if state.parent else None
        is_orphan = bool(state.parent) and (parent is None or not parent.is_alive)
        if is_orphan or state.id in scene.objects:
            return False
        restore(scene, state)
        return True


@dataclass(frozen=True)
class ComponentChange(PropertyChange):
    """Creation or removal of a component: one value is its state, the other ABSENT."""

    owner: str
    index: int

    def put(self, scene: Scene, value: ComponentState | Absent) -> None:
        """Create or remove the component at once."""
        if isinstance(value, Absent):
            scene.detach(slot_of(scene, self.target, self.name))
            return
        obj = object_of(scene, self.owner, self.name)
        if scene.component(self.target) is not None:
            raise TargetGoneError(f"{self.name} is there already")
        restore_component(obj, value, self.index)


SKIPPED = (TargetGoneError, FieldError, LimitError)
"""Errors that can prevent an undo in the running scene, because scripts changed it."""


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

    Only changes after the last change of the tree are candidates, since the order must be kept.
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

"""Changes: the smallest steps of an edit; each can be undone.

A change names its object or component by id. So it stays valid when the object is deleted and
restored. A change whose id does not exist raises TargetGoneError.
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
    SceneState,
    deep_copy,
    is_same,
)
from sim.core.scene.scene import (
    ComponentSlot,
    Scene,
    SceneObject,
    restore,
    restore_component,
    restore_scene,
)

VECTOR_KEYS = ("position", "rotation", "scale")


class TargetGoneError(Exception):
    """The target of a change does not exist, or exists already and cannot be created again.

    The target is an object or a component.
    """


class Change(Protocol):
    """One step of an edit, which can be undone."""

    @property
    def key(self) -> tuple[str, ...]:
        """Words that name the changed property, such as the object's id and "position".

        Changes with equal keys can be merged. A change with an empty key is never merged.
        """

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Apply the change to a scene, or revert it.

        Args:
            scene: the scene.
            forward: True to apply the change, False to revert it.

        Raises:
            TargetGoneError: the object or component does not exist.
            FieldError: the script no longer accepts the value.
            LimitError: the scene already holds the largest number of objects, `max_objects`.
        """


def object_of(scene: Scene, object_id: str, name: str) -> SceneObject:
    """Return an object of the scene by its id.

    Args:
        scene: the scene.
        object_id: id of the object.
        name: its name, for the error message.

    Raises:
        TargetGoneError: no living object has this id.
    """
    obj = scene.get(object_id)
    if obj is None or not obj.is_alive:
        raise TargetGoneError(f"{name} is gone")
    return obj


def slot_of(scene: Scene, slot_id: str, name: str) -> ComponentSlot:
    """Return a component of the scene by its id.

    Args:
        scene: the scene.
        slot_id: id of the component.
        name: its name, for the error message.

    Raises:
        TargetGoneError: no component of a living object has this id.
    """
    slot = scene.component(slot_id)
    if slot is None or not slot.object.is_alive:
        raise TargetGoneError(f"{name} is gone")
    return slot


@dataclass(frozen=True)
class PropertyChange:
    """Base class of changes that set one property of an object or a component.

    Attributes:
        target: id of the object or component.
        name: its name, for error messages.
        before: value before the change; ABSENT if there was none.
        after: value after the change; ABSENT if there is none.
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
        """Set the property to the value after the change (`forward`) or before it."""
        self.put(scene, self.after if forward else self.before)

    def put(self, scene: Scene, value: Any) -> None:
        """Set the property to a value; ABSENT removes it."""
        raise NotImplementedError


@dataclass(frozen=True)
class ValueChange(PropertyChange):
    """Change of one attribute of an object.

    Attributes:
        attribute: name of the attribute, such as "position", "rotation" or "scale"; or "form".
            "form" stands for a pair: the object's entry in the scene file, and the object's state
            as loaded from it.
    """

    attribute: str

    @property
    def key(self) -> tuple[str, ...]:
        """The object's id and the attribute's name."""
        return (self.target, self.attribute)

    def put(self, scene: Scene, value: Any) -> None:
        """Set the attribute to `value`."""
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
    """Change of one property of an object's material.

    Attributes:
        item: name of the material property, such as "color".
        names: order of all material properties after the change.
    """

    item: str
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The object's id, "material" and the property's name."""
        return (self.target, "material", self.item)

    def put(self, scene: Scene, value: Any) -> None:
        """Set the material property to `value`; ABSENT removes it."""
        obj = object_of(scene, self.target, self.name)
        obj.material = with_item(obj.material, self.item, value, self.names)
        scene.visual_changed(obj)


@dataclass(frozen=True)
class FieldChange(PropertyChange):
    """Change of a component's field.

    Attributes:
        field: name of the field.
        names: order of all stored field values after the change.
    """

    field: str
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[str, ...]:
        """The component's id and the field's name."""
        return (self.target, self.field)

    def put(self, scene: Scene, value: Any) -> None:
        """Store the field's value and, if the component's script runs, set it there, too.

        Args:
            scene: the scene.
            value: value in the form of the scene file. ABSENT removes the stored value and resets
                the field to its default.
        """
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
        """Set the script's field, which calls `validate`; ABSENT sets the field's default."""
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
    """Change that enables or disables a component."""

    @property
    def key(self) -> tuple[str, ...]:
        """The component's id and "enabled"."""
        return (self.target, "", "enabled")

    def put(self, scene: Scene, value: Any) -> None:
        """Enable the component if `value` is True, else disable it."""
        slot_of(scene, self.target, self.name).enabled = value


@dataclass(frozen=True)
class SceneChange:
    """Change of all objects of a scene at once; all scripts start anew.

    Attributes:
        before: the objects before the change.
        after: the objects after it.
    """

    before: SceneState
    after: SceneState

    @property
    def key(self) -> tuple[str, ...]:
        """Empty, because it is never merged with another change."""
        return ()

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Replace the scene's objects by those after the change (`forward`) or before it."""
        restore_scene(scene, self.after if forward else self.before)


@dataclass(frozen=True)
class Place:
    """Position of an object in the scene's tree.

    Attributes:
        parent: id of the parent; empty for a root.
        index: index among the parent's children.
    """

    parent: str
    index: int


@dataclass(frozen=True)
class PlaceChange(PropertyChange):
    """Move of an object to another parent or index; `before` and `after` are each a `Place`."""

    def put(self, scene: Scene, value: Any) -> None:
        """Move the object to the place `value`; its position relative to the parent is kept."""
        obj = object_of(scene, self.target, self.name)
        parent = object_of(scene, value.parent, "its parent") if value.parent else None
        try:
            scene.set_parent(obj, parent, value.index)
        except ValueError as error:
            raise TargetGoneError(str(error)) from None


@dataclass(frozen=True)
class ObjectsChange(PropertyChange):
    """Creation or deletion of an object with its descendants.

    For a creation, `after` holds the states of the objects, parents first, and `before` is ABSENT.
    For a deletion it is the other way round.
    """

    def put(self, scene: Scene, value: tuple[ObjectState, ...] | Absent) -> None:
        """Create the objects of the states `value`; ABSENT deletes the object with descendants."""
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
    """Creation or removal of a component.

    For a creation, `after` is the component's state and `before` is ABSENT; for a removal the other
    way round.

    Attributes:
        owner: id of the object.
        index: index among the object's components.
    """

    owner: str
    index: int

    def put(self, scene: Scene, value: ComponentState | Absent) -> None:
        """Create the component from the state `value`; for ABSENT remove it."""
        if isinstance(value, Absent):
            scene.detach(slot_of(scene, self.target, self.name))
            return
        obj = object_of(scene, self.owner, self.name)
        if scene.component(self.target) is not None:
            raise TargetGoneError(f"{self.name} is there already")
        restore_component(obj, value, self.index)


@dataclass(frozen=True)
class ComponentPlaceChange(PropertyChange):
    """Move of a component among those of its object; `before` and `after` are its index."""

    def put(self, scene: Scene, value: int) -> None:
        """Move the component to the index `value`; its script goes on."""
        slot = slot_of(scene, self.target, self.name)
        slots = slot.object.components
        slots.remove(slot)
        slots.insert(value, slot)
        scene.structure_changed()
        if scene.host is not None:
            scene.host.invalidate()


SKIPPED = (TargetGoneError, FieldError, LimitError)
"""Errors at which undo and redo skip a change, because scripts changed the running scene."""


def with_item(
    items: Mapping[str, object], key: str, value: object, names: tuple[str, ...]
) -> JsonObject:
    """Return a copy of a mapping with one item set or removed.

    Args:
        items: the mapping.
        key: key of the item.
        value: new value; ABSENT removes the item.
        names: order of the keys if the item is new.
    """
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
    """Return a list of changes with one more, merged with an earlier change if possible.

    Two changes of the same property become one. If this sets the property back to its first value,
    both are dropped. A change with an empty key, such as moving an object in the tree, is never
    merged. The changes after it are not merged with those before it, because the order matters.

    Args:
        changes: changes so far, in order.
        new: the change to add.
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

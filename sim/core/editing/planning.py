"""Functions that compute the changes an edit makes in a scene, without applying them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from sim.core.editing.changes import (
    VECTOR_KEYS,
    Change,
    ComponentChange,
    FieldChange,
    MaterialChange,
    ObjectsChange,
    Place,
    PlaceChange,
    ValueChange,
)
from sim.core.editing.checks import check_vector, refuse
from sim.core.editing.placing import local_below, order_at
from sim.core.files.scene_json import Words
from sim.core.scene.object_state import (
    ABSENT,
    ComponentState,
    ObjectState,
    deep_copy,
    ids_of_copy,
    is_same,
    renamed,
    vector,
)
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject, capture_below, siblings_of


def value_of(obj: SceneObject, key: str) -> object:
    """Return a copy of the value of an object's property, as plain data for a change.

    Args:
        obj: the object.
        key: name of the property.
    """
    if key in VECTOR_KEYS:
        return vector(getattr(obj.transform, key))
    value = getattr(obj, key)
    return deep_copy(value) if isinstance(value, Mapping) else value


def value_changes(obj: SceneObject, values: Mapping[str, object]) -> list[Change]:
    """Return the changes that set properties of an object.

    Args:
        obj: the object.
        values: new values by property name; a value that equals the present one needs no change.
    """
    found: list[Change] = []
    for key, value in values.items():
        before = value_of(obj, key)
        if not is_same(before, value):
            found.append(ValueChange(obj.id, obj.name, before, value, key))
    return found


def material_changes(obj: SceneObject, key: str, value: object) -> list[Change]:
    """Return the changes that set one property of an object's material.

    Args:
        obj: the object.
        key: name of the property.
        value: new value; None removes the property.
    """
    before = deep_copy(obj.material.get(key, ABSENT))
    after = ABSENT if value is None else value
    if is_same(before, after):
        return []
    names = tuple(dict.fromkeys([*obj.material, key]))
    return [MaterialChange(obj.id, obj.name, before, after, key, names)]


def field_changes(slot: ComponentSlot, name: str, value: object) -> list[Change]:
    """Return the changes that set the value of a component's field.

    Args:
        slot: the component.
        name: name of the field.
        value: value in the form of the scene file; ABSENT removes it.
    """
    before = slot.values.get(name, ABSENT)
    if is_same(before, value):
        return []
    names = tuple(dict.fromkeys([*slot.values, name]))
    title = f"{slot.object.name} > {slot.class_name}"
    return [FieldChange(slot.id, title, before, value, name, names)]


def choice_changes(
    slot: ComponentSlot, name: str, value: object, resets: Iterable[str]
) -> list[Change]:
    """Return the changes that set a field and reset the fields that depend on it.

    Args:
        slot: the component.
        name: name of the field.
        value: value in the form of the scene file. If it equals the present value, there are no
            changes, and no field is reset.
        resets: names of the fields to reset to their defaults.
    """
    chosen = field_changes(slot, name, value)
    gone = [found for key in resets for found in field_changes(slot, key, ABSENT)] if chosen else []
    return [*gone, *chosen]


# -- the tree -----------------------------------------------------------------------------------


def children_of(scene: Scene, parent: str) -> list[SceneObject]:
    """Return an object's children, or the scene's roots.

    Args:
        scene: the scene.
        parent: id of the object; empty for the roots.
    """
    obj = scene.get(parent) if parent else None
    return scene.roots if obj is None else obj.children


def order_changes(siblings: Sequence[SceneObject], index: int) -> tuple[float, list[Change]]:
    """Find the sort key (`order`) for a new object among its siblings.

    Args:
        siblings: the siblings, sorted by `order`.
        index: index of the new object.

    Returns:
        The key, and the changes that renumber the siblings. There are no changes if a number is
        still free between the two neighbours.
    """
    order = order_at(siblings, index)
    if order is not None:
        return order, []
    found: list[Change] = []
    for number, sibling in enumerate(siblings):
        found += value_changes(sibling, {"order": float(number + (number >= index))})
    return float(index), found


def placed(scene: Scene, obj: SceneObject, parent: str, index: int | None) -> list[Change]:
    """Return the changes that move an object to a parent and index; its world transform is kept.

    Args:
        scene: the scene.
        obj: the object.
        parent: id of the new parent; empty for a root.
        index: index among its new siblings; None appends it, or keeps the index if the parent is
            the same.

    Raises:
        EditError: the parent is the object or below it, or the parent's scale is zero.
    """
    above = scene.get(parent) if parent else None
    if above is not None and above in obj.subtree():
        raise refuse("parent", f"an object outside {obj.path}", Words(above.path))
    before = Place("" if obj.parent is None else obj.parent.id, siblings_of(obj).index(obj))
    others = [item for item in children_of(scene, parent) if item is not obj]
    if index is None:
        index = before.index if before.parent == parent else len(others)
    after = Place(parent, min(index, len(others)))
    if before == after:
        return []
    order, changes = order_changes(others, after.index)
    changes += value_changes(obj, {"order": order})
    changes.append(PlaceChange(obj.id, obj.name, before, after))
    if before.parent != parent:
        changes += _kept_in_world(obj, above)
    return changes


def _kept_in_world(obj: SceneObject, above: SceneObject | None) -> list[Change]:
    try:
        vectors = local_below(obj, above)
    except ValueError as error:
        name = "none" if above is None else above.path
        found = Words(f"{name}, whose scale is 0")
        raise refuse("parent", str(error), found) from None
    changed = {key: item for key, item in vectors.items() if item != value_of(obj, key)}
    return value_changes(obj, {key: check_vector(key, item) for key, item in changed.items()})


def added(scene: Scene, states: Sequence[ObjectState], index: int | None = None) -> list[Change]:
    """Return the changes that create objects.

    Args:
        scene: the scene.
        states: states of the objects, the topmost first.
        index: index of the first object among its siblings; None for last.
    """
    siblings = children_of(scene, states[0].parent)
    place = len(siblings) if index is None else min(index, len(siblings))
    order, changes = order_changes(siblings, place)
    top = replace(states[0], index=place, order=order)
    return [*changes, ObjectsChange(top.id, top.name, ABSENT, (top, *states[1:]))]


def all_added(scene: Scene, groups: Sequence[Sequence[ObjectState]]) -> list[Change]:
    """Return the changes that create several objects as the last children of one parent.

    Args:
        scene: the scene.
        groups: for each object its state and those below it.
    """
    first = added(scene, groups[0])
    states = cast("ObjectsChange", first[-1]).after
    found, top = list(first), states[0]
    for number, group in enumerate(groups[1:], 1):
        state = replace(group[0], index=top.index + number, order=top.order + number)
        found.append(ObjectsChange(state.id, state.name, ABSENT, (state, *group[1:])))
    return found


def component_change(
    obj: SceneObject, state: ComponentState, index: int, *, is_creation: bool
) -> ComponentChange:
    """Return the change that creates or removes a component of an object.

    Args:
        obj: the object.
        state: state of the component.
        index: index among the object's components.
        is_creation: whether the component is created; else it is removed.
    """
    title = f"{obj.name} > {state.type_name.rpartition(':')[2]}"
    before, after = (ABSENT, state) if is_creation else (state, ABSENT)
    return ComponentChange(state.id, title, before, after, obj.id, index)


def states_below(obj: SceneObject, known: Scene | None = None) -> tuple[ObjectState, ...]:
    """Return the states of an object and its descendants, parents first.

    Args:
        obj: the object.
        known: only objects and components that exist in this scene are returned; None for all.
    """
    states = capture_below(obj)
    if known is None:
        return states
    return tuple(
        replace(item, components=tuple(c for c in item.components if known.component(c.id)))
        for item in states
        if item.id in known.objects
    )


def copied(states: Sequence[ObjectState], ids: Mapping[str, str], name: str) -> list[ObjectState]:
    """Return copies of states with new ids.

    Args:
        states: states, the topmost object first.
        ids: new id by old id.
        name: new name of the topmost object.
    """
    copies = in_own_order([renamed(state, ids) for state in states])
    first = replace(copies[0], parent=states[0].parent, name=name)
    return [first, *copies[1:]]


def in_own_order(states: Sequence[ObjectState]) -> list[ObjectState]:
    """Return states whose siblings have increasing `order`, also where they shared one before.

    Files sort siblings of one `order` by their ids, and copies have other ids.

    Args:
        states: states, the topmost object first; its own `order` is kept.
    """
    last: dict[str, float] = {}
    mixed: set[str] = set()
    for state in states[1:]:
        if state.order <= last.get(state.parent, -math.inf):
            mixed.add(state.parent)
        last[state.parent] = state.order
    below = (
        replace(state, order=float(state.index)) if state.parent in mixed else state
        for state in states[1:]
    )
    return [states[0], *below]


def new_ids(
    kinds: Iterable[Sequence[ObjectState]], make_id: Callable[[str], str]
) -> dict[str, str]:
    """Return a new id for each id in some states.

    Args:
        kinds: several lists of states; an id that is in more than one gets one new id.
        make_id: returns a new id; called with its prefix, "obj" or "cmp".
    """
    ids: dict[str, str] = {}
    for states in kinds:
        ids = ids_of_copy(states, ids, make_id)
    return ids


def copy_name(obj: SceneObject, longest: int) -> str:
    """Return a name for a copy that no sibling has: `Lamp` becomes `Lamp 2`.

    Args:
        obj: the object that is copied.
        longest: largest number of characters of a name.
    """
    return numbered(obj.name, {item.name for item in siblings_of(obj)}, longest)


def numbered(taken: str, names: Collection[str], longest: int) -> str:
    """Return a name with the next number that is free: `Lamp` becomes `Lamp 2`.

    Args:
        taken: the name that is taken.
        names: all names that are taken.
        longest: largest number of characters of a name.
    """
    stem, _, number = taken.rpartition(" ")
    if not stem or not (number.isascii() and number.isdigit()):
        stem, number = taken, "1"
    count = int(number[:9]) + 1
    while (name := f"{stem[: longest - 11]} {count}") in names:
        count += 1
    return name

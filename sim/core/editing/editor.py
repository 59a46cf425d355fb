"""`Editor` makes every edit of a scene, each of which can be undone; `PlaySession` plays it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from base.errors import FieldError
from sim.core.assets.formats import is_robot
from sim.core.editing import checks, clipboard, prefab_making, prefabs, python_lines
from sim.core.editing.changes import (
    VECTOR_KEYS,
    Change,
    ComponentPlaceChange,
    EnabledChange,
    ObjectsChange,
    SceneChange,
)
from sim.core.editing.checks import refuse
from sim.core.editing.placing import placed_below
from sim.core.editing.planning import (
    added,
    all_added,
    children_of,
    choice_changes,
    component_change,
    copied,
    copy_name,
    field_changes,
    material_changes,
    new_ids,
    numbered,
    placed,
    states_below,
    value_changes,
)
from sim.core.editing.python_lines import call, expression
from sim.core.editing.session import Edit, EditSession, Plan, Snapshot
from sim.core.files.scene_file import SceneDocument, dumps_prefab, save_content
from sim.core.files.scene_json import Words
from sim.core.scene.fields import collect_fields, find_field
from sim.core.scene.object_state import ABSENT, ComponentState, ObjectState
from sim.core.scene.scene import (
    ComponentSlot,
    Scene,
    SceneObject,
    capture_component,
    capture_scene,
    robot_states,
)

if TYPE_CHECKING:
    from sim.core.reporting.metrics import MetricStore
    from sim.core.tasks.clock import Clock


__all__ = ["Edit", "Editor"]

MOVES = {"position": "Move", "rotation": "Turn", "scale": "Scale"}


class Editor(EditSession):
    """Makes the edits of a scene, in the running scene and in the authored one; each can be undone.

    The running scene is what scripts change; the authored scene is what is saved. An invalid edit
    raises `EditError`, `FieldError`, `LimitError` or `SceneFileError` and changes nothing. Objects
    that scripts have created can be edited, too, but are not saved.
    """

    # -- properties of an object --------------------------------------------------------------

    def set_transform(
        self,
        obj: SceneObject,
        *,
        position: Sequence[float] | None = None,
        rotation: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
    ) -> None:
        """Set an object's transform relative to its parent; None leaves a part unchanged.

        Args:
            obj: the object.
            position: x, y and z in metres.
            rotation: heading, pitch and roll in degrees.
            scale: factors along x, y and z, none of them 0.
        """
        obj = self._object(obj)
        given = {"position": position, "rotation": rotation, "scale": scale}
        vectors = {
            key: checks.check_vector(key, value)
            for key, value in given.items()
            if value is not None
        }
        if vectors:
            verb = MOVES[next(iter(vectors))] if len(vectors) == 1 else "Place"
            python = python_lines.move_line(obj, vectors)
            self.commit(f"{verb} {obj.name}", python, self._values(obj, vectors))

    def rename(self, obj: SceneObject, name: str) -> None:
        """Rename an object."""
        obj = self._object(obj)
        checks.check_name(name)
        python = call("rename", expression(obj), name)
        self.commit(f"Rename {obj.name} to {name}", python, self._values(obj, {"name": name}))

    def set_visible(self, obj: SceneObject, is_visible: bool) -> None:
        """Show or hide an object and all its descendants."""
        obj = self._object(obj)
        values = {"visible": checks.check_flag("visible", is_visible)}
        python = call("set_visible", expression(obj), is_visible)
        verb = "Show" if is_visible else "Hide"
        self.commit(f"{verb} {obj.name}", python, self._values(obj, values))

    def set_enabled(self, item: SceneObject | ComponentSlot, is_enabled: bool) -> None:
        """Enable or disable an object, with all its descendants, or one component."""
        checks.check_flag("enabled", is_enabled)
        verb = "Enable" if is_enabled else "Disable"
        if not isinstance(item, ComponentSlot):
            obj = self._object(item)
            python = call("set_enabled", expression(obj), is_enabled)
            self.commit(f"{verb} {obj.name}", python, self._values(obj, {"enabled": is_enabled}))
            return
        slot = self._slot(item)
        title = _title(slot)

        def plan(scene: Scene) -> list[Change]:
            found = scene.component(slot.id)
            if found is None or found.is_enabled == is_enabled:
                return []
            return [EnabledChange(slot.id, title, found.is_enabled, is_enabled)]

        self.commit(f"{verb} {title}", call("set_enabled", expression(slot), is_enabled), plan)

    def set_casts_shadow(self, obj: SceneObject, casts_shadow: bool) -> None:
        """Set whether an object casts a shadow."""
        obj = self._object(obj)
        values = {"casts_shadow": checks.check_flag("casts_shadow", casts_shadow)}
        python = call("set_casts_shadow", expression(obj), casts_shadow)
        self.commit(f"Shadow of {obj.name}", python, self._values(obj, values))

    def set_model(self, obj: SceneObject, value: Mapping[str, object] | None) -> None:
        """Set or remove an object's model.

        Args:
            obj: the object.
            value: `{"builtin": name, …}` for a built-in model, `{"asset": path}` for a file of the
                project, or None for no model.
        """
        obj = self._object(obj)
        model = checks.check_look(self.scene, "model", value)
        python = call("set_model", expression(obj), model)
        self.commit(f"Model of {obj.name}", python, self._values(obj, {"model": model}))

    def set_texture(self, obj: SceneObject, value: str | Mapping[str, str] | None) -> None:
        """Set or remove an object's texture.

        Args:
            obj: the object.
            value: path of a picture file in the project; None removes the texture.
        """
        obj = self._object(obj)
        texture = checks.check_look(self.scene, "texture", value)
        python = call("set_texture", expression(obj), texture)
        self.commit(f"Texture of {obj.name}", python, self._values(obj, {"texture": texture}))

    def set_material(self, obj: SceneObject, key: str, value: object) -> None:
        """Set one property of an object's material.

        Args:
            obj: the object.
            key: "color", "roughness", "metallic", "emission" or "opacity".
            value: new value; None restores the model's own.
        """
        obj = self._object(obj)
        plain = checks.check_material(key, value, obj.material)
        python = call("set_material", expression(obj), key, plain)

        def plan(scene: Scene) -> list[Change]:
            found = scene.get(obj.id)
            return [] if found is None else material_changes(found, key, plain)

        self.commit(f"{key.capitalize()} of {obj.name}", python, plan)

    # -- the tree -----------------------------------------------------------------------------

    def set_parent(
        self, obj: SceneObject, parent: SceneObject | None, index: int | None = None
    ) -> None:
        """Move an object to another parent or index; its place in the world is kept.

        Args:
            obj: the object to move.
            parent: new parent; None makes the object a root.
            index: index among its new siblings; None appends it, or keeps the index if the parent
                is the same.
        """
        obj = self._object(obj)
        is_authored = self._is_authored(obj)
        above = self._authored_parent(parent) if is_authored else self._parent(parent)
        if index is not None:
            checks.check_index(index)
        target = "" if above is None else above.id
        options = {} if index is None else {"index": index}
        python = call("set_parent", expression(obj), expression(above), **options)

        def plan(scene: Scene) -> list[Change]:
            found = scene.get(obj.id)
            if found is None or (target and scene.get(target) is None):
                return []
            return placed(scene, found, target, self._index_in(scene, obj.id, target, index))

        is_moved = above is not obj.parent
        goal = f" below {above.name}" if above is not None else " to the top"
        label = f"Put {obj.name}{goal}" if is_moved else f"Reorder {obj.name}"
        self.commit(label, python, plan)

    def create(
        self,
        name: str,
        *,
        parent: SceneObject | None = None,
        model: Mapping[str, object] | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        components: Iterable[str | tuple[str, Mapping[str, object]]] = (),
    ) -> SceneObject:
        """Create an object as the last child of its parent.

        Args:
            name: name of the object.
            parent: its parent; None for a root.
            model: its model in the form of the scene file; None for none.
            position: x, y and z relative to the parent, metres.
            components: for each component its type `module:Class`, or a pair of type and field
                values.
        """
        above = self._authored_parent(parent)
        state = ObjectState(
            self.make_id("obj"),
            checks.check_name(name),
            parent="" if above is None else above.id,
            position=checks.check_vector("position", position),
            model=checks.check_look(self.scene, "model", model),
            components=checks.check_components(self.scene, components, self.make_id),
        )
        options: dict[str, object] = {} if above is None else {"parent": expression(above)}
        if state.model is not None:
            options["model"] = state.model
        if any(state.position):
            options["position"] = state.position
        if state.components:
            options["components"] = tuple(
                (part.type_name, part.values) for part in state.components
            )
        return self._add(f"Create {name}", call("create", name, **options), [state])

    def instantiate(
        self,
        path: str,
        parent: SceneObject | None = None,
        *,
        position: Sequence[float] | None = None,
    ) -> SceneObject:
        """Create objects from a prefab file or a robot file; return the topmost one.

        Args:
            path: path of the file within the project; a robot is created with all its links.
            parent: parent of the new object; None for a root.
            position: x, y and z relative to the parent, metres; None for the file's own.
        """
        above = self._authored_parent(parent)
        place = None if position is None else checks.check_vector("position", position)
        if isinstance(path, str) and is_robot(path):
            states = robot_states(self.scene, path, self.make_id, parent=above, position=place)
        else:
            object_id = self.make_id("obj")
            states = prefabs.new_instance(self.scene, object_id, path, above, place)
        options: dict[str, object] = {} if above is None else {"parent": expression(above)}
        if place is not None:
            options["position"] = place
        python = call("instantiate", path, **options)
        return self._add(f"Create {states[0].name}", python, states)

    def duplicate(self, obj: SceneObject) -> SceneObject:
        """Copy an object with all its descendants; return the copy.

        References among the copied objects point to the copies.
        """
        obj = self._object(obj)
        self._authored_parent(obj.parent)
        live = states_below(obj, self._known_to_file(obj))
        source = self.authored.get(obj.id)
        authored = live if source is None else states_below(source)
        self._check_room(max(len(live), len(authored)))
        ids = new_ids((live, authored), self.make_id)
        name = copy_name(obj, checks.LONGEST_NAME)

        def plan(scene: Scene) -> list[Change]:
            states = live if scene is self.scene else authored
            siblings = children_of(scene, states[0].parent)
            found = scene.get(obj.id)
            index = siblings.index(found) + 1 if found in siblings else None
            return added(scene, copied(states, ids, name), index)

        self.commit(f"Duplicate {obj.name}", call("duplicate", expression(obj)), plan)
        return self._made(ids[obj.id])

    def copy(self, *objects: SceneObject) -> str:
        """Return objects with all their descendants as text that `paste` reads.

        Args:
            *objects: the objects, as they are now in the running scene.

        Raises:
            EditError: a field has a value that no file can hold.
        """
        return clipboard.objects_text([self._object(obj) for obj in objects])

    def cut(self, *objects: SceneObject) -> str:
        """Delete objects with all their descendants; return them as text that `paste` reads."""
        tops = clipboard.topmost([self._object(obj) for obj in objects])
        text = clipboard.objects_text(tops)
        label = f"Cut {tops[0].name}" if len(tops) == 1 else f"Cut {len(tops)} objects"
        with self.group(label):
            for obj in tops:
                self.delete(obj)
        return text

    def paste(self, text: str, parent: SceneObject | None = None) -> list[SceneObject]:
        """Create the objects of a text that `copy` or `cut` returned, also of another program.

        The objects get new ids. References among them point to the new objects. Other references
        are kept if this scene has what they point to; else they become empty, and the console says
        how many. The objects keep their place in the world. Below the parent they had, they keep
        their transform exactly.

        Args:
            text: the text.
            parent: parent of the topmost objects; None for roots.

        Returns:
            The topmost objects.

        Raises:
            EditError: the text is not valid, or names a file that this project does not have.
        """
        above = self._authored_parent(parent)
        given = clipboard.read_objects(self.scene, text)
        self._check_room(sum(map(len, given.groups)))
        ids = new_ids(given.groups, self.make_id)
        taken = {item.name for item in self.scene.children_of(above)}
        groups = [self._pasted(group, ids, given.places, above, taken) for group in given.groups]
        count = len(groups)
        label = f"Paste {groups[0][0].name}" if count == 1 else f"Paste {count} objects"
        options = {} if above is None else {"parent": expression(above)}
        python = call("paste", text, **options)
        self.commit(label, python, lambda scene: all_added(scene, groups))
        if given.lost:
            what = "reference leads" if given.lost == 1 else "references lead"
            self._console.warning(f"{label}: {given.lost} {what} to nothing here, and is empty now")
        return [self._made(group[0].id) for group in groups]

    def _pasted(
        self,
        group: Sequence[ObjectState],
        ids: Mapping[str, str],
        places: Mapping[str, clipboard.FormerPlace],
        above: SceneObject | None,
        taken: set[str],
    ) -> list[ObjectState]:
        """Return the states of a copied object and those below it, as they are created.

        Args:
            group: the states as copied, the topmost object first.
            ids: new id by old id.
            places: where the topmost objects stood, by old id.
            above: the new parent; None for none.
            taken: names that the parent's children have; the new one is added.
        """
        top, parent = group[0], "" if above is None else above.id
        name = numbered(top.name, taken, checks.LONGEST_NAME) if top.name in taken else top.name
        taken.add(name)
        states = copied(group, ids, checks.check_name(name))
        place = places.get(top.id)
        vectors: dict[str, Any] = {}
        if place is not None and place.parent != parent:
            try:
                vectors = placed_below(place.vectors, above)
            except ValueError as error:
                found = Words(f"{name}, whose parent has scale 0")
                raise refuse("paste", str(error), found) from None
        return [replace(states[0], parent=parent, **vectors), *states[1:]]

    def delete(self, obj: SceneObject) -> None:
        """Delete an object with all its descendants at once."""
        obj = self._object(obj)
        known = self._known_to_file(obj)

        def plan(scene: Scene) -> list[Change]:
            found = scene.get(obj.id)
            if found is None:
                return []
            states = states_below(found, known if scene is self.scene else None)
            return [ObjectsChange(found.id, found.name, states, ABSENT)]

        self.commit(f"Delete {obj.name}", call("delete", expression(obj)), plan)

    # -- components ---------------------------------------------------------------------------

    def add_component(
        self, obj: SceneObject, type_name: str, values: Mapping[str, object] | None = None
    ) -> ComponentSlot:
        """Add a component to an object; its script starts in the next frame.

        Args:
            obj: the object.
            type_name: type of the component, `module:Class`.
            values: values of its fields; None for the defaults.
        """
        obj = self._object(obj)
        given = [(type_name, values)] if values else [type_name]
        [state] = checks.check_components(self.scene, given, self.make_id)
        options = {"values": state.values} if state.values else {}
        python = call("add_component", expression(obj), type_name, **options)
        return self._add_component(obj, state, python)

    def _add_component(self, obj: SceneObject, state: ComponentState, python: str) -> ComponentSlot:
        """Add a component to an object, as its last one.

        Args:
            obj: the object.
            state: state of the new component.
            python: Python line that makes the same edit.
        """

        def plan(scene: Scene) -> list[Change]:
            found = scene.get(obj.id)
            if found is None:
                return []
            return [component_change(found, state, len(found.components), is_creation=True)]

        self.commit(f"Add {state.type_name.rpartition(':')[2]} to {obj.name}", python, plan)
        slot = self.scene.component(state.id)
        if slot is None:
            raise refuse("component", "one that stays", Words("none: a script destroyed it"))
        return slot

    def remove_component(self, slot: ComponentSlot) -> None:
        """Remove a component from its object.

        A component that comes from a prefab cannot be removed, only disabled.
        """
        slot = self._slot(slot)
        if slot.prefab_id or slot.stands_for:
            raise refuse(
                _title(slot),
                "a component of the object's own",
                Words("one of its prefab, which can only be disabled"),
            )

        def plan(scene: Scene) -> list[Change]:
            found = scene.component(slot.id)
            if found is None:
                return []
            index = found.object.components.index(found)
            state = capture_component(found)
            return [component_change(found.object, state, index, is_creation=False)]

        label = f"Remove {slot.class_name} from {slot.object.name}"
        self.commit(label, call("remove_component", expression(slot)), plan)

    def set_field(self, slot: ComponentSlot, name: str, raw: object) -> None:
        """Set the value of a component's field.

        Args:
            slot: the component.
            name: name of the field.
            raw: the value in the form of the scene file.
        """
        slot = self._slot(slot)
        plain = checks.check_field(self.scene, slot, name, raw)
        declared = None if slot.instance is None else find_field(type(slot.instance), name)
        resets = () if declared is None else declared.resets
        name = name if declared is None else declared.name

        def plan(scene: Scene) -> list[Change]:
            found = scene.component(slot.id)
            return [] if found is None else choice_changes(found, name, plain, resets)

        python = call("set_field", expression(slot), name, plain)
        self.commit(f"Set {_title(slot)}.{name}", python, plan)

    def move_component(self, slot: ComponentSlot, index: int) -> None:
        """Move a component among those of its object; scripts run in this order.

        The components of a prefab stay first, in the prefab's order.

        Args:
            slot: the component.
            index: its new index among the object's components.
        """
        slot = self._slot(slot)
        checks.check_index(index)
        fixed = sum(1 for item in slot.object.components if item.prefab_id or item.stands_for)
        if slot.prefab_id or slot.stands_for:
            found = Words("one of its prefab, which keeps its place")
            raise refuse(_title(slot), "a component of the object's own", found)
        index = min(max(index, fixed), len(slot.object.components) - 1)
        following = [item.id for item in slot.object.components if item is not slot][index:]

        def plan(scene: Scene) -> list[Change]:
            found = scene.component(slot.id)
            if found is None:
                return []
            others = [item.id for item in found.object.components if item is not found]
            known = (others.index(item) for item in following if item in others)
            before, after = found.object.components.index(found), next(known, len(others))
            if before == after:
                return []
            return [ComponentPlaceChange(slot.id, _title(slot), before, after)]

        self.commit(f"Move {_title(slot)}", call("move_component", expression(slot), index), plan)

    def reset_component(self, slot: ComponentSlot) -> None:
        """Give all fields of a component their defaults; of a prefab's, the prefab's values.

        Raises:
            EditError: the script is not loaded, so that its fields are not known.
            FieldError: the script's own `validate` refuses the defaults.
        """
        slot = self._slot(slot)
        if slot.prefab_id or slot.stands_for:
            with self.group(f"Reset {_title(slot)}"):
                for key in sorted(self.overridden(slot) - {prefabs.SWITCHED}):
                    self.revert_to_prefab(slot, key)
            return
        if slot.instance is None:
            raise refuse(_title(slot), "a component whose script is loaded", slot.type_name)
        known = collect_fields(type(slot.instance))
        python = call("reset_component", expression(slot))
        kept = {name: value for name, value in slot.values.items() if name not in known}
        self._set_values(f"Reset {_title(slot)}", python, slot, kept)

    def copy_component(self, slot: ComponentSlot) -> str:
        """Return a component as text that `paste_component` and `paste_values` read."""
        return clipboard.component_text(self._slot(slot))

    def paste_component(self, obj: SceneObject, text: str) -> ComponentSlot:
        """Add the component of a text that `copy_component` returned.

        Args:
            obj: the object that gets it.
            text: the text, also of another program.

        Raises:
            EditError: the text is not valid.
        """
        obj = self._object(obj)
        given = clipboard.read_component(self.scene, text)
        state = ComponentState(
            self.make_id("cmp"), given.type_name, given.values, is_enabled=given.is_enabled
        )
        return self._add_component(obj, state, call("paste_component", expression(obj), text))

    def paste_values(self, slot: ComponentSlot, text: str) -> None:
        """Give a component the field values of a text that `copy_component` returned.

        Args:
            slot: the component.
            text: a text of a component of the same type, also of another program.

        Raises:
            EditError: the text is not valid, or its component has another type.
            FieldError: the script's own `validate` refuses the values.
        """
        slot = self._slot(slot)
        given = clipboard.read_component(self.scene, text)
        if given.type_name != slot.type_name:
            raise refuse("paste", f"a component {slot.type_name}", given.type_name)
        for name, value in given.values.items():
            is_known = slot.instance is None or find_field(type(slot.instance), name) is not None
            if is_known and (name not in slot.values or slot.values[name] != value):
                checks.check_field(self.scene, slot, name, value)
        python = call("paste_values", expression(slot), text)
        self._set_values(f"Paste into {_title(slot)}", python, slot, given.values)

    def _set_values(
        self, label: str, python: str, slot: ComponentSlot, values: Mapping[str, object]
    ) -> None:
        """Set all fields of a component in one step; those without a value get their default.

        A script's `validate` may refuse what holds in between. Then the fields are set in the
        opposite order.

        Args:
            label: name of the undo step.
            python: Python line that makes the same edit.
            slot: the component.
            values: raw values, by field.
        """

        def plan(scene: Scene, *, is_reversed: bool) -> list[Change]:
            found = scene.component(slot.id)
            if found is None:
                return []
            names = dict.fromkeys((*found.values, *values))
            ordered = reversed(names) if is_reversed else names
            changes = (field_changes(found, key, values.get(key, ABSENT)) for key in ordered)
            return [change for several in changes for change in several]

        try:
            self.commit(label, python, partial(plan, is_reversed=False))
        except FieldError:
            self.commit(label, python, partial(plan, is_reversed=True))

    # -- prefabs ------------------------------------------------------------------------------

    def overridden(self, item: SceneObject | ComponentSlot) -> frozenset[str]:
        """Return what an instance of a prefab overrides, as keys for `revert_to_prefab`.

        For an object the keys are of three kinds: names of its own properties, `cmp_id/field` for
        fields of components, and `cmp_id` for components that are enabled or disabled differently.
        `cmp_id` is the component's id in the prefab. For a component the keys are names of its
        fields, and "enabled".
        """
        if isinstance(item, ComponentSlot):
            slot = self._slot(item)
            return prefabs.overridden_fields(self.authored.component(slot.id) or slot)
        obj = self._object(item)
        return prefabs.overridden(self.authored.get(obj.id) or obj)

    def revert_to_prefab(self, item: SceneObject | ComponentSlot, key: str) -> None:
        """Restore the prefab's value of one overridden property.

        Args:
            item: object or component of a prefab instance.
            key: a key that `overridden` returns.
        """
        known = self.overridden(item)
        if key not in known:
            names = ", ".join(sorted(known)) or "none is"
            raise refuse("prefab", f"something overridden ({names})", key)
        python = call("revert_to_prefab", expression(item), key)
        if isinstance(item, ComponentSlot):
            obj, key = item.object, prefabs.key_of(item, key)
        else:
            obj = self._object(item)
        pristine = prefabs.pristine(self.scene, obj)

        def plan(scene: Scene) -> list[Change]:
            found = scene.get(obj.id)
            return [] if found is None else prefabs.reverted(found, key, pristine)

        self.commit(f"Revert {obj.name} {key}", python, plan)

    def make_prefab(self, obj: SceneObject, path: str) -> None:
        """Make a prefab of an object and its descendants; the object becomes its first instance.

        The object starts anew, at the place that its file says. An undo makes it one of its own
        again; the prefab's file stays. References to objects outside are null in the prefab.

        Args:
            obj: the object.
            path: path of the file within the project. A prefab that is replaced is kept as `.bak`.

        Raises:
            EditError: it is no path of a prefab, the file cannot be written, or another instance of
                a replaced prefab would lose components.
        """
        obj = self._object(obj)
        self._check_allowed()
        file = prefab_making.prefab_path(self.scene, path)
        source = self.authored.get(obj.id) or obj
        states, known = states_below(source), prefab_making.ids_kept(source, path)
        data, ids = prefab_making.prefab_of(self.scene, states, known, self.make_id)
        prefab_making.check_replaced(self.authored, source, path, data)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            save_content(file, dumps_prefab(data))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise refuse("prefab", f"to write {path}", Words(str(reason))) from None

        def plan(scene: Scene) -> list[Change]:
            found = scene.get(obj.id)
            if found is None:
                return []
            place = {key: getattr(states[0], key) for key in VECTOR_KEYS}
            return [*value_changes(found, place), *prefab_making.linked(found, path, data, ids)]

        python = call("make_prefab", expression(obj), path)
        self.commit(f"Make a prefab of {obj.name}", python, plan)

    # -- the whole scene ----------------------------------------------------------------------

    def restore(self, document: SceneDocument) -> None:
        """Replace the whole scene by that of a scene file; it can be undone.

        Args:
            document: the checked scene file.
        """
        source = Scene(self.scene.settings)
        source.load_document(document)
        states = capture_scene(source)

        def plan(scene: Scene) -> list[Change]:
            return [SceneChange(capture_scene(scene), states)]

        self.commit("Restore unsaved changes", "", plan)

    # -- doing --------------------------------------------------------------------------------

    def _values(self, obj: SceneObject, values: Mapping[str, object]) -> Plan:
        def plan(scene: Scene) -> list[Change]:
            found = scene.get(obj.id)
            return [] if found is None else value_changes(found, values)

        return plan

    def _add(self, label: str, python: str, states: list[ObjectState]) -> SceneObject:
        self._check_room(len(states))
        self.commit(label, python, lambda scene: added(scene, states))
        return self._made(states[0].id)

    def _made(self, object_id: str) -> SceneObject:
        obj = self.scene.get(object_id)
        if obj is None:
            raise refuse("object", "one that stays", Words("none: a script destroyed it"))
        return obj

    def _index_in(self, scene: Scene, object_id: str, parent: str, index: int | None) -> int | None:
        """Convert an index among siblings in the running scene to one in another scene.

        The other scene may be the authored one, which lacks objects that scripts created.

        Args:
            scene: the scene for the result.
            object_id: id of the object that is moved; it is not counted as a sibling.
            parent: id of the parent; empty for the roots.
            index: index in the running scene; None stays None.
        """
        if index is None or scene is self.scene:
            return index
        live = [item.id for item in children_of(self.scene, parent) if item.id != object_id]
        there = [item.id for item in children_of(scene, parent) if item.id != object_id]
        following = (there.index(item) for item in live[index:] if item in there)
        return next(following, len(there))


def _title(slot: ComponentSlot) -> str:
    return f"{slot.object.name} > {slot.class_name}"


class PlayState(enum.StrEnum):
    """Whether the scene is stopped, playing or paused."""

    STOPPED = "stopped"
    """Scene time does not pass, and the scene is as in its file."""
    PLAYING = "playing"
    PAUSED = "paused"


class PlaySession:
    """Plays, pauses and stops a scene.

    Scripts change only the running scene, but edits change the authored scene, too. So a stop
    discards everything that scripts did. It can keep the edits made by hand.

    Args:
        editor: editor of the scene.
        clock: the clock of scene time.
        metrics: the numbers that scripts log; a stop clears them.

    Attributes:
        before_play: called before the scene is played or resumed.
    """

    def __init__(self, editor: Editor, clock: Clock, metrics: MetricStore) -> None:
        self.editor = editor
        self._clock = clock
        self._metrics = metrics
        self._begun: Snapshot | None = None
        self._time = 0.0
        self.before_play: Callable[[], object] = bool

    @property
    def state(self) -> PlayState:
        """Whether the scene is stopped, playing or paused."""
        if self._begun is None:
            return PlayState.STOPPED
        return PlayState.PAUSED if self._clock.paused else PlayState.PLAYING

    @property
    def has_edits(self) -> bool:
        """Whether the authored scene was edited since play began."""
        return self._begun is not None and self.editor.differs_from(self._begun)

    def play(self) -> None:
        """Start playing, or resume after a pause; at a start the scene's state is remembered."""
        self.before_play()
        if self._begun is None:
            self._begun = self.editor.moment()
            self._time = self._clock.time
        self._clock.resume()

    def pause(self) -> None:
        """Pause the scene; do nothing if it is stopped."""
        if self._begun is not None:
            self._clock.pause()

    def stop(self, *, keep: bool = False) -> bool:
        """Stop and restore the scene as it was before `play`.

        Objects and components keep their ids; scripts and metrics start anew.

        Args:
            keep: whether to keep the edits made by hand since then; they can still be undone.
                Changes made by scripts are lost in any case.

        Returns:
            Whether the scene was playing or paused; False if it was stopped already.
        """
        if self._begun is None:
            return False
        if not keep:
            self.editor.bring_back(self._begun)
        self._begun = None
        self._clock.pause()
        self._clock.rewind(self._time)
        self._metrics.clear_all()
        self.editor.rebuild("Stop")
        return True

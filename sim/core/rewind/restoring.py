"""Restores a recorded moment: to show it for a while, or to continue the scene from it.

Objects with their parents, physics bodies, fields and the state of scripts that save it are
restored. While a moment is only shown, the changes are temporary: afterwards the scene is
bit-for-bit as it was.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from base.errors import FieldError, LimitError
from sim.core.host.agents import Standing as SeatStanding
from sim.core.rewind.recorder import BODIES, ROW, TRANSFORMS, saves_state
from sim.core.rewind.tape import Key, Moment, PastObject, frozen, resized, texts
from sim.core.scene.object_state import ABSENT, ObjectState, is_same
from sim.core.scene.scene import (
    MOTION,
    ComponentSlot,
    Motions,
    Scene,
    SceneObject,
    SlotState,
    Start,
    capture,
    restore,
)

if TYPE_CHECKING:
    from sim.core.host.agents import Agents
    from sim.core.host.script_host import ScriptHost


def restore_missing(
    scene: Scene, objects: Mapping[str, PastObject], *, as_ghosts: bool = False
) -> list[str]:
    """Create the recorded objects that the scene no longer has.

    They are created without a parent, after all other objects without a parent.

    Args:
        scene: the scene.
        objects: the objects of a moment, by id.
        as_ghosts: whether to create them without components, only to be shown. Then a full scene is
            no error: the remaining objects are left out.

    Returns:
        Ids of the created objects.

    Raises:
        LimitError: the scene's limit of objects is reached and `as_ghosts` is False.
    """
    found: list[str] = []
    for key, past in objects.items():
        if scene.get(key) is not None:
            continue
        state = _state_of(key, past, len(scene.roots))
        try:
            restore(scene, replace(state, components=()) if as_ghosts else state)
        except LimitError:
            if as_ghosts:
                break
            raise
        found.append(key)
    return found


def _state_of(object_id: str, past: PastObject, index: int) -> ObjectState:
    source = past.source
    state = capture(source, 0) if isinstance(source, SceneObject) else source
    return replace(
        state, id=object_id, parent="", index=index, enabled=past.enabled, visible=past.visible
    )


def arrange(scene: Scene, children: Mapping[str, tuple[str, ...]]) -> None:
    """Restore each object's parent and its position among its siblings.

    Objects that are not in `children` keep their parent and come after their siblings.

    Args:
        scene: the scene.
        children: ids of the children in order, by id of the parent; "" for objects without a
            parent. Ids that the scene does not have are ignored.
    """
    wanted = {child: parent for parent, ids in children.items() for child in ids}
    for obj in list(scene.objects.values()):
        now = "" if obj.parent is None else obj.parent.id
        if obj.parent is not None and wanted.get(obj.id, now) != now:
            scene.set_parent(obj, None)  # it may get what hangs below it as a parent
    for key, ids in children.items():
        parent = scene.get(key) if key else None
        if key and parent is None:
            continue
        siblings = scene.roots if parent is None else parent.children
        others = [obj.id for obj in siblings if wanted.get(obj.id, key) == key]
        target = [*filter(scene.get, ids), *(other for other in others if other not in wanted)]
        for index, child in enumerate(target):
            found = siblings[index] if index < len(siblings) else None
            if found is None or found.id != child:
                _hang(scene, child, parent, index)


def _hang(scene: Scene, child: str, parent: SceneObject | None, index: int) -> None:
    obj = scene.get(child)
    if obj is not None:
        scene.set_parent(obj, parent, index)


def place(scene: Scene, moment: Moment, objects: Mapping[str, PastObject]) -> None:
    """Restore the transforms of those objects that are in the scene, bit for bit.

    Args:
        scene: the scene.
        moment: the recorded moment, with the transforms.
        objects: the objects of this moment, by id.
    """
    rows = _rows(moment)
    found = [(obj.transform.slot, past.row) for obj, past in _pairs(scene, objects)]
    if found:
        slots, old = np.array(found, dtype=np.int64).T
        scene.transforms.put(slots, rows[old])


def restore_flags(scene: Scene, objects: Mapping[str, PastObject]) -> None:
    """Restore whether each object was enabled and visible.

    Args:
        scene: the scene.
        objects: the objects of a recorded moment, by id; those not in the scene are ignored.
    """
    for obj, past in _pairs(scene, objects):
        obj.enabled = past.enabled
        obj.visible = past.visible


def _pairs(
    scene: Scene, objects: Mapping[str, PastObject]
) -> Iterable[tuple[SceneObject, PastObject]]:
    for key, past in objects.items():
        obj = scene.get(key)
        if obj is not None:
            yield obj, past


def _rows(moment: Moment) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    numbers = moment.arrays.get(TRANSFORMS, np.empty(0))
    rows = resized(numbers, -(-len(numbers) // ROW) * ROW)
    return rows.reshape(-1, ROW)


def continue_from(scene: Scene, host: ScriptHost, agents: Agents, moment: Moment) -> None:
    """Continue a scene from an earlier moment.

    Objects that were created since then are destroyed. Objects that were destroyed are created
    again: their scripts start, and then load their saved state. Scripts that save no state stay as
    they are.

    Args:
        scene: the scene.
        host: runs the scene's scripts.
        agents: the scene's agents, whose episodes continue from the moment too.
        moment: the recorded moment.

    Raises:
        LimitError: the scene's limit of objects is reached.
    """
    objects = moment.objects()
    arrange(scene, moment.children())  # what stays may hang below what goes
    for obj in list(scene.objects.values()):
        if obj.id not in objects:
            scene.destroy(obj)
    scene.flush()
    restore_missing(scene, objects)
    arrange(scene, moment.children())
    restore_flags(scene, objects)
    host.begin_frame()
    place(scene, moment, objects)
    _put_fields(scene, moment)
    host.go_to(moment.time)
    scene.put_motions(_motions(moment))
    _load_states(scene, moment)
    agents.collect(scene.components())
    for seat in agents.running:
        standing = moment.values.get(("seat", seat.slot.id))
        if standing is not None:
            seat.restore(cast("SeatStanding", standing))


def _put_fields(scene: Scene, moment: Moment) -> None:
    """Set all fields; one that is refused beside another's present value is set after that one."""
    left = [(key, value) for key, value in moment.values.items() if key[0] == "field"]
    while left:
        refused = [(key, value) for key, value in left if not _put_field(scene, key, value)]
        if len(refused) == len(left):
            return  # their declarations have changed since
        left = refused


def _put_field(scene: Scene, key: tuple[str, ...], value: object) -> bool:
    """Set one field; return whether it has the value, or can have none."""
    slot = scene.component(key[1])
    if slot is None or is_same(slot.values.get(key[2], ABSENT), value):
        return True
    with contextlib.suppress(FieldError):
        slot.host.set_field(slot, key[2], frozen(value, key[2]))
        return True
    return False


def _motions(moment: Moment) -> Motions:
    bodies = texts(moment.values.get(("bodies",)))
    numbers = moment.arrays.get(BODIES)
    broken = texts(moment.values.get(("broken",)))
    turns = cast("tuple[tuple[str, int], ...]", moment.values.get(("turns",), ()))
    if numbers is None or not bodies:
        return Motions(broken=broken, turns=turns)
    starts = moment.values.get(("starts",))  # of an older recording: none
    return Motions(
        bodies,
        numbers.reshape(-1, MOTION)[: len(bodies)].copy(),
        broken=broken,
        turns=turns,
        starts=cast("tuple[Start, ...]", starts) if isinstance(starts, tuple) else (),
        overlapping=texts(moment.values.get(("overlapping",))),
    )


def _load_states(scene: Scene, moment: Moment) -> None:
    for slot in scene.components():
        kept = moment.values.get(("state", slot.id))
        if not isinstance(kept, tuple) or not saves_state(slot):
            continue
        state, drawn = kept
        if isinstance(drawn, dict):
            slot.instance.rng.bit_generator.state = drawn  # type: ignore[union-attr]
        if slot.state is SlotState.READY:
            load = cast("Callable[[object], None]", slot.instance.load_state)  # type: ignore[union-attr]
            slot.call("load_state", load, frozen(state, "state"))


def stateless(scene: Scene) -> list[str]:
    """Return the classes of scripts that a restore leaves unchanged, as they save no state.

    The engine's own components are left out, as their behaviour follows from their objects.

    Returns:
        Names of the classes, with the number of scripts in parentheses if it is not 1.
    """
    counts: dict[str, int] = {}
    for slot in scene.components():
        if _goes_on(slot):
            counts[slot.class_name] = counts.get(slot.class_name, 0) + 1
    return [name if count == 1 else f"{name} ({count})" for name, count in sorted(counts.items())]


def _goes_on(slot: ComponentSlot) -> bool:
    is_script = slot.state is SlotState.READY and not slot.type_name.startswith("sim:")
    return is_script and not saves_state(slot)


def packed(moment: Moment) -> bytes | None:
    """Return a moment as bytes, from which another process can continue; None if it cannot be.

    Args:
        moment: a moment of a scene that still has its objects.
    """
    values: dict[Key, object] = {}
    for key, value in moment.values.items():
        if isinstance(value, PastObject):
            state = _state_of(key[1], value, 0)
            value = value._replace(source=replace(state, authored=None, loaded=None))
        if key[0] != "metric":
            values[key] = value
    try:
        return pickle.dumps((moment.time, moment.arrays, values), protocol=5)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None  # a texture or a number of an agent that is no plain value


def unpacked(content: bytes) -> Moment:
    """Return the moment that `packed` made into bytes; they must come from this program."""
    return Moment(*pickle.loads(content))


@dataclass(frozen=True)
class Continuation:
    """An entry of the undo history: the scene was continued from an earlier moment.

    Attributes:
        continue_from: called with a moment to continue the scene from it.
        before: the scene as it was before this change.
        after: the earlier moment, from which the scene continued.
        on_change: called without arguments after each change.
    """

    continue_from: Callable[[Moment], object]
    before: Moment
    after: Moment
    on_change: Callable[[], object]

    @property
    def key(self) -> tuple[str, ...]:
        """Always empty, so that this change is never merged with another in the undo history."""
        return ()

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Continue the scene from the earlier moment, or undo that.

        Args:
            scene: ignored; the scene of `host` is used.
            forward: True to apply the change, False to undo it.

        Raises:
            LimitError: the scene's limit of objects is reached.
        """
        self.continue_from(self.after if forward else self.before)
        self.on_change()


Kept = tuple[object, object]
"""A field's raw value, as in a scene file, and its parsed value; `ABSENT` if it has none."""


class PastView:
    """Shows recorded moments in a scene whose scripts are stopped and are not notified.

    Objects removed since the moment are shown again without their scripts. Later objects are
    hidden.

    Args:
        scene: the scene; none of its scripts may run until `end`.
        present: the scene's present state, to which `end` returns.
    """

    def __init__(self, scene: Scene, present: Moment) -> None:
        self._scene = scene
        self._present = present
        self._memory = scene.transforms.memory()
        self._ghosts: list[str] = []
        self._fields: dict[tuple[str, str], Kept] = {}

    def show(self, moment: Moment) -> None:
        """Show a moment."""
        scene, objects = self._scene, moment.objects()
        with scene.quiet():
            self._ghosts += restore_missing(scene, objects, as_ghosts=True)
            arrange(scene, moment.children())
            restore_flags(scene, objects)
            for obj in list(scene.objects.values()):
                if obj.id not in objects:
                    obj.visible = False
        place(scene, moment, objects)
        self._show_fields(moment)

    def end(self) -> None:
        """Return the scene to its present state and remove the objects created for showing."""
        scene, objects = self._scene, self._present.objects()
        with scene.quiet():
            arrange(scene, self._present.children())
            restore_flags(scene, objects)
        place(scene, self._present, objects)
        for (component, name), (raw, parsed) in self._fields.items():
            self._put_field(component, name, raw, parsed)
        self._fields.clear()
        for key in reversed(self._ghosts):
            ghost = scene.get(key)
            if ghost is not None:
                scene.destroy(ghost)
                scene.flush()
        self._ghosts.clear()
        scene.transforms.recall(self._memory)
        if scene.journal is not None:
            scene.journal.clear()

    def _show_fields(self, moment: Moment) -> None:
        for key, value in moment.values.items():
            if key[0] != "field":
                continue
            slot = self._scene.component(key[1])
            if slot is None:
                continue
            if (key[1], key[2]) not in self._fields:
                raw = slot.values.get(key[2], ABSENT)
                self._fields[key[1], key[2]] = (raw, slot.parsed.get(key[2], ABSENT))
            self._put_field(key[1], key[2], frozen(value, key[2]), ABSENT)

    def _put_field(self, component: str, name: str, raw: object, parsed: object) -> None:
        slot = self._scene.component(component)
        if slot is not None:
            slot.show_value(name, raw, parsed, absent=ABSENT)

"""Records the changes of a scene, frame by frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from base.class_memo import memo_of_class
from base.errors import FieldError
from base.interruption import Interruption
from sim.core.rewind.tape import Index, Key, Moment, PastObject, Step, difference, frozen
from sim.core.scene.fields import collect_fields
from sim.core.scene.object_state import ABSENT, is_same
from sim.core.scene.scene import ComponentSlot, SceneObject, SlotState

if TYPE_CHECKING:
    from sim.core.hangs.watchdog import Watchdog
    from sim.core.host.agents import Agents
    from sim.core.reporting.console import Console
    from sim.core.reporting.metrics import MetricStore
    from sim.core.scene.scene import Scene
    from sim.core.tasks.clock import Clock

TRANSFORMS = "transforms"
BODIES = "bodies"
ROW = 9  # numbers of one transform
STATE_HOOKS = frozenset({"save_state", "load_state"})


@memo_of_class
def recorded_fields(cls: type) -> dict[str, object]:
    """Return the fields of a script class that are declared `recorded`, and their defaults."""
    return {name: item.initial() for name, item in collect_fields(cls).items() if item.recorded}


def saves_state(slot: ComponentSlot) -> bool:
    """Return whether a component's script has both `save_state` and `load_state`."""
    return slot.instance is not None and slot.runtime.hooks >= STATE_HOOKS


class TapeRecorder:
    """Records a scene by comparing it with its state at the last call, without changing it.

    Args:
        scene: the scene to record.
        clock: the scene's clock, for the times of moments.
        console: receives a warning for each value of a script that cannot be recorded.
        agents: the scene's agents, whose episodes are recorded.
        metrics: numbers that scripts log; the latest values are recorded.
        watchdog: interrupts a `save_state` that takes too long.
    """

    def __init__(
        self,
        scene: Scene,
        clock: Clock,
        console: Console,
        agents: Agents,
        metrics: MetricStore,
        watchdog: Watchdog,
    ) -> None:
        self._scene, self._clock, self._console = scene, clock, console
        self._agents, self._metrics, self._watchdog = agents, metrics, watchdog
        self.last = Moment()
        self._structure = -1
        self._objects: dict[str, PastObject] = {}
        self._children: dict[str, tuple[str, ...]] = {}
        self._fields: list[tuple[ComponentSlot, Key, object]] = []
        self._stateful: list[ComponentSlot] = []
        self._indices: dict[str, Index] = {}
        self._metrics_seen = -1
        self._refused: set[str] = set()
        self._scene.journal = set()

    def close(self) -> None:
        """Stop recording."""
        self._scene.journal = None

    def step(self) -> Step:
        """Return what has changed since the last call."""
        found = Step(self._clock.time)
        values = found.values
        if self._scene.structure_revision != self._structure:
            self._structure = self._scene.structure_revision
            self._record_tree(values)
        self._record_flags(values)
        self._record_fields(values)
        self._record_states(values)
        self._record_seats(values)
        self._record_metrics(values)
        motions = self._scene.motions()
        self._record(values, ("bodies",), motions.bodies)
        self._record(values, ("broken",), motions.broken)
        if motions.turns or ("turns",) in self.last.values:
            self._record(values, ("turns",), motions.turns)
        self._record(values, ("starts",), motions.starts)
        self._record(values, ("overlapping",), motions.overlapping)
        arrays = {TRANSFORMS: self._scene.transforms.numbers().ravel()}
        if motions.bodies or BODIES in self.last.arrays:
            arrays[BODIES] = motions.numbers.ravel()
        for name, numbers in arrays.items():
            before = self.last.arrays.get(name, np.empty(0))
            cells, size = difference(before, numbers, self._indices.get(name))
            if cells is not None:
                found.cells[name] = cells
                found.bytes += size
                self._indices[name] = cells.places
                self.last.arrays[name] = numbers
        self.last.time = found.time
        for key, value in values.items():
            if value is ABSENT:
                self.last.values.pop(key, None)
            else:
                self.last.values[key] = value
        return found

    def moment(self) -> Moment:
        """Return the scene as it is now."""
        self.step()
        return self.last.copy()

    def _record(self, values: dict[Key, object], key: Key, now: object) -> None:
        if not is_same(self.last.values.get(key, ABSENT), now):
            values[key] = now

    # -- objects ------------------------------------------------------------------------------

    def _record_tree(self, values: dict[Key, object]) -> None:
        """Record the objects and their parents; find the components that are to be recorded."""
        scene, objects, children = self._scene, self._objects, self._children
        found: dict[str, tuple[str, ...]] = {"": tuple([obj.id for obj in scene.roots])}
        self._fields, self._stateful = [], []
        for obj in scene.objects.values():
            known = objects.get(obj.id)
            if known is None or known.source is not obj or known.row != obj.transform.slot:
                values["object", obj.id] = objects[obj.id] = _past(obj)
            if obj.children:
                found[obj.id] = tuple([child.id for child in obj.children])
            for slot in obj.components:
                self._look_at(slot)
        for key in [key for key in objects if key not in scene.objects]:
            del objects[key]
            values["object", key] = ABSENT
        for key, ids in found.items():
            if children.get(key) != ids:
                values["children", key] = ids
        for key in children.keys() - found.keys():
            values["children", key] = ABSENT
        self._children = found
        self._forget_gone(values)

    def _look_at(self, slot: ComponentSlot) -> None:
        if slot.instance is None:
            return
        for name, initial in recorded_fields(type(slot.instance)).items():
            self._fields.append((slot, ("field", slot.id, name), initial))
        if saves_state(slot):
            self._stateful.append(slot)

    def _forget_gone(self, values: dict[Key, object]) -> None:
        """Record that fields and states were removed with their components."""
        kept = {key for _, key, _ in self._fields}
        states = {("state", slot.id) for slot in self._stateful}
        for key in self.last.values:
            if (key[0] == "field" and key not in kept) or (key[0] == "state" and key not in states):
                values[key] = ABSENT

    def _record_flags(self, values: dict[Key, object]) -> None:
        journal = self._scene.journal
        if not journal:
            return
        for obj in journal:
            known = self._objects.get(obj.id)
            if known is None or known.source is not obj:
                continue
            if (known.enabled, known.visible) != (obj.enabled, obj.visible):
                values["object", obj.id] = self._objects[obj.id] = _past(obj)
        journal.clear()

    # -- scripts ------------------------------------------------------------------------------

    def _record_fields(self, values: dict[Key, object]) -> None:
        last = self.last.values
        for slot, key, initial in self._fields:
            raw = slot.values.get(key[2], initial)
            if is_same(last.get(key, ABSENT), raw):
                continue
            try:
                values[key] = frozen(raw, key[2])
            except FieldError as error:
                self._refuse(slot, f"{slot.class_name}.{error}")

    def _record_states(self, values: dict[Key, object]) -> None:
        for slot in self._stateful:
            if slot.state is not SlotState.READY or slot.id in self._refused:
                continue
            try:
                with self._watchdog.watching():
                    given = slot.instance.save_state()  # type: ignore[union-attr]
                state = frozen(given, f"{slot.class_name}.save_state")
            except Interruption:
                raise
            except BaseException as error:
                self._refuse(slot, f"save_state: {type(error).__name__}: {error}")
                continue
            rng = slot.runtime.rng
            drawn = None if rng is None else dict(rng.bit_generator.state)
            self._record(values, ("state", slot.id), (state, drawn))

    def _refuse(self, slot: ComponentSlot, text: str) -> None:
        """Warn once that a value of a script cannot be recorded; the script goes on."""
        if slot.id not in self._refused:
            self._refused.add(slot.id)
            self._console.write(
                "warning",
                f"not recorded for rewind: {text}",
                source=slot.object.path,
                component=slot.class_name,
            )

    def _record_seats(self, values: dict[Key, object]) -> None:
        for seat in self._agents.running:
            self._record(values, ("seat", seat.slot.id), seat.snapshot())

    def _record_metrics(self, values: dict[Key, object]) -> None:
        metrics = self._metrics
        if metrics.revision == self._metrics_seen:
            return
        self._metrics_seen = metrics.revision
        now = metrics.latest()
        for name, value in now.items():
            self._record(values, ("metric", name), value)
        for key in self.last.values:
            if key[0] == "metric" and key[1] not in now:
                values[key] = ABSENT


def _past(obj: SceneObject) -> PastObject:
    return PastObject(obj, obj.transform.slot, obj.enabled, obj.visible)

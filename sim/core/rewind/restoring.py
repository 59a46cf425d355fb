"""Continues from an earlier moment: objects, bodies, fields, scripts that declare their state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from base.errors import FieldError
from sim.core.host.agents import Standing as SeatStanding
from sim.core.rewind.hierarchy import arrange, place, restore_flags, restore_missing
from sim.core.rewind.plain import frozen
from sim.core.rewind.recorder import BODIES, saves_state
from sim.core.rewind.tape import Moment, texts
from sim.core.scene.object_state import ABSENT, is_same
from sim.core.scene.scene import MOTION, ComponentSlot, Motions, SlotState

if TYPE_CHECKING:
    from sim.core.host.script_host import ScriptHost
    from sim.core.scene.scene import Scene


def put_back(host: ScriptHost, moment: Moment) -> None:
    """Continue a scene from an earlier moment.

    Objects that were created since are destroyed. Objects that were destroyed are created anew:
    their scripts start, and then load their state. Scripts without a state go on as they are.

    Raises:
        LimitError: the scene has no room for what was gone.
    """
    scene, objects = host.scene, moment.objects()
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
    _put_fields(host, moment)
    host.tasks.shift(moment.time - host.clock.time)
    host.clock.rewind(moment.time)
    scene.put_motions(_motions(moment))
    _load_states(host, moment)
    host.agents.collect(scene.components())
    for seat in host.agents.running:
        standing = moment.values.get(("seat", seat.slot.id))
        if standing is not None:
            seat.stand_as(cast("SeatStanding", standing))


def _put_fields(host: ScriptHost, moment: Moment) -> None:
    for key, value in moment.values.items():
        slot = host.scene.component(key[1]) if key[0] == "field" else None
        if slot is None or is_same(slot.values.get(key[2], ABSENT), value):
            continue
        with contextlib.suppress(FieldError):  # its declaration has changed since
            host.set_field(slot, key[2], frozen(value, key[2]))


def _motions(moment: Moment) -> Motions:
    bodies = texts(moment.values.get(("bodies",)))
    numbers = moment.arrays.get(BODIES)
    if numbers is None or not bodies:
        return Motions(broken=texts(moment.values.get(("broken",))))
    return Motions(
        bodies, numbers.reshape(-1, MOTION)[: len(bodies)].copy(),
        texts(moment.values.get(("broken",))),
    )  # fmt: skip


def _load_states(host: ScriptHost, moment: Moment) -> None:
    for slot in host.scene.components():
        kept = moment.values.get(("state", slot.id))
        if not isinstance(kept, tuple) or not saves_state(slot):
            continue
        state, drawn = kept
        if isinstance(drawn, dict):
            slot.instance.rng.bit_generator.state = drawn  # type: ignore[union-attr]
        if slot.state is SlotState.READY:
            load = cast("Callable[[object], None]", slot.instance.load_state)  # type: ignore[union-attr]
            host.call(slot, "load_state", load, frozen(state, "state"))


def stateless(scene: Scene) -> list[str]:
    """Return the classes of the scripts that go on as they are, each with how many there are.

    The engine's own components are not among them: what they do follows from their objects.
    """
    counts: dict[str, int] = {}
    for slot in scene.components():
        if _goes_on(slot):
            counts[slot.class_name] = counts.get(slot.class_name, 0) + 1
    return [name if count == 1 else f"{name} ({count})" for name, count in sorted(counts.items())]


def _goes_on(slot: ComponentSlot) -> bool:
    is_script = slot.state is SlotState.READY and not slot.type_name.startswith("sim:")
    return is_script and not saves_state(slot)


@dataclass(frozen=True)
class Continuation:
    """The undoable change of a scene that goes on from an earlier moment.

    Attributes:
        host: of the scene.
        before: what the scene was.
        after: what it went on from.
        told: called after each change.
    """

    host: ScriptHost
    before: Moment
    after: Moment
    told: Callable[[], object]

    @property
    def key(self) -> tuple[str, ...]:
        """Empty: it is never merged with another."""
        return ()

    def apply(self, scene: Scene, *, forward: bool) -> None:
        """Continue from the moment after, or from the one before.

        Raises:
            LimitError: the scene has no room for what was gone.
        """
        put_back(self.host, self.after if forward else self.before)
        self.told()

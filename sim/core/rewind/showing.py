"""Shows an earlier moment in the scene itself, which is restored to the bit afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.core.rewind.hierarchy import arrange, place, restore_flags, restore_missing
from sim.core.rewind.plain import frozen
from sim.core.rewind.tape import Moment
from sim.core.scene.object_state import ABSENT

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene

Kept = tuple[object, object]
"""A raw value and the one that was parsed of it; `ABSENT` for none."""


class Showing:
    """Shows moments in a scene whose scripts stand still; none of them is told of anything.

    What is gone meanwhile is there as long as it is shown, without its scripts; what did not exist
    yet is hidden.

    Args:
        scene: no script of it runs until `end`.
        present: what it is now.
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
        """Restore the present."""
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

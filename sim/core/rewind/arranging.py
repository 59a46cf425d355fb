"""Bringing the objects of a scene to where they hung, and to how they stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from sim.core.rewind.recorder import ROW, TRANSFORMS
from sim.core.rewind.tape import Moment, Standing, resized
from sim.core.scene.records import ObjectRecord, capture
from sim.core.scene.scene import Scene
from sim.core.scene.scene_object import SceneObject


def record_of(standing: Standing) -> ObjectRecord:
    """Return what an object is made of anew from; it may be gone."""
    life = standing.life
    record = capture(life, 0) if isinstance(life, SceneObject) else life
    return replace(record, parent="", enabled=standing.enabled, visible=standing.visible)


def missing(scene: Scene, standings: Mapping[str, Standing]) -> list[str]:
    """Return the ids of objects that are not in the scene."""
    return [key for key in standings if scene.get(key) is None]


def arrange(scene: Scene, children: Mapping[str, tuple[str, ...]]) -> None:
    """Hang the objects where they are to hang; others of the scene come after their siblings.

    Args:
        scene: those that it does not hold are left out, and what hangs below them is a root.
        children: ids of the children in order, by the parent's id; "" is the roots'.
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


def place(scene: Scene, moment: Moment, standings: Mapping[str, Standing]) -> None:
    """Put the objects' transforms where they were, to the bit; those that are there stay."""
    rows = _rows(moment)
    found = [(obj.transform.slot, standing.slot) for obj, standing in _pairs(scene, standings)]
    if found:
        slots, old = np.array(found, dtype=np.int64).T
        scene.transforms.put(slots, rows[old])


def look(scene: Scene, standings: Mapping[str, Standing]) -> None:
    """Enable and show the objects as they were."""
    for obj, standing in _pairs(scene, standings):
        obj.enabled = standing.enabled
        obj.visible = standing.visible


def _pairs(
    scene: Scene, standings: Mapping[str, Standing]
) -> Iterable[tuple[SceneObject, Standing]]:
    for key, standing in standings.items():
        obj = scene.get(key)
        if obj is not None:
            yield obj, standing


def _rows(moment: Moment) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    numbers = moment.arrays.get(TRANSFORMS, np.empty(0))
    rows = resized(numbers, -(-len(numbers) // ROW) * ROW)
    return rows.reshape(-1, ROW)

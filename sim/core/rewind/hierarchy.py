"""Restores the objects of a scene as they were at a moment: which, where in the tree, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from base.errors import LimitError
from sim.core.rewind.recorder import ROW, TRANSFORMS
from sim.core.rewind.tape import Moment, PastObject, resized
from sim.core.scene.object_state import ObjectState
from sim.core.scene.scene import Scene, SceneObject, capture, restore


def restore_missing(
    scene: Scene, objects: Mapping[str, PastObject], *, as_ghosts: bool = False
) -> list[str]:
    """Create the objects that are not in the scene, as its last roots; return their ids.

    Args:
        scene: the scene.
        objects: the objects of a moment by id.
        as_ghosts: leave out their components, and what a full scene has no room for.

    Raises:
        LimitError: the scene has no room for one that is no ghost.
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
    """Restore each object's parent and sibling index; other objects come after their siblings.

    Args:
        scene: objects that it does not hold are left out; the children of these become roots.
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


def place(scene: Scene, moment: Moment, objects: Mapping[str, PastObject]) -> None:
    """Restore the transforms of the objects that are in the scene, to the bit."""
    rows = _rows(moment)
    found = [(obj.transform.slot, past.row) for obj, past in _pairs(scene, objects)]
    if found:
        slots, old = np.array(found, dtype=np.int64).T
        scene.transforms.put(slots, rows[old])


def restore_flags(scene: Scene, objects: Mapping[str, PastObject]) -> None:
    """Enable and show the objects as they were."""
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

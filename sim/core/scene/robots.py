"""Robots from files as objects of a scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from base.errors import LimitError
from base.values import JsonObject
from sim.core.assets.robots import read_robot
from sim.core.files.scene_checker import VECTORS
from sim.core.scene.records import ObjectRecord, SlotRecord, restore, vector

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import SceneObject


def robot_records(
    scene: Scene,
    path: str,
    make_id: Callable[[str], str],
    *,
    parent: SceneObject | None = None,
    position: Sequence[float] | None = None,
    name: str | None = None,
) -> list[ObjectRecord]:
    """Return the objects of a robot's file as records under new ids, parents first.

    The file is read again only when it has changed; what is left out is then a console line.

    Raises:
        SceneFileError: there is no such robot in the project, or it is unsound.
        LimitError: the scene has no room for them.
    """
    data = _read(scene, path)
    entries: list[JsonObject] = data["objects"]
    most = scene.settings.max_objects
    if len(scene.objects) + len(entries) > most:
        raise LimitError(
            f"scene: expected at most {most} objects (setting max_objects), "
            f"found {len(entries)} more"
        )
    ids = [make_id("obj") for _ in entries]
    siblings = scene.roots if parent is None else parent.children
    places = dict.fromkeys(range(-1, len(entries)), 0)
    found: list[ObjectRecord] = []
    for number, entry in enumerate(entries):
        above = entry["parent"]
        index = len(siblings) if above is None else places[above]
        order = siblings[-1].order + 1 if above is None and siblings else float(index)
        if above is not None:
            places[above] += 1
        slots = tuple(
            SlotRecord(make_id("cmp"), part["type"], _pointed(part["fields"], ids))
            for part in entry.get("components", ())
        )
        is_top = number == 0
        found.append(
            ObjectRecord(
                ids[number],
                name if is_top and name is not None else str(entry["name"])[:200],
                ("" if parent is None else parent.id) if above is None else ids[above],
                index,
                order,
                vector(position)
                if is_top and position is not None
                else vector(entry.get("position", VECTORS["position"])),
                vector(entry.get("rotation", VECTORS["rotation"])),
                vector(entry.get("scale", VECTORS["scale"])),
                visible=entry.get("visible", True),
                model=entry.get("model"),
                material=entry.get("material", {}),
                slots=slots,
            )
        )
    return found


def instantiate_robot(
    scene: Scene,
    path: str,
    *,
    parent: SceneObject | None = None,
    position: Sequence[float] | None = None,
    name: str | None = None,
) -> SceneObject:
    """Create the objects of a robot's file; return the one above them all.

    Raises:
        SceneFileError: there is no such robot in the project, or it is unsound.
        LimitError: the scene has no room for them.
    """
    records = robot_records(scene, path, scene.new_id, parent=parent, position=position, name=name)
    made = [restore(scene, record) for record in records]
    return made[0]


def _read(scene: Scene, path: str) -> JsonObject:
    try:
        status = (scene.project / path).stat()
        stamp = (status.st_mtime_ns, status.st_size)
    except OSError:
        return read_robot(scene.project, path)  # says what is wrong
    known = scene.prefab_cache.get(path)
    if known is None or known[0] != stamp:
        known = scene.prefab_cache[path] = (stamp, read_robot(scene.project, path))
        if known[1]["left_out"] and scene.host is not None:
            scene.host.console.info(f"{path}: left out: {'; '.join(known[1]['left_out'])}")
    return known[1]


def _pointed(fields: JsonObject, ids: list[str]) -> dict[str, Any]:
    """Return the values of a component with references in the place of objects' numbers."""
    return {
        key: {"$ref": ids[value["$object"]]}
        if isinstance(value, dict) and "$object" in value
        else value
        for key, value in fields.items()
    }


__all__ = ["instantiate_robot", "robot_records"]

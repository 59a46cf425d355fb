"""Robots from files as objects of a scene."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from base.values import JsonObject
from sim.core.assets.robots import read_robot
from sim.core.scene.object_state import (
    ComponentState,
    ObjectState,
    check_room,
    restore_all,
    state_of_entry,
    vector,
)

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import SceneObject


def robot_states(
    scene: Scene,
    path: str,
    make_id: Callable[[str], str],
    *,
    parent: SceneObject | None = None,
    position: Sequence[float] | None = None,
    name: str | None = None,
) -> list[ObjectState]:
    """Return the objects of a robot's file as states under new ids, parents first.

    The file is read again only when it has changed; what is left out is then a console line.

    Raises:
        SceneFileError: there is no such robot in the project, or it is unsound.
        LimitError: the scene has no room for them.
    """
    data = _read(scene, path)
    entries: list[JsonObject] = data["objects"]
    check_room(scene, len(entries))
    ids = [make_id("obj") for _ in entries]
    siblings = scene.roots if parent is None else parent.children
    places = dict.fromkeys(range(-1, len(entries)), 0)
    found: list[ObjectState] = []
    for number, entry in enumerate(entries):
        above = entry["parent"]
        index = len(siblings) if above is None else places[above]
        if above is not None:
            places[above] += 1
        state = state_of_entry(
            ids[number],
            entry,
            parent=("" if parent is None else parent.id) if above is None else ids[above],
            index=index,
            name=str(entry["name"])[:200],
            order=siblings[-1].order + 1 if above is None and siblings else float(index),
            components=tuple(
                ComponentState(make_id("cmp"), part["type"], _pointed(part["fields"], ids))
                for part in entry.get("components", ())
            ),
            extra={},
        )
        if number == 0:
            state = replace(
                state,
                name=state.name if name is None else name,
                position=state.position if position is None else vector(position),
            )
        found.append(state)
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
    states = robot_states(scene, path, scene.new_id, parent=parent, position=position, name=name)
    return restore_all(scene, states)[0]


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

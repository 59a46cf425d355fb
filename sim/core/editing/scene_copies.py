"""Copies of Goishi's examples in projects of the user."""

from __future__ import annotations

from pathlib import Path

from base.values import JsonObject
from sim.core.files.scene_checker import SceneChecker
from sim.core.files.scene_file import find_project, save
from sim.core.scene.scene import new_id

SHIPPED = "goishi:"
OWN = "scripts."


def save_elsewhere(data: JsonObject, path: Path) -> None:
    """Save an example of Goishi as a scene of another project, where it uses the shipped scripts.

    Args:
        data: data of the example's file.
        path: the file.

    Raises:
        SceneFileError: the project lacks a file that the scene names; nothing was written.
        OSError: the file cannot be written; nothing was changed.
    """
    copy = {**data, "id": new_id("scn")}
    copy["objects"] = {key: _with_shipped(entry) for key, entry in data["objects"].items()}
    checker = SceneChecker(path.name, find_project(path))
    checker.check_objects(copy["objects"])
    if checker.faults:
        raise checker.faults[0]
    save(path, copy)


def _with_shipped(entry: JsonObject) -> JsonObject:
    """Return an object's entry whose own scripts are named as shipped ones."""
    if "components" not in entry:
        return entry
    parts = {
        key: {**part, "type": f"{SHIPPED}{part['type']}"} if part["type"].startswith(OWN) else part
        for key, part in entry["components"].items()
    }
    return {**entry, "components": parts}

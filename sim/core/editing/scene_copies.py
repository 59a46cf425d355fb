"""Copies of Goishi's examples in projects of the user."""

from __future__ import annotations

from pathlib import Path

from base.files import SHIPPED_ROOT, resolve_in_project
from base.values import JsonObject
from sim.core.editing.asset_import import copy_files, files_of
from sim.core.files.scene_checker import MissingFile, SceneChecker
from sim.core.files.scene_file import find_project, save
from sim.core.scene.scene import new_id

SHIPPED = "goishi:"
OWN = "scripts."


def save_elsewhere(data: JsonObject, path: Path) -> list[str]:
    """Save an example of Goishi as a scene of another project, where it uses the shipped scripts.

    Models, pictures and robots that the scene names are copied where the project lacks them. What
    Goishi lacks as well stays missing.

    Args:
        data: data of the example's file.
        path: the file.

    Returns:
        The paths of the copied files within the project, sorted.

    Raises:
        SceneFileError: the scene is invalid there; nothing was written.
        AssetError: a model that is to be copied cannot be read; nothing was written.
        OSError: a file cannot be written; the scene's file is unchanged.
    """
    project = find_project(path)
    copy = {**data, "id": new_id("scn")}
    copy["objects"] = {key: _with_shipped(entry) for key, entry in data["objects"].items()}
    checker = SceneChecker(path.name, project, allows_missing=True)
    checker.check_objects(copy["objects"])
    if checker.faults:
        raise checker.faults[0]
    places = _shipped_files(checker.missing, project)
    copy_files(places, project)
    save(path, copy)
    return sorted(place.as_posix() for place in places.values())


def _shipped_files(missing: list[MissingFile], project: Path) -> dict[Path, Path]:
    """Return Goishi's own files in place of missing ones, with those to which they refer.

    Args:
        missing: the files that the project lacks.
        project: folder of the project.

    Returns:
        The path of each within the project, by its path in Goishi's folder.
    """
    sources = {resolve_in_project(SHIPPED_ROOT, file.path) for file in missing}
    files = [file for source in sources if source.is_file() for file in files_of(source)]
    places = {file: file.relative_to(SHIPPED_ROOT) for file in files}
    return {file: place for file, place in places.items() if not (project / place).exists()}


def _with_shipped(entry: JsonObject) -> JsonObject:
    """Return an object's entry whose own scripts are named as shipped ones."""
    if "components" not in entry:
        return entry
    parts = {
        key: {**part, "type": f"{SHIPPED}{part['type']}"} if part["type"].startswith(OWN) else part
        for key, part in entry["components"].items()
    }
    return {**entry, "components": parts}

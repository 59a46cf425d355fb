"""Reading scene files, with every fault named.

A file is plain data: nothing in it is ever executed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

from base.errors import SceneFileError
from base.values import JsonObject
from sim.core.files.canonical import TOP_KEYS
from sim.core.files.scene_checker import SceneChecker
from sim.core.files.scene_settings import SceneSettings


@dataclass
class SceneDocument:
    """A checked scene file as plain data, unknown keys included."""

    id: str
    settings: SceneSettings
    data: JsonObject
    path: Path
    project: Path
    prefabs: dict[str, JsonObject] = field(default_factory=dict)

    def unknown_keys(self) -> tuple[JsonObject, JsonObject]:
        """Return the unknown keys of the file, and those of its settings, with their values."""
        known = {item.name for item in fields(SceneSettings)}
        settings = self.data.get("settings", {})
        return (
            {key: value for key, value in self.data.items() if key not in TOP_KEYS},
            {key: value for key, value in settings.items() if key not in known},
        )


def find_project(scene: Path) -> Path:
    """Return the nearest folder above the scene that holds `scenes/`; else the scene's own."""
    scene = scene.resolve()
    for folder in scene.parents:
        if (folder / "scenes").is_dir():
            return folder
    return scene.parent


def load(path: Path, *, project: Path | None = None) -> SceneDocument:
    """Read and check a scene file.

    Raises:
        SceneFileError: the first fault; `check` lists them all.
    """
    document, faults = _read(path, project)
    if faults or document is None:
        raise faults[0]
    return document


def check(path: Path, *, project: Path | None = None) -> list[SceneFileError]:
    """Return every fault of a scene file; empty if it is valid."""
    return _read(path, project)[1]


# -- reading ------------------------------------------------------------------------------------


def _read(path: Path, project: Path | None) -> tuple[SceneDocument | None, list[SceneFileError]]:
    root = project or find_project(path)
    checker = SceneChecker(path.name, root)
    data = checker.parse(path)
    if data is None:
        return None, checker.faults
    settings = checker.check_top(data)
    if checker.faults:
        return None, checker.faults
    checker.check_objects(data["objects"])
    document = SceneDocument(data["id"], settings, data, path, root, checker.prefabs)
    return (None if checker.faults else document), checker.faults

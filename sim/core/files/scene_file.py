"""Scene files: read and checked, with all errors listed, and written in a uniform form."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path

from base.errors import SceneFileError
from base.files import atomic_file, atomic_write, write_synced
from base.values import JsonObject
from sim.core.files.scene_checker import MissingFile, SceneChecker
from sim.core.files.scene_settings import SceneSettings

TOP_KEYS = ("format", "id", "settings", "objects")
_OBJECT_KEYS = (
    "name prefab parent order enabled visible position rotation scale model material texture "
    "casts_shadow components overrides"
)
OBJECT_KEYS = tuple(_OBJECT_KEYS.split())
COMPONENT_KEYS = ("type", "enabled", "fields")


def dumps(data: JsonObject) -> bytes:
    """Return the content of a scene file in a uniform form, so that equal scenes give equal files.

    Known keys come in a fixed order, followed by unknown ones in alphabetical order. Floats are as
    short as they can be without loss; -0.0 is written as 0.0. Indentation is two spaces, lines end
    with LF, and the encoding is UTF-8.

    Raises:
        ValueError: a number is not finite, or a text is not Unicode.
    """
    text = json.dumps(_ordered_scene(data), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def dumps_prefab(data: JsonObject) -> bytes:
    """Return the content of a prefab file in the same uniform form.

    Raises:
        ValueError: a number is not finite, or a text is not Unicode.
    """
    own = {key: value for key, value in data.items() if key not in ("format", "objects")}
    ordered = {"format": data["format"], **_ordered_object(own)}
    if data.get("objects"):
        ordered["objects"] = {key: _ordered_object(item) for key, item in data["objects"].items()}
    return f"{json.dumps(ordered, indent=2, ensure_ascii=False, allow_nan=False)}\n".encode()


def save(path: Path, data: JsonObject) -> None:
    """Write a scene file at once (atomically); a file that is replaced is kept as `.bak`.

    Raises:
        OSError: it cannot be written; the old file is unchanged.
        ValueError: the data contain a value that `dumps` cannot write; the old file is unchanged.
    """
    save_content(path, dumps(data))


def save_content(path: Path, content: bytes) -> None:
    """Write the content of a scene or prefab file atomically; a replaced file is kept as `.bak`.

    Raises:
        OSError: it cannot be written; the old file is unchanged.
    """
    with atomic_file(path) as new:
        write_synced(new, content)
        if path.exists():
            atomic_write(path.with_name(f"{path.name}.bak"), path.read_bytes())


def _ordered_scene(data: JsonObject) -> JsonObject:
    ordered = _ordered(data, TOP_KEYS)
    if isinstance(data.get("settings"), dict):
        names = tuple(item.name for item in fields(SceneSettings))
        ordered["settings"] = _ordered(data["settings"], names)
    ordered["objects"] = {
        object_id: _ordered_object(entry) for object_id, entry in data["objects"].items()
    }
    return ordered


def _ordered_object(entry: JsonObject) -> JsonObject:
    ordered = _ordered(entry, OBJECT_KEYS)
    if "components" in entry:
        ordered["components"] = {
            component_id: _ordered(component, COMPONENT_KEYS)
            for component_id, component in entry["components"].items()
        }
    return ordered


def _ordered(data: JsonObject, keys: tuple[str, ...]) -> JsonObject:
    known = [key for key in keys if key in data]
    return {key: _plain(data[key]) for key in [*known, *sorted(set(data) - set(keys))]}


def _plain(value: object) -> object:
    if isinstance(value, float):
        return value + 0.0 if value != 0.0 else 0.0
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


@dataclass
class SceneDocument:
    """The content of a scene file that was checked and is valid.

    Attributes:
        id: id of the scene.
        settings: settings of the scene.
        data: the whole content, unknown keys included.
        path: path of the file.
        project: folder of the project.
        prefabs: data of the prefabs that the scene uses, by path.
        missing: files that objects name and that are missing, if it was loaded despite that.
    """

    id: str
    settings: SceneSettings
    data: JsonObject
    path: Path
    project: Path
    prefabs: dict[str, JsonObject] = field(default_factory=dict)
    missing: list[MissingFile] = field(default_factory=list)

    def unknown_keys(self) -> tuple[JsonObject, JsonObject]:
        """Return the keys of the file that Goishi does not know.

        Returns:
            Two dicts of unknown keys with their values: those of the whole file, and those of its
            `settings`.
        """
        known = {item.name for item in fields(SceneSettings)}
        settings = self.data.get("settings", {})
        return (
            {key: value for key, value in self.data.items() if key not in TOP_KEYS},
            {key: value for key, value in settings.items() if key not in known},
        )


def find_project(scene: Path) -> Path:
    """Return the project's folder of a scene file: the nearest one above with a folder `scenes`.

    Without such a folder it is the folder of the scene file.
    """
    scene = scene.resolve()
    for folder in scene.parents:
        if (folder / "scenes").is_dir():
            return folder
    return scene.parent


def load(path: Path, *, project: Path | None = None, allows_missing: bool = False) -> SceneDocument:
    """Read and check a scene file.

    Args:
        path: path of the file.
        project: folder of the project; None to find it with `find_project`.
        allows_missing: whether models, pictures and other files that objects name may be missing.
            This is for a window, in which the user sees what is missing and can mend it.

    Raises:
        SceneFileError: the file is invalid; this is its first error, `check` lists all.
    """
    document, faults = _read(path, project, allows_missing=allows_missing)
    if faults or document is None:
        raise faults[0]
    return document


def check(path: Path, *, project: Path | None = None) -> list[SceneFileError]:
    """Return all errors of a scene file; empty if it is valid.

    Args:
        path: path of the file.
        project: folder of the project; None to find it with `find_project`.
    """
    return _read(path, project)[1]


# -- reading ------------------------------------------------------------------------------------


def _read(
    path: Path, project: Path | None, *, allows_missing: bool = False
) -> tuple[SceneDocument | None, list[SceneFileError]]:
    root = project or find_project(path)
    checker = SceneChecker(path.name, root, allows_missing=allows_missing)
    data = checker.parse(path)
    if data is None:
        return None, checker.faults
    settings = checker.check_top(data)
    if checker.faults:
        return None, checker.faults
    checker.check_objects(data["objects"])
    document = SceneDocument(
        data["id"], settings, data, path, root, checker.prefabs, checker.missing
    )
    return (None if checker.faults else document), checker.faults

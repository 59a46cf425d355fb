"""Checks scene files; each error names the object, the key, and what was expected and found."""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

from base.errors import SceneFileError
from base.files import resolve_in_project
from base.schema import OptionError
from base.spelling import project_file
from base.values import JsonObject, printable
from sim.core.files.scene_json import UnreadableError, Words, read_json, wrong_values
from sim.core.files.scene_settings import SCENE_SETTINGS, SceneSettings

FORMAT = "goishi.scene/1"
PREFAB_FORMAT = "goishi.prefab/1"
MOST_HINTS = 3  # missing files for which files like them are looked for
ID_PATTERN = re.compile(r"(scn|obj|cmp)_[a-z0-9]{3,16}")
TYPE_PATTERN = re.compile(r"[a-z]+:[^\W\d]\w*|(goishi:)?scripts(\.[^\W\d]\w*)+:[^\W\d]\w*")
"""Type of a component, in Unicode's form NFKC: letters of any alphabet, as in Python's names."""
VECTORS = {"position": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0), "scale": (1.0, 1.0, 1.0)}


def is_type_name(value: object) -> bool:
    """Return whether a value has the form of a component's type, such as `scripts.x:Class`."""
    if not isinstance(value, str):
        return False
    return TYPE_PATTERN.fullmatch(unicodedata.normalize("NFKC", value)) is not None


def instance_id(object_id: str, component_id: str) -> str:
    """Return the id that a part of a prefab has in one instance; it is the same at each load.

    Args:
        object_id: id of the instance.
        component_id: id of the component, or of an object below the first one, in the prefab.
    """
    text = f"{object_id}/{component_id}"
    return f"{component_id[:3]}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


@dataclass(frozen=True)
class MissingFile:
    """A file that an object of a scene names and that is missing.

    Attributes:
        object_id: id of the object.
        key: dotted key of the path in the object's entry.
        path: the path, relative to the project.
    """

    object_id: str
    key: str
    path: str


class SceneChecker:
    """Checks one scene file and collects its errors.

    Args:
        file: name of the file, for error messages.
        project: folder of the project.
        allows_missing: whether models, pictures and other files that objects name may be missing. A
            prefab may not: what refers to its parts would be lost.

    Attributes:
        file: name of the file, for error messages.
        project: folder of the project.
        faults: the errors found.
        missing: files that are missing, if the scene may be opened without them.
        prefabs: data of the valid prefabs that the scene uses, by path.
    """

    def __init__(self, file: str, project: Path, *, allows_missing: bool = False) -> None:
        self.file = file
        self.project = project
        self.allows_missing = allows_missing
        self.faults: list[SceneFileError] = []
        self.missing: list[MissingFile] = []
        self.prefabs: dict[str, JsonObject] = {}

    def fault(self, object_id: str, key: str, expected: str, found: object) -> None:
        """Record an error.

        Args:
            object_id: id of the object; empty outside objects.
            key: key of the wrong value.
            expected: description of valid values.
            found: the wrong value.
        """
        shown = found if isinstance(found, Words) else _shown(found)
        self.faults.append(
            SceneFileError(self.file, object_id, key, expected=expected, found=str(shown))
        )

    def parse(self, path: Path) -> JsonObject | None:
        """Read the JSON object in a file and check its values; None if there is an error.

        The error is recorded.
        """
        try:
            data = read_json(path)
        except UnreadableError as error:
            self.fault("", "", error.expected, error.found)
            return None
        if not isinstance(data, dict):
            self.fault("", "", "a JSON object", data)
            return None
        # check the count before looking at every value
        return data if self._check_count(data) and self._check_values(data) else None

    def _check_count(self, data: JsonObject) -> bool:
        """Return whether the file has no more objects than its setting `max_objects` allows."""
        given = data.get("settings")
        limit: object = given.get("max_objects") if isinstance(given, dict) else None
        most = int(limit) if _is_number(limit) and limit >= 1 else SceneSettings().max_objects
        objects = data.get("objects")
        if not isinstance(objects, dict) or len(objects) <= most:
            return True
        self.fault(
            "", "objects", f"at most {most} objects (setting max_objects)", Words(f"{len(objects)}")
        )
        return False

    def _check_values(self, data: JsonObject) -> bool:
        """Return whether every value is valid JSON for scene files, see `wrong_values`."""
        count = len(self.faults)
        for path, expected, found in wrong_values(data):
            is_object = len(path) > 2 and path[0] == "objects"
            object_id, keys = (path[1], path[2:]) if is_object else ("", path)
            self.fault(printable(object_id), printable(".".join(keys))[:200], expected, found)
        return len(self.faults) == count

    def check_top(self, data: JsonObject) -> SceneSettings:
        """Check everything except the contents of objects; return the settings."""
        if data.get("format") != FORMAT:
            self.fault("", "format", repr(FORMAT), data.get("format"))
        self._check_id("", "id", data.get("id"), "scn")
        settings = self._settings(data.get("settings", {}))
        objects = data.get("objects")
        if not isinstance(objects, dict):
            self.fault("", "objects", "a map of objects by id", objects)
        return settings

    def _settings(self, given: object) -> SceneSettings:
        if not isinstance(given, dict):
            self.fault("", "settings", "a map", given)
            return SceneSettings()
        values: JsonObject = {}
        for key, option in SCENE_SETTINGS.items():
            if key in given:
                try:
                    values[key] = option.check(given[key])
                except OptionError:
                    self.fault("", f"settings.{key}", option.expectation, given[key])
        return SceneSettings(**values)

    def check_objects(
        self, objects: JsonObject, known: Iterable[str] = (), *, is_fragment: bool = False
    ) -> set[str]:
        """Check every object, then the references between them.

        Args:
            objects: data of the objects by id.
            known: ids of objects and components elsewhere, to which they may refer.
            is_fragment: whether they are a part of a scene, so that references may lead anywhere.

        Returns:
            The ids of all objects and components, those of `known` included.
        """
        ids: set[str] = {*objects, *known}
        for object_id, entry in objects.items():
            self._check_id("", f"objects.{object_id}", object_id, "obj")
            if not isinstance(entry, dict):
                self.fault(object_id, "", "a map", entry)
                continue
            self.check_object(object_id, entry)
            components = entry.get("components", {})
            for component_id in components if isinstance(components, dict) else ():
                if component_id in ids:
                    self.fault(object_id, component_id, "an id used once", component_id)
                ids.add(component_id)
        sound = {key: entry for key, entry in objects.items() if isinstance(entry, dict)}
        ids |= {item for pair in sound.items() for item in self._instance_ids(*pair)}
        walked: set[str] = set()
        for object_id, entry in sound.items():
            self._check_parent(object_id, entry, sound, walked)
            self._check_references(object_id, entry, None if is_fragment else ids)
        return ids

    def _instance_ids(self, object_id: str, entry: JsonObject) -> list[str]:
        """Return the ids of the components that an object has from its prefab."""
        path = entry.get("prefab")
        prefab = self.prefabs.get(path, {}) if isinstance(path, str) else {}
        return [instance_id(object_id, item) for item in prefab.get("components", {})]

    def check_object(self, object_id: str, entry: JsonObject) -> None:
        """Check one object's data, except references to other objects.

        Args:
            object_id: id of the object, for error messages.
            entry: its data.
        """
        name = entry.get("name", "" if "prefab" not in entry else "prefab")
        if not isinstance(name, str) or not 0 < len(name) <= 200:
            self.fault(object_id, "name", "a text of 1 to 200 characters", entry.get("name"))
        for key in VECTORS:
            value = entry.get(key, [0, 0, 0])
            is_vector = isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))
            if not is_vector:
                self.fault(object_id, key, "three finite numbers", value)
        for key in ("enabled", "visible", "casts_shadow"):
            if not isinstance(entry.get(key, True), bool):
                self.fault(object_id, key, "true or false", entry[key])
        if not _is_number(entry.get("order", 0)):
            self.fault(object_id, "order", "a number", entry["order"])
        for key in ("material", "overrides"):
            if not isinstance(entry.get(key, {}), dict):
                self.fault(object_id, key, "a map", entry[key])
        self._check_model(object_id, entry.get("model"))
        self._check_texture(object_id, entry.get("texture"))
        if "prefab" in entry:
            self.check_prefab(object_id, entry["prefab"])
        self._check_components(object_id, entry.get("components", {}))

    def _check_model(self, object_id: str, model: object) -> None:
        if model is None:
            return
        if not isinstance(model, dict) or not ("builtin" in model) ^ ("asset" in model):
            self.fault(object_id, "model", '{"builtin": name} or {"asset": path}', model)
        elif "asset" in model:
            self.check_path(object_id, "model.asset", model["asset"])
            clips = model.get("clips", [])
            if not isinstance(clips, list):
                self.fault(object_id, "model.clips", "a list of paths", clips)
                return
            for path in clips:
                self.check_path(object_id, "model.clips", path)
        elif not isinstance(model["builtin"], str):
            self.fault(object_id, "model.builtin", "a name", model["builtin"])

    def _check_texture(self, object_id: str, texture: object) -> None:
        if isinstance(texture, dict) and set(texture) == {"asset"}:
            self.check_path(object_id, "texture.asset", texture["asset"])
        elif isinstance(texture, str):
            self.check_path(object_id, "texture", texture)
        elif texture is not None:
            self.fault(object_id, "texture", 'a path or {"asset": path}', texture)

    def check_prefab(self, object_id: str, path: object) -> None:
        """Check a prefab file and keep its data in `prefabs`; a second call does nothing.

        Args:
            object_id: id of the object that uses the prefab, for error messages.
            path: path of the prefab file within the project.
        """
        full = self.check_path(object_id, "prefab", path)
        if full is None or not isinstance(path, str) or path in self.prefabs:
            return
        inner = SceneChecker(path, self.project, allows_missing=self.allows_missing)
        data = inner.parse(full)
        if data is not None and data.get("format") != PREFAB_FORMAT:
            inner.fault("", "format", repr(PREFAB_FORMAT), data.get("format"))
        elif data is not None:
            inner._check_prefab_data(data)
        self.faults.extend(inner.faults)
        self.missing += [replace(file, object_id=object_id) for file in inner.missing]
        if data is not None and not inner.faults:
            self.prefabs[path] = {key: data[key] for key in data if key != "format"}

    def _check_prefab_data(self, data: JsonObject) -> None:
        """Check the content of a prefab: its object, and the objects below it."""
        objects = data.get("objects", {})
        if not isinstance(objects, dict):
            self.fault("", "objects", "a map of objects by id", objects)
            return
        for object_id, entry in {"": data, **objects}.items():
            if isinstance(entry, dict) and "prefab" in entry:
                self.fault(object_id, "prefab", "no prefab inside a prefab", entry["prefab"])
                return
        self.check_object("", data)
        if "id" in data:
            self._check_id("", "id", data["id"], "obj")
        components = data.get("components", {})
        known = [*(components if isinstance(components, dict) else ()), str(data.get("id", ""))]
        self._check_references("", data, self.check_objects(objects, known))

    def check_path(self, object_id: str, key: str, path: object) -> Path | None:
        """Return the full path of a file in the project; record an error if it is invalid.

        Args:
            object_id: id of the object that names the file, for the error message.
            key: key of the path, for the error message.
            path: path within the project.

        Returns:
            The full path; None if it is invalid or no such file exists.
        """
        if not isinstance(path, str):
            self.fault(object_id, key, "a path", path)
            return None
        try:
            full = resolve_in_project(self.project, path)
        except ValueError as error:
            self.fault(object_id, key, str(error), path)
            return None
        try:
            is_file = full.is_file()
        except OSError:  # such as a name too long
            is_file = False
        if not is_file:
            if self.allows_missing and key != "prefab":
                self.missing.append(MissingFile(object_id, key, path))
            else:
                is_first = len(self.faults) < MOST_HINTS
                expected = project_file(self.project, path) if is_first else "a file of the project"
                self.fault(object_id, key, expected, path)
            return None
        return full

    def _check_components(self, object_id: str, components: object) -> None:
        if not isinstance(components, dict):
            self.fault(object_id, "components", "a map of components by id", components)
            return
        for component_id, entry in components.items():
            self._check_id(object_id, component_id, component_id, "cmp")
            if not isinstance(entry, dict):
                self.fault(object_id, component_id, "a map", entry)
                continue
            type_name = entry.get("type")
            if not is_type_name(type_name):
                self.fault(object_id, f"{component_id}.type", "module:Class", type_name)
            if not isinstance(entry.get("fields", {}), dict):
                self.fault(object_id, f"{component_id}.fields", "a map", entry["fields"])
            if not isinstance(entry.get("enabled", True), bool):
                self.fault(object_id, f"{component_id}.enabled", "true or false", entry["enabled"])

    def _check_parent(
        self, object_id: str, entry: JsonObject, objects: dict[str, JsonObject], walked: set[str]
    ) -> None:
        parent = entry.get("parent")
        if parent is None:
            return
        if not isinstance(parent, str) or parent not in objects:
            self.fault(object_id, "parent", "the id of an object in this file, or null", parent)
            return
        seen: dict[str, None] = {}
        item: object = object_id
        while isinstance(item, str) and item in objects and item not in walked:
            if item in seen:
                chain = list(seen)
                for member in chain[chain.index(item) :]:
                    self.fault(member, "parent", "no cycle of parents", Words("a cycle"))
                break
            seen[item] = None
            item = objects[item].get("parent")
        walked |= set(seen)  # each chain is walked once, however deep the tree

    def _check_references(self, object_id: str, entry: JsonObject, ids: set[str] | None) -> None:
        """Check the references and the paths of files in an object's fields.

        Args:
            object_id: id of the object.
            entry: its data.
            ids: what a reference may name; None for anything.
        """
        components = entry.get("components")
        for component_id, component in components.items() if isinstance(components, dict) else ():
            values = component.get("fields") if isinstance(component, dict) else None
            for name, value in values.items() if isinstance(values, dict) else ():
                self._check_value(object_id, f"{component_id}.fields.{name}", value, ids)
        overrides = entry.get("overrides")
        for key, value in overrides.items() if isinstance(overrides, dict) else ():
            self._check_value(object_id, f"overrides.{key}", value, ids)

    def _check_value(self, object_id: str, key: str, value: object, ids: set[str] | None) -> None:
        for item in value if isinstance(value, list) else [value]:
            target = item.get("$ref") if isinstance(item, dict) else None
            if isinstance(item, dict) and "$ref" in item:
                if not isinstance(target, str) or (ids is not None and target not in ids):
                    self.fault(object_id, key, "the id of an object or component", target)
            elif isinstance(item, dict) and "$asset" in item:
                self.check_path(object_id, key, item["$asset"])

    def _check_id(self, object_id: str, key: str, value: object, prefix: str) -> None:
        is_id = isinstance(value, str) and ID_PATTERN.fullmatch(value) is not None
        if not is_id or not str(value).startswith(f"{prefix}_"):
            rule = f"{prefix}_, then 3 to 16 of the letters a to z and the digits"
            self.fault(object_id, key, f"an id like {prefix}_3f9a1c77de ({rule})", value)


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False

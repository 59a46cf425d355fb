"""Scene files: read with every fault named, written canonically and atomically.

A file is data: nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from sim.core.errors import SceneFileError
from sim.core.scene import SceneSettings

if TYPE_CHECKING:
    from sim.core.scene import Scene
    from sim.core.scene_object import SceneObject

FORMAT = "goishi.scene/1"
PREFAB_FORMAT = "goishi.prefab/1"
ID_PATTERN = re.compile(r"(scn|obj|cmp)_[a-z0-9]{3,16}")
TYPE_PATTERN = re.compile(r"[a-z]+:[A-Za-z_]\w*|(goishi:)?scripts(\.[A-Za-z_]\w*)+:[A-Za-z_]\w*")
TOP_KEYS = ("format", "id", "settings", "objects")
OBJECT_KEYS = (
    "name", "prefab", "parent", "order", "enabled", "visible", "position", "rotation", "scale",
    "model", "material", "casts_shadow", "components", "overrides",
)  # fmt: skip
COMPONENT_KEYS = ("type", "enabled", "fields")
LARGEST_FILE = 64 * 1024 * 1024
DEEPEST = 64  # maps and lists inside each other
VECTORS = {"position": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0), "scale": (1.0, 1.0, 1.0)}


@dataclass
class SceneDocument:
    """A checked scene file: plain data, keys that nobody knows included."""

    id: str
    settings: SceneSettings
    data: dict[str, Any]
    path: Path
    project: Path
    prefabs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def unknown_keys(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what stands in the file, and in its settings, under keys that nobody knows."""
        known = {item.name for item in fields(SceneSettings)}
        settings = self.data.get("settings", {})
        return (
            {key: value for key, value in self.data.items() if key not in TOP_KEYS},
            {key: value for key, value in settings.items() if key not in known},
        )

    def build(self, scene: Scene) -> None:
        """Create the objects in `scene`: parents first, siblings by their order."""
        entries: dict[str, Any] = self.data["objects"]
        children: dict[str | None, list[str]] = {}
        for object_id, entry in entries.items():
            children.setdefault(entry.get("parent"), []).append(object_id)
        stack: list[str] = []
        made: dict[str, SceneObject] = {}
        taken = {item for entry in entries.values() for item in entry.get("components", {})}

        def push(parent: str | None) -> None:
            siblings = children.get(parent, [])
            stack.extend(
                sorted(siblings, key=lambda item: (entries[item].get("order", 0), item))[::-1]
            )

        push(None)
        while stack:
            object_id = stack.pop()
            entry = self._with_prefab(object_id, entries[object_id], taken)
            made[object_id] = _build_object(
                scene, object_id, entry, made.get(str(entry.get("parent")))
            )
            push(object_id)

    def _with_prefab(
        self, object_id: str, entry: dict[str, Any], taken: set[str]
    ) -> dict[str, Any]:
        prefab = self.prefabs.get(entry.get("prefab", ""))
        if prefab is None:
            return entry
        merged: dict[str, Any] = {**prefab, **{k: v for k, v in entry.items() if k != "overrides"}}
        inner: dict[str, Any] = json.loads(json.dumps(prefab.get("components", {})))
        for key, value in entry.get("overrides", {}).items():
            component_id, _, field_name = key.partition("/")
            if component_id in inner:
                inner[component_id].setdefault("fields", {})[field_name] = value
        new = {key: _instance_id(object_id, key) for key in inner if key in taken}
        for component in inner.values():
            values = component.get("fields", {})
            component["fields"] = {name: _renamed(value, new) for name, value in values.items()}
        inner = {new.get(key, key): component for key, component in inner.items()}
        taken |= set(inner)
        merged["components"] = {**inner, **entry.get("components", {})}
        return merged


def find_project(scene: Path) -> Path:
    """Return the nearest folder above the scene that holds `scenes/`; else the scene's own."""
    scene = scene.resolve()
    for folder in scene.parents:
        if (folder / "scenes").is_dir():
            return folder
    return scene.parent


def resolve_in_project(project: Path, path: str) -> Path:
    """Return the file that a project-relative POSIX path means.

    Raises:
        ValueError: it is absolute, climbs out, or leaves the project through a link.
    """
    pure = PurePosixPath(path)
    is_foreign = "\\" in path or "\0" in path or (len(path) > 1 and path[1] == ":")
    if pure.is_absolute() or ".." in pure.parts or is_foreign or not path:
        raise ValueError("a path inside the project")
    root = project.resolve()
    try:
        full = (root / pure).resolve()
    except (OSError, RuntimeError):  # a loop of links
        raise ValueError("a path inside the project") from None
    if full != root and root not in full.parents:
        raise ValueError("a path inside the project")
    return full


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
    """Return every fault of a scene file; empty when it is sound."""
    return _read(path, project)[1]


def dumps(data: dict[str, Any]) -> bytes:
    """Return the canonical bytes of a scene's data: known keys in a fixed order, then others.

    Shortest numbers that read back the same, -0.0 as 0.0, two spaces, LF, UTF-8.

    Raises:
        ValueError: a value is no finite number or no Unicode text.
    """
    text = json.dumps(_ordered_scene(data), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def save(path: Path, data: dict[str, Any]) -> None:
    """Replace a scene file atomically; the one before stays as `.bak`.

    Raises:
        OSError: it cannot be written; the old file is untouched.
        ValueError: `dumps` refuses the data; the old file is untouched.
    """
    content = dumps(data)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    backup = path.with_name(f"{path.name}.bak")
    backup_temporary = backup.with_name(f".{backup.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            backup_temporary.write_bytes(path.read_bytes())
            os.replace(backup_temporary, backup)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
        backup_temporary.unlink(missing_ok=True)


def scene_data(scene: Scene) -> dict[str, Any]:
    """Return the data of a scene as it is now, ready for `dumps`."""
    defaults = SceneSettings()
    settings = {
        item.name: getattr(scene.settings, item.name)
        for item in fields(SceneSettings)
        if getattr(scene.settings, item.name) != getattr(defaults, item.name)
        or item.name in ("fixed_dt", "seed", "on_script_error")
    } | scene.extra_settings
    objects = {obj.id: _object_data(obj) for root in scene.roots for obj in root.subtree()}
    return {
        "format": FORMAT,
        "id": scene.id,
        "settings": settings,
        "objects": objects,
        **scene.extra,
    }


# -- reading ------------------------------------------------------------------------------------


def _read(path: Path, project: Path | None) -> tuple[SceneDocument | None, list[SceneFileError]]:
    root = project or find_project(path)
    checker = _Checker(path.name, root)
    data = checker.parse(path)
    if data is None:
        return None, checker.faults
    settings = checker.check_top(data)
    if checker.faults:
        return None, checker.faults
    checker.check_objects(data["objects"])
    document = SceneDocument(data["id"], settings, data, path, root, checker.prefabs)
    return (None if checker.faults else document), checker.faults


class _Checker:
    """Collects the faults of one file."""

    def __init__(self, file: str, project: Path) -> None:
        self.file = file
        self.project = project
        self.faults: list[SceneFileError] = []
        self.prefabs: dict[str, dict[str, Any]] = {}

    def fault(self, object_id: str, key: str, expected: str, found: object) -> None:
        shown = found if isinstance(found, _Words) else _shown(found)
        self.faults.append(
            SceneFileError(self.file, object_id, key, expected=expected, found=str(shown))
        )

    def parse(self, path: Path) -> dict[str, Any] | None:
        """Return the JSON object in a file; None, with a fault, where there is none."""
        try:
            size = path.stat().st_size
            if size > LARGEST_FILE:
                self.fault(
                    "", "", f"a file up to {LARGEST_FILE >> 20} MiB", _Words(f"{size} bytes")
                )
                return None
            text = path.read_bytes().decode("utf-8")
            data = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
        except OSError as error:
            self.fault("", "", "a file that can be read", _Words(error.strerror or str(error)))
        except UnicodeDecodeError as error:
            self.fault("", "", "UTF-8 text", _Words(f"a wrong byte at {error.start}"))
        except json.JSONDecodeError as error:
            self.fault("", "", "JSON", _Words(f"{error.msg} in line {error.lineno}"))
        except RecursionError:
            self.fault("", "", "JSON of sensible depth", _Words("nesting too deep"))
        except ValueError as error:
            self.fault("", "", "plain JSON values", _Words(str(error)))
        else:
            if isinstance(data, dict):
                if not self._check_count(data):  # before anything that looks at every value
                    return None
                return data if self._check_values(data) else None
            self.fault("", "", "a JSON object", data)
        return None

    def _check_count(self, data: dict[str, Any]) -> bool:
        """Whether there are no more objects than the file's own limit, or the usual one."""
        given = data.get("settings")
        limit: Any = given.get("max_objects") if isinstance(given, dict) else None
        is_sound = _is_number(limit) and limit >= 1
        most = int(limit) if is_sound else SceneSettings().max_objects
        objects = data.get("objects")
        if not isinstance(objects, dict) or len(objects) <= most:
            return True
        self.fault(
            "", "objects", f"at most {most} objects (setting max_objects)",
            _Words(f"{len(objects)}"),
        )  # fmt: skip
        return False

    def _check_values(self, data: dict[str, Any]) -> bool:
        """Whether all values can be kept and written again: finite, of Unicode, not too deep."""
        count = len(self.faults)
        stack: list[tuple[tuple[str, ...], Any]] = [((), data)]
        while stack:
            path, value = stack.pop()
            expected = ""
            if isinstance(value, float) and not math.isfinite(value):
                expected = "a finite number"
            elif isinstance(value, str) and not _is_unicode(value):
                expected, value = "Unicode text", _Words("half a surrogate pair")
            elif isinstance(value, dict | list) and len(path) >= DEEPEST:
                expected, value = "JSON of sensible depth", _Words("nesting too deep")
            elif isinstance(value, dict):
                for key in value:
                    stack.append(((*path, "key"), key))
                    stack.append(((*path, key), value[key]))
            elif isinstance(value, list):
                stack.extend(((*path, str(index)), item) for index, item in enumerate(value))
            if expected:
                is_object = len(path) > 2 and path[0] == "objects"
                key = ".".join(path[2:] if is_object else path)
                self.fault(path[1] if is_object else "", _printable(key)[:200], expected, value)
        return len(self.faults) == count

    def check_top(self, data: dict[str, Any]) -> SceneSettings:
        """Check everything but the objects' content; return the settings."""
        if data.get("format") != FORMAT:
            self.fault("", "format", repr(FORMAT), data.get("format"))
        self._check_id("", "id", data.get("id"), "scn")
        settings = self._settings(data.get("settings", {}))
        objects = data.get("objects")
        if not isinstance(objects, dict):
            self.fault("", "objects", "a map of objects by id", objects)
        return settings

    def _settings(self, given: Any) -> SceneSettings:
        if not isinstance(given, dict):
            self.fault("", "settings", "a map", given)
            return SceneSettings()
        bounds = {
            "fixed_dt": (1e-4, 1.0), "seed": (0, 2**63 - 1), "max_objects": (1, 10_000_000),
            "script_timeout": (0.05, 3600.0),
        }  # fmt: skip
        values: dict[str, Any] = {}
        for key, (low, high) in bounds.items():
            if key not in given:
                continue
            value, whole = given[key], key in ("seed", "max_objects")
            if not _is_number(value) or not low <= value <= high or (whole and value != int(value)):
                kind = "a whole number" if whole else "a number"
                self.fault("", f"settings.{key}", f"{kind} from {low} to {high}", value)
            else:
                values[key] = int(value) if whole else float(value)
        if "on_script_error" in given:
            if given["on_script_error"] not in ("isolate", "pause", "abort"):
                self.fault("", "settings.on_script_error", "isolate, pause or abort",
                           given["on_script_error"])  # fmt: skip
            else:
                values["on_script_error"] = given["on_script_error"]
        return SceneSettings(**values)

    def check_objects(self, objects: dict[str, Any]) -> None:
        """Check every object, then what they refer to."""
        ids: set[str] = set(objects)
        for object_id, entry in objects.items():
            self._check_id("", f"objects.{object_id}", object_id, "obj")
            if not isinstance(entry, dict):
                self.fault(object_id, "", "a map", entry)
                continue
            self._check_object(object_id, entry)
            components = entry.get("components", {})
            for component_id in components if isinstance(components, dict) else ():
                if component_id in ids:
                    self.fault(object_id, component_id, "an id used once", component_id)
                ids.add(component_id)
        sound = {key: entry for key, entry in objects.items() if isinstance(entry, dict)}
        walked: set[str] = set()
        for object_id, entry in sound.items():
            self._check_parent(object_id, entry, sound, walked)
            self._check_references(object_id, entry, ids)

    def _check_object(self, object_id: str, entry: dict[str, Any]) -> None:
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
        if "prefab" in entry:
            self._check_prefab(object_id, entry["prefab"])
        self._check_components(object_id, entry.get("components", {}))

    def _check_model(self, object_id: str, model: Any) -> None:
        if model is None:
            return
        if not isinstance(model, dict) or not ("builtin" in model) ^ ("asset" in model):
            self.fault(object_id, "model", '{"builtin": name} or {"asset": path}', model)
        elif "asset" in model:
            self._check_path(object_id, "model.asset", model["asset"])
        elif not isinstance(model["builtin"], str):
            self.fault(object_id, "model.builtin", "a name", model["builtin"])

    def _check_prefab(self, object_id: str, path: Any) -> None:
        full = self._check_path(object_id, "prefab", path)
        if full is None or path in self.prefabs:
            return
        inner = _Checker(str(path), self.project)
        data = inner.parse(full)
        if data is not None and data.get("format") != PREFAB_FORMAT:
            inner.fault("", "format", repr(PREFAB_FORMAT), data.get("format"))
        elif data is not None:
            if "prefab" in data:
                inner.fault("", "prefab", "no prefab inside a prefab", data["prefab"])
            else:
                inner._check_object("", data)
                components = data.get("components", {})
                inside = set(components) if isinstance(components, dict) else set()
                inner._check_references("", data, inside)
        self.faults.extend(inner.faults)
        if data is not None and not inner.faults:
            self.prefabs[path] = {key: data[key] for key in data if key != "format"}

    def _check_path(self, object_id: str, key: str, path: Any) -> Path | None:
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
            self.fault(object_id, key, "a file of the project", path)
            return None
        return full

    def _check_components(self, object_id: str, components: Any) -> None:
        if not isinstance(components, dict):
            self.fault(object_id, "components", "a map of components by id", components)
            return
        for component_id, entry in components.items():
            self._check_id(object_id, component_id, component_id, "cmp")
            if not isinstance(entry, dict):
                self.fault(object_id, component_id, "a map", entry)
                continue
            type_name = entry.get("type")
            if not isinstance(type_name, str) or not TYPE_PATTERN.fullmatch(type_name):
                self.fault(object_id, f"{component_id}.type", "module:Class", type_name)
            if not isinstance(entry.get("fields", {}), dict):
                self.fault(object_id, f"{component_id}.fields", "a map", entry["fields"])
            if not isinstance(entry.get("enabled", True), bool):
                self.fault(object_id, f"{component_id}.enabled", "true or false", entry["enabled"])

    def _check_parent(
        self,
        object_id: str,
        entry: dict[str, Any],
        objects: dict[str, dict[str, Any]],
        walked: set[str],
    ) -> None:
        parent = entry.get("parent")
        if parent is None:
            return
        if not isinstance(parent, str) or parent not in objects:
            self.fault(object_id, "parent", "the id of an object in this file, or null", parent)
            return
        seen: dict[str, None] = {}
        item: Any = object_id
        while isinstance(item, str) and item in objects and item not in walked:
            if item in seen:
                chain = list(seen)
                for member in chain[chain.index(item) :]:
                    self.fault(member, "parent", "no cycle of parents", _Words("a cycle"))
                break
            seen[item] = None
            item = objects[item].get("parent")
        walked |= set(seen)  # each chain is walked once, however deep the tree

    def _check_references(self, object_id: str, entry: dict[str, Any], ids: set[str]) -> None:
        components = entry.get("components")
        for component_id, component in components.items() if isinstance(components, dict) else ():
            values = component.get("fields") if isinstance(component, dict) else None
            for name, value in values.items() if isinstance(values, dict) else ():
                self._check_value(object_id, f"{component_id}.fields.{name}", value, ids)
        overrides = entry.get("overrides")
        for key, value in overrides.items() if isinstance(overrides, dict) else ():
            self._check_value(object_id, f"overrides.{key}", value, ids)

    def _check_value(self, object_id: str, key: str, value: Any, ids: set[str]) -> None:
        for item in value if isinstance(value, list) else [value]:
            target = item.get("$ref") if isinstance(item, dict) else None
            if isinstance(item, dict) and "$ref" in item:
                if not isinstance(target, str) or target not in ids:
                    self.fault(object_id, key, "the id of an object or component", target)
            elif isinstance(item, dict) and "$asset" in item:
                self._check_path(object_id, key, item["$asset"])

    def _check_id(self, object_id: str, key: str, value: Any, prefix: str) -> None:
        is_id = isinstance(value, str) and ID_PATTERN.fullmatch(value) is not None
        if not is_id or not str(value).startswith(f"{prefix}_"):
            self.fault(object_id, key, f"an id like {prefix}_3f9a1c77de", value)


class _Words(str):
    """Text that stands in a message as it is."""

    __slots__ = ()


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} twice")
            seen.add(key)
    return result


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name}, which is no number")


# -- building and writing -----------------------------------------------------------------------


def _instance_id(object_id: str, component_id: str) -> str:
    """Return the id of a prefab's component in one more object, the same at each load."""
    text = f"{object_id}/{component_id}"
    return f"cmp_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _renamed(value: Any, new: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, new) for item in value]
    if isinstance(value, dict) and value.get("$ref") in new:
        return {**value, "$ref": new[value["$ref"]]}
    return value


def _build_object(
    scene: Scene, object_id: str, entry: dict[str, Any], parent: SceneObject | None
) -> SceneObject:
    obj = scene.spawn(
        entry.get("name") or Path(entry["prefab"]).name.split(".")[0],
        model=entry.get("model"),
        parent=parent,
        position=entry.get("position", VECTORS["position"]),
        rotation=entry.get("rotation", VECTORS["rotation"]),
        scale=entry.get("scale", VECTORS["scale"]),
        material=entry.get("material"),
        object_id=object_id,
    )
    obj.order = entry.get("order", 0)
    obj._enabled = entry.get("enabled", True)
    obj._visible = entry.get("visible", True)
    obj.casts_shadow = entry.get("casts_shadow", True)
    obj.extra = {key: value for key, value in entry.items() if key not in OBJECT_KEYS}
    for component_id, component in entry.get("components", {}).items():
        slot = scene.attach(obj, component["type"], dict(component.get("fields", {})), component_id)
        slot.is_enabled = component.get("enabled", True)
        slot.extra = {k: v for k, v in component.items() if k not in COMPONENT_KEYS}
    return obj


def _object_data(obj: SceneObject) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": obj.name,
        "parent": obj.parent.id if obj.parent is not None else None,
        "order": obj.order,
        "position": obj.transform.position.tolist(),
        "rotation": obj.transform.rotation.tolist(),
        "scale": obj.transform.scale.tolist(),
        **obj.extra,
    }
    for key, value, default in (
        ("enabled", obj.enabled, True),
        ("visible", obj.visible, True),
        ("casts_shadow", obj.casts_shadow, True),
        ("model", obj.model, None),
        ("material", obj.material, {}),
    ):
        if value != default:
            data[key] = value  # noqa: PERF403 - reads better
    data["components"] = {
        slot.id: {
            "type": slot.type_name,
            **({} if slot.is_enabled else {"enabled": False}),
            "fields": slot.values,
            **slot.extra,
        }
        for slot in obj.components
    }
    return data


def _ordered_scene(data: dict[str, Any]) -> dict[str, Any]:
    ordered = _ordered(data, TOP_KEYS)
    ordered["objects"] = {
        object_id: _ordered_object(entry) for object_id, entry in data["objects"].items()
    }
    return ordered


def _ordered_object(entry: dict[str, Any]) -> dict[str, Any]:
    ordered = _ordered(entry, OBJECT_KEYS)
    if "components" in entry:
        ordered["components"] = {
            component_id: _ordered(component, COMPONENT_KEYS)
            for component_id, component in entry["components"].items()
        }
    return ordered


def _ordered(data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    known = [key for key in keys if key in data]
    return {key: _plain(data[key]) for key in [*known, *sorted(set(data) - set(keys))]}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value + 0.0 if value != 0.0 else 0.0
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value

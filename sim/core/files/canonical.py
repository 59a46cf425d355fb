"""The canonical serialisation of scene files, and their atomic replacement."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from base.files import atomic_file, atomic_write, write_synced
from base.values import JsonObject
from sim.core.files.scene_settings import SceneSettings

TOP_KEYS = ("format", "id", "settings", "objects")
OBJECT_KEYS = (
    "name", "prefab", "parent", "order", "enabled", "visible", "position", "rotation", "scale",
    "model", "material", "texture", "casts_shadow", "components", "overrides",
)  # fmt: skip
COMPONENT_KEYS = ("type", "enabled", "fields")


def dumps(data: JsonObject) -> bytes:
    """Serialise a scene canonically: known keys in a fixed order, then others.

    Shortest numbers that read back the same, -0.0 as 0.0, two spaces, LF, UTF-8.

    Raises:
        ValueError: a value is no finite number or no Unicode text.
    """
    text = json.dumps(_ordered_scene(data), indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def save(path: Path, data: JsonObject) -> None:
    """Replace a scene file atomically; the old one is kept as `.bak`.

    Raises:
        OSError: it cannot be written; the old file is untouched.
        ValueError: `dumps` refuses the data; the old file is untouched.
    """
    content = dumps(data)
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

"""A scene as data for its file: unchanged entries keep their authored form."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from base.values import JsonObject
from sim.core.files.scene_checker import FORMAT
from sim.core.files.scene_file import OBJECT_KEYS
from sim.core.files.scene_settings import SceneSettings
from sim.core.scene.object_state import ComponentState, ObjectState
from sim.core.scene.scene import capture

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene, SceneObject


def scene_data(scene: Scene) -> JsonObject:
    """Return the present state of a scene as data for `dumps`.

    Loaded objects keep their authored form where unchanged; prefab instances are stored as their
    differences; a reference to a removed object is null.
    """
    settings = _settings_data(scene)
    return {
        "format": FORMAT,
        "id": scene.id,
        **({} if settings is None else {"settings": settings}),
        "objects": {obj.id: object_data(obj) for obj in _in_file_order(scene)},
        **scene.extra,
    }


def _settings_data(scene: Scene) -> JsonObject | None:
    """Return the settings; None where the file had none and none was changed."""
    authored, defaults = scene.authored_settings, SceneSettings()
    settings: JsonObject = {}
    for item in fields(SceneSettings):
        value = getattr(scene.settings, item.name)
        if authored is not None and item.name in authored:
            is_same = authored[item.name] == value
            settings[item.name] = authored[item.name] if is_same else value
        elif value != getattr(defaults, item.name) or (authored is None and item.name in USUAL):
            settings[item.name] = value
    settings |= scene.extra_settings
    return settings if settings or scene.has_settings else None


USUAL = ("fixed_dt", "seed", "on_script_error")
"""Settings that a new scene's file shows."""


def _in_file_order(scene: Scene) -> list[SceneObject]:
    """Return the objects as the file had them, new ones after them, parents first."""
    found: dict[str, SceneObject] = {}
    stack = scene.roots[::-1]
    while stack:
        obj = stack.pop()
        if obj.is_alive:  # what hangs below a destroyed one goes with it
            found[obj.id] = obj
            stack.extend(obj.children[::-1])
    authored = {key: found[key] for key in scene.authored_order if key in found}
    return list({**authored, **found}.values())


def object_data(obj: SceneObject) -> JsonObject:
    """Return an object's entry in the scene file."""
    scene, state = obj.scene, capture(obj, 0)
    authored, loaded = state.authored, state.loaded
    data: JsonObject = {}
    for key in KEYS:
        value = _value(state, key)
        if authored is not None and loaded is not None and value == _value(loaded, key):
            if key in authored:
                data[key] = authored[key]
        elif authored is not None or value != DEFAULTS.get(key, ...):
            data[key] = list(value) if isinstance(value, tuple) else value
    data |= state.extra
    if authored is not None and "prefab" in authored and loaded is not None:
        data |= _instance_data(scene, state, authored, loaded)
    else:
        was = (authored or {}).get("components", {})
        components = {item.id: _written(scene, item, was.get(item.id)) for item in state.components}
        if components or authored is None or "components" in authored:
            data["components"] = components
    return data


def _instance_data(
    scene: Scene, state: ObjectState, authored: JsonObject, loaded: ObjectState
) -> JsonObject:
    """Return what makes an object an instance of its prefab, and differs from it."""
    own: JsonObject = {}
    overrides = {
        key: _existing(scene, value) for key, value in authored.get("overrides", {}).items()
    }
    before = {item.id: item for item in loaded.components}
    for item in state.components:
        was = before.get(item.id)
        if item.prefab_id and was is not None and item.is_enabled == was.is_enabled:
            for name, value in item.values.items():
                if name not in was.values or was.values[name] != value:
                    overrides[f"{item.prefab_id}/{name}"] = _existing(scene, value)
        else:
            own[item.id] = _written(scene, item, authored.get("components", {}).get(item.id))
    data: JsonObject = {"prefab": authored["prefab"]}
    if overrides or "overrides" in authored:
        data["overrides"] = overrides
    if own or "components" in authored:
        data["components"] = own
    return data


DEFAULTS: JsonObject = {
    "enabled": True,
    "visible": True,
    "casts_shadow": True,
    "model": None,
    "material": {},
    "texture": None,
}
"""Keys that are not written while they have these values."""


KEYS = tuple(key for key in OBJECT_KEYS if key not in ("prefab", "components", "overrides"))
"""Keys of an object's entry that are attributes of its state."""


def _value(state: ObjectState, key: str) -> object:
    value = getattr(state, key)
    if key == "parent":
        return value or None
    return value if key != "texture" or isinstance(value, str) else None  # pictures are not data


def _written(scene: Scene, state: ComponentState, authored: JsonObject | None) -> JsonObject:
    """Return a component's entry; `fields` is left out where it was, and is still empty."""
    values = {name: _existing(scene, value) for name, value in state.values.items()}
    data = {
        "type": state.type_name,
        **({} if state.is_enabled else {"enabled": False}),
        "fields": values,
        **state.extra,
    }
    if authored is not None:
        if not values and "fields" not in authored:
            del data["fields"]
        if state.is_enabled and "enabled" in authored:
            data["enabled"] = True
    return data


def _existing(scene: Scene, value: object) -> object:
    """Return a field's raw value; a reference to what is gone is null."""
    if isinstance(value, list):
        return [_existing(scene, item) for item in value]
    if isinstance(value, dict) and "$ref" in value:
        target = value["$ref"]
        obj = scene.get(target)
        slot = scene.component(target)
        owner = slot.object if slot is not None else obj
        return value if owner is not None and owner.is_alive else None
    return value

"""A scene as data for its file: unchanged entries keep their authored form."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from base.values import JsonObject
from sim.core.files.scene_checker import FORMAT
from sim.core.files.scene_settings import SceneSettings

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene
    from sim.core.scene.scene_object import ComponentSlot, SceneObject


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


def snapshot(obj: SceneObject) -> JsonObject:
    """Return the present state of an object, to detect later changes."""
    return {
        **_plain_object(obj),
        "components": {slot.id: _component_data(slot, slot.values) for slot in obj.components},
    }


def object_data(obj: SceneObject) -> JsonObject:
    """Return an object's entry in the scene file."""
    now = _plain_object(obj)
    authored, before = obj.authored, obj.snapshot
    data: JsonObject = {}
    for key, value in now.items():
        if authored is not None and before is not None and value == before[key]:
            if key in authored:
                data[key] = authored[key]
        elif authored is not None or value != DEFAULTS.get(key, ...):
            data[key] = value
    data |= obj.extra
    if authored is not None and "prefab" in authored and before is not None:
        data |= _instance_data(obj, authored, before)
    else:
        was = (authored or {}).get("components", {})
        components = {slot.id: _written(slot, was.get(slot.id)) for slot in obj.components}
        if components or authored is None or "components" in authored:
            data["components"] = components
    return data


def _instance_data(obj: SceneObject, authored: JsonObject, before: JsonObject) -> JsonObject:
    """Return what makes an object an instance of its prefab, and differs from it."""
    own: JsonObject = {}
    overrides = {
        key: _existing(obj.scene, value) for key, value in authored.get("overrides", {}).items()
    }
    for slot in obj.components:
        was = before["components"].get(slot.id)
        if slot.prefab_id and was is not None and slot.is_enabled == was.get("enabled", True):
            for name, value in slot.values.items():
                if name not in was["fields"] or was["fields"][name] != value:
                    overrides[f"{slot.prefab_id}/{name}"] = _existing(obj.scene, value)
        else:
            own[slot.id] = _written(slot, authored.get("components", {}).get(slot.id))
    data: JsonObject = {"prefab": authored["prefab"]}
    if overrides or "overrides" in authored:
        data["overrides"] = overrides
    if own or "components" in authored:
        data["components"] = own
    return data


DEFAULTS: JsonObject = {
    "enabled": True, "visible": True, "casts_shadow": True, "model": None, "material": {},
    "texture": None,
}  # fmt: skip
"""Keys that are not written while they have these values."""


def _plain_object(obj: SceneObject) -> JsonObject:
    texture = obj.texture
    return {
        "name": obj.name,
        "parent": obj.parent.id if obj.parent is not None else None,
        "order": obj.order,
        "position": obj.transform.position.tolist(),
        "rotation": obj.transform.rotation.tolist(),
        "scale": obj.transform.scale.tolist(),
        "enabled": obj.enabled,
        "visible": obj.visible,
        "casts_shadow": obj.casts_shadow,
        "model": None if obj.model is None else dict(obj.model),
        "material": dict(obj.material),
        "texture": texture if isinstance(texture, str) else None,  # pictures are not data
    }


def _written(slot: ComponentSlot, authored: JsonObject | None) -> JsonObject:
    """Return a component's entry; `fields` is left out where it was, and is still empty."""
    values = {name: _existing(slot.object.scene, value) for name, value in slot.values.items()}
    data = _component_data(slot, values)
    if authored is not None:
        if not values and "fields" not in authored:
            del data["fields"]
        if slot.is_enabled and "enabled" in authored:
            data["enabled"] = True
    return data


def _component_data(slot: ComponentSlot, values: JsonObject) -> JsonObject:
    return {
        "type": slot.type_name,
        **({} if slot.is_enabled else {"enabled": False}),
        "fields": dict(values),
        **slot.extra,
    }


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

"""Converts a scene to the data of its file.

Entries of the file that were not changed are written in the form in which they were read.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from base.values import JsonObject
from sim.core.files.scene_checker import FORMAT
from sim.core.files.scene_settings import SceneSettings
from sim.core.scene.object_state import ObjectState, deep_copy

if TYPE_CHECKING:
    from sim.core.scene.scene import ComponentSlot, Scene, SceneObject


def scene_data(scene: Scene) -> JsonObject:
    """Return the present state of a scene as JSON data for its file.

    Unchanged entries of loaded objects keep the form they had in the file. A prefab instance is
    stored as its differences from the prefab. A reference to a removed object becomes null.
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
    """Return the settings for the file; None if the file had none and none was changed."""
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
"""Settings that are written to a new scene's file even if they have their default values."""


def _in_file_order(scene: Scene) -> list[SceneObject]:
    """Return the objects in the order of the loaded file; new ones follow, parents first."""
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
    authored, loaded, transform = obj.authored, obj.loaded, obj.transform
    parent = None if obj.parent is None else obj.parent.id
    vectors = (transform.position, transform.rotation, transform.scale)
    now = _attributes(obj, parent, *[values.tolist() for values in vectors])
    before: JsonObject = {}
    if authored is not None and loaded is not None:
        were = (loaded.position, loaded.rotation, loaded.scale)
        before = _attributes(loaded, loaded.parent or None, *map(list, were))
    data: JsonObject = {}
    for key, value in now.items():
        if authored is not None and before and value == before[key]:
            if key in authored:
                data[key] = authored[key]
        elif authored is not None or value != DEFAULTS.get(key, ...):
            data[key] = deep_copy(value) if isinstance(value, dict) else value
    data |= obj.extra
    if authored is not None and "prefab" in authored and loaded is not None:
        data |= _instance_data(obj, authored, loaded)
    else:
        was = (authored or {}).get("components", {})
        components = {slot.id: _written(slot, was.get(slot.id)) for slot in obj.components}
        if components or authored is None or "components" in authored:
            data["components"] = components
    return data


def _instance_data(obj: SceneObject, authored: JsonObject, loaded: ObjectState) -> JsonObject:
    """Return the keys of a prefab instance's entry: the prefab and the differences from it.

    Args:
        obj: the root object of the instance.
        authored: its entry in the loaded file.
        loaded: its state right after loading.
    """
    own: JsonObject = {}
    scene, overrides = obj.scene, authored.get("overrides", {})
    overrides = {key: _existing(scene, value) for key, value in overrides.items()}
    before = {item.id: item for item in loaded.components}
    for slot in obj.components:
        was = before.get(slot.id)
        if slot.prefab_id and was is not None and slot.is_enabled == was.is_enabled:
            for name, value in slot.values.items():
                if name not in was.values or was.values[name] != value:
                    overrides[f"{slot.prefab_id}/{name}"] = _existing(scene, value)
        else:
            own[slot.id] = _written(slot, authored.get("components", {}).get(slot.id))
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
"""Keys of an object's entry that are omitted if they have these values."""


def _attributes(
    item: SceneObject | ObjectState,
    parent: str | None,
    position: list[float],
    rotation: list[float],
    scale: list[float],
) -> JsonObject:
    """Return the part of an object's entry that holds its own attributes, such as its name.

    Args:
        item: the object or its state; its values are used without copying.
        parent: id of the parent; None for a root.
        position: position to write, metres.
        rotation: heading, pitch and roll to write, degrees.
        scale: factors to write along x, y and z.
    """
    texture = item.texture
    return {
        "name": item.name,
        "parent": parent,
        "order": item.order,
        "enabled": item.enabled,
        "visible": item.visible,
        "position": position,
        "rotation": rotation,
        "scale": scale,
        "model": item.model,
        "material": item.material,
        "texture": texture if isinstance(texture, str) else None,  # pictures are not data
        "casts_shadow": item.casts_shadow,
    }


def _written(slot: ComponentSlot, authored: JsonObject | None) -> JsonObject:
    """Return a component's entry in the scene file.

    Args:
        slot: the component.
        authored: its entry in the loaded file, whose optional keys are kept; None for none.
    """
    values = {name: _existing(slot.object.scene, value) for name, value in slot.values.items()}
    data: JsonObject = {"type": slot.type_name}
    if not slot.is_enabled or (authored is not None and "enabled" in authored):
        data["enabled"] = slot.is_enabled
    if values or authored is None or "fields" in authored:
        data["fields"] = values
    return data | slot.extra


def _existing(scene: Scene, value: object) -> object:
    """Return a field's raw value without references to removed objects.

    Args:
        scene: the scene, which knows the objects that exist.
        value: the raw value. Each reference to a removed object or component becomes None.
    """
    if isinstance(value, list):
        return [_existing(scene, item) for item in value]
    if isinstance(value, dict) and "$ref" in value:
        target = value["$ref"]
        obj = scene.get(target)
        slot = scene.component(target)
        owner = slot.object if slot is not None else obj
        return value if owner is not None and owner.is_alive else None
    return value

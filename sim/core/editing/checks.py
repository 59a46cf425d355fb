"""Checks of the arguments of edits, as strict as the reader of scene files.

Each check raises EditError, which says what was expected and what was found.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from base.errors import EditError, FieldError
from base.spelling import hint_of, one_of
from sim.core.files.scene_checker import SceneChecker, is_type_name
from sim.core.files.scene_json import Words, wrong_values
from sim.core.scene.fields import collect_fields, find_field
from sim.core.scene.object_state import ComponentState, Vector
from sim.core.scene.scene import ComponentSlot, Scene

LONGEST_NAME = 200
FARTHEST = 1e9  # metres, and degrees
SMALLEST_SCALE = 1e-6
LARGEST_SCALE = 1e6
MATERIAL_KEYS = ("color", "roughness", "metallic", "emission", "opacity")
PLACE_OF_VALUES = ("objects", "object", "components", "component", "fields")
NewComponent = str | tuple[str, Mapping[str, object]]  # a type, or one with field values


def refuse(what: str, expected: str, found: object) -> EditError:
    """Return an EditError with a text such as "Board.scale: expected …, found …".

    Args:
        what: name of the wrong value.
        expected: description of valid values.
        found: the wrong value; `Words` are shown as they are, other values as `repr`.
    """
    shown = str(found) if isinstance(found, Words) else repr(found)
    return EditError(f"{what}: expected {expected}, found {shown[:80]}")


def check_name(name: object) -> str:
    """Check the name of an object: 1 to 200 printable characters; return it."""
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        is_long = isinstance(name, str) and len(name) > LONGEST_NAME
        found = Words(f"{len(str(name))} of them") if is_long else name
        raise refuse("name", f"1 to {LONGEST_NAME} characters", found)
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name):
        raise refuse("name", "letters that can be shown", Words(ascii(name)))
    return name


def check_flag(what: str, value: object) -> bool:
    """Check that `value` is a bool; return it. `what` names it in the error message."""
    if not isinstance(value, bool):
        raise refuse(what, "True or False", value)
    return value


def check_index(value: object) -> int:
    """Check that `value` is a whole number from 0, an index among siblings; return it."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise refuse("index", "a whole number from 0", value)
    return value


def check_vector(key: str, value: Iterable[object]) -> Vector:
    """Check three numbers of a transform; return them as floats.

    Args:
        key: "position", "rotation" or "scale".
        value: the numbers.
    """
    try:
        x, y, z = (_number(item) for item in value)
    except (TypeError, ValueError, OverflowError):
        raise refuse(key, "three finite numbers", value) from None
    if not all(map(math.isfinite, (x, y, z))):
        raise refuse(key, "three finite numbers", value)
    if key == "scale":
        if not all(SMALLEST_SCALE <= abs(item) <= LARGEST_SCALE for item in (x, y, z)):
            bounds = f"{SMALLEST_SCALE:g} to {LARGEST_SCALE:g}"
            raise refuse(key, f"three factors, not 0, of {bounds}", value)
    elif not all(abs(item) <= FARTHEST for item in (x, y, z)):
        raise refuse(key, f"three numbers up to {FARTHEST:g}", value)
    return (x, y, z)


def _number(item: Any) -> float:
    if isinstance(item, bool | str | bytes):
        raise TypeError("a number")
    return float(item)


def check_look(scene: Scene, key: str, value: object) -> Any:
    """Check a model or a texture; return it in the form of the scene file.

    Args:
        scene: the scene, whose project holds the files.
        key: "model" or "texture".
        value: the model or texture; None for none.
    """
    plain = check_json(key, value)
    checker = SceneChecker("", scene.project)
    checker.check_object("", {"name": "x", key: plain})
    for fault in checker.faults:
        raise refuse(fault.key, fault.expected, Words(fault.found))
    if key == "texture" and isinstance(plain, dict):
        return plain["asset"]
    return plain


def check_material(key: object, value: object, known: Iterable[str]) -> object:
    """Check the value of a material property; return it as plain JSON.

    Args:
        key: name of the property: one of `MATERIAL_KEYS`, or one of `known`.
        value: new value; None to remove the property.
        known: further allowed names.
    """
    if not isinstance(key, str) or key not in (*MATERIAL_KEYS, *known):
        raise refuse("material", one_of(MATERIAL_KEYS, key), key)
    plain = check_json(f"material.{key}", value)
    if plain is None or key not in MATERIAL_KEYS:
        return plain
    if key == "color":
        color = plain if isinstance(plain, list) else []
        if len(color) not in (3, 4) or not all(_is_between(item, 1.0) for item in color):
            raise refuse("material.color", "3 or 4 numbers from 0 to 1", value)
    elif not _is_between(plain, 1000.0 if key == "emission" else 1.0):
        bound = "1000" if key == "emission" else "1"
        raise refuse(f"material.{key}", f"a number from 0 to {bound}", value)
    return plain


def _is_between(value: object, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value <= high


def check_type(type_name: object) -> None:
    """Check that a component's type name has the form `module:Class`."""
    if not is_type_name(type_name):
        raise refuse("component", "module:Class", type_name)


def check_components(
    scene: Scene, given: Iterable[NewComponent], make_id: Callable[[str], str]
) -> tuple[ComponentState, ...]:
    """Check descriptions of new components; return their states with new ids.

    Args:
        scene: the scene.
        given: for each component its type, or a pair of type and field values.
        make_id: returns a new id; called with the id's prefix, "cmp".
    """
    found: list[ComponentState] = []
    for item in given:
        type_name, values = (item, {}) if isinstance(item, str) else item
        check_type(type_name)
        plain = {
            _key("fields", name): check_raw(scene, name, raw) for name, raw in dict(values).items()
        }
        found.append(ComponentState(make_id("cmp"), type_name, plain))
    return tuple(found)


def check_field(scene: Scene, slot: ComponentSlot, name: str, raw: object) -> object:
    """Check a value for a component's field; return it as plain JSON.

    Args:
        scene: the scene.
        slot: the component.
        name: name of the field.
        raw: the value in the form of the scene file.

    Raises:
        FieldError: the script has no such field, or the value does not fit it.
        EditError: the value cannot be stored in a scene file.
    """
    if not isinstance(name, str) or not name:
        raise refuse(slot.class_name, "the name of a field", name)
    what = f"{slot.class_name}.{name}"
    plain = check_raw(scene, what, raw)
    if slot.instance is not None:
        declared = find_field(type(slot.instance), name)
        if declared is None:
            hint = hint_of(collect_fields(type(slot.instance)), name)
            raise FieldError(what, expected="a field", found=f"none{hint}")
        declared.parse(plain, slot.resolve_reference)
    return plain


def check_raw(scene: Scene, what: str, raw: object) -> object:
    """Check that the references and files named in a field's value exist; return it as plain JSON.

    Args:
        scene: the scene.
        what: name of the field, for the error message.
        raw: the value in the form of the scene file.
    """
    plain = check_json(what, raw)
    for item in plain if isinstance(plain, list) else [plain]:
        target = item.get("$ref") if isinstance(item, dict) else None
        if isinstance(item, dict) and "$ref" in item:
            is_known = isinstance(target, str) and (
                target in scene.objects or scene.component(target) is not None
            )
            if not is_known:
                raise refuse(what, "the id of an object or component", target)
        elif isinstance(item, dict) and "$asset" in item:
            checker = SceneChecker("", scene.project)
            checker.check_path("", what, item["$asset"])
            for fault in checker.faults:
                raise refuse(what, fault.expected, Words(fault.found))
    return plain


def check_json(what: str, value: object) -> object:
    """Return a copy of a value as plain JSON; tuples and arrays become lists.

    Args:
        what: name of the value, for the error message.
        value: the value; anything that JSON cannot store raises EditError.
    """
    plain = _plain(what, value, 0)
    nested = plain
    for key in (what, *reversed(PLACE_OF_VALUES)):
        nested = {key: nested}
    for _, expected, found in wrong_values(nested):
        raise refuse(what, expected, found)
    return plain


def _plain(what: str, value: object, depth: int) -> object:
    if depth > LONGEST_NAME:
        raise refuse(what, "JSON of sensible depth", Words("nesting too deep"))
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(what, item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_key(what, key): _plain(what, item, depth + 1) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise refuse(what, "plain JSON values", value)


def _key(what: str, key: object) -> str:
    if not isinstance(key, str):
        raise refuse(what, "texts as keys", key)
    return key

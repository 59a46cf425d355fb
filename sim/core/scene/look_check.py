"""Warnings about an object's model and material: misspelt names, values out of range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from base.spelling import one_of
from sim.core.geometry.builtin_models import WRONG_NUMBERS, ModelRegistry

MATERIAL_KEYS: Final = (
    "color", "roughness", "metallic", "emission", "opacity", "unlit", "layer",
)  # fmt: skip
LAST_LAYER: Final = 1000
MOST: Final = {"roughness": 1.0, "metallic": 1.0, "opacity": 1.0, "emission": 1000.0}
"""Largest value of each number of a material; the smallest is 0."""


def look_faults(
    model: Mapping[str, object], material: Mapping[str, object], models: ModelRegistry
) -> list[str]:
    """Return a warning for each faulty key: what was expected and what was found.

    Args:
        model: model in the form of the scene file.
        material: material in the form of the scene file.
        models: registry of the scene's models.
    """
    found = _model_faults(model, models) if "builtin" in model else []
    if model and ("builtin" in model) == ("asset" in model):
        found = [f"model: expected either builtin or asset, found {', '.join(map(str, model))}"]
    for key in material:
        if key not in MATERIAL_KEYS:
            found.append(f"material: expected the keys {', '.join(MATERIAL_KEYS)}, found {key!r}")
    if "color" in material and not _is_color(material["color"]):
        value = material["color"]
        found.append(f"material.color: expected three numbers from 0 to 1, found {value!r:.60}")
    for key, most in MOST.items():
        if key in material and not _is_number(material[key], 0.0, most):
            expected = f"a number from 0 to {most:g}"
            found.append(f"material.{key}: expected {expected}, found {material[key]!r:.60}")
    if "layer" in material and not _is_number(material["layer"], -LAST_LAYER, LAST_LAYER):
        expected = f"a whole number from {-LAST_LAYER} to {LAST_LAYER}"
        found.append(f"material.layer: expected {expected}, found {material['layer']!r:.60}")
    return found


def look_errors(
    model: Mapping[str, object], material: Mapping[str, object], models: ModelRegistry
) -> list[str]:
    """Return the texts of `look_faults`, and why a built-in model cannot be made of its numbers.

    Args:
        model: model in the form of the scene file.
        material: material in the form of the scene file.
        models: registry of the scene's models.
    """
    found = look_faults(model, material, models)
    kind = models.kind(model.get("builtin"))
    if kind is not None:
        try:
            kind.values(model)
            if not kind.drawn_as:
                kind.made(model)
        except WRONG_NUMBERS as error:
            expected = "expected the keys of docs/scene_format.md"
            found.append(f"model: {expected}, found {dict(model)!s:.500}: {error}")
    return found


def _model_faults(model: Mapping[str, object], models: ModelRegistry) -> list[str]:
    name = model["builtin"]
    kind = models.kind(name)
    if kind is None:
        return [f"model: expected {one_of(sorted(models.names), name)}, found {name!r:.60}"]
    keys = (*kind.keys, *(["origin"] if kind.has_origin else []))
    words = ", ".join(keys) or "none"
    return [
        f"model: expected the keys {words} beside builtin {name}, found {key!r}"
        for key in model
        if key != "builtin" and key not in keys
    ]


def _is_color(value: Any) -> bool:
    if not hasattr(value, "__len__") or isinstance(value, str) or len(value) not in (3, 4):
        return False
    return all(_is_number(share, 0.0, 1.0) for share in value)


def _is_number(value: Any, least: float, most: float) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return math.isfinite(number) and least <= number <= most

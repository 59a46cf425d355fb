"""Says what does not fit in an object's model and material: misspelt names, values out of range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

MODEL_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "bar": ("length", "width", "height"), "bowl": ("color",), "box": ("size",),
    "capsule": ("radius", "height"), "counter": ("radius", "height"),
    "cross": ("radius", "tube"), "cylinder": ("radius", "height"), "disc": ("radius",),
    "goban": ("size", "labels", "cells"), "lathe": ("profile", "sides", "smooth"),
    "plane": ("size",), "points": ("size", "glow"), "rack": ("columns", "rows"),
    "ring": ("radius", "width"), "sphere": ("radius",), "stone": ("color",), "table": (),
    "text": ("text", "size", "depth", "align"), "torus": ("radius", "tube"),
}  # fmt: skip
"""The built-in models, and the keys that each has beside `builtin`."""
MATERIAL_KEYS: Final = ("color", "roughness", "emission", "opacity", "unlit", "layer")
UP_TO_ONE: Final = ("roughness", "opacity")


def look_faults(model: Mapping[str, Any], material: Mapping[str, Any]) -> list[str]:
    """Return what does not fit, a line each: the key, what was expected, what was found."""
    found = _model_faults(model) if "builtin" in model else []
    if model and ("builtin" in model) == ("asset" in model):
        found = [f"model: expected either builtin or asset, found {', '.join(map(str, model))}"]
    for key in material:
        if key not in MATERIAL_KEYS:
            found.append(f"material: expected the keys {', '.join(MATERIAL_KEYS)}, found {key!r}")
    if "color" in material and not _is_color(material["color"]):
        value = material["color"]
        found.append(f"material.color: expected three numbers from 0 to 1, found {value!r:.60}")
    for key in UP_TO_ONE:
        if key in material and not _is_share(material[key]):
            found.append(
                f"material.{key}: expected a number from 0 to 1, found {material[key]!r:.60}"
            )
    return found


def _model_faults(model: Mapping[str, Any]) -> list[str]:
    name = model["builtin"]
    known = MODEL_KEYS.get(name) if isinstance(name, str) else None
    if known is None:
        return [f"model: expected one of {', '.join(MODEL_KEYS)}, found {name!r:.60}"]
    words = ", ".join(known) or "none"
    return [
        f"model: expected the keys {words} beside builtin {name}, found {key!r}"
        for key in model
        if key != "builtin" and key not in known
    ]


def _is_color(value: Any) -> bool:
    return (
        hasattr(value, "__len__")
        and not isinstance(value, str)
        and len(value) in (3, 4)
        and all(map(_is_share, value))
    )


def _is_share(value: Any) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return False
    return math.isfinite(number) and 0.0 <= number <= 1.0


__all__ = ["MATERIAL_KEYS", "MODEL_KEYS", "look_faults"]

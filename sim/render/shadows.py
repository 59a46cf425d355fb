"""Soft shadows: a dark spot below what stands or floats above a surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from panda3d.core import ColorBlendAttrib

from sim.render.geometry import plane

SIZES = {"stone": 1.5, "bowl": 4.3, "sphere": 1.6, "box": 2.0, "cylinder": 1.8,
         "torus": 1.05, "cross": 1.15}  # fmt: skip


def make_shadow(
    root: Any, shader: Any, model: Mapping[str, Any], *, reach: float = 0.0
) -> Any | None:
    """Return the shadow of a model, below `root`; None for one that casts none.

    Args:
        root: of the scene's nodes.
        shader: that draws shadows.
        model: of the object.
        reach: metres that a model from a file covers.
    """
    name = str(model.get("builtin"))
    if name == "goban":
        size = (int(model.get("size", 15)) + 0.9) * 1.62
    elif name in SIZES:
        size = SIZES[name]
    elif reach > 0.0:
        size = reach * 1.5
    else:
        return None
    shadow = root.attach_new_node(plane(size, size).node("shadow"))
    shadow.set_shader(shader, 10)
    shadow.set_attrib(ColorBlendAttrib.make(
        ColorBlendAttrib.M_add, ColorBlendAttrib.O_incoming_alpha,
        ColorBlendAttrib.O_one_minus_incoming_alpha))  # fmt: skip
    shadow.set_depth_write(False)
    shadow.set_depth_offset(2)
    shadow.set_bin("fixed", 5)
    return shadow

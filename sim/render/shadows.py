"""Soft shadows: a dark spot below what stands or floats above a surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from panda3d.core import ColorBlendAttrib

from sim.render.geometry import plane

SHADOW_HEIGHT = 0.006  # metres above what it falls on
SIZES = {"stone": 1.5, "bowl": 4.3, "sphere": 1.6, "box": 2.0, "cylinder": 1.8}


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


class Ground:
    """Where shadows fall: on boards, and else on the table.

    Attributes:
        table_height: metres.
        sun_to: the direction `[3]` towards the sun, of unit length.
    """

    def __init__(self) -> None:
        self.table_height = 0.0
        self.sun_to = np.array([-0.62, 0.36, 0.7])
        self._boards: dict[str, tuple[float, float, float, float]] = {}  # x, y, z, half a side

    def add_board(self, object_id: str, model: Mapping[str, Any], place: Any) -> None:
        """Let shadows fall on a board that stands at `place`, metres."""
        x, y, z = map(float, place)
        size = model.get("size", 15)
        self._boards[object_id] = (x, y, z, (size if isinstance(size, int) else 15) / 2 + 0.45)

    def remove_board(self, object_id: str) -> None:
        """Forget a board, if it is one."""
        self._boards.pop(object_id, None)

    def cast(self, shadow: Any, world: Any, *, is_on_table: bool) -> None:
        """Put the shadow of an object with that world matrix where it falls."""
        ground = self.table_height if is_on_table else self._below(world[3, :3])
        height = 0.0 if is_on_table else max(0.0, float(world[3, 2]) - ground)
        drift = self.sun_to[:2] / max(0.2, self.sun_to[2])
        x, y = world[3, :2] - drift * (height + 0.10)
        shadow.set_pos(float(x), float(y), ground + SHADOW_HEIGHT)
        shadow.set_scale(1.0 + 0.25 * min(height, 4.0))
        shadow.set_shader_input("strength", 0.85 / (1.0 + 1.1 * height))

    def _below(self, point: Any) -> float:
        """Return the height of the surface that a shadow falls on."""
        for x, y, z, extent in self._boards.values():
            is_over = max(abs(point[0] - x), abs(point[1] - y)) <= extent
            if is_over and point[2] > z - 0.05:
                return z
        return self.table_height


__all__ = ["Ground", "make_shadow"]

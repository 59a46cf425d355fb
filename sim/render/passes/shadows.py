"""Soft shadows without a sun: a dark spot below objects that stand on or float above a surface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from panda3d.core import ColorBlendAttrib, NodePath, Shader

from sim.core.geometry.builtin_models import Model, ModelRegistry
from sim.core.geometry.meshes import plane
from sim.core.geometry.rotations import FloatArray
from sim.render.materials import shaders
from sim.render.models.models import node_of, panda_matrices

MOST_KEPT = 64
SHADOW_PRIORITY = 10  # of the shader, which the scene's does not replace
SUNK = 0.05  # metres below a surface: such an object, a floor for one, casts no shadow on it
HIDDEN = 1e-6  # strength of a shadow that is not seen
SHADOW_HEIGHT = 0.006  # metres above what it falls on


class Shadows:
    """Creates the nodes of soft shadows; shadows of the same size share a mesh.

    Args:
        root: root of the scene's nodes.
        models: registry of the scene's models.
    """

    def __init__(self, root: NodePath, models: ModelRegistry) -> None:
        self._root = root
        self._models = models
        self._shader = Shader.make(Shader.SL_GLSL, shaders.SHADOW_VERTEX, shaders.SHADOW_FRAGMENT)
        self._made: dict[float, NodePath] = {}  # by size

    def make(self, model: Model, *, reach: float | None = None) -> NodePath | None:
        """Create the node of a model's soft shadow; None if the model casts none.

        Args:
            model: model of the object.
            reach: diameter of a model from a file, metres, 0 for one that casts none; None for a
                built-in model.
        """
        if reach is not None:
            return self._spread(reach * 1.5) if reach > 0.0 else None
        kind = self._models.kind(model.get("builtin"))
        size = 0.0 if kind is None else kind.shadow_of(model)
        if size <= 0.0:
            return None
        if size not in self._made:
            if len(self._made) >= MOST_KEPT:
                self._made.clear()
            self._made[size] = self._spread(size)
            self._made[size].detach_node()
        return self._made[size].copy_to(self._root)

    def _spread(self, size: float) -> NodePath:
        shadow = self._root.attach_new_node(node_of(plane(size, size), "shadow"))
        shadow.set_shader(self._shader, SHADOW_PRIORITY)
        blend = ColorBlendAttrib
        rest = blend.O_one_minus_incoming_alpha
        shadow.set_attrib(blend.make(blend.M_add, blend.O_incoming_alpha, rest))
        shadow.set_depth_write(False)
        shadow.set_depth_offset(2)
        shadow.set_bin("fixed", 5)
        return shadow


class Shaded(Protocol):
    """An object's view that casts a soft shadow.

    Attributes:
        shadow: node of the shadow.
        surface: half the side of the square that receives shadows, metres; None if it has none.
    """

    shadow: NodePath
    surface: float | None


class Ground:
    """The surfaces on which soft shadows fall: tops of certain models, and the table elsewhere.

    Attributes:
        table_height: height of the table's top, metres.
        sun_to: unit vector `[3]` towards the sun.
    """

    def __init__(self) -> None:
        self.table_height = 0.0
        self.sun_to = np.array([-0.62, 0.36, 0.7])
        self._surfaces: dict[str, tuple[float, float, float, float]] = {}  # x, y, z, half a side

    def add_surface(self, object_id: str, half: float, place: FloatArray) -> None:
        """Add an object's top as a square that receives shadows.

        Args:
            object_id: id of the object.
            half: half the side of the square, metres.
            place: `[3]` centre of the square, metres.
        """
        x, y, z = map(float, place)
        self._surfaces[object_id] = (x, y, z, half)

    def remove_surface(self, object_id: str) -> None:
        """Remove an object's surface, if it has one."""
        self._surfaces.pop(object_id, None)

    def cast(self, views: Sequence[Shaded], worlds: FloatArray) -> None:
        """Place the shadows of objects on the surfaces below them.

        Args:
            views: n views of objects, each with its shadow.
            worlds: `[n, 4, 4]` world matrices of the objects.
        """
        is_on_table = np.array([view.surface is not None for view in views])
        matrices = panda_matrices(self.places(worlds, is_on_table))
        for number, view in enumerate(views):
            view.shadow.set_mat(matrices[number])

    def places(self, worlds: FloatArray, is_on_table: npt.NDArray[np.bool_]) -> FloatArray:
        """Return the world matrices `[n, 4, 4]` of the shadows of objects.

        Args:
            worlds: `[n, 4, 4]` world matrices of the objects.
            is_on_table: `[n]` whether each object's shadow falls on the table.
        """
        points = worlds[:, 3, :3]
        ground = np.where(is_on_table, self.table_height, self._below(points))
        away = points[:, 2] - ground
        height = np.where(is_on_table, 0.0, np.maximum(0.0, away))
        is_below = ~is_on_table & (away < -SUNK)
        drift = self.sun_to[:2] / max(0.2, self.sun_to[2])
        places = np.zeros((len(worlds), 4, 4))
        places[:, 0, 0] = places[:, 1, 1] = 1.0 + 0.25 * np.minimum(height, 4.0)
        strength = np.where(is_below, HIDDEN, 0.85 / (1.0 + 1.1 * height))
        places[:, 2, 2] = strength  # which the shader takes
        places[:, 3, :2] = points[:, :2] - drift * (height + 0.10)[:, None]
        places[:, 3, 2] = ground + SHADOW_HEIGHT
        places[:, 3, 3] = 1.0
        return places

    def _below(self, points: FloatArray) -> FloatArray:
        """Return the heights `[n]` of the surfaces on which shadows fall, metres.

        Args:
            points: `[n, 3]` positions of the objects that cast them.
        """
        found = np.full(len(points), self.table_height)
        for x, y, z, extent in reversed(self._surfaces.values()):
            away = np.maximum(np.abs(points[:, 0] - x), np.abs(points[:, 1] - y))
            found[(away <= extent) & (points[:, 2] > z - 0.05)] = z
        return found

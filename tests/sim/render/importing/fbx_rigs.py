"""Small rigs that the tests write as FBX files: bones, shells with skins, clips."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Bone:
    """A node of the scene: Null, LimbNode or Mesh."""

    name: str
    parent: str = ""
    kind: str = "LimbNode"
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    inherit: int = 1  # 0 RrSs, 1 RSrs (usual), 2 Rrs (without the parent's scale)
    is_visible: bool = True


@dataclass
class Shell:
    """The mesh of a node.

    Attributes:
        skins: of each skin deformer, `{bone: {vertex: weight}}`.
        shapes: `{name: {vertex: offset}}`.
        slot: property of the material that the picture is for.
        paint: values of the material: name, type and number of each.
    """

    node: str
    points: list[tuple[float, float, float]]
    faces: list[list[int]]
    skins: list[dict[str, dict[int, float]]] = field(default_factory=list)
    shapes: dict[str, dict[int, tuple[float, float, float]]] = field(default_factory=dict)
    picture: bytes = b""
    picture_name: str = ""
    slot: str = "DiffuseColor"
    paint: list[tuple[str, str, float]] = field(default_factory=list)


Curves = dict[tuple[str, str], list[tuple[float, tuple[float, float, float]]]]
"""Keys `(seconds, x y z)` by (node, "T" | "R" | "S"); by (shape, "D") the weight is x, percent."""


@dataclass
class Rig:
    """A whole file."""

    bones: list[Bone]
    shells: list[Shell]
    clips: dict[str, Curves] = field(default_factory=dict)
    unit: float = 1.0  # centimetres
    up: int = 1  # axis: 0 x, 1 y, 2 z

    def bone(self, name: str) -> Bone:
        return next(bone for bone in self.bones if bone.name == name)

    def world(self, name: str) -> np.ndarray:
        """Return a node's rest matrix, row vectors, without scale modes."""
        bone = self.bone(name)
        local = local_matrix(bone.position, bone.rotation, bone.scale)
        return local @ self.world(bone.parent) if bone.parent else local


def local_matrix(position: Any, rotation: Any, scale: Any) -> np.ndarray:
    """Return a matrix for row vectors from FBX's values: x is turned first, then y, then z."""
    result = np.eye(4)
    result[:3, :3] = np.diag(scale) @ turn(rotation)
    result[3, :3] = position
    return result


def turn(degrees: Any) -> np.ndarray:
    x, y, z = np.radians(degrees)
    about_x = np.array([[1, 0, 0], [0, np.cos(x), np.sin(x)], [0, -np.sin(x), np.cos(x)]])
    about_y = np.array([[np.cos(y), 0, -np.sin(y)], [0, 1, 0], [np.sin(y), 0, np.cos(y)]])
    about_z = np.array([[np.cos(z), np.sin(z), 0], [-np.sin(z), np.cos(z), 0], [0, 0, 1]])
    return np.asarray(about_x @ about_y @ about_z)

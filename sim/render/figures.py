"""Models from files as they are drawn: nodes that follow the poses of `sim.core.animation`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import (
    BamFile,
    Filename,
    LMatrix4f,
    NodePath,
    OmniBoundingVolume,
    PandaNode,
    TransformState,
    TransparencyAttrib,
)

from sim.core.animation.poses import FloatArray
from sim.core.assets import MODEL_NAME, AssetError

SURFACE_DEFAULTS = {"color": [0.8, 0.8, 0.8], "opacity": 1.0, "roughness": 0.5, "emission": 0.0}
LINEAR = 2.2  # the exponent of the shader's sRGB


@dataclass(frozen=True)
class FigureSource:
    """A model as it was read from the cache: copied for each object that shows it."""

    root: Any


def read_figure(folder: Path) -> FigureSource:
    """Read a model's nodes; called in a thread of the asset library.

    Raises:
        AssetError: the file in the cache is none.
    """
    file = BamFile()
    path = Filename.from_os_specific(str(folder / MODEL_NAME))
    node = file.read_node() if file.open_read(path) else None
    if node is None:
        raise AssetError(f"expected a model in the cache, found none in {folder}")
    file.close()
    return FigureSource(NodePath(node))


class Figure:
    """One object's copy of a model.

    Attributes:
        node: what is drawn.
        revision: of the pose that is seen.
    """

    def __init__(self, source: FigureSource, blank: Any, material: Mapping[str, Any]) -> None:
        self.node = NodePath("object")
        self.revision = -1
        body = source.root.copy_to(self.node)
        self._carriers = [
            (int(part.get_tag("joint")), part) for part in body.find_all_matches("**/=joint")
        ]
        self._bones: list[tuple[int, Any]] = []
        self._sliders: list[tuple[int, Any]] = []
        self._bundles: list[Any] = []
        for character in body.find_all_matches("**/+Character"):
            self._take_over(character)
        is_glass = False
        for part in body.find_all_matches("**/+GeomNode"):
            is_glass = dress(part, blank, material) or is_glass
        if is_glass:
            self.node.set_transparency(TransparencyAttrib.M_alpha)
            self.node.set_bin("transparent", 10)

    def _take_over(self, character: Any) -> None:
        node = character.node()
        node.set_bounds(OmniBoundingVolume())  # where it is drawn is where its joints are
        node.set_final(True)
        bundle = node.get_bundle(0)
        for number, joint in enumerate(json.loads(character.get_tag("joints"))):
            control = PandaNode(f"b{number}")
            bundle.control_joint(f"b{number}", control)
            self._bones.append((int(joint), control))
        for slider in json.loads(character.get_tag("sliders")):
            control = PandaNode(f"s{slider}")
            bundle.control_joint(f"s{slider}", control)
            self._sliders.append((int(slider), control))
        self._bundles.append(bundle)

    def pose(self, matrices: FloatArray, weights: FloatArray) -> None:
        """Show a pose.

        Args:
            matrices: `[J, 4, 4]` from each joint to the model's space.
            weights: `[S]` of the blend shapes.
        """
        rows = matrices.reshape(len(matrices), 16).tolist()
        for joint, part in self._carriers:
            part.set_mat(LMatrix4f(*rows[joint]))
        for joint, control in self._bones:
            control.set_transform(TransformState.make_mat(LMatrix4f(*rows[joint])))
        for slider, control in self._sliders:
            place = (float(weights[slider]), 0.0, 0.0)
            control.set_transform(TransformState.make_pos(place))
        for bundle in self._bundles:
            bundle.force_update()


def dress(part: Any, blank: Any, material: Mapping[str, Any]) -> bool:
    """Give a mesh its look, with an object's material over the file's; tell if it is see-through."""
    look = {**SURFACE_DEFAULTS, **json.loads(part.get_tag("surface") or "{}")}
    has_picture = bool(look.get("picture")) and part.has_texture()
    color = np.asarray(look["color"], dtype=np.float64)
    if "color" in material:
        color = np.asarray(material["color"], dtype=np.float64)[:3] ** LINEAR
    opacity = float(look["opacity"]) * float(material.get("opacity", 1.0))
    part.set_shader_input("tint", (*color.tolist(), opacity))
    rough = float(material.get("roughness", look["roughness"]))
    glow = float(material.get("emission", look["emission"]))
    part.set_shader_input("surface", (rough, 0.0, glow, 1.0 if has_picture else 0.0))
    part.set_shader_input("picture", part.get_texture() if has_picture else blank)
    return opacity < 1.0 or bool(look.get("cut"))


__all__ = ["Figure", "FigureSource", "read_figure"]

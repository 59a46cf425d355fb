"""Models: from an object's `model` and `material` to a Panda3D node that can be drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import NodePath, TransparencyAttrib

from sim.core.geometry import meshes
from sim.core.geometry.builtin_models import BUILDERS
from sim.render.materials import textures
from sim.render.materials.texture_upload import fill_texture, make_texture
from sim.render.models.geometry import node_of
from sim.render.models.lettering import letters

Picture = npt.NDArray[np.uint8]
LOOKS: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    # sRGB colour; roughness, clear coat, emission
    "stone black": ((0.115, 0.118, 0.125), (0.34, 0.6, 0.0)),
    "stone white": ((0.93, 0.915, 0.88), (0.3, 0.55, 0.0)),
    "bowl": ((0.30, 0.155, 0.085), (0.42, 0.4, 0.0)),
    "goban": ((1.0, 1.0, 1.0), (0.5, 0.16, 0.0)),
    "table": ((1.0, 1.0, 1.0), (0.55, 0.12, 0.0)),
    "rack": ((0.09, 0.24, 0.66), (0.34, 0.35, 0.0)),
    "counter": ((0.85, 0.16, 0.12), (0.36, 0.35, 0.0)),
    "": ((0.8, 0.8, 0.8), (0.5, 0.0, 0.0)),
}
SHADOW_ORDER = 5  # of what is drawn last, in a fixed order: shadows, then see-through layers
UNKNOWN: dict[str, Any] = {"builtin": "box", "size": [0.6, 0.6, 0.6]}
WAITING_MATERIAL: dict[str, Any] = {"color": [0.55, 0.56, 0.58], "roughness": 0.9}


class ModelShop:
    """Makes nodes; meshes and textures are made once and shared."""

    def __init__(self) -> None:
        self._nodes: dict[str, Any] = {}
        self._textures: dict[str, Any] = {}
        blank = np.full((1, 1, 3), 255, dtype=np.uint8)
        self.blank = make_texture("blank", blank)

    def make(
        self, model: Mapping[str, Any], material: Mapping[str, Any], picture: Picture | None = None
    ) -> Any:
        """Return a node path for a model with a material, not yet in any scene.

        Args:
            model: `{"builtin": name, …}`.
            material: `color`, `roughness`, `emission`, `opacity`, `unlit`, `layer`, each optional.
            picture: laid over it, `[h, w, 3|4]` uint8 in OpenCV's order BGR(A).
        """
        model = dict(model)
        key = json.dumps(model, sort_keys=True)
        if key not in self._nodes:
            self._nodes[key] = self._build(model)
        root = NodePath("object")
        body = self._nodes[key].copy_to(root)
        if material:
            _, look = _look_of(model)
            for part in body.find_all_matches("**/+GeomNode"):
                self._dress(part, look, material)
        if picture is not None:
            self._cover(body, _look_of(model)[1], material, picture)
        is_cut_out = picture is not None and picture.shape[2] == 4
        if material.get("opacity", 1.0) < 1.0 or is_cut_out:
            root.set_transparency(TransparencyAttrib.M_alpha)
            root.set_bin("transparent", 10)
            if "layer" in material:
                root.set_bin("fixed", SHADOW_ORDER + 1 + int(material["layer"]))
            root.set_depth_write(not is_cut_out)
        return root

    def placeholder(self) -> Any:
        """Return a box that stands for a model that is being loaded."""
        return self.make(UNKNOWN, WAITING_MATERIAL)

    def _cover(self, body: Any, look: str, material: Mapping[str, Any], picture: Picture) -> None:
        texture = cover_texture(picture)
        white = {"color": [1.0, 1.0, 1.0], **material}
        for part in body.find_all_matches("**/+GeomNode"):
            self._dress(part, look, white)
            part.set_shader_input("picture", texture)
            part.set_shader_input("surface", (*_surface(look, material), 1.0))

    def _build(self, model: dict[str, Any]) -> Any:
        name, look = _look_of(model)
        root = NodePath(name or "model")
        if name == "goban":
            self._build_board(root, model)
        elif name == "table":
            body = root.attach_new_node(node_of(meshes.plane(*meshes.TABLE_SIZE), "table"))
            self._dress(body, look, {})
            self._paint(
                body, look, "table", lambda: textures.wood(1024, 1024, 4, dark=True), repeat=5.0
            )
        else:
            builder = letters if name == "text" else BUILDERS.get(name)
            known = model if builder is not None else UNKNOWN
            build = builder or BUILDERS["box"]
            body = root.attach_new_node(node_of(build(known), name))
            self._dress(body, look, {} if builder else {"color": [0.9, 0.1, 0.7]})
            if name == "bowl":
                self._fill_bowl(root, str(model.get("color", "black")))
        return root

    def _build_board(self, root: Any, model: dict[str, Any]) -> None:
        mesh, size = BUILDERS["goban"](model), int(model.get("size", 15))
        labels, cells = bool(model.get("labels", True)), bool(model.get("cells", False))
        body = root.attach_new_node(node_of(mesh, "board"))
        self._dress(body, "goban", {})
        self._paint(
            body, "goban", f"board {size} {labels} {cells}",
            lambda: textures.board(size, labels=labels, cells=cells),
        )  # fmt: skip

    def _fill_bowl(self, root: Any, color: str) -> None:
        for x, y, z, pitch, roll in meshes.heap():
            body = root.attach_new_node(node_of(meshes.stone(), "stone"))
            body.set_pos_hpr(x, y, z - 0.02, 0.0, pitch, roll)
            self._dress(body, f"stone {color}", {})

    def _paint(
        self, body: Any, look: str, key: str, paint: Callable[[], Picture], *, repeat: float = 1.0
    ) -> None:
        if key not in self._textures:
            picture = textures.cached(key.replace(" ", "-"), paint) if key == "table" else paint()
            self._textures[key] = make_texture(key, picture)
        body.set_shader_input("picture", self._textures[key])
        _, (rough, coat, glow) = LOOKS[look]
        body.set_shader_input("surface", (rough, coat, glow, repeat))

    def _dress(self, body: Any, look: str, material: Mapping[str, Any]) -> None:
        color, _ = LOOKS.get(look, LOOKS[""])
        chosen = [float(value) for value in material.get("color", color)][:3]
        linear = [value**2.2 for value in chosen]
        opacity = float(material.get("opacity", 1.0))
        body.set_shader_input("tint", (*linear, opacity))
        body.set_shader_input("surface", (*_surface(look, material), 0.0))
        body.set_shader_input("picture", self.blank)


def repaint(node: Any, picture: Picture) -> None:
    """Put new pixels into the texture of a node that `ModelShop.make` covered with a picture."""
    part = node.find("**/+GeomNode")
    if not part.is_empty():
        fill_texture(part.get_shader_input("picture").get_texture(), picture)


def _surface(look: str, material: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return roughness, clear coat (-1: unlit) and emission."""
    _, (rough, coat, glow) = LOOKS.get(look, LOOKS[""])
    return (
        float(material.get("roughness", rough)),
        -1.0 if material.get("unlit") else coat,
        float(material.get("emission", glow)),
    )


def cover_texture(picture: Picture) -> Any:
    """Return a texture of the picture that an object lays over its model."""
    return make_texture("picture", picture)


def _look_of(model: dict[str, Any]) -> tuple[str, str]:
    name = str(model.get("builtin", ""))
    look = f"stone {model.get('color', 'black')}" if name == "stone" else name
    return name, look


__all__ = ["ModelShop", "cover_texture", "repaint"]

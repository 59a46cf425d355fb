"""Panda3D nodes from an object's `model` and `material`."""

from __future__ import annotations

import json
from typing import Final

import numpy as np
from panda3d.core import NodePath, Texture, TransparencyAttrib

from base.values import JsonObject
from sim.core.geometry.builtin_models import MODELS, Model, ModelLook, ModelRegistry, Picture
from sim.core.geometry.meshes import UNKNOWN_SIZE
from sim.render.materials import textures
from sim.render.materials.texture_upload import fill_texture, make_texture
from sim.render.models.geometry import node_of
from sim.render.models.lettering import letters

PLAIN: Final = ModelLook()
SHADOW_ORDER = 5  # of what is drawn last, in a fixed order: shadows, then see-through layers
UNKNOWN: Final[Model] = {"builtin": "box", "size": list(UNKNOWN_SIZE)}
STRANGE: Final = {"color": [0.9, 0.1, 0.7]}  # of what nobody knows
WAITING_MATERIAL: Final[JsonObject] = {"color": [0.55, 0.56, 0.58], "roughness": 0.9}


class ModelFactory:
    """Creates nodes of models; meshes and textures are shared.

    Args:
        models: registry of the scene's models.
    """

    def __init__(self, models: ModelRegistry) -> None:
        self._models = models
        self._nodes: dict[str, NodePath] = {}
        blank = np.full((1, 1, 3), 255, dtype=np.uint8)
        self.blank = make_texture("blank", blank)

    def make(self, model: Model, material: JsonObject, picture: Picture | None = None) -> NodePath:
        """Create the node of a model with a material, not yet attached to a scene.

        Args:
            model: `{"builtin": name, …}`.
            material: `color`, `roughness`, `emission`, `opacity`, `unlit`, `layer`, each optional.
            picture: texture, `[h, w, 3|4]` uint8 BGR(A).
        """
        model = dict(model)
        key = json.dumps(model, sort_keys=True)
        if key not in self._nodes:
            self._nodes[key] = self._build(model)
        root = NodePath("object")
        body = self._nodes[key].copy_to(root)
        kind = self._models.kind(model.get("builtin"))
        look = PLAIN if kind is None else kind.look_of(model)
        if material:
            for part in body.find_all_matches("**/+GeomNode"):
                self._dress(part, look, material)
        if picture is not None:
            self._cover(body, look, material, picture)
        is_cut_out = picture is not None and picture.shape[2] == 4
        if material.get("opacity", 1.0) < 1.0 or is_cut_out:
            root.set_transparency(TransparencyAttrib.M_alpha)
            root.set_bin("transparent", 10)
            if "layer" in material:
                root.set_bin("fixed", SHADOW_ORDER + 1 + int(material["layer"]))
            root.set_depth_write(not is_cut_out)
        return root

    def placeholder(self) -> NodePath:
        """Return a placeholder box for a model that is loading."""
        return self.make(UNKNOWN, WAITING_MATERIAL)

    def _cover(
        self, body: NodePath, look: ModelLook, material: JsonObject, picture: Picture
    ) -> None:
        texture = cover_texture(picture)
        white = {"color": [1.0, 1.0, 1.0], **material}
        for part in body.find_all_matches("**/+GeomNode"):
            self._dress(part, look, white)
            part.set_shader_input("picture", texture)
            part.set_shader_input("surface", (*_surface(look, material), 1.0))

    def _build(self, model: Model) -> NodePath:
        name = str(model.get("builtin", ""))
        kind = self._models.kind(name)
        root = NodePath(name or "model")
        if kind is None:
            body = root.attach_new_node(node_of(MODELS["box"].made(UNKNOWN), name))
            self._dress(body, PLAIN, STRANGE)
            return root
        mesh = letters(model) if kind.drawn_as == "letters" else kind.made(model)
        look, body = kind.look_of(model), root.attach_new_node(node_of(mesh, name))
        self._dress(body, look, {})
        picture = kind.painted(model, textures)
        if picture is not None:
            body.set_shader_input("picture", make_texture(name, picture))
            body.set_shader_input(
                "surface", (look.roughness, look.coat, look.emission, kind.repeat)
            )
        for part in kind.parts_of(model):
            inner = root.attach_new_node(node_of(part.mesh, "part"))
            inner.set_pos_hpr(*part.position, *part.rotation)
            self._dress(inner, part.look, {})
        return root

    def _dress(self, body: NodePath, look: ModelLook, material: JsonObject) -> None:
        chosen = [float(value) for value in material.get("color", look.color)][:3]
        linear = [value**2.2 for value in chosen]
        opacity = float(material.get("opacity", 1.0))
        body.set_shader_input("tint", (*linear, opacity))
        body.set_shader_input("surface", (*_surface(look, material), 0.0))
        body.set_shader_input("picture", self.blank)


def repaint(node: NodePath, picture: Picture) -> None:
    """Replace the texture's pixels of a node that `ModelFactory.make` created with a picture."""
    part = node.find("**/+GeomNode")
    if not part.is_empty():
        fill_texture(part.get_shader_input("picture").get_texture(), picture)


def _surface(look: ModelLook, material: JsonObject) -> tuple[float, float, float]:
    """Return roughness, clear coat (-1: unlit) and emission."""
    return (
        float(material.get("roughness", look.roughness)),
        -1.0 if material.get("unlit") else look.coat,
        float(material.get("emission", look.emission)),
    )


def cover_texture(picture: Picture) -> Texture:
    """Create the texture of an object's picture."""
    return make_texture("picture", picture)

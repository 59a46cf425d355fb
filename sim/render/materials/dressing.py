"""Inputs of the scene's shader for one mesh: its material, and which features the shader needs.

Most materials need none. Their nodes keep the scene's plain shader. A node whose material is a
metal, has maps, emits light or is cut out has a tag with the features. `Atmosphere.dress` gives
such a node the shader that has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from panda3d.core import NodePath, Texture

FEATURES_TAG = "features"
CUT_TAG = "cut"
"""Tag that says which shader draws a mesh into the sun's shadow maps: "1" where it has holes."""
IN_CROWD = "crowd"
"""Value of the tag for a mesh that is drawn for many objects at once."""
CROWD_TAG = "crowd"
HALF = 0.5  # opacity of a picture's pixel from which it casts a shadow, if a file says no cut-off
MAP_NAMES = {
    "metallic_roughness_picture": "METAL_MAP",
    "normal_picture": "NORMAL_MAP",
    "occlusion_picture": "SHADE_MAP",
    "emissive_picture": "GLOW_MAP",
}
"""For each texture of a `Surface` but that of its colour, the feature of the shader."""


@dataclass(frozen=True)
class Paint:
    """Material of a mesh as inputs of the scene's shader.

    Attributes:
        tint: linear red, green, blue and opacity.
        surface: roughness; clear coat, or -1 if it is not lit; emission by its own colour; repeats
            of the picture, 0 for none.
        picture: texture of its colour.
        metallic: 1 for a metal, 0 for anything else.
        slopes: multiplies the slopes of the normal map.
        occlusion: strength of the occlusion map.
        glow: linear red, green, blue of the light that it emits.
        maps: its further textures by the feature of the shader, see `MAP_NAMES`.
        cutoff: opacity below which nothing is drawn; None without a limit.
        is_cut: whether the alpha channel of the picture counts.
    """

    tint: tuple[float, ...]
    surface: tuple[float, ...]
    picture: Texture
    metallic: float = 0.0
    slopes: float = 1.0
    occlusion: float = 1.0
    glow: tuple[float, float, float] = (0.0, 0.0, 0.0)
    maps: Mapping[str, Texture] = field(default_factory=dict)
    cutoff: float | None = None
    is_cut: bool = False

    @property
    def features(self) -> tuple[str, ...]:
        """The features that the shader needs, keys of `shaders.MAPS`; empty for a plain one."""
        found = [] if self.cutoff is None else ["CUT"]
        if self.surface[1] < 0.0:  # no light falls on it
            return tuple(found)
        shape = [name for name in ("METAL_MAP", "NORMAL_MAP", "SHADE_MAP") if name in self.maps]
        if shape or self.metallic > 0.0:
            found += ["METAL", *shape]
        if any(self.glow):
            found += ["GLOW", *(["GLOW_MAP"] if "GLOW_MAP" in self.maps else [])]
        return tuple(found)

    @classmethod
    def of(cls, part: NodePath) -> Paint:
        """Return the material that `apply` has set on a mesh's node."""
        features = part.get_tag(FEATURES_TAG).split(",") if part.has_tag(FEATURES_TAG) else []
        maps = {
            name: part.get_shader_input(name.lower()).get_texture()
            for name in features
            if name in MAP_NAMES.values()
        }
        paint = cls(
            numbers_of(part, "tint"),
            numbers_of(part, "surface"),
            part.get_shader_input("picture").get_texture(),
            maps=maps,
            is_cut=part.has_tag(CUT_TAG),
        )
        if not part.has_tag(FEATURES_TAG):
            return paint
        metallic, slopes, occlusion, cutoff = numbers_of(part, "metal")
        red, green, blue, _ = numbers_of(part, "glow")
        return replace(
            paint,
            metallic=metallic,
            slopes=slopes,
            occlusion=occlusion,
            glow=(red, green, blue),
            cutoff=cutoff if "CUT" in features else None,
        )

    def apply(self, part: NodePath) -> None:
        """Set the inputs and tags of a mesh's node."""
        part.set_shader_input("tint", self.tint)
        part.set_shader_input("surface", self.surface)
        part.set_shader_input("picture", self.picture)
        features = self.features
        if self.is_cut or self.cutoff is not None:
            part.set_tag(CUT_TAG, "1")
        if not features and not self.is_cut:
            part.clear_tag(FEATURES_TAG)
            return
        cutoff = HALF if self.cutoff is None else self.cutoff
        part.set_shader_input("metal", (self.metallic, self.slopes, self.occlusion, cutoff))
        part.set_shader_input("glow", tuple(self.glow))  # a list is no vector
        for name in features:
            if name in self.maps:
                part.set_shader_input(name.lower(), self.maps[name])
        part.set_tag(FEATURES_TAG, ",".join(features))


def numbers_of(part: NodePath, name: str) -> tuple[float, float, float, float]:
    """Return the four numbers of a shader input of a node.

    Args:
        part: the node.
        name: name of the input.
    """
    held = part.get_shader_input(name)  # the vector lies in its memory
    x, y, z, w = held.get_vector()
    return x, y, z, w

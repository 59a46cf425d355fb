"""Material of a mesh of a file, as importers write it and figures read it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields


@dataclass
class Surface:
    """Material of a mesh, in the metallic-roughness model of glTF 2.0, section 3.9.

    Textures are indices in `ModelData.pictures`, -1 for none. All use the mesh's `uvs`.

    Attributes:
        name: name in the file.
        color: linear red, green, blue, 0 to 1; it multiplies the texture `picture`.
        opacity: 1 for solid, 0 for invisible.
        roughness: 0 for mirror-like, 1 for matt.
        metallic: 1 for a metal, 0 for anything else.
        picture: texture of the colour, in sRGB.
        metallic_roughness_picture: texture whose green channel multiplies `roughness` and whose
            blue channel multiplies `metallic`.
        normal_picture: normal map; red points along u, green along v, which points up.
        normal_scale: multiplies the slopes of the normal map.
        occlusion_picture: texture whose red channel tells how much light from all around arrives.
        occlusion_strength: 0 for no effect of that texture, 1 for the full effect.
        emissive: linear red, green, blue of the light it emits; 1 is as bright as white paper.
        emissive_picture: texture in sRGB that multiplies `emissive`.
        is_cut: whether the alpha channel of the texture `picture` counts.
        alpha_cutoff: opacity below which a point is not drawn, while all others are solid; None to
            blend by opacity.
        is_double_sided: whether the backs of the triangles are drawn; None where the file does not
            say so: then they are drawn if a mesh is open, as a leaf or a flag is.
        is_unlit: whether its colour is shown as it is, without light.
    """

    name: str = ""
    color: tuple[float, float, float] = (0.8, 0.8, 0.8)
    opacity: float = 1.0
    roughness: float = 0.5
    metallic: float = 0.0
    picture: int = -1
    metallic_roughness_picture: int = -1
    normal_picture: int = -1
    normal_scale: float = 1.0
    occlusion_picture: int = -1
    occlusion_strength: float = 1.0
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    emissive_picture: int = -1
    is_cut: bool = False
    alpha_cutoff: float | None = None
    is_double_sided: bool | None = None
    is_unlit: bool = False

    @classmethod
    def of_tag(cls, text: str) -> Surface:
        """Return the material that `tag` has written; the default one for an empty text."""
        return cls(**json.loads(text or "{}"))

    @property
    def tag(self) -> str:
        """The material as text, which a model's node carries."""
        return json.dumps(asdict(self))


POINT_TAG = "point size"
"""Tag of a model's node that is drawn as points: their diameter in metres."""
TEXTURE_KEYS = tuple(item.name for item in fields(Surface) if item.name.endswith("picture"))
"""Names of the fields of `Surface` that are textures."""

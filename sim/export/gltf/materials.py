"""Materials of drawn meshes as glTF materials, with their pictures.

A drawn mesh has its material as inputs of the scene's shader (`sim.render.materials.dressing`):
what its file or built-in model says, and what its object overrides. So what is exported is what is
shown.
"""

from __future__ import annotations

import json
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from panda3d.core import CullFaceAttrib, NodePath, SamplerState, Texture, TransparencyAttrib

from base.values import JsonObject
from sim.export.gltf.container import GltfDocument
from sim.render.materials.dressing import Paint

Pixels = npt.NDArray[np.uint8]
WRAPS: Final = {
    SamplerState.WM_clamp: 33071,
    SamplerState.WM_border_color: 33071,
    SamplerState.WM_mirror: 33648,
    SamplerState.WM_mirror_once: 33648,
    SamplerState.WM_repeat: 10497,
}
FILTERS: Final = {
    SamplerState.FT_nearest: 9728,
    SamplerState.FT_linear: 9729,
    SamplerState.FT_nearest_mipmap_nearest: 9984,
    SamplerState.FT_linear_mipmap_nearest: 9985,
    SamplerState.FT_nearest_mipmap_linear: 9986,
    SamplerState.FT_linear_mipmap_linear: 9987,
}
NEAREST, LINEAR = 9728, 9729
OPAQUE: Final = 255


class Materials:
    """The materials of a file; equal ones are written once.

    Args:
        document: the file.
    """

    def __init__(self, document: GltfDocument) -> None:
        self._document = document
        self._known: dict[str, int] = {}
        self._samplers: dict[tuple[int, ...], int] = {}
        self._textures: dict[tuple[int, int], int] = {}
        self._images: dict[tuple[int, bool], int] = {}
        self._kept: list[Texture] = []  # so that no other one gets the address of a known one

    def of(self, part: NodePath, paint: Paint, name: str = "") -> int:
        """Return the index of a drawn mesh's material.

        Args:
            part: node of the mesh.
            paint: its material.
            name: name of the material.
        """
        item = self._material(part, paint)
        key = json.dumps(item, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._document.add("materials", {"name": name, **item})
        return self._known[key]

    def of_points(self, *, is_clear: bool) -> int:
        """Return the index of the material of a point cloud: each point in its own color.

        Args:
            is_clear: whether some points let light through.
        """
        self._document.use("KHR_materials_unlit")
        item: JsonObject = {"name": "points", "extensions": {"KHR_materials_unlit": {}}}
        item["pbrMetallicRoughness"] = {"metallicFactor": 0.0}
        if is_clear:
            item["alphaMode"] = "BLEND"
        key = json.dumps(item, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._document.add("materials", item)
        return self._known[key]

    def _material(self, part: NodePath, paint: Paint) -> JsonObject:
        has_picture = paint.surface[3] > 0.0
        state = part.get_net_state()
        transparency = state.get_attrib(TransparencyAttrib)
        is_clear = transparency is not None and transparency.get_mode() != TransparencyAttrib.M_none
        has_alpha = is_clear or paint.cutoff is not None
        look: JsonObject = {
            "baseColorFactor": [_share(value) for value in paint.tint],
            "metallicFactor": _share(paint.metallic),
            "roughnessFactor": _share(paint.surface[0]),
        }
        item: JsonObject = {"pbrMetallicRoughness": look}
        if has_picture:
            look["baseColorTexture"] = self._texture(paint.picture, has_alpha=has_alpha)
        if paint.cutoff is not None:
            item |= {"alphaMode": "MASK", "alphaCutoff": max(0.0, paint.cutoff)}
        elif is_clear:
            item["alphaMode"] = "BLEND"
        culling = state.get_attrib(CullFaceAttrib)
        if culling is not None and culling.get_actual_mode() == CullFaceAttrib.M_cull_none:
            item["doubleSided"] = True
        if paint.surface[1] < 0.0:
            self._document.use("KHR_materials_unlit")
            item["extensions"] = {"KHR_materials_unlit": {}}
            look |= {
                "metallicFactor": 0.0,
                "roughnessFactor": 0.9,
            }  # where a program knows no unlit
            return item
        self._add_maps(item, look, paint)
        self._add_light(item, paint)
        return item

    def _add_maps(self, item: JsonObject, look: JsonObject, paint: Paint) -> None:
        """Add the maps of metalness, normals and occlusion, and the clear coat."""
        maps = {name: paint.maps[name] for name in paint.features if name in paint.maps}
        if "METAL_MAP" in maps:
            look["metallicRoughnessTexture"] = self._texture(maps["METAL_MAP"], has_alpha=False)
        if "NORMAL_MAP" in maps:
            item["normalTexture"] = {
                **self._texture(maps["NORMAL_MAP"], has_alpha=False),
                "scale": paint.slopes,
            }
        if "SHADE_MAP" in maps:
            item["occlusionTexture"] = {
                **self._texture(maps["SHADE_MAP"], has_alpha=False),
                "strength": _share(paint.occlusion),
            }
        if paint.surface[1] > 0.0:
            self._document.use("KHR_materials_clearcoat")
            coat = {"clearcoatFactor": _share(paint.surface[1]), "clearcoatRoughnessFactor": 0.05}
            item.setdefault("extensions", {})["KHR_materials_clearcoat"] = coat

    def _add_light(self, item: JsonObject, paint: Paint) -> None:
        """Add the light that the material emits: by its own color, and by its file."""
        light = np.array(paint.tint[:3]) * paint.surface[2] + np.array(paint.glow)
        strongest = float(light.max())
        if strongest <= 0.0:
            return
        item["emissiveFactor"] = [_share(value) for value in light / max(1.0, strongest)]
        if "GLOW_MAP" in paint.features and any(paint.glow):
            item["emissiveTexture"] = self._texture(paint.maps["GLOW_MAP"], has_alpha=False)
        if strongest > 1.0:
            self._document.use("KHR_materials_emissive_strength")
            item.setdefault("extensions", {})["KHR_materials_emissive_strength"] = {
                "emissiveStrength": strongest
            }

    # -- pictures -----------------------------------------------------------------------------

    def _texture(self, texture: Texture, *, has_alpha: bool) -> JsonObject:
        """Return the reference to a texture.

        Args:
            texture: the texture.
            has_alpha: whether its alpha channel is written, if it has one.
        """
        self._kept.append(texture)
        key = (texture.this, has_alpha)
        if key not in self._images:
            self._images[key] = self._document.image(png_of(texture, has_alpha=has_alpha))
        pair = self._images[key], self._sampler(texture)
        if pair not in self._textures:
            item = {"source": pair[0], "sampler": pair[1]}
            self._textures[pair] = self._document.add("textures", item)
        return {"index": self._textures[pair]}

    def _sampler(self, texture: Texture) -> int:
        sampler = texture.get_default_sampler()
        large = FILTERS.get(sampler.get_effective_magfilter(), LINEAR)
        numbers = (
            large if large in (NEAREST, LINEAR) else LINEAR,
            FILTERS.get(sampler.get_effective_minfilter(), LINEAR),
            WRAPS.get(sampler.get_wrap_u(), 10497),
            WRAPS.get(sampler.get_wrap_v(), 10497),
        )
        if numbers not in self._samplers:
            keys = ("magFilter", "minFilter", "wrapS", "wrapT")
            item = dict(zip(keys, numbers, strict=True))
            self._samplers[numbers] = self._document.add("samplers", item)
        return self._samplers[numbers]


def pixels_of(texture: Texture) -> Pixels:
    """Return the pixels of a texture, `[h, w, 4]` BGRA with the top row first."""
    content = texture.get_ram_image_as("BGRA")
    rows = np.frombuffer(bytes(content), np.uint8)
    shape = (texture.get_y_size(), texture.get_x_size(), 4)
    return np.ascontiguousarray(rows.reshape(shape)[::-1])


def png_of(texture: Texture, *, has_alpha: bool) -> bytes:
    """Return a texture as a PNG file.

    Args:
        texture: the texture, whose pixels are in memory.
        has_alpha: whether its alpha channel is written, if it has one that is not opaque.
    """
    pixels = pixels_of(texture)
    if not has_alpha or pixels[..., 3].min() == OPAQUE:
        pixels = np.ascontiguousarray(pixels[..., :3])
    return bytes(cv2.imencode(".png", pixels)[1].tobytes())


def _share(value: Any) -> float:
    return float(min(1.0, max(0.0, value)))


__all__ = ["Materials", "pixels_of", "png_of"]

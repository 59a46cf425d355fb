"""Materials and pictures of FBX and OBJ files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import ufbx

from sim.core.assets.animation.poses import FloatArray
from sim.core.canvas.picture_limit import OversizedPictureError
from sim.render.importing.model_data import ModelData, Pixels, Surface
from sim.render.importing.pictures import Beside, decoded

if TYPE_CHECKING:
    from sim.render.importing.fbx import Kept

CLASSIC = (
    ufbx.ShaderType.UNKNOWN, ufbx.ShaderType.FBX_LAMBERT, ufbx.ShaderType.FBX_PHONG,
    ufbx.ShaderType.WAVEFRONT_MTL,
)  # fmt: skip

WHITE, GREY = (1.0, 1.0, 1.0), (0.8, 0.8, 0.8)


class SurfaceReader:
    """Reads each material and picture once."""

    def __init__(self, kept: Kept, data: ModelData, beside: Beside) -> None:
        self._kept = kept
        self._data = data
        self._beside = beside
        self._surfaces: dict[tuple[int, bool], int] = {}
        self._pictures: dict[int, int] = {}

    def number(self, material: ufbx.Material | None, *, is_inked: bool = False) -> int:
        """Return the surface number of a material; None is the default surface.

        Args:
            material: of the mesh.
            is_inked: the mesh has colours at its vertices, which the default does not tint.
        """
        key = (-1, is_inked) if material is None else (int(material.element_id), False)
        if key not in self._surfaces:
            self._surfaces[key] = len(self._data.surfaces)
            surface = Surface(color=WHITE if is_inked else GREY) if material is None else (
                self._read(material))  # fmt: skip
            self._data.surfaces.append(surface)
        return self._surfaces[key]

    def _read(self, material: ufbx.Material) -> Surface:
        kept = self._kept
        maps = kept(material.pbr)
        base = kept(maps.base_color)
        color = _three(base, 0.8) * _one(kept(maps.base_factor), 1.0)
        glow = _three(kept(maps.emission_color)).max() * _one(kept(maps.emission_factor), 1.0)
        texture = kept(base.texture) if base.texture_enabled else None
        picture = -1 if texture is None else self._picture(texture)
        if picture >= 0:
            color = np.ones(3)  # the picture is the colour, as in the program that wrote the file
        pixels = self._data.pictures[picture] if picture >= 0 else None
        return Surface(
            name=material.name,
            color=(float(color[0]), float(color[1]), float(color[2])),
            opacity=self._opacity(material, maps),
            roughness=float(np.clip(_one(kept(maps.roughness), 0.5), 0.0, 1.0)),
            emission=float(np.clip(glow, 0.0, 10.0)),
            picture=picture,
            is_cut=pixels is not None and is_cut(pixels),
        )

    def _opacity(self, material: ufbx.Material, maps: ufbx.MaterialPbrMaps) -> float:
        kept = self._kept
        if material.shader_type in CLASSIC:
            classic = kept(material.fbx)
            factor = _one(kept(classic.transparency_factor), 0.0)
            opacity = 1.0 - factor * float(_three(kept(classic.transparency_color)).mean())
        else:
            found = kept(maps.opacity)
            opacity = float(_three(found).mean()) if found.has_value else 1.0
        # many programs write 0 and mean "solid": nobody ships a model that cannot be seen
        return float(np.clip(opacity, 0.0, 1.0)) if opacity > 0.01 else 1.0

    def _picture(self, texture: ufbx.Texture) -> int:
        files = self._kept.each(texture.file_textures) or [texture]
        texture = files[0]
        key = int(texture.element_id)
        if key not in self._pictures:
            pixels = self._pixels(texture)
            self._pictures[key] = -1 if pixels is None else len(self._data.pictures)
            if pixels is not None:
                self._data.pictures.append(pixels)
        return self._pictures[key]

    def _pixels(self, texture: ufbx.Texture) -> Pixels | None:
        content = bytes(texture.content)
        video = self._kept(texture.video)
        if not content and video is not None:
            content = bytes(video.content)
        names = (texture.relative_filename, texture.filename, texture.absolute_filename)
        try:
            pixels = decoded(content) if content else None
        except OversizedPictureError as error:
            self._beside.refuse(next(filter(None, names), "?"), error)
            return None
        return self._beside.picture(*names) if pixels is None else pixels


def is_cut(pixels: Pixels) -> bool:
    """Return whether a picture's alpha channel is used."""
    return bool(pixels.shape[2] == 4 and pixels[..., 3].min() < 250)


def _one(value: ufbx.MaterialMap, fallback: float) -> float:
    found = value.value_vec4
    return float(found.x) if value.has_value and np.isfinite(found.x) else fallback


def _three(value: ufbx.MaterialMap, fallback: float = 0.0) -> FloatArray:
    if not value.has_value:
        return np.full(3, fallback)
    found = value.value_vec4
    one = value.value_components == 1
    parts = [found.x, found.x, found.x] if one else [found.x, found.y, found.z]
    return np.nan_to_num(np.array(parts, dtype=np.float64))

"""COLLADA importer (`.dae`), by pycollada: meshes and materials, without skins and clips."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import collada
import numpy as np

from sim.core.assets.animation.poses import FloatArray
from sim.render.importing.model_data import (
    WHITE,
    Beside,
    MeshData,
    ModelData,
    ModelError,
    bare_surface,
    is_cut,
    linear_of,
    normals_of,
    resting,
    unit,
)
from sim.render.importing.stl import one_line
from sim.render.materials.surface import Surface

LEFT_OUT = "its {} are left out: they are read from FBX and glTF only"
TURNS = {  # from the file's axes to z up, for row vectors
    "X_UP": np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]),
    "Y_UP": np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)]),
    "Z_UP": np.eye(3),
}


def read(path: Path, beside: Beside) -> ModelData:
    """Read a COLLADA file.

    Args:
        path: the file.
        beside: finds the pictures that the file refers to.

    Raises:
        ModelError: the file is not readable.
    """
    try:
        document = collada.Collada(str(path), ignore=[collada.common.DaeError])
    except MemoryError:
        raise
    except Exception as error:  # a broken file ends its reader anywhere
        raise ModelError(f"expected COLLADA, found a broken file: {one_line(error)}") from error
    reader = ColladaReader(document, beside)
    reader.read_meshes()
    reader.data.warnings += beside.warnings()
    reader.data.beside = beside.seen
    return reader.data


class ColladaReader:
    """Converts one COLLADA document to plain arrays.

    Each mesh gets the place and rotation of the document's node that holds it.
    """

    def __init__(self, document: Any, beside: Beside) -> None:
        self._document = document
        self._beside = beside
        self.data = ModelData(resting())
        self._surfaces: dict[object, int] = {}
        self._pictures: dict[str, int] = {}
        asset = document.assetInfo
        meters = float(asset.unitmeter or 1.0)
        if document.errors:
            self.data.warnings.append(
                f"{len(document.errors)} of its parts cannot be read and are left out, "
                f"the first: {one_line(document.errors[0])}"
            )
        self._axes = TURNS.get(str(asset.upaxis), TURNS["Y_UP"]) * meters

    def read_meshes(self) -> None:
        """Add the meshes of the scene to `data`; skinned meshes are added in their rest pose."""
        scene = self._document.scene
        if scene is None:
            return
        found = list(scene.objects("geometry"))
        found += [getattr(skin, "geometry", None) for skin in scene.objects("controller")]
        if len(self._document.controllers):
            self.data.warnings.append(LEFT_OUT.format("joints"))
        if len(self._document.animations):
            self.data.warnings.append(LEFT_OUT.format("clips"))
        for geometry in filter(None, found):
            place = np.asarray(getattr(geometry, "matrix", np.eye(4)), dtype=np.float64)
            is_mirrored = bool(np.linalg.det(place[:3, :3]) < 0.0)
            for part in geometry.primitives():
                self._add(part, is_mirrored=is_mirrored)

    def _add(self, part: Any, *, is_mirrored: bool) -> None:
        if hasattr(part, "triangleset"):
            part = part.triangleset()
        vertex = getattr(part, "vertex_index", None)
        if vertex is None or len(vertex) == 0 or np.shape(vertex)[1:] != (3,):
            return  # points and lines
        corners = np.asarray(vertex, dtype=np.int64).ravel()
        points = np.asarray(part.vertex, dtype=np.float64)[corners] @ self._axes
        colors = self._colors(part)
        mesh = MeshData(
            "mesh",
            0,
            points,
            np.zeros_like(points),
            self._uvs(part, len(corners)),
            np.arange(len(corners)).reshape(-1, 3),
            self._surface(part.material, colors),
            colors=colors,
        )
        if is_mirrored:
            mesh.triangles = mesh.triangles[:, ::-1]
        if part.normal is not None and part.normal_index is not None:
            rows = np.asarray(part.normal_index, dtype=np.int64).ravel()
            mesh.normals = unit(np.asarray(part.normal, dtype=np.float64)[rows] @ self._axes)
        else:
            mesh.flatten()
        self.data.meshes.append(mesh)

    @staticmethod
    def _uvs(part: Any, count: int) -> FloatArray:
        if not len(part.texcoordset):
            return np.zeros((count, 2))
        rows = np.asarray(part.texcoord_indexset[0], dtype=np.int64).ravel()
        return np.asarray(part.texcoordset[0], dtype=np.float64)[rows, :2]

    @staticmethod
    def _colors(part: Any) -> FloatArray | None:
        source = next(iter(part.original.sources.get("COLOR", ())), None)
        if source is None:
            return None
        rows = np.asarray(part.index, dtype=np.int64)[..., source[0]].ravel()
        return linear_of(np.asarray(source[4].data, dtype=np.float64)[rows])

    def _surface(self, material: Any, colors: FloatArray | None) -> int:
        key = (id(material), material is None and colors is not None)
        if key not in self._surfaces:
            effect = getattr(material, "effect", None)
            if effect is not None:
                surface = self._read_surface(str(material.name or ""), effect)
            else:
                surface = bare_surface(has_colors=colors is not None)
            self._surfaces[key] = self.data.add_surface(surface)
        return self._surfaces[key]

    def _read_surface(self, name: str, effect: Any) -> Surface:
        surface = Surface(name=name)
        if isinstance(effect.diffuse, collada.material.Map):
            image = effect.diffuse.sampler.surface.image
            surface.picture, surface.color = self._picture(str(image.path or "")), WHITE
        elif effect.diffuse is not None:
            red, green, blue = (float(value) for value in effect.diffuse[:3])
            surface.color = (red, green, blue)
        if isinstance(effect.emission, tuple):
            red, green, blue = np.clip(effect.emission[:3], 0.0, 10.0).tolist()
            surface.emissive = (red, green, blue)
        elif isinstance(effect.emission, collada.material.Map):
            image = effect.emission.sampler.surface.image
            surface.emissive_picture = self._picture(str(image.path or ""))
            surface.emissive = WHITE if surface.emissive_picture >= 0 else surface.emissive
        if isinstance(effect.bumpmap, collada.material.Map):
            number = self._picture(str(effect.bumpmap.sampler.surface.image.path or ""))
            if number >= 0:
                normals = normals_of(self.data.pictures[number])
                surface.normal_picture = self.data.add_picture(normals)
        surface.is_double_sided = bool(effect.double_sided) or None
        opacity = effect.transparency
        if isinstance(opacity, float | int) and 0.01 < opacity < 1.0:  # 0 is mostly meant as solid
            surface.opacity = float(opacity)
        if surface.picture >= 0:
            surface.is_cut = is_cut(self.data.pictures[surface.picture])
        return surface

    def _picture(self, name: str) -> int:
        if name not in self._pictures:
            pixels = self._beside.picture(name.removeprefix("file://"))
            self._pictures[name] = self.data.add_picture(pixels)
        return self._pictures[name]

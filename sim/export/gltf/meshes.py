"""Meshes of Panda3D nodes as glTF primitives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomVertexArrayData,
    GeomVertexData,
    InternalName,
    NodePath,
)

from base.values import JsonObject
from sim.export.gltf.axes import points_of
from sim.export.gltf.container import INDICES, VERTICES, GltfDocument

Floats = npt.NDArray[np.float32]
KINDS: Final = {
    GeomEnums.NT_float32: np.float32,
    GeomEnums.NT_uint8: np.uint8,
    GeomEnums.NT_uint16: np.uint16,
    GeomEnums.NT_uint32: np.uint32,
}
POINTS, TRIANGLES = 0, 4
SRGB: Final = 2.2
UP: Final = (0.0, 0.0, 1.0)
INFLUENCES: Final = 4  # bones of a vertex in one pair of attributes


@dataclass(frozen=True)
class Part:
    """Triangles or points of one material, in the engine's axes.

    Attributes:
        points: `[n, 3]` metres.
        normals: `[n, 3]` unit vectors.
        uvs: `[n, 2]` texture coordinates, v upwards; None without a texture.
        triangles: `[m, 3]` corners, anticlockwise seen from outside; None for points.
        colors: `[n, 3]` or `[n, 4]` linear colors; None for none.
        morphs: offsets of points and normals, `[n, 3]` each, of each blend shape.
        bones: `[n, k]` indices of bones in the skin; None without a skin.
        weights: `[n, k]` weights of the bones.
    """

    points: Floats
    normals: Floats
    uvs: Floats | None = None
    triangles: npt.NDArray[np.int64] | None = None
    colors: Floats | None = None
    morphs: tuple[tuple[Floats, Floats], ...] = ()
    bones: npt.NDArray[np.int64] | None = None
    weights: Floats | None = None

    def moved(self, matrix: npt.NDArray[np.float64]) -> Part:
        """Return the part, its vertices moved by a matrix `[4, 4]` for row vectors."""
        points = self.points @ matrix[:3, :3] + matrix[3, :3]
        normals = self.normals @ np.linalg.pinv(matrix[:3, :3]).T
        return replace(self, points=points.astype(np.float32), normals=normals.astype(np.float32))

    def turned(self) -> Part:
        """Return the part with the sides of its triangles exchanged."""
        if self.triangles is None:
            return self
        return replace(self, triangles=self.triangles[:, ::-1])

    def primitive(self, document: GltfDocument, material: int) -> JsonObject:
        """Write the part's arrays; return it as a primitive of a glTF mesh.

        Args:
            document: the file.
            material: index of its material.
        """
        points = _floats(points_of(self.points))
        attributes = {"POSITION": document.accessor(points, target=VERTICES, has_bounds=True)}
        item: JsonObject = {"attributes": attributes, "material": material}
        if self.triangles is None:
            item["mode"] = POINTS
        else:
            normals = _floats(points_of(unit(self.normals)))
            attributes["NORMAL"] = document.accessor(normals, target=VERTICES)
            kind = np.uint16 if len(points) < 65_535 else np.uint32
            rows = self.triangles.ravel().astype(kind)
            item["indices"] = document.accessor(rows, target=INDICES)
        if self.uvs is not None:
            uvs = np.nan_to_num(np.stack([self.uvs[:, 0], 1.0 - self.uvs[:, 1]], axis=1))
            attributes["TEXCOORD_0"] = document.accessor(_floats(uvs), target=VERTICES)
        if self.colors is not None:
            colors = _floats(np.clip(np.nan_to_num(self.colors), 0.0, 1.0))
            attributes["COLOR_0"] = document.accessor(colors, target=VERTICES)
        self._add_skin(document, attributes)
        if self.morphs:
            item["targets"] = [_target(document, *morph) for morph in self.morphs]
        return item

    def _add_skin(self, document: GltfDocument, attributes: JsonObject) -> None:
        if self.bones is None or self.weights is None:
            return
        count = -(-self.bones.shape[1] // INFLUENCES) * INFLUENCES
        rows = ((0, 0), (0, count - self.bones.shape[1]))
        bones, weights = np.pad(self.bones, rows), np.pad(self.weights, rows)
        weights = weights / weights.sum(axis=1, keepdims=True)
        bones = np.where(weights > 0.0, bones, 0)
        for number in range(count // INFLUENCES):
            columns = slice(number * INFLUENCES, (number + 1) * INFLUENCES)
            some, shares = bones[:, columns].astype(np.uint16), _floats(weights[:, columns])
            attributes[f"JOINTS_{number}"] = document.accessor(some, target=VERTICES)
            attributes[f"WEIGHTS_{number}"] = document.accessor(shares, target=VERTICES)


def _target(document: GltfDocument, points: Floats, normals: Floats) -> JsonObject:
    """Return a blend shape, the offsets of points and normals, as glTF's morph target."""
    moved, turned = _floats(points_of(points)), _floats(points_of(normals))
    found = {"POSITION": document.accessor(moved, target=VERTICES, has_bounds=True)}
    if np.any(turned):
        found["NORMAL"] = document.accessor(turned, target=VERTICES)
    return found


def _floats(values: npt.NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float32) + np.float32(0.0)


def unit(normals: Floats) -> Floats:
    """Return normals `[n, 3]` of length 1; those without a length point up."""
    wide = np.nan_to_num(normals.astype(np.float64))
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    is_long = lengths > 1e-12
    return np.where(is_long, wide / np.where(is_long, lengths, 1.0), UP).astype(np.float32)


# -- from Panda3D ----------------------------------------------------------------------------------


def geoms_of(root: NodePath) -> Iterator[tuple[NodePath, Geom]]:
    """Yield each mesh below a node: the node that holds it, and the mesh."""
    for path in root.find_all_matches("**/+GeomNode"):
        node = path.node()
        for number in range(node.get_num_geoms()):
            yield path, node.get_geom(number)


def part_of(geom: Geom, *, repeats: float = 0.0) -> Part | None:
    """Return a mesh of Panda3D; None if it has no triangles or points.

    Args:
        geom: the mesh.
        repeats: repetitions of the texture along a side; 0 without a texture.
    """
    data = geom.get_vertex_data()
    points = column(data, "vertex")
    rows, are_points = _rows_of(geom)
    if points is None or not len(rows):
        return None
    normals, uvs, colors = column(data, "normal"), column(data, "texcoord"), column(data, "color")
    if colors is not None:
        shares = colors / 255.0 if colors.dtype == np.uint8 else colors
        shares = shares[:, :3] ** (SRGB if are_points else 1.0)  # those of points are sRGB
        colors = shares.astype(np.float32)
    return Part(
        points=points[:, :3].astype(np.float32),
        normals=np.zeros_like(points[:, :3]) if normals is None else normals[:, :3],
        uvs=None if uvs is None or repeats <= 0.0 else uvs[:, :2] * np.float32(repeats),
        triangles=None if are_points else rows.reshape(-1, 3),
        colors=colors,
    )


def _rows_of(geom: Geom) -> tuple[npt.NDArray[np.int64], bool]:
    """Return the vertices of a mesh's triangles or points, and whether they are points."""
    found, are_points = [np.zeros(0, np.int64)], False
    for number in range(geom.get_num_primitives()):
        primitive = geom.get_primitive(number).decompose()
        are_points = primitive.get_num_vertices_per_primitive() == 1
        if primitive.is_indexed():
            found.append(_array(primitive.get_vertices(), 0, 1)[:, 0].astype(np.int64))
        else:
            first = primitive.get_first_vertex()
            found.append(np.arange(first, first + primitive.get_num_vertices()))
    return np.concatenate(found), are_points


def column(data: GeomVertexData, name: str | InternalName) -> npt.NDArray[Any] | None:
    """Return a column of vertex data, `[n, k]`; None if there is none.

    Args:
        data: the vertex data.
        name: name of the column.
    """
    kind = data.get_format()
    number = kind.get_array_with(name)
    if number < 0:
        return None
    own = kind.get_array(number).get_column(name)
    return _array(data.get_array(number), own.get_start(), own.get_num_components(), own)


def _array(
    array: GeomVertexArrayData, start: int, count: int, kept: Any = None
) -> npt.NDArray[Any]:
    """Return a column of an array of vertex data, `[n, count]`.

    Args:
        array: the array.
        start: bytes from the begin of a row.
        count: numbers of the column.
        kept: the column; None for the array's first.
    """
    form = array.get_array_format()
    kind = np.dtype(KINDS[(kept or form.get_column(0)).get_numeric_type()])
    rows = np.frombuffer(array.get_handle().get_data(), np.uint8)
    rows = rows.reshape(-1, form.get_stride())
    wide = rows[:, start : start + count * kind.itemsize]
    return np.ascontiguousarray(wide).view(kind)


__all__ = ["Part", "column", "geoms_of", "part_of", "unit"]

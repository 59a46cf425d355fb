"""Triangles of model files, for ray casts and bodies; needs no graphics."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
from panda3d.core import BamFile, Filename, Geom, GeomEnums, GeomVertexReader, NodePath

from sim.core.assets.assets import MODEL_NAME, AssetLibrary, AssetState
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.scene import SceneObject

NOTHING: FloatArray = np.empty((0, 3, 3))


def triangles_of_asset(library: AssetLibrary, obj: SceneObject) -> FloatArray | None:
    """Return the triangles `[m, 3, 3]` of an object's model file in its rest pose.

    Args:
        library: loads the model files.
        obj: the object.

    Returns:
        The triangles, metres. None while the file is loading; an empty array if loading failed.
    """
    asset = library.get(str((obj.model or {}).get("asset")))
    if asset.state is AssetState.LOADING:
        return None
    if asset.folder is None:
        return NOTHING
    if asset.triangles is None:
        asset.triangles = read_triangles(asset.folder / MODEL_NAME)
    return asset.triangles


def read_triangles(path: Path) -> FloatArray:
    """Return the triangles `[m, 3, 3]` of a cached bam file, metres; empty if it can't be read."""
    file = BamFile()
    node = (
        file.read_node() if file.open_read(Filename.from_os_specific(os.fsencode(path))) else None
    )
    if node is None:
        return NOTHING
    top = NodePath(node)
    parts = [
        _triangles_of_geom(geom, np.array(part.get_mat(top), dtype=np.float64).reshape(4, 4))
        for part in top.find_all_matches("**/+GeomNode")
        for geom in part.node().get_geoms()
    ]
    file.close()
    return np.concatenate([NOTHING, *parts])


def extremes_of(points: FloatArray) -> FloatArray:
    """Return triangles without area at the outermost points of a cloud, `[k, 3, 3]`.

    By them a point cloud has bounds, and no ray hits it.

    Args:
        points: `[n, 3]` positions, metres.
    """
    if not len(points):
        return NOTHING
    ways = np.array(list(itertools.product((-1, 0, 1), repeat=3)), dtype=np.float64)
    outer = points[np.unique(np.argmax(points @ ways.T, axis=0))]
    return np.repeat(outer[:, None], 3, axis=1)


def _triangles_of_geom(geom: Geom, place: FloatArray) -> FloatArray:
    reader = GeomVertexReader(geom.get_vertex_data(), "vertex")
    count = geom.get_vertex_data().get_num_rows()
    points = np.array([tuple(reader.get_data3()) for _ in range(count)]).reshape(-1, 3)
    points = points @ place[:3, :3] + place[3, :3]
    found = []
    for primitive in geom.decompose().get_primitives():
        count = primitive.get_num_vertices()
        found.append(np.array([primitive.get_vertex(number) for number in range(count)]))
    if geom.get_primitive_type() == GeomEnums.PT_points:
        return extremes_of(points)
    rows = np.concatenate([np.empty(0, dtype=np.int64), *found]).astype(np.int64)
    return np.asarray(points[rows[: len(rows) // 3 * 3]].reshape(-1, 3, 3))

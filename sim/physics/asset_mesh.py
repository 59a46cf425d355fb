"""Triangles of model files, for ray casts and bodies; needs no graphics."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from panda3d.core import BamFile, Filename, Geom, GeomEnums, GeomVertexReader, NodePath, Thread

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
        sliders = () if asset.rig is None else asset.rig.rest.sliders.tolist()
        asset.triangles = read_triangles(asset.folder / MODEL_NAME, sliders)
    return asset.triangles


def read_triangles(path: Path, sliders: Sequence[float] = ()) -> FloatArray:
    """Return the triangles of a cached bam file in its rest pose.

    Args:
        path: the file.
        sliders: weight of each blend shape in the rest pose.

    Returns:
        `[m, 3, 3]`, metres; empty if the file can't be read.
    """
    file = BamFile()
    node = (
        file.read_node() if file.open_read(Filename.from_os_specific(os.fsencode(path))) else None
    )
    if node is None:
        return NOTHING
    top = NodePath(node)
    is_shaped = any(sliders)
    if is_shaped:
        _shape(top, sliders)
    parts = [
        _triangles_of_geom(
            geom,
            np.array(part.get_mat(top), dtype=np.float64).reshape(4, 4),
            is_shaped=is_shaped,
        )
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


def _shape(top: NodePath, sliders: Sequence[float]) -> None:
    """Set the weights of a model's blend shapes.

    Args:
        top: root node of the model.
        sliders: weight of each blend shape.
    """
    for character in top.find_all_matches("**/+Character"):
        bundle = character.node().get_bundle(0)
        for slider in json.loads(character.get_tag("sliders") or "[]"):
            bundle.freeze_joint(f"s{slider}", float(sliders[slider]))
        bundle.force_update()


def _triangles_of_geom(geom: Geom, place: FloatArray, *, is_shaped: bool) -> FloatArray:
    """Return the triangles `[m, 3, 3]` of one mesh.

    Args:
        geom: the mesh.
        place: `[4, 4]` from its space to the model's.
        is_shaped: whether blend shapes are on.
    """
    data = geom.get_vertex_data()
    if is_shaped:
        data = data.animate_vertices(True, Thread.get_current_thread())
    reader = GeomVertexReader(data, "vertex")
    count = data.get_num_rows()
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

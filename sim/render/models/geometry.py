"""Panda3D nodes of meshes."""

from __future__ import annotations

import numpy as np
from panda3d.core import Geom, GeomEnums, GeomNode, GeomTriangles, GeomVertexData, GeomVertexFormat

from sim.core.geometry.meshes import Mesh


def node_of(mesh: Mesh, name: str) -> GeomNode:
    """Convert a mesh to a Panda3D node."""
    rows = np.concatenate(mesh.rows)
    data = GeomVertexData(name, GeomVertexFormat.get_v3n3t2(), Geom.UH_static)
    data.unclean_set_num_rows(len(rows))
    memoryview(data.modify_array(0)).cast("B").cast("f")[:] = memoryview(rows.ravel().data)
    indices = mesh.indices.ravel().astype(np.uint32)
    primitive = GeomTriangles(Geom.UH_static)
    primitive.set_index_type(GeomEnums.NT_uint32)
    array = primitive.modify_vertices()
    array.unclean_set_num_rows(len(indices))
    memoryview(array).cast("B").cast("I")[:] = memoryview(indices.data)
    geom = Geom(data)
    geom.add_primitive(primitive)
    node = GeomNode(name)
    node.add_geom(geom)
    return node

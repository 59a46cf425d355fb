"""Cases of the table of formats: OBJ, STL, PLY, COLLADA."""

from __future__ import annotations

import struct
from typing import Any

import cv2
import numpy as np

from tests.sim.render.importing.format_table import Brought, Case
from tests.sim.render.importing.test_what_is_taken import DAE, OBJ, PLY

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float)
LYING = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 1)], float)  # of what has y up
MOVED = np.array([(0, -0.5, 0), (1, -0.5, 0), (0, -0.5, 1)])
PNG = cv2.imencode(".png", np.full((4, 4, 3), 90, np.uint8))[1].tobytes()
MTL = "newmtl m\nKd 0.5 0.25 0.125\n"
NODE = "<translate>0 0 50</translate>"
PICTURED = (
    "<library_images><image id='i'><init_from>a.png</init_from></image></library_images>"
    "<library_effects><effect id='e'><profile_COMMON>"
    "<newparam sid='s1'><surface type='2D'><init_from>i</init_from></surface></newparam>"
    "<newparam sid='s2'><sampler2D><source>s1</source></sampler2D></newparam>"
    "<technique sid='t'><lambert><diffuse><texture texture='s2' texcoord='UV'/></diffuse></lambert>"
    "</technique></profile_COMMON></effect></library_effects>"
)


def obj(feature: str, text: str, holds: Any, mtl: str = MTL) -> Case:
    files = {"a.obj": text.encode(), "m.mtl": mtl.encode(), "a.png": PNG}
    return Case(feature, "OBJ", files, holds)


def ply(feature: str, text: str, holds: Any) -> Case:
    return Case(feature, "PLY", {"a.ply": text.encode()}, holds)


def dae(feature: str, text: str, holds: Any) -> Case:
    return Case(feature, "DAE", {"a.dae": text.encode(), "a.png": PNG}, holds)


def stl() -> bytes:
    """Return a binary STL of one triangle."""
    row = struct.pack("<12fH", 0, 0, 1, *(float(value) for value in CORNERS.ravel()), 0)
    return bytes(80) + struct.pack("<I", 1) + row


def mtl(feature: str, words: str, holds: Any) -> Case:
    return obj(feature, PLAIN, holds, MTL + words)


def has_colors(found: Brought) -> bool:
    """Return whether each corner has a colour of its own."""
    return len({tuple(row) for row in found.column("color")[:, :3].round(3).tolist()}) == 3


PLAIN = OBJ.format("m.mtl")
QUAD = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
MAPPED = (
    "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"
)
FACETS = (
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
    "endfacet\nendsolid a\n"
)
PLY_QUAD = (
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"
)
OBJ_CASES = [
    obj("triangles", PLAIN, lambda found: found.has_points(LYING)),
    obj("faces of four and more corners", QUAD, lambda found: len(found.model.points()) >= 4),
    obj("colour", PLAIN, lambda found: np.allclose(found.look["color"], (0.5, 0.25, 0.125))),
    obj(
        "vertex colours",
        "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nf 1 2 3\n",
        has_colors,
    ),
    obj(
        "pictures of the colour",
        MAPPED,
        lambda found: found.picture is not None,
        MTL + "map_Kd a.png\n",
    ),
]
STL_CASES = [
    Case("triangles", "STL", {"a.stl": stl()}, lambda found: found.has_points(CORNERS)),
    Case("triangles", "STL", {"a.stl": FACETS.encode()}, lambda found: found.has_points(CORNERS)),
]
PLY_CASES = [
    ply("triangles", PLY, lambda found: len(found.model.points()) == 3),
    ply(
        "faces of four and more corners",
        PLY_QUAD,
        lambda found: found.has_points([*CORNERS, (1, 1, 0)]),
    ),
    ply("vertex colours", PLY, has_colors),
]
DAE_CASES = [
    dae("triangles", DAE, lambda found: found.has_points(MOVED)),
    dae("nodes: place, turn, scale", DAE, lambda found: found.has_points(MOVED)),
    dae("units", DAE, lambda found: found.has_points(MOVED)),
    dae(
        "mirrored nodes",
        DAE.replace(NODE, NODE + "<scale>-1 1 1</scale>"),
        lambda found: found.has_points(MOVED * (-1, 1, 1)) and found.model.facing()[1] < 0,
    ),
    dae("colour", DAE, lambda found: np.allclose(found.look["color"], (0.5, 0.25, 0.125))),
    dae(
        "pictures of the colour",
        DAE[: DAE.index("<library_effects>")]
        + PICTURED
        + DAE[DAE.index("</library_effects>") + len("</library_effects>") :],
        lambda found: found.picture is not None,
    ),
]
CASES = [*OBJ_CASES, *STL_CASES, *PLY_CASES, *DAE_CASES]

"""Cases of the table of formats: OBJ, STL, PLY, COLLADA."""

from __future__ import annotations

import struct
from typing import Any

import cv2
import numpy as np
from panda3d.core import SamplerState

from tests.sim.render.importing.format_table import Brought, Case
from tests.sim.render.importing.gltf_files import Buffer
from tests.sim.render.importing.test_collada import BEND
from tests.sim.render.importing.test_collada import dae as arm_dae
from tests.sim.render.importing.test_panda_files import TRIANGLE
from tests.sim.render.importing.test_pictures import picture_files
from tests.sim.render.importing.test_what_is_taken import DAE, OBJ, PLY, glb

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float)
LYING = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 1)], float)  # of what has y up
MOVED = np.array([(0, -0.5, 0), (1, -0.5, 0), (0, -0.5, 1)])
PNG = cv2.imencode(".png", np.full((4, 4, 3), 90, np.uint8))[1].tobytes()
CLAMPED = SamplerState.WM_clamp
TGA = picture_files()["sound.tga"]
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


PICTURED_DAE = (
    DAE[: DAE.index("<library_effects>")]
    + PICTURED
    + DAE[DAE.index("</library_effects>") + len("</library_effects>") :]
)
SEEN_THROUGH = "</diffuse><transparency><float>0.25</float></transparency>"
INKED = DAE.replace(
    "<vertices",
    "<source id='c'><float_array id='ca' count='9'>1 0 0 0 1 0 0 0 1</float_array>"
    "<technique_common><accessor source='#ca' count='3' stride='3'><param name='R' type='float'/>"
    "<param name='G' type='float'/><param name='B' type='float'/></accessor></technique_common>"
    "</source><vertices",
).replace("</triangles>", "").replace(
    "<p>0 1 2</p>",
    "<input semantic='COLOR' source='#c' offset='1'/><p>0 0 1 1 2 2</p></triangles>",
)  # fmt: skip
MORPHED = (
    DAE.replace(
        "<library_visual_scenes>",
        "<library_controllers><controller id='k'><morph source='#g' method='NORMALIZED'>"
        "<source id='mt'><IDREF_array id='mta' count='1'>g</IDREF_array><technique_common>"
        "<accessor source='#mta' count='1' stride='1'><param name='MORPH_TARGET' type='IDREF'/>"
        "</accessor></technique_common></source><source id='mw'><float_array id='mwa' count='1'>1"
        "</float_array><technique_common><accessor source='#mwa' count='1' stride='1'>"
        "<param name='MORPH_WEIGHT' type='float'/></accessor></technique_common></source><targets>"
        "<input semantic='MORPH_TARGET' source='#mt'/><input semantic='MORPH_WEIGHT' source='#mw'/>"
        "</targets></morph></controller></library_controllers><library_visual_scenes>",
    )
    .replace("instance_geometry url='#g'", "instance_controller url='#k'")
    .replace('instance_geometry url="#g"', 'instance_controller url="#k"')
    .replace("</instance_geometry>", "</instance_controller>")
)
CLOUD = (
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n"
)


def obj(feature: str, text: str, holds: Any, mtl: str = MTL) -> Case:
    files = {"a.obj": text.encode(), "m.mtl": mtl.encode(), "a.png": PNG, "a.tga": TGA}
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


def seen_through_glb() -> bytes:
    """Return a triangle that is blended with what is behind it."""
    buffer = Buffer()
    look = {"baseColorFactor": [1, 1, 1, 0.25]}
    attributes = {"POSITION": buffer.add(CORNERS, "VEC3")}
    return glb(attributes, buffer, {"alphaMode": "BLEND", "pbrMetallicRoughness": look})


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
FACE_COLORS = PLY_QUAD.replace(
    "vertex_indices\n", "vertex_indices\nproperty uchar red\nproperty uchar green\n"
    "property uchar blue\n",
).replace("4 0 1 2 3", "4 0 1 2 3 0 255 0")  # fmt: skip
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
OBJ_CASES += [
    Case("opacity", "glTF", {"a.glb": seen_through_glb()},
         lambda found: found.look["opacity"] == 0.25),
    obj("points without faces", "v 0 0 0\nv 1 0 0\nv 0 1 0\n",
        lambda found: found.has_points(LYING) and found.model.figure.is_cloud),
    mtl("opacity", "d 0.3\n", lambda found: found.look["opacity"] == 0.3),
    mtl("opacity", "Tr 0.7\n", lambda found: np.isclose(found.look["opacity"], 0.3)),
    obj(
        "pictures moved, turned, scaled",
        MAPPED,
        lambda found: found.column("texcoord")[:, 0].max() == 2.0,
        MTL + "map_Kd -s 2 2 1 a.png\n",
    ),
    obj(
        "pictures repeated, mirrored, clamped, in pixels",
        MAPPED,
        lambda found: found.picture.get_wrap_u() == found.picture.get_wrap_v() == CLAMPED,
        MTL + "map_Kd -clamp on a.png\n",
    ),
    obj(
        "pictures in DDS, PSD and TGA",
        MAPPED,
        lambda found: found.picture.get_x_size() == 6,
        MTL + "map_Kd a.tga\n",
    ),
]  # fmt: skip
STL_CASES = [
    Case("triangles", "STL", {"a.stl": stl()}, lambda found: found.has_points(CORNERS)),
    Case("triangles", "STL", {"a.stl": FACETS.encode()}, lambda found: found.has_points(CORNERS)),
]
STL_CASES.append(
    Case("face colours", "STL", {"a.stl": stl()[:-2] + b"\x1f\x80"},
         lambda found: np.allclose(found.column("color")[:, :3], (0, 0, 1)))
)  # fmt: skip
PLY_CASES = [
    ply("triangles", PLY, lambda found: len(found.model.points()) == 3),
    ply(
        "faces of four and more corners",
        PLY_QUAD,
        lambda found: found.has_points([*CORNERS, (1, 1, 0)]),
    ),
    ply("vertex colours", PLY, has_colors),
]
PLY_CASES += [
    ply("points without faces", CLOUD, lambda found: found.has_points(CORNERS)),
    ply("face colours", FACE_COLORS,
        lambda found: np.allclose(found.column("color")[:, :3], (0, 1, 0))),
    Case("pictures of the colour", "PLY",
         {"a.ply": PLY.replace("element v", "comment TextureFile a.png\nelement v").encode(),
          "a.png": PNG},
         lambda found: found.picture is not None),
]  # fmt: skip
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
        PICTURED_DAE,
        lambda found: found.picture is not None,
    ),
]
DAE_CASES += [
    dae("opacity", DAE.replace("</diffuse>", SEEN_THROUGH),
        lambda found: np.isclose(found.look["opacity"], 0.25)),
    dae("vertex colours", INKED, has_colors),
    dae("faces of four and more corners",
        DAE.replace("triangles", "polylist").replace("<p>", "<vcount>3</vcount><p>"),
        lambda found: found.has_points(MOVED)),
    Case("pictures in DDS, PSD and TGA", "DAE",
         {"a.dae": PICTURED_DAE.replace("a.png", "a.tga").encode(), "a.tga": TGA},
         lambda found: found.picture.get_x_size() == 6),
    Case("skins", "DAE", {"a.dae": arm_dae()},
         lambda found: "fore" in found.model.rig.joints and found.model.figure.bones),
    Case("clips", "DAE", {"a.dae": arm_dae(BEND)}, lambda found: list(found.model.rig.clips)),
    Case("blend shapes", "DAE", {"a.dae": MORPHED.encode()},
         lambda found: found.model.rig.sliders),
    Case("pictures in DDS, PSD and TGA", "egg, bam",
         {"a.egg": TRIANGLE.format(picture="a.tga").encode(), "a.tga": TGA},
         lambda found: found.picture.get_x_size() == 6),
]  # fmt: skip
CASES = [*OBJ_CASES, *STL_CASES, *PLY_CASES, *DAE_CASES]

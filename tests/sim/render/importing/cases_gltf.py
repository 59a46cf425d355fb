"""Cases of the table of formats: glTF."""

from __future__ import annotations

from typing import Any

import cv2
import DracoPy
import numpy as np
from panda3d.core import LVector3, SamplerState

from tests.sim.render.importing.format_table import Brought, Case
from tests.sim.render.importing.gltf_files import Buffer, glb_of, small_glb

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float)
LYING = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 1)], float)  # of what has y up
INKS = np.array([(1.0, 0.0, 0.0, 1.0), (0.0, 0.5, 0.0, 1.0), (0.0, 0.0, 0.25, 1.0)])
PNG = cv2.imencode(".png", np.full((4, 4, 3), 90, np.uint8))[1].tobytes()
WEBP = cv2.imencode(".webp", np.full((4, 4, 3), 90, np.uint8))[1].tobytes()


def triangle(changes: dict[str, Any] | None = None, **attributes: Any) -> bytes:
    """Return a file of one triangle.

    `changes` are further keys of its JSON; the further attributes are `[3, width]`.
    """
    buffer = Buffer()
    known = {"POSITION": buffer.add(CORNERS, "VEC3")}
    for name, values in attributes.items():
        known[name] = buffer.add(values, f"VEC{np.shape(values)[1]}")
    data = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": known, "material": 0}]}],
        "materials": [{}],
    }
    return glb_of({**data, **(changes or {})}, buffer)


def pictured(changes: dict[str, Any], picture: str = "a.png", **texture: Any) -> bytes:
    """Return a triangle with a picture of the colour; `texture` refers to it."""
    data = {
        "images": [{"uri": picture}],
        "textures": [{"source": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, **texture}}}],
        **changes,
    }
    return triangle(data, TEXCOORD_0=CORNERS[:, :2])


def gltf(feature: str, content: bytes, holds: Any) -> Case:
    return Case(feature, "glTF", {"a.glb": content, "a.png": PNG, "a.webp": WEBP}, holds)


def node(**keys: Any) -> dict[str, Any]:
    return {"nodes": [{"mesh": 0, **keys}]}


def material(**keys: Any) -> dict[str, Any]:
    return {"materials": [keys]}


def packed() -> bytes:
    """Return a triangle with a colour at each corner, packed by Draco."""
    mesh = DracoPy.encode(
        CORNERS.astype(np.float32), np.array([[0, 1, 2]], dtype=np.uint32), quantization_bits=16,
        generic_attributes={7: (INKS * 255).astype(np.uint8)},
    )  # fmt: skip
    buffer = Buffer()
    view = buffer.add(np.frombuffer(mesh, dtype=np.uint8), "SCALAR", 5121)
    buffer.accessors = [
        {"componentType": 5126, "type": "VEC3", "count": 3},
        {"componentType": 5121, "type": "VEC4", "count": 3, "normalized": True},
        {"componentType": 5125, "type": "SCALAR", "count": 3},
    ]
    found = DracoPy.decode(mesh).get_attribute_by_type(DracoPy.AttributeType.POSITION)
    by = {"bufferView": view, "attributes": {"POSITION": found["unique_id"], "COLOR_0": 7}}
    part = {
        "attributes": {"POSITION": 0, "COLOR_0": 1}, "indices": 2,
        "extensions": {"KHR_draco_mesh_compression": by},
    }  # fmt: skip
    data = {
        "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "meshes": [{"primitives": [part]}],
        "extensionsRequired": ["KHR_draco_mesh_compression"],
    }  # fmt: skip
    return glb_of(data, buffer)


def pointed() -> bytes:
    """Return three points in colours, of which two are named, with a material of half the light."""
    buffer = Buffer()
    columns = {"POSITION": buffer.add(CORNERS, "VEC3"), "COLOR_0": buffer.add(INKS, "VEC4")}
    part = {"attributes": columns, "mode": 0, "material": 0,
            "indices": buffer.add([0, 2], "SCALAR", 5123)}  # fmt: skip
    look = {"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.5, 0.5, 1.0]}}
    data = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0, "translation": [1, 0, 0]}],
        "meshes": [{"primitives": [part]}],
        "materials": [look],
    }
    return glb_of(data, buffer)


POINTED = (0.5 * INKS[[0, 2], :3]) ** (1.0 / 2.2)
"""Colours of what `pointed` shows, as they are drawn."""


def instanced() -> bytes:
    """Return a triangle at two places; the second one is mirrored."""
    buffer = Buffer()
    columns = {
        "TRANSLATION": buffer.add([(0, 0, 0), (5, 0, 0)], "VEC3"),
        "SCALE": buffer.add([(1, 1, 1), (-1, 2, 1)], "VEC3"),
    }
    places = {"EXT_mesh_gpu_instancing": {"attributes": columns}}
    data = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0, "extensions": places}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": buffer.add(CORNERS, "VEC3")}}]}],
        "extensionsRequired": ["EXT_mesh_gpu_instancing"],
    }
    return glb_of(data, buffer)


def sides_of(found: Brought) -> list[float]:
    """Return y of the normal of each triangle as it is drawn."""
    path = found.model.figure.node.find("**/+GeomNode")
    primitive = path.node().get_geom(0).decompose().get_primitive(0)
    order = [primitive.get_vertex(k) for k in range(primitive.get_num_vertices())]
    corners = found.column("vertex")[order, :3].reshape(-1, 3, 3)
    ways = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    place = path.get_mat(found.model.figure.node)
    return [float(place.xform_vec(LVector3(*way.tolist()))[1]) for way in ways]


TURN = {"extensions": {"KHR_texture_transform": {"scale": [2.0, 2.0]}}}
HIDDEN = {"extensions": {"KHR_node_visibility": {"visible": False}}}
SAMPLED = {"samplers": [{"wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9984}],
           "textures": [{"source": 0, "sampler": 0}]}  # fmt: skip
ALONE: dict[str, Any] = {
    "textures": [{"extensions": {"EXT_texture_webp": {"source": 0}}}],
    "images": [{"uri": "a.webp"}],
    "extensionsRequired": ["EXT_texture_webp"],
}
WRAPS = (SamplerState.WM_clamp, SamplerState.WM_mirror, SamplerState.FT_nearest)
CASES = [
    gltf("triangles", triangle(), lambda found: found.has_points(LYING)),
    gltf(
        "nodes: place, turn, scale",
        triangle(node(translation=[1, 0, 0], scale=[2, 1, 1])),
        lambda found: found.has_points(LYING * (2, 1, 1) + (1, 0, 0)),
    ),
    gltf(
        "mirrored nodes",
        triangle(node(scale=[-1, 1, 1])),
        lambda found: found.has_points(LYING * (-1, 1, 1)) and found.model.facing()[1] < 0,
    ),
    gltf(
        "colour",
        triangle(material(pbrMetallicRoughness={"baseColorFactor": [0.5, 0.25, 0.125, 1.0]})),
        lambda found: np.allclose(found.look["color"], (0.5, 0.25, 0.125)),
    ),
    gltf(
        "vertex colours",
        triangle(COLOR_0=INKS),
        lambda found: np.allclose(found.column("color")[:, :3], INKS[:, :3]),
    ),
    gltf("pictures of the colour", pictured({}), lambda found: found.picture is not None),
    gltf(
        "pictures moved, turned, scaled",
        pictured({}, **TURN),
        lambda found: np.ptp(found.column("texcoord")[:, 0]) > 1.9,
    ),
    gltf("hidden nodes", triangle(node(**HIDDEN)), lambda found: not len(found.model.points())),
    gltf(
        "hidden nodes",
        triangle({"nodes": [{"children": [1], **HIDDEN}, {"mesh": 0}]}),
        lambda found: not len(found.model.points()),
    ),
    gltf(
        "instances",
        instanced(),
        lambda found: (
            found.has_points([*LYING, *(LYING * (-1, 1, 2) + (5, 0, 0))])
            and max(sides_of(found)) < 0
        ),
    ),
    gltf(
        "points without faces",
        pointed(),
        lambda found: (
            found.has_points(LYING[[0, 2]] + (1, 0, 0))
            and found.model.figure.is_cloud
            and np.allclose(found.column("color")[:, :3], POINTED)
        ),
    ),
    gltf(
        "packed meshes",
        packed(),
        lambda found: (
            found.has_points(LYING)
            and np.allclose(
                sorted(map(tuple, found.column("color")[:, :3])),
                sorted(map(tuple, INKS[:, :3])),
                atol=0.01,
            )
        ),
    ),
    gltf(
        "pictures repeated, mirrored, clamped, in pixels",
        pictured(SAMPLED),
        lambda found: (
            (found.picture.wrap_u, found.picture.wrap_v, found.picture.magfilter) == WRAPS
        ),
    ),
    gltf("pictures in WebP", pictured(ALONE), lambda found: found.picture is not None),
    gltf("skins", small_glb(), lambda found: {"Upper", "Lower"} <= set(found.model.rig.joints)),
    gltf("blend shapes", small_glb(), lambda found: found.model.rig.sliders == ("Lift",)),
    gltf("clips", small_glb(), lambda found: list(found.model.rig.clips) == ["bend"]),
]

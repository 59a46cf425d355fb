"""Cases of the table of formats: glTF."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from tests.sim.render.importing.format_table import Case
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


TURN = {"extensions": {"KHR_texture_transform": {"scale": [2.0, 2.0]}}}
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
    gltf("skins", small_glb(), lambda found: {"Upper", "Lower"} <= set(found.model.rig.joints)),
    gltf("blend shapes", small_glb(), lambda found: found.model.rig.sliders == ("Lift",)),
    gltf("clips", small_glb(), lambda found: list(found.model.rig.clips) == ["bend"]),
]

"""Cases of the table of formats: FBX, egg."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from tests.sim.render.importing.fbx_files import write
from tests.sim.render.importing.fbx_rigs import Bone, Rig, Shell
from tests.sim.render.importing.format_table import Brought, Case
from tests.sim.render.importing.test_panda_files import EGG, TRIANGLE

CORNERS: list[tuple[float, float, float]] = [(0, 0, 0), (100, 0, 0), (0, 100, 0)]
DONE = np.array([(0, 0, 0), (1, 0, 0), (0, 0, 1)], float)
SQUARE: list[tuple[float, float, float]] = [*CORNERS[:2], (100, 100, 0), (0, 100, 0)]
PNG = cv2.imencode(".png", np.full((4, 4, 3), 90, np.uint8))[1].tobytes()
Z_UP = "<CoordinateSystem> { Z-Up }\n"
POOL = """<VertexPool> p { <Vertex> 0 { 0 0 0 } <Vertex> 1 { 1 0 0 } <Vertex> 2 { 1 0 1 }
  <Vertex> 3 { 0 0 1 } }
"""


def fbx(feature: str, rig: Rig, holds: Any) -> Case:
    return Case(feature, "FBX", {"a.fbx": write(rig, 7400)}, holds)


def egg(feature: str, text: str, holds: Any, **files: bytes) -> Case:
    further = {name.replace("_", "."): content for name, content in files.items()}
    return Case(feature, "egg, bam", {"a.egg": text.encode(), **further}, holds)


def plate(shell: Shell | None = None, **bone: Any) -> Rig:
    """Return a rig of one triangle in centimetres, y up."""
    node = Bone("Plate", kind="Mesh", **bone)
    return Rig([node], [shell or Shell("Plate", CORNERS, [[0, 1, 2]])])


def bent(found: Brought) -> bool:
    return bool(np.ptp(found.model.points("move", 1.0)[:, 0]) > 1.5)


LIFTED = Shell("Plate", CORNERS, [[0, 1, 2]], shapes={"Lift": {2: (0.0, 50.0, 0.0)}})
SKINNED = Shell("Plate", CORNERS, [[0, 1, 2]], skins=[{"Arm": {0: 1.0, 1: 1.0, 2: 1.0}}])
ARM = [Bone("Plate", kind="Mesh"), Bone("Arm")]
MOVE = {("Arm", "T"): [(0.0, (0.0, 0.0, 0.0)), (1.0, (100.0, 0.0, 0.0))]}
FBX_CASES = [
    fbx("triangles", plate(), lambda found: found.has_points(DONE)),
    fbx(
        "faces of four and more corners",
        plate(Shell("Plate", SQUARE, [[0, 1, 2, 3]])),
        lambda found: found.has_points([*DONE, (1, 0, 1)]),
    ),
    fbx(
        "nodes: place, turn, scale",
        plate(position=(100.0, 0.0, 0.0), scale=(2.0, 1.0, 1.0)),
        lambda found: found.has_points(DONE * (2, 1, 1) + (1, 0, 0)),
    ),
    fbx(
        "mirrored nodes",
        plate(scale=(-1.0, 1.0, 1.0)),
        lambda found: found.has_points(DONE * (-1, 1, 1)) and found.model.facing()[1] < 0,
    ),
    fbx("hidden nodes", plate(is_visible=False), lambda found: not len(found.model.points())),
    fbx("units", plate(), lambda found: found.has_points(DONE)),
    fbx(
        "pictures of the colour",
        plate(Shell("Plate", CORNERS, [[0, 1, 2]], picture=PNG, picture_name="a.png")),
        lambda found: found.picture is not None,
    ),
    fbx(
        "skins",
        Rig(ARM, [SKINNED], {"move": MOVE}),
        lambda found: np.allclose(found.model.points("move", 1.0)[:, 0].min(), 1.0, atol=1e-3),
    ),
    fbx("blend shapes", plate(LIFTED), lambda found: found.model.rig.sliders == ("Lift",)),
    fbx("clips", Rig(ARM, [SKINNED], {"move": MOVE}), lambda found: found.model.rig.clips),
]
EGG_CASES = [
    egg("triangles", TRIANGLE.format(picture="a.png"), lambda found: len(found.model.points()) == 3),
    egg(
        "faces of four and more corners",
        Z_UP + POOL + "<Polygon> { <VertexRef> { 0 1 2 3 <Ref> { p } } }",
        lambda found: len(found.model.points()) >= 4,
    ),
    egg(
        "nodes: place, turn, scale",
        Z_UP + "<Group> g { <Transform> { <Translate> { 0 0 5 } } " + POOL
        + "<Polygon> { <VertexRef> { 0 1 2 <Ref> { p } } } }",
        lambda found: len(found.model.points()) == 3,
    ),
    egg(
        "vertex colours",
        Z_UP + "<VertexPool> p { <Vertex> 0 { 0 0 0 <RGBA> { 1 0 0 1 } } <Vertex> 1 { 1 0 0 <RGBA> "
        "{ 0 1 0 1 } } <Vertex> 2 { 1 0 1 <RGBA> { 0 0 1 1 } } }\n"
        "<Polygon> { <VertexRef> { 0 1 2 <Ref> { p } } }",
        lambda found: len({tuple(row) for row in found.column("color")[:, :3].tolist()}) == 3,
    ),
    egg(
        "pictures of the colour",
        TRIANGLE.format(picture="a.png"),
        lambda found: found.picture is not None,
        a_png=PNG,
    ),
    egg("colour", EGG, lambda found: found.look["color"] == [1.0, 0.0, 0.0]),
    egg("skins", EGG, lambda found: {"base", "tip"} <= set(found.model.rig.joints)),
    egg("clips", EGG, lambda found: list(found.model.rig.clips) == ["rig"]),
    egg(
        "blend shapes",
        Z_UP + "<Group> rig { <Dart> { 1 } <VertexPool> p { <Vertex> 0 { 0 0 0 <Dxyz> Lift { 0 0 1 "
        "} } <Vertex> 1 { 1 0 0 } <Vertex> 2 { 1 0 1 } }\n"
        "<Polygon> { <VertexRef> { 0 1 2 <Ref> { p } } } }",
        lambda found: found.model.rig.sliders == ("Lift",),
    ),
]  # fmt: skip
CASES = [*FBX_CASES, *EGG_CASES]

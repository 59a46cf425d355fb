"""Parts of FBX files that all versions spell alike: names, axes, meshes and binds."""

from __future__ import annotations

import numpy as np

from tests.sim.render.importing.fbx_rigs import Rig, Shell
from tests.sim.render.importing.fbx_syntax import Part

SECOND = 46_186_158_000  # FBX ticks


def named(name: str, kind: str) -> str:
    """Return a name with its kind: `Kind::Name` in text."""
    return f"{name}\x00\x01{kind}" if kind else name


def settings(rig: Rig, properties: str) -> Part:
    front = {0: 1, 1: 2, 2: 1}[rig.up]
    across = {0: 2, 1: 0, 2: 0}[rig.up]
    sign = -1 if rig.up == 2 else 1
    values = [
        ("UpAxis", rig.up),
        ("UpAxisSign", 1),
        ("FrontAxis", front),
        ("FrontAxisSign", sign),
        ("CoordAxis", across),
        ("CoordAxisSign", 1),
    ]
    name = "P" if properties == "Properties70" else "Property"
    gap = ["Integer", ""] if name == "P" else [""]
    parts = [Part(name, [key, "int", *gap, value]) for key, value in values]
    gap = ["Number", ""] if name == "P" else [""]
    parts.append(Part(name, ["UnitScaleFactor", "double", *gap, rig.unit]))
    return Part("GlobalSettings", [], [Part("Version", [1000]), Part(properties, [], parts)])


def mesh_parts(shell: Shell, *, is_array: bool) -> list[Part]:
    points = [float(value) for point in shell.points for value in point]
    corners = [
        index if place < len(face) - 1 else -index - 1
        for face in shell.faces
        for place, index in enumerate(face)
    ]
    uvs = [float(value) for x, y, _ in shell.points for value in (x, y)]
    wrap = (lambda values: [values]) if is_array else (lambda values: values)
    layer = Part(
        "LayerElementUV",
        [0],
        [
            Part("Version", [101]),
            Part("Name", ["map"]),
            Part("MappingInformationType", ["ByPolygonVertex"]),
            Part("ReferenceInformationType", ["IndexToDirect"]),
            Part("UV", wrap(uvs)),
            Part("UVIndex", wrap([index for face in shell.faces for index in face])),
        ],
    )
    element = Part("LayerElement", [], [Part("Type", ["LayerElementUV"]), Part("TypedIndex", [0])])
    return [
        Part("Vertices", wrap(points)),
        Part("PolygonVertexIndex", wrap(corners)),
        Part("GeometryVersion", [124]),
        layer,
        Part("Layer", [0], [Part("Version", [100]), element]),
    ]


def bind_parts(rig: Rig, mesh: str, bone: str, *, is_array: bool) -> list[Part]:
    """Return `Transform` (mesh to bone at the bind) and `TransformLink` (bone to world)."""
    link = rig.world(bone)
    both = {"Transform": rig.world(mesh) @ np.linalg.inv(link), "TransformLink": link}
    return [
        Part(name, [value.ravel().tolist()] if is_array else value.ravel().tolist())
        for name, value in both.items()
    ]

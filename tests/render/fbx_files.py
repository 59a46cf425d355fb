"""Writes small FBX files: rigs with skins, blend shapes and clips, as text and binary, 5000 to 7700.

A file is a tree of `Part`s; the emitters know how each version spells a `Model`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.render.fbx_rigs import Bone, Curves, Rig, Shell
from tests.render.fbx_syntax import Part, to_binary, to_text

SECOND = 46_186_158_000  # FBX ticks


def write(rig: Rig, version: int, *, binary: bool = False) -> bytes:
    """Return the bytes of a file."""
    if version >= 7000:
        tree = Modern(rig, version).tree()
    elif version >= 6000:
        tree = Classic(rig, version).tree()
    else:
        tree = Ancient(rig, version).tree()
    return to_binary(tree, version) if binary else to_text(tree, version)


# -- version 7: objects with numbers, joined by connections ------------------------------------


class Modern:
    def __init__(self, rig: Rig, version: int) -> None:
        self.rig = rig
        self.version = version
        self.objects: list[Part] = []
        self.links: list[Part] = []
        self.count = 1000
        self.ids: dict[str, int] = {}

    def add(self, kind: str, name: str, sub: str, parts: list[Part]) -> int:
        self.count += 1
        self.objects.append(Part(kind, [self.count, named(name, kind_of(kind)), sub], parts))
        return self.count

    def link(self, child: int, parent: int, prop: str = "") -> None:
        values: list[Any] = ["OP" if prop else "OO", child, parent]
        self.links.append(Part("C", [*values, prop] if prop else values))

    def tree(self) -> list[Part]:
        for bone in self.rig.bones:
            self.add_bone(bone)
        for shell in self.rig.shells:
            self.add_shell(shell)
        for name, curves in self.rig.clips.items():
            self.add_clip(name, curves)
        header = Part("FBXHeaderExtension", [], [Part("FBXVersion", [self.version])])
        return [
            header,
            settings(self.rig, "Properties70"),
            Part("Objects", [], self.objects),
            Part("Connections", [], self.links),
        ]

    def add_bone(self, bone: Bone) -> None:
        properties = [
            Part("P", ["Lcl Translation", "Lcl Translation", "", "A", *bone.position]),
            Part("P", ["Lcl Rotation", "Lcl Rotation", "", "A", *bone.rotation]),
            Part("P", ["Lcl Scaling", "Lcl Scaling", "", "A", *bone.scale]),
            Part("P", ["InheritType", "enum", "", "", bone.inherit]),
            Part("P", ["Visibility", "Visibility", "", "A", float(bone.is_visible)]),
        ]
        parts = [Part("Version", [232]), Part("Properties70", [], properties)]
        number = self.ids[bone.name] = self.add("Model", bone.name, bone.kind, parts)
        self.link(number, self.ids[bone.parent] if bone.parent else 0)
        if bone.kind == "LimbNode":
            inner = [Part("TypeFlags", ["Skeleton"])]
            self.link(self.add("NodeAttribute", bone.name, "LimbNode", inner), number)

    def add_shell(self, shell: Shell) -> None:
        mesh = self.add("Geometry", shell.node, "Mesh", mesh_parts(shell, is_array=True))
        self.link(mesh, self.ids[shell.node])
        for number, skin in enumerate(shell.skins):
            deformer = self.add("Deformer", f"Skin{number}", "Skin", [Part("Version", [101])])
            self.link(deformer, mesh)
            for bone, weights in skin.items():
                cluster = self.add(
                    "Deformer",
                    bone,
                    "Cluster",
                    [
                        Part("Version", [100]),
                        Part("Indexes", [list(weights)]),
                        Part("Weights", [[float(value) for value in weights.values()]]),
                        *bind_parts(self.rig, shell.node, bone, is_array=True),
                    ],
                )
                self.link(cluster, deformer)
                self.link(self.ids[bone], cluster)
        for name, offsets in shell.shapes.items():
            self.add_shape(mesh, name, offsets)
        if shell.picture or shell.picture_name:
            self.add_picture(shell)

    def add_shape(self, mesh: int, name: str, offsets: Any) -> None:
        blend = self.add("Deformer", name, "BlendShape", [Part("Version", [100])])
        channel = self.ids[f"shape {name}"] = self.add(
            "Deformer",
            name,
            "BlendShapeChannel",
            [
                Part("Version", [100]),
                Part("DeformPercent", [0.0]),
                Part("FullWeights", [[100.0]]),
            ],
        )
        flat = [float(value) for offset in offsets.values() for value in offset]
        shape = self.add(
            "Geometry",
            name,
            "Shape",
            [
                Part("Version", [100]),
                Part("Indexes", [list(offsets)]),
                Part("Vertices", [flat]),
            ],
        )
        self.link(blend, mesh)
        self.link(channel, blend)
        self.link(shape, channel)

    def add_picture(self, shell: Shell) -> None:
        material = self.add("Material", "Paint", "", [Part("ShadingModel", ["phong"])])
        self.link(material, self.ids[shell.node])
        names = [
            Part("FileName", [f"C:\\work\\{shell.picture_name}"]),
            Part("RelativeFilename", [shell.picture_name]),
        ]
        texture = self.add("Texture", "Paint", "", names)
        self.link(texture, material, "DiffuseColor")
        content = [Part("Content", [shell.picture])] if shell.picture else []
        self.link(self.add("Video", "Paint", "Clip", [*names, *content]), texture)

    def add_clip(self, name: str, curves: Curves) -> None:
        end = max(time for keys in curves.values() for time, _ in keys)
        times = [
            Part("P", [key, "KTime", "Time", "", value])
            for key, value in (("LocalStart", 0), ("LocalStop", round(end * SECOND)))
        ]
        stack = self.add("AnimationStack", name, "", [Part("Properties70", [], times)])
        layer = self.add("AnimationLayer", name, "", [])
        self.link(layer, stack)
        for (target, kind), keys in curves.items():
            node = self.add("AnimationCurveNode", kind, "", [])
            self.link(node, layer)
            prop = {
                "T": "Lcl Translation",
                "R": "Lcl Rotation",
                "S": "Lcl Scaling",
                "D": "DeformPercent",
            }[kind]
            self.link(node, self.ids[f"shape {target}" if kind == "D" else target], prop)
            for axis, letter in enumerate("XYZ" if kind != "D" else ("X",)):
                curve = self.add("AnimationCurve", "", "", curve_parts(keys, axis))
                suffix = "DeformPercent" if kind == "D" else letter
                self.link(curve, node, f"d|{suffix}")


def curve_parts(keys: Any, axis: int) -> list[Part]:
    return [
        Part("Default", [0.0]),
        Part("KeyVer", [4008]),
        Part("KeyTime", [[round(time * SECOND) for time, _ in keys]]),
        Part("KeyValueFloat", [[float(value[axis]) for _, value in keys]]),
        Part("KeyAttrFlags", [[4]]),  # straight lines
        Part("KeyAttrDataFloat", [[0.0, 0.0, 0.0, 0.0]]),
        Part("KeyAttrRefCount", [[len(keys)]]),
    ]


# -- version 6: objects with names, clips as takes ----------------------------------------------


class Classic:
    properties = "Properties60"

    def __init__(self, rig: Rig, version: int) -> None:
        self.rig = rig
        self.version = version

    def tree(self) -> list[Part]:
        objects, links = [], []
        for bone in self.rig.bones:
            kind = "Limb" if bone.kind == "LimbNode" else bone.kind
            parts = [Part("Version", [232]), Part("Properties60", [], self.place(bone))]
            shells = [shell for shell in self.rig.shells if shell.node == bone.name]
            for shell in shells:
                parts += mesh_parts(shell, is_array=False)
            objects.append(Part("Model", [named(bone.name, "Model"), kind], parts))
            above = named(bone.parent or "Scene", "Model")
            links.append(Part("Connect", ["OO", named(bone.name, "Model"), above]))
            for shell in shells:
                self.add_skins(shell, objects, links)
        header = Part(
            "FBXHeaderExtension",
            [],
            [
                Part("FBXHeaderVersion", [1003]),
                Part("FBXVersion", [self.version]),
            ],
        )
        extra = Part("Version5", [], [Part("Settings", [], [Part("FrameRate", ["24"])])])
        objects.append(settings(self.rig, "Properties60"))
        return [
            header,
            Part("Objects", [], objects),
            Part("Connections", [], links),
            takes(self.rig),
            extra,
        ]

    @staticmethod
    def place(bone: Bone) -> list[Part]:
        return [
            Part("Property", ["Visibility", "Visibility", "A+", int(bone.is_visible)]),
            Part("Property", ["Lcl Translation", "Lcl Translation", "A+", *bone.position]),
            Part("Property", ["Lcl Rotation", "Lcl Rotation", "A+", *bone.rotation]),
            Part("Property", ["Lcl Scaling", "Lcl Scaling", "A+", *bone.scale]),
            Part("Property", ["InheritType", "enum", "", bone.inherit]),
        ]

    def add_skins(self, shell: Shell, objects: list[Part], links: list[Part]) -> None:
        for number, skin in enumerate(shell.skins):
            name = named(f"Skin {shell.node} {number}", "Deformer")
            objects.append(Part("Deformer", [name, "Skin"], [Part("Version", [100])]))
            links.append(Part("Connect", ["OO", name, named(shell.node, "Model")]))
            for bone, weights in skin.items():
                cluster = named(f"Cluster {shell.node} {number} {bone}", "SubDeformer")
                objects.append(
                    Part(
                        "Deformer",
                        [cluster, "Cluster"],
                        [
                            Part("Version", [100]),
                            Part("Indexes", list(weights)),
                            Part("Weights", [float(value) for value in weights.values()]),
                            *bind_parts(self.rig, shell.node, bone, is_array=False),
                        ],
                    )
                )
                links.append(Part("Connect", ["OO", cluster, name]))
                links.append(Part("Connect", ["OO", named(bone, "Model"), cluster]))


# -- version 5: models at the top, with their channels, children and links inside ----------------


class Ancient:
    def __init__(self, rig: Rig, version: int) -> None:
        self.rig = rig
        self.version = version

    def tree(self) -> list[Part]:
        models = []
        for bone in self.rig.bones:
            kind = "Limb" if bone.kind == "LimbNode" else bone.kind
            parts = [
                Part("Version", [7]),
                Part("Channel", ["Transform"], channels(bone)),
                Part("Type", [bone.kind]),
                Part("MaterialAssignation", ["AllSame"]),
                Part(
                    "Children", [item.name for item in self.rig.bones if item.parent == bone.name]
                ),
            ]
            for shell in (shell for shell in self.rig.shells if shell.node == bone.name):
                parts += mesh_parts(shell, is_array=False)
                for skin in shell.skins:
                    for name, weights in skin.items():
                        parts.append(
                            Part(
                                "Link",
                                [name],
                                [
                                    Part("Version", [2]),
                                    Part("Indexes", list(weights)),
                                    Part("Weights", [float(value) for value in weights.values()]),
                                    *bind_parts(self.rig, shell.node, name, is_array=False),
                                ],
                            )
                        )
            models.append(Part("Model", [bone.name, kind], parts))
        header = Part(
            "FBXHeaderExtension",
            [],
            [
                Part("FBXHeaderVersion", [1001]),
                Part("FBXVersion", [self.version]),
            ],
        )
        return [header, *models, takes(self.rig, "")]


def channels(bone: Bone) -> list[Part]:
    values = {"T": bone.position, "R": bone.rotation, "S": bone.scale}
    return [
        Part(
            "Channel",
            [kind],
            [
                Part("Channel", [axis], [Part("Default", [float(value)])])
                for axis, value in zip("XYZ", triple, strict=True)
            ],
        )
        for kind, triple in values.items()
    ]


# -- what the versions share ---------------------------------------------------------------------


def named(name: str, kind: str) -> str:
    """Return a name with its kind: `Kind::Name` in text."""
    return f"{name}\x00\x01{kind}" if kind else name


def kind_of(kind: str) -> str:
    return {
        "AnimationStack": "AnimStack",
        "AnimationLayer": "AnimLayer",
        "AnimationCurveNode": "AnimCurveNode",
        "AnimationCurve": "AnimCurve",
    }.get(kind, kind)


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


def takes(rig: Rig, kind: str = "Model") -> Part:
    parts = [Part("Current", [next(iter(rig.clips), "")])]
    for name, curves in rig.clips.items():
        end = round(max(time for keys in curves.values() for time, _ in keys) * SECOND)
        parts.append(
            Part(
                "Take",
                [name],
                [
                    Part("FileName", [f"{name}.tak"]),
                    Part("LocalTime", [0, end]),
                    Part("ReferenceTime", [0, end]),
                    *(take_model(rig, bone, curves, kind) for bone in rig.bones),
                ],
            )
        )
    return Part("Takes", [], parts)


def take_model(rig: Rig, bone: Bone, curves: Curves, kind: str) -> Part:
    rest = {"T": bone.position, "R": bone.rotation, "S": bone.scale}
    groups = []
    for group, triple in rest.items():
        keys = curves.get((bone.name, group))
        axes = []
        for axis, letter in enumerate("XYZ"):
            inner = [Part("Default", [float(triple[axis])])]
            if keys:
                flat = [
                    item
                    for time, value in keys
                    for item in (round(time * SECOND), float(value[axis]), "L")
                ]
                inner += [Part("KeyVer", [4005]), Part("KeyCount", [len(keys)]), Part("Key", flat)]
            axes.append(Part("Channel", [letter], inner))
        groups.append(Part("Channel", [group], axes))
    transform = Part("Channel", ["Transform"], groups)
    return Part("Model", [named(bone.name, kind)], [Part("Version", [1.1]), transform])

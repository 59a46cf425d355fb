"""FBX files of version 7: objects with numbers, joined by connections."""

from __future__ import annotations

from typing import Any

from tests.sim.render.importing.fbx_parts import SECOND, bind_parts, mesh_parts, named, settings
from tests.sim.render.importing.fbx_rigs import Bone, Curves, Rig, Shell
from tests.sim.render.importing.fbx_syntax import Part


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
        if shell.picture or shell.picture_name or shell.paint:
            self.add_material(shell)

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

    def add_material(self, shell: Shell) -> None:
        values = [Part("P", [name, kind, "", "A", value]) for name, kind, value in shell.paint]
        is_foreign = any("|" in name for name, _, _ in shell.paint)
        model = "unknown" if is_foreign else "phong"
        parts = [Part("ShadingModel", [model]), Part("Properties70", [], values)]
        material = self.add("Material", "Paint", "", parts if values else parts[:1])
        self.link(material, self.ids[shell.node])
        if shell.picture or shell.picture_name:
            self.add_picture(shell, material)

    def add_picture(self, shell: Shell, material: int) -> None:
        names = [
            Part("FileName", [f"C:\\work\\{shell.picture_name}"]),
            Part("RelativeFilename", [shell.picture_name]),
        ]
        texture = self.add("Texture", "Paint", "", names)
        self.link(texture, material, shell.slot)
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


def kind_of(kind: str) -> str:
    return {
        "AnimationStack": "AnimStack",
        "AnimationLayer": "AnimLayer",
        "AnimationCurveNode": "AnimCurveNode",
        "AnimationCurve": "AnimCurve",
    }.get(kind, kind)

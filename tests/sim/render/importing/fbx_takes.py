"""FBX files of versions 5 and 6: objects with names, clips as takes."""

from __future__ import annotations

from tests.sim.render.importing.fbx_parts import SECOND, bind_parts, mesh_parts, named, settings
from tests.sim.render.importing.fbx_rigs import Bone, Curves, Rig, Shell
from tests.sim.render.importing.fbx_syntax import Part


class Classic:
    """Version 6: objects with names, joined by connections."""

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


class Ancient:
    """Version 5: models at the top, with their channels, children and links inside."""

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

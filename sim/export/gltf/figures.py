"""Models from files in a glTF file: a node for each joint, skins, blend shapes and clips.

What is read is the model as it is kept once imported: `model.bam` with its meshes and textures, and
the rig. So models of every format that Goishi reads go out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from panda3d.core import GeomVertexData, InternalName, NodePath, Texture

from base.values import JsonObject
from sim.core.assets.animation.rig import Clip, Rig
from sim.core.geometry.rotations import is_mirrored
from sim.export.gltf.axes import matrices_of, place_of, points_of, scales_of, turns_of
from sim.export.gltf.container import GltfDocument
from sim.export.gltf.materials import Materials
from sim.export.gltf.meshes import Part, column, geoms_of, part_of
from sim.render.materials.dressing import Paint
from sim.render.materials.surface import POINT_TAG, Surface
from sim.render.models.figures import Blend, Figure, FigureSource

BENT: Final = -1
"""In place of a joint, of a mesh that bones bend."""
STILL: Final = 1e-7  # of a joint that a clip leaves at rest


@dataclass(frozen=True)
class FigureMesh:
    """A mesh of a model, written to the file.

    Attributes:
        name: its name.
        mesh: index of the glTF mesh.
        joint: the rig's joint that carries it, or `BENT`.
        bones: bones of the model that bend it, in the order of its skin.
        sliders: the rig's blend shapes that bend it.
        triangles: how many it has.
    """

    name: str
    mesh: int
    joint: int
    bones: tuple[int, ...]
    sliders: tuple[int, ...]
    triangles: int


class FigureWriter:
    """Writes the models of files into a glTF file; objects that show the same one share meshes.

    Args:
        document: the file.
        materials: its materials.
        blank: white texture for materials without one.
    """

    def __init__(self, document: GltfDocument, materials: Materials, blank: Texture) -> None:
        self._document = document
        self._materials = materials
        self._blank = blank
        self._meshes: dict[object, list[FigureMesh]] = {}
        self._clips: dict[tuple[object, str], int] = {}
        self._names: set[str] = set()

    def write(
        self,
        source: FigureSource,
        rig: Rig,
        material: JsonObject,
        cover: Texture | None,
        key: tuple[object, ...],
    ) -> tuple[list[int], int]:
        """Write a copy of a model: its joints, and what they carry and bend.

        Args:
            source: the model.
            rig: its rig, with the clips.
            material: values that override those of the model's file.
            cover: texture that replaces those of the file; None to keep them.
            key: the model's name first, then what else tells copies with another look.

        Returns:
            The nodes to hang below the object's node, and how many triangles they have.
        """
        if key not in self._meshes:
            figure = Figure(source, self._blank, material, cover)
            self._meshes[key] = self._written(source, rig, figure)
        meshes = self._meshes[key]
        joints = [self._joint(rig, number) for number in range(len(rig.joints))]
        tops = []
        for number, parent in enumerate(rig.parents.tolist()):
            if parent < 0:
                tops.append(joints[number])
            else:
                self._hang(joints[parent], joints[number])
        bent: dict[int, FigureMesh] = {}
        for mesh in meshes:
            node = self._carried(mesh, source, rig, joints)
            if mesh.joint < 0:
                tops.append(node)
            if mesh.sliders:
                bent[node] = mesh
        for clip in rig.clips.values():
            self._animate(key[0], clip, rig, joints, bent)
        return tops, sum(mesh.triangles for mesh in meshes)

    def _hang(self, above: int, node: int) -> None:
        self._document.item("nodes", above).setdefault("children", []).append(node)

    def _joint(self, rig: Rig, number: int) -> int:
        rest = rig.rest
        place = place_of(rest.positions[number], rest.rotations[number], rest.scales[number])
        return self._document.add("nodes", {"name": rig.joints[number], **place})

    def _carried(self, mesh: FigureMesh, source: FigureSource, rig: Rig, joints: list[int]) -> int:
        """Add the node of a mesh, below its joint if it has one; return it."""
        item: JsonObject = {"name": mesh.name, "mesh": mesh.mesh}
        if mesh.sliders:
            item["weights"] = [float(rig.rest.sliders[slider]) for slider in mesh.sliders]
        if mesh.joint >= 0:
            node = self._document.add("nodes", item)
            self._hang(joints[mesh.joint], node)
            return node
        bones = list(mesh.bones)
        binds = matrices_of(source.skin.binds[bones])
        binds[:, :, 3] = (0.0, 0.0, 0.0, 1.0)  # exactly, as section 3.7.3.1 asks
        rows = binds.reshape(-1, 16).astype(np.float32)
        named: list[int] = []
        for bone in bones:
            joint = joints[int(source.skin.joints[bone])]
            if joint in named:  # two binds of one joint: a skin may name each node once
                alias = self._document.add("nodes", {"name": "bind"})
                self._hang(joint, alias)
                joint = alias
            named.append(joint)
        skin = {"joints": named, "inverseBindMatrices": self._document.accessor(rows)}
        item["skin"] = self._document.add("skins", skin)
        return self._document.add("nodes", item)

    # -- meshes -------------------------------------------------------------------------------

    def _written(self, source: FigureSource, rig: Rig, figure: Figure) -> list[FigureMesh]:
        """Write all meshes of a model."""
        found, tables = [], iter(source.skin.tables)
        for path, geom in geoms_of(figure.node):
            paint = None if path.has_tag(POINT_TAG) else Paint.of(path)
            part = part_of(geom, repeats=paint.surface[3] if paint is not None else 0.0)
            data = geom.get_vertex_data()
            is_bent = data.get_transform_blend_table() is not None
            table = next(tables) if is_bent else ()
            if part is None:
                continue
            bones: tuple[int, ...] = ()
            sliders: tuple[int, ...] = ()
            joint = BENT
            if is_bent:
                bones, part = bent(part, table, data)
                sliders, part = shaped(part, rig, data)
            else:
                joint = int(path.get_net_tag("joint") or 0)
                if is_mirrored(rig.rest_matrices[joint]):
                    part = part.turned()  # who draws it turns its sides again
            number = self._material(path, paint)
            item: JsonObject = {
                "name": path.name or "mesh",
                "primitives": [part.primitive(self._document, number)],
            }
            if sliders:
                item["extras"] = {"targetNames": [rig.sliders[slider] for slider in sliders]}
            mesh = self._document.add("meshes", item)
            count = 0 if part.triangles is None else len(part.triangles)
            found.append(FigureMesh(item["name"], mesh, joint, bones, sliders, count))
        return found

    def _material(self, path: NodePath, paint: Paint | None) -> int:
        if paint is None:
            return self._materials.of_points(is_clear=False)
        return self._materials.of(path, paint, Surface.of_tag(path.get_tag("surface")).name)

    # -- clips --------------------------------------------------------------------------------

    def _animate(
        self, model: object, clip: Clip, rig: Rig, joints: list[int], bent: dict[int, FigureMesh]
    ) -> None:
        """Add what a clip moves in one copy of a model; copies share the animation."""
        channels: list[JsonObject] = []
        samplers: list[JsonObject] = []
        known = self._clips.get((model, clip.name))
        if known is not None:
            animation = self._document.item("animations", known)
            channels, samplers = animation["channels"], animation["samplers"]
        frames = len(clip.positions)
        times = np.linspace(0.0, clip.duration, frames).astype(np.float32)
        if frames > 1 and not (np.diff(times) > 0.0).all():
            times, frames = times[:1], 1

        def add(node: int, path: str, values: npt.NDArray[Any]) -> None:
            rows = np.ascontiguousarray(values[:frames], np.float32)
            rows = rows.reshape(-1) if path == "weights" else rows
            sampler = {
                "input": self._document.accessor(times, has_bounds=True),
                "output": self._document.accessor(rows),
                "interpolation": "LINEAR",
            }
            samplers.append(sampler)
            target = {"node": node, "path": path}
            channels.append({"sampler": len(samplers) - 1, "target": target})

        for place, joint in enumerate(clip.joints.tolist()):
            for path, values in _moved(clip, rig, place, joint):
                add(joints[joint], path, values)
        if clip.sliders.size and np.abs(clip.sliders - rig.rest.sliders).max() > STILL:
            for node, mesh in bent.items():
                add(node, "weights", clip.sliders[:, list(mesh.sliders)])
        if known is None and channels:
            name = clip.name
            number = 0
            while name in self._names:  # of another model
                number += 1
                name = f"{clip.name}.{number}"
            self._names.add(name)
            item = {"name": name, "channels": channels, "samplers": samplers}
            self._clips[model, clip.name] = self._document.add("animations", item)


def bent(part: Part, table: Sequence[Blend], data: GeomVertexData) -> tuple[tuple[int, ...], Part]:
    """Return the bones that bend a mesh, and the mesh with their weights.

    Args:
        part: the mesh.
        table: its distinct combinations of bones and weights.
        data: its vertex data, which says which combination each vertex has.
    """
    width = max((len(blend) for blend in table), default=1)
    bones = np.zeros((len(table), max(1, width)), np.int64)
    weights = np.zeros(bones.shape, np.float32)
    for row, blend in enumerate(table):
        for place, (bone, weight) in enumerate(blend):
            bones[row, place], weights[row, place] = bone, weight
    used = sorted({bone for blend in table for bone, _ in blend}) or [0]
    order = np.zeros(max(used) + 1, np.int64)
    order[used] = np.arange(len(used))
    weights[weights.sum(axis=1) <= 0.0, 0] = 1.0
    rows = column(data, InternalName.get_transform_blend())
    chosen = np.zeros(len(part.points), np.int64) if rows is None else rows[:, 0].astype(int)
    return tuple(used), replace(part, bones=order[bones[chosen]], weights=weights[chosen])


def shaped(part: Part, rig: Rig, data: GeomVertexData) -> tuple[tuple[int, ...], Part]:
    """Return the blend shapes that bend a mesh, as sliders of its rig, and the mesh with them.

    Args:
        part: the mesh.
        rig: the rig.
        data: the vertex data.
    """
    sliders, morphs = [], []
    for slider in range(len(rig.sliders)):
        names = [
            InternalName.get_morph(InternalName.make(each), f"s{slider}")
            for each in ("vertex", "normal")
        ]
        moved, turned = (column(data, name) for name in names)
        if moved is not None:
            sliders.append(slider)
            morphs.append((moved, np.zeros_like(moved) if turned is None else turned))
    return tuple(sliders), replace(part, morphs=tuple(morphs))


def _moved(
    clip: Clip, rig: Rig, place: int, joint: int
) -> list[tuple[str, npt.NDArray[np.floating[Any]]]]:
    """Return how a clip moves a joint: for each path of glTF its values, frame by frame.

    Args:
        clip: the clip.
        rig: the rig.
        place: index of the joint in the clip.
        joint: index of the joint in the rig.
    """
    positions, scales = clip.positions[:, place], clip.scales[:, place]
    turns = clip.rotations[:, place].astype(np.float64)
    found = []
    if np.abs(positions - rig.rest.positions[joint]).max() > STILL:
        found.append(("translation", points_of(positions)))
    if (np.abs(turns @ rig.rest.rotations[joint]) < 1.0 - STILL**2).any():
        lengths = np.linalg.norm(turns, axis=1, keepdims=True)
        found.append(("rotation", turns_of(turns / np.where(lengths > 0.0, lengths, 1.0))))
    if np.abs(scales - rig.rest.scales[joint]).max() > STILL:
        found.append(("scale", scales_of(scales)))
    return found


__all__ = ["FigureWriter"]

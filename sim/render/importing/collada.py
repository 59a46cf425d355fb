"""COLLADA importer (`.dae`): meshes, materials and skins by pycollada, clips by our own reader."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import collada
import numpy as np

from base.contents import HEAD
from sim.core.assets.animation.poses import FloatArray, IntArray
from sim.core.assets.animation.rig import Clip, Rig
from sim.render.importing.collada_motion import FRAME_RATE, DaeNode, Motion, nodes_of
from sim.render.importing.fbx import dense
from sim.render.importing.model_data import (
    WHITE,
    Beside,
    MeshData,
    ModelData,
    ModelError,
    SkinData,
    bare_surface,
    is_cut,
    linear_of,
    normals_of,
    pose_of,
    unique_names,
    unit,
)
from sim.render.importing.stl import one_line
from sim.render.materials.surface import Surface

LEFT_OUT = "its blend shapes are left out: they are read from FBX and glTF only"
SINGULAR = 1e-12  # determinant of a place that flattens what is in it
DECIMAL_COMMA = re.compile(r"\d,\d+\s")
TURNS = {  # from the file's axes to z up, for row vectors
    "X_UP": np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]),
    "Y_UP": np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)]),
    "Z_UP": np.eye(3),
}


def read(path: Path, beside: Beside) -> ModelData:
    """Read a COLLADA file.

    Args:
        path: the file.
        beside: finds the pictures that the file refers to.

    Raises:
        ModelError: the file is not readable.
    """
    try:
        document = collada.Collada(str(path), ignore=[collada.common.DaeError])
    except MemoryError:
        raise
    except Exception as error:  # a broken file ends its reader anywhere
        raise ModelError(f"expected COLLADA, found a broken file: {one_line(error)}") from error
    reader = ColladaReader(document, beside)
    reader.read_meshes()
    reader.data.warnings += beside.warnings()
    reader.data.beside = beside.seen
    return reader.data


class ColladaReader:
    """Converts one COLLADA document to plain arrays.

    Each node of the scene is a joint of the rig. Joint 0 turns the file's axes to z up. Lengths are
    metres from the start.
    """

    def __init__(self, document: Any, beside: Beside) -> None:
        self._document = document
        self._beside = beside
        self._nodes = [] if document.scene is None else nodes_of(document.scene)
        asset = document.assetInfo
        meters = float(asset.unitmeter or 1.0)
        self._meters = meters if np.isfinite(meters) and meters > 0.0 else 1.0
        self._axes = np.eye(4)
        self._axes[:3, :3] = TURNS.get(str(asset.upaxis), TURNS["Y_UP"])
        self._locals = [self._axes, *(self._scaled(node.matrix) for node in self._nodes)]
        self._places = self._chained()
        motion = Motion(document, self._nodes)
        self.data = ModelData(self._rig(motion, beside.stem))
        self._surfaces: dict[object, int] = {}
        self._pictures: dict[str, int] = {}
        self._missed: set[str] = set()
        if document.errors:
            self.data.warnings.append(
                f"{len(document.errors)} of its parts cannot be read and are left out, "
                f"the first: {one_line(document.errors[0])}"
            )
        if motion.left_out:
            self.data.warnings.append(
                f"{motion.left_out} of its curves move no node or cannot be read: left out"
            )

    # -- joints and clips ---------------------------------------------------------------------

    def _scaled(self, matrices: FloatArray) -> FloatArray:
        """Return matrices `[…, 4, 4]` of the file's unit as those of metres."""
        found = np.array(matrices, dtype=np.float64)
        found[..., 3, :3] *= self._meters
        return found

    def _chained(self) -> list[FloatArray]:
        """Return the matrix from each joint to the model's space, with shear."""
        found = [self._axes]
        for node in self._nodes:
            found.append(self._locals[node.joint] @ found[node.parent])
        return found

    def _rig(self, motion: Motion, stem: str) -> Rig:
        names = unique_names(["root", *(node.name for node in self._nodes)], "joint")
        parents = np.array([-1, *(node.parent for node in self._nodes)], dtype=np.int64)
        rest = pose_of(self._locals)
        return Rig(names, parents, rest, (), motion.clips(stem, self._clip))

    def _clip(self, name: str, times: FloatArray) -> Clip:
        """Return a clip of what moves the nodes now.

        Args:
            name: its name.
            times: `[F]` seconds.
        """
        moved = [node for node in self._nodes if node.moves]
        duration = float(times[-1] - times[0])
        parts = [pose_of(list(self._scaled(node.matrices(times)))) for node in moved]
        positions, turns, scales = (
            np.stack([getattr(part, key) for part in parts], axis=1)
            for key in ("positions", "rotations", "scales")
        )
        joints = np.array([node.joint for node in moved], dtype=np.int64)
        sliders = np.zeros((len(times), 0))
        return Clip(name, duration, FRAME_RATE, joints, positions, turns, scales, sliders)

    # -- meshes -------------------------------------------------------------------------------

    def read_meshes(self) -> None:
        """Add the meshes of the scene to `data`."""
        for node in self._nodes:
            for child in node.children:
                if isinstance(child, collada.scene.GeometryNode):
                    self._add(node, child.geometry, child.materials, None)
                elif isinstance(child, collada.scene.ControllerNode):
                    self._add_controlled(node, child)
        told = self.data.undrawn
        if self.data.meshes or told:
            return
        if self._document.errors and not len(self._document.geometries):
            told.append("its meshes cannot be read" + self._why_unread())
        elif self._document.scene is None:
            told.append("it has no scene")
        elif len(self._document.geometries):
            told.append("no node of its scene holds one of its meshes")
        else:
            told.append("it has no meshes")

    def _why_unread(self) -> str:
        """Return a clause if the numbers have decimal commas; "" otherwise."""
        arrays = self._document.xmlnode.getroot().iter(self._document.tag("float_array"))
        text = next((item.text[:HEAD] for item in arrays if item.text), "")
        return ": its numbers have commas instead of points" if DECIMAL_COMMA.search(text) else ""

    def _add_controlled(self, node: DaeNode, child: Any) -> None:
        controller = child.controller
        if isinstance(controller, collada.controller.Skin):
            self._add(node, controller.geometry, child.materials, self._skin(node, child))
            return
        if LEFT_OUT not in self.data.warnings:
            self.data.warnings.append(LEFT_OUT)
        self._add(node, controller.source_geometry, child.materials, None)

    def _add(self, node: DaeNode, geometry: Any, materials: Any, skin: SkinData | None) -> None:
        """Add the triangles of a geometry.

        Args:
            node: the node that holds it.
            geometry: the geometry.
            materials: which material each of its symbols means.
            skin: bones and weights of each of its positions; None for a mesh that moves rigidly.
        """
        symbols = {item.symbol: item for item in materials}
        parts = list(geometry.bind(np.eye(4, dtype=np.float32), symbols).primitives())
        for part in parts:
            self._add_part(node, geometry, part, skin)
        if not parts:
            self.data.undrawn.append("its meshes have no faces")

    def _add_part(self, node: DaeNode, geometry: Any, part: Any, skin: SkinData | None) -> None:
        if hasattr(part, "triangleset"):
            part = part.triangleset()
        vertex = getattr(part, "vertex_index", None)
        if vertex is None or len(vertex) == 0 or np.shape(vertex)[1:] != (3,):
            self.data.undrawn.append("its meshes have points and lines, and no faces")
            return
        corners = np.asarray(vertex, dtype=np.int64).ravel()
        points = np.asarray(part.vertex, dtype=np.float64)[corners] * self._meters
        colors = self._colors(part)
        joint, place = self._placed(node.joint)
        mesh = MeshData(
            str(geometry.name or node.name or "mesh"),
            joint,
            points,
            np.zeros_like(points),
            self._uvs(part, len(corners)),
            np.arange(len(corners)).reshape(-1, 3),
            self._surface(part.material, colors),
            place,
            None if skin is None else skin_of_corners(skin, corners),
            colors=colors,
        )
        if part.normal is not None and part.normal_index is not None:
            rows = np.asarray(part.normal_index, dtype=np.int64).ravel()
            mesh.normals = unit(np.asarray(part.normal, dtype=np.float64)[rows])
        else:
            mesh.flatten()
        self.data.meshes.append(mesh)

    def _placed(self, joint: int) -> tuple[int, FloatArray]:
        """Return a joint and the place in it that are exactly where a node is.

        A joint of the rig has no shear, a node may have some.

        Args:
            joint: the joint of the node.
        """
        carrier, place = self.data.rig.rest_matrices[joint], self._places[joint]
        if np.allclose(carrier, place, rtol=1e-6, atol=1e-9):
            return joint, np.eye(4)
        if abs(np.linalg.det(carrier[:3, :3])) < SINGULAR:
            return 0, place @ np.linalg.inv(self._axes)
        return joint, place @ np.linalg.inv(carrier)

    def _skin(self, node: DaeNode, child: Any) -> SkinData:
        """Return the skin of an instance of a controller, for each position of its geometry.

        Args:
            node: the node that holds the instance.
            child: the instance.
        """
        skin = child.controller
        shape = np.asarray(skin.bind_shape_matrix, dtype=np.float64).T
        tag = self._document.tag
        roots = [(item.text or "").strip()[1:] for item in child.xmlnode.iterfind(tag("skeleton"))]
        joints, binds, bone_of = [node.joint], [self._scaled(shape)], {}
        for name, bind in skin.joint_matrices.items():
            joint = self._joint(str(name), roots)
            if joint is None:
                if name not in self._missed:
                    self._missed.add(name)
                    self.data.warnings.append(
                        f"expected the joint {name!r} in its scene, found none: left out"
                    )
                continue
            bone_of[str(name)] = len(joints)
            joints.append(joint)
            binds.append(self._scaled(shape @ np.asarray(bind, dtype=np.float64).T))
        names = [str(name) for name in skin.weight_joints]
        bones = np.array([bone_of.get(name, 0) for name in names], dtype=np.int64)
        counts = np.array([len(item) for item in skin.joint_index], dtype=np.int64)
        none = [np.empty(0, dtype=np.int64)]
        which = np.concatenate([*skin.joint_index, *none]).astype(np.int64)
        shares = np.concatenate([*skin.weight_index, *none]).astype(np.int64)
        weights = np.asarray(skin.weights.data, dtype=np.float64).ravel()[shares]
        vertices = np.repeat(np.arange(len(counts)), counts)
        numbers = np.where(which < 0, 0, bones[which]) if len(bones) else np.zeros_like(which)
        sound = np.isfinite(weights) & (weights > 0.0)
        count = len(counts)
        table, amounts = dense(vertices[sound], numbers[sound], weights[sound], count)
        return SkinData(table, amounts, joints, np.array(binds))

    def _joint(self, name: str, roots: list[str]) -> int | None:
        """Return the joint that a skin's name means; None for none.

        Args:
            name: the sid of a node below one of the roots, or else a node's id or name.
            roots: ids of the skeletons' roots.
        """
        tops = {node.joint for node in self._nodes if node.id in roots}
        below = set(tops)
        for node in self._nodes:
            if node.parent in below:
                below.add(node.joint)
        near = [node for node in self._nodes if node.joint in below]
        for nodes, key in ((near, "sid"), (self._nodes, "id"), (self._nodes, "sid"),
                           (self._nodes, "name")):  # fmt: skip
            for node in nodes:
                if getattr(node, key) == name:
                    return node.joint
        return None

    @staticmethod
    def _uvs(part: Any, count: int) -> FloatArray:
        if not len(part.texcoordset):
            return np.zeros((count, 2))
        rows = np.asarray(part.texcoord_indexset[0], dtype=np.int64).ravel()
        return np.asarray(part.texcoordset[0], dtype=np.float64)[rows, :2]

    @staticmethod
    def _colors(part: Any) -> FloatArray | None:
        source = next(iter(part.original.sources.get("COLOR", ())), None)
        if source is None:
            return None
        rows = np.asarray(part.index, dtype=np.int64)[..., source[0]].ravel()
        return linear_of(np.asarray(source[4].data, dtype=np.float64)[rows])

    def _surface(self, material: Any, colors: FloatArray | None) -> int:
        key = (id(material), material is None and colors is not None)
        if key not in self._surfaces:
            effect = getattr(material, "effect", None)
            if effect is not None:
                surface = self._read_surface(str(material.name or ""), effect)
            else:
                surface = bare_surface(has_colors=colors is not None)
            self._surfaces[key] = self.data.add_surface(surface)
        return self._surfaces[key]

    def _read_surface(self, name: str, effect: Any) -> Surface:
        surface = Surface(name=name)
        if isinstance(effect.diffuse, collada.material.Map):
            image = effect.diffuse.sampler.surface.image
            surface.picture, surface.color = self._picture(str(image.path or "")), WHITE
        elif effect.diffuse is not None:
            red, green, blue = (float(value) for value in effect.diffuse[:3])
            surface.color = (red, green, blue)
        if isinstance(effect.emission, tuple):
            red, green, blue = np.clip(effect.emission[:3], 0.0, 10.0).tolist()
            surface.emissive = (red, green, blue)
        elif isinstance(effect.emission, collada.material.Map):
            image = effect.emission.sampler.surface.image
            surface.emissive_picture = self._picture(str(image.path or ""))
            surface.emissive = WHITE if surface.emissive_picture >= 0 else surface.emissive
        if isinstance(effect.bumpmap, collada.material.Map):
            number = self._picture(str(effect.bumpmap.sampler.surface.image.path or ""))
            if number >= 0:
                normals = normals_of(self.data.pictures[number])
                surface.normal_picture = self.data.add_picture(normals)
        surface.is_double_sided = bool(effect.double_sided) or None
        opacity = effect.transparency
        if isinstance(opacity, float | int) and 0.01 < opacity < 1.0:  # 0 is mostly meant as solid
            surface.opacity = float(opacity)
        if surface.picture >= 0:
            surface.is_cut = is_cut(self.data.pictures[surface.picture])
        return surface

    def _picture(self, name: str) -> int:
        if name not in self._pictures:
            plain = name.removeprefix("file://")
            names = (plain, unquote(plain)) if "%" in plain else (plain,)
            pixels = self._beside.picture(*names)
            self._pictures[name] = self.data.add_picture(pixels)
        return self._pictures[name]


def skin_of_corners(skin: SkinData, corners: IntArray) -> SkinData:
    """Return the skin of triangle corners.

    Args:
        skin: bones and weights of each position.
        corners: `[C]` the position of each corner.

    Raises:
        ModelError: a position has no weights.
    """
    if corners.max() >= len(skin.bones):
        raise ModelError("expected weights for each vertex of a skin, found too few")
    return SkinData(skin.bones[corners], skin.weights[corners], skin.joints, skin.binds)

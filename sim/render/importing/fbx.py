"""Importer of FBX (5000 to 7700, text and binary), by ufbx.

ufbx 0.0.5 frees memory that is still in use when one of its Python wrappers is garbage-collected
too early. Therefore each wrapper is kept alive until the process ends by `os._exit`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import ufbx

from sim.core.assets.animation.poses import FloatArray, IntArray, Pose
from sim.core.assets.animation.rig import Clip, Rig
from sim.render.importing.model_data import (
    MOST_JOINTS,
    MOST_SAMPLES,
    MOST_VERTICES,
    Beside,
    MeshData,
    ModelData,
    ModelError,
    Morph,
    Pixels,
    SkinData,
    bare_surface,
    decoded,
    in_one,
    is_cut,
    linear_of,
    metallic_roughness_of,
    normals_of,
    strongest,
    unique_names,
)
from sim.render.materials.surface import Surface

MOST_CORNERS = 512  # of a polygon whose ears are cut one by one; larger ones are fanned


def triangulate(
    starts: IntArray, counts: IntArray, points: FloatArray
) -> tuple[IntArray, IntArray]:
    """Split polygons into triangles.

    Args:
        starts: `[F]` index of each polygon's first corner.
        counts: `[F]` number of corners of each polygon.
        points: `[C, 3]` position of each corner.

    Returns:
        `[T, 3]` corner indices of the triangles, and `[T]` index of each triangle's polygon.
    """
    parts, owners = [np.empty((0, 3), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    three = np.flatnonzero(counts == 3)
    parts.append(starts[three, None] + np.arange(3))
    owners.append(three)
    four = np.flatnonzero(counts == 4)
    if len(four):
        parts.append(_quads(starts[four], points))
        owners.append(np.repeat(four, 2))
    for face in np.flatnonzero(counts > 4).tolist():
        start, count = int(starts[face]), int(counts[face])
        cut = _polygon(points[start : start + count])
        parts.append(cut + start)
        owners.append(np.full(len(cut), face, dtype=np.int64))
    return np.concatenate(parts), np.concatenate(owners)


def _quads(starts: IntArray, points: FloatArray) -> IntArray:
    """Split each quad into two triangles.

    If only one of the two diagonals gives triangles that face the same way, it is used. Else the
    shorter diagonal is used.

    Args:
        starts: `[F]` index of each quad's first corner.
        points: `[C, 3]` position of each corner.

    Returns:
        `[2 F, 3]` corner indices of the triangles.
    """
    a, b, c, d = (points[starts + corner] for corner in range(4))
    one = np.einsum("ij,ij->i", np.cross(b - a, c - a), np.cross(c - a, d - a))
    other = np.einsum("ij,ij->i", np.cross(b - a, d - a), np.cross(c - b, d - b))
    is_short = np.linalg.norm(c - a, axis=1) <= np.linalg.norm(d - b, axis=1) + 1e-12
    takes_first = np.where((one >= 0) == (other >= 0), is_short, one >= other)
    first = np.array([[0, 1, 2], [0, 2, 3]])
    second = np.array([[0, 1, 3], [1, 2, 3]])
    chosen = np.where(takes_first[:, None, None], first, second)
    return np.asarray((starts[:, None, None] + chosen).reshape(-1, 3))


def _polygon(corners: FloatArray) -> IntArray:
    """Split one polygon into triangles by cutting off one convex corner after another.

    A polygon with very many corners or without area is split into a fan from its first corner.

    Args:
        corners: `[n, 3]` positions in order.

    Returns:
        `[n - 2, 3]` corner indices of the triangles.
    """
    count = len(corners)
    following = np.roll(corners, -1, axis=0)
    normal = np.cross(corners, following).sum(axis=0)  # Newell's
    if count > MOST_CORNERS or not np.linalg.norm(normal) > 1e-20:
        return np.array([[0, k, k + 1] for k in range(1, count - 1)], dtype=np.int64)
    axis = int(np.argmax(np.abs(normal)))
    flat = np.delete(corners, axis, axis=1)
    if (normal[axis] < 0) != (axis == 1):
        flat = flat * np.array([-1.0, 1.0])
    left, found = list(range(count)), []
    while len(left) > 3:
        ear = next((k for k in range(len(left)) if _is_ear(flat, left, k)), 0)
        before, after = left[ear - 1], left[(ear + 1) % len(left)]
        found.append([before, left[ear], after])
        del left[ear]
    return np.array([*found, left], dtype=np.int64)


def _is_ear(flat: FloatArray, left: list[int], k: int) -> bool:
    ear = (left[k - 1], left[k], left[(k + 1) % len(left)])
    a, b, c = (flat[corner] for corner in ear)
    if _turn(a, b, c) <= 0.0:
        return False
    others = [item for item in left if item not in ear]
    return not any(min(_turn(a, b, p), _turn(b, c, p), _turn(c, a, p)) >= 0.0 for p in flat[others])


def _turn(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


Slider = tuple[ufbx.BlendChannel, ufbx.BlendShape, FloatArray, int]
SAMPLE_RATE = 60.0  # samples a second, at least, where the clip is not too long
Z_UP = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # a quarter turn about x: y up becomes z up

T = TypeVar("T")


class Kept:
    """Keeps references to ufbx wrappers, so that none is garbage-collected."""

    def __init__(self) -> None:
        self._all: list[object] = []

    def __call__(self, wrapper: T) -> T:
        """Keep an object alive and return it."""
        self._all.append(wrapper)
        return wrapper

    def each(self, wrappers: Iterable[T]) -> list[T]:
        """Return the elements of a ufbx list; the list and its elements are kept alive."""
        self._all.append(wrappers)
        found = list(wrappers)
        self._all.append(found)
        return found

    def array(
        self, values: ufbx.RealList, width: int = 0, kind: npt.DTypeLike = np.float64
    ) -> npt.NDArray[Any]:
        """Return a ufbx list of numbers or vectors as an array; the list is kept alive.

        Args:
            values: the list.
            width: numbers in each vector; 0 for a plain list of numbers.
            kind: number type of the array.
        """
        self._all.append(values)
        try:
            found = np.array(memoryview(values))
        except TypeError:
            found = np.array(list(values))
        shape = (-1, width) if width else (-1,)
        return found.astype(kind).reshape(shape)


KEPT = Kept()
"""All ufbx wrappers of this process, which reads one file and then ends."""


class Surfaces(Protocol):
    """Converts a file's materials to surfaces."""

    def number(self, material: ufbx.Material | None, *, is_inked: bool = False) -> int:
        """Return the index in `ModelData.surfaces` of a material, which is added if it is new.

        Args:
            material: material of the mesh; None for the default one.
            is_inked: whether the mesh has vertex colours; then the default material is white, else
                grey.
        """

    def place(self, uvs: FloatArray, surface: int) -> FloatArray:
        """Return texture coordinates `[N, 2]` as the pictures of a surface are laid.

        Args:
            uvs: `[N, 2]` texture coordinates of the file.
            surface: index of the surface.
        """


def read(path: Path, beside: Beside) -> ModelData:
    """Read an FBX file.

    Args:
        path: the file.
        beside: finds the further files that it refers to.

    Raises:
        ModelError: the file is not readable.
    """
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    is_double_sided = b"CullingOnC" not in content  # FBX says which faces are left out, if any
    reader = FbxReader(
        load(content, path),
        lambda data: SurfaceReader(data, beside, is_double_sided=is_double_sided),
    )
    reader.read_meshes()
    reader.data.warnings += beside.warnings()
    reader.data.beside = beside.seen
    return reader.data


def load(content: bytes, path: Path) -> ufbx.Scene:
    """Read an FBX or OBJ file by ufbx, in metres and with z up; further files are not read.

    Args:
        content: content of the file.
        path: its path, whose suffix tells the format.

    Raises:
        ModelError: the file is not readable.
    """
    try:
        return KEPT(
            ufbx.load_memory(
                content,
                filename=str(path),
                target_axes=ufbx.axes_right_handed_z_up,
                target_unit_meters=1.0,
                obj_axes=ufbx.axes_right_handed_y_up,
                obj_unit_meters=1.0,
                inherit_mode_handling=ufbx.InheritModeHandling.HELPER_NODES,
                generate_missing_normals=True,
                normalize_normals=True,
                load_external_files=False,
            )
        )
    except ufbx.UfbxError as error:
        raise ModelError(f"expected a model, found: {error}") from error


def matrix(value: ufbx.Matrix) -> FloatArray:
    """Convert a ufbx matrix to `[4, 4]` for row vectors."""
    result = np.eye(4)
    result[:, :3] = np.array([value.c0, value.c1, value.c2, value.c3], dtype=np.float64)
    return result


class FbxReader:
    """Converts one ufbx scene to plain arrays.

    Args:
        scene: the scene.
        surfaces_of: called with the result; returns what converts the materials.
    """

    def __init__(self, scene: ufbx.Scene, surfaces_of: Callable[[ModelData], Surfaces]) -> None:
        self.scene = scene
        self.nodes = KEPT.each(scene.nodes)
        if len(self.nodes) > MOST_JOINTS:
            raise ModelError(f"expected at most {MOST_JOINTS} nodes, found {len(self.nodes)}")
        self.sliders: list[Slider] = []
        self._slider_of: dict[tuple[int, int], int] = {}
        self._find_sliders()
        self.data = ModelData(self._rig())
        self.surfaces = surfaces_of(self.data)

    # -- joints and clips ---------------------------------------------------------------------

    def _find_sliders(self) -> None:
        for channel in KEPT.each(self.scene.blend_channels):
            keyframes = KEPT.each(channel.keyframes)
            targets = np.array([item.target_weight for item in keyframes])
            for number, keyframe in enumerate(keyframes):
                shape = KEPT(keyframe.shape)
                self._slider_of[channel.element_id, number] = len(self.sliders)
                self.sliders.append((channel, shape, targets, number))

    def _rig(self) -> Rig:
        names = [node.name if not node.is_root else "root" for node in self.nodes]
        parents = [-1 if node.is_root else KEPT(node.parent).typed_id for node in self.nodes]
        order = np.array(parents, dtype=np.int64)
        if (order >= np.arange(len(order))).any():
            raise ModelError("expected nodes below their parents, found a circle")
        rest = self._pose_of([node.local_transform for node in self.nodes])
        settings = KEPT(self.scene.settings)
        if KEPT(settings.axes).up == ufbx.CoordinateAxis.UNKNOWN:  # y, then, as FBX has it
            rest.rotations[0] = Z_UP
        weights = [
            effective_weight(channel.weight, targets, number)
            for channel, _, targets, number in self.sliders
        ]
        rest.sliders = np.array(weights, dtype=np.float64)
        sliders = unique_names([self._slider_name(item) for item in self.sliders], "shape")
        # ufbx makes a stack of its own from the rest pose that files before 6000 spell as curves
        stacks = KEPT.each(self.scene.anim_stacks)
        stacks = [stack for stack in stacks if stack.name != "(internal)"]
        clip_names = unique_names([stack.name for stack in stacks], "clip")
        clips = {
            name: self._clip(name, stack, rest)
            for name, stack in zip(clip_names, stacks, strict=True)
        }
        return Rig(unique_names(names, "joint"), order, rest, sliders, clips)

    @staticmethod
    def _slider_name(slider: Slider) -> str:
        channel, shape, targets, _ = slider
        return str(channel.name or shape.name) if len(targets) == 1 else str(shape.name)

    @staticmethod
    def _pose_of(transforms: list[ufbx.Transform]) -> Pose:
        positions = np.array([item.translation for item in transforms], dtype=np.float64)
        rotations = np.array([item.rotation for item in transforms], dtype=np.float64)
        scales = np.array([item.scale for item in transforms], dtype=np.float64)
        places = (positions.reshape(-1, 3), rotations.reshape(-1, 4), scales.reshape(-1, 3))
        return Pose(*places, np.empty(0))

    def _clip(self, name: str, stack: ufbx.AnimStack, rest: Pose) -> Clip:
        anim = KEPT(stack.anim)
        begin, duration = stack.time_begin, max(0.0, stack.time_end - stack.time_begin)
        settings = KEPT(self.scene.settings)
        frame_rate = min(max(settings.frames_per_second, 1.0), 240.0)
        rate = frame_rate * max(1.0, np.ceil(SAMPLE_RATE / frame_rate))
        most = max(2, MOST_SAMPLES // max(1, len(self.nodes)))
        count = min(most, max(2, round(duration * rate) + 1)) if duration > 0.0 else 1
        times = begin + np.linspace(0.0, duration, count)
        poses = [
            self._pose_of([node.evaluate_transform(anim, time) for node in self.nodes])
            for time in times.tolist()
        ]
        for pose in poses:
            pose.rotations[0] = rest.rotations[0]
        parts = in_one(poses)
        moved = np.zeros(len(self.nodes), dtype=bool)
        for key, values in parts.items():
            still = getattr(rest, key)[None]
            moved |= (np.abs(values - still) > 1e-9 * (1.0 + np.abs(still))).any(axis=(0, 2))
        joints = np.flatnonzero(moved)
        sliders = [[self._weight(anim, item, at) for item in self.sliders] for at in times.tolist()]
        weights = np.array(sliders, dtype=np.float64).reshape(count, len(self.sliders))
        moves = {key: values[:, joints] for key, values in parts.items()}
        return Clip(name, duration, frame_rate, joints, sliders=weights, **moves)

    @staticmethod
    def _weight(anim: ufbx.Anim, slider: Slider, time: float) -> float:
        channel, _, targets, number = slider
        weight = float(ufbx.evaluate_blend_weight(anim, channel, time))
        return effective_weight(weight, targets, number)

    # -- meshes -------------------------------------------------------------------------------

    def read_meshes(self) -> None:
        """Add the meshes of all visible nodes."""
        total, told = 0, self.data.undrawn
        for number, node in enumerate(self.nodes):
            mesh = KEPT(node.mesh)
            if mesh is None:
                continue
            if not self._is_visible(number):
                told.append("its meshes are hidden")
                continue
            total += mesh.num_indices
            if total > MOST_VERTICES:
                raise ModelError(f"expected at most {MOST_VERTICES} corners, found more")
            if mesh.num_triangles:
                self._add_mesh(number, node, mesh)
            else:
                told.append("its meshes have lines and points, and no faces")
        if not told and not self.data.meshes:
            told.append("it has no mesh")

    def _is_visible(self, number: int) -> bool:
        parents = self.data.rig.parents
        while number > 0:
            if not self.nodes[number].visible:
                return False
            number = int(parents[number])
        return True

    def _add_mesh(self, number: int, node: ufbx.Node, mesh: ufbx.Mesh) -> None:
        points = KEPT.array(mesh.vertices, 3)
        vertex = KEPT.array(mesh.vertex_indices, 0, np.int64)
        normals, normal = self._attribute(mesh.vertex_normal, 3, vertex)
        uvs, uv = self._attribute(mesh.vertex_uv, 2, vertex)
        is_inked = bool(KEPT(mesh.vertex_color).exists)
        inks, ink = self._attribute(mesh.vertex_color, 4, vertex)
        faces = KEPT.array(mesh.faces, 2, np.int64)
        corners, owners = triangulate(faces[:, 0], faces[:, 1], points[vertex])
        materials = KEPT.array(mesh.face_material, 0, np.int64)
        of_triangle = materials[owners] if len(materials) else np.zeros_like(owners)
        skin = self._skin(number, node, mesh, len(points))
        found = KEPT.each(node.materials) or KEPT.each(mesh.materials)
        for slot in np.unique(of_triangle).tolist():
            chosen = corners[of_triangle == slot].ravel()
            first, triangles = same_corners(
                vertex[chosen], normals[normal[chosen]], uvs[uv[chosen]], inks[ink[chosen]]
            )
            kept = chosen[first]
            rows = vertex[kept]
            material = found[slot] if slot < len(found) else None
            surface = self.surfaces.number(material, is_inked=is_inked)
            part = MeshData(
                node.name or mesh.name or "mesh",
                number,
                points[rows],
                normals[normal[kept]],
                self.surfaces.place(uvs[uv[kept]], surface),
                triangles.reshape(-1, 3),
                surface,
                colors=linear_of(inks[ink[kept]]) if is_inked else None,
                place=matrix(node.geometry_to_node),
            )
            if skin is not None:
                part.skin = SkinData(skin.bones[rows], skin.weights[rows], skin.joints, skin.binds)
            part.morphs = self._morphs(mesh, rows)
            self.data.meshes.append(part)

    @staticmethod
    def _attribute(
        attribute: ufbx.VertexVec3, width: int, vertex: IntArray
    ) -> tuple[FloatArray, IntArray]:
        KEPT(attribute)
        if not attribute.exists:
            return np.zeros((1, width)), np.zeros_like(vertex)
        values = KEPT.array(attribute.values, width)
        indices = KEPT.array(attribute.indices, 0, np.int64)
        if not len(values):
            return np.zeros((1, width)), np.zeros_like(vertex)
        return values, np.minimum(indices, len(values) - 1)

    def _skin(self, number: int, node: ufbx.Node, mesh: ufbx.Mesh, count: int) -> SkinData | None:
        """Return the skinning of a mesh, merged from all its skin deformers.

        Args:
            number: joint index of the mesh's node. Vertices without weights move with this joint.
            node: node of the mesh.
            mesh: the mesh.
            count: number of vertices of the mesh.

        Returns:
            Bones and weights of each vertex; None if the mesh has no skinning.
        """
        joints, binds = [number], [matrix(node.geometry_to_node)]
        parts: list[tuple[IntArray, IntArray, FloatArray]] = []
        for skin in KEPT.each(mesh.skin_deformers):
            for cluster in KEPT.each(skin.clusters):
                bone = KEPT(cluster.bone_node)
                if bone is None:
                    continue
                vertices = KEPT.array(cluster.vertices, 0, np.int64)
                weights = KEPT.array(cluster.weights)
                sound = (vertices < count) & np.isfinite(weights) & (weights > 0.0)
                numbers = np.full(int(sound.sum()), len(joints))
                parts.append((vertices[sound], numbers, weights[sound]))
                joints.append(bone.typed_id)
                binds.append(matrix(cluster.geometry_to_bone))
        if not parts:
            return None
        vertices, bones, weights = (np.concatenate(item) for item in zip(*parts, strict=True))
        table, amounts = dense(vertices, bones, weights, count)
        return SkinData(table, amounts, joints, np.array(binds))

    def _morphs(self, mesh: ufbx.Mesh, vertex: IntArray) -> list[Morph]:
        found: list[Morph] = []
        for deformer in KEPT.each(mesh.blend_deformers):
            for channel in KEPT.each(deformer.channels):
                for number, _ in enumerate(KEPT.each(channel.keyframes)):
                    slider = self._slider_of[channel.element_id, number]
                    morph = self._morph(slider, vertex, mesh.num_vertices)
                    if len(morph.rows):
                        found.append(morph)
        return found

    def _morph(self, slider: int, vertex: IntArray, count: int) -> Morph:
        shape = self.sliders[slider][1]
        places = KEPT.array(shape.offset_vertices, 0, np.int64)
        offsets = np.zeros((count, 3))
        turns = np.zeros((count, 3))
        sound = places < count
        offsets[places[sound]] = KEPT.array(shape.position_offsets, 3)[: len(places)][sound]
        given = KEPT.array(shape.normal_offsets, 3)
        if len(given) == len(places):
            turns[places[sound]] = given[sound]
        rows = np.flatnonzero(np.abs(offsets[vertex]).max(axis=1) > 0.0)
        return Morph(slider, rows, offsets[vertex][rows], turns[vertex][rows])


def same_corners(
    vertex: IntArray, normals: FloatArray, uvs: FloatArray, inks: FloatArray
) -> tuple[IntArray, IntArray]:
    """Find the triangle corners that are equal in vertex, normal, texture coordinates and colour.

    Equal corners can later share one vertex.

    Args:
        vertex: `[C]` vertex index of each corner.
        normals: `[C, 3]` normal at each corner.
        uvs: `[C, 2]` texture coordinates of each corner.
        inks: `[C, 4]` colour of each corner.

    Returns:
        `[K]` index of one corner from each of the K groups of equal corners, and `[C]` index of
        each corner's group.
    """
    keys = np.concatenate([vertex[:, None], normals * 1e5, uvs * 1e6, inks * 1e5], axis=1)
    keys = np.nan_to_num(np.round(keys)).astype(np.int64)
    _, first, kinds = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, kinds.ravel()


def dense(
    vertices: IntArray, bones: IntArray, weights: FloatArray, count: int
) -> tuple[IntArray, FloatArray]:
    """Convert a list of skin weights to one row of bones and weights for each vertex.

    A vertex without weights gets bone 0 with weight 1.

    Args:
        vertices: `[n]` vertex index of each weight.
        bones: `[n]` bone index of each weight.
        weights: `[n]` the weights.
        count: number of vertices.

    Returns:
        `[count, K]` bone indices and `[count, K]` weights, as `strongest` returns them. K is the
        largest number of weights that are kept for a vertex.
    """
    order = np.argsort(vertices, kind="stable")
    vertices, bones, weights = vertices[order], bones[order], weights[order]
    amount = np.bincount(vertices, minlength=count)
    width = max(1, int(amount.max(initial=0)))
    column = np.arange(len(vertices)) - np.repeat(np.cumsum(amount) - amount, amount)
    table, shares = np.zeros((count, width), dtype=np.int64), np.zeros((count, width))
    table[vertices, column] = bones
    shares[vertices, column] = weights
    shares[amount == 0, 0] = 1.0
    return strongest(table, shares)


def effective_weight(weight: float, targets: FloatArray, number: int) -> float:
    """Return how far one shape of a blend channel is applied.

    A blend channel has one weight and one or more shapes. Each shape is fully applied at its own
    weight of the channel, its target. Between two targets one shape fades linearly into the next.

    Args:
        weight: present weight of the channel.
        targets: `[S]` target of each shape, ascending.
        number: index of the shape.

    Returns:
        0 for not at all, 1 for in full. It is above 1 if the channel's weight is beyond the last
        target.
    """
    places = np.concatenate([[0.0], targets])
    if len(targets) == 1 or not (np.diff(places) > 0.0).all():
        return weight / targets[number] if targets[number] else weight
    heights = np.zeros(len(places))
    heights[number + 1] = 1.0
    if weight > places[-1] and number + 1 == len(targets):
        return float(weight / places[-1])
    return float(np.interp(weight, places, heights))


CLASSIC = (
    ufbx.ShaderType.UNKNOWN,
    ufbx.ShaderType.FBX_LAMBERT,
    ufbx.ShaderType.FBX_PHONG,
)


class SurfaceReader:
    """Converts materials and pictures of a ufbx scene; each is read once and then shared."""

    def __init__(self, data: ModelData, beside: Beside, *, is_double_sided: bool | None) -> None:
        self._data = data
        self._beside = beside
        self._is_double_sided = is_double_sided
        self._surfaces: dict[tuple[int, bool], int] = {}
        self._pictures: dict[int, int] = {}
        self._made: dict[tuple[int, int], int] = {}  # pictures that are made of one or two others

    def number(self, material: ufbx.Material | None, *, is_inked: bool = False) -> int:
        """Return the index in `ModelData.surfaces` of a material, which is added if it is new.

        Args:
            material: material of the mesh; None for the default one.
            is_inked: whether the mesh has vertex colours; then the default material is white, else
                grey.
        """
        key = (-1, is_inked) if material is None else (int(material.element_id), False)
        if key not in self._surfaces:
            is_bare = material is None
            surface = bare_surface(has_colors=is_inked) if is_bare else self._read(material)
            surface.is_double_sided = self._is_double_sided
            self._surfaces[key] = self._data.add_surface(surface)
        return self._surfaces[key]

    @staticmethod
    def place(uvs: FloatArray, surface: int) -> FloatArray:
        """Return texture coordinates unchanged."""
        return uvs

    def _read(self, material: ufbx.Material) -> Surface:
        maps = KEPT(material.pbr)
        base = KEPT(maps.base_color)
        color = _three(base, 0.8) * _one(KEPT(maps.base_factor), 1.0)
        glow = _three(KEPT(maps.emission_color)) * _one(KEPT(maps.emission_factor), 1.0)
        picture, emissive = self._texture(base), self._texture(KEPT(maps.emission_color))
        if picture >= 0:
            color = np.ones(3)  # the picture is the colour, as in the program that wrote the file
        if emissive >= 0:
            glow = np.ones(3) * _one(KEPT(maps.emission_factor), 1.0)  # likewise
        glow = np.clip(glow, 0.0, 10.0)
        pixels = self._data.pictures[picture] if picture >= 0 else None
        metal, rough = KEPT(maps.metalness), KEPT(maps.roughness)
        joined = self._joined(metal, rough)
        parts = [rough.texture_enabled, metal.texture_enabled]  # which the pictures then tell
        roughness = 1.0 if joined >= 0 and parts[0] else _one(rough, 0.5)
        return Surface(
            name=material.name,
            color=(float(color[0]), float(color[1]), float(color[2])),
            opacity=self._opacity(material, maps),
            roughness=float(np.clip(roughness, 0.0, 1.0)),
            metallic=1.0 if joined >= 0 and parts[1] else float(np.clip(_one(metal, 0.0), 0, 1)),
            picture=picture,
            metallic_roughness_picture=joined,
            normal_picture=self._normals(KEPT(maps.normal_map)),
            occlusion_picture=self._texture(KEPT(maps.ambient_occlusion)),
            emissive=(float(glow[0]), float(glow[1]), float(glow[2])),
            emissive_picture=emissive,
            is_cut=pixels is not None and is_cut(pixels),
            is_unlit=bool(KEPT(KEPT(material.features).unlit).enabled),
        )

    def _texture(self, value: ufbx.MaterialMap) -> int:
        texture = KEPT(value.texture) if value.texture_enabled else None
        return -1 if texture is None else self._picture(texture)

    def _joined(self, metal: ufbx.MaterialMap, rough: ufbx.MaterialMap) -> int:
        """Return the index of the picture that two textures make together; -1 without them."""
        numbers = (self._texture(metal), self._texture(rough))
        if numbers not in self._made:
            pixels = [self._data.pictures[item] if item >= 0 else None for item in numbers]
            self._made[numbers] = self._data.add_picture(metallic_roughness_of(*pixels))
        return self._made[numbers]

    def _normals(self, value: ufbx.MaterialMap) -> int:
        """Return the index of a material's normal map, which may be made of heights; or -1."""
        number = self._texture(value)
        if number >= 0 and (number, number) not in self._made:
            scale = float(KEPT(KEPT(value.texture).props).find_real("bm", 1.0))
            made = normals_of(self._data.pictures[number], scale)
            self._made[number, number] = self._data.add_picture(made)
        return self._made.get((number, number), -1)

    def _opacity(self, material: ufbx.Material, maps: ufbx.MaterialPbrMaps) -> float:
        if material.shader_type in CLASSIC:
            classic = KEPT(material.fbx)
            factor = _one(KEPT(classic.transparency_factor), 0.0)
            opacity = 1.0 - factor * float(_three(KEPT(classic.transparency_color)).mean())
        else:
            found = KEPT(maps.opacity)
            opacity = float(_three(found).mean()) if found.has_value else 1.0
        # many programs write 0 and mean "solid": nobody ships a model that cannot be seen
        return float(np.clip(opacity, 0.0, 1.0)) if opacity > 0.01 else 1.0

    def _picture(self, texture: ufbx.Texture) -> int:
        texture = (KEPT.each(texture.file_textures) or [texture])[0]
        key = int(texture.element_id)
        if key not in self._pictures:
            self._pictures[key] = self._data.add_picture(self._pixels(texture))
        return self._pictures[key]

    def _pixels(self, texture: ufbx.Texture) -> Pixels | None:
        content = bytes(texture.content)
        video = KEPT(texture.video)
        if not content and video is not None:
            content = bytes(video.content)
        names = (texture.relative_filename, texture.filename, texture.absolute_filename)
        if content:
            try:
                return decoded(content)
            except ValueError:
                if self._beside.find(*names) is None:  # nothing else can stand in for it
                    return self._beside.decode(content, next(filter(None, names), "?"))
        return self._beside.picture(*names)


def _one(value: ufbx.MaterialMap, fallback: float) -> float:
    found = value.value_vec4
    return float(found.x) if value.has_value and np.isfinite(found.x) else fallback


def _three(value: ufbx.MaterialMap, fallback: float = 0.0) -> FloatArray:
    if not value.has_value:
        return np.full(3, fallback)
    found = value.value_vec4
    one = value.value_components == 1
    parts = [found.x, found.x, found.x] if one else [found.x, found.y, found.z]
    return np.nan_to_num(np.array(parts, dtype=np.float64))

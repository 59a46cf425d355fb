"""Writes an imported model as Panda3D's `model.bam`, with its rig in `rig.npz` beside it.

A mesh that moves rigidly with one joint becomes its own node. Skinned and morphed meshes are
children of one Panda3D `Character`. The Character has one joint for each pair of rig joint and bind
matrix, without a hierarchy. This is because `sim.core.assets.animation` computes the poses, and
several skins may bind one joint differently.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    Character,
    CharacterJoint,
    CharacterSlider,
    CharacterVertexSlider,
    Filename,
    Geom,
    GeomEnums,
    GeomNode,
    GeomPoints,
    GeomTriangles,
    GeomVertexAnimationSpec,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    JointVertexTransform,
    LMatrix4f,
    ModelRoot,
    NodePath,
    PartGroup,
    SamplerState,
    SliderTable,
    SparseArray,
    Texture,
    TextureStage,
    TransformBlend,
    TransformBlendTable,
)

from sim.core.assets.animation.poses import FloatArray, IntArray
from sim.core.assets.animation.rig import write_rig
from sim.core.assets.assets import MODEL_NAME, RIG_NAME
from sim.core.geometry.rotations import is_mirrored
from sim.render.importing.model_data import (
    SRGB,
    MeshData,
    ModelData,
    Pixels,
    Sampler,
    SkinData,
    unit,
)
from sim.render.materials.surface import POINT_TAG, TEXTURE_KEYS, Surface

MOST_SHORT = 65_535
SMALL_POINT = 0.01  # metres, of a cloud without extent
Rows = npt.NDArray[np.float32]


def write_model(model: ModelData, folder: Path) -> None:
    """Write `model.bam` and `rig.npz` of a model into a folder.

    Raises:
        OSError: a file cannot be written.
    """
    write_rig(folder / RIG_NAME, model.rig)
    root = ModelBuilder(model).build()
    path = Filename.from_os_specific(os.fsencode(folder / MODEL_NAME))
    if not root.write_bam_file(path):
        raise OSError(f"{folder / MODEL_NAME} could not be written")


class ModelBuilder:
    """Builds the Panda3D nodes of one model."""

    def __init__(self, model: ModelData) -> None:
        self._model = model
        self._root = NodePath(ModelRoot("model"))
        self._textures = [
            texture_of(pixels, model.samplers.get(number, Sampler()))
            for number, pixels in enumerate(model.pictures)
        ]
        self._carriers: dict[int, NodePath] = {}
        self._bones: dict[tuple[int, ...], int] = {}
        self._transforms: list[JointVertexTransform] = []
        self._joints: list[int] = []
        self._sliders: dict[int, CharacterVertexSlider] = {}
        self._character: Character | None = None

    def build(self) -> NodePath:
        """Build and return the root node of the model."""
        for mesh in self._model.meshes:
            if mesh.is_cloud and len(mesh.points):
                self._add_cloud(mesh)
            if not len(mesh.triangles):
                continue
            if mesh.skin is None and not mesh.morphs:
                self._add_rigid(mesh)
            else:
                self._add_bent(mesh)
        if self._character is not None:
            self._root.attach_new_node(self._character)
            self._character.set_tag("joints", json.dumps(self._joints))
            self._character.set_tag("sliders", json.dumps(sorted(self._sliders)))
        return self._root

    # -- what one joint carries ---------------------------------------------------------------

    def _add_cloud(self, mesh: MeshData) -> None:
        """Add a point cloud; its node has the tag `POINT_TAG`, and its colours are sRGB."""
        points, normals = moved(mesh, mesh.place)
        colors = None if mesh.colors is None else mesh.colors ** (1.0 / SRGB)
        primitive = GeomPoints(GeomEnums.UH_static)
        primitive.add_next_vertices(len(points))
        geom = Geom(vertex_data(mesh.name, rows_of(points, normals, mesh.uvs), colors))
        geom.add_primitive(primitive)
        node = GeomNode(mesh.name)
        node.add_geom(geom)
        path = self._carrier(mesh.joint).attach_new_node(node)
        self._dress(path, self._model.surfaces[mesh.surface])
        path.set_tag(POINT_TAG, f"{point_size(points):.9g}")

    def _carrier(self, joint: int) -> NodePath:
        """Return the node of what a joint carries, which is made when it is first asked for."""
        carrier = self._carriers.get(joint)
        if carrier is None:
            carrier = self._carriers[joint] = self._root.attach_new_node("joint")
            carrier.set_tag("joint", str(joint))
            carrier.set_mat(panda_matrix(self._model.rig.rest_matrices[joint]))
        return carrier

    def _add_rigid(self, mesh: MeshData) -> None:
        carrier = self._carrier(mesh.joint)
        rest = self._model.rig.rest_matrices[mesh.joint]
        points, normals = moved(mesh, mesh.place)
        triangles = mesh.triangles
        if is_mirrored(mesh.place) is not is_mirrored(rest):
            triangles = triangles[:, ::-1]
        data = vertex_data(mesh.name, rows_of(points, normals, mesh.uvs), mesh.colors)
        carrier.attach_new_node(self._node(mesh, data, triangles))

    def _node(self, mesh: MeshData, data: GeomVertexData, triangles: IntArray) -> GeomNode:
        primitive = GeomTriangles(GeomEnums.UH_static)
        primitive.set_index_type(GeomEnums.NT_uint32)
        indices = np.ascontiguousarray(triangles, dtype=np.uint32).ravel()
        array = primitive.modify_vertices()
        array.unclean_set_num_rows(len(indices))
        memoryview(array).cast("B")[:] = indices.data.cast("B")
        geom = Geom(data)
        geom.add_primitive(primitive)
        node = GeomNode(mesh.name)
        node.add_geom(geom)
        surface = self._model.surfaces[mesh.surface]
        if surface.is_double_sided is None:
            surface = dataclasses.replace(surface, is_double_sided=mesh.is_open())
        self._dress(NodePath(node), surface)
        return node

    def _dress(self, path: NodePath, surface: Surface) -> None:
        """Attach a material: its textures, each in a stage of its key, and a tag with the rest."""
        if surface.is_double_sided:
            path.set_two_sided(True)
        path.set_tag("surface", surface.tag)
        for key in TEXTURE_KEYS:
            number = getattr(surface, key)
            if number >= 0:
                path.set_texture(TextureStage(key), self._textures[number])

    # -- what bones bend ----------------------------------------------------------------------

    def _add_bent(self, mesh: MeshData) -> None:
        skin = mesh.skin or carried(mesh)
        rests = self._model.rig.rest_matrices
        main = strongest_bone(skin)
        placed = skin.binds[main] @ rests[skin.joints[main]]
        points, normals = moved(mesh, placed)
        linear = placed[:3, :3]
        binds = zip(skin.joints, skin.binds, strict=True)
        bones = [self._bone(joint, np.linalg.pinv(bind) @ placed) for joint, bind in binds]
        sliders = sorted({morph.slider for morph in mesh.morphs})
        kind = bent_format(sliders, len(points), mesh.colors)
        data = GeomVertexData(mesh.name, kind, GeomEnums.UH_dynamic)
        data.unclean_set_num_rows(len(points))
        fill(data, 0, rows_of(points, normals, mesh.uvs))
        self._fill_blends(data, skin, bones)
        if sliders:
            self._fill_morphs(data, mesh, sliders, linear)
        fill_colors(data, mesh.colors)
        triangles = mesh.triangles
        if is_mirrored(linear):
            triangles = triangles[:, ::-1]
        node = self._node(mesh, data, triangles)
        node.set_tag("bone", str(bones[main]))
        self._skeleton().add_child(node)

    def _skeleton(self) -> Character:
        if self._character is None:
            self._character = Character("skin")
            bundle = self._character.get_bundle(0)
            self._joint_group = PartGroup(bundle, "<skeleton>")
            self._slider_group = PartGroup(bundle, "morph")
        return self._character

    def _bone(self, joint: int, initial: FloatArray) -> int:
        """Return the index of the Character's joint for a joint of the rig.

        The Character is Panda3D's own skeleton. It has one joint for each pair of rig joint and
        rest matrix. The joint is created when its pair is first asked for.

        Args:
            joint: index of the joint in the rig.
            initial: matrix `[4, 4]` of the Character's joint at rest.
        """
        size = max(1e-6, float(np.abs(initial).max()))
        key = (joint, *np.round(initial.ravel() / size * 1e6).astype(np.int64).tolist())
        if key not in self._bones:
            character, place = self._skeleton(), panda_matrix(initial)
            number = self._bones[key] = len(self._joints)
            bundle = character.get_bundle(0)
            bone = CharacterJoint(character, bundle, self._joint_group, f"b{number}", place)
            self._joints.append(joint)
            self._transforms.append(JointVertexTransform(bone))
        return self._bones[key]

    def _slider(self, number: int) -> CharacterVertexSlider:
        if number not in self._sliders:
            self._skeleton()
            slider = CharacterSlider(self._slider_group, f"s{number}")
            self._sliders[number] = CharacterVertexSlider(slider)
        return self._sliders[number]

    def _fill_blends(self, data: GeomVertexData, skin: SkinData, bones: list[int]) -> None:
        used = np.concatenate([np.array(bones)[skin.bones], skin.weights], axis=1)
        kinds, which = np.unique(np.round(used, 7), axis=0, return_inverse=True)
        table, width = TransformBlendTable(), skin.bones.shape[1]
        numbers = np.empty(len(kinds), dtype=np.int64)
        for index, kind in enumerate(kinds):
            blend = TransformBlend()
            for bone, weight in zip(kind[:width], kind[width:], strict=True):
                if weight > 0.0:
                    blend.add_transform(self._transforms[int(bone)], float(weight))
            numbers[index] = table.add_blend(blend)
        table.set_rows(SparseArray.lower_on(len(which)))
        data.set_transform_blend_table(table)
        column = numbers[which.ravel()]
        kind = np.uint16 if data.get_array(1).get_array_format().get_stride() == 2 else np.uint32
        fill(data, 1, column.astype(kind))

    def _fill_morphs(
        self, data: GeomVertexData, mesh: MeshData, sliders: list[int], linear: FloatArray
    ) -> None:
        rows = np.zeros((len(mesh.points), len(sliders), 6), dtype=np.float32)
        table = SliderTable()
        turn = np.linalg.pinv(linear).T
        for morph in mesh.morphs:
            place = sliders.index(morph.slider)
            rows[morph.rows, place, :3] += morph.points @ linear
            rows[morph.rows, place, 3:] += morph.normals @ turn
        for place, number in enumerate(sliders):
            touched = SparseArray()
            for row in np.flatnonzero(np.abs(rows[:, place]).max(axis=1) > 0.0).tolist():
                touched.set_bit(row)
            if not touched.is_zero():
                table.add_slider(self._slider(number), touched)
        data.set_slider_table(SliderTable.register_table(table))
        fill(data, 2, rows.reshape(len(rows), -1))


def point_size(points: FloatArray) -> float:
    """Return the diameter in metres at which the points of a cloud nearly touch.

    It is the side of a square of which as many as there are points cover the sides of the cloud's
    box, and at most a hundredth of the box's diagonal.

    Args:
        points: `[N, 3]` positions, metres.
    """
    x, y, z = (float(side) for side in np.ptp(points, axis=0))
    area = 2.0 * (x * y + y * z + z * x)
    diagonal = float(np.linalg.norm((x, y, z)))
    return min(np.sqrt(area / len(points)), diagonal / 100.0) or diagonal / 100.0 or SMALL_POINT


def carried(mesh: MeshData) -> SkinData:
    """Return a skin for a mesh without one: all its vertices follow the mesh's joint in full."""
    weights = np.ones((len(mesh.points), 1))
    bones = np.zeros(weights.shape, dtype=np.int64)
    return SkinData(bones, weights, [mesh.joint], mesh.place[None])


def strongest_bone(skin: SkinData) -> int:
    """Return the index in `skin.joints` of the bone with the largest total weight."""
    total = np.bincount(skin.bones.ravel(), skin.weights.ravel(), minlength=len(skin.joints))
    return int(np.argmax(total))


def moved(mesh: MeshData, matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a mesh's points and unit normals, transformed by a matrix `[4, 4]` for row vectors."""
    points = mesh.points @ matrix[:3, :3] + matrix[3, :3]
    normals = mesh.normals @ np.linalg.pinv(matrix[:3, :3]).T
    return points, unit(normals)


def rows_of(points: FloatArray, normals: FloatArray, uvs: FloatArray) -> Rows:
    """Return vertex rows `[N, 8]`: point, normal and texture coordinates as 32-bit floats."""
    return np.concatenate([points, normals, uvs], axis=1).astype(np.float32)


def bent_format(
    sliders: list[int], count: int, colors: FloatArray | None = None
) -> GeomVertexFormat:
    """Return the vertex format of a mesh with skinning and blend shapes.

    Args:
        sliders: indices of the blend-shape sliders that the mesh uses.
        count: number of vertices.
        colors: colours of the vertices `[N, 3]`; None without colours.
    """
    result = GeomVertexFormat()
    result.add_array(GeomVertexFormat.get_v3n3t2().get_array(0))
    kind = GeomEnums.NT_uint16 if count < MOST_SHORT else GeomEnums.NT_uint32
    blends = GeomVertexArrayFormat()
    blends.add_column(InternalName.get_transform_blend(), 1, kind, GeomEnums.C_index)
    result.add_array(blends)
    if sliders:
        morphs = GeomVertexArrayFormat()
        for number in sliders:
            for column in ("vertex", "normal"):
                name = InternalName.get_morph(InternalName.make(column), f"s{number}")
                morphs.add_column(name, 3, GeomEnums.NT_float32, GeomEnums.C_morph_delta)
        result.add_array(morphs)
    if colors is not None:
        result.add_array(color_array())
    animation = GeomVertexAnimationSpec()
    animation.set_panda()
    result.set_animation(animation)
    return GeomVertexFormat.register_format(result)


def color_array() -> GeomVertexArrayFormat:
    """Return the array format for vertex colours, which are the last array of the vertex data."""
    colors = GeomVertexArrayFormat()
    colors.add_column(InternalName.get_color(), 4, GeomEnums.NT_float32, GeomEnums.C_color)
    return colors


def fill_colors(data: GeomVertexData, colors: FloatArray | None) -> None:
    """Copy colours with alpha 1 into the last array of vertex data.

    Args:
        data: the vertex data; with colours, its last array must be that of `color_array`.
        colors: `[N, 3]` linear red, green, blue of each vertex; None does nothing.
    """
    if colors is not None:
        rows = np.concatenate([colors, np.ones((len(colors), 1))], axis=1)
        fill(data, data.get_num_arrays() - 1, rows.astype(np.float32))


def vertex_data(name: str, rows: Rows, colors: FloatArray | None = None) -> GeomVertexData:
    """Return Panda3D vertex data for a rigid mesh.

    Args:
        name: name of the data.
        rows: vertex rows `[N, 8]`: point, normal, texture coordinates.
        colors: linear red, green, blue of each vertex `[N, 3]`; None for no colours.
    """
    kind = GeomVertexFormat()
    kind.add_array(GeomVertexFormat.get_v3n3t2().get_array(0))
    if colors is not None:
        kind.add_array(color_array())
    data = GeomVertexData(name, GeomVertexFormat.register_format(kind), GeomEnums.UH_static)
    data.unclean_set_num_rows(len(rows))
    fill(data, 0, rows)
    fill_colors(data, colors)
    return data


def fill(data: GeomVertexData, array: int, values: npt.NDArray[np.generic]) -> None:
    """Copy values into one array of vertex data.

    Args:
        data: the vertex data, with the right number of rows.
        array: index of the array.
        values: the content, in the array's binary layout.
    """
    data.modify_array(array).modify_handle().copy_data_from(np.ascontiguousarray(values).tobytes())


def panda_matrix(matrix: FloatArray) -> LMatrix4f:
    """Convert a matrix `[4, 4]` to Panda3D's type; both are for row vectors."""
    return LMatrix4f(*matrix.ravel().tolist())


def texture_of(pixels: Pixels, sampler: Sampler) -> Texture:
    """Return a Panda3D texture of a BGR or BGRA picture; the bam file stores its pixels.

    Args:
        pixels: `[h, w, 3|4]`.
        sampler: how it is read beyond its edges and between its pixels.
    """
    height, width, parts = pixels.shape
    texture = Texture("picture")
    kind = Texture.F_rgba if parts == 4 else Texture.F_rgb
    texture.setup_2d_texture(width, height, Texture.T_unsigned_byte, kind)
    content = np.ascontiguousarray(pixels[::-1]).tobytes()
    texture.set_ram_image_as(content, "BGRA" if parts == 4 else "BGR")
    texture.set_minfilter(SamplerState.string_filter_type(sampler.minified))
    texture.set_magfilter(SamplerState.string_filter_type(sampler.magnified))
    texture.set_wrap_u(SamplerState.string_wrap_mode(sampler.wrap_u))
    texture.set_wrap_v(SamplerState.string_wrap_mode(sampler.wrap_v))
    return texture

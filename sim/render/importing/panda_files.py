"""Importer of Panda3D's own formats, egg and bam.

A bam file can hold any object that Panda3D has. Therefore it is opened in this child process only.
Some of Panda3D's readers of pictures end the process at a damaged file. Therefore Panda3D finds a
stand-in of one pixel for each picture, and the pictures themselves are decoded apart.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from panda3d.core import (
    AnimBundle,
    CharacterJoint,
    ColorAttrib,
    CullFaceAttrib,
    Filename,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexReader,
    InternalName,
    JointVertexTransform,
    LineStream,
    LMatrix4f,
    Loader,
    LoaderOptions,
    MaterialAttrib,
    NodePath,
    Notify,
    PartGroup,
    RenderState,
    Texture,
    TextureAttrib,
    VirtualFileMountRamdisk,
    VirtualFileMountSystem,
    VirtualFileSystem,
    load_prc_file_data,
)

from sim.core.assets.animation.poses import FloatArray, IntArray, Pose
from sim.core.assets.animation.rig import Clip, Rig
from sim.core.assets.assets import stamp
from sim.render.importing.model_data import (
    MOST_SAMPLES,
    WHITE,
    Beside,
    MeshData,
    ModelData,
    ModelError,
    Pixels,
    SkinData,
    fitted,
    in_one,
    is_cut,
    pose_of,
    strongest,
    unique_names,
)
from sim.render.materials.surface import Surface

READ_BY_PANDA: Final = (".egg", ".bam", ".txo", ".pz", ".gz")
STAND_IN_COLOR: Final = (254, 0, 255, 255)  # blue, green, red, alpha: a colour that nobody uses
STAND_IN_PNG: Final = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63"
    "f8cff0ef3f0006fc02fdf12690c40000000049454e44ae426082"
)
STAND_IN_DDS: Final = struct.pack(
    "<4s7I44x8I5I", b"DDS ", 124, 0x1007, 1, 1, 4, 0, 0,
    32, 0x41, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000, 0x1000, 0, 0, 0, 0,
) + bytes(STAND_IN_COLOR)  # fmt: skip
NOT_FOUND: Final = re.compile(
    r'[Tt]exture "([^"]+)" (?:on model-path|does not)|ould not locate (\S+)'
)
NOT_READ: Final = re.compile(r'[Tt]exture "([^"]+)" exists but cannot be read')
SAID: Final = LineStream()
"""What Panda3D says; it writes there until this process ends."""
LEFT_OUT = "its blend shapes are left out: they are read from FBX and glTF only"


def read(path: Path, beside: Beside) -> ModelData:
    """Read an egg or bam file.

    Args:
        path: the file.
        beside: collects warnings about further files.

    Raises:
        ModelError: the file is not readable.
    """
    folder = Filename.from_os_specific(os.fsencode(path.parent)).get_fullpath()
    load_prc_file_data("goishi", f"model-cache-dir\nmodel-path {folder}\n")
    options = LoaderOptions(LoaderOptions.LF_no_cache | LoaderOptions.LF_search)
    loader = Loader.get_global_ptr()
    Notify.ptr().set_ostream_ptr(SAID, False)
    with only_below(beside.project):
        node = loader.load_sync(Filename.from_os_specific(os.fsencode(path)), options)
        if node is None:
            raise ModelError(f"expected a model, found none that Panda3D reads in {path.name}")
    reader = PandaReader(NodePath(node), beside)
    reader.read_meshes()
    note_failures(beside)
    reader.data.warnings += beside.warnings()
    reader.data.beside = beside.seen
    return reader.data


def note_failures(beside: Beside) -> None:
    """Record the files that Panda3D did not find or could not read, as its messages name them.

    Args:
        beside: gets their names.
    """
    while SAID.is_text_available():
        line = SAID.get_line()
        if found := NOT_FOUND.search(line):
            beside.missing.append(found[1] or found[2])
        elif found := NOT_READ.search(line):
            is_folder = Path(Filename(found[1]).to_os_specific()).is_dir()
            beside.refuse(found[1], "a picture", "which is a folder" if is_folder else "")


@contextlib.contextmanager
def only_below(project: Path) -> Iterator[None]:
    """Context manager: Panda3D finds no file outside of a project in its block.

    Panda3D itself opens the pictures and models that a file names. So all it sees of the disk is
    the project's folder, without the links in it that lead out. In place of each file that is no
    model it sees the stand-in of a picture.

    Args:
        project: folder of the project.
    """
    disk = VirtualFileSystem.get_global_ptr()
    disk.unmount_all()
    root = project.resolve()
    for path in shown_parts(root):
        place = Filename.from_os_specific(str(path))
        disk.mount(VirtualFileMountSystem(place), place, VirtualFileSystem.MF_read_only)
    disk.mount(VirtualFileMountRamdisk(), "/", 0)
    for path in pictures_below(root):
        place = Filename.from_os_specific(os.fsencode(path))
        disk.make_directory_full(place.get_dirname())
        content = STAND_IN_DDS if path.suffix.lower() == ".dds" else STAND_IN_PNG
        disk.write_file(place, content, False)
    try:
        yield
    finally:
        disk.unmount_all()
        disk.mount(Filename("/"), Filename("/"), 0)


def shown_parts(root: Path) -> Iterator[Path]:
    """Yield the files and folders that make up a folder without what leads out of it.

    What is left out are links to other places, pipes and devices.

    Args:
        root: the folder, with its own links resolved.
    """
    hidden = {
        Path(folder, name)
        for folder, folders, files in os.walk(root)
        for name in (*folders, *files)
        if not _is_inside(Path(folder, name), root)
    }
    split = {folder for path in hidden for folder in path.parents if folder.is_relative_to(root)}
    waiting = [root]
    while waiting:
        path = waiting.pop()
        if path.is_symlink() and path.resolve() in split:
            continue
        if path in split:
            waiting += (item for item in path.iterdir() if item not in hidden)
        else:
            yield path


def pictures_below(root: Path) -> Iterator[Path]:
    """Yield the files of a folder that Panda3D would read as pictures: all that are no models.

    Args:
        root: the folder, with its own links resolved.
    """
    waiting = [(root, root)]
    for place, real in waiting:
        for folder, folders, files in os.walk(real):
            below = place / Path(folder).relative_to(real)
            for name in files:
                if not name.lower().endswith(READ_BY_PANDA) and _is_inside(
                    Path(folder, name), root
                ):
                    yield below / name
            if place is root:
                links = [Path(folder, name) for name in folders if Path(folder, name).is_symlink()]
                waiting += [(below / at.name, at.resolve()) for at in links if _is_inside(at, root)]


def _is_inside(path: Path, root: Path) -> bool:
    """Return whether a path is a file or a folder of a folder, with links followed."""
    try:
        full = path.resolve() if path.is_symlink() else path
        return full.is_relative_to(root) and (full.is_dir() or full.is_file())
    except (OSError, RuntimeError):  # a loop of links
        return False


class PandaReader:
    """Converts a tree of Panda3D nodes to plain arrays.

    Joint 0 of the rig is the coordinate system of the tree's root.
    """

    def __init__(self, root: NodePath, beside: Beside) -> None:
        self.root = root
        self._beside = beside
        self.names = ["root"]
        self.parents = [-1]
        self.places = [np.eye(4)]
        self.joint_of: dict[int, int] = {}
        self.characters = list(root.find_all_matches("**/+Character"))
        self._joints: list[tuple[int, CharacterJoint]] = []
        for character in self.characters:
            node = character.node()
            self._add(node.get_name(), 0, numbers(character.get_mat(root)), node.this)
            for bundle in character.node().get_bundles():
                self._walk(bundle, self.joint_of[character.node().this])
        self.data = ModelData(self._rig())
        self._surfaces: dict[int, int] = {}
        self._pictures: dict[int, int] = {}

    # -- joints -------------------------------------------------------------------------------

    def _add(self, name: str, parent: int, place: FloatArray, key: int) -> int:
        number = self.joint_of[key] = len(self.names)
        self.names.append(name)
        self.parents.append(parent)
        self.places.append(place)
        return number

    def _walk(self, group: PartGroup, parent: int) -> None:
        for number in range(group.get_num_children()):
            child = group.get_child(number)
            below = parent
            if isinstance(child, CharacterJoint):
                place = numbers(child.get_default_value())
                below = self._add(child.get_name(), parent, place, child.this)
                self._joints.append((below, child))
            self._walk(child, below)

    def _rig(self) -> Rig:
        rest = pose_of(self.places)
        clips: dict[str, Clip] = {}
        for path in self.root.find_all_matches("**/+AnimBundleNode"):
            anim = path.node().get_bundle()
            name = anim.get_name() if len(self.characters) == 1 else path.node().get_name()
            name = unique_names([*clips, name or "clip"], "clip")[-1]
            clips[name] = self._clip(name, anim, rest)
        parents = np.array(self.parents, dtype=np.int64)
        return Rig(unique_names(self.names, "joint"), parents, rest, (), clips)

    def _clip(self, name: str, anim: AnimBundle, rest: Pose) -> Clip:
        controls = []
        for character in self.characters:
            for bundle in character.node().get_bundles():
                control = bundle.bind_anim(anim, -1)
                if control is not None:
                    controls.append((bundle, control))
        count = min(anim.get_num_frames(), max(2, MOST_SAMPLES // max(1, len(self._joints))))
        poses = []
        for frame in range(max(1, count)):
            for bundle, control in controls:
                control.pose(frame)
                bundle.force_update()
            places = list(self.places)
            for number, joint in self._joints:
                value = LMatrix4f()
                joint.get_transform(value)
                places[number] = numbers(value)
            poses.append(pose_of(places))
        rate = max(1e-3, float(anim.get_base_frame_rate()))
        joints = np.array([number for number, _ in self._joints], dtype=np.int64)
        parts = {key: values[:, joints] for key, values in in_one(poses).items()}
        weights = np.zeros((len(poses), 0))
        return Clip(name, (len(poses) - 1) / rate, rate, joints, sliders=weights, **parts)

    # -- meshes -------------------------------------------------------------------------------

    def read_meshes(self) -> None:
        """Add all visible meshes."""
        parts = list(self.root.find_all_matches("**/+GeomNode"))
        for path in parts:
            if not path.get_hidden_ancestor().is_empty():
                self.data.undrawn.append("its meshes are hidden")
                continue
            for number in range(path.node().get_num_geoms()):
                self._add_mesh(path, number)
        if not parts:
            self.data.undrawn.append("it has no mesh")

    def _add_mesh(self, path: NodePath, number: int) -> None:
        geom = path.node().get_geom(number).decompose()
        data = geom.get_vertex_data()
        plain = data.convert_to(GeomVertexFormat.get_v3n3t2())
        content = plain.get_array(0).get_handle().get_data()
        rows = np.frombuffer(content, dtype=np.float32).reshape(-1, 8).astype(np.float64)
        triangles = [
            [primitive.get_vertex(index) for index in range(primitive.get_num_vertices())]
            for primitive in geom.get_primitives()
            if primitive.get_num_vertices_per_primitive() == 3
        ]
        corners = np.array([item for part in triangles for item in part], dtype=np.int64)
        if not len(corners) or corners.max() >= len(rows):
            self.data.undrawn.append("its meshes have points and lines, and no faces")
            return
        state = path.get_net_state().compose(path.node().get_geom_state(number))
        mesh = MeshData(
            path.node().get_name() or "mesh",
            0,
            rows[:, :3],
            rows[:, 3:6],
            rows[:, 6:],
            corners.reshape(-1, 3),
            self._surface(state),
            numbers(path.get_mat(self.root)),
            self._skin(data),
            colors=colors_of(data, state),
        )
        if data.get_format().get_num_morphs() and LEFT_OUT not in self.data.warnings:
            self.data.warnings.append(LEFT_OUT)
        if not data.has_column(InternalName.get_normal()):
            mesh.flatten()
        self.data.meshes.append(mesh)

    def _skin(self, data: GeomVertexData) -> SkinData | None:
        table = data.get_transform_blend_table()
        column = InternalName.get_transform_blend()
        if table is None or not data.has_column(column):
            return None
        which = blend_numbers(data, column)
        joints: list[int] = []
        binds: list[FloatArray] = []
        bone_of: dict[int, int] = {}
        blends = [table.get_blend(row) for row in range(table.get_num_blends())]
        width = max([1, *(blend.get_num_transforms() for blend in blends)])
        bones = np.zeros((len(blends), width), dtype=np.int64)
        weights = np.zeros((len(blends), width))
        for row, blend in enumerate(blends):
            for place in range(blend.get_num_transforms()):
                transform = blend.get_transform(place)
                if not isinstance(transform, JointVertexTransform):
                    continue
                number = self.joint_of.get(transform.get_joint().this)
                if number is None:
                    continue
                if number not in bone_of:
                    bone_of[number] = len(joints)
                    joints.append(number)
                    binds.append(np.linalg.pinv(self.data.rig.rest_matrices[number]))
                bones[row, place] = bone_of[number]
                weights[row, place] = blend.get_weight(place)
        if not joints:
            return None
        weights[weights.sum(axis=1) <= 0.0, 0] = 1.0
        bones, weights = strongest(bones, weights)
        character = self.data.rig.rest_matrices[self._character_of(joints[0])]
        return SkinData(bones[which], weights[which], joints, character @ np.array(binds))

    def _character_of(self, joint: int) -> int:
        """Return the joint index of the Character node to which a joint belongs."""
        while self.parents[joint] > 0:
            joint = self.parents[joint]
        return joint

    # -- surfaces -----------------------------------------------------------------------------

    def _surface(self, state: RenderState) -> int:
        key = state.this
        if key not in self._surfaces:
            self._surfaces[key] = self.data.add_surface(self._read_surface(state))
        return self._surfaces[key]

    def _read_surface(self, state: RenderState) -> Surface:
        surface = Surface()
        color = state.get_attrib(ColorAttrib)
        if color is not None and color.get_color_type() == ColorAttrib.T_flat:
            surface.color = tuple(color.get_color())[:3]
            surface.opacity = float(color.get_color()[3])
        attrib = state.get_attrib(MaterialAttrib)
        material = None if attrib is None else attrib.get_material()
        if material is not None:
            has_base = material.has_base_color()
            base = material.get_base_color() if has_base else material.get_diffuse()
            surface.color = tuple(base)[:3]
            surface.roughness = min(max(float(material.get_roughness()), 0.0), 1.0)
            surface.metallic = min(max(float(material.get_metallic()), 0.0), 1.0)
            surface.emissive = tuple(material.get_emission())[:3]
        culling = state.get_attrib(CullFaceAttrib)
        is_open = culling is not None and culling.get_actual_mode() == CullFaceAttrib.M_cull_none
        surface.is_double_sided = is_open
        textures = state.get_attrib(TextureAttrib)
        if textures is not None and textures.get_num_on_stages():
            texture = textures.get_on_texture(textures.get_on_stage(0))
            surface.picture = self._picture(texture)
        if surface.picture >= 0:
            surface.color = WHITE
            surface.is_cut = is_cut(self.data.pictures[surface.picture])
        return surface

    def _picture(self, texture: Texture) -> int:
        if texture.this not in self._pictures:
            if is_stand_in(texture):
                pixels = self._pixels(texture)
            else:
                pixels = pixels_of(texture)
                if pixels is None:
                    name = texture.get_name()
                    self._beside.refuse(name, "a picture", "which holds no pixels")
            self._pictures[texture.this] = self.data.add_picture(pixels)
        return self._pictures[texture.this]

    def _pixels(self, texture: Texture) -> Pixels | None:
        """Decode the file of a texture for which Panda3D found a stand-in."""
        found = self._file(texture.get_fullpath())
        if found is None:
            return None
        if texture.has_alpha_fullpath():
            alpha = self._file(texture.get_alpha_fullpath())
            if alpha is not None:
                import cv2

                sides = (found.shape[1], found.shape[0])
                grey = cv2.cvtColor(np.ascontiguousarray(alpha[..., :3]), cv2.COLOR_BGR2GRAY)
                return np.dstack([found[..., :3], cv2.resize(grey, sides)])
        is_solid = texture.get_num_components() in (1, 3)
        return np.ascontiguousarray(found[..., :3]) if is_solid else found

    def _file(self, name: Filename) -> Pixels | None:
        path = Path(name.to_os_specific())
        relative = path.as_posix()
        with contextlib.suppress(ValueError):  # on Windows, a file on another drive
            relative = Path(os.path.relpath(path, self._beside.folder.resolve())).as_posix()
        self._beside.seen[relative] = stamp(path)
        return self._beside.picture_in(path, path.name)


def is_stand_in(texture: Texture) -> bool:
    """Return whether Panda3D found the stand-in of a picture for a texture."""
    size = (texture.get_x_size(), texture.get_y_size())
    if size != (1, 1) or not texture.has_fullpath():
        return False
    return bytes(texture.get_ram_image_as("BGR")) == bytes(STAND_IN_COLOR[:3])


def pixels_of(texture: Texture) -> Pixels | None:
    """Return the pixels that a bam file holds of a texture, None if it holds none."""
    kind = "BGRA" if texture.get_num_components() in (2, 4) else "BGR"
    content = texture.get_ram_image_as(kind)
    pixels = np.frombuffer(content, dtype=np.uint8)
    size = texture.get_x_size() * texture.get_y_size()
    if not size or pixels.size != size * len(kind):
        return None
    return fitted(pixels.reshape(texture.get_y_size(), texture.get_x_size(), -1)[::-1])


def colors_of(data: GeomVertexData, state: RenderState) -> FloatArray | None:
    """Return the colours `[N, 3]` of the vertices; None if there are none or they are not shown.

    Args:
        data: the vertex data.
        state: render state, which may replace vertex colours by a flat colour.
    """
    attrib = state.get_attrib(ColorAttrib)
    is_vertex = attrib is None or attrib.get_color_type() == ColorAttrib.T_vertex
    if not is_vertex or not data.has_column(InternalName.get_color()):
        return None
    reader = GeomVertexReader(data, InternalName.get_color())
    found = np.array([tuple(reader.get_data4())[:3] for _ in range(data.get_num_rows())])
    return None if not len(found) or (found == 1.0).all() else found.astype(np.float64)


def blend_numbers(data: GeomVertexData, column: InternalName) -> IntArray:
    """Read an index column of vertex data.

    In a skinned Panda3D mesh, each vertex names one entry of a table. An entry combines several
    bones with their weights.

    Args:
        data: the vertex data.
        column: name of the column with the indices.

    Returns:
        `[N]` index of each vertex's entry in that table.
    """
    reader = GeomVertexReader(data, column)
    found = []
    while not reader.is_at_end():
        found.append(reader.get_data1i())
    return np.array(found, dtype=np.int64)


def numbers(matrix: LMatrix4f) -> FloatArray:
    """Convert a Panda3D matrix to `[4, 4]`."""
    return np.array([list(row) for row in matrix.get_rows()], dtype=np.float64)

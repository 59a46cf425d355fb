"""Common result of all importers: meshes, materials, pictures and a rig, as plain arrays.

Lengths are in metres, z points up, and matrices are for row vectors (`v' = v @ matrix`). Joint 0 of
the rig is the coordinate system of the whole model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.core.assets.animation.poses import FloatArray, IntArray, Pose, decompose
from sim.core.assets.animation.rig import Rig
from sim.core.assets.assets import stamp
from sim.core.canvas.picture_limit import OversizedPictureError
from sim.render.materials.picture_decoding import UnreadablePictureError, decode_picture
from sim.render.materials.surface import Surface

MOST_JOINTS = 4096
MOST_VERTICES = 2_000_000
MOST_SAMPLES = 400_000  # of all joints of one clip together
MOST_CHECKED = 300_000  # triangles of a mesh in which open edges are searched
STILL = 1e-6  # metres, shares and scales that are the same to the eye
SRGB = 2.2  # the exponent of sRGB, as in the shader
WHITE = (1.0, 1.0, 1.0)
POINT_GREY = 0.6  # linear, of points without a colour
Pixels = npt.NDArray[np.uint8]


class ModelError(ValueError):
    """A file is not a usable model; the message says what was found."""


@dataclass(frozen=True)
class Sampler:
    """How a texture is read beyond its edges and between its pixels.

    Attributes:
        wrap_u: "repeat", "mirror" or "clamp": what is seen to the left and to the right of it.
        wrap_v: the same for below and above it.
        minified: filter where it is drawn smaller, as in Panda3D's `SamplerState`.
        magnified: "linear" to blend pixels where it is drawn larger, or "nearest" to show them.
    """

    wrap_u: str = "repeat"
    wrap_v: str = "repeat"
    minified: str = "linear_mipmap_linear"
    magnified: str = "linear"


@dataclass
class SkinData:
    """Skinning of a mesh: which bones move each vertex, and by what weights.

    Attributes:
        bones: `[N, K]` bones of each vertex, as indices into `joints` and `binds`.
        weights: `[N, K]` their weights; each row has the sum 1.
        joints: `[B]` the rig's joint index of each bone.
        binds: `[B, 4, 4]` inverse bind matrices: from the mesh's space to the bone's space.
    """

    bones: IntArray
    weights: FloatArray
    joints: list[int]
    binds: FloatArray


@dataclass
class Morph:
    """One blend shape of a mesh: offsets that are added in full when its slider is 1.

    Attributes:
        slider: index of the slider in the rig.
        rows: `[R]` vertices that the shape moves.
        points: `[R, 3]` offsets of their positions, metres.
        normals: `[R, 3]` offsets of their normals.
    """

    slider: int
    rows: IntArray
    points: FloatArray
    normals: FloatArray


@dataclass
class MeshData:
    """Triangles of one material, in the coordinate system of a joint.

    Attributes:
        name: name in the file.
        joint: index of the joint that the mesh follows if it has no skin.
        points: `[N, 3]` positions of the vertices.
        normals: `[N, 3]` normals of the vertices.
        uvs: `[N, 2]` texture coordinates; v points up.
        triangles: `[T, 3]` vertex indices, anticlockwise seen from outside.
        surface: index of the material in `ModelData.surfaces`.
        place: `[4, 4]` transform from the mesh's space to the joint's space.
        skin: bones and weights; None for a mesh that moves rigidly.
        morphs: blend shapes of the mesh.
        colors: `[N, 3]` linear red, green, blue of each vertex; None for white.
        is_cloud: whether it has no triangles, and its vertices are drawn as points.
    """

    name: str
    joint: int
    points: FloatArray
    normals: FloatArray
    uvs: FloatArray
    triangles: IntArray
    surface: int
    place: FloatArray = field(default_factory=lambda: np.eye(4))
    skin: SkinData | None = None
    morphs: list[Morph] = field(default_factory=list)
    colors: FloatArray | None = None
    is_cloud: bool = False

    @property
    def is_drawn(self) -> bool:
        """Whether anything of it can be drawn: triangles or points."""
        return bool(len(self.triangles)) or (self.is_cloud and bool(len(self.points)))

    def spread(self, rows: IntArray) -> None:
        """Replace the vertices by one separate vertex for each triangle corner.

        Args:
            rows: `[C]` index of the present vertex from which each corner is copied.
        """
        count = len(self.points)
        self.points, self.uvs = self.points[rows], self.uvs[rows]
        self.triangles = np.arange(len(rows)).reshape(-1, 3)
        if self.colors is not None:
            self.colors = self.colors[rows]
        if self.skin is not None:
            self.skin.bones, self.skin.weights = self.skin.bones[rows], self.skin.weights[rows]
        for morph in self.morphs:
            points, normals = np.zeros((count, 3)), np.zeros((count, 3))
            points[morph.rows], normals[morph.rows] = morph.points, morph.normals
            morph.rows = np.flatnonzero(np.isin(rows, morph.rows))
            morph.points, morph.normals = points[rows[morph.rows]], normals[rows[morph.rows]]

    def share(self, rows: IntArray) -> None:
        """Let separate corners share vertices; the opposite of `spread`, for a mesh without a skin.

        Args:
            rows: `[N]` the same number for vertices that become one.
        """
        _, first, kinds = np.unique(rows, return_index=True, return_inverse=True)
        self.points, self.uvs = self.points[first], self.uvs[first]
        self.normals = self.normals[first]
        self.triangles = kinds.ravel()[self.triangles]
        if self.colors is not None:
            self.colors = self.colors[first]

    def is_open(self) -> bool:
        """Return whether a triangle has an edge at which no other one ends."""
        if not len(self.triangles) or len(self.triangles) > MOST_CHECKED:
            return bool(len(self.triangles))
        rows = np.ascontiguousarray(self.points, dtype=np.float32) + 0.0  # 0 and -0 are one place
        same = np.unique(rows.view("V12").ravel(), return_inverse=True)[1].ravel()
        corners = same[self.triangles]
        corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
        edges = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2))
        counts = np.unique(edges[:, 0] * len(rows) + edges[:, 1], return_counts=True)[1]
        return bool((counts == 1).any())

    def hang_from(self, joint: int, spot: FloatArray) -> None:
        """Make the mesh follow another joint, without moving it.

        Args:
            joint: index of a joint that is a child of the present one, without rotation and scale.
            spot: `[3]` place of that joint in the present joint's space.
        """
        self.joint = joint
        self.place = self.place.copy()
        self.place[3, :3] -= spot

    def flatten(self) -> None:
        """Compute flat normals, one for each triangle; corners no longer share vertices."""
        self.spread(self.triangles.ravel())
        corners = self.points.reshape(-1, 3, 3)
        facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(facing, axis=1, keepdims=True)
        self.normals = np.repeat(facing / np.where(lengths > 1e-20, lengths, 1.0), 3, axis=0)


@dataclass
class ModelData:
    """An imported model.

    Attributes:
        rig: its joints, rest pose, blend-shape sliders and animation clips.
        meshes: its meshes.
        surfaces: materials, to which the meshes refer by index.
        pictures: textures `[h, w, 3|4]` in OpenCV's order BGR(A), to which materials refer by
            index.
        samplers: by index, how some pictures are read beyond their edges and between their pixels.
        warnings: a sentence for each missing or skipped part.
        undrawn: a clause for each reason for which a part is not drawn, such as "it has lines
            only"; told if nothing of the model is drawn.
        notes: a sentence for each part left out on purpose, such as a clip without any motion.
        beside: for the path of each further file to which the model refers, its size and
            modification time; None for a missing file.
    """

    rig: Rig
    meshes: list[MeshData] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    pictures: list[Pixels] = field(default_factory=list)
    samplers: dict[int, Sampler] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    undrawn: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    beside: dict[str, list[int] | None] = field(default_factory=dict)

    def add_picture(self, pixels: Pixels | None, sampler: Sampler | None = None) -> int:
        """Add a picture and return its index; -1 for None.

        Args:
            pixels: `[h, w, 3|4]`.
            sampler: how it is read; None to repeat it and blend its pixels.
        """
        if pixels is None:
            return -1
        number = len(self.pictures)
        self.pictures.append(pixels)
        if sampler is not None:
            self.samplers[number] = sampler
        return number

    def add_cloud(self, cloud: MeshData) -> None:
        """Add a point cloud, as `cloud_of` makes it, with a white material of its own."""
        cloud.surface = self.add_surface(Surface(color=WHITE, is_unlit=True))
        self.meshes.append(cloud)

    def add_surface(self, surface: Surface) -> int:
        """Add a surface and return its index."""
        self.surfaces.append(surface)
        return len(self.surfaces) - 1

    def move_root(self, offset: FloatArray) -> None:
        """Move the first joint, and with it all others, by `offset` `[3]`, in all clips as well."""
        rig = self.rig
        positions = rig.rest.positions.copy()
        positions[0] += offset
        self.rig = replace(rig, rest=replace(rig.rest, positions=positions))
        for clip in rig.clips.values():
            for column in np.flatnonzero(clip.joints == 0):
                clip.positions[:, column] += offset

    def give_joint(self, mesh: MeshData, distance: float) -> None:
        """Give a mesh whose points are far from its joint a joint of its own, in their middle.

        Args:
            mesh: a mesh without a skin.
            distance: metres from its joint up to which nothing is changed.
        """
        points = mesh.points @ mesh.place[:3, :3] + mesh.place[3, :3]
        middle = np.rint((points.min(axis=0) + points.max(axis=0)) / 2.0)
        if np.linalg.norm(middle) <= distance:
            return
        rig, rest, number = self.rig, self.rig.rest, len(self.rig.joints)
        self.rig = replace(
            rig,
            joints=(*rig.joints, f"{mesh.name}.{number}"),
            parents=np.append(rig.parents, mesh.joint),
            rest=replace(
                rest,
                positions=np.vstack([rest.positions, middle]),
                rotations=np.vstack([rest.rotations, [0.0, 0.0, 0.0, 1.0]]),
                scales=np.vstack([rest.scales, np.ones(3)]),
            ),
        )
        mesh.hang_from(number, middle)


def check(model: ModelData) -> None:
    """Check that a model can be drawn; replace invalid normals and texture coordinates by zeros.

    Raises:
        ModelError: the model is too large, has numbers that are not finite, or an invalid index.
    """
    if len(model.rig.joints) > MOST_JOINTS:
        raise ModelError(f"expected at most {MOST_JOINTS} joints, found {len(model.rig.joints)}")
    if sum(len(mesh.points) for mesh in model.meshes) > MOST_VERTICES:
        raise ModelError(f"expected at most {MOST_VERTICES} vertices, found more")
    for mesh in model.meshes:
        arrays = [mesh.points, mesh.place, *(morph.points for morph in mesh.morphs)]
        if mesh.skin is not None:
            arrays += [mesh.skin.binds, mesh.skin.weights]
        if not all(np.isfinite(array).all() for array in arrays):
            raise ModelError(f"expected finite numbers, found others in the mesh {mesh.name!r}")
        if mesh.triangles.size and mesh.triangles.max() >= len(mesh.points):
            raise ModelError(f"expected indices of vertices, found others in {mesh.name!r}")
        mesh.normals = np.nan_to_num(mesh.normals)
        mesh.uvs = np.nan_to_num(mesh.uvs)
        if mesh.colors is not None:
            mesh.colors = np.clip(np.nan_to_num(mesh.colors), 0.0, 1.0)


def leave_out_still_clips(model: ModelData) -> None:
    """Remove clips that never leave the rest pose, and add a note for each."""
    rest = model.rig.rest
    for name, clip in list(model.rig.clips.items()):
        places = ((clip.positions, rest.positions), (clip.scales, rest.scales))
        still = all(
            np.allclose(now, known[clip.joints], rtol=0.0, atol=STILL) for now, known in places
        )
        turns = np.einsum("fkc,kc->fk", clip.rotations, rest.rotations[clip.joints])
        still = still and bool((np.abs(turns) > 1.0 - STILL).all())
        if still and np.allclose(clip.sliders, rest.sliders, atol=STILL):
            del model.rig.clips[name]
            model.notes.append(f"its clip {name!r} moves nothing: left out")


def resting(name: str = "root") -> Rig:
    """Return the rig for a file without joints: a single joint at the origin.

    Args:
        name: name of the joint.
    """
    turn = np.array([[0.0, 0.0, 0.0, 1.0]])
    rest = Pose(np.zeros((1, 3)), turn, np.ones((1, 3)), np.zeros(0))
    return Rig((name,), np.array([-1]), rest, (), {})


def bare_surface(*, has_colors: bool) -> Surface:
    """Return the surface of a mesh for which the file has no material.

    Args:
        has_colors: whether the mesh has vertex colours. The surface is then white, so that they are
            shown unchanged.
    """
    return Surface(color=WHITE) if has_colors else Surface()


def cloud_of(points: FloatArray, colors: FloatArray | None) -> MeshData:
    """Return a mesh without triangles, whose vertices are drawn as points.

    Args:
        points: `[N, 3]` positions, metres.
        colors: `[N, 3]` linear red, green, blue; None for light grey.
    """
    shown = np.full(points.shape, POINT_GREY) if colors is None else colors
    none, flat = np.empty((0, 3), dtype=np.int64), np.zeros((len(points), 2))
    up = np.zeros_like(points)
    return MeshData("points", 0, points, up, flat, none, 0, colors=shown, is_cloud=True)


def is_cut(pixels: Pixels) -> bool:
    """Return whether a picture has an alpha channel with pixels that are not opaque."""
    return bool(pixels.shape[2] == 4 and pixels[..., 3].min() < 250)


def metallic_roughness_of(metallic: Pixels | None, roughness: Pixels | None) -> Pixels | None:
    """Join two grey textures into one for `Surface.metallic_roughness_picture`.

    Args:
        metallic: texture that multiplies the metalness; None for 1 everywhere.
        roughness: texture that multiplies the roughness; None for 1 everywhere.

    Returns:
        `[h, w, 3]` of the larger size; None if there is neither.
    """
    found = [item for item in (metallic, roughness) if item is not None]
    if not found:
        return None
    import cv2

    height, width = max(item.shape[:2] for item in found)
    joined = np.full((height, width, 3), 255, dtype=np.uint8)
    for channel, item in ((0, metallic), (1, roughness)):  # blue, green
        if item is not None:
            grey = cv2.cvtColor(np.ascontiguousarray(item[..., :3]), cv2.COLOR_BGR2GRAY)
            joined[..., channel] = cv2.resize(grey, (width, height))
    return joined


def normals_of(heights: Pixels, scale: float = 1.0) -> Pixels:
    """Convert a height map to a normal map for `Surface.normal_picture`.

    A picture that is no shade of grey is a normal map already, and is returned as it is: several
    programs write one where a format has a place for heights only.

    Args:
        heights: `[h, w, 3|4]`; white is high.
        scale: multiplies the heights; 1 is 8 pixels from black to white.
    """
    import cv2

    parts = heights[..., :3].astype(np.int16)
    if np.abs(parts - parts[..., :1]).max(initial=0) > 24:
        return heights
    rows = parts[..., 0].astype(np.float32) * (8.0 * scale / 255.0)
    right, down = (cv2.Sobel(rows, cv2.CV_32F, *way, scale=0.125) for way in ((1, 0), (0, 1)))
    normals = unit(np.stack([-right, down, np.ones_like(rows)], axis=-1).reshape(-1, 3))
    colors = np.rint((normals * 0.5 + 0.5) * 255.0).astype(np.uint8)
    return np.ascontiguousarray(colors.reshape(*rows.shape, 3)[..., ::-1])


def unit(normals: FloatArray) -> FloatArray:
    """Return normals `[N, 3]` of length 1."""
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(normals / np.where(lengths > 1e-12, lengths, 1.0))


def in_one(poses: list[Pose]) -> dict[str, FloatArray]:
    """Join the F poses of a clip into one array each of positions, rotations and scales.

    Args:
        poses: the clip's poses in order.

    Returns:
        Arrays `[F, J, …]` with the keys "positions", "rotations" and "scales".
    """
    keys = ("positions", "rotations", "scales")
    return {key: np.stack([getattr(pose, key) for pose in poses]) for key in keys}


def pose_of(places: list[FloatArray]) -> Pose:
    """Split matrices `[4, 4]`, each from a joint to its parent, into a pose."""
    parts = [decompose(place) for place in places]
    positions, turns, scales = (np.array([part[k] for part in parts]) for k in range(3))
    return Pose(positions, turns, scales, np.empty(0))


def linear_of(colors: FloatArray) -> FloatArray:
    """Convert sRGB colours to linear ones, `[N, 3]`.

    Args:
        colors: `[N, 3]` or wider, 0 to 1; further columns are ignored.
    """
    return np.asarray(np.clip(colors[:, :3], 0.0, 1.0) ** SRGB)


def unique_names(names: list[str], fallback: str) -> tuple[str, ...]:
    """Make names unique by numbering: the second `arm` becomes `arm.1`.

    Args:
        names: the names in order.
        fallback: name for empty ones.
    """
    seen: dict[str, int] = {}
    found: list[str] = []
    taken = set(names)
    for name in names:
        base = name or fallback
        number = seen.get(base, 0)
        made = base if not number else f"{base}.{number}"
        while number and made in taken:
            number += 1
            made = f"{base}.{number}"
        seen[base] = number + 1
        taken.add(made)
        found.append(made)
    return tuple(found)


def strongest(bones: IntArray, weights: FloatArray, most: int = 8) -> tuple[IntArray, FloatArray]:
    """Keep the largest weights of each vertex, scaled so that their sum is 1.

    Args:
        bones: `[N, K]` bone indices of each vertex.
        weights: `[N, K]` their weights.
        most: number of weights that are kept.

    Returns:
        Bones and weights, at most `most` columns each.
    """
    if weights.shape[1] > most:
        order = np.argsort(-weights, axis=1)[:, :most]
        bones = np.take_along_axis(bones, order, axis=1)
        weights = np.take_along_axis(weights, order, axis=1)
    total = weights.sum(axis=1, keepdims=True)
    return bones, weights / np.where(total > 1e-12, total, 1.0)


LARGEST_SIDE = 1024  # pixels; larger pictures are made smaller, so that showing them never stalls
MOST_BYTES = 64 * 2**20
FOLDERS = ("", "textures", "Textures", "maps", "images")


class Beside:
    """Finds the files that a model refers to, near the model and never outside the project.

    Attributes:
        seen: for each path that was tried, its size and modification time; None if it is missing.
            By these the cache of models finds out later whether a file has changed.
        missing: names of files that were not found.
        refused: a warning for each file that was found and cannot be used.
    """

    def __init__(self, model: Path, project: Path) -> None:
        self.folder = model.parent
        self.stem = model.stem
        self.project = project.resolve()
        self.seen: dict[str, list[int] | None] = {}
        self.missing: list[str] = []
        self.refused: list[str] = []

    def find(self, *names: str) -> Path | None:
        """Return the first of several file names that exists in the project; None if none does.

        Each name is searched relative to the model and in folders such as `textures` beside it.
        """
        return next(self._found(*names), None)

    def _found(self, *names: str, is_kind: Callable[[Path], bool] = Path.is_file) -> Iterator[Path]:
        for name in (name for name in names if name):
            for relative in self._places(name):
                path = self.folder / relative
                self.seen[relative] = stamp(path)
                if self.seen[relative] is not None and self._is_inside(path, is_kind):
                    yield path

    def _places(self, name: str) -> list[str]:
        slashed = PureWindowsPath(name).as_posix()
        pure = PurePosixPath(slashed)
        is_relative = not pure.is_absolute() and ":" not in slashed
        places = [slashed] if is_relative and ".." not in pure.parts else []
        folders = (*FOLDERS, f"{self.stem}.fbm")
        places += [f"{folder}/{pure.name}" if folder else pure.name for folder in folders]
        return list(dict.fromkeys(place for place in places if pure.name))

    def _is_inside(self, path: Path, is_kind: Callable[[Path], bool]) -> bool:
        try:
            return is_kind(path) and self.project in path.resolve().parents
        except OSError:
            return False

    def picture(self, *names: str) -> Pixels | None:
        """Return the picture of the first file name that exists.

        Returns:
            None if there is none or it cannot be used; it is then recorded for `warnings`.
        """
        path = self.find(*names)
        name = next((name for name in names if name), "?")
        if path is None:
            self._lose(*names)
            return None
        return self.picture_in(path, name)

    def picture_in(self, path: Path, name: str) -> Pixels | None:
        """Return the picture in a file that exists.

        Args:
            path: the file.
            name: what the model calls it, for the warning.

        Returns:
            None if it cannot be used; it is then recorded for `warnings`.
        """
        size = path.stat().st_size
        if size > MOST_BYTES:
            self.refuse(name, f"a picture of at most {MOST_BYTES} bytes", f"of {size} bytes")
            return None
        return self.decode(path.read_bytes(), name)

    def decode(self, content: bytes, name: str) -> Pixels | None:
        """Decode the content of a picture file.

        Args:
            content: content of the file; empty if the file is missing.
            name: name of the file, for the warning.

        Returns:
            None if it is missing, invalid or too large; it is then recorded for `warnings`.
        """
        try:
            return decoded(content)
        except OversizedPictureError as error:
            self.refuse(name, f"a picture of at most {error.limit}", f"of {error}")
        except UnreadablePictureError as error:
            if not content and self.find(name) is None:
                self._lose(name)
            else:
                self.refuse(name, "a picture", f"which is {error}" if str(error) else "")
        return None

    def _lose(self, *names: str) -> None:
        """Record a picture for which no file was found."""
        name = next((name for name in names if name), "?")
        if any(self._found(*names, is_kind=Path.is_dir)):
            self.refuse(name, "a picture", "which is a folder")
        else:
            self.missing.append(name)

    def refuse(self, name: str, expected: str, found: str) -> None:
        """Record a file that was found and cannot be used.

        Args:
            name: name of the file.
            expected: what it should be.
            found: what it is, to follow its name; "" if that is not known.
        """
        name = PureWindowsPath(name).name or name
        comma = ", " if found.startswith("which") else " " if found else ""
        self.refused.append(f"expected {expected}, found {name}{comma}{found}: left out")

    def warnings(self) -> list[str]:
        """Return the warnings: one that lists missing files, and one for each refused file."""
        found = []
        if self.missing:
            names = ", ".join(sorted({PureWindowsPath(name).name for name in self.missing}))
            found.append(f"expected files beside it that it names, not found: {names}")
        return found + sorted(set(self.refused))


def decoded(content: bytes) -> Pixels:
    """Decode a picture file, scaled down to at most `LARGEST_SIDE`.

    Raises:
        OversizedPictureError: it is too large; nothing was decoded.
        UnreadablePictureError: it is no picture that can be read.
    """
    return fitted(decode_picture(content))


def fitted(picture: npt.NDArray[Any]) -> Pixels:
    """Convert a picture to `[h, w, 3|4]` uint8, scaled down to at most `LARGEST_SIDE`."""
    import cv2

    if picture.dtype == np.uint16:
        picture = (picture >> 8).astype(np.uint8)
    elif picture.dtype != np.uint8:
        picture = np.clip(np.nan_to_num(picture) * 255.0, 0, 255).astype(np.uint8)
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    elif picture.shape[2] == 2:
        picture = np.dstack([picture[..., :1]] * 3 + [picture[..., 1:]])
    scale = LARGEST_SIDE / max(picture.shape[:2])
    if scale < 1.0:
        wide, high = (max(1, round(side * scale)) for side in picture.shape[1::-1])
        picture = cv2.resize(picture, (wide, high), interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(picture, dtype=np.uint8)

"""Common result of the importers: meshes, surfaces, pictures and a rig, as plain arrays.

Metres, z up, row vectors (`v' = v @ matrix`); the rig's first joint is the model's own space.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sim.core.assets.animation.poses import FloatArray, IntArray, Pose
from sim.core.assets.animation.rig import Rig

MOST_JOINTS = 4096
MOST_VERTICES = 2_000_000
MOST_SAMPLES = 400_000  # of all joints of one clip together
STILL = 1e-6  # metres, shares and scales that are the same to the eye
SRGB = 2.2  # the exponent of sRGB, as in the shader
Pixels = npt.NDArray[np.uint8]


class ModelError(ValueError):
    """A file is not a usable model; the message says what was found."""


@dataclass
class Surface:
    """Material of a mesh.

    Attributes:
        color: linear red, green, blue.
        opacity: 1 for solid.
        picture: index of its texture in `pictures`, -1 for none.
        is_cut: the texture's alpha is used.
    """

    name: str = ""
    color: tuple[float, float, float] = (0.8, 0.8, 0.8)
    opacity: float = 1.0
    roughness: float = 0.5
    emission: float = 0.0
    picture: int = -1
    is_cut: bool = False


@dataclass
class Skin:
    """Skinning: the bones and weights of each vertex.

    Attributes:
        bones: `[N, K]` bone indices into `joints` and `binds`.
        weights: `[N, K]`, sum 1.
        joints: `[B]` the rig's joint of each bone.
        binds: `[B, 4, 4]` bind matrices from the mesh's space to each bone's.
    """

    bones: IntArray
    weights: FloatArray
    joints: list[int]
    binds: FloatArray


@dataclass
class Morph:
    """One blend shape of a mesh: offsets that are added to `rows` at full weight."""

    slider: int
    rows: IntArray
    points: FloatArray
    normals: FloatArray


@dataclass
class MeshData:
    """Triangles of one surface, in the space of a joint.

    Attributes:
        joint: the joint that it moves with if it is not skinned.
        points: `[N, 3]`.
        normals: `[N, 3]`.
        uvs: `[N, 2]`, v up.
        triangles: `[T, 3]` anticlockwise from outside.
        colors: `[N, 3]` linear red, green, blue at each vertex; None for white.
        place: `[4, 4]` from the mesh's space to the joint's.
    """

    name: str
    joint: int
    points: FloatArray
    normals: FloatArray
    uvs: FloatArray
    triangles: IntArray
    surface: int
    place: FloatArray = field(default_factory=lambda: np.eye(4))
    skin: Skin | None = None
    morphs: list[Morph] = field(default_factory=list)
    colors: FloatArray | None = None

    def spread(self, rows: IntArray) -> None:
        """Give each triangle corner a vertex of its own, copied from `rows`."""
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

    def flatten(self) -> None:
        """Compute flat normals, for a mesh without normals."""
        self.spread(self.triangles.ravel())
        corners = self.points.reshape(-1, 3, 3)
        facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(facing, axis=1, keepdims=True)
        self.normals = np.repeat(facing / np.where(lengths > 1e-20, lengths, 1.0), 3, axis=0)


@dataclass
class ModelData:
    """An imported model.

    Attributes:
        pictures: `[h, w, 3|4]` in OpenCV's order BGR(A).
        warnings: a sentence for each missing or skipped part.
        notes: a sentence for each part that is left out and not missed.
        beside: files that the model refers to, with their `stamp`.
    """

    rig: Rig
    meshes: list[MeshData] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    pictures: list[Pixels] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    beside: dict[str, list[int] | None] = field(default_factory=dict)


def check(model: ModelData) -> None:
    """Check that a model can be drawn.

    Raises:
        ModelError: it is too large, not finite, or an index is out of range.
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
    """Take out the clips in which nothing differs from the rest pose, with a note each."""
    rest = model.rig.rest
    for name, clip in list(model.rig.clips.items()):
        still = all(
            np.allclose(getattr(clip, key), getattr(rest, key)[clip.joints], atol=STILL)
            for key in ("positions", "scales")
        )
        turns = np.einsum("fkc,kc->fk", clip.rotations, rest.rotations[clip.joints])
        still = still and bool((np.abs(turns) > 1.0 - STILL).all())
        if still and np.allclose(clip.sliders, rest.sliders, atol=STILL):
            del model.rig.clips[name]
            model.notes.append(f"its clip {name!r} moves nothing: left out")


def resting(name: str = "root") -> Rig:
    """Return the rig of a file without joints: one, which turns nothing."""
    turn = np.array([[0.0, 0.0, 0.0, 1.0]])
    rest = Pose(np.zeros((1, 3)), turn, np.ones((1, 3)), np.zeros(0))
    return Rig((name,), np.array([-1]), rest, (), {})


def linear_of(colors: FloatArray) -> FloatArray:
    """Return linear colours `[N, 3]` of sRGB ones with at least three columns, 0 to 1."""
    return np.asarray(np.clip(colors[:, :3], 0.0, 1.0) ** SRGB)


def unique_names(names: list[str], fallback: str) -> tuple[str, ...]:
    """Make names unique: the second `arm` becomes `arm.1`."""
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
    """Keep the `most` largest weights of each vertex, normalised to sum 1."""
    if weights.shape[1] > most:
        order = np.argsort(-weights, axis=1)[:, :most]
        bones = np.take_along_axis(bones, order, axis=1)
        weights = np.take_along_axis(weights, order, axis=1)
    total = weights.sum(axis=1, keepdims=True)
    return bones, weights / np.where(total > 1e-12, total, 1.0)

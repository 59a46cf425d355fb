"""Poses: positions, rotations and scales of all joints as arrays, and their matrices.

Row vectors, as everywhere in the engine: `v' = v @ matrix`. Quaternions are `[x, y, z, w]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Level = tuple[IntArray, IntArray]
SMALL_TURN = 0.996  # cosine of half of ten degrees: the arc differs by less than 0.01 degrees
NEARLY_PARALLEL = 0.9995  # cosine from which a straight line is as good as an arc
Index = int | slice | list[int] | npt.NDArray[np.integer] | npt.NDArray[np.bool_]


@dataclass
class Pose:
    """Transforms of all J joints relative to their parents, and the weights of S blend shapes.

    A stack of N poses has one more axis of length N in front of each array.

    Attributes:
        positions: `[J, 3]` metres.
        rotations: `[J, 4]` unit quaternions.
        scales: `[J, 3]` factors.
        sliders: `[S]` weights of the blend shapes.
    """

    positions: FloatArray
    rotations: FloatArray
    scales: FloatArray
    sliders: FloatArray

    def __getitem__(self, which: Index) -> Pose:
        """Return one or several poses of a stack.

        Args:
            which: NumPy index along the first axis of the stack.
        """
        return Pose(
            self.positions[which], self.rotations[which], self.scales[which], self.sliders[which]
        )

    def __setitem__(self, which: Index, value: Pose) -> None:
        """Replace one or several poses of a stack.

        Args:
            which: NumPy index along the first axis of the stack.
            value: the new pose, or a stack of new poses.
        """
        self.positions[which], self.rotations[which] = value.positions, value.rotations
        self.scales[which], self.sliders[which] = value.scales, value.sliders

    @property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Positions, rotations, scales and sliders."""
        return self.positions, self.rotations, self.scales, self.sliders

    def copy(self) -> Pose:
        """Return a copy with its own arrays."""
        return Pose(*(part.copy() for part in self.parts))

    def repeated(self, count: int) -> Pose:
        """Return a stack of `count` copies of this pose."""
        return Pose(*(np.repeat(part[None], count, axis=0) for part in self.parts))

    @staticmethod
    def stacked(poses: Sequence[Pose]) -> Pose:
        """Return one stack of several poses; each array gets a new first axis."""
        return Pose(*map(np.stack, zip(*(pose.parts for pose in poses), strict=True)))


def blend(first: Pose, second: Pose, share: float | FloatArray) -> Pose:
    """Interpolate between two poses, or between two stacks of N poses.

    Args:
        first: result where `share` is 0.
        second: result where `share` is 1.
        share: weight of `second`, 0 to 1; for stacks an array `[N]`.
    """
    wide = np.asarray(share, dtype=np.float64)[..., None]
    wider = wide[..., None]
    return Pose(
        first.positions * (1.0 - wider) + second.positions * wider,
        slerp(first.rotations, second.rotations, wide),
        first.scales * (1.0 - wider) + second.scales * wider,
        first.sliders * (1.0 - wide) + second.sliders * wide,
    )


def layered(first: Pose, second: Pose, weights: FloatArray, shapes: FloatArray) -> Pose:
    """Interpolate between two stacks of N poses, each joint with its own weight.

    Args:
        first: result where a weight is 0.
        second: result where a weight is 1.
        weights: `[N, J]` weight of `second` in each joint, 0 to 1.
        shapes: `[N]` weight of `second` in the blend shapes, 0 to 1.
    """
    wide, shape = weights[..., None], shapes[..., None]
    turned = slerp(first.rotations, second.rotations, weights)
    return Pose(
        first.positions * (1.0 - wide) + second.positions * wide,
        np.where(wide > 0.0, turned, first.rotations),  # exactly what lies below elsewhere
        first.scales * (1.0 - wide) + second.scales * wide,
        first.sliders * (1.0 - shape) + second.sliders * shape,
    )


def slerp(first: FloatArray, second: FloatArray, share: float | FloatArray) -> FloatArray:
    """Interpolate between unit quaternions `[…, 4]` along the shorter arc (slerp).

    Args:
        first: result where `share` is 0.
        second: result where `share` is 1.
        share: weight of `second`, 0 to 1: one number or an array `[…]`.
    """
    cosine = np.einsum("...i,...i->...", first, second)
    second = np.where(cosine[..., None] < 0.0, -second, second)
    cosine = np.clip(np.abs(cosine), 0.0, 1.0)
    if cosine.size and cosine.min() >= SMALL_TURN:  # usual for two samples of a clip
        return normalized(first + (second - first) * np.asarray(share)[..., None])
    angle = np.arccos(cosine)
    sine = np.sin(angle)
    is_arc = cosine < NEARLY_PARALLEL
    safe = np.where(is_arc, sine, 1.0)
    one = np.where(is_arc, np.sin((1.0 - share) * angle) / safe, 1.0 - share)
    other = np.where(is_arc, np.sin(share * angle) / safe, share)
    return normalized(first * one[..., None] + second * other[..., None])


def normalized(quaternions: FloatArray) -> FloatArray:
    """Normalise quaternions `[…, 4]`; zeros become the identity."""
    squares = np.einsum("...i,...i->...", quaternions, quaternions)[..., None]
    lengths = np.sqrt(squares)
    none = np.array([0.0, 0.0, 0.0, 1.0])
    return np.asarray(np.where(lengths > 1e-12, quaternions / np.maximum(lengths, 1e-12), none))


def rotation_matrices(quaternions: FloatArray) -> FloatArray:
    """Return the rotation matrices `[…, 3, 3]` of unit quaternions `[…, 4]`, for row vectors."""
    x, y, z, w = (quaternions[..., part] for part in range(4))
    result = np.empty((*quaternions.shape[:-1], 3, 3))
    result[..., 0, 0] = 1 - 2 * (y * y + z * z)
    result[..., 0, 1] = 2 * (x * y + w * z)
    result[..., 0, 2] = 2 * (x * z - w * y)
    result[..., 1, 0] = 2 * (x * y - w * z)
    result[..., 1, 1] = 1 - 2 * (x * x + z * z)
    result[..., 1, 2] = 2 * (y * z + w * x)
    result[..., 2, 0] = 2 * (x * z + w * y)
    result[..., 2, 1] = 2 * (y * z - w * x)
    result[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return result


def local_matrices(pose: Pose) -> FloatArray:
    """Return the matrices `[…, J, 4, 4]` from each joint to its parent."""
    result = np.zeros((*pose.positions.shape[:-1], 4, 4))
    result[..., :3, :3] = rotation_matrices(pose.rotations) * pose.scales[..., None]
    result[..., 3, :3] = pose.positions
    result[..., 3, 3] = 1.0
    return result


def levels_of(parents: IntArray) -> tuple[Level, ...]:
    """Group the joints by their depth in the hierarchy.

    Args:
        parents: `[J]` index of each joint's parent, -1 for a root; parents come before children.

    Returns:
        For each depth, root level first, the joints' indices and their parents' indices.
    """
    depths = np.zeros(len(parents), dtype=np.int64)
    for joint, parent in enumerate(parents.tolist()):
        depths[joint] = 0 if parent < 0 else depths[parent] + 1
    found = []
    for depth in range(int(depths.max(initial=-1)) + 1):
        joints = np.flatnonzero(depths == depth)
        found.append((joints, parents[joints]))
    return tuple(found)


def chained(
    local: FloatArray, levels: Sequence[Level], turned: Mapping[int, Mapping[int, FloatArray]]
) -> FloatArray:
    """Multiply joint matrices down the hierarchy, for N objects at once.

    Args:
        local: `[N, J, 4, 4]` from each joint to its parent; overwritten with the result.
        levels: joints by depth, see `levels_of`.
        turned: additional rotations: maps an object's index to a mapping from a joint's index to a
            rotation matrix `[3, 3]` about the joint, in the model's axes.

    Returns:
        `[N, J, 4, 4]` from each joint's space to the model's space.
    """
    for depth, (joints, parents) in enumerate(levels):
        if depth:
            local[:, joints] = local[:, joints] @ local[:, parents]
        for number, turns in turned.items():
            for joint in turns.keys() & set(joints.tolist()):
                local[number, joint, :3, :3] = local[number, joint, :3, :3] @ turns[joint]
    return local


def model_matrices(
    pose: Pose, parents: IntArray, driven: Mapping[int, FloatArray] | None = None
) -> FloatArray:
    """Return the matrices `[J, 4, 4]` from each joint's space to the model's space.

    Args:
        pose: transforms of all joints relative to their parents.
        parents: `[J]` index of each joint's parent, smaller than the joint's own; -1 for a root.
        driven: additional rotation of some joints: maps a joint's index to a rotation matrix `[3,
            3]` about the joint, in the model's axes. None for none.
    """
    turned = {0: driven} if driven else {}
    return np.asarray(chained(local_matrices(pose)[None], levels_of(parents), turned)[0])


def without_scale(matrix: FloatArray) -> FloatArray:
    """Return a matrix `[4, 4]` with the same position and rotation, without scale and shear."""
    result = np.eye(4)
    left, _, right = np.linalg.svd(matrix[:3, :3])
    turn = left @ right
    if np.linalg.det(turn) < 0.0:
        left[:, -1] = -left[:, -1]
        turn = left @ right
    result[:3, :3] = turn
    result[3, :3] = matrix[3, :3]
    return result


def decompose(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Split a matrix `[4, 4]` into position `[3]`, quaternion `[4]` and scale `[3]`.

    Shear in the matrix is lost.
    """
    scale = np.linalg.norm(matrix[:3, :3], axis=1)
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        scale[0] = -scale[0]
    safe = np.where(np.abs(scale) > 1e-12, scale, 1.0)
    return matrix[3, :3].copy(), quaternion_of(matrix[:3, :3] / safe[:, None]), scale


def quaternion_of(turn: FloatArray) -> FloatArray:
    """Return the quaternion `[4]` of a rotation matrix `[3, 3]` for row vectors."""
    m = turn.T
    trace = float(m[0, 0] + m[1, 1] + m[2, 2])
    if trace > 0.0:
        s = 2.0 * np.sqrt(trace + 1.0)
        found = [(m[2, 1] - m[1, 2]) / s, (m[0, 2] - m[2, 0]) / s, (m[1, 0] - m[0, 1]) / s, s / 4.0]
        return normalized(np.array(found, dtype=np.float64))
    i = int(np.argmax(np.diag(m)))
    j, k = (i + 1) % 3, (i + 2) % 3
    s = 2.0 * np.sqrt(max(1e-12, 1.0 + m[i, i] - m[j, j] - m[k, k]))
    parts = np.empty(4)
    parts[i] = s / 4.0
    parts[j] = (m[j, i] + m[i, j]) / s
    parts[k] = (m[k, i] + m[i, k]) / s
    parts[3] = (m[k, j] - m[j, k]) / s
    return normalized(parts)


def degrees_of(turn: FloatArray) -> tuple[float, float, float]:
    """Return heading, pitch and roll, in degrees, of a rotation matrix `[3, 3]` for row vectors."""
    pitch = np.arcsin(np.clip(turn[1, 2], -1.0, 1.0))
    if abs(turn[1, 2]) > 1.0 - 1e-9:  # straight up or down: everything counts as heading
        heading, roll = np.arctan2(turn[0, 1], turn[0, 0]), 0.0
    else:
        heading = np.arctan2(-turn[1, 0], turn[1, 1])
        roll = np.arctan2(-turn[0, 2], turn[2, 2])
    return float(np.degrees(heading)), float(np.degrees(pitch)), float(np.degrees(roll))

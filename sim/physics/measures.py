"""Conversions between the scene and Bullet: scales, rotations, contacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from panda3d.bullet import BulletPersistentManifold, BulletRigidBodyNode
from panda3d.core import LVector3

from sim.core.components.physics import Vector
from sim.core.geometry.rotations import FloatArray, local_matrices, rotations_of
from sim.core.scene.scene import SceneObject

TOUCHING = 0.01  # metres apart at most
SHEAR = 1e-3
FASTEST = 1e9  # metres or radians a second
FEW, STEEP = 24, 1.0 - 1e-9  # of bodies; of a sine


@dataclass
class Touch:
    """A contact of two bodies: ids in order, and the contact as seen from the first."""

    point: FloatArray
    normal: FloatArray
    impulse: float


def checked_scale(world: FloatArray, obj: SceneObject) -> FloatArray:
    """Return an object's world scale `[3]`, along its own axes.

    Raises:
        ValueError: it is sheared, mirrored, or a factor is zero.
    """
    scale = scale_of(world)
    if scale.min() < 1e-6 or np.linalg.det(world[:3, :3]) <= 0.0:
        raise ValueError(
            f"RigidBody: expected factors above 0 as the scale of {obj.path}, "
            f"found {[round(float(item), 6) for item in obj.transform.scale]}"
        )
    rows = world[:3, :3] / scale[:, None]
    if np.abs(rows @ rows.T - np.eye(3)).max() > SHEAR:
        raise ValueError(
            f"RigidBody: expected {obj.path} not to be sheared, found it turned below a parent "
            "that is scaled unevenly"
        )
    return scale


def scale_of(world: FloatArray) -> FloatArray:
    """Return the lengths of a matrix's axes, `[3]`."""
    return np.asarray(np.linalg.norm(world[:3, :3], axis=1))


def ancestors_of(obj: SceneObject) -> Iterator[SceneObject]:
    """Yield an object's parent, that one's parent, and so on."""
    above = obj.parent
    while above is not None:
        yield above
        above = above.parent


def is_lost(node: BulletRigidBodyNode) -> bool:
    """Return whether a body is too fast for its place to be known."""
    motion = (*node.get_linear_velocity(), *node.get_angular_velocity())
    return not all(abs(part) < FASTEST for part in motion)


def touch_of(manifold: BulletPersistentManifold) -> Touch | None:
    """Return the hardest point of a contact, with the total impulse; None if nothing touches."""
    total, hardest, found = 0.0, -1.0, None
    for point in manifold.get_manifold_points():  # Panda3D never frees a `get_manifold_point`
        if point.get_distance() > TOUCHING:
            continue
        impulse = float(point.get_applied_impulse())
        total += impulse
        if impulse > hardest:
            hardest, found = impulse, point
    if found is None:
        return None
    spot, normal = found.get_position_world_on_b(), found.get_normal_world_on_b()
    return Touch(np.array(floats(spot)), np.array(floats(normal)), total)


def is_touch(manifold: BulletPersistentManifold) -> bool:
    """Return whether the bodies of a contact touch; `touch_of` also returns the numbers."""
    for point in manifold.get_manifold_points():  # noqa: SIM110 - asked at each step: twice as fast
        if point.get_distance() <= TOUCHING:
            return True
    return False


def turns_of(quaternions: FloatArray) -> FloatArray:
    """Return the rotation matrices `[n, 3, 3]` of quaternions (r, i, j, k), for row vectors."""
    r, i, j, k = quaternions.T
    rows = [
        [1 - 2 * (j * j + k * k), 2 * (i * j + k * r), 2 * (i * k - j * r)],
        [2 * (i * j - k * r), 1 - 2 * (i * i + k * k), 2 * (j * k + i * r)],
        [2 * (i * k + j * r), 2 * (j * k - i * r), 1 - 2 * (i * i + j * j)],
    ]
    return np.asarray(np.moveaxis(np.array(rows), 2, 0))


def headings_of(quaternions: FloatArray) -> FloatArray:
    """Return heading, pitch and roll `[n, 3]` of quaternions, to the bit as by their matrices.

    A walker has few bodies: number by number is faster for them than NumPy.
    """
    ups: list[float] = []
    downs: list[float] = []
    sines: list[float] = []
    for r, i, j, k in quaternions.tolist():
        sines.append(2 * (j * k + i * r))
        ups += (-(2 * (i * j - k * r)), -(2 * (i * k - j * r)))
        downs += (1 - 2 * (i * i + k * k), 1 - 2 * (i * i + j * j))
    if len(sines) > FEW or max(map(abs, sines), default=0.0) > STEEP:
        return rotations_of(turns_of(quaternions))
    found = np.empty((len(sines), 3))
    found[:, ::2] = np.arctan2(ups, downs).reshape(-1, 2)
    found[:, 1] = np.arcsin(sines)
    return np.asarray(np.degrees(found))


def matrix_of(spot: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the matrix `[4, 4]` of one object, to the bit as `headings_of` and `local_matrices`.

    Args:
        spot: position and quaternion `[7]`.
        scale: factors `[3]`.
    """
    r, i, j, k = spot[3:].tolist()
    sine = 2 * (j * k + i * r)
    if abs(sine) > STEEP:
        turned = headings_of(spot[None, 3:])
        return np.asarray(local_matrices(spot[None, :3], turned, scale[None])[0])
    ups = (-(2 * (i * j - k * r)), -(2 * (i * k - j * r)))
    downs = (1 - 2 * (i * i + k * k), 1 - 2 * (i * i + j * j))
    angles = np.empty(3)
    angles[::2], angles[1] = np.arctan2(ups, downs), np.arcsin(sine)
    return np.asarray(local_matrices(spot[None, :3], np.degrees(angles)[None], scale[None])[0])


def floats(vector: LVector3) -> Vector:
    """Return a Panda3D vector as plain floats."""
    return (float(vector[0]), float(vector[1]), float(vector[2]))

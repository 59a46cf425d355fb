"""Conversions between the scene and Bullet: scales, rotations, contacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from panda3d.bullet import BulletPersistentManifold, BulletRigidBodyNode
from panda3d.core import LVector3

from sim.core.components.physics import Vector
from sim.core.geometry.rotations import FloatArray, local_matrices, rotations_of, signed_scale
from sim.core.scene.scene import SceneObject

TOUCHING = 0.01  # metres apart at most
SHEAR = 1e-3
FASTEST = 1e9  # metres or radians a second
FEW, STEEP = 24, 1.0 - 1e-9  # of bodies; of a sine


@dataclass
class Touch:
    """A contact of two bodies; the first body is the one whose id is first in alphabetical order.

    Attributes:
        point: world position, metres.
        normal: unit vector that points towards the first body.
        impulse: total impulse, newton seconds.
        depth: how deep they overlap, metres.
    """

    point: Vector
    normal: Vector
    impulse: float
    depth: float


def checked_scale(world: FloatArray, obj: SceneObject) -> FloatArray:
    """Return an object's world scale `[3]` along its own axes after checking it.

    If the object is mirrored, one or three of the factors are negative.

    Args:
        world: its world matrix, `[4, 4]`.
        obj: the object, for the error message.

    Raises:
        ValueError: the object is sheared, or a factor is zero.
    """
    scale = signed_scale(world, np.asarray(obj.transform.scale))
    if np.abs(scale).min() < 1e-6:
        raise ValueError(
            f"RigidBody: expected factors other than 0 as the scale of {obj.path}, "
            f"found {[round(float(item), 6) for item in obj.transform.scale]}"
        )
    rows = world[:3, :3] / scale[:, None]
    if np.abs(rows @ rows.T - np.eye(3)).max() > SHEAR:
        raise ValueError(
            f"RigidBody: expected {obj.path} not to be sheared, found it turned below a parent "
            "that is scaled unevenly"
        )
    return scale


def too_large(name: str, obj: SceneObject) -> ValueError:
    """Return the error for a place or a field that Panda3D refuses, since it is out of all bounds.

    Args:
        name: the component, for the text.
        obj: its object.
    """
    return ValueError(
        f"{name}: expected place, scale and fields of {obj.path} in numbers that physics can hold, "
        "found some too large"
    )


def ancestors_of(obj: SceneObject) -> Iterator[SceneObject]:
    """Yield an object's ancestors, from its parent up to the root."""
    above = obj.parent
    while above is not None:
        yield above
        above = above.parent


def is_lost(node: BulletRigidBodyNode) -> bool:
    """Return whether a body is so fast that its position is no longer meaningful."""
    motion = (*node.get_linear_velocity(), *node.get_angular_velocity())
    return not all(abs(part) < FASTEST for part in motion)


def touch_of(manifold: BulletPersistentManifold) -> Touch | None:
    """Return the contact of two bodies; None if they are near each other but do not touch.

    Bullet may give several contact points. The result has the place of the point with the greatest
    impulse, and the sum of all impulses.

    Args:
        manifold: Bullet's contact points of the two bodies.
    """
    total, hardest, found, nearest = 0.0, -1.0, None, TOUCHING
    for point in manifold.get_manifold_points():  # Panda3D never frees a `get_manifold_point`
        distance = point.get_distance()
        if distance > TOUCHING:
            continue
        if distance < nearest:
            nearest = distance
        impulse = float(point.get_applied_impulse())
        total += impulse
        if impulse > hardest:
            hardest, found = impulse, point
    if found is None:
        return None
    spot, normal = found.get_position_world_on_b(), found.get_normal_world_on_b()
    return Touch(floats(spot), floats(normal), total, -nearest)


def is_touch(manifold: BulletPersistentManifold) -> bool:
    """Return whether the bodies of a contact touch; faster than `touch_of`."""
    for point in manifold.get_manifold_points():  # noqa: SIM110 - asked at each step: twice as fast
        if point.get_distance() <= TOUCHING:
            return True
    return False


def turns_of(quaternions: FloatArray) -> FloatArray:
    """Return the rotation matrices `[n, 3, 3]`, for row vectors, of quaternions.

    Args:
        quaternions: `[n, 4]`, the real part first.
    """
    r, i, j, k = quaternions.T
    rows = [
        [1 - 2 * (j * j + k * k), 2 * (i * j + k * r), 2 * (i * k - j * r)],
        [2 * (i * j - k * r), 1 - 2 * (i * i + k * k), 2 * (j * k + i * r)],
        [2 * (i * k + j * r), 2 * (j * k - i * r), 1 - 2 * (i * i + j * j)],
    ]
    return np.asarray(np.moveaxis(np.array(rows), 2, 0))


def headings_of(quaternions: FloatArray) -> FloatArray:
    """Return heading, pitch and roll in degrees, `[n, 3]`, of quaternions.

    The numbers are bitwise those of `rotations_of(turns_of(…))`. Few quaternions are computed one
    by one, which is faster than NumPy.

    Args:
        quaternions: `[n, 4]`, the real part first.
    """
    if len(quaternions) > FEW:
        return rotations_of(turns_of(quaternions))
    ups: list[float] = []
    downs: list[float] = []
    sines: list[float] = []
    for r, i, j, k in quaternions.tolist():
        sines.append(2 * (j * k + i * r))
        ups += (-(2 * (i * j - k * r)), -(2 * (i * k - j * r)))
        downs += (1 - 2 * (i * i + k * k), 1 - 2 * (i * i + j * j))
    if max(map(abs, sines), default=0.0) > STEEP:
        return rotations_of(turns_of(quaternions))
    found = np.empty((len(sines), 3))
    found[:, ::2] = np.arctan2(ups, downs).reshape(-1, 2)
    found[:, 1] = np.arcsin(sines)
    return np.asarray(np.degrees(found))


def matrix_of(spot: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the local matrix `[4, 4]` of one object, faster than `local_matrices`.

    The numbers are bitwise those of `headings_of` and `local_matrices`.

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
    """Return a Panda3D vector as a tuple of floats."""
    return (float(vector[0]), float(vector[1]), float(vector[2]))

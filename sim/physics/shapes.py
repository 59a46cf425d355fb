"""Bullet shapes of collision shapes, with the object's scale applied."""

from __future__ import annotations

import math

import numpy as np
from panda3d.bullet import (
    BulletBoxShape,
    BulletCapsuleShape,
    BulletConvexHullShape,
    BulletCylinderShape,
    BulletShape,
    BulletSphereShape,
    BulletTriangleMesh,
    BulletTriangleMeshShape,
    ZUp,
)
from panda3d.core import LPoint3, LVector3, TransformState

from sim.core.geometry.collision_shapes import CollisionShape
from sim.core.geometry.rotations import FloatArray

HULL_POINTS = 200  # of a hull at most: each costs time in every contact
THICKNESS = 0.1  # metres of the slab that a flat model is
EVEN = 1e-4  # how far apart factors may be that count as equal
MARGIN = 0.01  # metres that Bullet adds around hulls and meshes, at most
THINNEST = 1e-6


def shape_of(
    solid: CollisionShape, wanted: str, scale: FloatArray, *, is_dynamic: bool
) -> tuple[BulletShape, TransformState]:
    """Return a Bullet shape centred on the collision shape's box, and its transform there.

    Args:
        solid: collision shape of the object's model.
        wanted: `RigidBody.shape`.
        scale: factors along the object's own axes, `[3]`.
        is_dynamic: dynamic bodies become convex hulls, others may be concave meshes.

    Raises:
        ValueError: a dynamic body cannot have that shape.
    """
    half = solid.half * scale
    kind = _kind(solid, wanted, scale, is_dynamic=is_dynamic)
    place = TransformState.make_identity()
    if half.min() < THINNEST and kind != "mesh":
        flat = int(half.argmin())
        half = np.maximum(half, THICKNESS / 2.0)
        drop = np.zeros(3)
        drop[flat] = -THICKNESS / 2.0
        return BulletBoxShape(LVector3(*half)), TransformState.make_pos(LPoint3(*drop))
    if kind == "box":
        shape = BulletBoxShape(LVector3(*half))
    elif kind == "sphere":
        shape = BulletSphereShape(float(half.max()))
    elif kind == "cylinder":
        shape = BulletCylinderShape(float(max(half[0], half[1])), float(2.0 * half[2]), ZUp)
    elif kind == "capsule":
        radius = float(max(half[0], half[1]))
        shape = BulletCapsuleShape(radius, max(0.0, float(2.0 * (half[2] - radius))), ZUp)
    elif kind == "hull":
        shape = _hull((solid.corners - solid.center) * scale, half)
    else:
        shape = _mesh((solid.triangles - solid.center) * scale, half)
    return shape, place


def _kind(solid: CollisionShape, wanted: str, scale: FloatArray, *, is_dynamic: bool) -> str:
    if wanted == "mesh" and is_dynamic:
        raise ValueError(
            "shape: expected box, sphere, cylinder, capsule or hull for a dynamic body, found mesh"
        )
    if wanted != "model":
        return wanted
    is_round = math.isclose(scale[0], scale[1], rel_tol=EVEN)
    is_even = is_round and math.isclose(scale[0], scale[2], rel_tol=EVEN)
    fits = {"box": True, "sphere": is_even, "cylinder": is_round, "capsule": is_even}
    if fits.get(solid.kind, False):
        return solid.kind
    return "mesh" if solid.kind == "mesh" and not is_dynamic else "hull"


def _hull(points: FloatArray, half: FloatArray) -> BulletConvexHullShape:
    """Return the hull of those points that lie farthest out, looked at from all around."""
    if len(points) > HULL_POINTS:
        number = np.arange(HULL_POINTS) + 0.5
        height = 1.0 - 2.0 * number / HULL_POINTS
        around = number * math.pi * (3.0 - math.sqrt(5.0))
        flat = np.sqrt(1.0 - height**2)
        views = np.stack([flat * np.cos(around), flat * np.sin(around), height], axis=1)
        views = np.concatenate([views, np.eye(3), -np.eye(3)])
        points = points[np.unique((points @ views.T).argmax(axis=0))]
    shape = BulletConvexHullShape()
    margin = min(MARGIN, 0.1 * float(half.min()))
    shape.set_margin(margin)
    shrink = np.maximum(1.0 - margin / np.maximum(half, THINNEST), 0.5)  # which it adds again
    for point in points * shrink:
        shape.add_point(LPoint3(*point))
    return shape


def _mesh(triangles: FloatArray, half: FloatArray) -> BulletTriangleMeshShape:
    mesh = BulletTriangleMesh()
    areas = np.linalg.norm(
        np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1
    )
    for a, b, c in triangles[areas > 1e-12]:
        mesh.add_triangle(LPoint3(*a), LPoint3(*b), LPoint3(*c), True)
    shape = BulletTriangleMeshShape(mesh, False)
    shape.set_margin(min(MARGIN, 0.1 * float(half.max())))
    return shape

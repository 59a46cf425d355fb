"""Bodies of several shapes: the models of the objects below that have a Collider."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from panda3d.bullet import BulletRigidBodyNode
from panda3d.core import LPoint3, LQuaternion, LVector3, TransformState

from sim.core.components.physics import Inertia, RigidBody
from sim.core.geometry.collision_shapes import CollisionShape
from sim.core.geometry.rotations import FloatArray, rotation_of, turns
from sim.core.scene.scene import SceneObject
from sim.core.scene.spatial_index import SpatialIndex
from sim.physics.measures import checked_scale
from sim.physics.shapes import shape_of

PARTS = "parts"
"""The `RigidBody.shape` of such a body."""
COLLIDER, BODY = "sim:Collider", "sim:RigidBody"


@dataclass(frozen=True)
class Lean:
    """How a Bullet node lies in its object: at the centre of mass, along the principal axes.

    Attributes:
        center: metres, along the object's axes, `[3]`.
        axes: rows are the node's axes in the object's, `[3, 3]`.
        moments: kg m².
    """

    center: FloatArray
    axes: FloatArray
    moments: tuple[float, float, float]

    @property
    def frame(self) -> TransformState:
        """The node's place in its object, without scale."""
        return placed(self.center, self.axes)


def lean_of(component: RigidBody, scale: FloatArray) -> Lean | None:
    """Return what the Inertia beside a body says, None without one."""
    found: Inertia | None = component.slot.object.get(Inertia)
    if found is None or not found.slot.is_enabled:
        return None
    return Lean(np.array(found.center) * scale, turns(found.axes), found.moments)


def colliders(obj: SceneObject) -> Iterator[SceneObject]:
    """Yield the objects at and below a body's own whose models are its parts."""
    open_ones = [obj]
    while open_ones:
        item = open_ones.pop(0)
        names = {slot.type_name for slot in item.components if slot.is_enabled}
        if item is not obj and BODY in names:
            continue
        if COLLIDER in names and item.is_active:
            yield item
        open_ones += item.children


def is_any_loading(obj: SceneObject, space: SpatialIndex[SceneObject]) -> bool:
    """Return whether the model file of a body's part is still being read."""
    return any(space.shape_of(item) is None and space.is_waiting(item) for item in colliders(obj))


def add_parts(
    node: BulletRigidBodyNode,
    component: RigidBody,
    space: SpatialIndex[SceneObject],
    at: TransformState,
) -> float:
    """Give a body the shapes of its parts; return half the smallest side among them, metres.

    Args:
        node: the body's.
        component: the body.
        space: knows the models' shapes.
        at: the node's place in its object, without scale.

    Raises:
        ValueError: a part has no shape, is sheared, or Bullet has no such shape.
    """
    obj, smallest = component.slot.object, np.inf
    world = np.asarray(obj.transform.world_matrix, dtype=np.float64)
    bare = world.copy()
    bare[:3, :3] /= np.linalg.norm(world[:3, :3], axis=1)[:, None]
    for item in colliders(obj):
        solid: CollisionShape | None = space.shape_of(item)
        if solid is None:
            raise ValueError(f"Collider: expected a model with a shape at {item.path}, found none")
        between = np.asarray(item.transform.world_matrix, dtype=np.float64) @ np.linalg.inv(bare)
        scale = checked_scale(between, item)
        is_dynamic = component.kind == "dynamic"
        shape, inner = shape_of(solid, "model", scale, is_dynamic=is_dynamic)
        turned = between[:3, :3] / scale[:, None]
        place = placed(between[3, :3] + (solid.center * scale) @ turned, turned)
        node.add_shape(shape, at.invert_compose(place.compose(inner)))
        smallest = min(smallest, float((solid.half * scale).min()))
    return smallest


def placed(point: FloatArray, turned: FloatArray) -> TransformState:
    """Return a point `[3]` and a rotation `[3, 3]`, for row vectors, as Panda3D has them."""
    h, p, r = rotation_of(turned)
    turn = LQuaternion()
    turn.set_hpr(LVector3(float(h), float(p), float(r)))
    return TransformState.make_pos_quat_scale(LPoint3(*point), turn, LVector3(1.0))


__all__ = ["PARTS", "Lean", "add_parts", "colliders", "is_any_loading", "lean_of", "placed"]

"""One rigid body: its simulation state and its Bullet node."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from panda3d.bullet import BulletRigidBodyNode
from panda3d.core import LPoint3, LVector3, NodePath, TransformState

from sim.core.components.physics import RigidBody, Vector
from sim.core.geometry.collision_shapes import CollisionShape
from sim.core.geometry.rotations import FloatArray, rotation_of
from sim.core.scene.scene import SceneObject
from sim.core.scene.spatial_index import SpatialIndex, layer_of
from sim.physics.parts import PARTS, Lean, add_parts, lean_of
from sim.physics.shapes import shape_of

STIRRED = 1e-3  # of its smallest half side: a body that comes to rest creeps and trembles less…
TURNED = 2.5e-4  # …and turns less, of a quaternion; its object stays where it is
SMALLEST = 0.005  # metres
SLEEP_SPEED = 0.06  # metres a second, below which a body may fall asleep
SLEEP_SPIN = 0.12  # radians a second
Key = tuple[int, CollisionShape | None, str]
"""Of a body: the revision of its fields, its shape if it has one, its layer."""


@dataclass(eq=False, slots=True)
class Body:
    """State of one rigid body.

    Attributes:
        key: the values that it was created from; when they change it is recreated.
        middle: centre of the shape from the object's origin, along the object's axes, metres.
        scale: world scale of the object, along its own axes.
        seen: last known world matrix of the object, `[4, 4]`.
        pushes: forces and torques of this step.
        spot: position and quaternion `[7]` of the body when its object was last moved.
        play: tolerance `[7]` around `spot` within which the object is not moved.
        radius: half its smallest side, metres: its radius when rolling.
        rolling: coefficient of rolling friction; 0 for a sensor.
        weight: mass times its gravity factor; 0 if it cannot rotate.
    """

    component: RigidBody
    node: BulletRigidBodyNode
    path: NodePath
    key: Key
    middle: FloatArray
    scale: FloatArray
    seen: FloatArray
    pushes: list[tuple[str, LVector3, LVector3 | None]]
    spot: FloatArray
    play: FloatArray
    radius: float
    rolling: float
    weight: float
    lean: Lean | None = None  # where its mass lies, where that is told
    is_plain: bool = field(init=False)
    is_dynamic: bool = field(init=False)

    def __post_init__(self) -> None:
        """Note what is asked at each step.

        Whether its place and turn are its object's, as they are for most, and whether the
        simulation moves it: it is made anew where its fields change.
        """
        self.is_plain = self.lean is None and not self.middle.any()
        self.is_dynamic = self.component.kind == "dynamic"

    def inward(self, frame: TransformState) -> TransformState:
        """Return a frame of the object, without scale, in the node's own space."""
        if self.lean is not None:
            return self.lean.frame.invert_compose(frame)
        return frame.set_pos(LPoint3(frame.get_pos() - LVector3(*self.middle)))

    @property
    def object(self) -> SceneObject:
        """The object that it moves."""
        return self.component.slot.object

    def put_at(self, world: FloatArray) -> None:
        """Move the body to its object's new world matrix `[4, 4]`."""
        self.seen = world.copy()
        self.put()

    def put(self) -> None:
        """Move the body to its object, by `seen`."""
        turn = self.seen[:3, :3] / np.linalg.norm(self.seen[:3, :3], axis=1, keepdims=True)
        point = self.seen[3, :3] + self.middle @ turn
        if self.lean is not None:
            turn = self.lean.axes @ turn
        h, p, r = rotation_of(turn)
        self.spot[:] = np.inf
        self.path.set_transform(
            TransformState.make_pos_hpr(LPoint3(*point), LVector3(float(h), float(p), float(r)))
        )

    def weigh(self, gravity: Vector) -> None:
        """Set the body's gravity from the scene's, metres per second squared."""
        if self.is_dynamic:
            self.node.set_gravity(LVector3(*gravity) * self.component.gravity)

    def push(self, kind: str, vector: Vector, point: Vector | None) -> None:
        """Apply a force, impulse, torque, twist, velocity or spin (`kind`)."""
        node, value = self.node, LVector3(*vector)
        node.set_active(True, True)
        arm = None if point is None else LPoint3(*point) - self.path.get_pos()
        if kind in ("force", "torque"):
            self.pushes.append((kind, value, arm))
        elif kind == "impulse" and arm is not None:
            node.apply_impulse(value, LPoint3(arm))
        elif kind == "impulse":
            node.apply_central_impulse(value)
        elif kind == "twist":
            node.apply_torque_impulse(value)
        elif kind == "velocity":
            node.set_linear_velocity(value)
        else:
            node.set_angular_velocity(value * (math.pi / 180.0))

    def apply_pushes(self) -> None:
        """Apply the accumulated forces and torques to Bullet's next step."""
        for kind, value, arm in self.pushes:
            if kind == "torque":
                self.node.apply_torque(value)
            elif arm is None:
                self.node.apply_central_force(value)
            else:
                self.node.apply_force(value, LPoint3(arm))


def made_body(
    component: RigidBody,
    solid: CollisionShape | None,
    scale: FloatArray,
    root: NodePath,
    space: SpatialIndex[SceneObject],
) -> Body:
    """Create a body from a component's fields, at its object's position.

    Args:
        component: the RigidBody.
        solid: collision shape of the object's model; None where it has parts.
        scale: world scale `[3]` of the object, along its own axes.
        root: Panda3D node to attach it to.
        space: knows the shapes of its parts.

    Raises:
        ValueError: Bullet has no such shape.
    """
    node = BulletRigidBodyNode(component.slot.id)
    lean = lean_of(component, scale)
    middle = np.zeros(3) if solid is None else solid.center * scale
    at = _at(middle) if lean is None else lean.frame
    if solid is None:
        smallest = add_parts(node, component, space, at)
        smallest = max(smallest if math.isfinite(smallest) else 0.0, SMALLEST)
    else:
        is_dynamic = component.kind == "dynamic"
        shape, place = shape_of(solid, component.shape, scale, is_dynamic=is_dynamic)
        if lean is not None:
            place = at.invert_compose(_at(middle).compose(place))
        node.add_shape(shape, place)
        smallest = max(float((solid.half * scale).min()), SMALLEST)
    path = root.attach_new_node(node)
    _dress(component, node, smallest)
    if lean is not None and component.kind == "dynamic":
        node.set_inertia(LVector3(*lean.moments))
    world = component.slot.object.transform.world_matrix
    body = Body(
        component, node, path, key_of(component, solid),
        middle if lean is None else lean.center, scale,
        np.asarray(world, dtype=np.float64), [], np.full(7, np.inf),
        np.array([STIRRED * smallest] * 3 + [TURNED] * 4), smallest,
        0.0 if component.is_sensor else component.rolling,
        component.mass * abs(component.gravity) * (
            component.kind == "dynamic" and component.can_turn
        ),
        lean,
    )  # fmt: skip
    body.put()
    return body


def _at(point: FloatArray) -> TransformState:
    return TransformState.make_pos(LPoint3(*point))


def _dress(component: RigidBody, node: BulletRigidBodyNode, smallest: float) -> None:
    """Set what the component's fields say."""
    if component.kind == "dynamic":
        node.set_mass(component.mass)
        node.set_ccd_motion_threshold(smallest)
        node.set_ccd_swept_sphere_radius(0.7 * smallest)
    node.set_friction(math.sqrt(component.friction))  # Bullet multiplies: a geometric mean
    node.set_restitution(math.sqrt(component.restitution))
    node.set_linear_damping(component.damping)
    node.set_angular_damping(component.spin_damping)
    node.set_linear_sleep_threshold(SLEEP_SPEED)
    node.set_angular_sleep_threshold(SLEEP_SPIN)
    if component.kind == "kinematic":
        node.set_kinematic(True)
        node.set_deactivation_enabled(False)
    if not component.can_turn:
        node.set_angular_factor(LVector3(0.0, 0.0, 0.0))
    if component.is_sensor:
        node.set_collision_response(False)


def key_of(component: RigidBody, solid: CollisionShape | None) -> Key:
    """Return the values that a body is created from; it is recreated when they change."""
    solid = None if component.shape == PARTS else solid
    return (component.slot.revision, solid, layer_of(component.slot.object))

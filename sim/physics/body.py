"""One rigid body: its Bullet node, the shapes that it consists of, and its state.

A body has the shape of its object's model, or several parts. The parts are the models of its object
and of objects below it that have a Collider.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from panda3d.bullet import (
    BulletBoxShape,
    BulletCapsuleShape,
    BulletConvexHullShape,
    BulletCylinderShape,
    BulletRigidBodyNode,
    BulletShape,
    BulletSphereShape,
    BulletTriangleMesh,
    BulletTriangleMeshShape,
    ZUp,
)
from panda3d.core import LPoint3, LQuaternion, LVector3, NodePath, TransformState

from sim.core.components.physics import Inertia, RigidBody, Vector
from sim.core.geometry.collision_shapes import CollisionShape
from sim.core.geometry.rotations import FloatArray, is_mirrored, rotation_of, signed_scale, turns
from sim.core.scene.scene import SceneObject
from sim.core.scene.spatial_index import SpatialIndex, layer_of
from sim.physics.measures import checked_scale

HULL_POINTS = 200  # of a hull at most: each costs time in every contact
THICKNESS = 0.1  # metres of the slab that a flat model is
EVEN = 1e-4  # how far apart factors may be that count as equal
MARGIN = 0.01  # metres that Bullet adds around hulls and meshes, at most
THINNEST = 1e-6


def shape_of(
    solid: CollisionShape, wanted: str, scale: FloatArray, *, is_dynamic: bool
) -> tuple[BulletShape, TransformState]:
    """Return a Bullet shape for a collision shape, and its transform.

    The transform is relative to the centre of the collision shape's bounding box.

    Args:
        solid: collision shape of the object's model.
        wanted: kind of shape as in `RigidBody.shape`; "model" to follow the model.
        scale: factors along the object's own axes, `[3]`; negative ones mirror.
        is_dynamic: whether the body is dynamic; if so, a mesh becomes its convex hull.

    Raises:
        ValueError: a dynamic body cannot have that shape.
    """
    half = solid.half * np.abs(scale)
    kind = _kind(solid, wanted, np.abs(scale), is_dynamic=is_dynamic)
    place = TransformState.make_identity()
    if half.min() < THINNEST and (kind != "mesh" or _is_rectangle(solid)):
        flat = int(half.argmin())
        return _slab(half, _facing(solid, flat) * float(np.sign(scale[flat])))
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


def _is_rectangle(solid: CollisionShape) -> bool:
    """Return whether the triangles of a flat shape fill its bounding rectangle, once or twice."""
    sides = 2.0 * np.delete(solid.half, int(solid.half.argmin()))
    share = 0.5 * _areas(solid.triangles).sum() / max(float(sides.prod()), THINNEST**2)
    return any(math.isclose(share, sheets, rel_tol=1e-3) for sheets in (1.0, 2.0))


def _facing(solid: CollisionShape, flat: int) -> float:
    """Return 1 if the triangles of a flat shape face along an axis, -1 if they face against it.

    Args:
        solid: the shape.
        flat: number of the axis, 0 to 2.
    """
    first, second, third = solid.triangles.swapaxes(0, 1)
    return -1.0 if np.cross(second - first, third - first)[:, flat].sum() < 0.0 else 1.0


def _slab(half: FloatArray, facing: float) -> tuple[BulletBoxShape, TransformState]:
    """Return the box that a flat shape is, behind its surface, and its transform.

    Args:
        half: half the sides of its bounding box, `[3]`, metres.
        facing: 1 if it faces along the axis that has no extent, -1 if against it.
    """
    thick, drop = np.maximum(half, THICKNESS / 2.0), np.zeros(3)
    drop[int(half.argmin())] = -facing * THICKNESS / 2.0
    return BulletBoxShape(LVector3(*thick)), TransformState.make_pos(LPoint3(*drop))


def _areas(triangles: FloatArray) -> FloatArray:
    """Return twice the areas of triangles `[m, 3, 3]`, `[m]`."""
    first, second, third = triangles.swapaxes(0, 1)
    return np.asarray(np.linalg.norm(np.cross(second - first, third - first), axis=1))


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
    """Return the convex hull of a mesh's vertices.

    Args:
        points: `[n, 3]` vertices, metres from the centre. If there are more than `HULL_POINTS`,
            only the outermost ones in about as many evenly spread directions are used.
        half: half the sides of their bounding box, `[3]`, metres.
    """
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
    for a, b, c in triangles[_areas(triangles) > 1e-12]:
        mesh.add_triangle(LPoint3(*a), LPoint3(*b), LPoint3(*c), True)
    shape = BulletTriangleMeshShape(mesh, False)
    shape.set_margin(min(MARGIN, 0.1 * float(half.max())))
    return shape


PARTS = "parts"
"""Value of `RigidBody.shape` for a body that consists of several parts."""
COLLIDER, BODY = "sim:Collider", "sim:RigidBody"


@dataclass(frozen=True)
class MassFrame:
    """Place of a Bullet node in its object: at the centre of mass, along the principal axes.

    Attributes:
        center: centre of mass in the object's space, metres, `[3]`.
        axes: principal axes in the object's space, one a row, `[3, 3]`.
        moments: moments of inertia about these axes, kg m².
    """

    center: FloatArray
    axes: FloatArray
    moments: tuple[float, float, float]

    @property
    def frame(self) -> TransformState:
        """Place of the node in its object, without scale."""
        return placed(self.center, self.axes)


def mass_frame_of(component: RigidBody, scale: FloatArray) -> MassFrame | None:
    """Return a body's centre of mass and principal axes as its Inertia component sets them.

    Args:
        component: the body.
        scale: world scale of its object, `[3]`.

    Returns:
        The mass frame; None if the object has no enabled Inertia.
    """
    found: Inertia | None = component.slot.object.get(Inertia)
    if found is None or not found.slot.is_enabled:
        return None
    axes = turns(found.axes) * np.sign(scale)
    if is_mirrored(axes):  # an axis has two ends, and either will do
        axes[0] = -axes[0]
    return MassFrame(np.array(found.center) * scale, axes, found.moments)


def colliders(obj: SceneObject) -> Iterator[SceneObject]:
    """Yield the objects whose models are the parts of a body: active ones with a Collider.

    These are the body's object and its descendants, except those that belong to another body.
    """
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
    """Return whether the model file of a body's part is still loading."""
    return any(space.shape_of(item) is None and space.is_waiting(item) for item in colliders(obj))


def add_parts(
    node: BulletRigidBodyNode,
    component: RigidBody,
    space: SpatialIndex[SceneObject],
    at: TransformState,
) -> float:
    """Add the shapes of a body's parts to its node.

    Args:
        node: Bullet node of the body.
        component: the body.
        space: spatial index with the models' shapes.
        at: the node's place in its object, without scale.

    Returns:
        Half the shortest side of all parts, metres; infinity without parts.

    Raises:
        ValueError: a part has no shape, is sheared, or Bullet has no such shape.
    """
    obj, smallest = component.slot.object, np.inf
    world = np.asarray(obj.transform.world_matrix, dtype=np.float64)
    bare = world.copy()
    bare[:3, :3] /= signed_scale(world, np.asarray(obj.transform.scale))[:, None]
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
        smallest = min(smallest, float((solid.half * np.abs(scale)).min()))
    return smallest


def placed(point: FloatArray, turned: FloatArray) -> TransformState:
    """Return a position `[3]` and a rotation matrix `[3, 3]` as a Panda3D transform.

    The matrix is for row vectors: a rotated vector is `vector @ matrix`.
    """
    h, p, r = rotation_of(turned)
    turn = LQuaternion()
    turn.set_hpr(LVector3(float(h), float(p), float(r)))
    return TransformState.make_pos_quat_scale(LPoint3(*point), turn, LVector3(1.0))


STIRRED = 1e-3  # of its smallest half side: a body that comes to rest creeps and trembles less…
TURNED = 2.5e-4  # …and turns less, of a quaternion; its object stays where it is
SMALLEST = 0.005  # metres
SLEEP_SPEED = 0.06  # metres a second, below which a body may fall asleep
SLEEP_SPIN = 0.12  # radians a second
Key = tuple[int, CollisionShape | None, str, tuple[str, ...]]
"""Values that a body is created from, as a tuple.

They are the revision of the component's fields, the collision shape or None, the name of the layer,
and the ids of the objects that are its parts.
"""


@dataclass(eq=False, slots=True)
class Body:
    """State of one rigid body in the Bullet world.

    Attributes:
        component: the RigidBody.
        node: its Bullet node.
        path: Panda3D path of the node.
        key: values that it was created from; when they change it is recreated.
        middle: centre of the shape, or of mass, in the object's space, metres, `[3]`.
        scale: world scale of the object along its own axes, `[3]`; negative factors mirror.
        seen: last known world matrix of the object, `[4, 4]`.
        pushes: forces and torques of this step.
        spot: position and quaternion `[7]` of the body when its object was last moved.
        play: tolerance `[7]` around `spot` within which the object is not moved.
        radius: half the shortest side, metres, which counts as radius for rolling.
        rolling: coefficient of rolling friction; 0 for a sensor.
        weight: mass times its gravity factor; 0 unless it is dynamic and can rotate.
        inertia: mean of the moments of inertia, kg m²; 0 unless it is dynamic.
        reach: distance in metres from the centre of mass within which all of it lies; infinite if
            it is not known.
    """

    component: RigidBody
    node: BulletRigidBodyNode
    path: NodePath
    key: Key
    middle: FloatArray
    scale: FloatArray
    seen: FloatArray
    play: FloatArray
    radius: float
    rolling: float
    weight: float
    inertia: float
    reach: float
    pushes: list[tuple[str, LVector3, LVector3 | None]] = field(default_factory=list)
    spot: FloatArray = field(default_factory=lambda: np.full(7, np.inf))
    lean: MassFrame | None = None  # where its mass lies, where that is told
    is_plain: bool = field(init=False)
    is_dynamic: bool = field(init=False)
    is_kinematic: bool = field(init=False)
    is_solid: bool = field(init=False)
    has_parts: bool = field(init=False)
    can_turn: bool = field(init=False)

    def __post_init__(self) -> None:
        """Derive what each step needs from the fields.

        `is_plain`: position and rotation equal those of the object. `is_dynamic`: the simulation
        moves it. `is_solid`: it is no sensor. None of them changes, since a change of the fields
        makes a new body.
        """
        component = self.component
        self.is_plain = self.lean is None and not self.middle.any()
        self.is_dynamic = component.kind == "dynamic"
        self.is_kinematic = component.kind == "kinematic"
        self.has_parts = component.shape == PARTS
        self.is_solid, self.can_turn = not component.is_sensor, component.can_turn

    def inward(self, frame: TransformState) -> TransformState:
        """Convert a transform from the object's space, without scale, to the node's space."""
        if self.lean is not None:
            return self.lean.frame.invert_compose(frame)
        return frame.set_pos(LPoint3(frame.get_pos() - LVector3(*self.middle)))

    @property
    def object(self) -> SceneObject:
        """Object that the body belongs to."""
        return self.component.slot.object

    def put_at(self, world: FloatArray) -> None:
        """Move the body to the place of its object.

        Args:
            world: the object's new world matrix, `[4, 4]`.
        """
        self.seen = world.copy()
        self.put()

    def put(self) -> None:
        """Move the body to the place of its object given by `seen`."""
        turn = self.seen[:3, :3] / np.linalg.norm(self.seen[:3, :3], axis=1, keepdims=True)
        turn *= np.sign(self.scale)[:, None]
        point = self.seen[3, :3] + self.middle @ turn
        if self.lean is not None:
            turn = self.lean.axes @ turn
        h, p, r = rotation_of(turn)
        self.spot[:] = np.inf
        hpr = LVector3(float(h), float(p), float(r))
        self.path.set_transform(TransformState.make_pos_hpr(LPoint3(*point), hpr))

    def wake(self) -> None:
        """Wake the body if it sleeps."""
        if self.is_dynamic and not self.node.is_active():
            self.node.set_active(True, True)

    def weigh(self, gravity: Vector) -> None:
        """Set the body's gravity: the scene's (metres per second squared) times its factor."""
        if self.is_dynamic:
            self.node.set_gravity(LVector3(*gravity) * self.component.gravity)

    def push(self, kind: str, vector: Vector, point: Vector | None) -> None:
        """Apply a force, an impulse or the like, or set the body's velocity.

        Args:
            kind: "force" (N), "torque" (N m), "impulse" (N s), "twist" (an angular impulse, N m s),
                "velocity" (m/s) or "spin" (degrees a second).
            vector: its value along the world's axes.
            point: world position where a force or impulse acts; None for the centre of mass.
        """
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
        """Apply this step's forces and torques to the next Bullet step."""
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
        solid: collision shape of the object's model; None if the body consists of parts.
        scale: world scale `[3]` of the object, along its own axes.
        root: Panda3D node to attach the body to.
        space: spatial index with the shapes of parts.

    Raises:
        ValueError: Bullet has no such shape.
    """
    node = BulletRigidBodyNode(component.slot.id)
    lean = mass_frame_of(component, scale)
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
        smallest = max(float((solid.half * np.abs(scale)).min()), SMALLEST)
    path = root.attach_new_node(node)
    _apply_fields(component, node, smallest)
    if lean is not None and component.kind == "dynamic":
        node.set_inertia(LVector3(*lean.moments))
    is_turned = component.kind == "dynamic" and component.can_turn
    moments = node.get_inertia()
    body = Body(
        component,
        node,
        path,
        key_of(component, solid),
        middle=middle if lean is None else lean.center,
        scale=scale,
        seen=np.asarray(component.slot.object.transform.world_matrix, dtype=np.float64),
        play=np.array([STIRRED * smallest] * 3 + [TURNED] * 4),
        radius=smallest,
        rolling=0.0 if component.is_sensor else component.rolling,
        weight=component.mass * abs(component.gravity) * is_turned,
        inertia=(moments.x + moments.y + moments.z) / 3.0,
        reach=math.inf if solid is None or lean is not None else _reach_of(solid, scale),
        lean=lean,
    )
    body.put()
    return body


def _reach_of(solid: CollisionShape, scale: FloatArray) -> float:
    """Return the distance from the centre of a shape to the corners of its bounding box, metres.

    Args:
        solid: the shape.
        scale: factors along its axes, `[3]`.
    """
    return float(np.linalg.norm(np.maximum(solid.half * np.abs(scale), THICKNESS)))


def _at(point: FloatArray) -> TransformState:
    return TransformState.make_pos(LPoint3(*point))


def _apply_fields(component: RigidBody, node: BulletRigidBodyNode, smallest: float) -> None:
    """Set a Bullet node's properties from a component's fields.

    Args:
        component: the RigidBody.
        node: its Bullet node.
        smallest: half the shortest side of the body, metres.
    """
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
    if not component.can_turn:
        node.set_angular_factor(LVector3(0.0, 0.0, 0.0))
    if component.is_sensor:
        node.set_collision_response(False)


def key_of(component: RigidBody, solid: CollisionShape | None) -> Key:
    """Return the values that a body is created from; when they change it is recreated.

    Args:
        component: the RigidBody.
        solid: collision shape of its object's model; None for none.
    """
    obj = component.slot.object
    parts: tuple[str, ...] = ()
    if component.shape == PARTS:
        solid, parts = None, tuple(item.id for item in colliders(obj))
    return (component.slot.revision, solid, layer_of(obj), parts)

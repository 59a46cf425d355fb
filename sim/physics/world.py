"""A world of Bullet's that moves the bodies of one scene.

The scene's transforms are what holds: what a script moves is moved here too, what Bullet moves is
written back. The world goes with its last body, so that a scene that starts anew begins with a new
one, and the same steps give the same numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.bullet import BulletRigidBodyNode, BulletWorld
from panda3d.core import (
    BitMask32,
    LPoint3,
    LVector3,
    NodePath,
    TransformState,
    load_prc_file_data,
)
from pyrr import Vector3

from sim.core.physics import EARTH, Contact, RigidBody, Vector
from sim.core.rotations import rotation_of, rotations_of
from sim.core.scene import Scene
from sim.core.scene_object import SceneObject, SlotState
from sim.core.solids import Solid
from sim.core.space import layer_of
from sim.physics.measures import Touch, checked_scale, floats, is_touch, touch_of, turns_of
from sim.physics.rolling import slow_what_rolls
from sim.physics.shapes import shape_of

FloatArray = npt.NDArray[np.float64]
STEPS_A_SECOND = 120.0  # at least: more than the scene's own, so that fast bodies do not slip by
MOST_STEPS = 8  # in one of the scene's
MOVED = 1e-7  # of a matrix: what a script changed
STIRRED = 1e-3  # of its smallest half side: a body that comes to rest creeps and trembles less…
TURNED = 2.5e-4  # …and turns less, of a quaternion; its object stays where it is
SMALLEST = 0.005  # metres
EVEN = 1e-5  # of a scale: less is rounding
MOST_LAYERS = 32  # Bullet's groups
SLEEP_SPEED = 0.06  # metres a second, below which a body may fall asleep
SLEEP_SPIN = 0.12  # radians a second

load_prc_file_data("goishi-physics", "bullet-filter-algorithm groups-mask\n")


@dataclass(eq=False)
class Body:
    """What is kept about a body.

    Attributes:
        key: what it was made from; another one makes it anew.
        middle: of its shape from the object's origin, along the object's axes, metres.
        scale: of the object in the world, along its own axes.
        seen: the object's world matrix as it was left, `[4, 4]`.
        pushes: forces and torques of this step.
        spot: place and quaternion `[7]` of the body as its object was last moved.
        play: how far from there its object stays in place `[7]`.
        radius: half its smallest side, metres: of the circle that it rolls on.
        rolling: its share of rolling friction; 0 where it only tells of touches.
        weight: mass times its gravity's factor; 0 where nothing turns it.
    """

    component: RigidBody
    node: Any
    path: Any
    key: tuple[Any, ...]
    middle: FloatArray
    scale: FloatArray
    seen: FloatArray
    pushes: list[tuple[str, Any, Any]]
    spot: FloatArray
    play: FloatArray
    radius: float
    rolling: float
    weight: float

    @property
    def object(self) -> SceneObject:
        """The object that it moves."""
        return self.component.slot.object

    @property
    def is_dynamic(self) -> bool:
        """Whether physics moves it."""
        return self.component.kind == "dynamic"


class PhysicsWorld:
    """Moves the bodies of a scene; see `sim.core.physics.Physics`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._world: Any = None
        self._root: Any = None
        self._bodies: dict[str, Body] = {}
        self._waiting: dict[str, RigidBody] = {}
        self._touching: dict[tuple[str, str], Touch] = {}
        self._groups: dict[str, int] = {}
        self._gravity: Vector = EARTH
        self._left: FloatArray = np.empty((0, 4, 4))  # where the objects were left, of these bodies
        self._left_for: list[Body] = []

    @property
    def gravity(self) -> Vector:
        """Metres a second, each second."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Vector) -> None:
        if value != self._gravity:
            self._gravity = value
            if self._world is not None:
                self._world.set_gravity(LVector3(*value))
            for body in self._bodies.values():
                self._weigh(body)
                body.node.set_active(True, True)

    # -- bodies come and go -------------------------------------------------------------------

    def add(self, body: RigidBody) -> None:
        """Let a body take part.

        Raises:
            ValueError: its shape or its scale cannot be had.
        """
        if self._world is None:
            self._world = BulletWorld()
            self._world.set_gravity(LVector3(*self._gravity))
            self._root = NodePath("bodies")
        if self._scene.space.solid(body.slot.object) is None and self._scene.space.is_waiting(
            body.slot.object
        ):
            self._waiting[body.slot.id] = body  # it takes part once its model is there
        else:
            self._make(body)

    def remove(self, body: RigidBody) -> None:
        """Let a body take part no more; unknown ones are ignored."""
        self._waiting.pop(body.slot.id, None)
        known = self._bodies.get(body.slot.id)
        if known is not None:
            self._take_out(known)
            for pair in [pair for pair in self._touching if body.slot.id in pair]:
                del self._touching[pair]
        if not self._bodies and not self._waiting:
            self._world = self._root = None
            self._touching.clear()
            self._groups.clear()

    def _take_out(self, body: Body) -> None:
        """Take a body out of the world; what rested on it falls."""
        key = body.component.slot.id
        del self._bodies[key]
        for pair in self._touching:
            other = self._bodies.get(pair[0] if pair[1] == key else pair[1])
            if key in pair and other is not None:
                other.node.set_active(True, True)
        self._world.remove(body.node)
        body.path.remove_node()

    def _make(self, component: RigidBody, motion: tuple[Any, Any] | None = None) -> None:
        """Put a body into the world, or put it there anew."""
        obj = component.slot.object
        solid = self._scene.space.solid(obj)
        if solid is None:
            raise ValueError(
                f"RigidBody: expected an object with a shape, found {obj.path} with the model "
                f"{obj.model}"
            )
        world = obj.transform.world_matrix
        scale = checked_scale(np.asarray(world), obj)
        shape, place = shape_of(
            solid, component.shape, scale, is_dynamic=component.kind == "dynamic"
        )
        node = BulletRigidBodyNode(component.slot.id)
        node.add_shape(shape, place)
        path = self._root.attach_new_node(node)
        self._dress(component, node, solid, scale)
        path.set_collide_mask(BitMask32.bit(self._group_of(obj)))
        known = Body(
            component, node, path, _key_of(component, solid), solid.center * scale, scale,
            np.asarray(world, dtype=np.float64), [], np.full(7, np.inf),
            np.array([STIRRED * _smallest(solid, scale)] * 3 + [TURNED] * 4),
            _smallest(solid, scale),
            0.0 if component.is_sensor else component.rolling,
            component.mass * abs(component.gravity) * (
                component.kind == "dynamic" and component.can_turn
            ),
        )  # fmt: skip
        self._put(known)
        self._world.attach(node)
        self._bodies[component.slot.id] = known
        self._weigh(known)
        if motion is not None:
            node.set_linear_velocity(motion[0])
            node.set_angular_velocity(motion[1])

    def _dress(self, component: RigidBody, node: Any, solid: Solid, scale: FloatArray) -> None:
        if component.kind == "dynamic":
            node.set_mass(component.mass)
            smallest = _smallest(solid, scale)
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

    def _weigh(self, body: Body) -> None:
        if body.is_dynamic:
            body.node.set_gravity(LVector3(*self._gravity) * body.component.gravity)

    def _group_of(self, obj: SceneObject) -> int:
        """Return the number of an object's layer, with what it passes through arranged."""
        name = layer_of(obj)
        if name not in self._groups:
            if len(self._groups) == MOST_LAYERS:
                raise ValueError(f"Layer: expected at most {MOST_LAYERS} of them, found {name!r}")
            self._groups[name] = len(self._groups)
        passes = {key: _passes(self._scene, key) for key in self._groups}
        for one, first in self._groups.items():
            for other, second in self._groups.items():
                is_met = other not in passes[one] and one not in passes[other]
                self._world.set_group_collision_flag(first, second, is_met)
        return self._groups[name]

    # -- what scripts do ----------------------------------------------------------------------

    def push(self, body: RigidBody, kind: str, vector: Vector, point: Vector | None) -> None:
        """Give a body a force, impulse, torque, twist, velocity or spin."""
        known = self._bodies.get(body.slot.id)
        if known is None:
            return
        node, value = known.node, LVector3(*vector)
        node.set_active(True, True)
        arm = None if point is None else LPoint3(*point) - known.path.get_pos()
        if kind in ("force", "torque"):
            known.pushes.append((kind, value, arm))
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

    def motion(self, body: RigidBody) -> tuple[Vector, Vector]:
        """Return a body's velocity and spin."""
        known = self._bodies.get(body.slot.id)
        if known is None:
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        spin = known.node.get_angular_velocity() * (180.0 / math.pi)
        return floats(known.node.get_linear_velocity()), floats(spin)

    # -- one step -----------------------------------------------------------------------------

    def step(self, dt: float) -> None:
        """Let `dt` seconds pass, then tell the bodies what they touched."""
        if self._world is None:
            return
        self._take_over()
        if self._world is None:
            return
        told: list[tuple[str, str, Touch | None]] = []
        steps = min(MOST_STEPS, max(1, math.ceil(dt * STEPS_A_SECOND - 1e-6)))
        for _ in range(steps):
            self._apply_pushes()
            self._world.do_physics(dt / steps, 0)
            self._compare(told)
        slow_what_rolls(self._bodies, self._touching, self._gravity, dt)
        for body in self._bodies.values():
            body.pushes.clear()
        self._write_back()
        self._tell(told)

    def _take_over(self) -> None:
        """Follow what scripts changed: places, fields, models."""
        self._scene.transforms.refresh()
        bodies = list(self._bodies.values())
        worlds = self._worlds_of(bodies)
        seen = self._left if self._left_for == bodies else [body.seen for body in bodies]
        has_moved = (np.abs(worlds - np.reshape(seen, (-1, 4, 4))) > MOVED).any(axis=(1, 2))
        solids = self._scene.space.solids()
        for body, world, is_moved in zip(bodies, worlds, np.atleast_1d(has_moved), strict=True):
            try:
                self._follow(body, world, solids.get(body.object.id), has_moved=is_moved)
            except ValueError as error:
                self._give_up(body.component, error)
        for component in list(self._waiting.values()):
            obj = component.slot.object
            if self._scene.space.solid(obj) is None and self._scene.space.is_waiting(obj):
                continue
            del self._waiting[component.slot.id]
            try:
                self._make(component)
            except ValueError as error:
                self._give_up(component, error)

    def _follow(
        self, body: Body, world: FloatArray, solid: Solid | None, *, has_moved: bool
    ) -> None:
        """Follow what scripts changed about one body."""
        scale = checked_scale(world, body.object) if has_moved else body.scale
        is_scaled = has_moved and bool(np.abs(scale - body.scale).max() > EVEN)
        if is_scaled or body.key != _key_of(body.component, solid):
            self._renew(body)
        elif has_moved:
            body.seen = world.copy()
            self._left_for = []
            self._put(body)
            body.node.set_active(True, True)

    def _give_up(self, component: RigidBody, error: ValueError) -> None:
        """Set a body aside that cannot be had any more; the others go on."""
        self.remove(component)
        self._scene.host.fail(component.slot, "fixed_update", error)

    def _renew(self, body: Body) -> None:
        """Make a body anew; it goes on as fast as it was."""
        motion = (body.node.get_linear_velocity(), body.node.get_angular_velocity())
        self._take_out(body)
        self._make(body.component, motion)

    def _put(self, body: Body) -> None:
        """Put a body where its object is."""
        turn = body.seen[:3, :3] / np.linalg.norm(body.seen[:3, :3], axis=1, keepdims=True)
        point = body.seen[3, :3] + body.middle @ turn
        h, p, r = rotation_of(turn)
        body.spot = np.full(7, np.inf)
        body.path.set_transform(
            TransformState.make_pos_hpr(LPoint3(*point), LVector3(float(h), float(p), float(r)))
        )

    def _apply_pushes(self) -> None:
        for body in self._bodies.values():
            for kind, value, arm in body.pushes:
                if kind == "torque":
                    body.node.apply_torque(value)
                elif arm is None:
                    body.node.apply_central_force(value)
                else:
                    body.node.apply_force(value, LPoint3(arm))

    def _write_back(self) -> None:
        """Let the objects stand where their bodies do, parents before children."""
        transforms = self._scene.transforms
        moved = [body for body in self._bodies.values() if body.is_dynamic]
        moved = [body for body in moved if body.node.is_active()]
        moved.sort(key=lambda body: int(transforms.depths[body.object.transform.slot]))
        if moved:
            self._place(moved)
        transforms.refresh()
        self._left_for = list(self._bodies.values())
        self._left = self._worlds_of(self._left_for)
        for body, world in zip(self._left_for, self._left, strict=True):
            body.seen = world

    def _worlds_of(self, bodies: list[Body]) -> FloatArray:
        """Return the world matrices of bodies' objects, `[n, 4, 4]`."""
        slots = [body.component.slot.object.transform.slot for body in bodies]
        return np.asarray(self._scene.transforms.world[slots], dtype=np.float64)

    def _place(self, active: list[Body]) -> None:
        """Move the objects of bodies that have stirred, so that others are at rest at once."""
        now = np.array([(*body.path.get_pos(), *body.path.get_quat()) for body in active])
        away = np.abs(now - np.concatenate([body.spot for body in active]).reshape(-1, 7))
        play = np.concatenate([body.play for body in active]).reshape(-1, 7)
        has_stirred = (away > play).any(axis=1)
        moved = [body for body, is_moved in zip(active, has_stirred, strict=True) if is_moved]
        if not moved:
            return
        now = now[has_stirred]
        for body, spot in zip(moved, now, strict=True):
            body.spot = spot
        spots, turned = now[:, :3], turns_of(now[:, 3:])
        middles = np.array([body.middle for body in moved])
        places = spots - np.einsum("ij,ijk->ik", middles, turned)
        rotations = rotations_of(turned)
        transforms = self._scene.transforms
        slots = np.array([body.object.transform.slot for body in moved])
        is_root = transforms.depths[slots] == 0
        transforms.move(slots[is_root], places[is_root], rotations[is_root])
        for index in np.flatnonzero(~is_root):
            transform = moved[index].object.transform
            transform.world_position = places[index]
            transform.world_rotation = rotations[index]

    # -- touches ------------------------------------------------------------------------------

    def _compare(self, told: list[tuple[str, str, Touch | None]]) -> None:
        """Note which bodies touch now; add to `told` what began and what ended."""
        now: dict[tuple[str, str], Touch] = {}
        for manifold in self._world.get_manifolds():
            if not manifold.get_num_manifold_points():
                continue  # they are near one another only
            first, second = manifold.get_node0().get_name(), manifold.get_node1().get_name()
            is_turned = first > second
            if is_turned:
                first, second = second, first
            before = self._touching.get((first, second))
            if before is not None:  # they did already: the numbers are of no use
                if is_touch(manifold):
                    now[first, second] = before
                continue
            touch = touch_of(manifold)
            if touch is None:
                continue
            if is_turned:
                touch.normal = -touch.normal
            known = now.get((first, second))
            if known is None or known.impulse < touch.impulse:
                now[first, second] = touch
        told += [(*pair, now[pair]) for pair in sorted(now.keys() - self._touching.keys())]
        told += [(*pair, None) for pair in sorted(self._touching.keys() - now.keys())]
        self._touching = now

    def _tell(self, told: list[tuple[str, str, Touch | None]]) -> None:
        for first, second, touch in told:
            for own, other, side in ((first, second, 1.0), (second, first, -1.0)):
                body, met = self._bodies.get(own), self._bodies.get(other)
                if body is None or met is None:
                    continue
                component = body.component
                if component.slot.state is not SlotState.READY or not met.object.is_alive:
                    continue
                if touch is None:
                    component.parted.emit(met.object)
                else:
                    normal = Vector3(touch.normal * side)
                    component.collided.emit(
                        met.object, Contact(Vector3(touch.point), normal, touch.impulse)
                    )


def _smallest(solid: Solid, scale: FloatArray) -> float:
    """Return the smallest half side of a shape, metres."""
    return max(float((solid.half * scale).min()), SMALLEST)


def _key_of(component: RigidBody, solid: Solid | None) -> tuple[Any, ...]:
    return (component.slot.revision, solid, layer_of(component.slot.object))


def _passes(scene: Scene, name: str) -> set[str]:
    return {
        other
        for slot in scene.components()
        if slot.type_name == "sim:Layer" and slot.instance is not None
        if slot.instance.name == name  # type: ignore[attr-defined]
        for other in slot.instance.passes  # type: ignore[attr-defined]
    }


__all__ = ["PhysicsWorld"]

"""The Bullet world of one scene: simulates its bodies and joints.

The scene's transforms are authoritative. Bodies follow what scripts move, and the results of the
simulation are written back to the objects. The world is deleted with its last body. So a restarted
scene begins with a new world, and the same steps give the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any

import numpy as np
from panda3d.bullet import BulletWorld
from panda3d.core import BitMask32, LVector3, NodePath, TransformState, load_prc_file_data

from base.closed import Closed
from sim.core.components.physics import EARTH, Contact, Joint, RigidBody, Vector
from sim.core.geometry.collision_shapes import CollisionShape
from sim.core.geometry.rotations import FloatArray
from sim.core.geometry.transform import IntArray
from sim.core.geometry.vectors import Vector3
from sim.core.scene.scene import MOTION, ComponentSlot, Motions, Scene, SceneObject, SlotState
from sim.core.scene.spatial_index import layer_of
from sim.core.script.signals import any_heard, is_heard
from sim.physics.body import PARTS, Body, is_any_loading, key_of, made_body
from sim.physics.depenetration import Depenetration, deep_after
from sim.physics.joints import JointLink, Joints
from sim.physics.kinematics import KinematicMotions
from sim.physics.measures import ancestors_of, checked_scale, floats, is_lost, too_large
from sim.physics.roster import BodyList, TouchChange, Touches, slots_of, spots_of, stands_of

STEPS_A_SECOND = 120.0  # at least: more than the scene's own, so that fast bodies do not slip by
MOST_STEPS = 8  # in one of the scene's
SLOW = 3.0  # metres a second: so slow a body gets nowhere near too deep into another in a step
MOVED = 1e-7  # of a matrix: what a script changed
EVEN = 1e-5  # of a scale: less is rounding
MOST_LAYERS = 32  # Bullet's groups
LAYER = "sim:Layer"
CONTACT_SIGNALS = ("collided", "parted")
NO_MOTION: Vector = (0.0, 0.0, 0.0)

LayerFields = tuple[int, bool, object, object]
"""State of a Layer component: revision of its fields, whether enabled, its script, its fields."""
Layers = tuple[int, list[ComponentSlot], list[LayerFields]]
"""Revision of the scene's structure, slots of its Layer components, and their states."""

load_prc_file_data("goishi-physics", "bullet-filter-algorithm groups-mask\n")


def keep_no_places() -> None:
    """Turn off Panda3D's cache of transforms, for the whole process.

    A body is never at the same place twice, so the cache would only grow. It only speeds up
    drawing.
    """
    load_prc_file_data("goishi-unseen", "transform-cache 0\n")


class PhysicsWorld(Closed):
    """Simulates the bodies of a scene; implements `sim.core.components.physics.BodyPhysics`."""

    __slots__ = (
        "_bodies", "_depenetration", "_ended", "_gravity", "_groups", "_joints", "_kinematics",
        "_layers", "_pushed", "_root", "_roster", "_scene", "_touches", "_waiting", "_world",
    )  # fmt: skip

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._world: Any = None
        self._root: Any = None
        self._bodies: dict[str, Body] = {}
        self._waiting: dict[str, RigidBody] = {}
        self._touches = Touches()
        self._ended: list[tuple[RigidBody, SceneObject]] = []  # contacts of removed bodies
        self._kinematics = KinematicMotions()
        self._depenetration = Depenetration()
        self._joints = Joints()
        self._groups: dict[str, int] = {}
        self._gravity: Vector = EARTH
        self._layers: Layers = (-1, [], [])
        self._roster: BodyList | None = None  # None: bodies have come or gone
        self._pushed: dict[str, Body] = {}  # in this step

    @property
    def gravity(self) -> Vector:
        """Gravity of the scene, metres per second squared."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Vector) -> None:
        if value != self._gravity:
            self._gravity = value
            if self._world is not None:
                self._world.set_gravity(LVector3(*value))
            for body in self._bodies.values():
                body.weigh(self._gravity)
                if body.is_dynamic:
                    body.node.set_active(True, True)

    # -- bodies come and go -------------------------------------------------------------------

    def add(self, body: RigidBody) -> None:
        """Add a body to the simulation; if its model file is still loading, once it is loaded.

        Raises:
            ValueError: its shape or its scale is not supported.
        """
        if self._world is None:
            self._world = BulletWorld()
            self._world.set_gravity(LVector3(*self._gravity))
            self._root = NodePath("bodies")
        if self._is_loading(body):
            self._waiting[body.slot.id] = body  # it takes part once its model is there
        else:
            self._make(body)

    def _is_loading(self, body: RigidBody) -> bool:
        """Return whether the model that gives a body its shape is still loading."""
        obj, space = body.slot.object, self._scene.space
        if body.shape == PARTS:
            return is_any_loading(obj, space)
        return space.solid(obj) is None and space.is_waiting(obj)

    def remove(self, body: RigidBody) -> None:
        """Remove a body from the simulation; unknown ones are ignored.

        The bodies that touch it are told at the next step. The Bullet world is deleted with its
        last body.
        """
        self._waiting.pop(body.slot.id, None)
        known = self._bodies.get(body.slot.id)
        if known is not None:
            self._remove_body(known)
            for key in self._touches.forget(body.slot.id):
                if key in self._bodies:
                    other = self._bodies[key]
                    self._ended += [(other.component, known.object), (body, other.object)]
        if not self._bodies and not self._waiting:
            self._world = self._root = None
            self._touches.clear()
            self._ended.clear()
            self._kinematics = KinematicMotions()
            self._depenetration.clear()
            self._groups.clear()
            self._pushed.clear()
            self._roster = None

    def _remove_body(self, body: Body) -> None:
        """Remove a body from the Bullet world and wake the bodies that touch it."""
        key = body.component.slot.id
        del self._bodies[key]
        self._pushed.pop(key, None)
        self._roster = None
        self._kinematics.remove(key)
        self._wake_touching({key})
        self._joints.release(key, self._world)
        self._world.remove(body.node)
        body.path.remove_node()

    def _wake_touching(self, keys: set[str]) -> None:
        """Wake the bodies that touch one of some bodies, given by their ids."""
        for other in self._touches.others(keys):
            if other in self._bodies:
                self._bodies[other].wake()

    def _make(self, component: RigidBody, motion: tuple[LVector3, LVector3] | None = None) -> None:
        """Create a body and add it to the Bullet world.

        Args:
            component: the RigidBody.
            motion: its velocity (m/s) and angular velocity (rad/s); None to start at rest.

        Raises:
            ValueError: its object has no shape, or its shape, place or scale is not supported.
        """
        try:
            self._add_body(component, motion)
        except AssertionError:  # Panda3D's
            raise too_large("RigidBody", component.slot.object) from None

    def _add_body(self, component: RigidBody, motion: tuple[LVector3, LVector3] | None) -> None:
        obj = component.slot.object
        space = self._scene.space
        solid = None if component.shape == PARTS else space.solid(obj)
        if solid is None and component.shape != PARTS:
            raise ValueError(
                f"RigidBody: expected an object with a shape, found {obj.path} with the model "
                f"{obj.model}"
            )
        scale = checked_scale(np.asarray(obj.transform.world_matrix), obj)
        body = made_body(component, solid, scale, self._root, space)
        body.path.set_collide_mask(BitMask32.bit(self._group_of(obj)))
        self._world.attach(body.node)
        self._bodies[component.slot.id] = body
        if body.is_dynamic:
            self._touches.doubted.add(component.slot.id)
        else:
            self._kinematics.add(body)
        self._roster = None
        body.weigh(self._gravity)
        if motion is not None:
            body.node.set_linear_velocity(motion[0])
            body.node.set_angular_velocity(motion[1])

    def _group_of(self, obj: SceneObject) -> int:
        """Return the Bullet collision group of an object's layer, and update which groups collide.

        Raises:
            ValueError: there are more than `MOST_LAYERS` layers.
        """
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
        """Apply a force, an impulse or the like to a body, or set its velocity; see `Body.push`.

        Args:
            body: the body; unknown ones are ignored.
            kind: "force", "torque", "impulse", "twist", "velocity" or "spin".
            vector: its value along the world's axes.
            point: world position where a force or impulse acts; None for the centre of mass.
        """
        known = self._bodies.get(body.slot.id)
        if known is not None:
            known.push(kind, vector, point)
            if known.pushes:
                self._pushed[body.slot.id] = known

    def velocity(self, body: RigidBody) -> Vector:
        """Return a body's velocity, metres a second; zero for an unknown body."""
        known = self._bodies.get(body.slot.id)
        return NO_MOTION if known is None else floats(known.node.get_linear_velocity())

    def spin(self, body: RigidBody) -> Vector:
        """Return a body's angular velocity, degrees a second; zero for an unknown body."""
        known = self._bodies.get(body.slot.id)
        if known is None:
            return NO_MOTION
        return floats(known.node.get_angular_velocity() * (180.0 / math.pi))

    def motions(self) -> Motions:
        """Return the present velocities of the bodies and the broken joints."""
        rows = [
            (
                *node.get_linear_velocity(),
                *node.get_angular_velocity(),
                node.is_active(),
                node.get_deactivation_time(),
            )
            for node in [body.node for body in self._bodies.values()]
        ]
        numbers = np.array(rows, dtype=np.float64).reshape(-1, MOTION)
        return Motions(
            tuple(self._bodies),
            numbers,
            self._joints.broken_ones,
            self._joints.turns,
            self._kinematics.starts(self._unseen_moves()),
            tuple(sorted(self._depenetration.watched)),
        )

    def _unseen_moves(self) -> list[Body]:
        """Return the kinematic and static bodies that are not yet where scripts have moved them."""
        transforms, roster = self._scene.transforms, self._roster
        if self._world is None or transforms.deferred is not None or roster is None:
            return []
        if roster.left_at == transforms.revision and not transforms.any_dirty:
            return []
        others = [body for body in roster.bodies if not body.is_dynamic and body.object.is_alive]
        return [body for body in others if _has_moved(body)]

    def put_motions(self, motions: Motions) -> None:
        """Restore the velocities of the bodies, and which joints are broken.

        Positions are not restored here: the bodies are put where their objects are now.

        Args:
            motions: result of the method `motions`.
        """
        if self._world is None:
            return
        self._joints.mend(motions.broken, self._world)
        self._joints.put_turns(dict(motions.turns))
        self._follow_changes()
        self._depenetration.clear()
        self._depenetration.watch(motions.overlapping)
        for key, row in zip(motions.bodies, motions.numbers.tolist(), strict=True):
            body = self._bodies.get(key)
            if body is not None:
                body.pushes.clear()
                body.node.set_linear_velocity(LVector3(*row[:3]))
                body.node.set_angular_velocity(LVector3(*row[3:6]))
                body.node.set_active(bool(row[6]), True)
                body.node.set_deactivation_time(row[7])
        self._kinematics.put(self._bodies, motions.starts)

    # -- joints -------------------------------------------------------------------------------

    def join(self, joint: Joint) -> JointLink:
        """Add a joint; it holds its bodies from the next step on. Return its link."""
        return self._joints.add(joint)

    def part(self, joint: Joint) -> None:
        """Remove a joint, so that its bodies are free; unknown joints are ignored."""
        self._joints.remove(joint, self._world)

    def stand(self, joint: Joint) -> tuple[float, ...] | None:
        """Return a joint's position, followed by its speed, in the units of `Joint.read`.

        None while its bodies are not joined. If scripts have moved the joint's objects since the
        last step, the bodies first follow them.
        """
        held = self._joints.bodies_of(joint)
        if not held:
            self.remember_joints()
            if self._world is not None:
                self._follow_changes()
            self._link()
        for key in held:
            if key:
                self._follow_at_once(self._bodies[key])
        return self._joints.stand(joint)

    def set_joint(self, joint: Joint, value: float) -> None:
        """Move a joint's object so that the joint has a given angle or position.

        Args:
            joint: a hinge or a slider.
            value: angle in degrees for a hinge, position in metres for a slider.
        """
        self.remember_joints()
        self._joints.put(joint, value)

    def begin_episode(self) -> None:
        """Store the rest positions of joints; what scripts move before the next step has jumped."""
        self.remember_joints()
        self._kinematics.jumps = True

    def remember_joints(self) -> None:
        """Store the present places of the bodies as rest positions of joints.

        Joints that have a rest position already keep it.
        """
        self._joints.remember()

    def _follow_at_once(self, body: Body) -> None:
        if self._scene.transforms.deferred is not None:
            return  # nothing has been moved since the simulation moved the bodies
        if body.object.is_alive and _has_moved(body):
            world = np.asarray(body.object.transform.world_matrix, dtype=np.float64)
            self._wake_touching({body.component.slot.id})
            self._put(body, world)
            self._joints.wake({body.component.slot.id})

    def _put(self, body: Body, world: FloatArray) -> None:
        """Move a body to where a script has moved its object.

        Args:
            body: the body.
            world: world matrix of its object, `[4, 4]`.
        """
        if self._roster is not None:
            self._roster.left = None
        if not body.is_dynamic:
            self._kinematics.note(body)
        body.put_at(world)
        if body.is_dynamic:
            self._touches.doubted.add(body.component.slot.id)
            body.node.set_active(True, True)

    def _link(self) -> None:
        """Make the constraints of joints whose bodies exist; joints in error are quarantined."""
        for joint, error in self._joints.link(self._world, self._bodies):
            self.part(joint)
            joint.slot.host.fail(joint.slot, "fixed_update", error)

    # -- one step -----------------------------------------------------------------------------

    def step(self, dt: float) -> None:
        """Simulate `dt` seconds, then emit the contact signals of bodies and `broken` of joints."""
        if self._world is not None:
            self._follow_changes()
        self._link()
        if self._world is None:
            return
        told, broken = self._substeps(dt)
        if self._world is None:
            return
        self._write_back()
        TransformState.garbage_collect()  # nothing else does: it keeps each place of each body
        if self._ended:
            self._notify_ended()
        self._notify(told)
        for joint in broken:
            if joint.slot.state is SlotState.READY:
                joint.broken.emit()

    def _substeps(self, dt: float) -> tuple[list[TouchChange], list[Joint]]:
        """Simulate `dt` seconds in several steps of Bullet.

        Returns:
            The contacts that began or ended, and the joints that broke.
        """
        told: list[TouchChange] = []
        broken: list[Joint] = []
        steps = min(MOST_STEPS, max(1, math.ceil(dt * STEPS_A_SECOND - 1e-6)))
        self._joints.begin_step()
        self._kinematics.begin(self._world, self._bodies, dt)
        pushed = self._pushed
        moved = self._kinematics.moved
        is_told = self._is_moved(moved) or self._is_heard()
        is_quick, deep = not is_told and self._is_quick(), deep_after(dt / steps)
        overlaps, touches = self._depenetration, self._touches
        for number in range(steps):
            if moved:
                self._kinematics.place(number * dt / steps)
            for body in pushed.values():
                body.apply_pushes()
            self._joints.drive(dt / steps)
            if touches.doubted or overlaps.watched or overlaps.before:
                overlaps.begin(self._bodies, touches.doubted)
            self._simulate(dt / steps)
            if self._world is None:
                return told, broken
            broken += self._joints.broken(self._world)
            is_last = number == steps - 1
            is_due = is_last or is_told or self._is_any_deep(deep, may_begin=is_quick)
            if is_due and self._compare(dt / steps, moved, deep) and is_told:
                told += touches.changes()
        self._kinematics.end(self._bodies)
        if pushed:
            broken += self._joints.broken(self._world, asks_all=True)
        slow_what_rolls(self._bodies, self._touches, self._gravity, dt)
        for body in pushed.values():
            body.pushes.clear()
        pushed.clear()
        return told, broken

    def _compare(self, dt: float, moved: Set[str], deep: float) -> bool:
        """Update the contacts after a step of Bullet, and treat overlaps.

        Args:
            dt: duration of the step, seconds.
            moved: ids of the bodies that scripts move.
            deep: depth in metres from which overlaps are treated.

        Returns:
            Whether contacts have begun or ended.
        """
        overlaps, touches = self._depenetration, self._touches
        has_changed = touches.compare(self._world, overlaps.watched | moved, deep)
        if overlaps.watched or touches.watched:
            overlaps.relax(touches.watched, self._bodies, dt)
        return has_changed

    def _is_any_deep(self, deep: float, *, may_begin: bool) -> bool:
        """Return whether bodies overlap so deep that this is treated.

        Args:
            deep: depth in metres from which it is.
            may_begin: whether further ones may have begun to in the last step of Bullet.
        """
        if self._depenetration.watched:
            return True
        return may_begin and self._touches.are_deep(self._world, deep)

    def _is_heard(self) -> bool:
        """Return whether a script listens to the contacts of a body."""
        return any_heard([body.component for body in self._bodies.values()], CONTACT_SIGNALS)

    def _is_moved(self, moved: Set[str]) -> bool:
        """Return whether a script or a joint moves a body, so that it may overlap others.

        Contacts are then compared after each step of Bullet, which takes as long as some of them.

        Args:
            moved: ids of the bodies that scripts move.
        """
        return bool(
            self._pushed
            or moved
            or self._touches.doubted
            or self._joints.is_any
            or self._depenetration.watched
        )

    def _is_quick(self) -> bool:
        """Return whether a body is so fast that it may get deep into another one in a step."""
        for body in self._bodies.values():
            node = body.node
            if body.is_dynamic and node.is_active():
                speed, spin = node.get_linear_velocity(), node.get_angular_velocity()
                if not speed.length() + spin.length() * body.reach < SLOW:
                    return True
        return False

    def _simulate(self, dt: float) -> None:
        """Run one Bullet step of `dt` seconds.

        Bodies that extreme forces have thrown out of all bounds are removed and quarantined.
        """
        try:
            self._world.do_physics(dt, 0)
        except AssertionError:  # Panda3D's: it takes no such place
            lost = [body for body in self._bodies.values() if is_lost(body.node)]
            if not lost:
                raise
            for body in lost:
                error = ValueError(
                    f"RigidBody: expected a motion of {body.object.path} in finite numbers, "
                    "found another: a force on it, or on what is joined to it, is too large"
                )
                self._give_up(body.component, error)

    def _follow_changes(self) -> None:
        """Update the bodies after scripts have changed transforms, fields or models."""
        roster = self._known_bodies()
        worlds, has_moved = self._moved_ones(roster)
        solids, is_new = self._scene.space.solids(), self._are_layers_new()
        told = self._scene.space.shapes_revision, [slot.revision for slot in roster.slots]
        if is_new or has_moved is not None or roster.told != told:
            roster.told = told
            for index, body in enumerate(roster.bodies):
                slot = body.component.slot
                solid = solids.get(slot.object.id)
                key, is_moved = body.key, has_moved is not None and has_moved[index]
                is_other = is_new or is_moved or body.has_parts
                if not is_other and key[0] == slot.revision and key[1] is solid:
                    continue  # nothing about it is new
                try:
                    self._follow(body, worlds[index], solid, has_moved=is_moved)
                except ValueError as error:
                    self._give_up(body.component, error)
                except AssertionError:  # Panda3D's
                    self._give_up(body.component, too_large("RigidBody", slot.object))
        for component in list(self._waiting.values()):
            if self._is_loading(component):
                continue
            del self._waiting[component.slot.id]
            try:
                self._make(component)
            except ValueError as error:
                self._give_up(component, error)

    def _known_bodies(self) -> BodyList:
        """Return the list of bodies; a new one if bodies or the scene's structure have changed."""
        revision = self._scene.structure_revision
        if self._roster is None or self._roster.revision != revision:
            self._roster = BodyList(list(self._bodies.values()), self._scene.transforms, revision)
        return self._roster

    def _are_layers_new(self) -> bool:
        """Return whether bodies may be in other layers than at the last call."""
        revision = self._scene.structure_revision
        if self._layers[0] != revision:
            slots = [slot for slot in self._scene.components() if slot.type_name == LAYER]
        else:
            slots = self._layers[1]
        now = (revision, slots, [_layer_told(slot) for slot in slots])
        is_new, self._layers = now != self._layers, now
        return is_new

    def _moved_ones(self, roster: BodyList) -> tuple[FloatArray, list[bool] | None]:
        """Return the world matrices of the bodies' objects, and which of them scripts have moved.

        Returns:
            (matrices `[n, 4, 4]`, one bool for each body). None in place of the bools if no object
            has been moved.
        """
        left, transforms = roster.left, self._scene.transforms
        is_known = left is not None and roster.left_at == transforms.revision
        if left is not None and is_known and not transforms.any_dirty:
            return left, None
        transforms.refresh()
        worlds = roster.worlds()
        seen = [body.seen for body in roster.bodies] if roster.left is None else roster.left
        has_moved = (np.abs(worlds - np.reshape(seen, (-1, 4, 4))) > MOVED).any(axis=(1, 2))
        moved = np.flatnonzero(has_moved)
        if len(moved):
            keys = {roster.bodies[index].component.slot.id for index in moved}
            self._joints.wake(keys)
            self._wake_touching(keys)
        return worlds, np.atleast_1d(has_moved).tolist()

    def _follow(
        self, body: Body, world: FloatArray, solid: CollisionShape | None, *, has_moved: bool
    ) -> None:
        """Update one body after a script has changed it or its object.

        Args:
            body: the body.
            world: present world matrix of its object, `[4, 4]`.
            solid: present collision shape of its model; None for none.
            has_moved: whether a script has moved the object.
        """
        scale = checked_scale(world, body.object) if has_moved else body.scale
        is_scaled = has_moved and bool(np.abs(scale - body.scale).max() > EVEN)
        if body.has_parts and self._is_loading(body.component):
            return  # until all its parts are there
        if is_scaled or body.key != key_of(body.component, solid):
            self._renew(body, is_scaled=is_scaled)
        elif has_moved:
            self._put(body, world)

    def _give_up(self, component: RigidBody, error: ValueError) -> None:
        """Remove a body that cannot be simulated any more and quarantine its component."""
        self.remove(component)
        component.slot.host.fail(component.slot, "fixed_update", error)

    def _renew(self, body: Body, *, is_scaled: bool) -> None:
        """Create a body anew from its present fields, with its present velocity.

        Args:
            body: the body.
            is_scaled: whether its scale has changed; what it overlaps then moves out of it.
        """
        motion = (body.node.get_linear_velocity(), body.node.get_angular_velocity())
        before, key = body.path.get_transform(), body.component.slot.id
        self._remove_body(body)
        self._make(body.component, motion)
        new = self._bodies.get(key)
        if is_scaled:
            self._depenetration.watch([key])
        elif new is not None and not new.is_dynamic and not body.is_dynamic:
            self._kinematics.add(new, before)

    def _write_back(self) -> None:
        """Copy the transforms of bodies to their objects, parents before children."""
        roster, transforms = self._known_bodies(), self._scene.transforms
        active = roster.active()
        if active and self._place(roster, active):
            roster.left_at = transforms.revision
            return
        transforms.refresh()
        for body in roster.carried:
            if _has_moved(body):  # a parent carried it
                before = body.path.get_transform()
                roster.left = None
                body.put_at(np.asarray(body.object.transform.world_matrix, dtype=np.float64))
                self._kinematics.carry(body, before)
        roster.note()

    def _place(self, roster: BodyList, active: list[Body]) -> bool:
        """Move the objects of active bodies that have moved by more than their tolerance.

        Args:
            roster: all bodies.
            active: the dynamic bodies that are awake.

        Returns:
            True if all moves were deferred until a transform is read; nothing else has changed
            then. False if the objects were moved now, or none had to be moved.
        """
        flock, transforms = roster.moved_bodies(active), self._scene.transforms
        now = spots_of(flock.nodes)
        has_stirred = flock.has_stirred(now)
        is_whole = bool(np.logical_and.reduce(has_stirred))
        if (
            is_whole
            and flock.is_free
            and roster.left is not None
            and not (roster.nested or roster.carried or transforms.any_dirty)
        ):
            flock.defer(now)
            return True
        transforms.settle()
        moved, slots = active, flock.slots
        if is_whole:
            flock.spots[:] = now
        else:
            stirring = np.flatnonzero(has_stirred)
            moved = [active[index] for index in stirring]
            slots, now = slots[stirring], now[stirring]
            flock.spots[stirring] = now
        below = self._below(roster.nested, moved)
        if below:
            spots = spots_of([body.node for body in below])
            for body, spot in zip(below, spots, strict=True):
                body.spot[:] = spot
            moved, now = moved + below, np.concatenate([now, spots])
            slots = np.concatenate([slots, slots_of(below)])
        if moved:
            self._move(moved, slots, *stands_of(moved, now))
        return False

    def _move(
        self, moved: list[Body], slots: IntArray, places: FloatArray, rotations: FloatArray
    ) -> None:
        """Move the objects of bodies, parents before children.

        Args:
            moved: the bodies.
            slots: slots of their objects in the transform store, `[n]`.
            places: world positions, `[n, 3]`, metres.
            rotations: heading, pitch and roll, `[n, 3]`, degrees.
        """
        transforms = self._scene.transforms
        is_root = transforms.depths[slots] == 0
        if is_root.all():
            transforms.move(slots, places, rotations)
            return
        transforms.move(slots[is_root], places[is_root], rotations[is_root])
        nested = np.flatnonzero(~is_root)
        for index in nested[np.argsort(transforms.depths[slots[nested]], kind="stable")]:
            transform = moved[index].object.transform
            transform.world_position = places[index]
            transform.world_rotation = rotations[index]

    def _below(self, nested: list[Body], moved: list[Body]) -> list[Body]:
        """Return the dynamic bodies whose objects are descendants of moved objects.

        These objects must not move with their ancestors, since the simulation places them.

        Args:
            nested: dynamic bodies whose objects have a parent.
            moved: bodies whose objects are moved.
        """
        if not nested:
            return []
        known = {body.object.id for body in moved}
        others = (body for body in nested if body.object.id not in known)
        return [
            body for body in others if any(obj.id in known for obj in ancestors_of(body.object))
        ]

    # -- touches ------------------------------------------------------------------------------

    def _notify_ended(self) -> None:
        """Emit `parted` for contacts that ended since a body was removed."""
        ended, self._ended = self._ended, []
        for component, other in ended:
            if component.slot.state is SlotState.READY and component.slot.instance is component:
                component.parted.emit(other)

    def _notify(self, told: list[TouchChange]) -> None:
        for first, second, touch in told:
            for own, other, side in ((first, second, 1.0), (second, first, -1.0)):
                body, met = self._bodies.get(own), self._bodies.get(other)
                if body is None or met is None:
                    continue
                component = body.component
                if not is_heard(component, "parted" if touch is None else "collided"):
                    continue
                if component.slot.state is not SlotState.READY or not met.object.is_alive:
                    continue
                if touch is None:
                    component.parted.emit(met.object)
                else:
                    point, normal = Vector3(touch.point), Vector3(side * np.array(touch.normal))
                    component.collided.emit(met.object, Contact(point, normal, touch.impulse))


def _has_moved(body: Body) -> bool:
    """Return whether the object of a body has been moved since the body was put there."""
    world = np.asarray(body.object.transform.world_matrix, dtype=np.float64)
    return bool(np.abs(world - body.seen).max() > MOVED)


def _layer_told(slot: ComponentSlot) -> LayerFields:
    return slot.revision, slot.is_enabled, slot.instance, slot.values


def _passes(scene: Scene, name: str) -> set[str]:
    return {
        other
        for slot in scene.components()
        if slot.type_name == LAYER and slot.instance is not None
        if slot.instance.name == name  # type: ignore[attr-defined]
        for other in slot.instance.passes  # type: ignore[attr-defined]
    }


def slow_what_rolls(
    bodies: Mapping[str, Body], touching: Iterable[tuple[str, str]], gravity: Vector, dt: float
) -> None:
    """Apply rolling friction: reduce the angular velocity of bodies that touch others.

    The torque is that of a wheel on level ground: coefficient times weight times radius. Bullet's
    own friction then slows the motion.

    Args:
        bodies: the bodies of the world by id.
        touching: pairs of ids of bodies in contact.
        gravity: metres per second squared.
        dt: seconds for which the friction acts.
    """
    pairs = list(touching)
    if not pairs:
        return
    factors = _rolling_factors({key: body.rolling for key, body in bodies.items()}, pairs)
    strength = math.sqrt(sum(part * part for part in gravity))
    for key, product in factors.items():
        body = bodies[key]
        if body.weight and body.node.is_active():
            _brake(body, math.sqrt(product) * body.weight * strength * body.radius * dt)


def _rolling_factors(
    rolling: Mapping[str, float], pairs: Sequence[tuple[str, str]]
) -> dict[str, float]:
    """Return the greatest product of coefficients for each body that rolls on another.

    Args:
        rolling: coefficient of each body, by id.
        pairs: pairs of ids of bodies in contact.
    """
    kinds = set(rolling.values())
    if len(kinds) == 1:  # as in a heap of equal bodies
        alike = kinds.pop()
        factors = dict.fromkeys(chain.from_iterable(pairs), alike * alike)
        if factors.keys() <= rolling.keys():
            return factors if alike else {}
    factors = {}
    known, coefficient = factors.get, rolling.get
    for one, other in pairs:
        product = coefficient(one, 0.0) * coefficient(other, 0.0)
        if product:
            if known(one, 0.0) < product:
                factors[one] = product
            if known(other, 0.0) < product:
                factors[other] = product
    return factors


def _brake(body: Body, twist: float) -> None:
    """Reduce a body's angular velocity, at most to zero.

    Args:
        body: the body.
        twist: angular impulse, newton metre seconds.
    """
    spin = body.node.get_angular_velocity()
    speed = spin.length()
    if speed == 0.0 or twist == 0.0:
        return
    inertia = body.inertia
    left = max(0.0, speed - twist / inertia) if inertia > 0.0 else 0.0
    body.node.set_angular_velocity(spin * (left / speed))

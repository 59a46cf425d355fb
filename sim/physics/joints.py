"""Joints of a Bullet world: links between two bodies, made once both bodies exist.

A `JointLink` holds a joint's Bullet constraint. The first body of a constraint is the joint's
`other` or the ground; the second is that of the joint's own object. So positions and angles are
those of the own object as seen from the other body, right-handed.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Container, Mapping, Sequence
from operator import itemgetter
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from panda3d.bullet import (
    BulletConeTwistConstraint,
    BulletGenericConstraint,
    BulletHingeConstraint,
    BulletRigidBodyNode,
    BulletSliderConstraint,
    BulletWorld,
)
from panda3d.core import LPoint3, LQuaternion, LVector3, TransformState

from base.errors import FieldError
from sim.core.components.physics import (
    BallJoint,
    FixedJoint,
    HingeJoint,
    Joint,
    RigidBody,
    SixAxisJoint,
    SliderJoint,
    Vector,
)
from sim.core.geometry.rotations import FloatArray, rotation_of, signed_scale
from sim.core.scene.fields import collect_fields
from sim.core.scene.scene import SceneObject
from sim.physics.body import Body
from sim.physics.measures import too_large
from sim.physics.resistance import Resistance

GAIN: Final = 10.0  # 1/s: a motor that goes to a position is as fast as this times the way left
DEGREES: Final = 180.0 / math.pi
HALF_TURN: Final = 180.0
HINGED: Final = (
    "break_force", "motor", "motor_speed", "motor_torque", "motor_angle", "limited", "damping",
    "friction",
)  # fmt: skip
HINGE_NUMBERS: Final = itemgetter(*HINGED)
UNBROKEN: Final = 1e30  # newton seconds
STEPWISE: Final = ("motor", "break", "damping", "friction")
"""Beginnings of the names of fields that are read at each step, not when a joint is made."""
NEAR_LIMIT: Final = 90.0  # degrees before a limit beyond half a turn, from where on Bullet has it
QUARTER: Final = 90.0  # degrees
Drive: TypeAlias = Callable[[float], None]
SETTLING: Final = 4
"""Number of first steps in which no joint breaks, since Bullet's six-axis joint is unsteady."""


class JointLink:
    """One joint: its present Bullet constraint and the places at which its bodies were joined.

    A constraint is what joins two bodies in Bullet.

    Attributes:
        constraint: Bullet's constraint; None while a body is missing.
        bodies: ids of its two bodies in the world; the first is "" for the ground.
        nodes: Bullet nodes of its bodies.
        is_brittle: whether it may break in the current step.
        needs_steps: whether it has something to do in each substep even without a motor.
    """

    __slots__ = (
        "_age", "_damping", "_frames", "_friction", "_ground", "_is_driven", "_made_of", "_makers",
        "_most", "_motor", "_resistance", "_rest", "_rest_frames", "_rest_place", "_rest_scale",
        "_revision", "_taken", "_threshold", "_told", "_turn", "_world", "bodies", "constraint",
        "first", "is_brittle", "is_broken", "joint", "needs_steps", "nodes", "second",
    )  # fmt: skip

    own_axis: ClassVar[LVector3] = LVector3(0, 0, 1)
    """Axis of Bullet's constraint that is laid along the joint's axis."""
    resisting_axes: ClassVar[tuple[int, ...]] = ()
    """Bullet's numbers of the axes that damping and friction resist; see `Resistance`."""

    def __init__(self, joint: Any) -> None:
        self.joint = joint
        self.constraint: Any = None
        self.bodies: tuple[str, str] = ("", "")
        self.first: Body | None = None
        self.second: Any = None
        self._ground: Any = None
        self._frames = (TransformState.make_identity(), TransformState.make_identity())
        self._rest: tuple[object, ...] = ()
        self._rest_frames = self._frames
        self._turn = LQuaternion.ident_quat()
        self._rest_place, self._rest_scale = np.eye(4), np.ones(3)
        self._made_of: list[object] = []
        fields = collect_fields(type(joint))
        self._makers = [name for name in fields if not name.startswith(STEPWISE)]
        self.nodes: list[BulletRigidBodyNode] = []
        self.is_brittle = True
        self.needs_steps = False
        self._revision = -1
        self.is_broken = False
        self._is_driven, self._age = False, 0
        self._taken: tuple[int, object] = (-1, None)
        self._motor, self._most, self._threshold = "off", 0.0, 0.0
        self._damping = self._friction = 0.0
        self._resistance: Resistance | None = None
        self._world: BulletWorld | None = None
        self._told: object = None
        """Motor settings last given to the constraint; None before the first."""

    def build(self, first: Any, second: Any, frames: tuple[Any, Any]) -> Any:
        """Return a new Bullet constraint.

        Args:
            first: Bullet node of the other body or the ground.
            second: Bullet node of the object's own body.
            frames: the joint's frame in each node's space.
        """
        raise NotImplementedError

    def read_fields(self) -> None:
        """Copy the fields that are needed at each step, since reading a field is slow."""
        self._most = self.joint.break_force
        self._motor = getattr(self.joint, "motor", "off")
        self._damping = getattr(self.joint, "damping", 0.0)
        self._friction = getattr(self.joint, "friction", 0.0)

    def rates(self) -> tuple[float, ...]:
        """Return the speed along each of `resisting_axes`, in metres or radians a second."""
        return ()

    def drive(self, dt: float) -> None:
        """Set the motor for a step of `dt` seconds."""

    def stand(self) -> tuple[float, ...]:
        """Return the joint's position, followed by its speed, in the units of `Joint.read`.

        It is empty for a joint that cannot move.
        """
        return ()

    def remember(self) -> None:
        """Store the present places of the bodies as the joint's rest position, if it has none yet.

        A new rest position is also stored after the joint's anchor, axis or other object has
        changed.
        """
        joint = self.joint
        axis, other = getattr(joint, "axis", None), joint.other
        rest = (None if other is None else other.id, joint.anchor, axis)
        if rest == self._rest or (other is None and joint.slot.values.get("other") is not None):
            return
        turn = LQuaternion.ident_quat() if axis is None else turn_between(self.own_axis, axis)
        own, scale = _place_of(joint.slot.object)
        anchor = [part * size for part, size in zip(joint.anchor, scale, strict=True)]
        frame = TransformState.make_pos_quat_scale(LPoint3(*anchor), turn, LVector3(1.0))
        at = own.compose(frame)
        self._rest_place, self._rest_scale = _bare(joint.slot.object)
        if other is not None:
            at = _place_of(other)[0].invert_compose(at)
            self._rest_place = self._rest_place @ np.linalg.inv(_bare(other)[0])
        self._rest, self._rest_frames = rest, (at, frame)

    def motion(self, value: float) -> FloatArray:
        """Return how the object moves when the joint goes from its rest position to a value.

        Args:
            value: angle in degrees, or position in metres.

        Returns:
            Matrix `[4, 4]` in the object's own space.
        """
        raise NotImplementedError

    def put(self, value: float) -> None:
        """Move the object so that the joint has a given angle or position.

        Args:
            value: angle in degrees, or position in metres.
        """
        other, transform = self.joint.other, self.joint.slot.object.transform
        found = self.motion(value) @ self._rest_place
        if other is not None:
            found = found @ _bare(other)[0]
        transform.world_position = found[3, :3]
        transform.world_rotation = rotation_of(found)

    def attach(self, world: BulletWorld, first: Body | None, second: Body) -> None:
        """Make the constraint between two bodies at their rest positions.

        Args:
            world: the Bullet world.
            first: the other body; None for the ground.
            second: the object's own body.
        """
        self.remember()
        at, frame = self._rest_frames
        self._frames = (at if first is None else first.inward(at), second.inward(frame))
        self.first, self.second = first, second
        self._ground = BulletRigidBodyNode("ground") if first is None else None
        node = self._ground if first is None else first.node
        self.nodes = [body.node for body in (first, second) if body is not None]
        self._turn = self._frames[1].get_norm_quat()
        self.constraint = self.build(node, second.node, self._frames)
        self.bodies = ("" if first is None else first.component.slot.id, second.component.slot.id)
        slot = self.joint.slot
        self._revision, self._made_of = slot.revision - slot.recorded_changes, self._what_makes_it()
        self._world = world
        world.attach_constraint(self.constraint, not self.joint.collide)
        self.wake()

    @property
    def is_there(self) -> bool:
        """Whether the constraint exists at present."""
        return self.constraint is not None

    @property
    def is_new(self) -> bool:
        """Whether the constraint has never been made."""
        return self._revision < 0

    @property
    def is_made(self) -> bool:
        """Whether the constraint exists and agrees with the joint's fields except the motor's."""
        if self.constraint is None:
            return False
        slot = self.joint.slot
        revision = slot.revision - slot.recorded_changes
        if self._revision != revision:
            if self._made_of != self._what_makes_it():
                return False
            self._revision = revision
        return True

    def _what_makes_it(self) -> list[object]:
        return list(map(self.joint.slot.values.get, self._makers))

    def begin(self) -> Drive | None:
        """Read the joint's fields for the next step of the scene.

        The scene's step is divided into substeps of Bullet.

        Returns:
            A function that must be called before each substep with its duration in seconds. None if
            the joint needs no such call.
        """
        slot = self.joint.slot
        revision, values = self._taken
        if revision != slot.revision or values is not slot.values:
            self._taken = (slot.revision, slot.values)
            self.read_fields()
        self.is_brittle = self._most > 0.0 or self._threshold != UNBROKEN
        if self._damping > 0.0 or self._friction > 0.0:
            return self.resist
        if self._resistance is not None:
            self._remove_resistance()
        if self._age <= SETTLING or self.is_brittle:
            return self.step
        if self._motor != "off" or self._is_driven or self.needs_steps:
            return self.go_on
        return None

    @property
    def is_on(self) -> bool:
        """Whether the motor is on, by the fields as last read."""
        return self._motor != "off"

    def step(self, dt: float) -> None:
        """Set breaking force and motor for one Bullet substep of `dt` seconds."""
        if self.constraint is None:
            return  # it was lost in the step before
        self._age += 1
        threshold = UNBROKEN
        if self._most > 0.0 and self._age > SETTLING:
            threshold = self._most * dt
        if threshold != self._threshold:
            self._threshold = threshold
            self.constraint.set_breaking_threshold(threshold)
        self.go_on(dt)

    def go_on(self, dt: float) -> None:
        """Set the motor for one Bullet substep of `dt` seconds; for a joint that cannot break."""
        is_on = self._motor != "off"
        if (is_on or self._is_driven) and self.constraint is not None:
            self.drive(dt)
        self._is_driven = is_on

    def resist(self, dt: float) -> None:
        """Set damping and friction for one Bullet substep of `dt` seconds, and all that is set."""
        if self.constraint is None or self._world is None:
            return
        if self._resistance is None and self.resisting_axes:
            first = self.first.node if self.first is not None else self._ground
            self._resistance = Resistance(
                self._world, (first, self.second.node), self.resisting_frames(),
                self.resisting_axes, collide=self.joint.collide,
            )  # fmt: skip
        if self._resistance is not None:
            self._resistance.oppose(self._damping, self._friction, self.rates(), dt)
        if self._age <= SETTLING or self.is_brittle:
            self.step(dt)
        else:
            self.go_on(dt)

    def resisting_frames(self) -> tuple[TransformState, TransformState]:
        """Return the frames along whose axes damping and friction act, in each node's space."""
        return self._frames

    def _remove_resistance(self) -> None:
        if self._resistance is not None:
            self._resistance.remove()
        self._resistance = None

    def detach(self, world: BulletWorld | None) -> None:
        """Remove the constraint from the world, so that the bodies are free."""
        if self.constraint is not None and world is not None:
            self._remove_resistance()
            world.remove(self.constraint)
            self.wake()
            self.constraint = self.first = self.second = self._ground = self._world = None
            self.nodes = []
            self.bodies = ("", "")
            self._is_driven, self._age, self._threshold = False, 0, 0.0
            self._told = None

    def wake(self) -> None:
        """Wake the joint's bodies from sleep."""
        for node in self.nodes:
            node.set_active(True, True)

    @property
    def frames(self) -> tuple[TransformState, TransformState]:
        """World transforms of the joint's frame (anchor and axes), one for each body.

        The frame is fixed to both bodies. First comes the one fixed to the first body, then the
        other. They differ if the joint has moved.
        """
        first, second = self._frames
        if self.first is not None:
            first = self.first.path.get_transform().compose(first)
        return first, self.second.path.get_transform().compose(second)

    @property
    def spin(self) -> LVector3:
        """Angular velocity of the second body relative to the first, rad/s, in world space."""
        *first, second = self.nodes
        spin = second.get_angular_velocity()
        return spin - first[0].get_angular_velocity() if first else spin

    def drift(self, point: LPoint3) -> LVector3:
        """Return the velocity of the second body relative to the first at a point, m/s.

        Args:
            point: position in world space.
        """
        found = LVector3(0.0)
        for body, sign in ((self.second, 1.0), (self.first, -1.0)):
            if body is not None:
                arm, node = point - body.path.get_pos(), body.node
                turning = node.get_angular_velocity().cross(arm)
                found += (node.get_linear_velocity() + turning) * sign
        return found


class HingeLink(JointLink):
    """A hinge; Bullet's hinge turns around the z axis of its frames.

    Bullet knows angles from -180 to 180 degrees. If the limits lie beyond that, this class counts
    the turns, and tells Bullet the limit that is near.
    """

    __slots__ = (
        "_angle", "_goal", "_is_limited", "_is_plain", "_speed", "_torque", "_wide", "_window",
    )  # fmt: skip

    joint: HingeJoint
    resisting_axes = (5,)

    def __init__(self, joint: Any) -> None:
        super().__init__(joint)
        # a subclass may have a property in place of a field
        kind = type(joint)
        self._angle = 0.0
        self._wide: tuple[float, float] | None = None
        self._window: tuple[float, ...] = ()
        self._is_plain = all(getattr(kind, name) is getattr(HingeJoint, name) for name in HINGED)

    def build(self, first: Any, second: Any, frames: tuple[Any, Any]) -> Any:
        """Return a new Bullet hinge constraint.

        Args:
            first: Bullet node of the other body or the ground.
            second: Bullet node of the object's own body.
            frames: the joint's frame in each node's space.
        """
        made = BulletHingeConstraint(first, second, *frames, True)
        low, high = self.joint.low, self.joint.high
        self._wide = None
        self.needs_steps = self.joint.limited and (low < -HALF_TURN or high > HALF_TURN)
        if self.needs_steps:
            self._wide, self._window = (low, high), ()
        elif self.joint.limited:
            made.set_limit(low, high)
        return made

    def put(self, value: float) -> None:
        """Turn the object so that the hinge has an angle in degrees."""
        super().put(value)
        self._angle = value

    @property
    def quarters(self) -> int:
        """Number of quarter turns from its rest position; 0 for a hinge that counts none."""
        return 0 if self._wide is None else round(self._angle / QUARTER)

    @quarters.setter
    def quarters(self, value: int) -> None:
        self._angle = value * QUARTER

    def _turned(self) -> float:
        """Return the present angle in degrees, with whole turns if the limits need them."""
        angle: float = self.constraint.get_hinge_angle()
        if self._wide is not None:
            self._angle += (angle - self._angle + HALF_TURN) % 360.0 - HALF_TURN
            angle = self._angle
        return angle

    def _set_near_limit(self, low: float, high: float) -> None:
        """Tell Bullet the limit that is near, as a range of less than a turn around the angle.

        Args:
            low: the hinge's own limit, degrees.
            high: the other one.
        """
        angle, window = self._turned(), (1.0, -1.0)  # low above high is free
        if angle - low < NEAR_LIMIT and angle - low <= high - angle:
            edge = min(low, angle + NEAR_LIMIT)
            window = (edge, min(edge + 1.3 * NEAR_LIMIT, high))
        elif high - angle < NEAR_LIMIT:
            edge = max(high, angle - NEAR_LIMIT)
            window = (max(edge - 1.3 * NEAR_LIMIT, low), edge)
        if window != self._window:
            self._window = window
            self.constraint.set_limit(*window)

    def motion(self, value: float) -> FloatArray:
        """Return how the object moves when the hinge turns from its rest position to an angle.

        Args:
            value: angle in degrees.

        Returns:
            Matrix `[4, 4]` in the object's own space.
        """
        x, y, z = np.divide(self.joint.axis, np.linalg.norm(self.joint.axis))
        cross = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
        angle = math.radians(value)
        turned = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
        anchor = np.multiply(self.joint.anchor, self._rest_scale)
        return _matrix(anchor - anchor @ turned, turned)

    def read_fields(self) -> None:
        """Copy the fields that are needed at each step."""
        parsed = self.joint.slot.parsed
        try:
            found = HINGE_NUMBERS(parsed if self._is_plain else {})
        except KeyError:  # not each has been read before
            found = tuple(getattr(self.joint, name) for name in HINGED)
        (self._most, self._motor, self._speed, self._torque, self._goal, self._is_limited,
         self._damping, self._friction) = found  # fmt: skip

    def rates(self) -> tuple[float, ...]:
        """Return the angular speed, radians a second."""
        return (self.stand()[1] / DEGREES,)

    def go_on(self, dt: float) -> None:
        """Set the motor for one Bullet substep of `dt` seconds; for a joint that cannot break."""
        constraint = self.constraint
        if self._wide is not None and constraint is not None:
            self._set_near_limit(*self._wide)
        if self._motor != "position" or constraint is None:
            super().go_on(dt)
            return
        # what legs and arms do: as `drive` does it, in fewer calls
        now = constraint.get_hinge_angle() if self._wide is None else self._turned()
        away, most = self._goal - now, abs(self._speed)
        if not self._is_limited:
            away = (away + 180.0) % 360.0 - 180.0
        speed = GAIN * away
        if speed > most:
            speed = most
        elif speed < -most:
            speed = -most
        told = (True, speed / DEGREES, abs(self._torque) * dt)
        if told != self._told:
            self._told, self._is_driven = told, True
            constraint.enable_angular_motor(True, told[1], told[2])

    def drive(self, dt: float) -> None:
        """Set the motor for a step of `dt` seconds."""
        motor, speed = self._motor, self._speed
        if motor == "position":
            away = self._goal - self._turned()
            if not self._is_limited:
                away = (away + 180.0) % 360.0 - 180.0
            most, speed = abs(speed), GAIN * away
            if speed > most:
                speed = most
            elif speed < -most:
                speed = -most
        elif motor == "torque":
            torque = self._axis() * self._torque
            self.second.node.apply_torque(torque)
            if self.first is not None:
                self.first.node.apply_torque(-torque)
        is_driven = motor == "position" or motor == "velocity"
        told = (is_driven, speed / DEGREES, abs(self._torque) * dt)
        if told != self._told:  # most are as fast as they may be, and stay so
            self._told = told
            self.constraint.enable_angular_motor(*told)

    def stand(self) -> tuple[float, ...]:
        """Return the angle in degrees and its speed in degrees a second."""
        node = self.second.node
        spin, axis = node.get_angular_velocity(), self._axis()
        if self.first is not None:
            spin -= self.first.node.get_angular_velocity()
        angle = self.constraint.get_hinge_angle() if self._wide is None else self._turned()
        return angle, spin.dot(axis) * DEGREES

    def _axis(self) -> LVector3:
        # to the bit the turn of the frames' composition, without making that
        return (self._turn * self.second.node.get_transform().get_norm_quat()).xform(self.own_axis)


class SliderLink(JointLink):
    """A slider; Bullet's slider moves along the x axis of its frames."""

    own_axis = LVector3(1, 0, 0)
    resisting_axes = (0,)
    joint: SliderJoint

    def rates(self) -> tuple[float, ...]:
        """Return the speed along the axis, metres a second."""
        return (self.stand()[1],)

    def resisting_frames(self) -> tuple[TransformState, TransformState]:
        """Return frames at the centre of the own body, along the slider's axes."""
        own = TransformState.make_quat(self._frames[1].get_norm_quat())
        at = self.second.node.get_transform().compose(own)
        if self.first is not None:
            at = self.first.node.get_transform().invert_compose(at)
        return at, own

    def build(self, first: Any, second: Any, frames: tuple[Any, Any]) -> Any:
        """Return a new Bullet slider constraint.

        Args:
            first: Bullet node of the other body or the ground.
            second: Bullet node of the object's own body.
            frames: the joint's frame in each node's space.
        """
        made = BulletSliderConstraint(first, second, *frames, True)
        low, high = (self.joint.low, self.joint.high) if self.joint.limited else (1.0, -1.0)
        made.set_lower_linear_limit(low)  # low above high is free
        made.set_upper_linear_limit(high)
        made.set_lower_angular_limit(0.0)
        made.set_upper_angular_limit(0.0)
        return made

    def motion(self, value: float) -> FloatArray:
        """Return how the object moves when the slider goes from its rest position to another.

        Args:
            value: position along the axis in metres.

        Returns:
            Matrix `[4, 4]` in the object's own space.
        """
        way = np.divide(self.joint.axis, np.linalg.norm(self.joint.axis))
        return _matrix(value * way, np.eye(3))

    def drive(self, dt: float) -> None:
        """Set the motor for a step of `dt` seconds."""
        joint, made = self.joint, self.constraint
        if joint.motor == "force":
            at = self.frames[1]
            force = at.get_quat().xform(self.own_axis) * joint.motor_force
            for body, sign in ((self.second, 1.0), (self.first, -1.0)):
                if body is not None:
                    arm = at.get_pos() - body.path.get_pos()
                    body.node.apply_force(force * sign, LPoint3(arm))
        speed = joint.motor_speed
        if joint.motor == "position":
            # Bullet says where it is once it has solved it for the first time
            place = made.get_linear_pos() if self._age > 1 else self.stand()[0]
            speed = bounded(GAIN * (joint.motor_place - place), abs(speed))
        made.set_powered_linear_motor(joint.motor in ("velocity", "position"))
        made.set_target_linear_motor_velocity(speed)
        made.set_max_linear_motor_force(abs(joint.motor_force))

    def stand(self) -> tuple[float, ...]:
        """Return the position in metres and its speed in metres a second."""
        first, second = self.frames
        axis = first.get_quat().xform(self.own_axis)
        away = second.get_pos() - first.get_pos()
        return away.dot(axis), self.drift(second.get_pos()).dot(axis)


class FixedLink(JointLink):
    """A rigid connection that allows no motion."""

    joint: FixedJoint

    def build(self, first: Any, second: Any, frames: tuple[Any, Any]) -> Any:
        """Return a new Bullet constraint without freedom.

        Args:
            first: Bullet node of the other body or the ground.
            second: Bullet node of the object's own body.
            frames: the joint's frame in each node's space.
        """
        made = BulletGenericConstraint(first, second, *frames, True)
        for axis in range(3):
            made.set_linear_limit(axis, 0.0, 0.0)
            made.set_angular_limit(axis, 0.0, 0.0)
        return made


class BallLink(JointLink):
    """A ball joint; the axis of Bullet's cone is the x axis of its frames."""

    own_axis = LVector3(1, 0, 0)
    resisting_axes = (3, 4, 5)
    joint: BallJoint

    def rates(self) -> tuple[float, ...]:
        """Return the angular speeds around the axes of the first body's frame, radians a second."""
        x, y, z = _inside(self.frames[0], self.spin)
        return x, y, z

    def resist(self, dt: float) -> None:
        """Set damping and friction for one Bullet substep of `dt` seconds, and all that is set."""
        if self._resistance is not None:  # its angles stay near 0, so that its axes are square
            self._resistance.align(self.resisting_frames())
        super().resist(dt)

    def resisting_frames(self) -> tuple[TransformState, TransformState]:
        """Return the first body's frame, in each node's space."""
        first = self.frames[0]
        own = self.second.node.get_transform()
        return self._frames[0], own.invert_compose(first)

    def build(self, first: Any, second: Any, frames: tuple[Any, Any]) -> Any:
        """Return a new Bullet cone-twist constraint.

        Args:
            first: Bullet node of the other body or the ground.
            second: Bullet node of the object's own body.
            frames: the joint's frame in each node's space.
        """
        made = BulletConeTwistConstraint(first, second, *frames)
        if self.joint.limited:
            made.set_limit(self.joint.swing, self.joint.swing, self.joint.twist, 1.0, 0.3, 1.0)
        return made

    def stand(self) -> tuple[float, ...]:
        """Return the rotation and the angular velocity of the joint, three numbers each.

        The rotation is a vector: its direction is the axis, its length the angle in degrees. The
        angular velocity is in degrees a second. Both are along the axes of the joint's frame in the
        first body.
        """
        first, second = self.frames
        turned = first.invert_compose(second).get_quat()
        if turned.get_r() < 0.0:
            turned = -turned
        axis = LVector3(turned.get_i(), turned.get_j(), turned.get_k())
        length = axis.length()
        angle = 2.0 * math.atan2(length, turned.get_r()) * DEGREES
        turns = axis * (angle / length) if length > 0.0 else axis
        spin = _inside(first, self.spin) * DEGREES
        return (*turns, *spin)


class SixAxisLink(JointLink):
    """A joint with limits on six axes.

    Bullet's angles and motors for it have the opposite sign of the component's.
    """

    joint: SixAxisJoint

    def build(self, first: Any, second: Any, frames: tuple[Any, Any]) -> Any:
        """Return a new Bullet constraint with six limits.

        Args:
            first: Bullet node of the other body or the ground.
            second: Bullet node of the object's own body.
            frames: the joint's frame in each node's space.
        """
        joint = self.joint
        made = BulletGenericConstraint(first, second, *frames, True)
        for axis in range(3):
            made.set_linear_limit(axis, joint.low[axis], joint.high[axis])
            made.set_angular_limit(axis, -joint.high_turn[axis], -joint.low_turn[axis])
        return made

    def drive(self, dt: float) -> None:
        """Set the motors for a step of `dt` seconds."""
        joint = self.joint
        is_on = joint.motor != "off"
        speeds, spins = joint.motor_speed, joint.motor_turn
        if joint.motor == "position":
            stand = self.stand()
            speeds = _towards(joint.motor_place, stand[:3], speeds)
            spins = _towards(joint.motor_angle, stand[3:6], spins)
        moves = self.constraint.get_translational_limit_motor()
        moves.set_target_velocity(-LVector3(*speeds))
        moves.set_max_motor_force(LVector3(joint.motor_force * dt))
        for axis in range(3):
            moves.set_motor_enabled(axis, is_on and joint.motor_force > 0.0)
            turns = self.constraint.get_rotational_limit_motor(axis)
            turns.set_motor_enabled(is_on and joint.motor_torque > 0.0)
            turns.set_target_velocity(-spins[axis] / DEGREES)
            turns.set_max_motor_force(joint.motor_torque * dt)

    def stand(self) -> tuple[float, ...]:
        """Return position, angles, velocity and angular velocity, three numbers each.

        They are along the axes of the joint's frame in the first body. Units are metres, degrees
        and seconds.
        """
        first, second = self.frames
        between = first.invert_compose(second)
        place, turn = between.get_pos(), between.get_mat()
        turns = (  # around z, then y, then x; Bullet's own are those of its last step
            math.atan2(turn[1][2], turn[2][2]) * DEGREES,
            -math.asin(bounded(turn[0][2], 1.0)) * DEGREES,
            math.atan2(turn[0][1], turn[0][0]) * DEGREES,
        )
        moves = _inside(first, self.drift(second.get_pos()))
        return (*place, *turns, *moves, *(_inside(first, self.spin) * DEGREES))


LINKS: Final[dict[type[Joint], type[JointLink]]] = {
    HingeJoint: HingeLink,
    SliderJoint: SliderLink,
    FixedJoint: FixedLink,
    BallJoint: BallLink,
    SixAxisJoint: SixAxisLink,
}


def turn_between(start: LVector3, end: Vector) -> LQuaternion:
    """Return the shortest rotation that turns one direction into another.

    Args:
        start: unit vector of the first direction.
        end: the second direction, of any length.
    """
    to = LVector3(*end).normalized()
    axis, cosine = start.cross(to), start.dot(to)
    if cosine < -0.999999:  # opposite: around anything that is square to it
        axis, cosine = LVector3(start[1], start[2], start[0]), -1.0
    found = LQuaternion(1.0 + cosine, axis)
    found.normalize()
    return found


def bounded(value: float, most: float) -> float:
    """Clamp a value to the range from `-most` to `most`."""
    return value if -most <= value <= most else -most if value < -most else most


def _towards(goal: Vector, now: Sequence[float], most: Vector) -> Vector:
    """Return the motor speeds of three axes that bring a joint to its goal.

    Each speed is proportional to the distance from the goal.

    Args:
        goal: wanted positions or angles.
        now: present positions or angles.
        most: largest allowed speeds.
    """
    x, y, z = (
        bounded(GAIN * (wanted - found), abs(speed))
        for wanted, found, speed in zip(goal, now, most, strict=True)
    )
    return x, y, z


def _place_of(obj: SceneObject) -> tuple[TransformState, FloatArray]:
    """Return an object's world transform without its scale, and its scale `[3]`."""
    world, scale = _bare(obj)
    h, p, r = rotation_of(world[:3, :3])
    hpr = LVector3(float(h), float(p), float(r))
    return TransformState.make_pos_hpr(LPoint3(*world[3, :3]), hpr), scale


def _bare(obj: SceneObject) -> tuple[FloatArray, FloatArray]:
    """Return an object's world matrix without its scale, `[4, 4]`, and its scale `[3]`."""
    world = np.array(obj.transform.world_matrix, dtype=np.float64)
    scale = signed_scale(world, np.asarray(obj.transform.scale))
    world[:3, :3] /= scale[:, None]
    return world, scale


def _matrix(point: FloatArray, turned: FloatArray) -> FloatArray:
    found = np.eye(4)
    found[:3, :3], found[3, :3] = turned, point
    return found


def _inside(frame: TransformState, vector: LVector3) -> LVector3:
    """Convert a vector from the world's axes to the axes of a frame.

    Args:
        frame: world transform of the frame.
        vector: the vector along the world's axes.
    """
    return frame.get_quat().conjugate().xform(vector)


class Joints:
    """All joints of a world, by the ids of their components."""

    def __init__(self) -> None:
        self._links: dict[str, JointLink] = {}
        self._busy: list[Drive] = []
        self._brittle: list[JointLink] = []
        self._driven: list[list[BulletRigidBodyNode]] = []  # of the last step, by joint…
        self._woken: list[BulletRigidBodyNode] = []  # …and each once

    @property
    def is_any(self) -> bool:
        """Whether there is any joint."""
        return bool(self._links)

    def add(self, joint: Joint) -> JointLink:
        """Register a joint; its bodies are not joined before the next call of `link`.

        Returns:
            The link that holds the joint's Bullet constraint.
        """
        kind = next(LINKS[base] for base in type(joint).__mro__ if base in LINKS)
        link = self._links[joint.slot.id] = kind(joint)
        return link

    def remove(self, joint: Joint, world: BulletWorld | None) -> None:
        """Remove a joint, so that its bodies are free; unknown joints are ignored."""
        link = self._links.pop(joint.slot.id, None)
        if link is not None and world is not None:
            link.detach(world)

    def remember(self) -> None:
        """Store the present places of the bodies as rest positions of joints.

        Joints that have a rest position already keep it.
        """
        for link in self._links.values():
            with contextlib.suppress(AssertionError):  # Panda3D's; `link` reports it
                link.remember()

    def bodies_of(self, joint: Joint) -> tuple[str, ...]:
        """Return the ids of the bodies that a joint holds now; empty if it holds none."""
        link = self._links.get(joint.slot.id)
        return () if link is None or link.constraint is None else link.bodies

    def release(self, body: str, world: BulletWorld) -> None:
        """Remove the constraints of a body that leaves the world.

        They are made again when the body returns.

        Args:
            body: id of the body.
            world: the Bullet world.
        """
        for link in self._links.values():
            if body in link.bodies:
                link.detach(world)

    def put(self, joint: Joint, value: float) -> None:
        """Move a joint's object so that the joint has a given angle or position.

        Args:
            joint: the joint; unknown ones are ignored.
            value: angle in degrees for a hinge, position in metres for a slider.
        """
        link = self._links.get(joint.slot.id)
        if link is not None:
            link.put(value)

    def wake(self, bodies: Container[str]) -> None:
        """Wake everything that is joined to bodies that were moved.

        Args:
            bodies: ids of the moved bodies.
        """
        for link in self._links.values():
            if link.bodies[0] in bodies or link.bodies[1] in bodies:
                link.wake()

    def stand(self, joint: Joint) -> tuple[float, ...] | None:
        """Return a joint's position, followed by its speed, in the units of `Joint.read`.

        None while its bodies are not joined.
        """
        link = self._links.get(joint.slot.id)
        return None if link is None or link.constraint is None else link.stand()

    def link(
        self, world: BulletWorld | None, bodies: Mapping[str, Body]
    ) -> list[tuple[Joint, ValueError]]:
        """Make the constraints of joints whose bodies exist.

        Args:
            world: the Bullet world; None while it has no bodies.
            bodies: the bodies of the world by id.

        Returns:
            (joint, error) of each joint that cannot be made.
        """
        failed: list[tuple[Joint, ValueError]] = []
        for link in self._links.values():
            joint = link.joint
            if link.is_broken or link.is_made:
                continue
            try:
                self._link(link, world, bodies)
            except ValueError as error:
                failed.append((joint, error))
            except AssertionError:  # Panda3D's
                failed.append((joint, too_large(type(joint).__name__, joint.slot.object)))
        return failed

    def _link(self, link: JointLink, world: BulletWorld | None, bodies: Mapping[str, Body]) -> None:
        joint = link.joint
        name, own = type(joint).__name__, _body_of(joint.slot.object)
        if own is None:
            expected = f"a RigidBody on its object {joint.slot.object.path}"
            raise FieldError(name, expected=expected, found="none")
        other = joint.other
        beside = None if other is None else _body_of(other)
        is_world = joint.slot.values.get("other") is None
        if beside is None and not is_world:
            link.detach(world)
            if link.is_new:
                found = "none" if other is None else f"{other.path} without one"
                expected = "an object with a RigidBody"
                raise FieldError(f"{name}.other", expected=expected, found=found)
            return  # it was there: it may come back
        if beside is own:
            raise FieldError(f"{name}.other", expected="another object", found="its own")
        second = bodies.get(own.slot.id)
        first = None if beside is None else bodies.get(beside.slot.id)
        if world is None or second is None or (first is None and not is_world):
            return  # its model is not loaded yet, or it is switched off
        if not (second.is_dynamic or (first is not None and first.is_dynamic)):
            raise FieldError(name, expected="a dynamic body on one side", found="none")
        link.detach(world)
        link.attach(world, first, second)

    def begin_step(self) -> None:
        """Read the joints' fields for a step of the scene, and wake bodies that motors move."""
        self._busy, self._brittle = [], []
        driven: list[list[BulletRigidBodyNode]] = []
        for link in self._links.values():
            drive = None if link.constraint is None else link.begin()
            if drive is not None:
                self._busy.append(drive)
                if link.is_on:
                    driven.append(link.nodes)
            if link.is_brittle:
                self._brittle.append(link)
        if driven != self._driven:
            self._driven = driven
            self._woken = list({id(node): node for nodes in driven for node in nodes}.values())
        for node in self._woken:
            node.set_active(True, True)  # it stays so for two seconds

    def drive(self, dt: float) -> None:
        """Apply the motors for one step of Bullet, of `dt` seconds."""
        for drive in self._busy:
            drive(dt)

    @property
    def turns(self) -> tuple[tuple[str, int], ...]:
        """Id and number of quarter turns of each hinge that counts turns and has made some."""
        hinges = [(key, link) for key, link in self._links.items() if isinstance(link, HingeLink)]
        return tuple([(key, link.quarters) for key, link in hinges if abs(link.quarters) > 1])

    def put_turns(self, turns: Mapping[str, int]) -> None:
        """Set the numbers of quarter turns; those that are not named have none.

        Args:
            turns: the numbers by the joints' ids, as the property `turns` has them.
        """
        for key, link in self._links.items():
            if isinstance(link, HingeLink):
                link.quarters = turns.get(key, 0)

    @property
    def broken_ones(self) -> tuple[str, ...]:
        """Ids of the joints that are broken."""
        return tuple([key for key, link in self._links.items() if link.is_broken])

    def mend(self, broken: tuple[str, ...], world: BulletWorld) -> None:
        """Set which joints are broken; all others hold again from the next step on.

        Args:
            broken: ids of the broken joints.
            world: the Bullet world.
        """
        for key, link in self._links.items():
            link.is_broken = key in broken
            if link.is_broken:
                link.detach(world)

    def broken(self, world: BulletWorld, *, asks_all: bool = False) -> list[Joint]:
        """Disconnect the joints that broke in the last step, and return them.

        Args:
            world: the Bullet world.
            asks_all: whether to check all joints. Otherwise joints without a breaking force are
                left out; only an extreme force breaks them.
        """
        found: list[Joint] = []
        for link in list(self._links.values()) if asks_all else self._brittle:
            constraint = link.constraint
            if constraint is not None and not constraint.is_enabled():
                link.is_broken = True
                link.detach(world)
                found.append(link.joint)
        return found


def _body_of(obj: SceneObject) -> RigidBody | None:
    found: RigidBody | None = obj.get(RigidBody)
    return found

"""Physics components for scripts: bodies, contacts, gravity, joints with motors, layers.

The simulation itself is in `sim.physics`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from base.errors import FieldError
from base.language.wording import tr
from sim.core.geometry.rotations import checked_vector
from sim.core.geometry.vectors import Vector3
from sim.core.scene.fields import field
from sim.core.scene.scene import Physics, Scene, SceneObject
from sim.core.script.script import Script
from sim.core.script.signals import signal

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)
EARTH: Vector = (0.0, 0.0, -9.81)
"""Gravity on Earth, in metres per second squared."""
FAR = 1e9
"""Largest number of the fields' vectors; physics computes in single precision."""
vector_field = functools.partial(field, min=-FAR, max=FAR)
recorded = functools.partial(field, recorded=True)  # its values are kept for looking back
recorded_vector = functools.partial(vector_field, recorded=True)


@dataclass(frozen=True)
class Contact:
    """Where and how hard two bodies hit each other, when they begin to touch.

    Attributes:
        point: position in the world, metres.
        normal: unit vector that points away from the other body.
        impulse: newton seconds.
    """

    point: Vector3
    normal: Vector3
    impulse: float


class Hold(Protocol):
    """The constraint of the physics engine that implements a joint."""

    @property
    def is_there(self) -> bool:
        """Whether the constraint exists at present: it is neither broken nor removed."""

    def stand(self) -> tuple[float, ...]:
        """Return the joint's present position, followed by its speed, as in `Joint.read`."""


class BodyPhysics(Physics, Protocol):
    """The physics simulation as the body and joint components use it."""

    def add(self, body: RigidBody) -> None:
        """Add a body to the simulation.

        Raises:
            ValueError: its shape or its scale is not supported.
        """

    def remove(self, body: RigidBody) -> None:
        """Remove a body from the simulation; unknown ones are ignored."""

    def push(self, body: RigidBody, kind: str, vector: Vector, point: Vector | None) -> None:
        """Apply a force to a body, or set its motion.

        Args:
            body: the body.
            kind: "force" (newtons), "impulse" (newton seconds), "torque" (newton metres), "twist"
                (an angular impulse, newton metre seconds), "velocity" (metres per second) or "spin"
                (degrees per second).
            vector: the force or motion, along the world's axes.
            point: world position where a force or impulse acts; None for the middle of the body.
        """

    def velocity(self, body: RigidBody) -> Vector:
        """Return a body's velocity, metres a second."""

    def spin(self, body: RigidBody) -> Vector:
        """Return a body's angular velocity around the world's axes, degrees per second."""

    def join(self, joint: Joint) -> Hold:
        """Create the constraint of a joint, which holds its bodies from the next step on."""

    def part(self, joint: Joint) -> None:
        """Remove a joint's constraint; unknown joints are ignored."""

    def stand(self, joint: Joint) -> tuple[float, ...] | None:
        """Return a joint's present position, followed by its speed, as in `Joint.read`.

        None while the bodies are not joined.
        """

    def set_joint(self, joint: Joint, value: float) -> None:
        """Move a joint's object at once, so that the joint has a given angle or position.

        Args:
            joint: a hinge or a slider.
            value: angle of the hinge in degrees, or position of the slider in metres.
        """


def physics_of(scene: Scene) -> BodyPhysics:
    """Return a scene's physics simulation; it is created at the first call.

    Raises:
        GoishiError: the scene is not running, or Panda3D was built without the Bullet engine.
    """
    found: BodyPhysics = scene.physics  # type: ignore[assignment]  # the scene knows it as less
    return found


class RigidBody(Script):
    """A rigid body of the physics simulation.

    A dynamic body falls and bounces, a static one never moves, and a kinematic one is moved by
    scripts. The signal `collided` is emitted with the other object and the contact when it begins
    to touch another body; `parted` is emitted with the other object when they no longer touch.
    """

    kind: Literal["dynamic", "static", "kinematic"] = field(
        "dynamic", help=tr("dynamic: moved by physics; static: stands; kinematic: moved by scripts")
    )
    mass: float = field(1.0, min=0.001, max=1e6, unit="kg", help=tr("Mass of a dynamic body"))
    friction: float = field(0.6, min=0.0, max=10.0)
    rolling: float = field(
        0.015, min=0.0, max=1.0, help=tr("Friction of rolling: what brings it to rest")
    )
    restitution: float = field(
        0.5, min=0.0, max=1.0, help=tr("How much of its speed a bounce keeps")
    )
    damping: float = field(0.01, min=0.0, max=1.0, help=tr("Share of its speed lost each second"))
    spin_damping: float = field(
        0.08, min=0.0, max=1.0, help=tr("Share of its spin lost each second")
    )
    gravity: float = field(1.0, min=-10.0, max=10.0, help=tr("Factor of the scene's gravity"))
    shape: Literal["model", "box", "sphere", "cylinder", "capsule", "hull", "mesh", "parts"] = (
        field(
            "model", help=tr("model: fits the object's model; parts: the children with a Collider")
        )
    )
    size: Vector = vector_field(
        (1.0, 1.0, 1.0), unit="m", help=tr("Size of the box, where there is no model")
    )
    can_turn: bool = field(True, help=tr("Whether it can rotate"))
    is_sensor: bool = field(False, help=tr("It reports touches, and things pass through it"))

    collided = signal(SceneObject, Contact)
    parted = signal(SceneObject)

    def __init__(self) -> None:
        self._is_in = False
        self._kept: list[tuple[str, Vector, Vector | None]] = []

    def enable(self) -> None:
        """Join the simulation; apply the forces and motions that were requested before."""
        physics_of(self.scene).add(self)
        self._is_in = True
        kept, self._kept = self._kept, []
        for kind, vector, point in kept:
            physics_of(self.scene).push(self, kind, vector, point)

    def disable(self) -> None:
        """Leave the simulation."""
        if self._is_in:
            self._is_in = False
            physics_of(self.scene).remove(self)

    @property
    def velocity(self) -> Vector3:
        """Velocity of the middle of the body's shape in the world; assign to change it.

        It is in metres per second.
        """
        found = physics_of(self.scene).velocity(self) if self._is_in else self._asked("velocity")
        return self._given(found, "velocity")

    @velocity.setter
    def velocity(self, value: Sequence[float]) -> None:
        self._push("velocity", value, None)

    @property
    def spin(self) -> Vector3:
        """Angular velocity around the world's axes, degrees per second; assign to change it."""
        found = physics_of(self.scene).spin(self) if self._is_in else self._asked("spin")
        return self._given(found, "spin")

    @spin.setter
    def spin(self, value: Sequence[float]) -> None:
        self._push("spin", value, None)

    def apply_force(self, force: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Apply a force during the next fixed step.

        Args:
            force: newtons, in world axes.
            point: world position where it acts, metres; None for the middle of the body.
        """
        self._push("force", force, point)

    def apply_impulse(self, impulse: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Apply an impulse, which changes the velocity at once.

        Args:
            impulse: newton seconds, in world axes.
            point: world position where it acts, metres; None for the middle of the body.
        """
        self._push("impulse", impulse, point)

    def apply_torque(self, torque: Sequence[float]) -> None:
        """Apply a torque during the next fixed step: newton metres, around the world's axes."""
        self._push("torque", torque, None)

    def apply_twist(self, twist: Sequence[float]) -> None:
        """Apply an angular impulse, which changes the spin at once.

        Args:
            twist: newton metre seconds, around the world's axes.
        """
        self._push("twist", twist, None)

    def _push(self, kind: str, value: Sequence[float], point: Sequence[float] | None) -> None:
        vector = _plain(value, kind)
        place = None if point is None else _plain(point, "point")
        if self._is_in:
            physics_of(self.scene).push(self, kind, vector, place)
        else:
            self._kept.append((kind, vector, place))

    def _given(self, numbers: Vector, name: str) -> Vector3:
        """Return numbers as a vector that knows which property it is a copy of.

        Args:
            numbers: the numbers.
            name: name of the property.
        """
        found: Any = np.array(numbers).view(Vector3)
        found.origin = (self, name)
        return found  # type: ignore[no-any-return]  # no cast: it is a call

    def _asked(self, kind: str) -> Vector:
        """Return the velocity or spin that a script set before the body joined the simulation.

        Args:
            kind: "velocity" or "spin".

        Returns:
            The value that was set last; zeros if none was set.
        """
        asked = [vector for name, vector, _ in self._kept if name == kind]
        return asked[-1] if asked else ZERO


class Gravity(Script):
    """Sets the scene's gravity while it is enabled; without it, bodies fall as on Earth.

    Of several components, the one that was updated last counts.
    """

    acceleration: Vector = vector_field(
        EARTH, unit="m/s²", help=tr("Acceleration along the axes of the world")
    )

    def enable(self) -> None:
        """Set the scene's gravity to the field `acceleration`."""
        physics_of(self.scene).gravity = self.acceleration

    def fixed_update(self, dt: float) -> None:
        """Set the scene's gravity again, in case the field has changed."""
        physics_of(self.scene).gravity = self.acceleration

    def disable(self) -> None:
        """Restore the default gravity."""
        physics_of(self.scene).gravity = EARTH


class Layer(Script):
    """Gives its object and all objects below it a named layer.

    A ray cast can be limited to some layers. Bodies of two layers can be made to pass through each
    other.
    """

    name: str = field("", help=tr("Name that ray_cast(…, layers=…) asks for"))
    passes: list[str] = field([], help=tr("Layers whose bodies these pass through"))


def _plain(value: Sequence[float], name: str) -> Vector:
    x, y, z = checked_vector(value, name).tolist()
    return (x, y, z)


Motor = Literal["off", "velocity", "position", "torque"]
Drive = Literal["off", "velocity", "position", "force"]
HALF_TURN = 180.0
MOST_TURN = 36000.0
"""Largest angle of a hinge's limits and of its motor, degrees: a hundred turns."""
MOST_RESISTANCE = 1e6
DAMPING_HELP = "Resistance that grows with the speed: a motor or a weight has to overcome it"
FRICTION_HELP = "Dry friction: resistance that is the same at each speed, and holds at rest"
SPEED_HELP = "Target of a velocity motor; largest speed of a position motor, along each axis"
MOTOR_HELP = "What it controls: a velocity, a position, or a torque"


class Joint(Script):
    """Base class of joints, which connect the object's body to another body or to the world.

    The signal `broken` is emitted when the force on the joint exceeds `break_force`.
    """

    other: SceneObject = field(
        None, help=tr("The object it is joined to, which has a RigidBody; none: the world")
    )
    anchor: Vector = vector_field(
        ZERO, unit="m", help=tr("Where it is joined, in the object's own coordinates")
    )
    collide: bool = field(False, help=tr("Whether the two bodies collide with each other"))
    break_force: float = field(
        0.0,
        min=0.0,
        max=1e9,
        unit="N",
        help=tr(
            "It breaks at this force, or torque (N m), along a direction that it holds; 0: never"
        ),
    )

    broken = signal()

    _freedoms: ClassVar[int] = 0

    def __init__(self) -> None:
        self._is_in = False
        self._hold: Hold | None = None

    def awake(self) -> None:
        """Check the fields."""
        self.validate()

    def validate(self) -> None:
        """Check the fields; subclasses raise FieldError if they are invalid."""

    def enable(self) -> None:
        """Connect the bodies in their present relative position."""
        self._hold = physics_of(self.scene).join(self)
        self._is_in = True

    def disable(self) -> None:
        """Disconnect the bodies."""
        if self._is_in:
            self._is_in = False
            physics_of(self.scene).part(self)

    @property
    def is_joined(self) -> bool:
        """Whether the bodies are connected: False before the first step and after a break."""
        return self._is_in and physics_of(self.scene).stand(self) is not None

    def read(self) -> npt.NDArray[np.float32]:
        """Return the present position of the joint, followed by its speed, `[2 n]`.

        n is the number of directions in which the joint can move. It is 0 for a fixed joint, 1 for
        a hinge or a slider, 3 for a ball joint and 6 for a six-axis joint. Rotations are in degrees
        and degrees per second, translations in metres and metres per second. All numbers are zero
        while the bodies are not joined.
        """
        found = physics_of(self.scene).stand(self) if self._is_in else None
        return np.array([0.0] * (2 * self.freedoms) if found is None else found, np.float32)

    def peek(self) -> tuple[float, ...]:
        """Return the same numbers as `read`, but do not create a missing constraint.

        The constraint is what joins the bodies in the physics engine. The numbers are as of the
        last step. They are zeros if there is no constraint.
        """
        hold = self._hold
        if hold is None or not self._is_in or not hold.is_there:
            return (0.0,) * (2 * self.freedoms)
        return hold.stand()

    @property
    def freedoms(self) -> int:
        """Number of directions in which the joint lets the body turn or move."""
        return self._freedoms

    def _check_order(self, low: float, high: float, names: tuple[str, str], unit: str) -> None:
        if low > high:
            where, most = f"{type(self).__name__}.{names[0]}", f"at most {names[1]}, {high:g}{unit}"
            raise FieldError(where, expected=most, found=f"{low:g}{unit}")

    def _check_axis(self, axis: Vector) -> None:
        if not np.linalg.norm(axis) > 1e-6:
            where = f"{type(self).__name__}.axis"
            raise FieldError(where, expected="a direction", found=repr(axis))


class FixedJoint(Joint):
    """Holds the object's body rigidly to another body or to the world."""


class HingeJoint(Joint):
    """Lets the object's body turn around an axis: a door, a wheel, a pendulum; with a motor."""

    axis: Vector = vector_field(
        (0.0, 0.0, 1.0), help=tr("Axis through the anchor, in the object's own coordinates")
    )
    limited: bool = field(False, help=tr("Whether low and high limit it"))
    low: float = field(-90.0, min=-MOST_TURN, max=MOST_TURN, unit="°")
    high: float = field(90.0, min=-MOST_TURN, max=MOST_TURN, unit="°")
    damping: float = field(0.0, min=0.0, max=MOST_RESISTANCE, unit="N m s/rad", help=DAMPING_HELP)
    friction: float = field(0.0, min=0.0, max=MOST_RESISTANCE, unit="N m", help=FRICTION_HELP)
    motor: Motor = recorded("off", help=MOTOR_HELP)
    motor_speed: float = recorded(
        90.0, unit="°/s", help=tr("Target of a velocity motor; largest speed of a position motor")
    )
    motor_angle: float = recorded(
        0.0, min=-MOST_TURN, max=MOST_TURN, unit="°", help=tr("Target of a position motor")
    )
    motor_torque: float = recorded(
        10.0, unit="N m", help=tr("Torque of a torque motor; largest torque of the others")
    )

    _freedoms = 1

    def validate(self) -> None:
        """Check that the lower limit is not above the upper one and that the axis is not zero.

        Raises:
            FieldError: a field is invalid.
        """
        self._check_order(self.low, self.high, ("low", "high"), "°")
        self._check_axis(self.axis)

    @property
    def angle(self) -> float:
        """Angle in degrees, counterclockwise around the axis; 0 where it was joined.

        It is from -180 to 180. If `low` or `high` lies beyond that, whole turns are counted, too.
        """
        return float(self.read()[0])

    def turn_to(self, angle: float) -> None:
        """Turn the object and its descendants to an angle in degrees at once; speeds are kept."""
        physics_of(self.scene).set_joint(self, angle)

    @property
    def speed(self) -> float:
        """Angular speed around the axis, degrees per second."""
        return float(self.read()[1])


class SliderJoint(Joint):
    """Lets the object's body slide along an axis without turning: a drawer, a lift."""

    axis: Vector = vector_field((1.0, 0.0, 0.0), help=tr("Axis, in the object's own coordinates"))
    limited: bool = field(False, help=tr("Whether low and high limit it"))
    low: float = field(-1.0, unit="m")
    high: float = field(1.0, unit="m")
    damping: float = field(0.0, min=0.0, max=MOST_RESISTANCE, unit="N s/m", help=DAMPING_HELP)
    friction: float = field(0.0, min=0.0, max=MOST_RESISTANCE, unit="N", help=FRICTION_HELP)
    motor: Drive = recorded("off", help=tr("What it controls: a velocity, a position, or a force"))
    motor_speed: float = recorded(
        1.0, unit="m/s", help=tr("Target of a velocity motor; largest speed of a position motor")
    )
    motor_place: float = recorded(0.0, unit="m", help=tr("Target of a position motor"))
    motor_force: float = recorded(
        100.0, unit="N", help=tr("Force of a force motor; largest force of the others")
    )

    _freedoms = 1

    def validate(self) -> None:
        """Check that the lower limit is not above the upper one and that the axis is not zero.

        Raises:
            FieldError: a field is invalid.
        """
        self._check_order(self.low, self.high, ("low", "high"), " m")
        self._check_axis(self.axis)

    @property
    def place(self) -> float:
        """Position along the axis in metres; 0 where it was joined."""
        return float(self.read()[0])

    def slide_to(self, place: float) -> None:
        """Move the object and its descendants to a position on the axis in metres, at once."""
        physics_of(self.scene).set_joint(self, place)

    @property
    def speed(self) -> float:
        """Speed along the axis, metres per second."""
        return float(self.read()[1])


class BallJoint(Joint):
    """Lets the object's body turn freely around its anchor, within a cone if it is limited."""

    axis: Vector = vector_field(
        (0.0, 0.0, 1.0), help=tr("Axis of the cone, in the object's own coordinates")
    )
    limited: bool = field(False, help=tr("Whether swing and twist limit it"))
    swing: float = field(45.0, min=1.0, max=HALF_TURN, unit="°", help=tr("Half the cone's angle"))
    twist: float = field(
        45.0,
        min=1.0,
        max=HALF_TURN,
        unit="°",
        help=tr("Largest turn around the axis, to either side"),
    )
    damping: float = field(0.0, min=0.0, max=MOST_RESISTANCE, unit="N m s/rad", help=DAMPING_HELP)
    friction: float = field(0.0, min=0.0, max=MOST_RESISTANCE, unit="N m", help=FRICTION_HELP)

    _freedoms = 3

    def validate(self) -> None:
        """Check that the axis of the cone is not zero.

        Raises:
            FieldError: it is zero.
        """
        self._check_axis(self.axis)


class SixAxisJoint(Joint):
    """Joint that moves along and turns around each of the object's axes, with limits and motors.

    Each field of three numbers has one number for the x, the y and the z axis. Where `low` equals
    `high`, the joint holds the object along that axis; `low_turn` and `high_turn` do the same for
    angles. With all fields at 0 it holds the object as a `FixedJoint` does.
    """

    low: Vector = vector_field(
        ZERO, unit="m", help=tr("Lower limits along x, y and z; low = high holds it")
    )
    high: Vector = vector_field(ZERO, unit="m", help=tr("Upper limits along x, y and z"))
    low_turn: Vector = vector_field(
        ZERO, unit="°", help=tr("Around x, y and z; -180 to 180 is free, y -90 to 90")
    )
    high_turn: Vector = vector_field(ZERO, unit="°", help=tr("Upper limits around x, y and z"))
    motor: Literal["off", "velocity", "position"] = recorded(
        "off", help=tr("What it controls: velocities, or a position")
    )
    motor_speed: Vector = recorded_vector(ZERO, unit="m/s", help=SPEED_HELP)
    motor_force: float = recorded(0.0, min=0.0, unit="N", help=tr("Largest force along each axis"))
    motor_turn: Vector = recorded_vector(ZERO, unit="°/s", help=SPEED_HELP)
    motor_torque: float = recorded(
        0.0, min=0.0, unit="N m", help=tr("Largest torque around each axis")
    )
    motor_place: Vector = recorded_vector(ZERO, unit="m", help=tr("Target of a position motor"))
    motor_angle: Vector = recorded_vector(
        ZERO, unit="°", help=tr("Target angles of a position motor")
    )

    _freedoms = 6

    def validate(self) -> None:
        """Check that no lower limit is above its upper limit.

        Raises:
            FieldError: a limit is invalid.
        """
        for number, axis in enumerate("xyz"):
            names = (f"low, {axis}", f"high, {axis}")
            self._check_order(self.low[number], self.high[number], names, " m")
            names = (f"low_turn, {axis}", f"high_turn, {axis}")
            self._check_order(self.low_turn[number], self.high_turn[number], names, "°")


class Collider(Script):
    """Adds its object's model to the shape of a rigid body, whether the model is visible or not.

    The body is the nearest RigidBody above the object; its `shape` must be "parts".
    """

    def enable(self) -> None:
        """Add the model to the shape of the body."""
        self.scene.space.changed(self.object.id)

    def disable(self) -> None:
        """Remove the model from the shape of the body."""
        self.scene.space.changed(self.object.id)


class Inertia(Script):
    """Sets centre of mass and moments of inertia of the object's RigidBody.

    The fields are read when the body is added to the simulation.
    """

    center: Vector = vector_field(
        ZERO, unit="m", help=tr("Centre of mass, in the object's own coordinates")
    )
    moments: Vector = vector_field(
        (1.0, 1.0, 1.0), unit="kg m²", help=tr("Moments of inertia around the principal axes")
    )
    axes: Vector = vector_field(
        ZERO, unit="°", help=tr("Rotation of the principal axes: heading, pitch, roll")
    )

    def awake(self) -> None:
        """Check the fields."""
        self.validate()

    def validate(self) -> None:
        """Check that the moments of inertia are positive.

        Raises:
            FieldError: they are not.
        """
        if not min(self.moments) > 0.0:
            raise FieldError("Inertia.moments", expected="numbers above 0", found=f"{self.moments}")

"""Joints and motors between rigid bodies, as scripts see them; simulated in `sim.physics`."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from base.errors import FieldError
from sim.core.components.physics import Hold, Vector, physics_of
from sim.core.scene.fields import field
from sim.core.scene.scene_object import SceneObject
from sim.core.script.script import Script
from sim.core.script.signals import signal

Motor = Literal["off", "velocity", "position", "torque"]
Drive = Literal["off", "velocity", "position", "force"]
HALF_TURN = 180.0
SPEED_HELP = "Of velocity; of position the most, along each axis"
MOTOR_HELP = "What it drives: a velocity, a position to go to, or a torque of its own"


class Joint(Script):
    """Base class of joints: what holds the object's body to another one, or to the world."""

    other: SceneObject = field(
        None, help="The object it is joined to, which has a RigidBody; none: the world"
    )
    anchor: Vector = field(
        (0.0, 0.0, 0.0), unit="m", help="Where it is joined, in the object's own coordinates"
    )
    collide: bool = field(False, help="Whether the two bodies meet each other")
    break_force: float = field(
        0.0, min=0.0, max=1e9, unit="N",
        help="It breaks at this force, or torque (N m), along a direction that it holds; 0: never",
    )  # fmt: skip

    broken = signal()

    def __init__(self) -> None:
        self._is_in = False
        self._hold: Hold | None = None

    def awake(self) -> None:
        """Check the fields."""
        self.validate()

    def validate(self) -> None:
        """Report fields that are invalid."""

    def enable(self) -> None:
        """Join the bodies, where they are."""
        self._hold = physics_of(self.scene).join(self)
        self._is_in = True

    def disable(self) -> None:
        """Let the bodies go."""
        if self._is_in:
            self._is_in = False
            physics_of(self.scene).part(self)

    @property
    def is_joined(self) -> bool:
        """Whether it holds its bodies now: not before the first step, nor once it is broken."""
        return self._is_in and physics_of(self.scene).stand(self) is not None

    def read(self) -> npt.NDArray[np.float32]:
        """Return the positions of what it leaves free, then their speeds, as numbers `[2 n]`.

        Degrees and degrees a second, or metres and metres a second; zeros while it is not joined.
        A hinge and a slider have n = 1, a ball joint 3, six degrees of freedom 6, a fixed one 0.
        """
        found = physics_of(self.scene).stand(self) if self._is_in else None
        return np.array([0.0] * (2 * self.freedoms) if found is None else found, np.float32)

    def peek(self) -> tuple[float, ...]:
        """Return what `read` does, as it was after the last step; this joins nothing."""
        hold = self._hold
        if hold is None or not self._is_in or not hold.is_there:
            return (0.0,) * (2 * self.freedoms)
        return hold.stand()

    @property
    def freedoms(self) -> int:
        """How many directions it leaves free."""
        return 0

    def _check_order(self, low: float, high: float, names: tuple[str, str], unit: str) -> None:
        if low > high:
            raise FieldError(
                f"{type(self).__name__}.{names[0]}",
                expected=f"at most {names[1]}, {high:g}{unit}",
                found=f"{low:g}{unit}",
            )

    def _check_axis(self, axis: Vector) -> None:
        if not np.linalg.norm(axis) > 1e-6:
            raise FieldError(
                f"{type(self).__name__}.axis", expected="a direction", found=repr(axis)
            )


class FixedJoint(Joint):
    """Holds the object's body to another one, or to the world, as if they were one piece."""


class HingeJoint(Joint):
    """Lets the object's body turn around an axis: a door, a wheel, a pendulum; with a motor."""

    axis: Vector = field(
        (0.0, 0.0, 1.0), help="In the object's own coordinates, through the anchor"
    )
    limited: bool = field(False, help="Whether low and high count")
    low: float = field(-90.0, min=-HALF_TURN, max=HALF_TURN, unit="°")
    high: float = field(90.0, min=-HALF_TURN, max=HALF_TURN, unit="°")
    motor: Motor = field("off", help=MOTOR_HELP, recorded=True)
    motor_speed: float = field(
        90.0, unit="°/s", help="Of velocity; of position the most", recorded=True
    )
    motor_angle: float = field(
        0.0,
        min=-HALF_TURN,
        max=HALF_TURN,
        unit="°",
        help="Of position: where it goes to",
        recorded=True,
    )
    motor_torque: float = field(
        10.0, unit="N m", help="Of torque: how much; else the most that it applies", recorded=True
    )

    def validate(self) -> None:
        """Report limits or an axis that are invalid."""
        self._check_order(self.low, self.high, ("low", "high"), "°")
        self._check_axis(self.axis)

    @property
    def freedoms(self) -> int:
        """How many directions it leaves free."""
        return 1

    @property
    def angle(self) -> float:
        """Degrees from where it was joined, -180 to 180, counterclockwise around the axis."""
        return float(self.read()[0])

    def turn_to(self, angle: float) -> None:
        """Put the object at an angle at once, in degrees, with all below it; speeds stay."""
        physics_of(self.scene).set_joint(self, angle)

    @property
    def speed(self) -> float:
        """Degrees a second."""
        return float(self.read()[1])


class SliderJoint(Joint):
    """Lets the object's body slide along an axis without turning: a drawer, a lift."""

    axis: Vector = field((1.0, 0.0, 0.0), help="In the object's own coordinates")
    limited: bool = field(False, help="Whether low and high count")
    low: float = field(-1.0, unit="m")
    high: float = field(1.0, unit="m")
    motor: Drive = field(
        "off", help="What it drives: a velocity, a place to go to, or a force", recorded=True
    )
    motor_speed: float = field(
        1.0, unit="m/s", help="Of velocity; of position the most", recorded=True
    )
    motor_place: float = field(0.0, unit="m", help="Of position: where it goes to", recorded=True)
    motor_force: float = field(
        100.0, unit="N", help="Of force: how much; else the most that it applies", recorded=True
    )

    def validate(self) -> None:
        """Report limits or an axis that are invalid."""
        self._check_order(self.low, self.high, ("low", "high"), " m")
        self._check_axis(self.axis)

    @property
    def freedoms(self) -> int:
        """How many directions it leaves free."""
        return 1

    @property
    def place(self) -> float:
        """Metres along the axis from where it was joined."""
        return float(self.read()[0])

    def slide_to(self, place: float) -> None:
        """Put the object at a place of its axis at once, in metres, with all below it."""
        physics_of(self.scene).set_joint(self, place)

    @property
    def speed(self) -> float:
        """Metres a second."""
        return float(self.read()[1])


class BallJoint(Joint):
    """Lets the object's body turn every way around its anchor, within a cone if it is limited."""

    axis: Vector = field((0.0, 0.0, 1.0), help="Of the cone, in the object's own coordinates")
    limited: bool = field(False, help="Whether swing and twist count")
    swing: float = field(45.0, min=1.0, max=HALF_TURN, unit="°", help="Half the cone's angle")
    twist: float = field(
        45.0, min=1.0, max=HALF_TURN, unit="°", help="Around the axis, to either side"
    )

    def validate(self) -> None:
        """Report an axis that is invalid."""
        self._check_axis(self.axis)

    @property
    def freedoms(self) -> int:
        """How many directions it leaves free."""
        return 3


class SixAxisJoint(Joint):
    """Six degrees of freedom along the object's axes, each with limits and a motor."""

    low: Vector = field((0.0, 0.0, 0.0), unit="m", help="Along x, y and z; low = high holds it")
    high: Vector = field((0.0, 0.0, 0.0), unit="m")
    low_turn: Vector = field(
        (0.0, 0.0, 0.0), unit="°", help="Around x, y and z; -180 to 180 is free, y -90 to 90"
    )
    high_turn: Vector = field((0.0, 0.0, 0.0), unit="°")
    motor: Literal["off", "velocity", "position"] = field(
        "off", help="What it drives: velocities, or a position to go to", recorded=True
    )
    motor_speed: Vector = field((0.0, 0.0, 0.0), unit="m/s", help=SPEED_HELP, recorded=True)
    motor_force: float = field(
        0.0, min=0.0, unit="N", help="The most, along each axis", recorded=True
    )
    motor_turn: Vector = field((0.0, 0.0, 0.0), unit="°/s", help=SPEED_HELP, recorded=True)
    motor_torque: float = field(
        0.0, min=0.0, unit="N m", help="The most, around each axis", recorded=True
    )
    motor_place: Vector = field(
        (0.0, 0.0, 0.0), unit="m", help="Of position: where it goes to", recorded=True
    )
    motor_angle: Vector = field(
        (0.0, 0.0, 0.0), unit="°", help="Of position: where it turns to", recorded=True
    )

    def validate(self) -> None:
        """Report limits that are invalid."""
        for number, axis in enumerate("xyz"):
            names = (f"low, {axis}", f"high, {axis}")
            self._check_order(self.low[number], self.high[number], names, " m")
            names = (f"low_turn, {axis}", f"high_turn, {axis}")
            self._check_order(self.low_turn[number], self.high_turn[number], names, "°")

    @property
    def freedoms(self) -> int:
        """How many directions it may leave free."""
        return 6


__all__ = ["BallJoint", "FixedJoint", "HingeJoint", "Joint", "SixAxisJoint", "SliderJoint"]

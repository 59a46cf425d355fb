"""Physics as scripts see it: bodies, contacts, gravity. The simulation lies in `sim.physics`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from pyrr import Vector3

from sim.core.geometry.rotations import checked_vector
from sim.core.scene.fields import field
from sim.core.scene.host import Physics
from sim.core.scene.scene import Scene
from sim.core.scene.scene_object import SceneObject
from sim.core.script.script import Script
from sim.core.script.signals import signal

if TYPE_CHECKING:
    from sim.core.components.joints import Joint

Vector = tuple[float, float, float]
EARTH: Vector = (0.0, 0.0, -9.81)
"""Metres a second, each second."""


@dataclass(frozen=True)
class Contact:
    """A contact: where two bodies began to touch.

    Attributes:
        point: metres, in the world.
        normal: of unit length, away from the other body.
        impulse: newton seconds.
    """

    point: Vector3
    normal: Vector3
    impulse: float


class Hold(Protocol):
    """What holds a joint's bodies together."""

    @property
    def is_there(self) -> bool:
        """Whether it holds them now."""

    def stand(self) -> tuple[float, ...]:
        """Return a joint's positions, then their speeds, as they are."""


class BodyPhysics(Physics, Protocol):
    """The physics simulation as the body components see it."""

    def add(self, body: RigidBody) -> None:
        """Add a body to the simulation.

        Raises:
            ValueError: its shape or its scale is not supported.
        """

    def remove(self, body: RigidBody) -> None:
        """Remove a body from the simulation; unknown ones are ignored."""

    def push(self, body: RigidBody, kind: str, vector: Vector, point: Vector | None) -> None:
        """Apply a force, impulse, torque, twist, velocity or spin (`kind`) to a body."""

    def velocity(self, body: RigidBody) -> Vector:
        """Return a body's velocity, metres a second."""

    def spin(self, body: RigidBody) -> Vector:
        """Return a body's spin, degrees a second."""

    def join(self, joint: Joint) -> Hold:
        """Hold a joint's bodies together from the next step on; return what holds them."""

    def part(self, joint: Joint) -> None:
        """Let a joint's bodies go; unknown ones are ignored."""

    def stand(self, joint: Joint) -> tuple[float, ...] | None:
        """Return a joint's positions, then their speeds; None while it is not joined."""

    def set_joint(self, joint: Joint, value: float) -> None:
        """Put a joint's object where a hinge has an angle (degrees), a slider a place (metres)."""


def physics_of(scene: Scene) -> BodyPhysics:
    """Return a scene's physics simulation, created at the first call.

    Raises:
        GoishiError: the scene does not run, or this Panda3D has no Bullet.
    """
    found: BodyPhysics = scene.physics  # type: ignore[assignment]  # the scene knows it as less
    return found


class RigidBody(Script):
    """A rigid body: dynamic (falls and bounces), static, or kinematic (moved by scripts)."""

    kind: Literal["dynamic", "static", "kinematic"] = field(
        "dynamic", help="dynamic: moved by physics; static: stands; kinematic: moved by scripts"
    )
    mass: float = field(1.0, min=0.001, max=1e6, unit="kg", help="Of a dynamic body")
    friction: float = field(0.6, min=0.0, max=10.0)
    rolling: float = field(
        0.015, min=0.0, max=1.0, help="Friction of rolling: what brings it to rest"
    )
    restitution: float = field(0.5, min=0.0, max=1.0, help="How much of its speed a bounce keeps")
    damping: float = field(0.01, min=0.0, max=1.0, help="Share of its speed lost each second")
    spin_damping: float = field(0.08, min=0.0, max=1.0, help="Share of its spin lost each second")
    gravity: float = field(1.0, min=-10.0, max=10.0, help="Times the scene's")
    shape: Literal["model", "box", "sphere", "cylinder", "capsule", "hull", "mesh", "parts"] = (
        field("model", help="model: what fits the object's; parts: those with a Collider below it")
    )
    size: Vector = field((1.0, 1.0, 1.0), unit="m", help="Of the box, without a model")
    can_turn: bool = field(True, help="Else it keeps its rotation")
    is_sensor: bool = field(False, help="Touches are told, nothing is held up")

    collided = signal(SceneObject, Contact)
    parted = signal(SceneObject)

    def __init__(self) -> None:
        self._is_in = False
        self._kept: list[tuple[str, Vector, Vector | None]] = []

    def enable(self) -> None:
        """Join the simulation, and apply the calls made before."""
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
        """Metres a second, in the world, of the middle of its shape; assign to change it."""
        found = physics_of(self.scene).velocity(self) if self._is_in else self._asked("velocity")
        return np.array(found).view(Vector3)

    @velocity.setter
    def velocity(self, value: Sequence[float]) -> None:
        self._push("velocity", value, None)

    @property
    def spin(self) -> Vector3:
        """Degrees a second around each axis of the world; assign to change it."""
        found = physics_of(self.scene).spin(self) if self._is_in else self._asked("spin")
        return np.array(found).view(Vector3)

    @spin.setter
    def spin(self, value: Sequence[float]) -> None:
        self._push("spin", value, None)

    def apply_force(self, force: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Apply a force in newtons for one fixed step, at a world point or the middle."""
        self._push("force", force, point)

    def apply_impulse(self, impulse: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Apply an impulse in newton seconds at once, at a world point or the middle."""
        self._push("impulse", impulse, point)

    def apply_torque(self, torque: Sequence[float]) -> None:
        """Apply a torque in newton metres for one fixed step, around the world's axes."""
        self._push("torque", torque, None)

    def apply_twist(self, twist: Sequence[float]) -> None:
        """Apply an angular impulse in newton metre seconds at once, around the world's axes."""
        self._push("twist", twist, None)

    def _push(self, kind: str, value: Sequence[float], point: Sequence[float] | None) -> None:
        vector = _plain(value, kind)
        place = None if point is None else _plain(point, "point")
        if self._is_in:
            physics_of(self.scene).push(self, kind, vector, place)
        else:
            self._kept.append((kind, vector, place))

    def _asked(self, kind: str) -> Vector:
        """Return the motion that was asked for before it takes part."""
        asked = [vector for name, vector, _ in self._kept if name == kind]
        return asked[-1] if asked else (0.0, 0.0, 0.0)


class Gravity(Script):
    """Sets the scene's gravity while it is enabled."""

    acceleration: Vector = field(EARTH, unit="m/s²", help="Along the axes of the world")

    def enable(self) -> None:
        """Set the scene's gravity."""
        physics_of(self.scene).gravity = self.acceleration

    def fixed_update(self, dt: float) -> None:
        """Update the gravity when the field has changed."""
        physics_of(self.scene).gravity = self.acceleration

    def disable(self) -> None:
        """Restore the default gravity."""
        physics_of(self.scene).gravity = EARTH


class Layer(Script):
    """Names a layer for its object and all below it: rays filter by it, collisions ignore it."""

    name: str = field("", help="Asked for by ray_cast(…, layers=…)")
    passes: list[str] = field([], help="Layers whose bodies these pass through")


def _plain(value: Sequence[float], name: str) -> Vector:
    x, y, z = checked_vector(value, name).tolist()
    return (x, y, z)


__all__ = ["EARTH", "Contact", "Gravity", "Layer", "Physics", "RigidBody"]

"""Damping and dry friction of joints, which Bullet's own joints do not have.

A `Resistance` lies beside the constraint of a joint. It is a further constraint that leaves
everything free, with motors that are to stop what the joint leaves free. Each motor is only as
strong as damping and friction are. So it brakes, holds at rest, and never pushes.

Strong damping of a light body would need steps that are far shorter than Bullet's. There the motor
is as strong as needed, and soft instead: Bullet then solves the damping together with everything
else in the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from panda3d.bullet import (
    BulletConstraint,
    BulletGenericConstraint,
    BulletRigidBodyNode,
    BulletWorld,
)
from panda3d.core import LVector3, TransformState

SOFT_FROM: Final = 2.0
"""Damping times the step, divided by the inertia: from here on the motor is soft."""
STRONGEST: Final = 1e9  # newton seconds
Frames = tuple[TransformState, TransformState]


class Brake:
    """A Bullet constraint that leaves everything free, with motors that stop some axes.

    Args:
        nodes: Bullet nodes of the other body or the ground, and of the joint's own body.
        frames: the joint's frame in each node's space.
        axes: Bullet's numbers of the axes: 0 to 2 along, 3 to 5 around x, y and z of the frames.
    """

    def __init__(
        self,
        nodes: tuple[BulletRigidBodyNode, BulletRigidBodyNode],
        frames: Frames,
        axes: Sequence[int],
    ) -> None:
        self.constraint = BulletGenericConstraint(*nodes, *frames, True)
        self._told: dict[int, tuple[float, float]] = {}
        for axis in range(3):
            self.constraint.set_linear_limit(axis, 1.0, -1.0)  # low above high is free
            self.constraint.set_angular_limit(axis, 1.0, -1.0)
        for axis in axes:
            if axis < 3:
                self.constraint.get_translational_limit_motor().set_motor_enabled(axis, True)
            else:
                self.constraint.get_rotational_limit_motor(axis - 3).set_motor_enabled(True)

    def set(self, axis: int, impulse: float, softness: float) -> None:
        """Set how strong a motor is.

        Args:
            axis: Bullet's number of the axis.
            impulse: largest impulse in a step: newton seconds, or newton metre seconds.
            softness: inertia divided by damping and by the duration of the step; 0 for a motor
                that is not soft.
        """
        if self._told.get(axis) == (impulse, softness):
            return
        self._told[axis] = (impulse, softness)
        self.constraint.set_param(BulletConstraint.CP_cfm, softness, axis)
        if axis < 3:
            most = LVector3(0.0)
            most[axis] = impulse
            self.constraint.get_translational_limit_motor().set_max_motor_force(most)
        else:
            self.constraint.get_rotational_limit_motor(axis - 3).set_max_motor_force(impulse)


class Resistance:
    """Damping and friction of what one joint leaves free.

    Args:
        world: the Bullet world.
        nodes: Bullet nodes of the other body or the ground, and of the joint's own body.
        frames: the joint's frame in each node's space.
        axes: Bullet's numbers of the axes that resist.
        collide: whether the two bodies collide with each other.
    """

    def __init__(
        self,
        world: BulletWorld,
        nodes: tuple[BulletRigidBodyNode, BulletRigidBodyNode],
        frames: Frames,
        axes: Sequence[int],
        *,
        collide: bool,
    ) -> None:
        self._world, self._nodes, self._frames, self._axes = world, nodes, frames, axes
        self._is_exclusive = not collide
        self._inertias = [inertia_along(axis, nodes, frames) for axis in axes]
        self._brakes: list[Brake] = []

    def oppose(self, damping: float, friction: float, rates: Sequence[float], dt: float) -> None:
        """Set the resistance for one step of Bullet.

        Args:
            damping: newton seconds per metre, or newton metre seconds per radian.
            friction: newtons, or newton metres.
            rates: speed along each axis that resists: metres or radians a second.
            dt: duration of the step, seconds.
        """
        for axis, inertia, rate in zip(self._axes, self._inertias, rates, strict=True):
            stiffness = damping * dt / inertia if inertia > 0.0 else 0.0
            if stiffness < SOFT_FROM:
                self._brake(0).set(axis, (friction + damping * abs(rate)) * dt, 0.0)
                continue
            self._brake(0).set(axis, STRONGEST, 1.0 / stiffness)
            if friction > 0.0:
                self._brake(1).set(axis, friction * dt, 0.0)

    def align(self, frames: Frames) -> None:
        """Set new frames; for axes that are to stay those of the first body.

        Args:
            frames: the frame in each node's space; both must be parallel in the world.
        """
        self._frames = frames
        for brake in self._brakes:
            brake.constraint.set_frames(*frames)

    def remove(self) -> None:
        """Remove the resistance from the world."""
        for brake in self._brakes:
            self._world.remove(brake.constraint)
        self._brakes.clear()

    def _brake(self, number: int) -> Brake:
        while len(self._brakes) <= number:
            brake = Brake(self._nodes, self._frames, self._axes)
            self._world.attach_constraint(brake.constraint, self._is_exclusive)
            self._brakes.append(brake)
        return self._brakes[number]


def inertia_along(
    axis: int, nodes: tuple[BulletRigidBodyNode, BulletRigidBodyNode], frames: Frames
) -> float:
    """Return how two bodies resist to being sped up along an axis, as Bullet's solver sees it.

    Args:
        axis: Bullet's number of the axis: 0 to 2 along, 3 to 5 around x, y and z of the frames.
        nodes: Bullet nodes of the bodies.
        frames: a frame in each node's space.

    Returns:
        Kilograms, or kg m²; 0 if neither body can be moved.
    """
    inverse = 0.0
    direction = LVector3(0.0)
    direction[axis % 3] = 1.0
    for node, frame in zip(nodes, frames, strict=True):
        if node.get_mass() <= 0.0 or node.is_static() or node.is_kinematic():
            continue
        place = node.get_transform()
        along = place.compose(frame).get_norm_quat().xform(direction)
        turned = along
        if axis < 3:
            inverse += 1.0 / node.get_mass()
            turned = place.get_norm_quat().xform(LVector3(frame.get_pos())).cross(along)
        inverse += turned.dot(node.get_inv_inertia_tensor_world().xform(turned))
    return 1.0 / inverse if inverse > 0.0 else 0.0

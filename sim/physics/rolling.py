"""Rolling friction, which Panda3D does not expose: rolling bodies come to rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from panda3d.bullet import BulletRigidBodyNode
from panda3d.core import LVector3

from sim.core.components.physics import Vector
from sim.physics.body import Body


def slow_what_rolls(
    bodies: Mapping[str, Body], touching: Iterable[tuple[str, str]], gravity: Vector, dt: float
) -> None:
    """Reduce the spin of touching bodies by `dt` seconds of rolling friction.

    The torque is that of a wheel on level ground: the factor, times the weight, times the radius.
    Bullet's own friction then slows the motion.

    Args:
        bodies: the bodies of the world by id.
        touching: pairs of ids of bodies in contact.
        gravity: metres per second squared.
        dt: seconds.
    """
    awake = {key for key, body in bodies.items() if body.weight and body.node.is_active()}
    if not awake:
        return
    factors: dict[str, float] = {}
    for pair in touching:
        if awake.isdisjoint(pair):
            continue
        first, second = (bodies.get(key) for key in pair)
        if first is None or second is None:
            continue
        factor = math.sqrt(first.rolling * second.rolling)
        for key in pair:
            factors[key] = max(factor, factors.get(key, 0.0))
    strength = math.sqrt(sum(part * part for part in gravity))
    for key in awake & factors.keys():
        body = bodies[key]
        _brake(body.node, factors[key] * body.weight * strength * body.radius * dt)


def _brake(node: BulletRigidBodyNode, twist: float) -> None:
    """Take an angular impulse, newton metre seconds, from a body's spin; at most all of it."""
    spin = node.get_angular_velocity()
    speed = spin.length()
    if speed == 0.0 or twist == 0.0:
        return
    x, y, z = node.get_inertia()
    inertia = (x + y + z) / 3.0
    left = max(0.0, speed - twist / inertia) if inertia > 0.0 else 0.0
    node.set_angular_velocity(LVector3(spin * (left / speed)))


__all__ = ["slow_what_rolls"]

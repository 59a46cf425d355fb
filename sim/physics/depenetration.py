"""Moves overlapping bodies apart at a bounded speed, without making them fast.

Bullet moves two bodies that overlap apart by giving them velocity: a share of the depth in each
step. The deeper they overlap, the faster they fly on afterwards. Here this velocity is taken away
again after each step of Bullet. What is left is the motion in position, and that is bounded.

Only some overlaps are treated: deep ones, those of bodies that a script has put into others or has
scaled, and those with a kinematic body that moves. In all others Bullet's numbers stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from panda3d.bullet import BulletPersistentManifold
from panda3d.core import LPoint3, LVector3, TransformState

from sim.physics.body import Body

SHARE = 0.2  # of the depth: what Bullet removes in one of its steps
FASTEST_APART = 3.0  # metres a second
MOST_GAIN = 5.0  # radians per second squared: by which overlapping bodies may turn faster
SHALLOW, PLAIN = 0.001, 0.02  # metres: what touches at rest is less deep, and what is hit


@dataclass(slots=True)
class _Overlap:
    """The overlap, or the gap, of two bodies in contact at the start of a step of Bullet.

    Attributes:
        first: the first body.
        second: the second body.
        point: where they overlap, in the world, metres.
        normal: unit vector from the second body to the first.
        depth: how deep they overlap, metres; below 0 for a gap, which the step has closed.
        bounces: whether they bounce off each other.
    """

    first: Body
    second: Body
    point: LPoint3
    normal: LVector3
    depth: float
    bounces: bool


@dataclass(slots=True)
class _Before:
    """Place and motion of a body before a step of Bullet."""

    place: TransformState
    velocity: LVector3
    spin: LVector3

    @classmethod
    def of(cls, body: Body) -> _Before:
        """Return the present place and motion of a body."""
        node = body.node
        return cls(
            body.path.get_transform(), node.get_linear_velocity(), node.get_angular_velocity()
        )


def deep_after(dt: float) -> float:
    """Return the depth in metres from which Bullet moves bodies apart faster than is allowed.

    Args:
        dt: duration of one step of Bullet, seconds.
    """
    return FASTEST_APART * dt / SHARE


class Depenetration:
    """The bodies whose overlaps are treated until they end.

    Attributes:
        watched: ids of these bodies.
        before: places and motions that `begin` has recorded, by id.
    """

    def __init__(self) -> None:
        self.watched: set[str] = set()
        self.before: dict[str, _Before] = {}

    def watch(self, keys: Iterable[str]) -> None:
        """Treat all overlaps of some bodies, given by their ids, until they have ended."""
        self.watched.update(keys)

    def clear(self) -> None:
        """Treat no overlap any more."""
        self.watched.clear()

    def begin(self, bodies: Mapping[str, Body], put: Set[str]) -> None:
        """Record places and motions of the watched bodies before a step of Bullet.

        Args:
            bodies: all bodies, by id.
            put: ids of the bodies that scripts have put or scaled, which may overlap others.
        """
        if self.before:
            self.before.clear()
        for key in self.watched | put:
            body = bodies.get(key)
            if body is not None and body.is_dynamic:
                self.before[key] = _Before.of(body)

    def relax(
        self,
        manifolds: Iterable[tuple[BulletPersistentManifold, bool]],
        bodies: Mapping[str, Body],
        dt: float,
    ) -> None:
        """Correct velocities and places of overlapping bodies after a step of Bullet.

        Args:
            manifolds: the contacts of the watched bodies, of the moved ones, and the deep ones,
                each with whether it is new.
            bodies: all bodies, by id.
            dt: duration of the step of Bullet, seconds.
        """
        left: set[str] = set()
        for manifold, is_new in manifolds:
            overlap = _overlap_of(manifold, bodies)
            if overlap is None:
                continue
            found: set[str] = set()
            if overlap.depth > SHALLOW:
                found = self._still_watched(overlap, dt)
                left |= found
            if overlap.depth > 0.0 or (is_new and overlap.bounces):
                _correct(overlap, dt)
            for key in found:
                if key in self.before:
                    self._bound(overlap, bodies[key], dt)
        self.watched = left

    def _bound(self, overlap: _Overlap, body: Body, dt: float) -> None:
        """Bound how a step of Bullet has moved an overlapping body.

        The direction in which Bullet moves deep overlaps apart may be wrong, and differ from step
        to step. So nothing may become fast by it.

        Args:
            overlap: the overlap at the start of the step.
            body: one of its bodies.
            dt: duration of the step, seconds.
        """
        other = overlap.second if body is overlap.first else overlap.first
        before, met = self.before[body.component.slot.id], self._motion_of(other)
        start = before.place.get_pos()
        push = met.velocity.length()
        if not other.is_dynamic:  # off a wall that comes, it bounces
            arm = overlap.point - met.place.get_pos()
            push = 2.0 * (push + met.spin.length() * arm.length())
        falling = before.velocity + body.node.get_gravity() * dt
        most = max(falling.length(), push)
        fastest = max(before.spin.length(), met.spin.length()) + MOST_GAIN * dt
        node, turn = body.node, body.path.get_quat()
        velocity, spin = node.get_linear_velocity(), node.get_angular_velocity()
        if velocity.length() > most:
            node.set_linear_velocity(velocity * (most / velocity.length()))
        if spin.length() > fastest:
            node.set_angular_velocity(spin * (fastest / spin.length()))
            turn = before.place.get_quat()
        way, longest = body.path.get_pos() - start, (most + FASTEST_APART) * dt
        if way.length() > longest:
            way *= longest / way.length()
        place = TransformState.make_pos_quat_scale(LPoint3(start + way), turn, LVector3(1.0))
        body.path.set_transform(place)

    def _motion_of(self, body: Body) -> _Before:
        """Return place and motion of a body before the step; the present ones if not recorded."""
        return self.before.get(body.component.slot.id) or _Before.of(body)

    def _still_watched(self, overlap: _Overlap, dt: float) -> set[str]:
        """Return the ids of the bodies of an overlap that are watched in the next step too."""
        both = {body.component.slot.id: body for body in (overlap.first, overlap.second)}
        known = both.keys() & self.watched
        is_shared = any(not both[key].is_dynamic for key in known)
        is_shared |= overlap.depth > deep_after(dt) or (bool(known) and overlap.depth > PLAIN)
        found = both.keys() if is_shared else known
        return {key for key in found if both[key].is_dynamic}


def _overlap_of(manifold: BulletPersistentManifold, bodies: Mapping[str, Body]) -> _Overlap | None:
    """Return the overlap of the two bodies of a contact.

    None if they do not push each other, if one of them is a sensor or if it has been removed. The
    place is the mean of the contact points.
    """
    first, second = (bodies.get(node.name) for node in (manifold.get_node0(), manifold.get_node1()))
    if first is None or second is None or not (first.is_solid and second.is_solid):
        return None
    nearest, middle, total = None, LVector3(0.0), 0.0
    for point in manifold.get_manifold_points():
        weight = point.get_applied_impulse()
        if weight > 0.0:
            total += weight
            middle += point.get_position_world_on_b() * weight
            if nearest is None or point.get_distance() < nearest.get_distance():
                nearest = point
    if nearest is None:
        return None
    return _Overlap(
        first,
        second,
        LPoint3(middle / total),
        LVector3(nearest.get_normal_world_on_b()),
        -nearest.get_distance(),
        nearest.get_combined_restitution() > 0.0,
    )


def _correct(overlap: _Overlap, dt: float) -> None:
    """Take away the velocity with which Bullet has moved two bodies apart in a step.

    If they had a gap, Bullet has made them slower so that they only close it. They get the missing
    velocity. The impulse acts at the contact.

    Args:
        overlap: the overlap at the start of the step.
        dt: duration of the step, seconds.
    """
    sides = [(overlap.first, 1.0), (overlap.second, -1.0)]
    speed = yields = 0.0
    for body, sign in sides:
        node, arm = body.node, overlap.point - body.path.get_pos()
        drift = node.get_linear_velocity() + node.get_angular_velocity().cross(arm)
        speed += sign * drift.dot(overlap.normal)
        yields += node.get_inv_mass()
        if body.can_turn:
            twist = arm.cross(overlap.normal)
            yields += twist.dot(node.get_inv_inertia_tensor_world().xform(twist))
    excess = overlap.depth / dt * (SHARE if overlap.depth > 0.0 else 1.0)
    excess = min(speed, excess)
    if yields <= 0.0 or (excess <= 0.0 and overlap.depth > 0.0):
        return
    for body, sign in sides:
        if body.is_dynamic:
            node, arm = body.node, overlap.point - body.path.get_pos()
            push = overlap.normal * (-sign * excess / yields)
            node.apply_impulse(push, LPoint3(arm))

"""Motion of kinematic bodies through a fixed step.

Scripts move the object of a kinematic body before the step. The body then goes that way evenly
during the step, at the velocity and the angular velocity that the way needs. So what touches the
body is pushed and carried at the true speed. A static body that a script moves does the same.

Bullet derives the velocity of a kinematic body from its last two places. That is wrong after a jump
and too coarse for a slow turn. So the velocities are set in a callback of Bullet's step instead.
For Bullet, a body is kinematic only in the steps in which it moves, and static in all others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from panda3d.bullet import BulletWorld
from panda3d.core import LPoint3, LQuaternion, LVector3, PythonCallbackObject, TransformState

from sim.core.scene.scene import Start
from sim.physics.body import Body

FASTEST_START = 25.0  # metres a second: a body that changes its speed by more in a step has jumped
FASTEST_TURN = 20.0  # radians a second
STILL = 1e-9


@dataclass(slots=True)
class _Way:
    """The way of one body through a fixed step.

    Attributes:
        body: the body.
        point: position at the start, metres.
        turn: rotation at the start.
        end: place at the end.
        velocity: metres a second.
        spin: angular velocity around the world's axes, radians a second.
    """

    body: Body
    point: LPoint3
    turn: LQuaternion
    end: TransformState
    velocity: LVector3
    spin: LVector3

    def at(self, seconds: float) -> TransformState:
        """Return the place of the body some seconds after the start of the step."""
        point = LPoint3(self.point + self.velocity * seconds)
        return TransformState.make_pos_quat_scale(
            point, self.turn * _turned(self.spin, seconds), LVector3(1.0)
        )


class KinematicMotions:
    """The ways of the bodies that scripts have moved since the last fixed step.

    Dynamic bodies are not among them: the simulation moves these.

    Attributes:
        jumps: whether all bodies that are moved before the next step have jumped.
    """

    def __init__(self) -> None:
        self._starts: dict[str, tuple[Body, TransformState]] = {}
        self._carried: dict[str, tuple[Body, TransformState]] = {}
        self._ways: dict[str, _Way] = {}
        self._moving: dict[str, Body] = {}
        self._fresh: set[str] = set()
        self._is_any_new = self._is_called = False
        self.jumps = False

    @property
    def moved(self) -> Set[str]:
        """Ids of the bodies that move in the present step."""
        return self._ways.keys()

    # -- before the step ----------------------------------------------------------------------

    def note(self, body: Body) -> None:
        """Record the place of a body before a script moves it.

        Only the first call after a step counts.

        Args:
            body: a kinematic or static body, which is still at its former place.
        """
        key = body.component.slot.id
        self._carried.pop(key, None)
        self._starts.setdefault(key, (body, body.path.get_transform()))

    def carry(self, body: Body, before: TransformState) -> None:
        """Record that a moving parent has carried a body during the step that has just ended.

        It is not known where the parent goes next. So the body goes on in the same way.

        Args:
            body: a kinematic or static body, which is already at its new place.
            before: its place before the step.
        """
        self._carried[body.component.slot.id] = (body, before)

    def add(self, body: Body, before: TransformState | None = None) -> None:
        """Add a new body; Bullet then looks once for what the resting kinematic bodies touch.

        Args:
            body: a kinematic or static body.
            before: place of the body that it replaces, from which it goes on; None for none.
        """
        if before is not None:
            self._starts[body.component.slot.id] = (body, before)
        self._is_any_new = True

    def remove(self, key: str) -> None:
        """Remove a body, given by its id; unknown ones are ignored."""
        self._starts.pop(key, None)
        self._carried.pop(key, None)
        self._ways.pop(key, None)
        self._moving.pop(key, None)
        self._fresh.discard(key)

    def clear(self) -> None:
        """Forget where the moved bodies stood: they have jumped to where they are."""
        self._starts.clear()
        self._carried.clear()
        self.jumps = False

    # -- the step -----------------------------------------------------------------------------

    def begin(self, world: BulletWorld, bodies: Mapping[str, Body], dt: float) -> None:
        """Find the ways of the moved bodies, and stop those that have moved in the last step only.

        Args:
            world: the Bullet world; its steps use the velocities of the ways.
            bodies: all bodies, by id.
            dt: duration of the fixed step, seconds.
        """
        if self._is_any_new:  # Bullet looks only at bodies that are active
            self._fresh = {key for key, body in bodies.items() if body.is_kinematic}
            self._is_any_new = False
        if not (self._starts or self._carried or self._moving or self._fresh):
            self.jumps = False
            return
        starts = self._starts.values()
        ways = [_way(body, None if self.jumps else start, dt) for body, start in starts]
        ways += [_predicted(body, before, dt) for body, before in self._carried.values()]
        self._ways = {way.body.component.slot.id: way for way in ways}
        for key, body in self._moving.items():
            if key not in self._ways:
                _set_motion(body, LVector3(0.0), LVector3(0.0))
        self._moving = {key: way.body for key, way in self._ways.items()}
        self.clear()
        for key in self._ways.keys() | self._fresh:
            body = bodies[key]
            body.node.set_kinematic(True)
            body.node.set_active(True, True)
        if ways and not self._is_called:  # Panda3D cannot remove such a callback again
            world.set_tick_callback(PythonCallbackObject(self._set_motions), True)
            self._is_called = True

    def place(self, seconds: float) -> None:
        """Put the moved bodies where they are some seconds after the start of the fixed step."""
        for way in self._ways.values():
            way.body.path.set_transform(way.at(seconds))

    def _set_motions(self, _data: Any) -> None:
        for way in self._ways.values():
            _set_motion(way.body, way.velocity, way.spin)

    def end(self, bodies: Mapping[str, Body]) -> None:
        """Put the moved bodies at their ends; they rest until they are moved again.

        Args:
            bodies: all bodies, by id.
        """
        if not (self._ways or self._fresh):
            return
        for way in self._ways.values():
            way.body.node.set_kinematic(False)  # so that it is there at once, with no velocity
            way.body.path.set_transform(way.end)
        for key in self._ways.keys() | self._fresh:
            node = bodies[key].node
            node.set_kinematic(False)  # Bullet would keep it awake, and all that touches it
            node.set_active(False, True)
        self._ways = {}
        self._fresh.clear()

    # -- stored moments -----------------------------------------------------------------------

    def starts(self, unseen: Iterable[Body]) -> tuple[Start, ...]:
        """Return where the bodies stood that scripts have moved since the last step.

        Args:
            unseen: kinematic and static bodies whose objects have been moved and that are still at
                their former places.
        """
        if self.jumps:
            return ()
        found = {body.component.slot.id: body.path.get_transform() for body in unseen}
        found.update((key, state) for key, (_, state) in self._starts.items())
        return tuple((key, (*at.get_pos(), *at.get_quat())) for key, at in sorted(found.items()))

    def put(self, bodies: Mapping[str, Body], starts: Iterable[Start]) -> None:
        """Restore what `starts` returned; the bodies must have their places and velocities.

        Args:
            bodies: all bodies, by id.
            starts: result of the method `starts`.
        """
        self.clear()
        for key, (x, y, z, *turn) in starts:
            if key in bodies:
                place = LPoint3(x, y, z), LQuaternion(*turn), LVector3(1.0)
                self._starts[key] = (bodies[key], TransformState.make_pos_quat_scale(*place))
        self._moving = {
            key: body for key, body in bodies.items() if not body.is_dynamic and _has_motion(body)
        }


def _way(body: Body, start: TransformState | None, dt: float) -> _Way:
    """Return the way of a body from a place to where it is now.

    A body that has jumped has no velocity, and is at its end from the start.

    Args:
        body: the body.
        start: its place before; None if it has jumped.
        dt: duration of the way, seconds.
    """
    end = body.path.get_transform()
    velocity, spin = _motion_between(end if start is None else start, end, dt)
    if start is None or _has_jumped(body, velocity, spin):
        return _Way(body, end.get_pos(), end.get_quat(), end, LVector3(0.0), LVector3(0.0))
    return _Way(body, start.get_pos(), start.get_quat(), end, velocity, spin)


def _predicted(body: Body, before: TransformState, dt: float) -> _Way:
    """Return the way of a body that goes on as it went from a place to where it is now."""
    way = _way(body, before, dt)
    way.point, way.turn = way.end.get_pos(), way.end.get_quat()
    return way


def _motion_between(
    start: TransformState, end: TransformState, dt: float
) -> tuple[LVector3, LVector3]:
    """Return velocity (m/s) and angular velocity (rad/s) of an even way between two places."""
    velocity = LVector3(end.get_pos() - start.get_pos()) / dt
    turn = start.get_quat().conjugate() * end.get_quat()
    axis, real = LVector3(turn.get_i(), turn.get_j(), turn.get_k()), turn.get_r()
    sine = axis.length()
    if sine < STILL:
        return velocity, LVector3(0.0)
    angle = 2.0 * math.atan2(sine, abs(real))
    return velocity, axis * (math.copysign(angle, real) / (sine * dt))


def _turned(spin: LVector3, seconds: float) -> LQuaternion:
    speed = spin.length()
    found = LQuaternion.ident_quat()
    if speed > 0.0:
        found = LQuaternion()
        found.set_from_axis_angle_rad(speed * seconds, spin / speed)
    return found


def _has_jumped(body: Body, velocity: LVector3, spin: LVector3) -> bool:
    """Return whether a motion is a jump to another place, and no way that the body goes.

    It is one if the motion is fast, and the body did not move like that in the step before.
    """
    node = body.node
    for now, before, most in (
        (velocity, node.get_linear_velocity(), FASTEST_START),
        (spin, node.get_angular_velocity(), FASTEST_TURN),
    ):
        if now.length() > most and (now - before).length() > most:
            return True
    return False


def _has_motion(body: Body) -> bool:
    node = body.node
    return any((*node.get_linear_velocity(), *node.get_angular_velocity()))


def _set_motion(body: Body, velocity: LVector3, spin: LVector3) -> None:
    body.node.set_linear_velocity(velocity)
    body.node.set_angular_velocity(spin)

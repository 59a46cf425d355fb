"""The joints of a Bullet world: made once both bodies are there, driven at each step."""

from __future__ import annotations

from collections.abc import Container, Mapping

from panda3d.bullet import BulletRigidBodyNode, BulletWorld

from base.errors import FieldError
from sim.core.components.physics import Joint, RigidBody
from sim.core.scene.scene import SceneObject
from sim.physics.body import Body
from sim.physics.links import LINKS, Drive, Link


class Joints:
    """The joints of a world, by the ids of their components."""

    def __init__(self) -> None:
        self._links: dict[str, Link] = {}
        self._busy: list[Drive] = []
        self._brittle: list[Link] = []
        self._driven: list[list[BulletRigidBodyNode]] = []  # of the last step, by joint…
        self._woken: list[BulletRigidBodyNode] = []  # …and each once

    def add(self, joint: Joint) -> Link:
        """Know a joint; it is made with the next `link`."""
        kind = next(LINKS[base] for base in type(joint).__mro__ if base in LINKS)
        link = self._links[joint.slot.id] = kind(joint)
        return link

    def remove(self, joint: Joint, world: BulletWorld | None) -> None:
        """Let a joint's bodies go; unknown ones are ignored."""
        link = self._links.pop(joint.slot.id, None)
        if link is not None and world is not None:
            link.detach(world)

    def remember(self) -> None:
        """Note where joints that begin are to hold their bodies: where these are now."""
        for link in self._links.values():
            link.remember()

    def bodies_of(self, joint: Joint) -> tuple[str, ...]:
        """Return the ids of the bodies that a joint holds now."""
        link = self._links.get(joint.slot.id)
        return () if link is None or link.constraint is None else link.bodies

    def release(self, body: str, world: BulletWorld) -> None:
        """Let go of a body that leaves; its joints are made anew when it is back."""
        for link in self._links.values():
            if body in link.bodies:
                link.detach(world)

    def put(self, joint: Joint, value: float) -> None:
        """Put a joint's object where it has an angle (degrees) or a place (metres)."""
        link = self._links.get(joint.slot.id)
        if link is not None:
            link.put(value)

    def wake(self, bodies: Container[str]) -> None:
        """Wake what is joined to bodies that were moved, by their ids."""
        for link in self._links.values():
            if link.bodies[0] in bodies or link.bodies[1] in bodies:
                link.wake()

    def stand(self, joint: Joint) -> tuple[float, ...] | None:
        """Return a joint's positions, then their speeds; None while it is not joined."""
        link = self._links.get(joint.slot.id)
        return None if link is None or link.constraint is None else link.stand()

    def link(
        self, world: BulletWorld | None, bodies: Mapping[str, Body]
    ) -> list[tuple[Joint, ValueError]]:
        """Make the joints whose bodies are there; return those that cannot be, and why."""
        failed: list[tuple[Joint, ValueError]] = []
        for link in self._links.values():
            joint = link.joint
            if link.is_broken or link.is_made:
                continue
            try:
                self._link(link, world, bodies)
            except ValueError as error:
                failed.append((joint, error))
        return failed

    def _link(self, link: Link, world: BulletWorld | None, bodies: Mapping[str, Body]) -> None:
        joint = link.joint
        own = _body_of(joint.slot.object)
        if own is None:
            raise FieldError(
                type(joint).__name__,
                expected=f"a RigidBody on its object {joint.slot.object.path}",
                found="none",
            )
        other = joint.other
        beside = None if other is None else _body_of(other)
        is_world = joint.slot.values.get("other") is None
        if beside is None and not is_world:
            link.detach(world)
            if link.is_new:
                found = "none" if other is None else f"{other.path} without one"
                raise FieldError(
                    f"{type(joint).__name__}.other", expected="an object with a RigidBody",
                    found=found,
                )  # fmt: skip
            return  # it was there: it may come back
        if beside is own:
            raise FieldError(
                f"{type(joint).__name__}.other", expected="another object", found="its own"
            )
        second = bodies.get(own.slot.id)
        first = None if beside is None else bodies.get(beside.slot.id)
        if world is None or second is None or (first is None and not is_world):
            return  # its model is not loaded yet, or it is switched off
        if not (second.is_dynamic or (first is not None and first.is_dynamic)):
            raise FieldError(
                type(joint).__name__, expected="a dynamic body on one side", found="none"
            )
        link.detach(world)
        link.attach(world, first, second)

    def begin_step(self) -> None:
        """Take what the fields say for a step of the scene's, and wake what motors drive."""
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
        """Apply the motors for a step of `dt` seconds, one of Bullet's; see `Link.step`."""
        for drive in self._busy:
            drive(dt)

    @property
    def broken_ones(self) -> tuple[str, ...]:
        """Ids of the joints that are broken."""
        return tuple([key for key, link in self._links.items() if link.is_broken])

    def mend(self, broken: tuple[str, ...], world: BulletWorld) -> None:
        """Let those joints alone be broken; others that are hold again from the next step on."""
        for key, link in self._links.items():
            link.is_broken = key in broken
            if link.is_broken:
                link.detach(world)

    def broken(self, world: BulletWorld, *, asks_all: bool = False) -> list[Joint]:
        """Let go what broke in the last step; return those joints.

        Args:
            world: of their bodies.
            asks_all: those, too, that break by no force but one beyond measure.
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

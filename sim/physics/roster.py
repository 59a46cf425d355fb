"""The bodies of a world in a fixed order, their places as arrays, and which bodies touch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from itertools import chain, compress

import numpy as np
import numpy.typing as npt
from panda3d.bullet import (
    BulletManifoldPoint,
    BulletPersistentManifold,
    BulletRigidBodyNode,
    BulletWorld,
)
from panda3d.core import Datagram

from sim.core.geometry.rotations import FloatArray, local_matrices, rotations_of
from sim.core.geometry.transform import IntArray, TransformStore
from sim.physics.body import Body
from sim.physics.measures import Touch, headings_of, is_touch, matrix_of, touch_of, turns_of


class MovedBodies:
    """Bodies that the simulation moved in one step.

    Attributes:
        bodies: the bodies.
        nodes: their Bullet nodes.
        slots: slots of their objects in the transform store, `[n]`.
        spots: positions and quaternions `[n, 7]` of the bodies when their objects were last moved;
            each body's `spot` is a row of it.
        is_free: whether none of their objects has a parent or a child.
    """

    def __init__(self, bodies: list[Body], roster: BodyList) -> None:
        transforms = roster.transforms
        self.bodies = bodies
        self.nodes = [body.node for body in bodies]
        self.slots = slots_of(bodies)
        self.spots = np.array([body.spot for body in bodies])
        for body, row in zip(bodies, self.spots, strict=True):
            body.spot = row
        is_tied = transforms.depths[self.slots].any() or transforms.carries[self.slots].any()
        self.is_free = not is_tied
        self._play = np.array([body.play for body in bodies])
        self._away, self._is_away = np.empty_like(self.spots), np.empty(self.spots.shape, bool)
        self._roster = roster
        self._rows = {int(slot): row for row, slot in enumerate(self.slots)}
        self._matrices: dict[int, FloatArray] = {}

    def has_stirred(self, now: FloatArray) -> npt.NDArray[np.bool_]:
        """Return which bodies have moved from `spots` by more than their tolerance.

        Args:
            now: present positions and quaternions, `[n, 7]`.

        Returns:
            `[n]`, True for each body that has moved.
        """
        away = np.subtract(now, self.spots, out=self._away)
        np.abs(away, out=away)
        np.greater(away, self._play, out=self._is_away)
        return np.asarray(np.logical_or.reduce(self._is_away, axis=1))  # `any`, in fewer calls

    def defer(self, now: FloatArray) -> None:
        """Record new places of the bodies; the objects are moved when a transform is next read.

        Allowed only if `is_free`.

        Args:
            now: present positions and quaternions, `[n, 7]`.
        """
        self.spots[:] = now
        self._matrices.clear()
        self._roster.transforms.defer(self)

    def apply(self) -> None:
        """Move the objects to the places recorded in `spots`."""
        self._roster.transforms.put_roots(self.slots, *stands_of(self.bodies, self.spots))
        self._roster.note()

    def matrix_of(self, slot: int) -> FloatArray | None:
        """Return the world matrix `[4, 4]` that an object will have after `apply`.

        Args:
            slot: the object's slot in the transform store.

        Returns:
            The matrix; None for an object that is not among the moved ones.
        """
        found = self._matrices.get(slot)
        if found is None:
            row = self._rows.get(slot)
            if row is None:
                return None
            scales = self._roster.transforms.scales
            if self.bodies[row].is_plain:
                found = matrix_of(self.spots[row], scales[slot])
            else:
                one = slice(row, row + 1)
                place, rotation = stands_of(self.bodies[one], self.spots[one])
                found = local_matrices(place, rotation, scales[slot : slot + 1])[0]
            self._matrices[slot] = found
        return found.copy()


class BodyList:
    """The bodies of a world in order; made anew when bodies or the scene's structure change.

    Attributes:
        bodies: all bodies.
        transforms: transform store of their objects.
        slots: slots of their components.
        told: revisions of the scene's shapes and of the component slots when the bodies were last
            updated; None before.
        dynamic: bodies that the simulation moves.
        carried: other bodies whose objects have a parent, which may move them.
        nested: dynamic bodies whose objects have a parent.
        revision: revision of the scene's structure.
        left: world matrices `[n, 4, 4]` of the objects after the simulation last moved them. None
            if each body keeps its own matrix in `Body.seen` instead.
        left_at: revision of the transform store when `left` was recorded.
    """

    def __init__(self, bodies: list[Body], transforms: TransformStore, revision: int) -> None:
        transforms.settle()  # what is deferred is told to the roster before
        self.bodies, self.transforms, self.revision = bodies, transforms, revision
        self.slots = [body.component.slot for body in bodies]
        self.told: tuple[int, list[int]] | None = None
        self.dynamic = [body for body in bodies if body.is_dynamic]
        self._nodes = [body.node for body in self.dynamic]
        below = [body for body in bodies if body.object.parent is not None]
        self.carried = [body for body in below if not body.is_dynamic]
        self.nested = [body for body in below if body.is_dynamic]
        self.left: FloatArray | None = None
        self.left_at = -1
        self._slots = slots_of(bodies)
        self._flock: MovedBodies | None = None

    def active(self) -> list[Body]:
        """Return the dynamic bodies that are awake."""
        is_active = [node.is_active() for node in self._nodes]
        if all(is_active):
            return self.dynamic
        return [body for body, moves in zip(self.dynamic, is_active, strict=True) if moves]

    def worlds(self) -> FloatArray:
        """Return the present world matrices of the bodies' objects, `[n, 4, 4]`."""
        return np.asarray(self.transforms.world[self._slots])

    def note(self) -> None:
        """Record the present places of the objects, to detect later moves by scripts."""
        self.left, self.left_at = self.worlds(), self.transforms.revision
        for body, world in zip(self.bodies, self.left, strict=True):
            body.seen = world

    def moved_bodies(self, bodies: list[Body]) -> MovedBodies:
        """Return some bodies as `MovedBodies`.

        If they are the same as at the last call, the same object is returned.

        Args:
            bodies: the bodies.
        """
        if self._flock is None or self._flock.bodies != bodies:
            self._flock = MovedBodies(bodies, self)
        return self._flock


def slots_of(bodies: list[Body]) -> IntArray:
    """Return the slots of bodies' objects in the transform store, `[n]`."""
    return np.array([body.object.transform.slot for body in bodies], dtype=np.int64)


def spots_of(nodes: list[BulletRigidBodyNode]) -> FloatArray:
    """Return positions and quaternions `[n, 7]` of the bodies with these Bullet nodes."""
    written = Datagram()  # the numbers as they are: one by one each is a call
    for node in nodes:
        stand = node.get_transform()
        stand.get_pos().write_datagram_fixed(written)
        stand.get_quat().write_datagram_fixed(written)
    return np.frombuffer(written.get_message(), "<f4").astype(np.float64).reshape(-1, 7)


def stands_of(bodies: list[Body], spots: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return positions `[n, 3]` (metres) and rotations `[n, 3]` (degrees) of bodies' objects.

    Args:
        bodies: the bodies.
        spots: positions and quaternions of the bodies themselves, `[n, 7]`.
    """
    if all(body.is_plain for body in bodies):
        return spots[:, :3], headings_of(spots[:, 3:])
    turned = turns_of(spots[:, 3:])
    for index, body in enumerate(bodies):
        if body.lean is not None:
            turned[index] = body.lean.axes.T @ turned[index]
    middles = np.array([body.middle for body in bodies])
    return spots[:, :3] - np.einsum("ij,ijk->ik", middles, turned), rotations_of(turned)


COUNT_POINTS = BulletPersistentManifold.get_num_manifold_points
POINTS = BulletPersistentManifold.get_manifold_points
DISTANCE = BulletManifoldPoint.get_distance
Pair = tuple[str, str]
"""Ids of two bodies, in alphabetical order."""
TouchChange = tuple[str, str, Touch | None]
"""Ids of two bodies, and their contact if they began to touch; None if they parted."""


class Touches:
    """Pairs of bodies in contact; iterating yields the pairs of ids.

    Attributes:
        doubted: ids of bodies that scripts have put somewhere. The next comparison measures how
            deep they overlap others.
        watched: the manifolds of the last comparison that were asked for, each with whether the two
            bodies have just begun to touch.
    """

    def __init__(self) -> None:
        self._now: dict[Pair, Touch] = {}
        self._before: dict[Pair, Touch] = {}
        self.doubted: set[str] = set()
        self.watched: list[tuple[BulletPersistentManifold, bool]] = []

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._now)

    def others(self, bodies: Set[str]) -> set[str]:
        """Return the ids of the bodies that touch one of some bodies, given by their ids."""
        found = set()
        for first, second in self._now:
            if first in bodies:
                found.add(second)
            if second in bodies:
                found.add(first)
        return found

    def forget(self, body: str) -> list[str]:
        """Remove all contacts of a body, given by its id; return the ids of the others."""
        pairs = [pair for pair in self._now if body in pair]
        for pair in pairs:
            del self._now[pair]
        return [second if first == body else first for first, second in pairs]

    def clear(self) -> None:
        """Remove all contacts."""
        self._now.clear()
        self.doubted.clear()
        self.watched = []

    def are_deep(self, world: BulletWorld, deep: float) -> bool:
        """Return whether any two bodies overlap deeper than `deep` metres; faster than `compare`.

        Args:
            world: the Bullet world.
            deep: depth in metres.
        """
        manifolds = world.get_manifolds()
        near = compress(manifolds, map(COUNT_POINTS, manifolds))
        points = chain.from_iterable(map(POINTS, near))
        return min(map(DISTANCE, points), default=0.0) < -deep

    def compare(
        self, world: BulletWorld, watched: Set[str] = frozenset(), deep: float = math.inf
    ) -> bool:
        """Update the contacts after a step of the Bullet world.

        Args:
            world: the Bullet world.
            watched: ids of bodies whose manifolds are to be kept in `self.watched`.
            deep: depth in metres from which the manifold of a new contact is kept there, too.

        Returns:
            Whether contacts have begun or ended; `changes` says which.
        """
        now: dict[Pair, Touch] = {}
        known_ones, doubted = self._now, self.doubted
        self.watched, self.doubted = [], set()
        manifolds = world.get_manifolds()
        for manifold in compress(manifolds, map(COUNT_POINTS, manifolds)):  # most are near only
            first, second = manifold.get_node0().name, manifold.get_node1().name
            pair = (second, first) if first > second else (first, second)
            before = known_ones.get(pair)
            if watched and not watched.isdisjoint(pair):
                self.watched.append((manifold, before is None))
            if before is None or (doubted and not doubted.isdisjoint(pair)):
                self._measure(manifold, pair, now, deep)
            elif is_touch(manifold):  # they did already: the numbers are of no use
                now[pair] = before
        self._now, self._before = now, known_ones
        return now.keys() != known_ones.keys()

    def changes(self) -> list[TouchChange]:
        """Return what the last comparison changed.

        These are the contacts that began, then those that ended, each sorted by id.
        """
        now, before = self._now, self._before
        if now.keys() == before.keys():
            return []
        new = sorted(now.keys() - before.keys())
        told: list[TouchChange] = [(*pair, now[pair]) for pair in new]
        return told + [(*pair, None) for pair in sorted(before.keys() - now.keys())]

    def _measure(
        self, manifold: BulletPersistentManifold, pair: Pair, now: dict[Pair, Touch], deep: float
    ) -> None:
        """Add a contact to the present ones, and to `self.watched` if it is deep.

        Args:
            manifold: Bullet's contact points.
            pair: ids of its two bodies.
            now: the present contacts.
            deep: depth in metres from which it is added to `self.watched`.
        """
        touch = touch_of(manifold)
        if touch is None:
            return
        if touch.depth > deep and not (self.watched and self.watched[-1][0] is manifold):
            self.watched.append((manifold, pair not in self._now))
        if manifold.get_node0().name != pair[0]:
            x, y, z = touch.normal
            touch.normal = (-x, -y, -z)
        known = now.get(pair)
        if known is None or known.impulse < touch.impulse:
            now[pair] = touch

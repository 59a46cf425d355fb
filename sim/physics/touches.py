"""Which bodies of a Bullet world touch, compared from step to step."""

from __future__ import annotations

from collections.abc import Iterator

from panda3d.bullet import BulletWorld

from sim.physics.measures import Touch, is_touch, touch_of

Pair = tuple[str, str]
"""Ids of two bodies, in order."""
Told = tuple[str, str, Touch | None]
"""A pair that began to touch, and how; or one that parted, and None."""


class Touches:
    """The pairs of bodies in contact. Iterating yields the pairs."""

    def __init__(self) -> None:
        self._now: dict[Pair, Touch] = {}

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._now)

    def others(self, body: str) -> Iterator[str]:
        """Yield the ids of the bodies in contact with a body."""
        for first, second in self._now:
            if body in (first, second):
                yield second if first == body else first

    def forget(self, body: str) -> None:
        """Forget the contacts of a removed body."""
        for pair in [pair for pair in self._now if body in pair]:
            del self._now[pair]

    def clear(self) -> None:
        """Forget all contacts."""
        self._now.clear()

    def compare(self, world: BulletWorld) -> list[Told]:
        """Compare with a Bullet world after a step; return the contacts begun, then those ended."""
        now: dict[Pair, Touch] = {}
        known_ones = self._now
        for manifold in world.get_manifolds():
            if not manifold.get_num_manifold_points():
                continue  # they are near one another only
            first, second = manifold.get_node0().name, manifold.get_node1().name
            is_turned = first > second
            pair = (second, first) if is_turned else (first, second)
            before = known_ones.get(pair)
            if before is not None:  # they did already: the numbers are of no use
                if is_touch(manifold):
                    now[pair] = before
                continue
            touch = touch_of(manifold)
            if touch is None:
                continue
            if is_turned:
                touch.normal = -touch.normal
            known = now.get(pair)
            if known is None or known.impulse < touch.impulse:
                now[pair] = touch
        self._now = now
        if now.keys() == known_ones.keys():
            return []
        told: list[Told] = [(*pair, now[pair]) for pair in sorted(now.keys() - known_ones.keys())]
        return told + [(*pair, None) for pair in sorted(known_ones.keys() - now.keys())]

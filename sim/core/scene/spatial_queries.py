"""Rays and overlaps: what of a scene is where."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sim.core.scene.spatial_index import Filter, Hit, SpatialIndex, wanted_of

if TYPE_CHECKING:
    from sim.core.scene.scene_object import SceneObject


class SpatialQueries:
    """The questions that a script asks a scene about places; each needs no picture.

    Attributes:
        space: answers them.
    """

    space: SpatialIndex

    def ray_cast(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        *,
        distance: float = math.inf,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> Hit | None:
        """Return the first object that a ray meets, and where; None without any.

        Args:
            origin: metres, in the world.
            direction: of any length above 0.
            distance: how far the ray goes, metres.
            ignore: objects that are left out with all below them, such as `self.object`.
            layers: names of `Layer` components; only objects in those are met.
            where: called with an object; those for which it is false are left out.

        Raises:
            ValueError: a number is wrong, or the direction is zero.
        """
        wanted = wanted_of(ignore, layers, where)
        hits = self.space.ray(origin, direction, distance, wanted, is_first_enough=True)
        return hits[0] if hits else None

    def ray_cast_all(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        *,
        distance: float = math.inf,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> list[Hit]:
        """Return where a ray meets each object first, the nearest one first; as `ray_cast`."""
        return self.space.ray(origin, direction, distance, wanted_of(ignore, layers, where))

    def overlap_sphere(
        self,
        center: Sequence[float],
        radius: float,
        *,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> list[SceneObject]:
        """Return the objects that a ball touches or that it lies in; as `ray_cast`."""
        return self.space.in_sphere(center, radius, wanted_of(ignore, layers, where))

    def overlap_box(
        self,
        center: Sequence[float],
        size: Sequence[float],
        *,
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> list[SceneObject]:
        """Return the objects that a box touches or lies in; `size` are its sides, metres."""
        return self.space.in_box(center, size, rotation, wanted_of(ignore, layers, where))

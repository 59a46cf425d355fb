"""Rays and overlaps as methods of the scene."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sim.core.scene.spatial_index import Filter, Hit, SpatialIndex, wanted_of

if TYPE_CHECKING:
    from sim.core.scene.scene_object import SceneObject


class SpatialQueries:
    """Spatial queries of a scene; they work without graphics.

    Attributes:
        space: the spatial index.
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
        """Return the first hit of a ray; None if it hits nothing.

        Args:
            origin: world position, metres.
            direction: any non-zero vector.
            distance: length of the ray, metres.
            ignore: objects to skip with all their descendants, such as `self.object`.
            layers: names of `Layer` components; only objects in those are hit.
            where: predicate on an object; objects for which it is false are skipped.

        Raises:
            ValueError: a number is not finite, or the direction is zero.
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
        """Return the first hit of a ray on each object, nearest first; see `ray_cast`."""
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
        """Return the objects that overlap a sphere; filters as for `ray_cast`."""
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
        """Return the objects that overlap a box; `size` are its sides, metres."""
        return self.space.in_box(center, size, rotation, wanted_of(ignore, layers, where))

"""Spatial queries: rays, spheres and boxes against the collision shapes of a scene.

The queries are pure arithmetic and need no window or graphics. A broad phase tests the bounding
spheres of all objects at once; the few that remain are tested exactly.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from base.values import JsonObject
from sim.core.geometry.collision_shapes import (
    CollisionShape,
    meets_box,
    meets_sphere,
    solid_of_triangles,
    ways_to_blocks,
)
from sim.core.geometry.rotations import checked_vector, turns
from sim.core.geometry.transform import Transform, TransformStore
from sim.core.geometry.vectors import Vector3

FloatArray = npt.NDArray[np.float64]
FLAT = 1e-9  # of a determinant: what is scaled to nothing is met by nothing
MOST_STALE = 4096  # changed objects that are remembered by name


class IndexedSlot(Protocol):
    """Interface of a component's slot that the index uses."""

    type_name: str

    @property
    def is_enabled(self) -> bool:
        """Whether the component is enabled."""

    @property
    def instance(self) -> object:
        """The script; None while it cannot be loaded."""


class IndexedObject(Protocol):
    """Interface of an object that the index uses; `SceneObject` implements it."""

    id: str
    is_alive: bool
    transform: Transform

    @property
    def parent(self) -> IndexedObject | None:
        """Parent object; None for a root."""

    @property
    def components(self) -> Sequence[IndexedSlot]:
        """Slots of its components."""

    @property
    def is_active(self) -> bool:
        """Whether the object and all its ancestors are enabled."""

    @property
    def is_shown(self) -> bool:
        """Whether the object and all its ancestors are visible and enabled."""

    @property
    def is_mark(self) -> bool:
        """Whether queries ignore the object."""

    @property
    def model(self) -> JsonObject | None:
        """Model in the form of the scene file; None for none."""

    @property
    def points(self) -> npt.NDArray[np.float32] | None:
        """Point cloud `[n, 3]`, metres in the object's local space; None for none."""

    def subtree(self) -> Sequence[IndexedObject]:
        """Return the object and all its descendants, parents first."""


T = TypeVar("T", bound=IndexedObject)
Filter = Callable[[T], object]


@dataclass(frozen=True)
class Hit(Generic[T]):
    """Where a ray hits an object.

    Attributes:
        object: the object hit.
        point: world position, metres.
        normal: unit normal of the surface, towards the ray's origin.
        distance: metres from the ray's origin.
    """

    object: T
    point: Vector3
    normal: Vector3
    distance: float


@dataclass(frozen=True)
class Bounds:
    """Bounding box along the world's axes.

    Attributes:
        low: corner with the smallest coordinates `[3]`, metres.
        high: corner with the largest coordinates `[3]`, metres.
    """

    low: Vector3
    high: Vector3

    @property
    def center(self) -> Vector3:
        """Centre of the box `[3]`, metres."""
        return Vector3((self.low + self.high) / 2.0)

    @property
    def size(self) -> Vector3:
        """Extents of the box along x, y and z `[3]`, metres."""
        return Vector3(self.high - self.low)


@dataclass(frozen=True)
class QueryFilter(Generic[T]):
    """Filter of the objects that a query considers.

    Attributes:
        ignore: ids of objects to skip.
        layers: names of the layers whose objects pass; None for all.
        where: predicate on an object; None for none.
    """

    ignore: frozenset[str]
    layers: frozenset[str] | None
    where: Filter[T] | None

    def accepts(self, obj: T) -> bool:
        """Return whether an object passes the filter."""
        if obj.id in self.ignore:
            return False
        if self.layers is not None and layer_of(obj) not in self.layers:
            return False
        return self.where is None or bool(self.where(obj))


class SpatialIndex(Generic[T]):
    """Collision shapes of a scene's objects, with spatial queries on them.

    An object is included if it has a model and is visible, or if it has a RigidBody and is enabled.
    Marks (`is_mark`) are not included.

    Attributes:
        read_triangles: returns the triangles `[m, 3, 3]` of an object whose model is a file; None
            while the file is loading.
        shapes_revision: increases whenever shapes may have changed.
    """

    def __init__(
        self,
        objects: Mapping[str, T],
        transforms: TransformStore,
        shape_of_model: Callable[[JsonObject], CollisionShape],
    ) -> None:
        """Create an index; objects may be added and removed later.

        Args:
            objects: the scene's objects by id; read at each query.
            transforms: store of the objects' transforms.
            shape_of_model: returns the collision shape of a built-in model, given in the form of
                the scene file. An invalid model may raise ValueError, TypeError, KeyError or
                IndexError; it then has no shape.
        """
        self._all = objects
        self._transforms = transforms
        self._shape_of_model = shape_of_model
        self.read_triangles: Callable[[T], FloatArray | None] | None = None
        self.shapes_revision = 0
        self._solids: dict[str, CollisionShape] = {}
        self._stale: set[str] = set()
        self._is_all_stale = True  # until the first question: many scenes ask none
        self._waiting: set[str] = set()
        self._objects: list[T] = []
        self._slots = np.empty(0, dtype=np.int64)
        self._local = np.empty((0, 3))
        self._reach = np.empty(0)
        self._centers = np.empty((0, 3))
        self._radii = np.empty(0)
        self._revision = -1

    def changed(self, object_id: str) -> None:
        """Mark an object as added, removed or changed in shape; it is updated at the next query."""
        if self._is_all_stale:
            return
        self._stale.add(object_id)
        if len(self._stale) > MOST_STALE:  # nobody asks any more
            self._stale.clear()
            self._is_all_stale = True

    def solid(self, obj: T) -> CollisionShape | None:
        """Return an object's collision shape in its local space; None if it is not in the index."""
        self._refresh()
        return self._solids.get(obj.id)

    def bounds(self, obj: T) -> Bounds | None:
        """Return the bounding box of an object's model along the world's axes.

        None if the object has no model or it is still loading.
        """
        solid = self.solid(obj)
        if solid is None and obj.is_alive and obj.model is not None:
            solid = self._solid_of_model(obj, obj.model)
        if solid is None or obj.model is None:
            return None
        points = solid.triangles.reshape(-1, 3)
        if obj.model.get("builtin") == "points":
            if obj.points is None or not len(obj.points):
                return None
            points = obj.points.astype(np.float64)
        world = np.asarray(obj.transform.world_matrix, dtype=np.float64)
        placed = points @ world[:3, :3] + world[3, :3]
        return Bounds(Vector3(placed.min(axis=0)), Vector3(placed.max(axis=0)))

    def solids(self) -> Mapping[str, CollisionShape]:
        """Return all collision shapes by object id; the result is valid until the scene changes."""
        self._update_changed_shapes()
        return self._solids

    def extent(self, largest: float) -> tuple[FloatArray, float]:
        """Return a sphere around all shapes.

        Args:
            largest: radius in metres. Shapes whose own bounding sphere is larger are ignored.

        Returns:
            (centre `[3]`, radius), metres. If no shape is left, the origin and 1.
        """
        self._refresh()
        chosen = self._radii <= largest
        if not chosen.any():
            return np.zeros(3), 1.0
        centers, radii = self._centers[chosen], self._radii[chosen, None]
        low, high = (centers - radii).min(axis=0), (centers + radii).max(axis=0)
        middle = (low + high) / 2.0
        away = np.linalg.norm(centers - middle, axis=1) + radii[:, 0]
        return middle, float(away.max())

    def shape_of(self, obj: T) -> CollisionShape | None:
        """Return the shape of an object's model, even if it is hidden; None if there is none.

        It is also None while the model's file is loading.
        """
        return None if obj.model is None else self._solid_of_model(obj, obj.model)

    def is_waiting(self, obj: T) -> bool:
        """Return whether an object's model file is still loading."""
        return obj.id in self._waiting

    # -- questions ----------------------------------------------------------------------------

    def ray(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        distance: float,
        wanted: QueryFilter[T],
        *,
        is_first_enough: bool = False,
    ) -> list[Hit[T]]:
        """Return the first hit of a ray on each object, nearest first.

        Args:
            origin: world position, metres.
            direction: any non-zero vector.
            distance: length of the ray, metres.
            wanted: filter of the objects.
            is_first_enough: whether to return only the nearest hit of all, which is faster.

        Raises:
            ValueError: the direction is zero, the distance not positive, or a number not finite.
        """
        start, way = checked_vector(origin, "origin"), checked_vector(direction, "direction")
        length = float(np.linalg.norm(way))
        if length == 0.0 or not distance > 0.0:
            raise ValueError(
                f"ray: expected a direction and a distance above 0, got {direction!r}, {distance!r}"
            )
        way = way / length
        self._refresh()
        to = self._centers - start
        along = to @ way
        room = self._radii**2 - (np.einsum("ij,ij->i", to, to) - along**2)
        half = np.sqrt(np.maximum(room, 0.0))
        near = along - half
        chosen = np.flatnonzero((room >= 0.0) & (along + half >= 0.0) & (near <= distance))
        hits: list[Hit[T]] = []
        for index in chosen[np.argsort(near[chosen], kind="stable")]:
            if is_first_enough and near[index] > distance:
                break
            obj = self._objects[index]
            hit = self._meet(obj, start, way, distance) if wanted.accepts(obj) else None
            if hit is not None:
                hits.append(hit)
                distance = hit.distance if is_first_enough else distance
        hits.sort(key=lambda hit: hit.distance)
        return hits[:1] if is_first_enough else hits

    def ways(
        self,
        origin: Sequence[float],
        directions: FloatArray,
        distance: float,
        wanted: QueryFilter[T],
    ) -> FloatArray:
        """Return how far many rays from one point reach, `[n]` metres.

        Each number is exactly the distance of the nearest hit that `ray` finds; infinity for no
        hit.

        Args:
            origin: world position, metres.
            directions: vectors of any length above 0, `[n, 3]`.
            distance: length of the rays, metres.
            wanted: filter of the objects.

        Raises:
            ValueError: a direction is zero, the distance not positive, or a number not finite.
        """
        start, rays = checked_vector(origin, "origin"), np.asarray(directions, np.float64)
        lengths = np.sqrt(_products(rays, rays))
        if not (np.isfinite(lengths) & (lengths > 0.0)).all() or not distance > 0.0:
            raise ValueError(
                "rays: expected finite directions and a distance above 0, got "
                f"{directions!r}, {distance!r}"
            )
        rays = rays / lengths[:, None]
        self._refresh()
        to = self._centers - start
        along = to @ rays.T  # [objects, n]
        away = np.einsum("ij,ij->i", to, to)
        room = (self._radii**2)[:, None] - (away[:, None] - along**2)
        half = np.sqrt(np.maximum(room, 0.0))
        is_near = (room >= 0.0) & (along + half >= 0.0) & (along - half <= distance)
        for index in np.flatnonzero(is_near.any(axis=1)).tolist():
            if not wanted.accepts(self._objects[index]):
                is_near[index] = False
        return self._first_ways(start, rays, distance, is_near)

    def _first_ways(
        self, start: FloatArray, rays: FloatArray, distance: float, is_near: npt.NDArray[np.bool_]
    ) -> FloatArray:
        """Return the distance from the start to the first hit of each ray, `[n]` metres.

        Only the objects that `is_near` allows for a ray are tested. The distance is infinity for no
        hit.

        Args:
            start: common origin of the rays `[3]`, metres.
            rays: unit vectors, `[n, 3]`.
            distance: length of the rays, metres.
            is_near: whether an object could be hit by a ray, `[objects, n]`.
        """
        nearest = np.full(len(rays), np.inf)
        objects = np.flatnonzero(is_near.any(axis=1))
        worlds = self._transforms.world[self._slots[objects]]
        is_whole = np.abs(np.linalg.det(worlds[:, :3, :3])) >= FLAT
        objects, worlds = objects[is_whole], worlds[is_whole]
        if not len(objects):
            return nearest
        backs = np.linalg.inv(worlds[:, :3, :3])
        origins = _turned(start - worlds[:, 3, :3], backs)
        which, ray = np.nonzero(is_near[objects])  # pairs of an object and a ray
        found = self._ways_of(objects, which, origins[which], _turned(rays[ray], backs[which]))
        np.minimum.at(nearest, ray, np.where(found > distance, np.inf, found))
        return nearest

    def _ways_of(
        self,
        objects: npt.NDArray[np.int64],
        which: npt.NDArray[np.int64],
        origins: FloatArray,
        directions: FloatArray,
    ) -> FloatArray:
        """Return for each pair of an object and a ray how far away the hit is, `[P]` metres.

        The distance is infinity for no hit. All boxes are computed at once, other shapes one by
        one.

        Args:
            objects: numbers of the objects in this index.
            which: position in `objects` of each pair's object, `[P]`.
            origins: origin of each pair's ray in the object's local space, `[P, 3]`.
            directions: direction of each pair's ray in the object's local space, `[P, 3]`.
        """
        solids = [self._solids[self._objects[index].id] for index in objects.tolist()]
        blocks = np.array([np.zeros((3, 3)) if s.block is None else s.block for s in solids])
        is_block = np.array([solid.block is not None for solid in solids])
        found = ways_to_blocks(blocks[which], origins, directions)
        for pair in np.flatnonzero(~is_block[which]).tolist():
            met = solids[which[pair]].meet(origins[pair], directions[pair])
            found[pair] = np.inf if met is None else met[0]
        return found

    def in_sphere(self, center: Sequence[float], radius: float, wanted: QueryFilter[T]) -> list[T]:
        """Return the objects that overlap a sphere.

        Args:
            center: world position, metres.
            radius: metres.
            wanted: filter of the objects.

        Raises:
            ValueError: the radius is not positive, or a number is not finite.
        """
        middle = checked_vector(center, "center")
        if not 0.0 < radius < math.inf:
            raise ValueError(f"radius: expected a positive number of metres, got {radius!r}")
        near = self._around(middle, radius, wanted)
        return [obj for obj, triangles in near if meets_sphere(triangles, middle, radius)]

    def in_box(
        self,
        center: Sequence[float],
        size: Sequence[float],
        rotation: Sequence[float],
        wanted: QueryFilter[T],
    ) -> list[T]:
        """Return the objects that overlap a rotated box.

        Args:
            center: world position of the box's centre, metres.
            size: lengths of its sides, metres.
            rotation: heading, pitch and roll in degrees.
            wanted: filter of the objects.

        Raises:
            ValueError: a side is not positive, or a number is not finite.
        """
        middle, half = checked_vector(center, "center"), checked_vector(size, "size") / 2.0
        if (half <= 0.0).any():
            raise ValueError(f"size: expected three positive numbers of metres, got {size!r}")
        back = turns(checked_vector(rotation, "rotation")).T
        near = self._around(middle, float(np.linalg.norm(half)), wanted)
        return [obj for obj, triangles in near if meets_box((triangles - middle) @ back, half)]

    def _around(
        self, middle: FloatArray, radius: float, wanted: QueryFilter[T]
    ) -> Iterator[tuple[T, FloatArray]]:
        """Yield the objects near a point, each with its triangles in world space, `[m, 3, 3]`.

        Args:
            middle: world position `[3]`, metres.
            radius: metres; only objects whose bounding sphere comes this close are yielded.
            wanted: filter of the objects.
        """
        self._refresh()
        gaps = np.linalg.norm(self._centers - middle, axis=1)
        for index in np.flatnonzero(gaps <= self._radii + radius):
            obj = self._objects[index]
            if wanted.accepts(obj):
                world = self._transforms.world[obj.transform.slot]
                yield obj, self._solids[obj.id].triangles @ world[:3, :3] + world[3, :3]

    def _meet(self, obj: T, start: FloatArray, way: FloatArray, distance: float) -> Hit[T] | None:
        world = self._transforms.world[obj.transform.slot]
        if abs(np.linalg.det(world[:3, :3])) < FLAT:
            return None
        back = np.linalg.inv(world[:3, :3])
        met = self._solids[obj.id].meet((start - world[3, :3]) @ back, way @ back)
        if met is None or met[0] > distance:
            return None
        normal = met[1] @ back.T
        normal = normal / max(float(np.linalg.norm(normal)), 1e-300)
        if normal @ way > 0.0:
            normal = -normal
        return Hit(obj, Vector3(start + met[0] * way), Vector3(normal), float(met[0]))

    # -- keeping up ---------------------------------------------------------------------------

    def _update_changed_shapes(self) -> None:
        if self._is_all_stale or self._stale or self._waiting:
            self._update_shapes()

    def _refresh(self) -> None:
        self._update_changed_shapes()
        transforms = self._transforms
        transforms.refresh()
        if self._revision != transforms.revision:
            self._revision = transforms.revision
            world = transforms.world[self._slots]
            turn = world[:, :3, :3]
            self._centers = np.einsum("ij,ijk->ik", self._local, turn) + world[:, 3, :3]
            rows = np.abs(turn @ np.swapaxes(turn, 1, 2)).sum(axis=2)  # Gershgorin's bound
            most = rows.max(axis=1) if len(rows) else np.empty(0)
            self._radii = self._reach * np.sqrt(most) * (1.0 + 1e-9) + 1e-9

    def _update_shapes(self) -> None:
        self.shapes_revision += 1
        if self._is_all_stale:
            self._is_all_stale = False
            self._solids.clear()
            self._waiting = set(self._all)
        stale, self._stale = self._stale | self._waiting, set()
        self._waiting = set()
        for object_id in stale:
            obj = self._all.get(object_id)
            solid = None if obj is None else self._solid_of(obj)
            if solid is None:
                self._solids.pop(object_id, None)
            else:
                self._solids[object_id] = solid
        objects = self._all
        self._objects = [obj for key, obj in objects.items() if key in self._solids]
        self._slots = np.array([obj.transform.slot for obj in self._objects], dtype=np.int64)
        solids = [self._solids[obj.id] for obj in self._objects]
        self._local = np.array([solid.center for solid in solids]).reshape(-1, 3)
        self._reach = np.array([solid.reach for solid in solids])
        self._revision = -1

    def _solid_of(self, obj: T) -> CollisionShape | None:
        if obj.is_mark:
            return None
        body = next((slot for slot in obj.components if slot.type_name == "sim:RigidBody"), None)
        if not obj.is_alive or not (obj.is_active if body is not None else obj.is_shown):
            return None
        model = obj.model
        if model is None:
            if body is None or body.instance is None:
                return None
            if getattr(body.instance, "shape", "") == "parts":
                return None  # they are what is seen of it, or met
            model = {"builtin": "box", "size": list(getattr(body.instance, "size", (1, 1, 1)))}
        return self._solid_of_model(obj, model)

    def _solid_of_model(self, obj: T, model: JsonObject) -> CollisionShape | None:
        if "asset" in model:
            return self._solid_of_file(obj)
        with contextlib.suppress(ValueError, TypeError, KeyError, IndexError):
            return self._shape_of_model(model)  # what is wrong is told where it is drawn
        return None

    def _solid_of_file(self, obj: T) -> CollisionShape | None:
        if self.read_triangles is None:
            return None
        triangles = self.read_triangles(obj)
        if triangles is None:
            self._waiting.add(obj.id)
            return None
        return solid_of_triangles(triangles) if len(triangles) else None


def _products(ones: FloatArray, others: FloatArray) -> FloatArray:
    """Return the scalar products of pairs of vectors, `[n]`.

    The result of a pair does not depend on how many pairs there are, not even in its last bit.

    Args:
        ones: first vector of each pair, `[n, 3]`.
        others: second vector of each pair, `[n, 3]`.
    """
    return np.asarray((ones[:, None, :] @ others[:, :, None])[:, 0, 0])


def _turned(vectors: FloatArray, matrices: FloatArray) -> FloatArray:
    """Return each vector times its own matrix, `[n, 3]`.

    The result of a pair does not depend on how many pairs there are, not even in its last bit.

    Args:
        vectors: row vectors, `[n, 3]`.
        matrices: one matrix for each vector, `[n, 3, 3]`.
    """
    return np.asarray((vectors[:, None, :] @ matrices)[:, 0])


def layer_of(obj: IndexedObject) -> str:
    """Return the layer of an object: the name in its own or its nearest ancestor's Layer.

    Empty if neither the object nor an ancestor has an enabled Layer component.
    """
    item: IndexedObject | None = obj
    while item is not None:
        for slot in item.components:
            if slot.type_name == "sim:Layer" and slot.is_enabled and slot.instance is not None:
                return str(slot.instance.name)  # type: ignore[attr-defined]
        item = item.parent
    return ""


def query_filter(
    ignore: IndexedObject | Collection[IndexedObject],
    layers: str | Collection[str] | None,
    where: Filter[T] | None,
) -> QueryFilter[T]:
    """Build the filter of a query.

    Args:
        ignore: an object or several, to be skipped with all their descendants.
        layers: a layer's name or several; None for all.
        where: predicate on an object; None for none.
    """
    tops = ignore if isinstance(ignore, Collection) else (ignore,)
    names = None
    if layers is not None:
        names = frozenset([layers] if isinstance(layers, str) else layers)
    return QueryFilter(frozenset(item.id for top in tops for item in top.subtree()), names, where)

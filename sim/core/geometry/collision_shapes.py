"""Collision shapes of models, in model space, for ray casts and overlap tests.

Boxes, spheres, cylinders and capsules are exact. All other shapes are the triangles that are drawn.
Surfaces are hit from both sides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sim.core.geometry.builtin_models import ModelKind, ModelRegistry
from sim.core.geometry.meshes import UNKNOWN_SIZE, Mesh

FloatArray = npt.NDArray[np.float64]
Meeting = tuple[float, FloatArray]
"""Where a ray hits a surface: the distance and the surface normal `[3]`.

The distance is counted in lengths of the ray's direction vector, not in metres.
"""
Meet = Callable[[FloatArray, FloatArray], Meeting | None]
TINY = 1e-12
INSIDE = 0.75  # winding number inside a closed surface is 1; in front of an open one 1/2 at most


@dataclass(frozen=True, eq=False)
class CollisionShape:
    """The collision shape of a model, in model space.

    Attributes:
        kind: "box", "sphere", "cylinder", "capsule" or "mesh".
        center: centre of the bounding box, metres.
        half: half the lengths of the bounding box's sides, metres.
        triangles: corners of its triangles, `[m, 3, 3]` metres.
        meet: function of a ray's origin and direction that returns the ray's first hit, a
            `Meeting`; None for no hit.
        radius: radius of a sphere, cylinder or capsule, metres.
        block: the box as an array `[3, 3]`, for boxes only. Its rows are the lowest corner, the
            highest corner, and the offset by which both were moved. None for other kinds.
    """

    kind: str
    center: FloatArray
    half: FloatArray
    triangles: FloatArray
    meet: Meet
    radius: float = 0.0
    block: FloatArray | None = None

    @property
    def reach(self) -> float:
        """Radius in metres of the sphere around `center` that contains the shape."""
        return float(np.linalg.norm(self.half))

    @property
    def corners(self) -> FloatArray:
        """The distinct vertices of its triangles, `[n, 3]`."""
        return np.unique(self.triangles.reshape(-1, 3).round(6), axis=0)


def solid_of(model: Mapping[str, object], models: ModelRegistry | None = None) -> CollisionShape:
    """Return the collision shape of a built-in model; a box for an unknown one.

    Args:
        model: the model in the form of the scene file.
        models: registry of models; None for the engine's own only.

    Raises:
        ValueError: the model's numbers are wrong.
    """
    kind = (models or ModelRegistry()).kind(model.get("builtin"))
    try:
        return _made(json.dumps(model, sort_keys=True), kind)
    except TypeError as error:
        raise ValueError(f"model: expected plain numbers and texts, found {model!r}") from error


@lru_cache(maxsize=512)
def _made(text: str, kind: ModelKind | None) -> CollisionShape:
    model = json.loads(text)
    mesh = Mesh.box(*UNKNOWN_SIZE, top=UNKNOWN_SIZE[2] / 2) if kind is None else kind.unmoved(model)
    triangles = mesh.points.astype(np.float64)[mesh.indices]
    name = "box" if kind is None else kind.shape
    shape = solid_of_triangles(triangles, name, float(model.get("radius", 0.5)))
    return shape if kind is None else moved(shape, kind.way_of(model, mesh))


def moved(shape: CollisionShape, way: FloatArray) -> CollisionShape:
    """Return a collision shape moved by `way` `[3]`, metres."""
    if not way.any():
        return shape
    block = shape.block
    if block is not None:  # moved twice: only `meet` handles it
        block = None if block[2].any() else np.stack([*block[:2], way])
    return replace(
        shape,
        block=block,
        center=shape.center + way,
        triangles=shape.triangles + way,
        meet=lambda origin, direction: shape.meet(origin - way, direction),
    )


def solid_of_triangles(
    triangles: FloatArray, shape: str = "mesh", radius: float = 0.5
) -> CollisionShape:
    """Return the collision shape of a mesh.

    Args:
        triangles: corners of its triangles, `[m, 3, 3]` metres.
        shape: kind of shape, see `ModelKind.shape`. "mesh" uses the triangles themselves; the other
            kinds replace them by a simple solid that fits them.
        radius: radius of a sphere, cylinder or capsule, metres.
    """
    points = triangles.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    center, half = (low + high) / 2.0, (high - low) / 2.0
    meet, block = _meet_triangles(triangles), None
    if shape == "box":
        meet, block = _meet_box(low, high), np.stack([low, high, np.zeros(3)])
    elif shape == "sphere":
        meet = _meet_sphere(radius)
        center, half = np.zeros(3), np.full(3, radius)
    elif shape == "cylinder":
        meet = _meet_cylinder(radius, float(high[2]))
    elif shape == "capsule":
        meet = _meet_capsule(radius, float(high[2]) - radius)
    return CollisionShape(shape, center, half, triangles, meet, radius, block)


# -- rays ---------------------------------------------------------------------------------------


def _meet_sphere(radius: float) -> Meet:
    def meet(origin: FloatArray, direction: FloatArray) -> Meeting | None:
        way = _first(_sphere_roots(origin, direction, radius))
        return None if way is None else (way, (origin + way * direction) / radius)

    return meet


def _meet_box(low: FloatArray, high: FloatArray) -> Meet:
    def meet(origin: FloatArray, direction: FloatArray) -> Meeting | None:
        step = np.where(np.abs(direction) < TINY, TINY, direction)
        one, other = (low - origin) / step, (high - origin) / step
        near, far = np.minimum(one, other), np.maximum(one, other)
        enter, leave = int(near.argmax()), int(far.argmin())
        if near[enter] > far[leave] or far[leave] < 0.0:
            return None
        axis, way = (enter, near[enter]) if near[enter] >= 0.0 else (leave, far[leave])
        normal = np.zeros(3)
        middle = (low[axis] + high[axis]) / 2.0
        normal[axis] = math.copysign(1.0, origin[axis] + way * step[axis] - middle)
        return float(way), normal

    return meet


def ways_to_blocks(blocks: FloatArray, origins: FloatArray, directions: FloatArray) -> FloatArray:
    """Return where each of P rays hits its own box; there are as many boxes as rays.

    The results equal those of `CollisionShape.meet` exactly.

    Args:
        blocks: `[P, 3, 3]`, see `CollisionShape.block`.
        origins: `[P, 3]` start of each ray, in the model space of its box.
        directions: `[P, 3]` direction of each ray, in the same space.

    Returns:
        `[P]` distances from the start, each divided by the length of the ray's direction vector;
        infinity for no hit.
    """
    low, high, moved_by = blocks[:, 0], blocks[:, 1], blocks[:, 2]
    starts = origins - moved_by
    step = np.where(np.abs(directions) < TINY, TINY, directions)
    one, other = (low - starts) / step, (high - starts) / step
    enter = np.minimum(one, other).max(axis=1)
    leave = np.maximum(one, other).min(axis=1)
    is_missed = (enter > leave) | (leave < 0.0)
    return np.where(is_missed, np.inf, np.where(enter >= 0.0, enter, leave))


def _meet_cylinder(radius: float, height: float) -> Meet:
    def meet(origin: FloatArray, direction: FloatArray) -> Meeting | None:
        found: list[Meeting] = []
        for way in _sphere_roots(origin[:2], direction[:2], radius):
            at = origin + way * direction
            if 0.0 <= at[2] <= height:
                found.append((way, np.array([at[0], at[1], 0.0]) / radius))
        for level, up in ((0.0, -1.0), (height, 1.0)):
            if abs(direction[2]) > TINY:
                way = float((level - origin[2]) / direction[2])
                at = origin + way * direction
                if at[0] ** 2 + at[1] ** 2 <= radius**2:
                    found.append((way, np.array([0.0, 0.0, up])))
        return _nearest(found)

    return meet


def _meet_capsule(radius: float, straight: float) -> Meet:
    def meet(origin: FloatArray, direction: FloatArray) -> Meeting | None:
        found: list[Meeting] = []
        for way in _sphere_roots(origin[:2], direction[:2], radius):
            at = origin + way * direction
            if abs(at[2]) <= straight:
                found.append((way, np.array([at[0], at[1], 0.0]) / radius))
        for end in (-straight, straight):
            middle = np.array([0.0, 0.0, end])
            for way in _sphere_roots(origin - middle, direction, radius):
                at = origin + way * direction - middle
                if at[2] * math.copysign(1.0, end or at[2]) >= 0.0:
                    found.append((way, at / radius))
        return _nearest(found)

    return meet


def _meet_triangles(triangles: FloatArray) -> Meet:
    """Return a function that intersects a ray with all triangles at once.

    It uses the method of Möller and Trumbore (1997).

    Args:
        triangles: corners of the triangles, `[m, 3, 3]`.
    """
    corner = triangles[:, 0]
    along, across = triangles[:, 1] - corner, triangles[:, 2] - corner

    def meet(origin: FloatArray, direction: FloatArray) -> Meeting | None:
        p = np.cross(direction, across)
        det = np.einsum("ij,ij->i", along, p)
        inverse = 1.0 / np.where(np.abs(det) < TINY, np.inf, det)
        away = origin - corner
        u = np.einsum("ij,ij->i", away, p) * inverse
        q = np.cross(away, along)
        v = (q @ direction) * inverse
        way = np.einsum("ij,ij->i", across, q) * inverse
        is_met = (inverse != 0.0) & (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
        is_met &= way >= 0.0
        if not is_met.any():
            return None
        best = int(np.where(is_met, way, np.inf).argmin())
        return float(way[best]), np.cross(along[best], across[best])

    return meet


def _sphere_roots(origin: FloatArray, direction: FloatArray, radius: float) -> tuple[float, ...]:
    """Return where a line meets a sphere (in 2D a circle) around the origin.

    Args:
        origin: start of the line, `[3]` or `[2]`.
        direction: direction of the line.
        radius: radius of the sphere.

    Returns:
        Two distances from the start, each divided by the length of `direction`; empty if the line
        misses.
    """
    a = float(direction @ direction)
    if a < TINY:
        return ()
    b, c = float(origin @ direction), float(origin @ origin) - radius**2
    room = b * b - a * c
    if room < 0.0:
        return ()
    root = math.sqrt(room)
    return ((-b - root) / a, (-b + root) / a)


def _first(ways: tuple[float, ...]) -> float | None:
    return min((way for way in ways if way >= 0.0), default=None)


def _nearest(found: list[Meeting]) -> Meeting | None:
    ahead = [item for item in found if item[0] >= 0.0]
    return min(ahead, key=lambda item: item[0]) if ahead else None


# -- volumes ------------------------------------------------------------------------------------


def meets_sphere(triangles: FloatArray, center: FloatArray, radius: float) -> bool:
    """Return whether a sphere and a solid overlap, also if one is inside the other.

    Args:
        triangles: surface of the solid, `[m, 3, 3]`.
        center: centre of the sphere, `[3]`.
        radius: radius of the sphere.
    """
    gap = _squared_distances(triangles, center).min()
    return bool(gap <= radius * radius) or is_inside(triangles, center)


def meets_box(triangles: FloatArray, half: FloatArray) -> bool:
    """Return whether a box and a solid overlap, also if the box is inside the solid.

    Separating axes of Akenine-Möller, Fast 3D Triangle-Box Overlap Testing (2001).

    Args:
        triangles: surface of the solid, `[m, 3, 3]`.
        half: half the sides of the box, `[3]`; it is axis-aligned and centred at the origin.
    """
    edges = np.roll(triangles, -1, axis=1) - triangles
    axes = [np.broadcast_to(axis, (len(triangles), 3)) for axis in np.eye(3)]
    axes.append(np.cross(edges[:, 0], edges[:, 1]))
    axes += [np.cross(axis, edges[:, number]) for axis in np.eye(3) for number in range(3)]
    is_apart = np.zeros(len(triangles), dtype=bool)
    for axis in axes:
        spots = np.einsum("ijk,ik->ij", triangles, axis)
        reach = np.abs(axis) @ half
        is_apart |= (spots.min(axis=1) > reach) | (spots.max(axis=1) < -reach)
    return not is_apart.all() or is_inside(triangles, np.zeros(3))


def is_inside(triangles: FloatArray, point: FloatArray) -> bool:
    """Return whether a point is inside a closed surface, by the sum of the solid angles.

    Van Oosterom and Strackee (1983).

    Args:
        triangles: the surface, `[m, 3, 3]`.
        point: `[3]`.
    """
    a, b, c = np.moveaxis(triangles - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    below = la * lb * lc + np.einsum("ij,ij->i", a, b) * lc
    below += np.einsum("ij,ij->i", b, c) * la + np.einsum("ij,ij->i", c, a) * lb
    return bool(abs(np.arctan2(volume, below).sum() / (2.0 * math.pi)) > INSIDE)


def _squared_distances(triangles: FloatArray, point: FloatArray) -> FloatArray:
    """Return the squared distance of a point to each triangle, `[m]`."""
    nearest = np.full(len(triangles), np.inf)
    for number in range(3):
        start = triangles[:, number]
        edge = triangles[:, (number + 1) % 3] - start
        length = np.maximum(np.einsum("ij,ij->i", edge, edge), TINY)
        share = np.clip(np.einsum("ij,ij->i", point - start, edge) / length, 0.0, 1.0)
        gap = point - start - share[:, None] * edge
        nearest = np.minimum(nearest, np.einsum("ij,ij->i", gap, gap))
    corner = triangles[:, 0]
    along, across = triangles[:, 1] - corner, triangles[:, 2] - corner
    normal = np.cross(along, across)
    size = np.einsum("ij,ij->i", normal, normal)
    is_flat = size > TINY
    away = point - corner
    size = np.where(is_flat, size, 1.0)
    v = np.einsum("ij,ij->i", np.cross(along, away), normal) / size
    u = np.einsum("ij,ij->i", np.cross(away, across), normal) / size
    height = np.einsum("ij,ij->i", away, normal) ** 2 / size
    is_over = is_flat & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
    return np.asarray(np.where(is_over, np.minimum(nearest, height), nearest))

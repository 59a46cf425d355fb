"""Triangulation of polygons."""

from __future__ import annotations

import numpy as np

from sim.core.assets.animation.poses import FloatArray, IntArray

MOST_CORNERS = 512  # of a polygon whose ears are cut one by one; larger ones are fanned


def triangulate(
    starts: IntArray, counts: IntArray, points: FloatArray
) -> tuple[IntArray, IntArray]:
    """Triangulate polygons.

    Args:
        starts: `[F]` the first corner of each polygon.
        counts: `[F]` its number of corners.
        points: `[C, 3]` where each corner is.

    Returns:
        `[T, 3]` corners, and `[T]` the polygon of each triangle.
    """
    parts, owners = [np.empty((0, 3), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    three = np.flatnonzero(counts == 3)
    parts.append(starts[three, None] + np.arange(3))
    owners.append(three)
    four = np.flatnonzero(counts == 4)
    if len(four):
        parts.append(_quads(starts[four], points))
        owners.append(np.repeat(four, 2))
    for face in np.flatnonzero(counts > 4).tolist():
        start, count = int(starts[face]), int(counts[face])
        cut = _polygon(points[start : start + count])
        parts.append(cut + start)
        owners.append(np.full(len(cut), face, dtype=np.int64))
    return np.concatenate(parts), np.concatenate(owners)


def _quads(starts: IntArray, points: FloatArray) -> IntArray:
    """Cut each quad along the diagonal whose two triangles face the same way, else the shorter."""
    a, b, c, d = (points[starts + corner] for corner in range(4))
    one = np.einsum("ij,ij->i", np.cross(b - a, c - a), np.cross(c - a, d - a))
    other = np.einsum("ij,ij->i", np.cross(b - a, d - a), np.cross(c - b, d - b))
    is_short = np.linalg.norm(c - a, axis=1) <= np.linalg.norm(d - b, axis=1) + 1e-12
    takes_first = np.where((one >= 0) == (other >= 0), is_short, one >= other)
    first = np.array([[0, 1, 2], [0, 2, 3]])
    second = np.array([[0, 1, 3], [1, 2, 3]])
    chosen = np.where(takes_first[:, None, None], first, second)
    return np.asarray((starts[:, None, None] + chosen).reshape(-1, 3))


def _polygon(corners: FloatArray) -> IntArray:
    """Cut the ears of one polygon."""
    count = len(corners)
    following = np.roll(corners, -1, axis=0)
    normal = np.cross(corners, following).sum(axis=0)  # Newell's
    if count > MOST_CORNERS or not np.linalg.norm(normal) > 1e-20:
        return np.array([[0, k, k + 1] for k in range(1, count - 1)], dtype=np.int64)
    axis = int(np.argmax(np.abs(normal)))
    flat = np.delete(corners, axis, axis=1)
    if (normal[axis] < 0) != (axis == 1):
        flat = flat * np.array([-1.0, 1.0])
    left, found = list(range(count)), []
    while len(left) > 3:
        ear = next((k for k in range(len(left)) if _is_ear(flat, left, k)), 0)
        before, after = left[ear - 1], left[(ear + 1) % len(left)]
        found.append([before, left[ear], after])
        del left[ear]
    return np.array([*found, left], dtype=np.int64)


def _is_ear(flat: FloatArray, left: list[int], k: int) -> bool:
    a, b, c = flat[left[k - 1]], flat[left[k]], flat[left[(k + 1) % len(left)]]
    if _turn(a, b, c) <= 0.0:
        return False
    others = [
        item for item in left if item not in (left[k - 1], left[k], left[(k + 1) % len(left)])
    ]
    return not any(min(_turn(a, b, p), _turn(b, c, p), _turn(c, a, p)) >= 0.0 for p in flat[others])


def _turn(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

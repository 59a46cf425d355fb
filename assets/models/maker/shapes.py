"""Turned shapes as arrays: metres, z up, the figure looks along +y."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass
class Shape:
    """A closed surface: `[N, 3]` points and normals, `[T, 3]` triangles."""

    points: FloatArray
    normals: FloatArray
    triangles: npt.NDArray[np.int64]

    def moved(self, matrix: FloatArray | None = None, place: Any = (0.0, 0.0, 0.0)) -> Shape:
        """Return the shape turned and scaled by `matrix` `[3, 3]`, then moved."""
        m = np.eye(3) if matrix is None else matrix
        normals = self.normals @ np.linalg.inv(m).T
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        return Shape(self.points @ m + np.asarray(place, dtype=np.float64), normals, self.triangles)


def turned(profile: Any, sides: int = 24) -> Shape:
    """Turn a profile of (radius, height), from the bottom up, around z."""
    line = np.asarray(profile, dtype=np.float64)
    slope = np.gradient(line, axis=0)
    outward = np.stack([slope[:, 1], -slope[:, 0]], axis=1)
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-12)
    angle = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    high = np.broadcast_to(line[:, 1], (sides, len(line)))
    up = np.broadcast_to(outward[:, 1], (sides, len(line)))
    points = np.stack([c * line[:, 0], s * line[:, 0], high], axis=-1).reshape(-1, 3)
    normals = np.stack([c * outward[:, 0], s * outward[:, 0], up], axis=-1).reshape(-1, 3)
    n = len(line)
    first = (np.arange(sides)[:, None] * n + np.arange(n - 1)).ravel()
    beside = (first + n) % (sides * n)
    quads = np.stack([first, beside, beside + 1, first + 1], axis=1)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    corners = points[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return Shape(points, normals, triangles[np.linalg.norm(area, axis=1) > 1e-12])


def smooth(points: Any, rounds: int = 2) -> FloatArray:
    """Round the corners of a line by cutting them (Chaikin)."""
    line = np.asarray(points, dtype=np.float64)
    for _ in range(rounds):
        low, high = line[:-1] * 0.75 + line[1:] * 0.25, line[:-1] * 0.25 + line[1:] * 0.75
        line = np.concatenate([line[:1], np.stack([low, high], axis=1).reshape(-1, 2), line[-1:]])
    return line


def ball(sides: int = 20, rings: int = 14, *, low: float = -90.0, high: float = 90.0) -> Shape:
    """Return a sphere of radius 1, or its part between two latitudes in degrees."""
    angle = np.radians(np.linspace(low, high, rings))
    return turned(np.stack([np.cos(angle), np.sin(angle)], axis=1), sides)


def rod(length: float, thick: float, thin: float, *, sides: int = 12, rings: int = 12) -> Shape:
    """Return a rod with round ends that hangs from the origin along -z."""
    share = np.linspace(0.0, 1.0, rings)
    round_off = np.sqrt(np.clip(1.0 - np.clip(np.abs(share * 2 - 1) * 1.12 - 0.12, 0, 1) ** 6, 0, 1))
    radius = (thin + (thick - thin) * share) * round_off  # from the lower end up
    return turned(np.stack([radius, (share - 1.0) * length], axis=1), sides)


def arc(radius: float, thick: float, begin: float, end: float) -> Shape:
    """Return a bent round stick in the xz plane around the origin, between two angles."""
    along = np.radians(np.linspace(begin, end, 13))
    around = np.linspace(0.0, 2.0 * np.pi, 7)[:-1]
    taper = np.sqrt(np.clip(1.0 - np.linspace(-1, 1, 13) ** 6, 0.02, 1.0)) * thick
    out = np.stack([np.cos(along), np.zeros(13), np.sin(along)], axis=1)
    side = np.array([0.0, 1.0, 0.0])
    normals = (out[:, None] * np.cos(around)[:, None] + side * np.sin(around)[:, None])
    points = out[:, None] * radius + normals * taper[:, None, None]
    n = len(around)
    first = (np.arange(12)[:, None] * n + np.arange(n)).ravel()
    beside = (np.arange(12)[:, None] * n + (np.arange(n) + 1) % n).ravel()
    quads = np.stack([first, first + n, beside + n, beside], axis=1)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Shape(points.reshape(-1, 3), normals.reshape(-1, 3), triangles)


def about(axis: str, degrees: float) -> FloatArray:
    """Return the turn `[3, 3]` about an axis, for row vectors."""
    a = np.radians(degrees)
    c, s = np.cos(a), np.sin(a)
    return np.array({
        "x": [[1, 0, 0], [0, c, s], [0, -s, c]],
        "y": [[c, 0, -s], [0, 1, 0], [s, 0, c]],
        "z": [[c, s, 0], [-s, c, 0], [0, 0, 1]],
    }[axis], dtype=np.float64)  # fmt: skip

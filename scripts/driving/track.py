"""A closed track between two walls: its middle line, its walls as objects, and its picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sim import Canvas, Scene

FloatArray = npt.NDArray[np.float64]
PIECES = 16  # of the middle line, for each corner
WALL = 1.4  # metres, the length of a piece of wall
THICK, HIGH = 0.18, 0.5  # metres
NEAR = np.arange(-4, 9)  # places around the last one in which the next is looked for
PIXELS = 2048
ASPHALT, GRASS, LINE = (0.16, 0.17, 0.19), (0.24, 0.36, 0.22), (0.86, 0.86, 0.82)
RED, PALE = (0.72, 0.16, 0.13), (0.86, 0.84, 0.8)


class Track:
    """A closed track in the plane.

    Args:
        corners: `[n, 2]` control points around which the middle line bends, in metres and in
            driving direction.
        width: metres from wall to wall.

    Attributes:
        middle: points of the middle line, `[m, 2]` metres.
        along: distance along the line from its first point to each point, in metres, and at the end
            the length of a lap, `[m + 1]`.
    """

    def __init__(self, corners: Sequence[tuple[float, float]], width: float) -> None:
        self.width = width
        self.middle = spline(np.array(corners, dtype=np.float64))
        steps = np.linalg.norm(np.roll(self.middle, -1, axis=0) - self.middle, axis=1)
        self.along: FloatArray = np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def length(self) -> float:
        """Length of a lap in metres."""
        return float(self.along[-1])

    def direction(self, place: int) -> FloatArray:
        """Return the vector from a point of the middle line to the next, `[2]` metres.

        Args:
            place: index of the point in `middle`.
        """
        return np.asarray(self.middle[(place + 1) % len(self.middle)] - self.middle[place])

    def find(self, x: float, y: float, last: int) -> tuple[int, float, float]:
        """Find the point of the middle line nearest to a position, near the last point found.

        Args:
            x: position, metres.
            y: position, metres.
            last: index in `middle` of the last point found.

        Returns:
            The index of the point in `middle`, the metres along the line, and the distance from the
            line. The distance is positive to the left.
        """
        near = (last + NEAR) % len(self.middle)
        here = np.array([x, y])
        place = int(near[np.argmin(np.square(self.middle[near] - here).sum(axis=1))])
        ahead, offset = self.direction(place), here - self.middle[place]
        length = math.hypot(*ahead)
        way = (float(self.along[place]) + float(offset @ ahead) / length) % self.length
        return place, way, float(ahead[0] * offset[1] - ahead[1] * offset[0]) / length

    def build_walls(self, scene: Scene) -> None:
        """Create both walls as rows of boxes, in the layer "wall"."""
        for name, side in (("Left wall", 0.5), ("Right wall", -0.5)):
            parent = scene.spawn(name, components=[("sim:Layer", {"name": "wall"})])
            points = evenly(edge_of(self.middle, side * self.width), WALL)
            for number, (one, other) in enumerate(pairwise(points), 1):
                middle, ahead = (one + other) / 2, other - one
                scene.spawn(
                    f"{name} {number}",
                    parent=parent,
                    model={"builtin": "box", "size": [math.hypot(*ahead) + 0.05, THICK, HIGH]},
                    material={"color": PALE if number % 2 else RED, "roughness": 0.55},
                    position=(*middle, HIGH / 2),
                    rotation=(math.degrees(math.atan2(ahead[1], ahead[0])), 0.0, 0.0),
                )

    def paint(self, canvas: Canvas, side: float) -> None:
        """Paint the track on a canvas that covers a square of ground.

        Args:
            canvas: the canvas; it is resized.
            side: length of a side of the square, metres; its middle is the origin.
        """
        canvas.resize(PIXELS, PIXELS, background=GRASS)
        canvas.clear()

        def pixels(points: FloatArray) -> FloatArray:
            return (points * (1.0, -1.0) / side + 0.5) * PIXELS

        left, right = (pixels(edge_of(self.middle, self.width * half)) for half in (0.5, -0.5))
        dashes, count = pixels(self.middle), len(self.middle)
        for one in range(count):
            other = (one + 1) % count
            canvas.polygon([left[one], left[other], right[other], right[one]], ASPHALT)
        for one in range(0, count, 2):
            canvas.line(dashes[one], dashes[(one + 1) % count], LINE, width=2.5)
        canvas.line(left[0], right[0], (1.0, 1.0, 1.0), width=10.0)


def spline(corners: FloatArray) -> FloatArray:
    """Return a closed uniform cubic B-spline, `[n * PIECES, 2]`, for n corners.

    Args:
        corners: control points, `[n, 2]`; the curve passes near them.
    """
    t = (np.arange(PIECES) / PIECES)[None, :, None]
    shares = (
        (1 - t) ** 3,
        3 * t**3 - 6 * t**2 + 4,
        -3 * t**3 + 3 * t**2 + 3 * t + 1,
        t**3,
    )
    curve = np.zeros((len(corners), PIECES, 2))
    for number, share in enumerate(shares):
        curve += share * np.roll(corners, 1 - number, axis=0)[:, None, :] / 6
    return curve.reshape(-1, 2)


def edge_of(middle: FloatArray, distance: float) -> FloatArray:
    """Return a line parallel to a closed line, `[n, 2]`.

    Args:
        middle: points of the closed line, `[n, 2]`.
        distance: metres to the left; negative to the right.
    """
    ahead = np.roll(middle, -1, axis=0) - np.roll(middle, 1, axis=0)
    left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    return np.asarray(middle + distance * left)


def evenly(line: FloatArray, length: float) -> FloatArray:
    """Return points at equal distances along a closed line; the first point comes again last.

    Args:
        line: points of the line, `[n, 2]`.
        length: distance wanted, metres; the real one differs slightly.
    """
    closed = np.vstack([line, line[:1]])
    ends = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    marks = np.linspace(0.0, ends[-1], round(ends[-1] / length) + 1)
    return np.stack([np.interp(marks, ends, closed[:, axis]) for axis in (0, 1)], axis=1)

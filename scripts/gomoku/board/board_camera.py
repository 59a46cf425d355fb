"""The view of a board: the camera and the bowls for boards of any size, and the view from above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from scripts.pieces.goban import MARGIN, THICKNESS
from sim import CameraView

if TYPE_CHECKING:
    from sim import Scene, SceneObject

Points = npt.NDArray[np.float64]
Limits = tuple[float, float]
ASPECT = 1.65  # width by height; the camera shows at least as much in a narrower view
ACROSS, ABOVE, BELOW = 0.97, 0.72, 0.95
"""How far things may reach to the sides, up and down, as a share of half the picture.

The rest is for the scoreboard above and for buttons below.
"""
USUAL = (ABOVE, BELOW)
FROM_ABOVE = (0.66, 0.84)
"""The same for the view from above, which shows no side of the board at the lower edge."""
LOOSEST = 0.6  # a scene's own view shows its board smaller: boards of other sizes do not
BOWL_RADIUS, BOWL_HEIGHT = 1.3, 1.03  # metres
BESIDE = 1.6  # metres from the middle to a bowl beside a board without points
FARTHER_BESIDE = 0.575  # metres more for each point of a side
NARROWEST = 1.1  # width by height of the view from above of one board, which may cut the bowls
STRAIGHT_DOWN = 90.0  # degrees above the horizon
SEVERAL_MARGIN = 1.12  # around several boards, whose captions lie in front of them
FAR_AWAY = 400.0  # metres, that a view needs at most


class FramedBoard(Protocol):
    """A board that is to be seen whole."""

    @property
    def object(self) -> SceneObject:
        """The object of the board."""

    @property
    def scene(self) -> Scene:
        """The scene of the board."""

    def corners(self, columns: int, rows: int) -> Points:
        """Return the corners `[8, 3]` of a board of some size in its own space, metres."""


def beside(size: int) -> float:
    """Return a suitable distance of a bowl of stones from the middle of a board, metres.

    It grows evenly with the size: 5.6 for 7 points, 10.2 for 15.

    Args:
        size: points along a side of the board.
    """
    return BESIDE + FARTHER_BESIDE * size


def reach(
    view: CameraView, points: Points, limits: Limits = USUAL, aspect: float = ASPECT
) -> float:
    """Return how far points reach out of a view: 1 if they just fit, less if there is room.

    Args:
        view: the view.
        points: `[n, 3]` in the world, metres.
        limits: how far they may reach up and down, as shares of half the picture.
        aspect: width of the picture divided by its height.
    """
    eye = view.eye
    away = points - eye.position
    depth = np.maximum(away @ eye.ahead, 1e-3) * math.tan(math.radians(view.fov / 2.0))
    across, up = away @ np.asarray(view.right) / depth / aspect, away @ eye.up / depth
    most = (np.abs(across).max() / ACROSS, up.max() / limits[0], -up.min() / limits[1])
    return float(max(most))


def fitted(
    view: CameraView,
    points: Points,
    wanted: float = 1.0,
    limits: Limits = USUAL,
    aspect: float = ASPECT,
) -> CameraView:
    """Return a view of the same direction from which points reach as far as wanted.

    Args:
        view: the view.
        points: `[n, 3]` in the world, metres.
        wanted: value of `reach` in the new view.
        limits: how far they may reach up and down, as shares of half the picture.
        aspect: width of the picture divided by its height.
    """
    low, high = 1.0, FAR_AWAY
    for _ in range(48):
        middle = (low + high) / 2.0
        if reach(replace(view, distance=middle), points, limits, aspect) > wanted:
            low = middle
        else:
            high = middle
    return replace(view, distance=high)


def narrowest(points: Points) -> float:
    """Return the width by height of the narrowest picture that shows points well from above.

    It is as wide as they are beside each other, where the picture's height is used for them.

    Args:
        points: `[n, 3]` in the world, metres.
    """
    across, deep, _ = np.ptp(points, axis=0).tolist()
    needed = across / deep * sum(FROM_ABOVE) / 2.0 / ACROSS
    return float(min(ASPECT, max(NARROWEST, needed)))


def from_above(points: Points, fov: float, aspect: float = ASPECT) -> CameraView:
    """Return the view from straight above in which points are as large as possible.

    Args:
        points: `[n, 3]` in the world, metres.
        fov: vertical angle of view, degrees.
        aspect: width of the picture divided by its height.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    x, y = (low[:2] + high[:2]) / 2.0
    view = CameraView((float(x), float(y), float(high[2])), 0.0, STRAIGHT_DOWN, 10.0, fov)
    view = fitted(view, points, limits=FROM_ABOVE, aspect=aspect)
    # the room above and the room below differ
    shift = (
        (FROM_ABOVE[1] - FROM_ABOVE[0]) / 2.0 * view.distance * math.tan(math.radians(fov / 2.0))
    )
    x, y, z = view.target
    return fitted(replace(view, target=(x, y + shift, z)), points, limits=FROM_ABOVE, aspect=aspect)


def block_corners(columns: int, rows: int, *, is_flat: bool = True) -> Points:
    """Return the corners `[8, 3]` of a board around the middle of its points, metres.

    Args:
        columns: number of columns.
        rows: number of rows.
        is_flat: whether the board lies on the table; else it stands upright.
    """
    x, y = (columns - 1) / 2.0 + MARGIN, (rows - 1) / 2.0 + MARGIN
    flat = [(a, b, c) for a in (-x, x) for b in (-y, y) for c in (-THICKNESS, 0.0)]
    points = np.array(flat, np.float64)
    return points if is_flat else points[:, [0, 2, 1]]


def bowl_corners(place: Sequence[float]) -> Points:
    """Return points `[16, 3]` on the rim and the belly of a bowl that stands at a place, metres."""
    angle = np.linspace(0.0, 2.0 * math.pi, 8, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1) * BOWL_RADIUS
    up = np.array([0.0, 0.0, 1.0])
    belly, rim = ring + 0.6 * up, 0.8 * ring + BOWL_HEIGHT * up
    middle = np.array([float(value) for value in place])
    return np.asarray(np.concatenate([belly, rim]) + middle, dtype=np.float64)


def corners_in_world(board: FramedBoard, columns: int, rows: int) -> Points:
    """Return the corners `[8, 3]` of a board in the world, metres.

    Args:
        board: the board.
        columns: number of columns.
        rows: number of rows.
    """
    to_world = board.object.transform.to_world
    return np.array(
        [list(map(float, to_world(at))) for at in board.corners(columns, rows).tolist()]
    )


class Surroundings:
    """Moves the camera and the bowls of a scene for boards of other sizes than the scene's.

    Attributes:
        home: the camera's first view, for the board of the present size.
        factors: how much farther than in the scene's file things stand beside the board: to its
            sides, and before and behind it.
    """

    def __init__(self, board: FramedBoard, home: CameraView, columns: int, rows: int) -> None:
        """Remember how the scene is set up; nothing is moved.

        Args:
            board: the board.
            home: the camera's first view, as the scene has it.
            columns: number of columns for which the scene was made.
            rows: number of rows for which it was made.
        """
        self._board = board
        self._planned = self.size = (columns, rows)
        self._scene_home = self.home = home
        self._places: dict[SceneObject, tuple[float, float, float]] = {}
        self.factors = (1.0, 1.0)

    def fit(self, columns: int, rows: int) -> float:
        """Move the bowls to suit a board, and find the view for it.

        Args:
            columns: number of columns to suit.
            rows: number of rows to suit.

        Returns:
            Factor of the camera's distance: that of the new home view by that of the former one.
        """
        if (columns, rows) == self.size:
            return 1.0
        before = self.home
        self.size = (columns, rows)
        self.factors = self._factors(columns, rows)
        for bowl, (x, y, z) in self._bowls().items():
            bowl.transform.position = (x * self.factors[0], y * self.factors[1], z)
        self.home = self._scene_home
        if self.size != self._planned:
            own = self._points(*self._planned)
            wanted = min(1.0, max(LOOSEST, reach(self._scene_home, own)))
            self.home = fitted(self._scene_home, self._points(columns, rows), wanted)
        return self.home.distance / before.distance

    def _points(self, columns: int, rows: int) -> Points:
        """Return the corners of a board of some size and of the bowls beside it, `[n, 3]`."""
        across, deep = self._factors(columns, rows)
        bowls = [bowl_corners((x * across, y * deep, z)) for x, y, z in self._bowls().values()]
        return np.concatenate([corners_in_world(self._board, columns, rows), *bowls])

    def _factors(self, columns: int, rows: int) -> tuple[float, float]:
        planned = self._planned
        return beside(columns) / beside(planned[0]), beside(rows) / beside(planned[1])

    def _bowls(self) -> dict[SceneObject, tuple[float, float, float]]:
        """Return the bowls that stand beside the board, with their places in the scene's file."""
        found = {
            obj: self._places.setdefault(obj, _place_of(obj))
            for obj in self._board.scene.objects.values()
            if obj.parent is None and (obj.model or {}).get("builtin") == "bowl"
        }
        return {obj: place for obj, place in found.items() if obj is not self._board.object}


def _place_of(obj: SceneObject) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in obj.transform.position)
    return (x, y, z)

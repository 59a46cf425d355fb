"""What is set up for a board of one size, fitted to another: the camera and the bowls beside it."""

from __future__ import annotations

from dataclasses import replace

from scripts.gomoku.board.board_view import BoardView
from sim import Scene, SceneObject

NEAREST = 5.0  # metres from the camera to a board without points
FARTHER = 1.63  # metres more for each point of a side
BESIDE = 1.6  # metres from the middle to a bowl beside a board without points
FARTHER_BESIDE = 0.575


def distance_for(size: int) -> float:
    """Return how far the camera stands from a board of `size` points a side, metres.

    Between those of the shipped scenes: 16.4 for 7 points, 29.4 for 15.
    """
    return NEAREST + FARTHER * size


def beside(size: int) -> float:
    """Return how far to the side a bowl stands, metres: 5.6 for 7 points, 10.2 for 15."""
    return BESIDE + FARTHER_BESIDE * size


class Surroundings:
    """Moves the camera and the bowls of a scene for boards of other sizes than the scene's."""

    def __init__(self, scene: Scene) -> None:
        """Change nothing yet."""
        self._scene = scene
        self._planned = 0
        self._present = 0
        self._places: dict[SceneObject, tuple[float, float, float]] = {}

    def fit(self, board: BoardView, columns: int, rows: int) -> None:
        """Fit all to a board of this size; does nothing where it is fitted."""
        size = max(columns, rows)
        if not self._planned:
            self._planned = self._present = board.size or board.planned_size or size
        if size == self._present:
            return
        camera = self._scene.camera
        factor = distance_for(size) / distance_for(self._present)
        self._present = size
        view = camera.coming_view
        camera.fly_to(replace(view, distance=view.distance * factor), seconds=0.0)
        self._move_bowls(beside(size) / beside(self._planned))

    def restore(self, board: BoardView) -> None:
        """Put all back as it was before the first `fit`."""
        if self._planned:
            self.fit(board, self._planned, self._planned)
        self._planned = 0
        self._places.clear()

    def _move_bowls(self, factor: float) -> None:
        for obj in self._scene.objects.values():
            model = obj.model
            if model and model.get("builtin") == "bowl" and obj.parent is None:
                x, y, z = self._places.setdefault(obj, obj.transform.position)
                obj.transform.position = (x * factor, y * factor, z)

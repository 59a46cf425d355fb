"""Where a board is seen from: views that follow its size, and the view from straight above."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np

from scripts.gomoku.board.board_camera import (
    ASPECT,
    SEVERAL_MARGIN,
    FramedBoard,
    Points,
    Surroundings,
    corners_in_world,
    from_above,
    narrowest,
)
from scripts.gomoku.board.picture_board import PictureBoard
from sim import CameraView

FLIGHT_SECONDS = 0.8


class StagedBoard(FramedBoard, Protocol):
    """A board as its stage uses it.

    Attributes:
        size: number of columns; 0 before something is shown.
        rows: number of rows.
        is_top_down: whether the user wants to see boards from straight above.
    """

    size: int
    rows: int
    is_top_down: bool


class BoardStage:
    """Chooses the camera's view of a board.

    The camera's home view belongs to the board's size, and to the view from above while that is on.
    Of several boards in a scene the first one leads the camera.

    Attributes:
        board: the board.
        is_leading: whether this board leads the camera.
    """

    def __init__(self, board: StagedBoard) -> None:
        self.board = board
        self.is_leading = False
        self._surroundings: Surroundings | None = None
        self._is_above = False
        self._overseen = (0, 0)
        """How many boards, and pictures of boards, the view from above was made for."""
        home = board.scene.camera.home
        self._scene_home = self._side_home = self._back = home

    @property
    def factors(self) -> tuple[float, float]:
        """How much farther than in the scene's file things stand: to the sides, and in depth."""
        return (1.0, 1.0) if self._surroundings is None else self._surroundings.factors

    def fit(self, planned: tuple[int, int]) -> None:
        """Move the camera and the bowls so that they suit the board, which has a new size.

        In a scene with several boards nothing moves.

        Args:
            planned: columns and rows for which the scene was made.
        """
        board, camera = self.board, self.board.scene.camera
        if self._surroundings is None:
            self._surroundings = Surroundings(board, self._scene_home, *planned)
        if len(self._boards(are_shown=False)) > 1 or not self.is_leading:
            return
        factor = self._surroundings.fit(board.size, board.rows)
        if factor == 1.0:
            return
        if self._is_above:
            self._side_home = self._surroundings.home
            self._back = replace(self._back, distance=self._back.distance * factor)
            camera.home = self._overview()
            camera.fly_to(camera.home, seconds=0.0)
            return
        camera.home = self._surroundings.home
        view = camera.coming_view
        camera.fly_to(replace(view, distance=view.distance * factor), seconds=0.0)

    def follow(self, *, is_first: bool) -> None:
        """Change to the view from above or back, if the user wants it.

        Args:
            is_first: whether the scene has just begun, so that there is nothing to fly from.
        """
        wanted, camera = self.board.is_top_down, self.board.scene.camera
        if wanted and self._is_above and self._is_other():
            self._see_all()
        if wanted == self._is_above or not self.is_leading:
            return
        self._is_above = wanted
        seconds = 0.0 if is_first else FLIGHT_SECONDS
        if wanted:
            self._side_home, self._back = camera.home, camera.coming_view
            camera.home = self._overview()
            camera.fly_to(self._here(), seconds=seconds)
        else:
            camera.home, camera.least_aspect = self._side_home, ASPECT
            camera.fly_to(self._back, seconds=seconds)

    def _is_other(self) -> bool:
        """Return whether other boards are there than the view from above was made for."""
        return self._overseen != (len(self._boards(are_shown=True)), len(self._pictures()))

    def _see_all(self) -> None:
        """Make the view from above anew, and fly there unless another view was chosen."""
        camera, is_first = self.board.scene.camera, self._overseen == (0, 0)
        before, camera.home = camera.home, self._overview()
        if is_first or camera.coming_view == before:
            camera.fly_to(self._here(), seconds=0.0 if is_first else FLIGHT_SECONDS)

    def release(self) -> None:
        """Give the camera its home view of the scene back."""
        if self.is_leading:
            camera = self.board.scene.camera
            camera.home, camera.least_aspect = self._scene_home, ASPECT

    def fly_to(self, view: CameraView) -> None:
        """Fly to a view of this board, or to the view from above where the user wants that.

        Args:
            view: the view from the side.
        """
        camera = self.board.scene.camera
        if self._is_above:
            self._back = view
            view = from_above(self._corners(), view.fov)
        camera.fly_to(view)

    def fly_home(self) -> None:
        """Fly to the view of all boards."""
        if self._is_above:
            self._back = self._side_home
        self.board.scene.camera.fly_home()

    def _here(self) -> CameraView:
        """Return the view from above of the one board that is shown large; of all if none is."""
        shown = self._boards(are_shown=True)
        alone = shown[0] if len(shown) == 1 else None
        if alone is None or (alone is self and not self._pictures()):
            return self._overview()
        return from_above(alone._corners(), self._side_home.fov)

    def _overview(self) -> CameraView:
        """Return the view from above of all boards; one alone is seen as large as may be."""
        shown, pictures = self._boards(are_shown=True), self._pictures()
        self._overseen = (len(shown), len(pictures))
        self.board.scene.camera.least_aspect = ASPECT
        if len(shown) == 1 and not pictures:
            corners = shown[0]._corners()
            aspect = self.board.scene.camera.least_aspect = narrowest(corners)
            return from_above(corners, self._side_home.fov, aspect)
        points = [stage._corners() for stage in shown] + [item.corners() for item in pictures]
        if not points:
            return replace(self._side_home, azimuth=0.0, elevation=90.0)
        every = np.concatenate(points)
        middle = (every.min(axis=0) + every.max(axis=0)) / 2.0
        return from_above(middle + (every - middle) * SEVERAL_MARGIN, self._side_home.fov)

    def _corners(self) -> Points:
        return corners_in_world(self.board, max(1, self.board.size), max(1, self.board.rows))

    def _boards(self, *, are_shown: bool) -> list[BoardStage]:
        """Return the boards of the scene, each by its stage.

        Args:
            are_shown: whether to leave out boards that are hidden or have not shown anything.
        """
        scripts = (slot.instance for slot in self.board.scene.components())
        stages = [getattr(script, "stage", None) for script in scripts]
        found = [stage for stage in stages if isinstance(stage, BoardStage)]
        if not are_shown:
            return found
        return [item for item in found if item.board.size and item.board.object.visible]

    def _pictures(self) -> list[PictureBoard]:
        """Return the boards of the scene that are shown as pictures."""
        scripts = (slot.instance for slot in self.board.scene.components())
        found = [getattr(script, "far", None) for script in scripts]
        return [item for item in found if isinstance(item, PictureBoard)]

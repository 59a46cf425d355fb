"""A board that is shown as one picture, and raised letters in front of a board."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_themes import WOOD, BoardTheme
from scripts.pieces.goban import MARGIN
from sim import SceneObject


class PictureBoard:
    """A board shown as one picture on a box, instead of a model and separate stones.

    It needs OpenCV and is not created in runs without graphics.
    """

    def __init__(
        self,
        parent: SceneObject,
        name: str,
        size: int,
        height: float,
        look: Callable[[], BoardTheme] = lambda: WOOD,
    ) -> None:
        """Create the board in the scene, empty.

        Args:
            parent: parent object; the board's surface is at z = 0 of its space.
            name: name of the new object.
            size: points along a side.
            height: thickness of the box, metres.
            look: returns the colours that are wanted; `follow_look` asks it.
        """
        from scripts.gomoku.board.board_painter import board_of

        self._paint_of, self._look = board_of, look
        self._theme = look().name
        self._painter = board_of(size, self._theme)
        self._state: ViewState | None = None
        self._width = width = size - 1 + 2 * MARGIN
        self.object = parent.scene.spawn(
            name,
            model={"builtin": "box", "size": [width, width, height]},
            parent=parent,
            position=(0.0, 0.0, -height / 2),
        )
        self.object.texture = self._painter.empty
        self.object.casts_shadow = False

    def corners(self) -> npt.NDArray[np.float64]:
        """Return the corners `[4, 3]` of the board's top in the world, metres."""
        half, transform = self._width / 2.0, self.object.transform
        places = [(x, y, 0.0) for x in (-half, half) for y in (-half, half)]
        return np.array([list(map(float, transform.to_world(place))) for place in places])

    def show(self, state: ViewState) -> None:
        """Show a state, which must have this board's size."""
        self._state = state
        self.object.texture = self._painter.paint(state)

    def follow_look(self) -> None:
        """Paint the board anew if other colours are wanted than before."""
        if self._look().name == self._theme:
            return
        self._theme = self._look().name
        self._painter = self._paint_of(self._painter.size, self._theme)
        empty, state = self._painter.empty, self._state
        self.object.texture = empty if state is None else self._painter.paint(state)


class BoardCaption:
    """Raised letters in front of a board, tilted towards the viewer.

    Attributes:
        text: the text; "" for none.
    """

    def __init__(self, board: SceneObject, distance: float, *, height: float, depth: float) -> None:
        """Create the caption, without text.

        Args:
            board: object in front of which the letters lie.
            distance: from the board's centre to the letters' centre, metres.
            height: height of a capital, metres.
            depth: thickness of the letters, metres.
        """
        self.text = ""
        self._look = {"builtin": "text", "size": height, "depth": depth}
        self._letters = board.scene.spawn(
            "Caption",
            parent=board,
            position=(0.0, -distance, 0.0),
            rotation=(0.0, -40.0, 0.0),
            material={"color": [0.93, 0.9, 0.84], "roughness": 0.6},
        )
        self._letters.casts_shadow = False

    def show(self, text: str) -> None:
        """Show a line of text; an empty one removes the letters."""
        self.text = text
        self._letters.model = {**self._look, "text": text} if text else None

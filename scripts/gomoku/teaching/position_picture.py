"""A picture of a position seen from above, with coordinates and a line of text, for a file."""

from __future__ import annotations

import cv2
import numpy as np

from scripts.gomoku.board.board_painter import position_picture as board_picture
from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_picture import Picture
from scripts.pieces.board_themes import COORDINATES, WOOD, BoardTheme

FOOT = 56  # pixels below the board, for a line of text
GROUND, INK = (236, 240, 243), (40, 44, 48)


def position_picture(state: ViewState, text: str, theme: BoardTheme = WOOD) -> Picture:
    """Return a picture of a position with its coordinates and a line of text below.

    Args:
        state: the position.
        text: the line, in Latin letters.
        theme: colours of the board.

    Returns:
        The picture `[height, width, 3]`, blue, green, red.
    """
    picture = board_picture(state, theme, COORDINATES[1])
    foot: Picture = np.full((FOOT, picture.shape[1], 3), GROUND, np.uint8)
    cv2.putText(foot, text, (24, 37), cv2.FONT_HERSHEY_SIMPLEX, 0.85, INK, 2, cv2.LINE_AA)
    return np.vstack([picture, foot])


def picture_bytes(picture: Picture) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    _, encoded = cv2.imencode(".png", picture)
    return encoded.tobytes()

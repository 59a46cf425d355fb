"""A picture of a position seen from above, with coordinates, for a file."""

from __future__ import annotations

import cv2
import numpy as np

from scripts.gomoku.board.board_painter import BoardPainter
from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_picture import Picture, star_points
from scripts.pieces.goban import MARGIN

PIXELS = 1024  # a side of the board
FOOT = 56  # pixels below it, for a line of text
GROUND, INK = (236, 240, 243), (40, 44, 48)
LABEL = (34, 50, 64)


def position_picture(state: ViewState, text: str) -> Picture:
    """Return a picture of a position with its coordinates and a line of text below.

    Args:
        state: the position.
        text: the line, in Latin letters.

    Returns:
        The picture `[height, width, 3]`, blue, green, red.
    """
    size = max(state.size, state.rows)
    painter = BoardPainter(size, PIXELS)
    _draw_stars(painter.empty, size, painter.step)
    picture = painter.paint(_in_square(state, size))
    _label(picture, state, painter.step)
    foot: Picture = np.full((FOOT, picture.shape[1], 3), GROUND, np.uint8)
    cv2.putText(foot, text, (24, 37), cv2.FONT_HERSHEY_SIMPLEX, 0.85, INK, 2, cv2.LINE_AA)
    return np.vstack([picture, foot])


def picture_bytes(picture: Picture) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    _, encoded = cv2.imencode(".png", picture)
    return encoded.tobytes()


def _in_square(state: ViewState, size: int) -> ViewState:
    """Return the state on a square board of a size, its rows at the far edge."""
    stones = [0] * (size * size)
    for point, color in enumerate(state.stones):
        row, col = divmod(point, state.size)
        stones[row * size + col] = color
    last = None if state.last is None else divmod(state.last, state.size)
    moves = () if last is None else (last[0] * size + last[1],)
    return ViewState(size, size, tuple(stones), moves, state.to_move)


def _draw_stars(picture: Picture, size: int, step: float) -> None:
    for row, col in star_points(size):
        center = (round((col + MARGIN) * step), round((row + MARGIN) * step))
        cv2.circle(picture, center, max(2, round(step * 0.085)), LABEL, -1, cv2.LINE_AA)


def _label(picture: Picture, state: ViewState, step: float) -> None:
    scale, width = step * 0.0105, max(1, round(step * 0.025))
    for column in range(state.size):
        _write(picture, chr(ord("a") + column), (column + MARGIN) * step,
               picture.shape[0] - 0.32 * step, scale, width)  # fmt: skip
    for row in range(state.rows):
        _write(picture, str(state.rows - row), 0.32 * step, (row + MARGIN) * step, scale, width)


def _write(picture: Picture, text: str, x: float, y: float, scale: float, width: int) -> None:
    font = cv2.FONT_HERSHEY_SIMPLEX
    (across, up), _ = cv2.getTextSize(text, font, scale, width)
    place = (round(x - across / 2), round(y + up / 2))
    cv2.putText(picture, text, place, font, scale, LABEL, width, cv2.LINE_AA)

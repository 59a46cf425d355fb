"""Paint pictures of board positions with OpenCV, for boards that are seen from afar.

Such a board is one box with a picture on it, instead of one scene object for each stone. Pixels are
in the order blue, green, red.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_picture import BoardLook, Picture, paint_board, surface
from scripts.pieces.board_themes import WOOD, BoardTheme, Bytes, Rgb, StoneStyle, theme_named
from scripts.pieces.goban import MARGIN
from scripts.pieces.stones import RADIUS

Floats = npt.NDArray[np.float32]
PIXELS = 256  # a side of a picture
LARGE = 1024  # pixels of the longer side of a picture that is kept
SHIFT = 4  # bits below one pixel that OpenCV draws with
LINE_ON_WOOD: Bytes = (40, 190, 250)
"""Colour of the rings on a winning line on wood: blue, green, red."""
FOOT = 56  # pixels below a board, for a line of text
GROUND, INK = (236, 240, 243), (40, 44, 48)
EDGE_FROM = 0.86  # of a stone's radius, from which the ring around it is drawn


class BoardPainter:
    """Draws positions of one board size."""

    def __init__(
        self,
        size: int,
        pixels: int = PIXELS,
        *,
        rows: int | None = None,
        theme: BoardTheme = WOOD,
        coordinates: str | None = None,
    ) -> None:
        """Paint the empty board.

        Args:
            size: number of columns.
            pixels: length of the longer side of the pictures.
            rows: number of rows; None for as many as columns.
            theme: colours.
            coordinates: where coordinates are written; None for a plain grid without star points.
        """
        self.size = size
        self.rows = size if rows is None else rows
        self.theme = theme
        self.step = pixels / (max(size, self.rows) - 1 + 2 * MARGIN)
        if coordinates is None:
            self.empty = self._draw_empty(pixels)
        else:
            look = BoardLook(size, self.rows, coordinates, theme=theme)
            self.empty = paint_board(_Paints(), look, MARGIN, pixels)
        radius = self.step * RADIUS
        self._stones = {
            color: _stone(radius, theme.stone(color), is_black=color > 0) for color in (1, -1)
        }
        self._shadow = _shadow(radius)

    def paint(self, state: ViewState) -> Picture:
        """Return a picture of a board with its stones, and its winning line or last move ringed."""
        picture = self.empty.copy()
        for point in state.placed:
            _blend(picture, self._shadow, *self._place(point, 0.10))
        for point, color in state.placed.items():
            _blend(picture, self._stones[color], *self._place(point))
        for point in state.line:
            line = LINE_ON_WOOD if self.theme is WOOD else _bgr(self.theme.line)
            self._ring(picture, point, 0.27, line)
        if state.last is not None and not state.line:
            self._ring(picture, state.last, 0.17, _bgr(self.theme.last))
        return picture

    def _place(self, move: int, shift: float = 0.0) -> tuple[float, float]:
        row, col = divmod(move, self.size)
        return (col + MARGIN + shift) * self.step, (row + MARGIN + shift) * self.step

    def _ring(
        self, picture: Picture, move: int, radius: float, color: tuple[int, int, int]
    ) -> None:
        x, y = self._place(move)
        scale = 1 << SHIFT
        cv2.circle(
            picture,
            (round((x - 0.5) * scale), round((y - 0.5) * scale)),
            round(radius * self.step * scale),
            color,
            max(2, round(self.step * 0.085)),
            cv2.LINE_AA,
            SHIFT,
        )

    def _draw_empty(self, pixels: int) -> Picture:
        is_wood = self.theme.surface is None
        picture = _wood(pixels) if is_wood else surface(_Paints(), self.theme, pixels, pixels)
        ink, width = self.theme.lines[::-1], round(self.theme.weight)
        scale = 1 << SHIFT
        low, high = (
            round(MARGIN * self.step * scale),
            round((self.size - 1 + MARGIN) * self.step * scale),
        )
        for index in range(self.size):
            at = round((index + MARGIN) * self.step * scale)
            for ends in (((at, low), (at, high)), ((low, at), (high, at))):
                cv2.line(picture, *ends, ink, width, cv2.LINE_AA, SHIFT)
        return picture


class _Paints:
    """Paints the wood of pictures; the wood of boards in the scene is another one."""

    def cached(self, name: str, paint: Callable[[], Picture]) -> Picture:
        """Return a picture, painted anew each time."""
        return paint()

    def wood(self, width: int, height: int, seed: int) -> Picture:
        """Return a square picture of light wood; `height` and `seed` have no effect."""
        return _wood(width)


@cache
def board_of(size: int, theme: str = WOOD.name) -> BoardPainter:
    """Return the painter for boards of a size; later calls return the same painter.

    Args:
        size: number of columns and rows.
        theme: name of the colours.
    """
    return BoardPainter(size, theme=theme_named(theme))


def position_picture(
    state: ViewState, theme: BoardTheme, coordinates: str, text: str = ""
) -> Picture:
    """Return a picture of a position to be kept or shown elsewhere, `[rows, columns, 3]`.

    Args:
        state: the position.
        theme: colours.
        coordinates: where coordinates are written, one of `COORDINATES`.
        text: a line below the board, in Latin letters; empty for none.
    """
    painter = BoardPainter(state.size, LARGE, rows=state.rows, theme=theme, coordinates=coordinates)
    picture = painter.paint(state)
    if not text:
        return picture
    foot: Picture = np.full((FOOT, picture.shape[1], 3), GROUND, np.uint8)
    cv2.putText(foot, text, (24, 37), cv2.FONT_HERSHEY_SIMPLEX, 0.85, INK, 2, cv2.LINE_AA)
    return np.vstack([picture, foot])


def encoded(picture: Picture, suffix: str) -> bytes:
    """Return a picture as the content of a file, ".png" or ".jpg"."""
    return bytes(cv2.imencode(suffix, picture)[1])


def _bgr(color: Rgb) -> Bytes:
    red, green, blue = (round(255.0 * value) for value in color)
    return (blue, green, red)


def noise(rng: np.random.Generator, columns: int, rows: int) -> Floats:
    """Return normally distributed noise, limited to the range from -1 to 1.

    Its standard deviation is 0.5, before values outside the range are clipped.

    Args:
        rng: source of the random numbers.
        columns: width of the result.
        rows: height of the result.

    Returns:
        The noise `[rows, columns]`.
    """
    return np.clip(rng.standard_normal((rows, columns)), -2.0, 2.0).astype(np.float32) * 0.5


def _wood(pixels: int) -> Picture:
    """Return a square picture of light wood whose grain runs vertically; `pixels` is its side."""
    rng = np.random.default_rng(11)
    size = (pixels, pixels)
    bend = cv2.resize(noise(rng, 3, 2), size, interpolation=cv2.INTER_CUBIC) * 0.05
    fibre = cv2.resize(noise(rng, pixels, 5), size, interpolation=cv2.INTER_CUBIC)
    across = np.linspace(0.0, 1.0, pixels, dtype=np.float32)[None, :]
    grain = 0.5 + 0.5 * np.sin((across + bend) * 13.0 * 2 * math.pi)
    mix = np.clip(0.5 + (0.62 * grain**1.6 + 0.22 * fibre) * 0.42, 0.0, 1.0)[..., None]
    light, deep = np.array([104.0, 172.0, 222.0]), np.array([62.0, 124.0, 186.0])
    return np.asarray(np.clip(deep + (light - deep) * (1.0 - mix * 0.75), 0, 255), dtype=np.uint8)


def _stone(radius: float, style: StoneStyle, *, is_black: bool) -> Floats:
    """Return a picture of a stone seen from above, `[n, n, 4]`: blue, green, red, coverage.

    Args:
        radius: radius of the stone, pixels.
        style: what a theme changes.
        is_black: whether the stone is black; else it is white.
    """
    half = math.ceil(radius) + 1
    axis = (np.arange(-half * 4, half * 4, dtype=np.float32) + 0.5) / 4.0
    x, y = axis[None, :] / radius, axis[:, None] / radius
    inside = np.clip(1.0 - (x * x + y * y), 0.0, 1.0)
    z = np.sqrt(inside) * 0.9 + 0.35
    length = np.sqrt((x * 0.8) ** 2 + (y * 0.8) ** 2 + z * z)
    facing = np.clip((-0.45 * x * 0.8 - 0.5 * y * 0.8 + 0.74 * z) / length, 0.0, 1.0)
    shine = facing ** (22 if is_black else 40)
    if is_black:
        tone = 22.0 + 34.0 * facing + 120.0 * shine
    else:
        tone = 150.0 + 84.0 * facing + 22.0 * shine
    if style.color:  # without shine
        tone = np.full_like(tone, 8.0 if is_black else 248.0)
    tint = np.array([1.03, 1.0, 0.98] if is_black else [0.955, 0.985, 1.0], np.float32)
    cover = (x * x + y * y <= 1.0).astype(np.float32)
    body = np.clip(tone[..., None] * tint, 0, 255)
    if style.edge is not None:
        body[x * x + y * y >= EDGE_FROM**2] = style.edge[::-1]
    sprite = np.dstack([body, cover]).astype(np.float32)
    return np.asarray(cv2.resize(sprite, (2 * half, 2 * half), interpolation=cv2.INTER_AREA))


def _shadow(radius: float) -> Floats:
    half = math.ceil(radius * 1.5)
    axis = (np.arange(-half, half, dtype=np.float32) + 0.5) / radius
    away = np.hypot(axis[None, :], axis[:, None])
    cover = 0.55 * np.clip((1.35 - away) / 0.6, 0.0, 1.0) ** 1.5
    color = np.zeros((2 * half, 2 * half, 3), np.float32) + np.array([6, 10, 16], np.float32)
    return np.dstack([color, cover]).astype(np.float32)


def _blend(picture: Picture, sprite: Floats, x: float, y: float) -> None:
    """Blend a sprite into the picture, in place; parts outside the picture are cut off.

    Args:
        picture: the picture, `[rows, columns, 3]`.
        sprite: colours and coverage 0 to 1, `[rows, columns, 4]`.
        x: column of the sprite's centre, pixels.
        y: row of the sprite's centre, pixels.
    """
    height, width = sprite.shape[:2]
    left, top = round(x - width / 2), round(y - height / 2)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(picture.shape[1], left + width), min(picture.shape[0], top + height)
    part = sprite[y0 - top : y1 - top, x0 - left : x1 - left]
    below = picture[y0:y1, x0:x1]
    cover = part[..., 3:]
    picture[y0:y1, x0:x1] = (below * (1.0 - cover) + part[..., :3] * cover).astype(np.uint8)

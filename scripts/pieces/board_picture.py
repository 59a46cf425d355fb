"""Pictures of boards: wood, grid, star points, coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from scripts.pieces.board_themes import COORDINATES, WOOD, BoardTheme, Bytes
from sim import tr

Picture = npt.NDArray[np.uint8]
BOARD_PIXELS = 1024
LETTER_AWAY, NUMBER_AWAY = 0.59, 0.68  # from the grid: beside the stones at the edge
LABEL_SCALE = 0.0125  # OpenCV's scale of a letter per pixel of a spacing
SEED = 11  # of the grain


@dataclass(frozen=True)
class BoardLook:
    """What a board's picture shows.

    Attributes:
        columns: number of columns.
        rows: number of rows.
        coordinates: where coordinates are written, one of `COORDINATES`.
        cells: whether lines run between the points, as for tic-tac-toe, instead of through them.
        theme: colours.
    """

    columns: int
    rows: int
    coordinates: str = tr("two sides")
    cells: bool = False
    theme: BoardTheme = WOOD


def paint_board(paints: Any, look: BoardLook, margin: float, pixels: int = BOARD_PIXELS) -> Picture:
    """Return the picture of a board's top: surface, grid, star points, coordinates.

    Args:
        paints: painting tools, with a cache of pictures.
        look: what to paint.
        margin: width of the margin around the grid, in distances between lines.
        pixels: length of the longer side, at most `BOARD_PIXELS`.
    """
    across, up = look.columns - 1 + 2 * margin, look.rows - 1 + 2 * margin
    step = pixels / max(across, up)
    size = (round(across * step), round(up * step))
    picture = surface(paints, look.theme, *size)
    _Grid(picture, look, margin, step).paint()
    return picture


def surface(paints: Any, theme: BoardTheme, width: int, height: int) -> Picture:
    """Return the picture of a bare surface, which may be painted on.

    Args:
        paints: painting tools, with a cache of pictures.
        theme: colours of the surface.
        width: width, pixels, at most `BOARD_PIXELS`.
        height: height, pixels, at most `BOARD_PIXELS`.
    """
    base: Picture
    if theme.surface is None:
        wood = paints.cached("board-wood", lambda: paints.wood(BOARD_PIXELS, BOARD_PIXELS, SEED))
        base = wood[:height, :width].copy()
        return base
    plain = np.array(theme.surface[::-1], np.float32)
    rng = np.random.default_rng(SEED)
    noise = rng.standard_normal((height, width)).astype(np.float32)
    blurred = cv2.GaussianBlur(noise, (0, 0), 1.2) + cv2.GaussianBlur(noise, (0, 0), 24.0) * 8.0
    tone = 1.0 + theme.grain * np.clip(blurred, -2.0, 2.0) * 0.5
    return np.asarray(np.clip(plain * tone[..., None], 0.0, 255.0), dtype=np.uint8)


class _Grid:
    """Paints the lines and the coordinates of one board."""

    def __init__(self, picture: Picture, look: BoardLook, margin: float, step: float) -> None:
        self.picture = picture
        self.look = look
        self.margin = margin
        self.step = step
        theme = look.theme
        self.ink, self.letters = _bgr(theme.lines), _bgr(theme.letters)
        self.groove, self.weight = _bgr(theme.groove), theme.weight

    def at(self, point: float) -> float:
        """Return the pixel of a place on the grid, from the left or the upper edge."""
        return (point + self.margin) * self.step

    def paint(self) -> None:
        """Paint lines, star points and coordinates."""
        if self.look.cells:
            self._paint_grooves()
        else:
            self._paint_lines()
        for row, col in star_points(self.look.columns, self.look.rows):
            center = (round(self.at(col) * 16), round(self.at(row) * 16))
            radius = round(self.step * 0.085 * 16 * self.weight**0.5)
            cv2.circle(self.picture, center, radius, self.ink, -1, cv2.LINE_AA, 4)
        self._paint_coordinates()

    def _paint_grooves(self) -> None:
        """Paint grooves between the cells: first the lit edge of each, then the groove itself."""
        columns, rows = self.look.columns, self.look.rows
        width = max(2, round(self.step * 0.045 * self.weight))
        along = ((columns, rows, False), (rows, columns, True))
        for line in range(1, max(columns, rows)):
            for shift, tone in ((0.012, self.groove), (0.0, self.ink)):
                for count, other, is_flat in along:
                    if line < count:
                        ends = (self.at(-0.42), self.at(other - 0.58))
                        self._line(self.at(line - 0.5 + shift), ends, is_flat, width, tone)

    def _paint_lines(self) -> None:
        columns, rows = self.look.columns, self.look.rows
        width = max(2, round(self.step * 0.015 * self.weight))
        along = ((columns, rows, False), (rows, columns, True))
        for line in range(max(columns, rows)):
            for count, other, is_flat in along:
                if line < count:
                    heavy = width + (1 if line in (0, count - 1) else 0)
                    ends = (self.at(0), self.at(other - 1))
                    self._line(self.at(line), ends, is_flat, heavy, self.ink)

    def _line(
        self, place: float, ends: tuple[float, float], is_flat: bool, width: int, tone: Bytes
    ) -> None:
        """Draw a line of the grid.

        Args:
            place: distance from the left edge, or from the upper edge of a flat line, pixels.
            ends: where it begins and ends along its direction, pixels.
            is_flat: whether it runs from left to right.
            width: width, pixels.
            tone: colour: blue, green, red.
        """
        start, end = (place, ends[0]), (place, ends[1])
        if is_flat:
            start, end = (ends[0], place), (ends[1], place)
        points = [(round(x * 16), round(y * 16)) for x, y in (start, end)]
        cv2.line(self.picture, points[0], points[1], tone, width, cv2.LINE_AA, 4)

    def _paint_coordinates(self) -> None:
        if self.look.coordinates == COORDINATES[0]:
            return
        columns, rows = self.look.columns, self.look.rows
        below = [self.at(rows - 1) + self.step * LETTER_AWAY]
        left = [self.at(0) - self.step * NUMBER_AWAY]
        if self.look.coordinates == COORDINATES[2]:
            below.append(self.at(0) - self.step * LETTER_AWAY)
            left.append(self.at(columns - 1) + self.step * NUMBER_AWAY)
        for index in range(max(columns, rows)):
            for y in below if index < columns else ():
                self._label(chr(ord("a") + index), self.at(index), y)
            for x in left if index < rows else ():
                self._label(str(rows - index), x, self.at(index))

    def _label(self, text: str, x: float, y: float) -> None:
        scale = self.step * LABEL_SCALE
        width = max(2, round(self.step * 0.027 * self.weight))
        font = cv2.FONT_HERSHEY_SIMPLEX
        (across, up), _ = cv2.getTextSize(text, font, scale, width)
        place = (round(x - across / 2), round(y + up / 2))
        cv2.putText(self.picture, text, place, font, scale, self.letters, width, cv2.LINE_AA)


def star_points(columns: int, rows: int) -> list[tuple[int, int]]:
    """Return the (row, column) of a square board's star points, which are marked.

    Small boards and boards that are not square have none.

    Args:
        columns: number of columns.
        rows: number of rows.
    """
    size = columns
    if columns != rows or size < 7:
        return []
    edge = 2 if size < 13 else 3
    middle = [size // 2] if size % 2 else []
    lines = (
        [edge, *middle, size - 1 - edge] if size >= 13 or not middle else [edge, size - 1 - edge]
    )
    points = [(row, col) for row in lines for col in lines]
    return sorted({*points, *((m, m) for m in middle)})


def _bgr(color: Bytes) -> Bytes:
    red, green, blue = color
    return (blue, green, red)

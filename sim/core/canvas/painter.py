"""The `Painter` interface that sets a canvas's pixels: OpenCV with graphics, a stub without.

All arguments were checked before. Points are in pixels of the array. Colours are blue, green, red
and opacity from 0 to 255, premultiplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.core.geometry.meshes import letters_across

FloatArray = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]
Ink = tuple[int, int, int, int]
LETTER_WIDTH = 0.55  # estimated width of a letter, in font sizes


class Font(NamedTuple):
    """How letters look.

    Attributes:
        size: height of the font, pixels.
        weight: 100 (thin) to 900 (black).
        file: a TrueType file of the project; empty for OpenCV's own.
    """

    size: float
    weight: int
    file: str = ""


def to_bgra(color: Sequence[float]) -> Ink:
    """Convert red, green, blue and opacity, 0 to 1, to an `Ink`: premultiplied BGRA, 0 to 255."""
    red, green, blue, opacity = color
    values = (blue * opacity, green * opacity, red * opacity, opacity)
    b, g, r, a = (round(value * 255.0) for value in values)
    return b, g, r, a


class Painter:
    """Draws on an array of pixels: `[h, w, 3]` BGR or `[h, w, 4]` premultiplied BGRA.

    This base class draws nothing. It is used in runs without graphics, where OpenCV may be missing.
    """

    def line(
        self, pixels: Picture, points: FloatArray, ink: Ink, width: float, *, is_closed: bool
    ) -> None:
        """Draw straight lines through points.

        Args:
            pixels: the picture, changed in place.
            points: `[n, 2]` x and y in pixels.
            ink: colour.
            width: thickness, pixels.
            is_closed: whether to connect the last point with the first.
        """

    def polygon(self, pixels: Picture, points: FloatArray, ink: Ink) -> None:
        """Fill a polygon.

        Args:
            pixels: the picture, changed in place.
            points: corners `[n, 2]`, x and y in pixels.
            ink: colour.
        """

    def circle(
        self, pixels: Picture, center: FloatArray, radius: float, ink: Ink, width: float
    ) -> None:
        """Draw the outline of a circle, or fill it.

        Args:
            pixels: the picture, changed in place.
            center: x and y in pixels.
            radius: pixels.
            ink: colour.
            width: thickness of the outline, pixels; 0 to fill.
        """

    def rectangle(
        self, pixels: Picture, area: FloatArray, ink: Ink, width: float, radius: float
    ) -> None:
        """Draw the outline of a rectangle, or fill it.

        Args:
            pixels: the picture, changed in place.
            area: left, top, width and height in pixels.
            ink: colour.
            width: thickness of the outline, pixels; 0 to fill.
            radius: radius of the corners, pixels.
        """

    def text(
        self, pixels: Picture, text: str, place: FloatArray, ink: Ink, font: Font, align: str
    ) -> None:
        """Write one line of text.

        Args:
            pixels: the picture, changed in place.
            text: the line.
            place: x and y of the anchor, which is on the baseline.
            ink: colour.
            font: its file, size and weight.
            align: whether the anchor is the "left", "center" or "right" of the line.
        """

    def text_width(self, text: str, font: Font) -> float:
        """Return the width of one line of text in pixels; this base class estimates it.

        Args:
            text: the line.
            font: its file, size and weight.
        """
        return letters_across(text) * font.size * LETTER_WIDTH

    def read(self, path: str) -> Picture:
        """Return the pixels of a picture file of the project; this base class returns one pixel."""
        return np.zeros((1, 1, 4), dtype=np.uint8)

    def image(
        self, pixels: Picture, picture: Picture, area: FloatArray, alpha: float, *, is_smooth: bool
    ) -> None:
        """Draw a picture, scaled to an area.

        Args:
            pixels: the picture to draw on, changed in place.
            picture: `[h, w]`, `[h, w, 3]` BGR or `[h, w, 4]` BGRA, not premultiplied.
            area: left, top, width and height in pixels.
            alpha: opacity, 0 to 1.
            is_smooth: whether to interpolate between its pixels.
        """

    def colored(self, shares: Picture, colors: str) -> Picture:
        """Return a picture in which each number has its colour from a colour map.

        This base class returns black.

        Args:
            shares: numbers `[h, w]`: 0 for the first colour of the map to 255 for its last.
            colors: name of the colour map.

        Returns:
            `[h, w, 3]` BGR.
        """
        return np.zeros((*shares.shape, 3), dtype=np.uint8)

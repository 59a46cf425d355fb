"""The `Painter` interface that sets a canvas's pixels: OpenCV with graphics, a stub without.

All arguments were checked before. Points are in pixels of the array. Colours are blue, green, red
and opacity from 0 to 255, premultiplied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
    """Convert a colour of red, green, blue and opacity, 0 to 1, to a painter's `Ink`."""
    red, green, blue, opacity = color
    values = (blue * opacity, green * opacity, red * opacity, opacity)
    b, g, r, a = (round(value * 255.0) for value in values)
    return b, g, r, a


class Painter:
    """Draws on `[h, w, 3]` BGR or premultiplied `[h, w, 4]` BGRA pixels.

    This base class draws nothing: it serves runs without graphics, where OpenCV may be missing.
    """

    def line(
        self, pixels: Picture, points: FloatArray, ink: Ink, width: float, *, is_closed: bool
    ) -> None:
        """Draw lines through `[n, 2]` points."""

    def polygon(self, pixels: Picture, points: FloatArray, ink: Ink) -> None:
        """Fill the area between `[n, 2]` points."""

    def circle(
        self, pixels: Picture, center: FloatArray, radius: float, ink: Ink, width: float
    ) -> None:
        """Draw a circle's edge; fill it where the width is 0."""

    def rectangle(
        self, pixels: Picture, area: FloatArray, ink: Ink, width: float, radius: float
    ) -> None:
        """Draw a rectangle's edge; fill it where the width is 0."""

    def text(
        self, pixels: Picture, text: str, place: FloatArray, ink: Ink, font: Font, align: str
    ) -> None:
        """Draw one line of text; `place` is on its baseline."""

    def text_width(self, text: str, font: Font) -> float:
        """Return the width of one line of text in pixels; here an estimate."""
        return len(text) * font.size * LETTER_WIDTH

    def read(self, path: str) -> Picture:
        """Read a picture file of the project; here one transparent pixel."""
        return np.zeros((1, 1, 4), dtype=np.uint8)

    def image(
        self, pixels: Picture, picture: Picture, area: FloatArray, alpha: float, *, is_smooth: bool
    ) -> None:
        """Draw a picture, not premultiplied, scaled to an area."""

    def colored(self, shares: Picture, colors: str) -> Picture:
        """Map numbers `[h, w]` from 0 to 255 to colours `[h, w, 3]` BGR; here black."""
        return np.zeros((*shares.shape, 3), dtype=np.uint8)

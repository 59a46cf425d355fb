"""Transparent pictures that lie on a board, painted with OpenCV; the colour scale of shares.

The scale goes from dark blue for 0 to pale yellow for 1. Its lightness increases evenly, so that it
is readable for the colour-blind. None of its colours looks like the wood of a board.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Rgb = tuple[float, float, float]
Offset = tuple[float, float]
MIDDLE: Final[Offset] = (0.0, 0.0)

STOPS: Final[tuple[tuple[int, int, int], ...]] = (
    (10, 24, 74),
    (24, 58, 122),
    (28, 98, 150),
    (38, 139, 168),
    (86, 178, 178),
    (158, 212, 184),
    (222, 238, 190),
    (255, 254, 208),
)
"""Colours at evenly spaced shares from 0 to 1: red, green and blue, 0 to 255."""


@functools.lru_cache(maxsize=4096)
def scale_color(share: float) -> Rgb:
    """Return the sRGB colour of a share, clipped to 0 to 1."""
    place = min(1.0, max(0.0, share)) * (len(STOPS) - 1)
    index = min(int(place), len(STOPS) - 2)
    part = place - index
    low, high = STOPS[index], STOPS[index + 1]
    red, green, blue = ((a + (b - a) * part) / 255.0 for a, b in zip(low, high, strict=True))
    return red, green, blue


def lightness(color: Rgb) -> float:
    """Return the CIE lightness L* (0 black, 100 white) of an sRGB colour."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in color
    ]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    if light <= 216 / 24389:
        return light * 24389 / 27
    return float(116.0 * light ** (1 / 3) - 16.0)


def ink_on(color: Rgb) -> Rgb:
    """Return a text colour with good contrast on `color`."""
    return (0.05, 0.07, 0.12) if lightness(color) > 55.0 else (1.0, 1.0, 1.0)


PIXELS = 768
SHIFT = 4  # OpenCV's fixed-point bits: places between pixels


class OverlayPicture:
    """A picture to lie on a board, initially transparent.

    It covers the whole board: `size` metres across and `rows` metres deep. Radii, widths and
    heights are in metres. An offset `at` is the distance from a point's centre in metres: x to the
    right and y towards the near side.

    Attributes:
        size: number of columns of the board.
        rows: number of rows.
        step: pixels between neighbouring points.
        is_empty: whether nothing has been painted yet.
    """

    def __init__(self, size: int, rows: int | None = None) -> None:
        """Create a transparent picture.

        Args:
            size: number of columns of the board.
            rows: number of rows; None for as many as columns.
        """
        self.size, self.rows = size, size if rows is None else rows
        self.step = PIXELS / max(size, self.rows)
        across, deep = (round(count * self.step) for count in (size, self.rows))
        self.pixels: NDArray[np.uint8] = np.zeros((deep, across, 4), np.uint8)
        """Pixels `[rows, columns, 4]`: blue, green, red, alpha.

        They must not change once the picture is shown.
        """
        self.is_empty = True

    def plate(self, point: int, half: float, color: Rgb, opacity: float) -> None:
        """Fill a square around a point.

        Args:
            point: index of the point at its centre.
            half: half the length of a side, metres.
            color: fill colour.
            opacity: 0 transparent to 1 opaque.
        """
        x, y = self._middle(point)
        reach = half * self.step
        low = (round(x - reach), round(y - reach))
        high = (round(x + reach), round(y + reach))
        rows, cols = slice(max(0, low[1]), high[1]), slice(max(0, low[0]), high[0])
        self._blend(rows, cols, np.ones((1, 1), np.float32), color, opacity)

    def disc(
        self, point: int, radius: float, color: Rgb, *, at: Offset = MIDDLE, opacity: float = 1.0
    ) -> None:
        """Fill a circle.

        Args:
            point: index of the point that the circle belongs to.
            radius: radius, metres.
            color: fill colour.
            at: offset of the circle's centre from the point, metres.
            opacity: 0 transparent to 1 opaque.
        """
        with_margin = radius + 0.06

        def draw(cv2: Any, mask: Any, origin: Offset) -> None:
            center = self._fixed(point, at, origin)
            cv2.circle(mask, center, self._length(radius), 255, -1, cv2.LINE_AA, SHIFT)

        self._shape(point, at, with_margin, draw, color, opacity)

    def ring(self, point: int, radius: float, width: float, color: Rgb, *, dashes: int = 0) -> None:
        """Draw a ring around a point.

        Args:
            point: index of the point.
            radius: radius of the ring, metres.
            width: width of the stroke, metres.
            color: colour of the stroke.
            dashes: number of arcs of a dashed ring; 0 for a closed ring.
        """

        def draw(cv2: Any, mask: Any, origin: Offset) -> None:
            center, reach = self._fixed(point, (0.0, 0.0), origin), self._length(radius)
            thick = max(1, round(width * self.step))
            for start, end in _arcs(dashes):
                cv2.ellipse(
                    mask, center, (reach, reach), 0, start, end, 255, thick, cv2.LINE_AA, SHIFT
                )

        self._shape(point, (0.0, 0.0), radius + width + 0.06, draw, color, 1.0)

    def diamond(self, point: int, reach: float, width: float, color: Rgb) -> None:
        """Draw the outline of a square that stands on a corner.

        Args:
            point: index of the point at its centre.
            reach: distance from the centre to a corner, metres.
            width: width of the stroke, metres.
            color: colour of the stroke.
        """

        def draw(cv2: Any, mask: Any, origin: Offset) -> None:
            ends = [(0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0)]
            corners = np.array([self._fixed(point, end, origin) for end in ends], np.int32)
            thick = max(1, round(width * self.step))
            cv2.polylines(mask, [corners], True, 255, thick, cv2.LINE_AA, SHIFT)

        self._shape(point, (0.0, 0.0), reach + width + 0.06, draw, color, 1.0)

    def stroke(
        self,
        start: tuple[int, float, float],
        end: tuple[int, float, float],
        width: float,
        color: Rgb,
        *,
        opacity: float = 1.0,
    ) -> None:
        """Draw a straight line.

        Args:
            start: index of a point, and the line's start as an offset (x, y) from it, metres.
            end: index of a point, and the line's end as an offset (x, y) from it, metres.
            width: width of the stroke, metres.
            color: colour of the stroke.
            opacity: 0 transparent to 1 opaque.
        """
        ends = np.array([self._place(*start), self._place(*end)])
        margin = (width + 0.06) * self.step
        low = np.maximum(0, np.floor(ends.min(axis=0) - margin)).astype(int)
        high = np.ceil(ends.max(axis=0) + margin).astype(int)
        rows, cols = slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))

        def draw(cv2: Any, mask: Any, origin: Offset) -> None:
            corners = [
                tuple(round((v - o) * 2**SHIFT) for v, o in zip(place, origin, strict=True))
                for place in ends
            ]
            thick = max(1, round(width * self.step))
            cv2.line(mask, corners[0], corners[1], 255, thick, cv2.LINE_AA, SHIFT)

        self._stamp(rows, cols, draw, color, opacity)

    def letters(
        self, point: int, text: str, height: float, color: Rgb, *, at: Offset = MIDDLE
    ) -> None:
        """Write a text, centred.

        Args:
            point: index of the point that the text belongs to.
            text: the text.
            height: height of a digit, metres.
            color: colour of the text.
            at: offset of the text's centre from the point, metres.
        """

        def draw(cv2: Any, mask: Any, origin: Offset) -> None:
            face = cv2.FontFace("sans")
            size = max(6, round(height * self.step * 1.36))  # digits are 0.735 of the size
            left, top, wide, high = cv2.getTextSize((0, 0), text, (0, 0), face, size, 600)
            x, y = (value - o for value, o in zip(self._place(point, *at), origin, strict=True))
            place = (round(x - left - wide / 2), round(y - top - high / 2))
            cv2.putText(mask, text, place, 255, face, size, 600)

        self._shape(point, at, height * max(1.0, 0.62 * len(text)) + 0.06, draw, color, 1.0)

    def badge(
        self,
        point: int,
        text: str,
        radius: float,
        color: Rgb,
        *,
        at: Offset = MIDDLE,
        edge: Rgb | None = None,
    ) -> None:
        """Write a short text, for example a number, on a filled circle.

        Args:
            point: index of the point that the circle belongs to.
            text: the text.
            radius: radius of the circle, metres.
            color: fill colour of the circle; the text's colour is chosen to contrast with it.
            at: offset of the circle's centre from the point, metres.
            edge: colour of a border around the circle; None for no border.
        """
        if edge is not None:
            self.disc(point, radius + 0.025, edge, at=at)
        self.disc(point, radius, color, at=at)
        height = radius * (1.15 if len(text) == 1 else 0.92)
        self.letters(point, text, height, ink_on(color), at=at)

    # -- painting -----------------------------------------------------------------------------

    def _shape(
        self, point: int, at: Offset, reach: float, draw: Any, color: Rgb, opacity: float
    ) -> None:
        x, y = self._place(point, *at)
        wide = reach * self.step
        rows = slice(max(0, int(y - wide)), int(y + wide) + 1)
        cols = slice(max(0, int(x - wide)), int(x + wide) + 1)
        self._stamp(rows, cols, draw, color, opacity)

    def _stamp(self, rows: slice, cols: slice, draw: Any, color: Rgb, opacity: float) -> None:
        import cv2  # at its first use: a run without a picture has none

        shape = self.pixels[rows, cols, 3].shape
        if not all(shape):
            return
        mask = np.zeros(shape, np.uint8)
        draw(cv2, mask, (float(cols.start), float(rows.start)))
        self._blend(rows, cols, mask.astype(np.float32) / 255.0, color, opacity)

    def _blend(
        self, rows: slice, cols: slice, mask: NDArray[np.float32], color: Rgb, opacity: float
    ) -> None:
        """Blend a colour into a part of the picture.

        Colours are stored at full strength: they are not multiplied by their opacity.

        Args:
            rows: rows of the part.
            cols: columns of the part.
            mask: coverage of each pixel, 0 to 1.
            color: colour to blend in.
            opacity: factor on the coverage, 0 to 1.
        """
        self.is_empty = False
        place = self.pixels[rows, cols]
        cover = mask * np.float32(opacity)
        total = cover + place[..., 3] * np.float32(1 / 255) * (1.0 - cover)
        share = np.where(total > 0.0, cover / np.maximum(total, 1e-6), 1.0)[..., None]
        below = place[..., :3].astype(np.float32)
        ink = np.array(color[::-1], np.float32) * 255.0
        place[..., :3] = below + (ink - below) * share + 0.5
        place[..., 3] = total * 255.0 + 0.5

    def _middle(self, point: int) -> Offset:
        row, col = divmod(point, self.size)
        return (col + 0.5) * self.step, (row + 0.5) * self.step

    def _place(self, point: int, x: float, y: float) -> Offset:
        middle = self._middle(point)
        return middle[0] + x * self.step, middle[1] + y * self.step

    def _fixed(self, point: int, at: Offset, origin: Sequence[float]) -> tuple[int, int]:
        x, y = self._place(point, *at)
        return round((x - origin[0]) * 2**SHIFT), round((y - origin[1]) * 2**SHIFT)

    def _length(self, metres: float) -> int:
        return int(max(1, round(metres * self.step * 2**SHIFT)))


def _arcs(dashes: int) -> list[Offset]:
    """Return the arcs of a ring, each as its start and end in degrees.

    Args:
        dashes: number of arcs, with gaps between them; 0 for one full circle.
    """
    if not dashes:
        return [(0.0, 360.0)]
    span = 360.0 / dashes
    return [(index * span, (index + 0.6) * span) for index in range(dashes)]

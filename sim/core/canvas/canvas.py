"""`Canvas`: a picture that scripts draw on. It checks the commands; a painter sets the pixels.

Places and sizes are in pixels from the top left corner, x to the right and y down. Colours are
three or four numbers from 0 to 1, sRGB; the fourth is opacity.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from base.closed import Closed
from base.language.wording import translated
from base.values import shown_text
from sim.core.canvas import canvas
from sim.core.canvas.checks import (
    checked_area,
    checked_choice,
    checked_color,
    checked_number,
    checked_picture,
    checked_place,
    checked_points,
    checked_sides,
    checked_size,
    checked_values,
)
from sim.core.canvas.painter import Font, Painter, to_bgra

Picture = npt.NDArray[np.uint8]
Numbers = Sequence[float]
Align = Literal["left", "center", "right"]
VerticalAlign = Literal["baseline", "top", "middle"]
Map = Literal["inferno", "viridis", "turbo", "gray"]

USUAL_SIZE = (512, 512)
WHITE = (1.0, 1.0, 1.0)
BACKGROUND = (0.07, 0.066, 0.062)


class CanvasListener(Protocol):
    """An object that shows a canvas and is notified of its changes."""

    is_alive: bool

    def texture_painted(self) -> None:
        """Called by the canvas when its pixels have changed."""

    def visual_changed(self) -> None:
        """Called by the canvas when its size or its background has changed."""


class Canvas(Closed):
    """A picture that scripts draw on, shown on an object: `self.canvas` or `object.canvas`.

    A canvas is sent to the graphics card only when it has changed. A method with an invalid
    argument raises ValueError, which says what was expected and what was found; the picture then
    stays unchanged.

    Attributes:
        name: name in error messages.
        width: pixels across.
        height: pixels down.
        background: red, green, blue and opacity that `clear` fills with.
        is_opaque: whether the pixels have no alpha channel: the background's opacity is 1.
        scale: factor from canvas pixels, in which commands are given, to pixels of the picture.
        revision: counter that increases with every change.
    """

    __slots__ = (
        "_find_painter", "_loading", "_pixels", "_shown_on", "background", "height",
        "is_opaque", "name", "revision", "scale", "width",
    )  # fmt: skip

    def __init__(
        self,
        size: tuple[int, int] = USUAL_SIZE,
        *,
        painter: Callable[[], Painter],
        background: Numbers = BACKGROUND,
        scale: float = 1.0,
        name: str = "canvas",
        loading: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.name = name
        self._loading = loading
        self.background = checked_color(name, "background", background)
        self.is_opaque = self.background[3] >= 1.0
        self.scale = scale  # picture pixels per requested pixel
        self.width, self.height = size
        self.revision = 0
        self._find_painter = painter
        self._shown_on: list[CanvasListener] = []
        self._pixels: Picture = self._blank()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.width}x{self.height}>"

    # -- the picture --------------------------------------------------------------------------

    @property
    def pixels(self) -> Picture:
        """The pixels, for drawing with OpenCV and NumPy; each access counts as a change.

        The array is uint8: `[height, width, 3]` BGR if the canvas is opaque, else `[height, width,
        4]` BGRA with premultiplied alpha.
        """
        self.changed()
        return self._pixels

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of `pixels`."""
        return self._pixels.shape

    @property
    def picture(self) -> Picture:
        """The pixels for reading only; access does not count as a change."""
        return self._pixels

    def changed(self) -> None:
        """Report that the array of `pixels` was changed, so that the new picture is shown."""
        self.revision += 1
        for obj in self._shown_on:
            obj.texture_painted()

    def resize(self, width: int, height: int, *, background: Numbers | None = None) -> None:
        """Set the size and the background; if either changes, the picture is cleared.

        Args:
            width: pixels across, 1 to 4096.
            height: pixels down, 1 to 4096.
            background: colour that `clear` fills with from now on; an opacity below 1 makes the
                canvas translucent. None keeps the present colour.
        """
        size = checked_size(f"{self.name}.resize", width, height)
        color = self.background
        if background is not None:
            color = checked_color(f"{self.name}.resize", "background", background)
        if size == (self.width, self.height) and color == self.background:
            return
        self.width, self.height = size
        self.background = color
        self.is_opaque = color[3] >= 1.0
        self._renew()

    def clear(self, color: Numbers | None = None) -> None:
        """Fill the whole picture with a colour; None for the background colour."""
        chosen = self.background if color is None else checked_color(self.name, "clear", color)
        _fill(self._pixels, chosen)
        self.changed()

    def show_on(self, obj: CanvasListener) -> None:
        """Register an object that shows this canvas, to be notified of changes."""
        self._shown_on = [item for item in self._shown_on if item.is_alive and item is not obj]
        self._shown_on.append(obj)

    def hide_from(self, obj: CanvasListener) -> None:
        """Unregister an object that no longer shows this canvas."""
        self._shown_on = [item for item in self._shown_on if item is not obj]

    def _blank(self) -> Picture:
        size = (round(self.height * self.scale), round(self.width * self.scale))
        pixels = np.empty((*(max(1, side) for side in size), 3 if self.is_opaque else 4), np.uint8)
        _fill(pixels, self.background)
        return pixels

    def _renew(self) -> None:
        """Replace the picture by a blank one and notify the objects that show it."""
        self._pixels = self._blank()
        self.changed()
        for obj in self._shown_on:
            obj.visual_changed()

    @property
    def _painter(self) -> Painter:
        return self._find_painter()

    # -- shapes -------------------------------------------------------------------------------

    def line(self, start: Numbers, end: Numbers, color: Numbers, *, width: float = 2.0) -> None:
        """Draw a straight line.

        Args:
            start: x and y in pixels.
            end: x and y in pixels.
            color: RGB or RGBA, 0 to 1.
            width: thickness in pixels.
        """
        self.polyline([start, end], color, width=width)

    def polyline(
        self, points: object, color: Numbers, *, width: float = 2.0, is_closed: bool = False
    ) -> None:
        """Draw connected straight lines from point to point.

        Args:
            points: `[n, 2]`, x and y in pixels; at least two points.
            color: RGB or RGBA, 0 to 1.
            width: thickness in pixels.
            is_closed: whether to connect the last point with the first.
        """
        where = f"{self.name}.polyline"
        places = checked_points(where, points, least=2)
        thick = checked_number(where, "width", width, low=0.1)
        ink = to_bgra(checked_color(where, "color", color))
        self._painter.line(
            self._pixels, places * self.scale, ink, thick * self.scale, is_closed=is_closed
        )
        self.changed()

    def polygon(self, points: object, color: Numbers) -> None:
        """Fill a polygon.

        Args:
            points: corners `[n, 2]`, x and y in pixels; at least three.
            color: RGB or RGBA, 0 to 1.
        """
        where = f"{self.name}.polygon"
        places = checked_points(where, points, least=3)
        ink = to_bgra(checked_color(where, "color", color))
        self._painter.polygon(self._pixels, places * self.scale, ink)
        self.changed()

    def circle(
        self, center: Numbers, radius: float, color: Numbers, *, width: float | None = None
    ) -> None:
        """Fill a circle or draw its outline.

        Args:
            center: x and y in pixels.
            radius: pixels.
            color: RGB or RGBA, 0 to 1.
            width: thickness of the outline in pixels; None to fill the circle.
        """
        where = f"{self.name}.circle"
        place = checked_place(where, "center", center) * self.scale
        reach = checked_number(where, "radius", radius, low=0.0) * self.scale
        thick = 0.0 if width is None else checked_number(where, "width", width, low=0.1)
        ink = to_bgra(checked_color(where, "color", color))
        self._painter.circle(self._pixels, place, reach, ink, thick * self.scale)
        self.changed()

    def rectangle(
        self, area: Numbers, color: Numbers, *, width: float | None = None, radius: float = 0.0
    ) -> None:
        """Fill a rectangle or draw its outline.

        Args:
            area: left, top, width and height in pixels.
            color: RGB or RGBA, 0 to 1.
            width: thickness of the outline in pixels, drawn inside the area; None to fill.
            radius: radius of the rounded corners, pixels; 0 for sharp corners.
        """
        where = f"{self.name}.rectangle"
        place = checked_area(where, "area", area) * self.scale
        thick = 0.0 if width is None else checked_number(where, "width", width, low=0.1)
        bend = checked_number(where, "radius", radius, low=0.0)
        ink = to_bgra(checked_color(where, "color", color))
        self._painter.rectangle(self._pixels, place, ink, thick * self.scale, bend * self.scale)
        self.changed()

    # -- text and pictures --------------------------------------------------------------------

    def text(
        self,
        text: str,
        place: Numbers,
        color: Numbers = WHITE,
        *,
        size: float = 20.0,
        weight: int = 400,
        align: Align = "left",
        valign: VerticalAlign = "baseline",
        font: str = "",
    ) -> None:
        """Write text of any script; each line break starts a new line.

        Characters that neither the font nor OpenCV's own has are drawn with the system's fonts.

        Args:
            text: the text.
            place: x and y in pixels of the anchor of the first line, see `align` and `valign`.
            color: colour of the letters, RGB or RGBA, 0 to 1.
            size: font size, pixels.
            weight: thickness of the letters from 100 (thin) to 900 (black); 400 is regular, 600 is
                bold.
            align: whether the anchor is at the left end, the centre or the right end of a line.
            valign: whether the anchor is at the baseline, the top or the middle of the first line.
            font: a TrueType file of the project, such as "assets/fonts/mine.ttf"; empty for the
                font that is built into OpenCV.
        """
        where = f"{self.name}.text"
        x, y = checked_place(where, "place", place) * self.scale
        high = checked_number(where, "size", size, low=1.0, high=2000.0) * self.scale
        heavy = int(checked_number(where, "weight", weight, low=100, high=900))
        checked_choice(where, "align", align, ("left", "center", "right"))
        down = {"baseline": 0.0, "top": 0.78, "middle": 0.355}
        y += down[checked_choice(where, "valign", valign, tuple(down))] * high
        ink = to_bgra(checked_color(where, "color", color))
        letters = Font(high, heavy, font)
        for line in translated(shown_text(text)).split("\n"):
            self._painter.text(self._pixels, line, np.array([x, y]), ink, letters, align)
            y += 1.3 * high
        self.changed()

    def text_size(
        self, text: str, *, size: float = 20.0, weight: int = 400, font: str = ""
    ) -> tuple[float, float]:
        """Return the width and height that a text would have, in pixels.

        Args:
            text: the text; line breaks start new lines.
            size: font size, pixels.
            weight: thickness of the letters, 100 to 900.
            font: a TrueType file of the project; empty for the built-in font.
        """
        where = f"{self.name}.text_size"
        high = checked_number(where, "size", size, low=1.0, high=2000.0)
        heavy = int(checked_number(where, "weight", weight, low=100, high=900))
        lines, letters = (
            translated(shown_text(text)).split("\n"),
            Font(high * self.scale, heavy, font),
        )
        widths = [self._painter.text_width(line, letters) for line in lines]
        return max(widths) / self.scale, high * (1.3 * len(lines) - 0.3)

    def image(
        self,
        picture: str | os.PathLike[str] | Picture | Canvas,
        place: Numbers = (0.0, 0.0),
        size: Numbers | None = None,
        opacity: float = 1.0,
    ) -> None:
        """Draw a picture onto the canvas.

        Args:
            picture: path of a picture file in the project, another canvas, or a uint8 array: `[h,
                w]` grey, `[h, w, 3]` BGR or `[h, w, 4]` BGRA with straight alpha.
            place: x and y of its top left corner, pixels.
            size: width and height to scale it to, pixels; None for its own size.
            opacity: 0 to 1.
        """
        where = f"{self.name}.image"
        at = checked_place(where, "place", place)
        sides = None if size is None else checked_sides(where, "size", size)
        cover = checked_number(where, "opacity", opacity, low=0.0, high=1.0)
        pixels = checked_picture(where, self._pixels_of(picture))
        if sides is None:
            sides = np.array([pixels.shape[1], pixels.shape[0]], np.float64)
            if isinstance(picture, Canvas):
                sides = sides / picture.scale
        area = np.concatenate([at, sides]) * self.scale
        self._painter.image(self._pixels, pixels, area, cover, is_smooth=True)
        self.changed()

    def _pixels_of(self, picture: object) -> object:
        """Return the pixels of a canvas or of a file of the project; other values unchanged."""
        if isinstance(picture, Canvas):
            return _straight(picture.picture)
        if isinstance(picture, os.PathLike):
            picture = os.fspath(picture).replace(os.sep, "/")
        if not isinstance(picture, str):
            return picture
        with self._loading():
            return self._painter.read(picture)

    def heat_map(
        self,
        values: object,
        area: Numbers,
        *,
        low: float | None = None,
        high: float | None = None,
        colors: Map = "inferno",
        is_smooth: bool = False,
    ) -> None:
        """Draw a table of numbers as a heat map: each number becomes a coloured rectangle.

        Args:
            values: finite numbers `[rows, columns]`; row 0 is at the top.
            area: left, top, width and height in pixels.
            low: number that has the first colour of the map; None for the minimum of the values.
            high: number that has the last colour of the map; None for the maximum of the values.
            colors: name of the colour map.
            is_smooth: whether to interpolate the colours between the numbers.
        """
        where = f"{self.name}.heat_map"
        place = checked_area(where, "area", area) * self.scale
        checked_choice(where, "colors", colors, ("inferno", "viridis", "turbo", "gray"))
        numbers = checked_values(where, values, dimensions=2)
        first, last = canvas.limits(where, numbers, low, high)
        shares = np.clip((numbers - first) / (last - first), 0.0, 1.0)
        picture = self._painter.colored((shares * 255.0 + 0.5).astype(np.uint8), colors)
        self._painter.image(self._pixels, picture, place, 1.0, is_smooth=is_smooth)
        self.changed()

    # -- charts -------------------------------------------------------------------------------

    def plot(
        self,
        values: object,
        area: Numbers,
        color: Numbers,
        *,
        low: float | None = None,
        high: float | None = None,
        width: float = 2.0,
        fill: float = 0.0,
    ) -> None:
        """Draw numbers `[n]` as a line chart from the area's left edge to its right.

        Args:
            values: finite numbers `[n]`, at least one; drawn at equal distances.
            area: left, top, width and height in pixels.
            color: colour of the line, RGB or RGBA, 0 to 1.
            low: number at the lower edge; None for the minimum of the values.
            high: number at the upper edge; None for the maximum of the values.
            width: thickness of the line in pixels.
            fill: opacity, 0 to 1, of the area between the line and zero. If zero is outside the
                chart, the area reaches to the edge nearest to zero.
        """
        where = f"{self.name}.plot"
        place = checked_area(where, "area", area)
        numbers = checked_values(where, values, dimensions=1)
        first, last = canvas.limits(where, numbers, low, high)
        points = canvas.line_points(numbers, place, first, last)
        share = checked_number(where, "fill", fill, low=0.0, high=1.0)
        checked_number(where, "width", width, low=0.1)
        chosen = checked_color(where, "color", color)
        if share > 0.0:
            zero = min(1.0, max(0.0, -first / (last - first)))
            floor = place[1] + place[3] * (1.0 - zero)
            ends = np.array([[points[-1, 0], floor], [points[0, 0], floor]])
            self.polygon(np.vstack([points, ends]), (*chosen[:3], chosen[3] * share))
        self.polyline(points, chosen, width=width)

    def bars(
        self,
        values: object,
        area: Numbers,
        color: Numbers,
        *,
        low: float | None = None,
        high: float | None = None,
        gap: float = 0.2,
    ) -> None:
        """Draw numbers as a bar chart; each bar reaches from zero to its number.

        Args:
            values: finite numbers `[n]`, at least one.
            area: left, top, width and height in pixels.
            color: colour of all bars, RGB or RGBA, 0 to 1.
            low: number at the lower edge; None for the minimum of zero and the values.
            high: number at the upper edge; None for the maximum of zero and the values.
            gap: gap between two bars as a fraction of the distance between their centres, 0 to
                0.95.
        """
        where = f"{self.name}.bars"
        place = checked_area(where, "area", area)
        numbers = checked_values(where, values, dimensions=1)
        least = min(0.0, float(numbers.min())) if low is None else low
        most = max(0.0, float(numbers.max())) if high is None else high
        first, last = canvas.limits(where, numbers, least, most)
        empty = checked_number(where, "gap", gap, low=0.0, high=0.95)
        chosen = checked_color(where, "color", color)
        for bar in canvas.bar_areas(numbers, place, first, last, empty):
            self.rectangle(bar, chosen)

    def grid(
        self,
        area: Numbers,
        low: float,
        high: float,
        *,
        color: Numbers = (1.0, 1.0, 1.0, 0.14),
        text_color: Numbers = (1.0, 1.0, 1.0, 0.6),
        size: float = 16.0,
        ticks: int = 4,
    ) -> None:
        """Draw the horizontal lines of a chart at round numbers, each with its number on the left.

        The numbers are written outside the area, right-aligned; leave about three times `size`
        there.

        Args:
            area: left, top, width and height of the chart, pixels.
            low: number at the lower edge.
            high: number at the upper edge.
            color: colour of the lines, RGB or RGBA, 0 to 1.
            text_color: colour of the numbers.
            size: font size of the numbers, pixels.
            ticks: desired number of lines, 1 to 50.
        """
        where = f"{self.name}.grid"
        place = checked_area(where, "area", area)
        first, last = canvas.limits(where, np.zeros(1), low, high)
        most = int(checked_number(where, "ticks", ticks, low=1, high=50))
        for value, label in canvas.round_ticks(first, last, most):
            y = place[1] + place[3] * (last - value) / (last - first)
            self.line((place[0], y), (place[0] + place[2], y), color, width=1)
            at = (place[0] - 0.5 * size, y)
            self.text(label, at, text_color, size=size, align="right", valign="middle")


def _straight(pixels: Picture) -> Picture:
    """Return a canvas's pixels as a copy with straight alpha instead of premultiplied."""
    if pixels.shape[2] == 3:
        return pixels.copy()
    alpha = np.maximum(pixels[..., 3:].astype(np.float32), 1.0)
    colors = np.minimum(pixels[..., :3] * (255.0 / alpha) + 0.5, 255.0)
    return np.concatenate([colors.astype(np.uint8), pixels[..., 3:]], axis=2)


def _fill(pixels: Picture, color: Numbers) -> None:
    """Fill a picture with a colour: copying one row is five times as fast as setting pixels."""
    pixels[0] = to_bgra(color)[: pixels.shape[2]]
    pixels[1:] = pixels[0]


FloatArray = npt.NDArray[np.float64]
LARGEST, LEAST_SPAN = 1e300, 1e-280  # beyond these, differences overflow
POINTS_A_PIXEL = 2  # points of a line; of more, the minimum and maximum of each pixel are drawn


def limits(
    where: str, values: FloatArray, low: float | None, high: float | None
) -> tuple[float, float]:
    """Return the numbers at a chart's lower and upper edge; they are never equal.

    Args:
        where: name of the drawing command, for error messages.
        values: numbers to be drawn.
        low: requested lower number; None for the minimum of the values.
        high: requested upper number; None for the maximum of the values.

    Raises:
        ValueError: `low` is above `high`, or a number is not finite or too large to draw.
    """
    first = float(values.min()) if low is None else checked_number(where, "low", low)
    last = float(values.max()) if high is None else checked_number(where, "high", high)
    if low is not None and high is not None and first > last:
        raise ValueError(f"{where}: expected low below high, found {first:g} and {last:g}")
    if max(abs(first), abs(last)) > LARGEST:
        raise ValueError(
            f"{where}: expected numbers up to {LARGEST:g}, found {first:g} to {last:g}"
        )
    if last - first > LEAST_SPAN:
        return first, last
    room = max(abs(first), abs(last), 1.0) * 0.5  # all values are equal, or beyond a given limit
    if low is not None:
        return first, first + room
    return (first - room, last + room) if high is None else (last - room, last)


def line_points(values: FloatArray, area: FloatArray, low: float, high: float) -> FloatArray:
    """Return the points of a line chart, `[m, 2]` x and y in pixels, limited to its area.

    Args:
        values: numbers `[n]`. If there are many more than pixels across, only the minimum and the
            maximum in each pixel column are drawn.
        area: left, top, width and height in pixels.
        low: number at the lower edge.
        high: number at the upper edge.
    """
    left, top, width, height = area
    if len(values) == 1:
        values = np.repeat(values, 2)
    across = np.linspace(left, left + width, len(values))
    if len(values) > 2 * POINTS_A_PIXEL * max(2.0, width):
        across, values = _thinned(across, values, max(2, int(width)))
    shares = np.clip((values - low) / (high - low), 0.0, 1.0)
    return np.column_stack([across, top + height * (1.0 - shares)])


def _thinned(across: FloatArray, values: FloatArray, groups: int) -> tuple[FloatArray, FloatArray]:
    """Reduce the points of a line to the minimum and maximum of each group of neighbours.

    Args:
        across: `[n]` x coordinates.
        values: `[n]` numbers.
        groups: number of groups into which the points are divided.

    Returns:
        x coordinates `[2 groups]` and numbers `[2 groups]`. The two points of a group keep their
        order in the line.
    """
    bounds = np.linspace(0, len(values), groups + 1).astype(int)[:-1]
    lows, highs = np.minimum.reduceat(values, bounds), np.maximum.reduceat(values, bounds)
    ends = np.column_stack([lows, highs])
    falls = values[bounds] > ends.mean(axis=1)
    ends[falls] = ends[falls][:, ::-1]
    return np.repeat(across[bounds], 2), ends.ravel()


def bar_areas(
    values: FloatArray, area: FloatArray, low: float, high: float, gap: float
) -> list[tuple[float, float, float, float]]:
    """Return left, top, width and height in pixels of each bar of a chart; empty bars are left out.

    Args:
        values: numbers `[n]`.
        area: left, top, width and height of the chart in pixels.
        low: number at the lower edge.
        high: number at the upper edge.
        gap: gap between two bars as a fraction of the distance between their centres.
    """
    left, top, width, height = area
    step = width / len(values)
    shares = np.clip((values - low) / (high - low), 0.0, 1.0)
    zero = min(1.0, max(0.0, -low / (high - low)))
    found: list[tuple[float, float, float, float]] = []
    for index, share in enumerate(shares):
        over, under = max(float(share), zero), min(float(share), zero)
        if over > under:
            bar = (left + (index + gap / 2) * step, top + height * (1.0 - over))
            found.append((*bar, step * (1.0 - gap), height * (over - under)))
    return found


def round_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return round numbers for the lines of a chart from `low` to `high`, each with its text.

    Args:
        low: lower end of the range.
        high: upper end of the range.
        most: desired number of intervals; there are this many or fewer.
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if step / 10.0**-digits % 1.0 > 1e-9:  # a step such as 2.5
        digits += 1
    if not 1e-4 <= abs(step) < 1e7:
        return [(index * step, f"{index * step:.3g}") for index in range(first, last + 1)]
    return [(index * step, f"{index * step:.{digits}f}") for index in range(first, last + 1)]

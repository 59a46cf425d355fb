"""The painter of canvases: OpenCV with antialiasing and a TrueType font.

Pictures with alpha are premultiplied: OpenCV's antialiasing is then right for all four channels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from base.files import resolve_in_project
from base.spelling import project_file
from sim.core.assets.animation.poses import IntArray
from sim.core.canvas.painter import FloatArray, Font, Ink, Painter, Picture
from sim.render.lettering.clusters import drawable
from sim.render.lettering.faces import PlainFace
from sim.render.lettering.lettering import Lettering, Letters, usual_lettering
from sim.render.materials.textures import decoded

Color = tuple[int, ...] | int
Draw = Callable[[Picture, FloatArray, Color], object]
Corners = tuple[FloatArray, FloatArray]
"""Of a rectangle: left and top, right and bottom; pixels."""
SHIFT = 4  # bits below one pixel that OpenCV draws with
FARTHEST = 30_000.0  # pixels from the corner; what lies beyond is drawn there
SHARES = {"left": 0.0, "center": 0.5, "right": 1.0}
KEPT_PICTURES = 64
MAPS = {
    "inferno": cv2.COLORMAP_INFERNO,
    "viridis": cv2.COLORMAP_VIRIDIS,
    "turbo": cv2.COLORMAP_TURBO,
}


class CanvasPainter(Painter):
    """Draws on canvases with OpenCV; `sim.core.canvas.painter` describes each method.

    Args:
        project: returns the folder of the project, which pictures and fonts come from.
        lettering: draws the lines that OpenCV cannot draw; None for the one that all share.
    """

    def __init__(self, project: Callable[[], Path], lettering: Lettering | None = None) -> None:
        self._project = project
        self._lettering = usual_lettering() if lettering is None else lettering
        self._fonts: dict[str, str] = {}  # files, by their paths within the project
        self._pictures: dict[tuple[Path, int], Picture] = {}

    def line(
        self, pixels: Picture, points: FloatArray, ink: Ink, width: float, *, is_closed: bool
    ) -> None:
        """Draw straight lines through points.

        Args:
            pixels: the canvas, drawn on in place.
            points: `[n, 2]` in pixels.
            ink: colour.
            width: line width, pixels.
            is_closed: whether the last point is joined to the first.
        """
        thick = max(1, round(width))

        def draw(target: Picture, origin: FloatArray, color: Color) -> None:
            corners = [_fixed(points - origin)]
            cv2.polylines(target, corners, is_closed, color, thick, cv2.LINE_AA, SHIFT)

        _over(pixels, _bounds(points, thick), ink, draw)

    def polygon(self, pixels: Picture, points: FloatArray, ink: Ink) -> None:
        """Fill a polygon.

        Args:
            pixels: the canvas, drawn on in place.
            points: `[n, 2]` corners in order, pixels.
            ink: colour.
        """

        def draw(target: Picture, origin: FloatArray, color: Color) -> None:
            cv2.fillPoly(target, [_fixed(points - origin)], color, cv2.LINE_AA, SHIFT)

        _over(pixels, _bounds(points, 1), ink, draw)

    def circle(
        self, pixels: Picture, center: FloatArray, radius: float, ink: Ink, width: float
    ) -> None:
        """Draw the outline of a circle, or fill the circle.

        Args:
            pixels: the canvas, drawn on in place.
            center: `[2]` centre, pixels.
            radius: radius, pixels.
            ink: colour.
            width: line width, pixels; 0 to fill.
        """
        thick = max(1, round(width)) if width else -1
        reach = round(min(radius, FARTHEST) * 2**SHIFT)

        def draw(target: Picture, origin: FloatArray, color: Color) -> None:
            x, y = _fixed(center - origin).tolist()
            cv2.circle(target, (x, y), reach, color, thick, cv2.LINE_AA, SHIFT)

        _over(pixels, _bounds(np.array([center - radius, center + radius]), thick), ink, draw)

    def rectangle(
        self, pixels: Picture, area: FloatArray, ink: Ink, width: float, radius: float
    ) -> None:
        """Draw the outline of a rectangle, or fill it if `width` is 0; edges snap to whole pixels.

        Args:
            pixels: the canvas, drawn on in place.
            area: left, top, width and height, pixels.
            ink: colour.
            width: line width, pixels; 0 to fill.
            radius: radius of the rounded corners, pixels; 0 for square corners.
        """
        low = np.rint(np.clip(area[:2], -FARTHEST, FARTHEST))
        high = np.rint(np.clip(area[:2] + area[2:], -FARTHEST, FARTHEST))
        high = np.maximum(high, low + 1.0)
        thick = max(1, round(width)) if width else 0
        if not thick and radius < 1.0:
            _over(pixels, (low, high), ink, None)
            return
        inset = thick / 2.0 if thick else 0.5
        corners = _round_corners(low + inset, high - inset, radius - inset)

        def draw(target: Picture, origin: FloatArray, color: Color) -> None:
            fixed = [_fixed(corners - origin)]
            if thick:
                cv2.polylines(target, fixed, True, color, thick, cv2.LINE_AA, SHIFT)
            else:
                cv2.fillPoly(target, fixed, color, cv2.LINE_AA, SHIFT)

        _over(pixels, (low - 1.0, high + 1.0), ink, draw)

    def text(
        self, pixels: Picture, text: str, place: FloatArray, ink: Ink, font: Font, align: str
    ) -> None:
        """Draw one line of text.

        Args:
            pixels: the canvas, drawn on in place.
            text: the text.
            place: `[2]` point on the baseline, pixels.
            ink: colour.
            font: its file, size and weight.
            align: which part of the line is at `place`: left, center or right.
        """
        line, plain = drawable(text), self._face(font)
        high, weight = max(1, round(font.size)), font.weight
        if not plain.covers_all(line):
            self._letters(pixels, self._line(line, font), place, ink, align)
            return
        face = plain.font
        left, top, wide, down = cv2.getTextSize((0, 0), line, (0, 0), face, high, weight)
        if not wide:
            return
        share = SHARES[align]
        shift = 0.0 if align == "left" else left + wide * share
        x, y = np.rint(np.clip(place - (shift, 0.0), -FARTHEST, FARTHEST))

        def draw(target: Picture, origin: FloatArray, color: Color) -> None:
            at = (int(x - origin[0]), int(y - origin[1]))
            cv2.putText(target, line, at, color, face, high, weight)

        low = np.array([x + left - 2, y + top - 2])
        room = np.array([wide + 4 + abs(left), down + 4])
        is_masked = pixels.shape[2] == 4  # OpenCV's text leaves too little opacity at its edges
        _over(pixels, (low, low + room), ink, draw, is_masked=is_masked)

    def text_width(self, text: str, font: Font) -> float:
        """Return the width of one line of text in pixels."""
        line, plain = drawable(text), self._face(font)
        if not plain.covers_all(line):
            letters = self._line(line, font)
            return float(letters.right) if line.strip() else 0.0
        size, face = max(1, round(font.size)), plain.font
        left, _, wide, _ = cv2.getTextSize((0, 0), line, (0, 0), face, size, font.weight)
        return float(left + wide) if wide else 0.0

    def read(self, path: str) -> Picture:
        """Read a picture file of the project; it keeps its alpha channel, if any.

        Args:
            path: path within the project.

        Raises:
            ValueError: the file is missing or no picture.
        """
        file = self._file(path)
        key = (file, file.stat().st_mtime_ns)
        if key not in self._pictures:
            found = decoded(file.read_bytes(), "image", path)
            if found.dtype == np.uint16:
                found = (found >> 8).astype(np.uint8)
            while len(self._pictures) >= KEPT_PICTURES:
                del self._pictures[next(iter(self._pictures))]
            self._pictures[key] = np.asarray(found)
        return self._pictures[key]

    def image(
        self, pixels: Picture, picture: Picture, area: FloatArray, alpha: float, *, is_smooth: bool
    ) -> None:
        """Draw a picture scaled to an area.

        Args:
            pixels: the canvas, drawn on in place.
            picture: grey, BGR or BGRA; its alpha is straight, not premultiplied.
            area: left, top, width and height, pixels.
            alpha: opacity, 0 to 1.
            is_smooth: whether pixels are interpolated when it is scaled.
        """
        low = np.rint(np.clip(area[:2], -FARTHEST, FARTHEST)).astype(int)
        high = np.rint(np.clip(area[:2] + area[2:], -FARTHEST, FARTHEST)).astype(int)
        size = np.maximum(high - low, 1)
        first = np.maximum(low, 0)
        last = np.minimum(low + size, (pixels.shape[1], pixels.shape[0]))
        if (last <= first).any() or alpha <= 0.0:
            return
        fitted = _fitted(picture, size, first - low, last - low, is_smooth=is_smooth)
        if fitted.ndim == 2:
            fitted = cv2.cvtColor(fitted, cv2.COLOR_GRAY2BGR)
        below = pixels[first[1] : last[1], first[0] : last[0]]
        if fitted.shape[2] == 3 and alpha >= 1.0:
            below[..., :3] = fitted
            below[..., 3:] = 255
            return
        cover = np.full(fitted.shape[:2], alpha, np.float32)
        if fitted.shape[2] == 4:
            cover *= fitted[..., 3] * np.float32(1.0 / 255.0)
        full = np.full((*fitted.shape[:2], below.shape[2]), 255.0, np.float32)
        full[..., :3] = fitted[..., :3]
        _mix(below, full, cover)

    def colored(self, shares: Picture, colors: str) -> Picture:
        """Convert numbers `[h, w]` from 0 to 255 to colours `[h, w, 3]` BGR by a colour map.

        Args:
            shares: the numbers.
            colors: name of the colour map: inferno, viridis or turbo; grey for any other name.
        """
        if colors not in MAPS:
            return np.asarray(cv2.cvtColor(shares, cv2.COLOR_GRAY2BGR))
        return np.asarray(cv2.applyColorMap(shares, MAPS[colors]))

    def _letters(
        self, pixels: Picture, letters: Letters, place: FloatArray, ink: Ink, align: str
    ) -> None:
        """Draw a line that `Lettering` has made.

        Args:
            pixels: the canvas, drawn on in place.
            letters: the line.
            place: `[2]` point on the baseline, pixels.
            ink: colour.
            align: which part of the line is at `place`: left, center or right.
        """
        high, wide = letters.cover.shape
        shift = 0.0 if align == "left" else letters.left + wide * SHARES[align]
        x, y = np.rint(np.clip(place - (shift, 0.0), -FARTHEST, FARTHEST))
        low = np.array([x + letters.left, y + letters.top])

        def draw(target: Picture, origin: FloatArray, color: Color) -> None:
            shown, cover = _overlap(target, letters.cover, low - origin)
            np.maximum(shown, cover, out=shown)

        _over(pixels, (low, low + np.array([wide, high])), ink, draw, is_masked=True)
        if letters.colors is not None:
            below, colors = _overlap(pixels, letters.colors, low)
            share = np.float32(ink[3] / 255.0)
            kept = 1.0 - colors[..., 3:] * (share / np.float32(255.0))
            below[:] = below * kept + colors[..., : pixels.shape[2]] * share + 0.5

    def _line(self, line: str, font: Font) -> Letters:
        size = max(1, round(font.size))
        return self._lettering.line(line, size, font.weight, self._font_file(font))

    def _face(self, font: Font) -> PlainFace:
        try:
            return self._lettering.plain_face(self._font_file(font))
        except ValueError:
            raise ValueError(f"text: font: expected a TrueType font, found {font.file}") from None

    def _font_file(self, font: Font) -> str:
        if not font.file:
            return ""
        if font.file not in self._fonts:
            self._fonts[font.file] = str(self._file(font.file))
        return self._fonts[font.file]

    def _file(self, path: str) -> Path:
        try:
            file = resolve_in_project(self._project(), path)
        except ValueError as error:
            raise ValueError(f"canvas: expected {error}, found {path!r}") from None
        if not file.is_file():
            expected = project_file(self._project(), path)
            raise ValueError(f"canvas: expected {expected}, found none at {path!r}")
        return file


def _over(
    pixels: Picture, corners: Corners, ink: Ink, draw: Draw | None, *, is_masked: bool = False
) -> None:
    """Draw a shape, blended with the canvas if its colour is translucent.

    A shape with an opaque colour is drawn directly. A translucent shape is first drawn as a mask.

    Args:
        pixels: the canvas, drawn on in place.
        corners: two corners of a rectangle around the shape: left and top, right and bottom.
        ink: colour.
        draw: called with the picture to draw on, its top left pixel and the colour; None to fill
            the whole rectangle.
        is_masked: whether to use a mask for opaque colours too.
    """
    if ink[3] == 255 and draw is not None and not is_masked:
        draw(pixels, np.zeros(2), ink[: pixels.shape[2]])
        return
    first = np.maximum(np.floor(corners[0]), 0).astype(int)
    last = np.minimum(np.ceil(corners[1]), (pixels.shape[1], pixels.shape[0])).astype(int)
    if (last <= first).any() or ink[3] == 0:
        return
    below = pixels[first[1] : last[1], first[0] : last[0]]
    under = below.copy()  # of whole rows, too, which lie together already
    solid = cv2.LUT(under, _fading(ink)[:, :, : pixels.shape[2]])
    if draw is None:
        below[:] = solid
        return
    mask = np.zeros(below.shape[:2], np.uint8)
    draw(mask, first.astype(np.float64), 255)
    edges = cv2.findNonZero(cv2.inRange(mask, 1, 254))
    below[:] = cv2.copyTo(solid, mask, under.copy())
    if edges is not None:
        columns, rows = edges.reshape(-1, 2).T
        old = under[rows, columns].astype(np.float32)
        share = mask[rows, columns, None] * np.float32(1.0 / 255.0)
        below[rows, columns] = old + (solid[rows, columns] - old) * share + 0.5


def _overlap(pixels: Picture, picture: Picture, place: FloatArray) -> tuple[Picture, Picture]:
    """Return the part of some pixels that a picture lies on, and that part of the picture.

    Args:
        pixels: the pixels.
        picture: the picture.
        place: column and row of its top left corner, whole numbers.
    """
    low = place.astype(int)
    first = np.maximum(low, 0)
    last = np.minimum(low + picture.shape[1::-1], pixels.shape[1::-1])
    last = np.maximum(last, first)
    start, stop = first - low, last - low
    return (
        pixels[first[1] : last[1], first[0] : last[0]],
        picture[start[1] : stop[1], start[0] : stop[0]],
    )


def _fading(ink: Ink) -> Picture:
    """Return a table for blending a translucent colour over any pixel value.

    Args:
        ink: the colour, premultiplied, with its alpha.

    Returns:
        `[1, 256, 4]`: for each old value 0 to 255 the new value in each of the four channels.
    """
    kept = np.arange(256) * (255 - ink[3]) / 255.0
    values = np.clip(kept[:, None] + np.array(ink) + 0.5, 0, 255)
    return np.asarray(values[None], dtype=np.uint8)


def _mix(below: Picture, above: npt.NDArray[np.float32], cover: npt.NDArray[np.float32]) -> None:
    """Blend colours with straight alpha over pixels, in place.

    Args:
        below: `[h, w, c]` the pixels.
        above: `[h, w, c]` the colours.
        cover: `[h, w]` coverage of each pixel, 0 to 1.
    """
    share = cover[..., None]
    below[:] = below * (1.0 - share) + above * share + 0.5


def _bounds(points: FloatArray, thick: int) -> Corners:
    room = abs(thick) * 0.75 + 2.0
    near = np.clip(points, -FARTHEST, FARTHEST)
    return near.min(axis=0) - room, near.max(axis=0) + room


def _fixed(points: FloatArray) -> npt.NDArray[np.int32]:
    """Convert points in pixels of a canvas to OpenCV's fixed-point numbers.

    On a canvas the first pixel spans 0 to 1, so its centre is at 0.5. In OpenCV its centre is at 0.
    """
    near = np.clip(points, -FARTHEST, FARTHEST)
    return np.asarray(np.rint((near - 0.5) * 2**SHIFT), dtype=np.int32)


def _round_corners(low: FloatArray, high: FloatArray, radius: float) -> FloatArray:
    reach = max(0.0, min(radius, *((high - low) / 2.0)))
    if reach < 0.5:
        return np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    steps = max(3, math.ceil(reach / 2.0))
    angles = np.linspace(0.0, np.pi / 2.0, steps + 1)
    arc = np.column_stack([np.cos(angles), np.sin(angles)]) * reach
    inner_low, inner_high = low + reach, high - reach
    turns = [
        (inner_high, arc),
        (np.array([inner_low[0], inner_high[1]]), arc[:, ::-1] * (-1.0, 1.0)),
        (inner_low, -arc),
        (np.array([inner_high[0], inner_low[1]]), arc[:, ::-1] * (1.0, -1.0)),
    ]
    return np.vstack([center + corner for center, corner in turns])


def _fitted(
    picture: Picture, size: IntArray, first: IntArray, last: IntArray, *, is_smooth: bool
) -> Picture:
    """Return a rectangular part of a resized picture.

    Args:
        picture: the picture.
        size: width and height to which the whole picture is resized, pixels.
        first: left and top of the part in the resized picture.
        last: right and bottom of the part.
        is_smooth: whether pixels are interpolated.
    """
    if tuple(size) == (picture.shape[1], picture.shape[0]):
        return picture[first[1] : last[1], first[0] : last[0]]
    scale = np.array([picture.shape[1], picture.shape[0]]) / size
    way = cv2.INTER_NEAREST
    if is_smooth:
        way = cv2.INTER_AREA if (scale > 1.0).all() else cv2.INTER_LINEAR
    if int(size[0]) * int(size[1]) <= 4 * 4096 * 4096:
        whole = cv2.resize(picture, (int(size[0]), int(size[1])), interpolation=way)
        return np.asarray(whole[first[1] : last[1], first[0] : last[0]])
    columns = np.clip((np.arange(first[0], last[0]) + 0.5) * scale[0], 0, picture.shape[1] - 1)
    rows = np.clip((np.arange(first[1], last[1]) + 0.5) * scale[1], 0, picture.shape[0] - 1)
    return np.asarray(picture[rows.astype(int)[:, None], columns.astype(int)[None, :]])

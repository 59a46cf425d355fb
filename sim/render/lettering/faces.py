"""Faces: what shapes and draws the letters of one font."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple, Protocol

import cv2
import numpy as np
import numpy.typing as npt
import uharfbuzz as hb

from sim.render.lettering.clusters import is_ignored, is_plain
from sim.render.lettering.direction import mirrored

Picture = npt.NDArray[np.uint8]
USUAL_FONT = "sans"  # OpenCV's own
REGULAR = 400
BOLDER = 0.028 / 300  # of the font size that outlines grow for each step of weight above regular


class Piece(NamedTuple):
    """Pixels of some letters.

    Attributes:
        cover: `[h, w]` how much of each pixel is covered, 0 to 255.
        left: column of its left edge, from the start of the line.
        top: row of its top edge, from the baseline; negative above.
        colors: `[h, w, 4]` premultiplied BGRA of letters with colours of their own, or None.
    """

    cover: Picture
    left: int
    top: int
    colors: Picture | None = None


class Face(Protocol):
    """Shapes and draws letters of one font."""

    def covers(self, cluster: str) -> bool:
        """Return whether the font has all characters of a cluster."""

    def draw(
        self, text: str, left: float, size: float, weight: int, *, is_rtl: bool, script: str
    ) -> tuple[list[Piece], float]:
        """Draw letters of one script and direction.

        Args:
            text: the letters.
            left: where they begin, pixels from the start of the line.
            size: font size, pixels.
            weight: 100 to 900.
            is_rtl: whether they run from right to left.
            script: ISO 15924 code of their script.

        Returns:
            The pieces, and the width that they take, pixels.
        """


class PlainFace:
    """OpenCV's text: it has fonts of its own, and draws letters side by side without shaping.

    Args:
        file: a TrueType file; "" for OpenCV's own font.

    Raises:
        ValueError: the file is no TrueType font.
    """

    def __init__(self, file: str = "") -> None:
        self.font = cv2.FontFace(USUAL_FONT)
        if file and not self.font.set(file):
            raise ValueError(f"expected a TrueType font, found {file}")
        self._known: dict[str, bool] = {}
        self._unknown = _sample(self.font, "?")

    def covers(self, cluster: str) -> bool:
        """Return whether OpenCV has the character, and not only a question mark for it."""
        if len(cluster) != 1:
            return False
        if cluster not in self._known:
            self._known[cluster] = cluster in " \u00a0\u3000?" or self._has(cluster)
        return self._known[cluster]

    def covers_all(self, text: str) -> bool:
        """Return whether OpenCV draws a whole text as it is meant: plain, and each letter there."""
        return text.isascii() or (is_plain(text) and all(map(self.covers, text)))

    def _has(self, letter: str) -> bool:
        try:
            picture = _sample(self.font, letter)
        except UnicodeError:  # half of a pair
            return False
        return bool(picture.any()) and not np.array_equal(picture, self._unknown)

    def draw(
        self, text: str, left: float, size: float, weight: int, *, is_rtl: bool, script: str
    ) -> tuple[list[Piece], float]:
        """Draw letters side by side, in reverse where they run from right to left.

        Args:
            text: the letters.
            left: where they begin, pixels from the start of the line.
            size: font size, pixels.
            weight: 100 to 900.
            is_rtl: whether they run from right to left.
            script: not used.

        Returns:
            The pieces, and the width that they take, pixels.
        """
        shown = mirrored(text[::-1]) if is_rtl else text
        high, start = max(1, round(size)), round(left)
        x, top, wide, down = cv2.getTextSize((0, 0), shown, (0, 0), self.font, high, weight)
        cover = np.zeros((down + 4, wide + 4), np.uint8)
        end, _ = cv2.putText(cover, shown, (2 - x, 2 - top), 255, self.font, high, weight)
        return [Piece(cover, start + x - 2, top - 2)], float(end[0] - (2 - x))


SAMPLE = 20


def _sample(font: cv2.FontFace, letter: str) -> Picture:
    picture = np.zeros((2 * SAMPLE, 3 * SAMPLE), np.uint8)
    cv2.putText(picture, letter, (SAMPLE // 2, round(1.4 * SAMPLE)), 255, font, SAMPLE, REGULAR)
    return picture


class OutlineFace:
    """A font file, shaped and drawn by HarfBuzz.

    Args:
        path: a TrueType or OpenType file, or a collection, of which the first font counts.

    Attributes:
        is_colored: whether its letters have colours of their own.

    Raises:
        ValueError: the file is no font.
        OSError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._face = hb.Face(hb.Blob.from_file_path(str(path)))
        if not self._face.glyph_count or not self._face.upem:
            raise ValueError(f"expected a font, found {path}")
        face = self._face
        self._has_pictures = bool(face.has_color_png)
        self.is_colored = bool(self._has_pictures or face.has_color_layers or face.has_color_paint)
        self._has_weights = any(axis.tag == "wght" for axis in face.axis_infos)
        self._plain = hb.Font(face)
        self._fonts: dict[int, hb.Font] = {}

    def covers(self, cluster: str) -> bool:
        """Return whether the font has all characters of a cluster."""
        has = self._plain.get_nominal_glyph
        return all(is_ignored(letter) or has(ord(letter)) for letter in cluster)

    def draw(
        self, text: str, left: float, size: float, weight: int, *, is_rtl: bool, script: str
    ) -> tuple[list[Piece], float]:
        """Shape and draw letters of one script and direction.

        Args:
            text: the letters.
            left: where they begin, pixels from the start of the line.
            size: font size, pixels.
            weight: 100 to 900.
            is_rtl: whether they run from right to left.
            script: ISO 15924 code of their script.

        Returns:
            The pieces, and the width that they take, pixels.
        """
        buffer = hb.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if is_rtl else "ltr"
        buffer.language = "und"  # not the machine's: the same pixels everywhere
        font, scale = self._font(weight), size / self._face.upem
        hb.shape(font, buffer)
        drawing, pieces, x = hb.RasterDraw(), [], left
        for glyph, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            at = (x + place.x_offset * scale, place.y_offset * scale)
            picture = self._colored(font, glyph.codepoint, at, scale) if self.is_colored else None
            if picture is not None:
                pieces.append(picture)
            else:
                drawing.transform = (scale, 0.0, 0.0, scale, *at)
                drawing.draw_glyph(font, glyph.codepoint)
            x += place.x_advance * scale
        found = _pixels(drawing.render(), 1)
        if found is not None:
            pieces.append(Piece(found[0][..., 0], *found[1]))
        return pieces, x - left

    def _font(self, weight: int) -> hb.Font:
        """Return the font with a weight: by its own axis, or with thicker outlines."""
        if weight not in self._fonts:
            font = hb.Font(self._face)
            if self._has_weights:
                font.set_variations({"wght": float(weight)})
            elif weight > REGULAR and not self.is_colored:
                grown = (weight - REGULAR) * BOLDER
                font.synthetic_bold = (grown, grown, False)
            self._fonts[weight] = font
        return self._fonts[weight]

    def _colored(
        self, font: hb.Font, glyph: int, at: tuple[float, float], scale: float
    ) -> Piece | None:
        """Return the picture of a glyph that has colours of its own; None if it has none.

        Args:
            font: the font.
            glyph: number of the glyph.
            at: where it stands, pixels; the second grows upwards.
            scale: pixels in a unit of the font.
        """
        extents = font.get_glyph_extents(glyph)
        if extents is None:
            return None
        if self._has_pictures:
            png = _png(self.path, glyph, font)
            if png is not None:
                wide = max(1, round(extents.width * scale))
                high = max(1, round(-extents.height * scale))
                colors = cv2.resize(png, (wide, high), interpolation=cv2.INTER_AREA)
                left = round(at[0] + extents.x_bearing * scale)
                top = -round(at[1] + extents.y_bearing * scale)
                return Piece(np.zeros((high, wide), np.uint8), left, top, np.asarray(colors))
        painting = hb.RasterPaint()
        painting.transform = (scale, 0.0, 0.0, scale, *at)
        painting.set_glyph_extents(extents)
        if not painting.paint_glyph_or_fail(font, glyph):
            return None
        found = _pixels(painting.render(), 4)
        if found is None:
            return None
        return Piece(np.zeros(found[0].shape[:2], np.uint8), *found[1], found[0])


Placed = tuple[Picture, tuple[int, int]]


def _pixels(image: hb.RasterImage | None, channels: int) -> Placed | None:
    """Return a picture of HarfBuzz `[h, w, channels]`, its left and its top; None if empty."""
    if image is None:
        return None
    extents = image.extents
    if not extents.width or not extents.height:
        return None
    rows = np.frombuffer(image.buffer, np.uint8).reshape(extents.height, extents.stride)
    pixels = rows[::-1, : extents.width * channels].reshape(extents.height, -1, channels)
    return pixels.copy(), (extents.x_origin, -(extents.y_origin + extents.height))


@functools.lru_cache(maxsize=256)
def _png(path: Path, glyph: int, font: hb.Font) -> Picture | None:
    """Return the bitmap of a glyph as premultiplied BGRA; None if the font has none."""
    data = np.frombuffer(font.get_glyph_color_png(glyph).data or b"", np.uint8)
    found = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if data.size else None
    if found is None or found.ndim != 3 or found.shape[2] != 4:
        return None
    result = np.array(found, np.uint8)
    result[..., :3] = (found[..., :3] * (found[..., 3:] / 255.0) + 0.5).astype(np.uint8)
    return result

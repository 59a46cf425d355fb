"""Lines of any script as pixels: fonts run by run, shaped, in the order in which they are read."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim.render.lettering.clusters import (
    COMMON,
    EMOJI,
    JOINER,
    UNSHAPED,
    clusters,
    is_ignored,
    script_of,
)
from sim.render.lettering.direction import direction_runs
from sim.render.lettering.faces import Face, OutlineFace, Picture, Piece, PlainFace
from sim.render.lettering.system_fonts import SystemFonts

KEPT_LINES = 512
KEPT_PIXELS = 1 << 20  # a larger line is drawn anew each time


class Letters(NamedTuple):
    """A drawn line.

    Attributes:
        cover: `[h, w]` how much of each pixel is covered, 0 to 255.
        left: column of its left edge, from the start of the line.
        top: row of its top edge, from the baseline; negative above.
        colors: `[h, w, 4]` premultiplied BGRA of letters with colours of their own, or None.
        advance: width that the line takes, pixels.
    """

    cover: Picture
    left: int
    top: int
    colors: Picture | None
    advance: float

    @property
    def right(self) -> int:
        """Column behind its right edge."""
        return self.left + int(self.cover.shape[1])

    @property
    def all_cover(self) -> Picture:
        """`[h, w]` how much of each pixel is covered, by letters with colours of their own too."""
        if self.colors is None:
            return self.cover
        return np.maximum(self.cover, self.colors[..., 3])


class Box:
    """Stands for characters that no font has: an empty box for each cluster."""

    def covers(self, cluster: str) -> bool:
        """Return True: a box fits all."""
        return True

    def draw(
        self, text: str, left: float, size: float, weight: int, *, is_rtl: bool, script: str
    ) -> tuple[list[Piece], float]:
        """Draw one box for each cluster.

        Args:
            text: the letters.
            left: where they begin, pixels from the start of the line.
            size: font size, pixels.
            weight: not used.
            is_rtl: not used.
            script: not used.

        Returns:
            The pieces, and the width that they take, pixels.
        """
        high, wide = max(4, round(0.7 * size)), max(3, round(0.5 * size))
        edge, step = max(1, round(size / 16.0)), wide + max(2, round(0.14 * size))
        cover = np.full((high, wide), 255, np.uint8)
        cover[edge:-edge, edge:-edge] = 0
        count = len(clusters(text))
        gap = (step - wide) // 2
        pieces = [Piece(cover, round(left) + gap + index * step, -high) for index in range(count)]
        return pieces, float(count * step)


class Part(NamedTuple):
    """Letters that one face draws."""

    face: Face
    text: str
    is_rtl: bool
    script: str


class Lettering:
    """Draws lines of any script.

    Args:
        fonts: the fonts that letters are taken from when OpenCV's own font lacks them.
    """

    def __init__(self, fonts: SystemFonts) -> None:
        self._fonts = fonts
        self._plain: dict[str, PlainFace] = {}
        self._own: dict[str, OutlineFace | None] = {}
        self._box = Box()
        self._lines: dict[tuple[object, ...], Letters] = {}

    def plain_face(self, file: str = "") -> PlainFace:
        """Return OpenCV's face of a font.

        Args:
            file: a TrueType file; "" for OpenCV's own font.

        Raises:
            ValueError: the file is no TrueType font.
        """
        if file not in self._plain:
            self._plain[file] = PlainFace(file)
        return self._plain[file]

    def line(
        self,
        text: str,
        size: float,
        weight: int = 400,
        file: str = "",
        *,
        is_outlined: bool = False,
    ) -> Letters:
        """Draw one line, or return it as it was drawn before; its arrays must not be changed.

        Args:
            text: the line, without control characters.
            size: font size, pixels.
            weight: 100 to 900.
            file: the font that is asked first; "" for OpenCV's own.
            is_outlined: whether emoji must have outlines, so that no colours are needed.
        """
        key = (text, round(size, 2), weight, file, is_outlined)
        known = self._lines.pop(key, None)
        if known is None:
            known = self._drawn(text, size, weight, file, is_outlined)
        if known.cover.size <= KEPT_PIXELS:
            self._lines[key] = known  # the last used one stands last
            if len(self._lines) > KEPT_LINES:
                del self._lines[next(iter(self._lines))]
        return known

    def _drawn(self, text: str, size: float, weight: int, file: str, is_outlined: bool) -> Letters:
        plain = self.plain_face(file)
        if plain.covers_all(text):
            return _joined(*plain.draw(text, 0.0, size, weight, is_rtl=False, script=COMMON))
        pieces: list[Piece] = []
        x = 0.0
        for part in self._parts(unicodedata.normalize("NFC", text), file, is_outlined):
            drawn, advance = part.face.draw(
                part.text, x, size, weight, is_rtl=part.is_rtl, script=part.script
            )
            pieces += drawn
            x += advance
        return _joined(pieces, x)

    # -- who draws what -----------------------------------------------------------------------

    def _parts(self, line: str, file: str, is_outlined: bool) -> Iterator[Part]:
        """Return the parts of a line in visual order, each of one face, script and direction."""
        for start, stop, is_rtl in direction_runs(line):
            parts: list[Part] = []
            for script, text in script_parts(line[start:stop]):
                for face, piece in self._by_face(text, script, file, is_outlined):
                    parts.append(Part(face, piece, is_rtl, script))
            yield from reversed(parts) if is_rtl else parts

    def _by_face(
        self, text: str, script: str, file: str, is_outlined: bool
    ) -> list[tuple[Face, str]]:
        """Return letters of one script with the faces that draw them, in the order of the text."""
        for face in self._first_faces(script, file):
            if all(map(face.covers, clusters(text))):
                return [(face, text)]
        found: list[tuple[Face, str]] = []
        for cluster in clusters(text):
            found += self._of_cluster(cluster, script, file, is_outlined)
        return [
            (face, "".join(piece for _, piece in group))
            for face, group in groupby(found, key=lambda pair: pair[0])
        ]

    def _first_faces(self, script: str, file: str) -> list[Face]:
        """Return the faces that are asked before the machine's fonts."""
        faces: list[Face] = []
        if script in UNSHAPED:
            faces.append(self.plain_face(file))
        elif file:
            own = self._own_face(file)
            faces += [] if own is None else [own]
        return faces

    def _own_face(self, file: str) -> OutlineFace | None:
        if file not in self._own:
            try:
                self._own[file] = OutlineFace(Path(file))
            except (OSError, ValueError):
                self._own[file] = None
        return self._own[file]

    def _of_cluster(
        self, cluster: str, script: str, file: str, is_outlined: bool
    ) -> list[tuple[Face, str]]:
        """Return the face of a cluster, or the faces of its parts where no font has all of it."""
        found = self._face_of(cluster, script, file, is_outlined)
        if found is not None:
            return [(found, cluster)]
        letters = [letter for letter in cluster if not is_ignored(letter)]
        if script == EMOJI and len(letters) > 1:  # a family, or a tone that no font has
            parts = [self._face_of(letter, script, file, is_outlined) for letter in letters]
            known = [(face, one) for face, one in zip(parts, letters, strict=True) if face]
            if known:
                return known if JOINER in cluster else known[:1]
        decomposed = unicodedata.normalize("NFD", cluster)
        base = self._face_of(decomposed[0], script, file, is_outlined)
        if len(decomposed) > 1 and base is not None and not unicodedata.combining(decomposed[0]):
            return [(base, decomposed[0])]
        self._fonts.report(cluster, script_of(cluster))
        return [(self._box, cluster)]

    def _face_of(self, cluster: str, script: str, file: str, is_outlined: bool) -> Face | None:
        for face in self._first_faces(script, file):
            if face.covers(cluster):
                return face
        ways = (True, False) if is_outlined else (False,)
        for way in ways:
            found = self._fonts.face_for(cluster, script, is_outlined=way)
            if found is not None:
                return found
        last = self.plain_face(file)  # unjoined letters are better than none
        return last if last.covers(cluster) else None


@functools.lru_cache(maxsize=1)
def usual_lettering() -> Lettering:
    """Return the lettering with this machine's fonts, which all that draws text shares."""
    return Lettering(SystemFonts())


def script_parts(text: str) -> Iterator[tuple[str, str]]:
    """Return a text cut where its script changes.

    Characters of no script of their own, such as spaces, belong to the script before them, or at
    the start of the text to the script behind them.
    """
    pieces = clusters(text)
    scripts = [script_of(piece) for piece in pieces]
    known = next((one for one in scripts if one not in (COMMON, EMOJI)), COMMON)
    for index, script in enumerate(scripts):
        if script != COMMON:
            known = script if script != EMOJI else known
        elif scripts[index - 1] != EMOJI or not pieces[index].isspace():
            scripts[index] = known
    marked = zip(scripts, pieces, strict=True)
    for script, group in groupby(marked, key=lambda pair: pair[0]):
        yield script, "".join(piece for _, piece in group)


def _joined(pieces: list[Piece], advance: float) -> Letters:
    """Return all pieces of a line in one picture."""
    pieces = [piece for piece in pieces if piece.cover.size]
    if not pieces:
        return Letters(np.zeros((1, 1), np.uint8), 0, 0, None, advance)
    left, top = min(piece.left for piece in pieces), min(piece.top for piece in pieces)
    right = max(piece.left + piece.cover.shape[1] for piece in pieces)
    low = max(piece.top + piece.cover.shape[0] for piece in pieces)
    cover = np.zeros((low - top, right - left), np.uint8)
    has_colors = any(piece.colors is not None for piece in pieces)
    colors = np.zeros((*cover.shape, 4), np.uint8) if has_colors else None
    for piece in pieces:
        high, wide = piece.cover.shape
        area = np.s_[piece.top - top :, piece.left - left :]
        below = cover[area][:high, :wide]
        np.maximum(below, piece.cover, out=below)
        if piece.colors is not None and colors is not None:
            under = colors[area][:high, :wide]
            np.maximum(under, piece.colors, out=under)
    return Letters(cover, left, top, colors, advance)

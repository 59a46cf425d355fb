"""Letters as glyphs in ImGui's font texture."""

from __future__ import annotations

import ctypes

import numpy as np
from imgui_bundle import imgui

from sim.render.lettering.clusters import drawable, is_ignored
from sim.render.lettering.lettering import Lettering, Letters
from sim.ui.theme.vectors import items_of

FIRST_CODE, CODES = 0xE700, 2048
"""Codes of words: a part of the private area that Font Awesome leaves free."""
EM = 0.88  # font size of letters, in sizes of ImGui, which count ascent and descent
BOLD = 700
GLYPH_BYTES = 44  # of ImFontGlyph: bits, advance, corners, places in the texture, number
COLORED, VISIBLE, LETTER = 1, 2, 6
"""Bits of a glyph: it keeps its own colours, it is not blank; and from which bit its letter is."""
DOT = 0x2E  # a letter that each font has


def is_code(letter: str) -> bool:
    """Return whether a character is one that stands for a word here, and for nothing in a text."""
    return FIRST_CODE <= ord(letter) < FIRST_CODE + CODES


class PanelGlyphs:
    """Puts letters that ImGui's fonts lack into the texture of the fonts.

    Args:
        fonts: ImGui's fonts.
        lettering: draws the letters.

    Attributes:
        is_stale: whether ImGui has to drop its glyphs before the next frame, as it has taken note
            that a letter is missing, or as all codes are taken.
    """

    def __init__(self, fonts: imgui.ImFontAtlas, lettering: Lettering) -> None:
        self.is_stale = False
        self._fonts = fonts
        self._lettering = lettering
        self._codes: dict[str, int] = {}
        self._remapped: set[tuple[int, int]] = set()

    def drop(self) -> None:
        """Let ImGui drop its glyphs, so that all are drawn again."""
        self.is_stale = False
        for font in items_of(self._fonts.fonts):
            font.clear_output_data()
        self.forget()

    def forget(self) -> None:
        """Take note that ImGui has dropped its glyphs."""
        self._codes = {}

    @property
    def codes(self) -> dict[str, int]:
        """The words that have a code, and their codes."""
        return dict(self._codes)

    def is_native(self, font: imgui.ImFont, size: float, letter: str) -> bool:
        """Return whether a font of ImGui has a letter itself.

        The font of icons has blank glyphs for a thousand letters, which do not count.

        Args:
            font: the font.
            size: its size in pixels.
            letter: the letter.
        """
        code = ord(letter)
        if code < 0x7F:
            return True
        if (
            is_code(letter)
            or (font.font_id, code) in self._remapped
            or not font.is_glyph_in_font(code)
        ):
            return False
        return letter.isspace() or bool(font.get_font_baked(size).find_glyph(code).is_visible())

    def code_of(self, word: str) -> int | None:
        """Return the code of a word; None if all codes are taken until the next frame."""
        if word not in self._codes:
            if len(self._codes) == CODES:
                self.is_stale = True
                return None
            self._codes[word] = FIRST_CODE + len(self._codes)
        return self._codes[word]

    def letters(self, text: str, size: float, *, is_bold: bool) -> Letters:
        """Return letters as pixels.

        Args:
            text: the letters.
            size: size of ImGui's font, pixels.
            is_bold: whether they are bold.
        """
        if is_ignored(text):
            text = ""
        return self._lettering.line(drawable(text), EM * size, BOLD if is_bold else 400)

    def put(self, font: imgui.ImFont, baked: imgui.ImFontBaked, code: int, drawn: Letters) -> bool:
        """Put letters into ImGui's font texture as the glyph of a code.

        Args:
            font: the font that gets the glyph.
            baked: the font at a size.
            code: the code.
            drawn: the letters.

        Returns:
            Whether it is there; False if ImGui has to drop its glyphs first.
        """
        if (font.font_id, code) not in self._remapped:  # to a glyph of its own, which is changed
            self._remapped.add((font.font_id, code))
            font.add_remap_codepoint(code, DOT)
        if baked.find_glyph(code).get_codepoint() != code:
            self.is_stale = True
            return False
        high, wide = drawn.cover.shape
        area = imgui.ImFontAtlasRect()
        number = self._fonts.add_custom_rect(wide, high, area)
        if number < 0:
            return False
        self._paint(area.x, area.y, drawn)
        glyph = baked.find_glyph(code)
        glyph.x0, glyph.x1 = float(drawn.left), float(drawn.right)
        glyph.y0 = float(round(baked.ascent) + drawn.top)
        glyph.y1 = glyph.y0 + high
        glyph.u0, glyph.v0 = area.uv0.x, area.uv0.y
        glyph.u1, glyph.v1 = area.uv1.x, area.uv1.y
        glyph.pack_id = number
        glyph.advance_x = drawn.advance
        _set_behind_python(baked, code, drawn.advance, is_colored=drawn.colors is not None)
        return True

    def _paint(self, left: int, top: int, drawn: Letters) -> None:
        texture = self._fonts.tex_data
        pixels = np.asarray(texture.get_pixels_array()).reshape(texture.height, texture.width, 4)
        high, wide = drawn.cover.shape
        below = pixels[top : top + high, left : left + wide]
        below[..., :3] = 255
        below[..., 3] = drawn.cover
        if drawn.colors is not None:
            opacity = np.maximum(drawn.colors[..., 3:], 1)
            straight = np.minimum(drawn.colors[..., 2::-1] * (255.0 / opacity) + 0.5, 255.0)
            is_there = drawn.colors[..., 3:] > 0
            below[..., :3] = np.where(is_there, straight, below[..., :3])
            below[..., 3] = drawn.all_cover


def _set_behind_python(
    baked: imgui.ImFontBaked, code: int, advance: float, *, is_colored: bool
) -> None:
    """Set what Python's ImGui shows but cannot change: a letter's width, and a bit of its glyph.

    Args:
        baked: a font at a size.
        code: the letter.
        advance: its width, pixels.
        is_colored: whether its glyph keeps its own colours.
    """
    widths = baked.index_advance_x
    if code < widths.size():
        ctypes.c_float.from_address(widths.data_address() + 4 * code).value = advance
    glyphs = baked.glyphs
    start = glyphs.data_address()
    words = np.frombuffer(ctypes.string_at(start, GLYPH_BYTES * glyphs.size()), np.uint32)
    for index in np.flatnonzero(words[:: GLYPH_BYTES // 4] >> LETTER == code).tolist():
        bits = ctypes.c_uint32.from_address(start + GLYPH_BYTES * index)
        bits.value |= VISIBLE + COLORED * is_colored

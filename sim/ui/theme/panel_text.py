"""Text of every script in panels.

Dear ImGui draws a text letter by letter, from left to right, and knows the letters of its own fonts
only. So each text passes through here on its way to ImGui. Letters that the font lacks are drawn by
`sim.render.lettering` and put into ImGui's font texture as glyphs of their own. Where letters must
be shaped, or run from right to left, one such glyph is a whole word. It gets a code of a private
area of Unicode, and words are put in the order in which they stand.

Input fields keep the letters as they were typed, so that the cursor goes from one to the next.
"""

from __future__ import annotations

import re
import unicodedata
from typing import ClassVar

import cv2
from imgui_bundle import imgui

from sim.render.lettering.clusters import UNSHAPED, drawable, is_emoji, is_plain
from sim.render.lettering.direction import RIGHT_TO_LEFT, direction_runs, mirrored
from sim.render.lettering.lettering import Lettering, Letters, script_parts
from sim.ui.theme.panel_glyphs import PanelGlyphs, is_code

KNOWN_TEXTS = 8192  # of one size, that are remembered
ICONS = re.compile("\\s*[\ue000-\uf8ff]+\\s*")


class PanelText:
    """Prepares texts for one ImGui context.

    Args:
        fonts: ImGui's fonts.
        lettering: draws the letters that they lack.

    Attributes:
        edited: ImGui's number of the input field in which the user types; 0 for none.
    """

    current: ClassVar[PanelText | None] = None
    """The one of the context that is laid out now, as ImGui has one present context."""

    def __init__(self, fonts: imgui.ImFontAtlas, lettering: Lettering) -> None:
        self.edited = 0
        self._glyphs = PanelGlyphs(fonts, lettering)
        self._sheets: dict[int, _Sheet] = {}
        self._typed = self._half = ""

    @property
    def is_stale(self) -> bool:
        """Whether a letter came too late, so that the panels have to be laid out once more."""
        return self._glyphs.is_stale

    def begin_frame(self) -> None:
        """Make this the present one, and add the letters that were typed since the last frame."""
        PanelText.current = self
        if self.is_stale:
            self._glyphs.drop()
            self._sheets = {}
        typed, self._typed = self._typed, ""
        for sheet in self._sheets.values() if typed else ():
            sheet.add_letters(typed)

    def forget(self) -> None:
        """Draw all letters again: ImGui has dropped its glyphs."""
        self._glyphs.forget()
        self._sheets = {}

    def typed(self, text: str) -> str:
        """Take note of typed letters, and return what ImGui gets of them for its next frame.

        Windows reports a letter beyond 16 bits in two halves. The first half waits for the second.

        Args:
            text: the letters.
        """
        if text.isascii() and not self._half:
            return text
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._typed += whole
        return whole

    def shown(self, text: str, font: imgui.ImFont | None = None, size: float = 0.0) -> str:
        """Return what ImGui has to draw for a text.

        Args:
            text: the text; what follows "##" is a name for ImGui and stays.
            font: the font; None for the present one.
            size: its size in pixels, if a font is given.
        """
        baked = imgui.get_font_baked() if font is None else font.get_font_baked(size)
        sheet = None if baked is None else self._sheets.get(baked.baked_id)
        found = None if sheet is None else sheet.texts.get(text)
        if found is not None:  # as almost every text of every frame
            return found
        sheet = self._sheet(font, size)
        return text if sheet is None else sheet.shown(text)

    def add_letters(self, text: str) -> None:
        """Make the letters of a text known to ImGui in the present font, without changing the text.

        Args:
            text: a text that can be edited.
        """
        sheet = self._sheet()
        if sheet is not None:
            sheet.add_letters(text)

    def wrapped(self, text: str) -> str:
        """Return what ImGui has to draw for a text that is wrapped at the edge of the panel.

        Where a text runs from right to left, its lines are cut here. Cut by ImGui, they would be in
        the wrong order.

        Args:
            text: the text.
        """
        if not RIGHT_TO_LEFT.search(text):
            return self.shown(text)
        room = float(imgui.get_content_region_avail().x)
        lines: list[str] = []
        for line in text.split("\n"):
            lines.append("")
            for word in line.split(" "):
                longer = f"{lines[-1]} {word}".strip()
                if lines[-1] and imgui.calc_text_size(longer).x > room:
                    lines.append(word)
                else:
                    lines[-1] = longer
        return "\n".join(map(self.shown, lines))

    def _sheet(self, font: imgui.ImFont | None = None, size: float = 0.0) -> _Sheet | None:
        """Return the sheet of a font of a size; of the present one, or None outside of a frame."""
        baked = imgui.get_font_baked() if font is None else font.get_font_baked(size)
        if baked is None:
            return None
        number = baked.baked_id  # of the font at this size
        sheet = self._sheets.get(number)
        if sheet is None:
            font = baked.owner_font if font is None else font
            sheet = self._sheets[number] = _Sheet(self._glyphs, font, baked.size)
        return sheet


class _Sheet:
    """What is known of texts in one font of one size.

    Args:
        glyphs: the glyphs of letters that the font lacks, and of words.
        font: the font.
        size: its size in pixels.

    Attributes:
        texts: what ImGui has to draw, by text.
    """

    def __init__(self, glyphs: PanelGlyphs, font: imgui.ImFont, size: float) -> None:
        self.font = font
        self.size = size
        self._glyphs = glyphs
        self._is_mono = "Inconsolata" in font.get_debug_name()
        self._is_bold = "Bold" in font.get_debug_name()
        self.texts: dict[str, str] = {}
        self._native: dict[str, bool] = {}
        self._put: dict[int, float] = {}  # codes whose glyphs are there, and their widths

    def shown(self, text: str) -> str:
        """Return what ImGui has to draw for a text; what follows "##" stays."""
        found = self.texts.get(text)
        if found is None:
            seen, mark, name = text.partition("##")
            lines = (self._line(line) for line in seen.split("\n"))
            found = "\n".join(lines) + mark + name
            if len(self.texts) >= KNOWN_TEXTS:
                self.texts.clear()
            if not self._glyphs.is_stale:
                self.texts[text] = found
        return found

    def add_letters(self, text: str) -> None:
        """Make the letters of a text known to ImGui, one by one."""
        for letter in set(text):
            is_known = is_code(letter) or self._is_native(letter) or ord(letter) in self._put
            if not is_known:
                self._add(ord(letter), letter)

    def _line(self, line: str) -> str:
        strange = "".join(letter for letter in line if not self._is_native(letter))
        if not strange:
            return line
        if is_plain(strange):
            self.add_letters(strange)
            return line
        parts: list[str] = []
        icons = ICONS.match(line)
        if icons is not None:  # before the text, whatever its direction
            return icons[0] + self._line(line[icons.end() :])
        for start, stop, is_rtl in direction_runs(drawable(line)):
            words = [
                self._word(word, script, is_rtl)
                for script, text in script_parts(line[start:stop])
                for word in _words(text)
            ]
            parts += reversed(words) if is_rtl else words
        return "".join(parts)

    def _word(self, word: str, script: str, is_rtl: bool) -> str:
        """Return what ImGui has to draw for a word: itself, or the code of its picture."""
        if not is_rtl and (script in UNSHAPED or all(map(self._is_native, word))):
            composed = unicodedata.normalize("NFC", word)
            if all(self._is_native(letter) or is_plain(letter) for letter in composed):
                self.add_letters(composed)
                return composed
        if word.isspace():
            return word
        if is_rtl and not RIGHT_TO_LEFT.search(word):
            return self._word(mirrored(word[::-1]), script, is_rtl=False)
        code = self._glyphs.code_of(word)
        if code is None:
            return word
        if code not in self._put:
            self._add(code, word)
        return chr(code)

    def _add(self, code: int, text: str) -> None:
        baked = self.font.get_font_baked(self.size)
        drawn = self._glyphs.letters(text, self.size, is_bold=self._is_bold)
        if self._is_mono and code == ord(text[0]) and drawn.advance > 0.0:
            cell = float(baked.get_char_advance(ord("x")))
            is_wide = unicodedata.east_asian_width(text[0]) in ("W", "F")
            drawn = _fitted(drawn, 2.0 * cell if is_wide else cell)
        if self._glyphs.put(self.font, baked, code, drawn):
            self._put[code] = drawn.advance

    def _is_native(self, letter: str) -> bool:
        """Return whether ImGui's own fonts have a letter."""
        if letter not in self._native:
            self._native[letter] = not is_emoji(letter) and self._glyphs.is_native(
                self.font, self.size, letter
            )
        return self._native[letter]


def _fitted(drawn: Letters, room: float) -> Letters:
    """Return a letter in the middle of a cell, made narrower where it is wider than that.

    Args:
        drawn: the letter.
        room: width of the cell, pixels.
    """
    if drawn.advance <= room:
        return drawn._replace(left=drawn.left + round((room - drawn.advance) / 2), advance=room)
    share = room / drawn.advance
    high, wide = drawn.cover.shape
    size = (max(1, round(wide * share)), high)
    cover = cv2.resize(drawn.cover, size, interpolation=cv2.INTER_AREA)
    colors = drawn.colors
    if colors is not None:
        colors = cv2.resize(colors, size, interpolation=cv2.INTER_AREA)
    return Letters(cover, round(drawn.left * share), drawn.top, colors, room)


def _words(text: str) -> list[str]:
    """Return the words of a text and the spaces between them, each by itself."""
    found: list[str] = []
    for letter in text:
        if found and not letter.isspace() and not found[-1].isspace():
            found[-1] += letter
        else:
            found.append(letter)
    return found

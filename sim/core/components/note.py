"""The component `sim:Note`: a text card over the view."""

from __future__ import annotations

import math
from typing import Literal

from base.language.wording import tr
from sim.core.scene.fields import Color, field
from sim.core.script.hud import HudCanvas
from sim.core.script.script import Script
from sim.core.script.services import services_of

PAPER = (0.055, 0.052, 0.05, 0.72)
TITLE_INK, INK = (1.0, 0.99, 0.97), (1.0, 0.98, 0.95, 0.82)
EDGE = 12.0  # padding around the text, pixels at scale 1
LEADING = 1.45  # line height, in text sizes
TITLE = 1.12  # size relative to the lines below
MOST_LINES = 12
MARGIN = 12.0  # margin to the view's edge, pixels


class Note(Script):
    """A text card over the view, such as a help text; its first line is the title."""

    text: str = field("", multiline=True, help=tr("What is shown; nothing where it is empty"))
    anchor: Literal["top-left", "top", "top-right", "bottom-left", "bottom", "bottom-right"] = (
        field("bottom-left", help=tr("Where it lies in the view"))
    )
    size: float = field(15.0, min=6.0, max=80.0, unit="px", help=tr("Size of the letters"))
    color: Color = field(TITLE_INK, help=tr("Colour of the first line"))

    def __init__(self) -> None:
        self._shown: tuple[float, ...] = ()
        self._canvas: HudCanvas | None = None
        self._wrapped: list[str] = []
        self._titles = 1  # lines of the title

    def update(self, dt: float) -> None:
        """Redraw the card if a field, the scale or the width of the view has changed."""
        board = services_of(self.slot).hud
        seen = (self.slot.revision, board.scale, board.view[2])
        if self._shown != seen:
            self._shown = seen
            self._show(board.scale)

    def draw(self, canvas: HudCanvas) -> None:
        """Draw the card and set its size; called again when the scale changes, also in a pause."""
        canvas.clear()
        self._wrap(canvas)
        width, height = self._extent(canvas)
        canvas.resize(math.ceil(width), math.ceil(height))
        canvas.rectangle((0.0, 0.0, width, height), PAPER, radius=9.0)
        for number, line in enumerate(self._wrapped):
            y = EDGE + self.size * (0.95 + LEADING * number)
            is_title = number < self._titles
            size, weight = self._font(is_title=is_title)
            ink = self.color if is_title else INK
            canvas.text(line, (EDGE, y), ink, size=size, weight=weight)

    def _extent(self, canvas: HudCanvas) -> tuple[float, float]:
        """Return the width and height of the card, in pixels before the view's scale is applied."""
        widths = [
            self._width(canvas, line, is_title=number < self._titles)
            for number, line in enumerate(self._wrapped)
        ]
        high = self.size * (1.25 + LEADING * (len(widths) - 1))
        return max(widths) + 2.0 * EDGE, high + 2.0 * EDGE

    def _font(self, *, is_title: bool) -> tuple[float, int]:
        """Return the font size, in pixels, and the weight (400 or 600) of a line of the card.

        Args:
            is_title: whether the line is part of the title; a title is larger and bolder.
        """
        return (TITLE * self.size, 600) if is_title else (self.size, 400)

    def _width(self, canvas: HudCanvas, line: str, *, is_title: bool) -> float:
        size, weight = self._font(is_title=is_title)
        return canvas.text_size(line, size=size, weight=weight)[0]

    def _wrap(self, canvas: HudCanvas) -> None:
        """Break lines that are wider than the view; do nothing if the view's width is unknown."""
        view = services_of(self.slot).hud.view
        room = view[2] / canvas.scale - 2.0 * (MARGIN + EDGE)
        text, found = self.text.strip(), list[str]()
        for number, line in enumerate(text.split("\n") if text else ()):
            begin = len(found)
            found.append("")
            for word in line.split():
                longer = f"{found[-1]} {word}".strip()
                is_wide = room > 0.0 and self._width(canvas, longer, is_title=number == 0) > room
                if is_wide and found[-1]:
                    found.append(word)
                else:
                    found[-1] = longer
            if number == 0:
                self._titles = len(found) - begin
        self._wrapped = found[:MOST_LINES]

    def _show(self, scale: float) -> None:
        if self._canvas is not None:
            self._canvas.remove()
            self._canvas = None
        if not self.text.strip():
            return
        made = self.hud.canvas("note", size=(16, 16), anchor=self.anchor)
        made.scale = scale  # letter widths depend on the scale
        self._wrap(made)
        width, height = map(math.ceil, self._extent(made))
        self._canvas = self.hud.canvas(
            "note", size=(width, height), anchor=self.anchor, margin=MARGIN, draw=self.draw
        )

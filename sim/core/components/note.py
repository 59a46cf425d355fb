"""The component `sim:Note`: a text card over the view."""

from __future__ import annotations

from typing import Literal

from sim.core.scene.fields import Color, field
from sim.core.script.hud import HudCanvas
from sim.core.script.script import Script

PAPER = (0.055, 0.052, 0.05, 0.72)
TITLE_INK, INK = (1.0, 0.99, 0.97), (1.0, 0.98, 0.95, 0.82)
EDGE = 12.0  # pixels of the usual scale, around the words
LEADING = 1.45  # from line to line, in sizes of the text
TITLE = 1.12  # times as large as the lines below it
MOST_LINES = 12


class Note(Script):
    """A text card over the view, such as a help text; its first line is the title."""

    text: str = field("", multiline=True, help="Nothing is shown without any")
    anchor: Literal[
        "top-left", "top", "top-right", "bottom-left", "bottom", "bottom-right"
    ] = field("bottom-left", help="Where it lies in the view")  # fmt: skip
    size: float = field(15.0, min=6.0, max=80.0, unit="px", help="Of the letters")
    color: Color = field(TITLE_INK, help="Of the first line")

    def __init__(self) -> None:
        self._shown = -1
        self._canvas: HudCanvas | None = None

    def update(self, dt: float) -> None:
        """Show the fields' present values."""
        if self._shown != self.slot.revision:
            self._shown = self.slot.revision
            self._show()

    def draw(self, canvas: HudCanvas) -> None:
        """Draw the card."""
        canvas.clear()
        width, height = self._extent(canvas)
        canvas.rectangle((0.0, 0.0, width, height), PAPER, radius=9.0)
        for number, line in enumerate(self._lines()):
            y = EDGE + self.size * (0.95 + LEADING * number)
            size, weight = (TITLE * self.size, 600) if number == 0 else (self.size, 400)
            ink = self.color if number == 0 else INK
            canvas.text(line, (EDGE, y), ink, size=size, weight=weight)

    def _lines(self) -> list[str]:
        text = self.text.strip()
        return [line.strip() for line in text.split("\n")][:MOST_LINES] if text else []

    def _extent(self, canvas: HudCanvas) -> tuple[float, float]:
        """Return the width and height of the card."""
        widths = [
            canvas.text_size(line, size=TITLE * self.size if number == 0 else self.size,
                             weight=600 if number == 0 else 400)[0]
            for number, line in enumerate(self._lines())
        ]  # fmt: skip
        high = self.size * (1.25 + LEADING * (len(widths) - 1))
        return max(widths) + 2.0 * EDGE, high + 2.0 * EDGE

    def _show(self) -> None:
        if self._canvas is not None:
            self._canvas.remove()
            self._canvas = None
        if not self._lines():
            return
        made = self.hud.canvas("note", size=(16, 16), anchor=self.anchor)
        width, height = self._extent(made)
        self._canvas = self.hud.canvas(
            "note", size=(round(width), round(height)), anchor=self.anchor, draw=self.draw
        )

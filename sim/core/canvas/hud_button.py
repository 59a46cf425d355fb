"""Buttons on a canvas over the view: where they lie, and their looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from sim.core.canvas.canvas import Picture
from sim.core.canvas.painter import Painter, to_bgra

TEXT: Final = (0.93, 0.91, 0.88, 1.0)
QUIET: Final = (0.62, 0.595, 0.56, 0.8)
FILLS: Final = {
    "plain": (0.17, 0.16, 0.15, 0.94),
    "hovered": (0.29, 0.27, 0.245, 0.97),
    "pressed": (0.55, 0.38, 0.14, 1.0),
}
ON: Final = (0.40, 0.28, 0.11, 0.96)
EDGES: Final = {
    "plain": (1.0, 1.0, 1.0, 0.16), "hovered": (0.94, 0.66, 0.26, 0.9),
    "pressed": (0.94, 0.66, 0.26, 1.0),
}  # fmt: skip
LARGEST_TEXT: Final = 16.0
WEIGHT: Final = 500


@dataclass
class Button:
    """A button.

    Attributes:
        label: what stands on it.
        area: left, top, width and height on its canvas.
        callback: called when it was clicked.
        is_on: whether it looks switched on.
        is_enabled: whether it can be clicked.
        look: plain, hovered or pressed.
    """

    label: str
    area: tuple[float, float, float, float]
    callback: Callable[..., object]
    is_on: bool = False
    is_enabled: bool = True
    look: str = "plain"

    def covers(self, x: float, y: float) -> bool:
        """Whether it can be clicked at a place of its canvas."""
        left, top, width, height = self.area
        return self.is_enabled and left <= x < left + width and top <= y < top + height


def draw_button(painter: Painter, pixels: Picture, button: Button, scale: float) -> None:
    """Draw a button as it looks now."""
    area = np.array(button.area) * scale
    look = button.look if button.is_enabled else "plain"
    fill = ON if button.is_on and look == "plain" else FILLS[look]
    edge = EDGES["hovered"] if button.is_on and look == "plain" else EDGES[look]
    bend = min(6.0 * scale, float(area[3]) / 3.0)
    painter.rectangle(pixels, area, to_bgra(fill), 0.0, bend)
    painter.rectangle(pixels, area, to_bgra(edge), max(1.0, scale), bend)
    size = min(LARGEST_TEXT * scale, float(area[3]) * 0.52)
    room = float(area[2]) - 10.0 * scale
    wide = painter.text_width(button.label, size, WEIGHT, "")
    if wide > room > 0.0:
        size *= room / wide
    ink = to_bgra(TEXT if button.is_enabled else QUIET)
    middle = area[:2] + area[2:] / 2.0 + (0.0, 0.355 * size)
    painter.text(pixels, button.label, middle, ink, size, WEIGHT, "center", "")

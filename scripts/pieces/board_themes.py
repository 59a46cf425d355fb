"""Themes of boards: the colours of the surface, the lines, the coordinates, the stones, the marks.

Colours are sRGB. The theme "wood" is the look that boards have if nobody chooses another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sim import tr

Bytes = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
Rgb = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""
BLACK, WHITE = 1, -1
COORDINATES: Final = ("off", "two sides", "four sides")
"""Where coordinates are drawn: nowhere, at the lower and the left edge, or at all four edges."""


@dataclass(frozen=True)
class StoneStyle:
    """How a theme changes a stone.

    Attributes:
        color: name of the stone's colour; empty for the usual one.
        edge: colour of a ring around the stone's widest part; None for no ring.
    """

    color: str = ""
    edge: Bytes | None = None


@dataclass(frozen=True)
class BoardTheme:
    """Colours of a board and of what lies on it.

    Attributes:
        name: name in scene files and settings.
        title: name for the user.
        surface: mean colour of the surface; None for wood.
        grain: how much the surface's lightness varies, as a fraction of its colour.
        lines: colour of lines and star points.
        letters: colour of the coordinates.
        groove: colour of the lit edge of the grooves between cells.
        weight: factor on the width of lines and letters.
        stones: what differs from the usual stones, by color.
        last: colour of the ring on the last stone.
        line: colour of the rings on a winning line.
        hint: colour of the ring on a recommended point.
        cursor: colour of the corners around the point that keys have led to.
    """

    name: str
    title: str
    surface: Bytes | None = None
    grain: float = 0.0
    lines: Bytes = (44, 38, 28)
    letters: Bytes = (64, 50, 34)
    groove: Bytes = (240, 208, 150)
    weight: float = 1.0
    stones: Mapping[int, StoneStyle] = field(default_factory=dict)
    last: Rgb = (0.93, 0.36, 0.16)
    line: Rgb = (0.98, 0.76, 0.18)
    hint: Rgb = (0.25, 0.58, 0.98)
    cursor: Rgb = (0.02, 0.05, 0.32)

    def stone(self, color: int) -> StoneStyle:
        """Return how the stones of a color look."""
        return self.stones.get(color, StoneStyle())


WOOD: Final = BoardTheme("wood", tr("Wood"))
SLATE: Final = BoardTheme(
    "slate",
    tr("Slate"),
    surface=(58, 64, 72),
    grain=0.07,
    lines=(226, 230, 234),
    letters=(232, 236, 240),
    groove=(40, 44, 50),
    weight=1.3,
    stones={BLACK: StoneStyle(edge=(150, 156, 164))},
    hint=(0.45, 0.78, 1.0),
    cursor=(1.0, 0.92, 0.55),
)
PAPER: Final = BoardTheme(
    "paper",
    tr("Paper"),
    surface=(236, 228, 208),
    grain=0.015,
    lines=(50, 42, 36),
    letters=(44, 38, 32),
    groove=(255, 252, 244),
    weight=1.9,
    stones={WHITE: StoneStyle(edge=(60, 54, 48))},
    last=(0.72, 0.15, 0.45),
    line=(0.84, 0.37, 0.0),
    hint=(0.05, 0.38, 0.78),
)
HIGH_CONTRAST: Final = BoardTheme(
    "high-contrast",
    tr("High contrast"),
    surface=(180, 102, 54),
    lines=(0, 0, 0),
    letters=(0, 0, 0),
    groove=(180, 102, 54),
    weight=2.2,
    stones={
        BLACK: StoneStyle("jet", (250, 250, 250)),
        WHITE: StoneStyle("chalk", (8, 8, 8)),
    },
    last=(0.0, 0.27, 0.45),
    line=(0.62, 0.12, 0.0),
    hint=(1.0, 1.0, 1.0),
    cursor=(1.0, 1.0, 1.0),
)
THEMES: Final[Mapping[str, BoardTheme]] = {
    theme.name: theme for theme in (WOOD, SLATE, PAPER, HIGH_CONTRAST)
}


def theme_named(name: object) -> BoardTheme:
    """Return a theme by its name.

    Raises:
        ValueError: there is no such theme.
    """
    found = THEMES.get(name) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"theme: expected one of {', '.join(THEMES)}, found {name!r:.60}")
    return found


def luminance(color: Rgb) -> float:
    """Return the relative luminance of a colour, 0 to 1 (WCAG 2.2, "relative luminance")."""
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def shares_of(color: Bytes) -> Rgb:
    """Return a colour of bytes as numbers from 0 to 1."""
    red, green, blue = (value / 255.0 for value in color)
    return (red, green, blue)

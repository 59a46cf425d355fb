"""Colour scale of shares: dark blue for 0, pale yellow for 1.

Lightness increases evenly from blue to yellow: it is readable for the colour-blind, and no step
of it looks like the wood of a board.
"""

from __future__ import annotations

import functools
from typing import Final

Rgb = tuple[float, float, float]

STOPS: Final[tuple[tuple[int, int, int], ...]] = (
    (10, 24, 74),
    (24, 58, 122),
    (28, 98, 150),
    (38, 139, 168),
    (86, 178, 178),
    (158, 212, 184),
    (222, 238, 190),
    (255, 254, 208),
)
"""Red, green and blue, 0 to 255, at even steps from nothing to all."""


@functools.lru_cache(maxsize=4096)
def scale_color(share: float) -> Rgb:
    """Return the sRGB colour of a share, clipped to 0 to 1."""
    place = min(1.0, max(0.0, share)) * (len(STOPS) - 1)
    index = min(int(place), len(STOPS) - 2)
    part = place - index
    low, high = STOPS[index], STOPS[index + 1]
    red, green, blue = ((a + (b - a) * part) / 255.0 for a, b in zip(low, high, strict=True))
    return red, green, blue


def lightness(color: Rgb) -> float:
    """Return the CIE lightness L* (0 black, 100 white) of an sRGB colour."""
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in color
    ]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    if light <= 216 / 24389:
        return light * 24389 / 27
    return float(116.0 * light ** (1 / 3) - 16.0)


def ink_on(color: Rgb) -> Rgb:
    """Return a text colour with good contrast on `color`."""
    return (0.05, 0.07, 0.12) if lightness(color) > 55.0 else (1.0, 1.0, 1.0)

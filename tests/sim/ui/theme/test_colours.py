"""The themes' colours: contrast of texts, and signals that the colour-blind tell apart.

Contrast is that of WCAG 2.2 (1.4.3, 1.4.6, 1.4.11). Colour blindness is simulated as in
`benchmarks.color_vision`. Colours are compared by their distance in Oklab (Ottosson, 2020), where
0.02 is just noticed.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from benchmarks.color_vision import MACHADO, linear, simulated
from scripts.gomoku.board.overlay_picture import scale_color
from scripts.gomoku.explain.overlays import SIDE_COLORS
from scripts.gomoku.history.candidates import BEST, COLORS
from scripts.pieces.board_themes import THEMES
from sim.ui.panels.profiler import TONES
from sim.ui.theme.theme import PALETTES
from sim.ui.widgets.gizmo import AXES

TO_LMS = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])  # fmt: skip
TO_LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])  # fmt: skip
SIGNALS = ("text", "muted", "amber", "green", "red", "blue")
SURFACES = ("panel", "raised", "hovered", "popup", "bar", "plot", "section", "chosen")
APART = 0.09
"""Least distance in Oklab of two colours that mean different things."""


def contrast(one, other):
    """Return the contrast ratio of two colours, from 1 to 21."""
    low, high = sorted(
        float(linear(color[:3]) @ [0.2126, 0.7152, 0.0722]) for color in (one, other)
    )
    return (high + 0.05) / (low + 0.05)


def seen(color, kind):
    """Return a colour in Oklab, as it is seen with a kind of colour blindness."""
    return TO_LAB @ np.cbrt(TO_LMS @ simulated(color[:3], kind))


def near(colors, kind):
    """Return the pairs of colours that are hardly told apart, with their distance."""
    found = {}
    for one, other in combinations(colors, 2):
        gap = np.linalg.norm(seen(colors[one], kind) - seen(colors[other], kind))
        if gap < APART:
            found[one, other] = round(float(gap), 3)
    return found


def test_the_measures_know_black_and_white_and_the_red_that_a_protanope_misses():
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21.0)
    white = seen((1, 1, 1), "none")
    assert white == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)
    red, green = (0.8, 0.2, 0.1), (0.45, 0.45, 0.1)
    usual = np.linalg.norm(seen(red, "none") - seen(green, "none"))
    assert np.linalg.norm(seen(red, "protanopia") - seen(green, "protanopia")) < 0.6 * usual


@pytest.mark.parametrize("theme", PALETTES)
def test_texts_are_read_on_every_surface(theme):
    palette = PALETTES[theme]
    least = 7.0 if theme == "high-contrast" else 4.5
    low = {
        (name, surface): round(contrast(getattr(palette, name), getattr(palette, surface)), 2)
        for name in SIGNALS
        for surface in SURFACES
    }
    low |= {
        ("text", surface): round(contrast(palette.text, getattr(palette, surface)), 2)
        for surface in ("pressed", "knob")
    }
    assert {pair: ratio for pair, ratio in low.items() if ratio < least} == {}


@pytest.mark.parametrize("theme", PALETTES)
def test_the_ring_of_the_keyboard_is_seen(theme):
    palette = PALETTES[theme]
    ratios = [contrast(palette.focus, getattr(palette, name)) for name in (*SURFACES, "pressed")]
    assert min(ratios) >= 3.0


def test_controls_are_seen_in_high_contrast():
    palette = PALETTES["high-contrast"]
    for surface in ("panel", "raised", "popup", "bar"):
        assert contrast(palette.line, getattr(palette, surface)) >= 3.0
        assert contrast(palette.knob, getattr(palette, surface)) >= 2.99


@pytest.mark.parametrize("kind", MACHADO)
@pytest.mark.parametrize("theme", PALETTES)
def test_colours_of_different_meaning_differ_for_everyone(theme, kind):
    palette = PALETTES[theme]
    assert near({name: getattr(palette, name) for name in SIGNALS}, kind) == {}


SETS = {
    "axes of the handles": dict(zip("xyz", ([(int(c) >> s & 255) / 255 for s in (0, 8, 16)]
                                            for c in AXES.values()), strict=True)),
    "compared moves": {"best": BEST, **COLORS},
    "threats": SIDE_COLORS,
    **{f"marks of a board, {theme.name}": {"last": theme.last, "line": theme.line,
                                           "hint": theme.hint} for theme in THEMES.values()},
}  # fmt: skip
"""Colours beside the palettes that mean different things."""


@pytest.mark.parametrize("kind", MACHADO)
@pytest.mark.parametrize("name", SETS)
def test_colours_of_marks_differ_for_everyone(name, kind):
    assert near(SETS[name], kind) == {}


@pytest.mark.parametrize("kind", MACHADO)
@pytest.mark.parametrize("place", [0, 1], ids=["dark", "light"])
def test_parts_of_a_frame_differ_from_those_beside_them(place, kind):
    """In a stack, a part and the two parts after it are told apart; names stand in the legend."""
    tones = {str(phase): both[place] for phase, both in TONES.items()}
    for first in range(len(tones) - 2):
        assert near(dict([*tones.items()][first : first + 3]), kind) == {}


@pytest.mark.parametrize("kind", MACHADO)
def test_a_greater_share_is_always_lighter(kind):
    lightness = [seen(scale_color(step / 20), kind)[0] for step in range(21)]
    assert min(np.diff(lightness)) > 0.01

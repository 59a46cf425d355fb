"""The themes' colours: contrast of texts, and signals that the colour-blind tell apart.

Contrast is that of WCAG 2.2 (1.4.3, 1.4.6, 1.4.11). Colour blindness is simulated by the matrices of
Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency" (IEEE TVCG, 2009), at full severity. They hold for linear RGB. Colours are compared by
their distance in Oklab (Ottosson, 2020), where 0.02 is just noticed.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sim.ui.theme.theme import PALETTES

MACHADO = {
    "none": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ]),
}  # fmt: skip
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


def linear(color):
    values = np.asarray(color[:3], dtype=np.float64)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """Return the contrast ratio of two colours, from 1 to 21."""
    low, high = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def seen(color, kind):
    """Return a colour in Oklab, as it is seen with a kind of colour blindness."""
    light = np.clip(MACHADO[kind] @ linear(color), 0.0, 1.0)
    return TO_LAB @ np.cbrt(TO_LMS @ light)


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
    near = {}
    for one, other in combinations(SIGNALS, 2):
        gap = seen(getattr(palette, one), kind) - seen(getattr(palette, other), kind)
        if np.linalg.norm(gap) < APART:
            near[one, other] = round(float(np.linalg.norm(gap)), 3)
    assert near == {}

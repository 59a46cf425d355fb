"""The speed beside the slider: the one that is reached."""

from __future__ import annotations

import math

import pytest

from sim.core.tasks.clock import Clock
from sim.ui.shell.toolbar import is_held, speed_label, speed_tip


def clock(speed: float, share: float) -> Clock:
    """Return a clock that has reached a share of its speed, or so much where that is infinite."""
    made = Clock(1 / 64, speed)
    made._gauge.reached = share if math.isinf(speed) else share * speed
    return made


@pytest.mark.parametrize(("speed", "share", "label"), [
    (1.0, 1.0, "1x"), (16.0, 0.96, "16x"), (0.25, 1.01, "1/4x"),
    (64.0, 0.5, "32x"), (16.0, 0.1, "1.6x"), (1.0, 0.5, "0.5x"), (64.0, 0.155, "9.9x"),
    (math.inf, 35.2, "35x"), (math.inf, 0.5, "0.5x"), (math.inf, 250.0, "250x"),
])  # fmt: skip
def test_what_is_shown_is_the_speed_that_is_reached(speed, share, label):
    found = clock(speed, share)
    assert speed_label(found) == label
    assert is_held(found) == (math.isinf(speed) or share > 0.95)


def test_before_it_is_measured_it_is_the_speed_that_is_wanted():
    assert speed_label(Clock(speed=64.0)) == "64x"
    assert speed_label(Clock(speed=math.inf)) == "max"


def test_the_tip_names_both():
    assert speed_tip(clock(64.0, 0.5)) == "Speed: 64x requested, 32x reached"
    assert speed_tip(clock(64.0, 1.0)) == "Speed"

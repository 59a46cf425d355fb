"""The bar: the speed that is reached, and which buttons have room."""

from __future__ import annotations

import math

import pytest

from sim.core.tasks.clock import Clock
from sim.testing import Pilot
from sim.ui.shell.toolbar import BarPart, fit, is_held, speed_label, speed_tip


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


def test_of_equal_rank_the_first_buttons_stay_and_none_passes_one_that_has_no_room():
    parts = [BarPart(width, 0.0, rank, width) for width, rank in
             ((30.0, 2), (50.0, 6), (80.0, 6), (20.0, 6), (10.0, 5))]  # fmt: skip
    assert fit(parts, 200.0, 15.0).kept == (0, 1, 2, 3, 4)
    assert fit(parts, 140.0, 15.0).kept == (0, 1, 4), "the last is short, but follows a long one"
    assert fit(parts, 60.0, 15.0).kept == (0, 4)


def test_playing_a_colour_has_a_button_of_its_own_in_the_usual_window():
    with Pilot(scene="scenes/self_teaching.scene.json", window=(1280, 720), quality="low") as pilot:
        pilot.draw_panels(3)
        plan = pilot.app.shell.playback._plan
        shown = [thing.label for thing, *_ in plan.near if hasattr(thing, "label")]
        assert {"New game", "Show losses", "Play Black"} <= set(shown)

"""A frame that took far too long, such as one over a computer's sleep."""

from __future__ import annotations

import pytest

from sim.core.tasks.clock import Clock


@pytest.mark.parametrize("speed", [1.0, 4.0])
def test_of_a_frame_of_an_hour_less_than_half_a_second_counts(speed: float) -> None:
    clock = Clock(1 / 60, speed)
    tick = clock.advance(3600.0)
    assert 0.0 < tick.dt <= 0.5 * speed
    assert tick.time == tick.dt
    assert clock.advance(1 / 60).dt <= speed / 60 + 1e-9, "nothing is made up for later"

"""The judging part of `benchmarks.steps`, and that it counts what it says."""

from __future__ import annotations

import pytest

from benchmarks.steps import Measurement, empty_scene, measure, report
from sim.app.app import App
from sim.testing import run_options


@pytest.mark.parametrize(
    ("as_it_is", "is_reached"), [((900.0,), True), ((899.0,), False), ((75.0, 950.0, 990.0), True)]
)
def test_nine_of_ten_steps_are_wanted_in_the_middle_one_of_the_rounds(as_it_is, is_reached):
    found = Measurement("a", as_it_is, (1000.0,) * len(as_it_is))
    assert found.is_reached == is_reached
    assert ("MISSED" in report(found)) != is_reached


def test_the_loops_of_a_scene_are_run_in_turn_and_each_frame_is_a_step(tmp_path):
    app = App(run_options(scene=empty_scene(tmp_path), headless=True, graphics=False, seconds=1e6))
    try:
        found = measure("empty", app, 0.02, 2)
        assert app.clock.time == pytest.approx(app.clock.frame * app.clock.fixed_dt)
        assert "pump" not in vars(app.links), "the loop without waits is undone"
    finally:
        app.close()
    assert len(found.as_it_is) == len(found.without_waits) == 2
    assert min(*found.as_it_is, *found.without_waits) > 0.0

"""The judging part of `benchmarks.steps`, and that it counts what it says."""

from __future__ import annotations

import pytest

from benchmarks.steps import Half, Measurement, empty_scene, judged, measure, report, run_half
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
        assert "arrivals" not in vars(app.links), "the loop without waits is undone"
    finally:
        app.close()
    assert len(found.as_it_is) == len(found.without_waits) == 2
    assert min(*found.as_it_is, *found.without_waits) > 0.0


@pytest.mark.parametrize(("starved", "ratio", "left_out"), [(0.5, 1.0, 0.9), (0.05, 0.11, 0.0)])
def test_frames_that_wait_are_left_out_only_where_the_free_loop_has_no_processor_either(
    starved, ratio, left_out
):
    waits = Half(steps=100.0, seconds=0.1, waiting_steps=10.0, waiting_seconds=0.9)
    free = Half(steps=1000.0, seconds=1.0, starved=starved)
    found = judged("a", [(waits, free)])
    assert found.ratio == pytest.approx(ratio)
    assert found.left_out == pytest.approx(left_out)


@pytest.mark.parametrize("is_awaited", [False, True])
def test_a_wait_counts_as_one_for_an_answer_only_where_one_is_awaited(
    tmp_path, monkeypatch, is_awaited
):
    app = App(run_options(scene=empty_scene(tmp_path), headless=True, graphics=False, seconds=1e6))
    budgets = []
    monkeypatch.setattr(type(app._pacing), "patience", 0.012)
    monkeypatch.setattr(type(app.links), "is_awaited", is_awaited)
    monkeypatch.setattr(
        type(app.links), "arrivals", lambda self, budget: budgets.append(budget) or iter(())
    )
    try:
        found, free = (run_half(app, 0.005, may_wait=may_wait) for may_wait in (True, False))
    finally:
        app.close()
    assert set(budgets) == {0.012, 0.0}
    assert (found.waiting_seconds > 0.0) == is_awaited
    assert (found.seconds > 0.0) != is_awaited
    assert free.waiting_seconds == 0.0 < free.seconds

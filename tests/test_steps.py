"""The judging part of `benchmarks.steps`, and that it counts what it says."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchmarks.programs import write_project
from benchmarks.steps import (
    AS_IT_IS,
    FREE,
    WITH_TIME,
    Half,
    Measurement,
    judged,
    measure,
    report,
    run_half,
)  # fmt: skip
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
    app = App(
        run_options(scene=write_project(tmp_path), headless=True, graphics=False, seconds=1e6)
    )
    try:
        found = measure("empty", app, 0.02, 2)
        assert app.clock.time == pytest.approx(app.clock.frame * app.clock.fixed_dt)
        assert "arrivals" not in vars(app.world.links), "the loop without waits is undone"
    finally:
        app.close()
    assert len(found.as_it_is) == len(found.without_waits) == 2
    assert min(*found.as_it_is, *found.without_waits) > 0.0


@pytest.mark.parametrize(("starved", "ratio", "crowded"), [(0.5, 0.95, (40.0,)), (0.05, 0.04, ())])
def test_waits_for_workers_are_judged_unless_the_free_loop_has_no_processor_either(
    starved, ratio, crowded
):
    found = judged("a", [{
        AS_IT_IS: Half(40.0, 0.1), WITH_TIME: Half(950.0, 0.5), FREE: Half(1000.0, starved)
    }])  # fmt: skip
    assert found.ratio == pytest.approx(ratio)
    assert found.crowded == crowded
    assert ("too busy in 1 of 1 rounds: 40 with" in report(found)) == bool(crowded)


@pytest.mark.parametrize(
    ("loop", "budgets"), [(AS_IT_IS, {0.012}), (WITH_TIME, {0.0}), (FREE, {0.0})]
)
def test_each_loop_waits_as_long_as_it_says(tmp_path, monkeypatch, loop, budgets):
    app = App(
        run_options(scene=write_project(tmp_path), headless=True, graphics=False, seconds=1e6)
    )
    asked = []
    app._pacing._contention = SimpleNamespace(is_felt=lambda now: True)
    monkeypatch.setattr(type(app.world.links), "is_awaited", True)
    monkeypatch.setattr(
        type(app.world.links), "arrivals", lambda self, budget=0.0: asked.append(budget) or iter(())
    )
    try:
        assert run_half(app, 0.005, loop).rate > 0.0
        assert app._pacing._contention.is_felt(0.0), "the app is as it was"
    finally:
        app.close()
    assert set(asked) == budgets

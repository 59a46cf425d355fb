"""When a search that deepens begins no further depth: on a fake clock."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.search.base import CHANGED, FALL, FALLEN, MOST, STEADY, STEADY_DEPTHS, Limit, TimePlan


def planned(depths: list[tuple[float, int, float]], soft: float | None = 1.0, hard: float = 3.0):
    """Return a plan after some depths: seconds of each, the best move and its value."""
    plan, elapsed = TimePlan(Limit(seconds=hard, soft_seconds=soft)), 0.0
    for took, best, value in depths:
        elapsed += took
        plan.record(elapsed, best, value)
    return plan, elapsed


def test_without_a_soft_limit_every_depth_is_begun() -> None:
    plan, _ = planned([(0.1, 1, 0.0), (9.0, 1, 0.0)], soft=None)
    assert not plan.is_over(2.9)


def test_a_depth_that_cannot_end_is_not_begun() -> None:
    plan, elapsed = planned([(0.1, 1, 0.0), (0.3, 1, 0.0)], soft=2.5, hard=1.2)
    assert plan.next_depth() == pytest.approx(0.9)
    assert plan.is_over(elapsed)
    plan, elapsed = planned([(0.1, 1, 0.0), (0.3, 1, 0.0)], soft=2.5, hard=1.4)
    assert not plan.is_over(elapsed)


def test_a_move_gets_more_time_when_it_changes_or_its_value_falls() -> None:
    depth = 0.05
    steady = [(depth, 1, 0.0)] * (STEADY_DEPTHS + 1)
    for depths, expected in (
        ([(depth, 1, 0.0)], 1.0),
        ([(depth, 1, 0.0)] * 2, 1.0),
        (steady, STEADY),
        ([*steady, (depth, 2, 0.0)], CHANGED),
        ([*steady, (depth, 1, -FALL)], FALLEN),
        ([*steady, (depth, 1, FALL)], STEADY),
        ([*steady, (depth, 2, -FALL)], min(MOST, CHANGED * FALLEN)),
    ):
        plan, elapsed = planned(depths)
        assert plan.stretch() == pytest.approx(expected), depths
        rest = plan.next_depth() / 2
        assert not plan.is_over(expected - rest - 0.01)
        assert plan.is_over(max(elapsed, expected - rest + 0.01))


@given(
    depths=st.lists(
        st.tuples(st.floats(0.0, 5.0), st.integers(0, 3), st.floats(-1.0, 1.0, allow_nan=False)),
        min_size=1,
        max_size=8,
    ),
    soft=st.floats(0.001, 2.0),
)
@settings(max_examples=25)
def test_no_depth_is_begun_after_three_soft_limits(depths, soft) -> None:
    plan, _ = planned(depths, soft=soft, hard=1e9)
    assert plan.is_over(MOST * soft + 1e-6)

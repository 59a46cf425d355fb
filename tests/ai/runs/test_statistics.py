from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.runs.statistics import (
    Z95,
    all_wins_from,
    mean_interval,
    student,
    wilson,
    wins_per_group,
)

games = st.lists(st.booleans(), max_size=60)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(counts):
    wins, total = counts
    low, high = wilson(wins, total)
    assert 0.0 <= low <= wins / total + 1e-12
    assert wins / total - 1e-12 <= high <= 1.0
    mirrored = wilson(total - wins, total)
    assert mirrored == pytest.approx((1.0 - high, 1.0 - low), abs=1e-12)


def test_wilson_against_known_figures():
    assert wilson(98, 100) == pytest.approx((0.9300, 0.9945), abs=2e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=2e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_mean_interval_by_students_t():
    mean, half = mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3.0
    assert half == pytest.approx(2.776 * math.sqrt(2.5) / math.sqrt(5), abs=1e-3)
    assert mean_interval([7.0]) == (7.0, 0.0)
    assert math.isnan(mean_interval([])[0])


def test_students_t_against_tables_and_without_a_step():
    known = {1: 12.706, 4: 2.776, 20: 2.086, 21: 2.080, 25: 2.060, 40: 2.021, 120: 1.980}
    for freedom, value in known.items():
        assert student(freedom) == pytest.approx(value, abs=1e-3)
    points = [student(freedom) for freedom in range(1, 200)]
    assert sorted(points, reverse=True) == points


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilsons_bounds_solve_its_equation(counts):
    """|share - p| is z standard deviations of p's own binomial at both bounds."""
    wins, total = counts
    for bound in wilson(wins, total):
        distance = abs(wins / total - bound)
        assert distance == pytest.approx(Z95 * math.sqrt(bound * (1 - bound) / total), abs=1e-6)


@given(games)
def test_groups_add_up(wins):
    groups = wins_per_group(wins)
    assert len(groups) == len(wins) // 5
    assert sum(groups) == sum(wins[: len(groups) * 5])


@given(games)
def test_all_wins_from_is_the_smallest_such_game(wins):
    first = all_wins_from(wins)
    if first is None:
        assert not wins or not wins[-1]
        return
    assert all(wins[first - 1 :])
    assert first == 1 or not wins[first - 2]

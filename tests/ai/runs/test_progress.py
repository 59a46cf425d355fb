"""Curves of a run: Elo, groups and decimation against their plain definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.runs.statistics import ELO_CAP, decimate, elo, group_wins, kept_rows, rolling_elo, wilson

RESULTS = st.lists(st.booleans(), max_size=260).map(lambda items: np.array(items, dtype=float))
VALUES = st.lists(st.floats(-1e6, 1e6), max_size=2_000).map(np.array)


def plain_elo(share: float) -> float:
    if share <= 0.0 or share >= 1.0:
        return math.copysign(ELO_CAP, share - 0.5)
    return max(-ELO_CAP, min(ELO_CAP, 400 * math.log10(share / (1 - share))))


@given(RESULTS)
def test_the_elo_is_that_of_the_last_fifty_games(won):
    games = np.arange(1.0, len(won) + 1)
    curve = rolling_elo(games, won)
    assert len(curve) == max(len(won) - 9, 0)
    for row, game in enumerate(curve.x.astype(int)):
        last = won[max(game - 50, 0) : game]
        low, high = wilson(int(last.sum()), len(last))
        assert curve.y[row] == pytest.approx(plain_elo(last.mean()))
        assert curve.low[row] == pytest.approx(plain_elo(low), abs=1e-6)
        assert curve.high[row] == pytest.approx(plain_elo(high), abs=1e-6)
        assert curve.low[row] <= curve.y[row] <= curve.high[row]


@given(st.floats(0.0, 1.0))
def test_elo_is_odd_and_never_beyond_its_ends(share):
    value = float(elo(np.array(share)))
    assert abs(value) <= ELO_CAP
    assert value == pytest.approx(-float(elo(np.array(1.0 - share))), abs=1e-6)


@given(RESULTS)
def test_groups_are_counted_and_an_incomplete_one_is_left_out(won):
    curve = group_wins(np.arange(1.0, len(won) + 1), won)
    assert curve.y.tolist() == [won[i : i + 5].sum() for i in range(0, len(won) - 4, 5)]
    assert curve.x.tolist() == [float(i) for i in range(5, len(won) + 1, 5)]
    for wins, low, high in zip(curve.y, curve.low, curve.high, strict=True):
        assert (low / 5, high / 5) == pytest.approx(wilson(int(wins), 5))


@given(VALUES, st.integers(4, 700))
def test_decimation_keeps_ends_and_extremes_in_few_points_and_in_order(values, most):
    rows = kept_rows(values, most)
    assert len(rows) <= most
    assert (np.diff(rows) > 0).all()
    if len(values) <= most:
        assert len(rows) == len(values)
    if len(values):
        assert rows[0] == 0
        assert rows[-1] == len(values) - 1
        assert values[rows].min() == values.min()
        assert values[rows].max() == values.max()


def test_each_part_of_a_long_curve_keeps_its_own_extremes():
    x = np.arange(60_000.0)
    y = np.where(np.arange(60_000) % 1_000 == 500, 5.0, 0.0)
    kept_x, kept_y = decimate(x, y)
    assert len(kept_x) <= 600
    assert (kept_y == 5.0).sum() == 60

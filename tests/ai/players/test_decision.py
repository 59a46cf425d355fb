from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.players.decision import decide, smallest


def test_the_next_best_point_is_taken_where_the_best_is_occupied():
    estimates = np.array([0.1, 0.5, 0.3, 0.1], np.float32)
    assert decide(estimates, np.array([0, 0, 0, 0], np.int8)) == (1, 1)
    assert decide(estimates, np.array([0, 1, 0, 0], np.int8)) == (2, 2)
    assert decide(estimates, np.array([0, 1, -1, 0], np.int8)) == (0, 3)


def test_among_equals_the_lowest_number_is_taken_and_ranks_stay_distinct():
    estimates = np.full(4, 0.25, np.float32)
    assert decide(estimates, np.array([1, 1, 0, 0], np.int8)) == (2, 3)


@given(
    st.lists(st.floats(-5, 5, width=32), min_size=9, max_size=9),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=9, max_size=9).filter(lambda s: 0 in s),
)
def test_the_choice_is_the_best_empty_point_even_below_minus_one(estimates, stones):
    estimates, stones = np.array(estimates, np.float32), np.array(stones, np.int8)
    move, rank = decide(estimates, stones)
    assert stones[move] == 0
    assert estimates[move] == estimates[stones == 0].max()
    better = np.flatnonzero(estimates > estimates[move])
    assert (stones[better] != 0).all()
    assert rank == pytest.approx(1 + len(better) + (estimates[:move] == estimates[move]).sum())


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 6))
def test_the_smallest_come_first_and_of_equal_ones_the_first(values, count):
    found = smallest(np.array(values, float), count).tolist()
    assert found == sorted(range(len(values)), key=lambda place: (values[place], place))[:count]

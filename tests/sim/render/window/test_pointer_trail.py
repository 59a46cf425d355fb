"""The pointer's trail: presses are found where they happened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.render.window.window_input import in_order

PLACES = st.tuples(st.integers(0, 3), st.integers(0, 3))
STEPS = st.lists(st.one_of(PLACES, st.integers(1, 2)), max_size=12)


def made_of(steps, place):
    """Return the trail, the marks and what is to be found of them, from a place on."""
    trail, marks, expected = [], [], []
    for step in steps:
        if isinstance(step, int):
            expected.append((place, len(marks)))
            marks.append(step)
            trail += [place] * step
        elif step != place:
            place = step
            expected.append((place, None))
            trail.append(place)
    return trail, marks, expected


@given(before=PLACES, steps=STEPS)
def test_every_order_of_moves_and_presses_is_found_again(before, steps):
    trail, marks, expected = made_of(steps, before)
    assert in_order(before, trail, marks) == expected


@pytest.mark.parametrize("marks", [[2], [1, 1, 1], [3]])
def test_where_the_lists_do_not_fit_all_happens_at_the_last_place(marks):
    steps = in_order((0, 0), [(1, 1), (1, 1), (2, 2)], marks)
    assert steps[0] == ((2, 2), None)
    assert steps[1:] == [((2, 2), index) for index in range(len(marks))]


def test_a_press_that_leaves_no_mark_is_at_the_place_of_the_one_before():
    trail = [(1, 1), (1, 1), (1, 1), (2, 2)]
    assert in_order((0, 0), trail, [2, 0]) == [
        ((1, 1), None), ((1, 1), 0), ((1, 1), 1), ((2, 2), None),
    ]  # fmt: skip
    assert in_order((0, 0), trail, [0, 2]) == [
        ((1, 1), None), ((1, 1), 0), ((1, 1), 1), ((2, 2), None),
    ]  # fmt: skip


@given(before=PLACES, steps=STEPS, odd=st.integers(1, 3))
def test_odd_entries_before_the_first_press_move_no_press(before, steps, odd):
    """Where the pointer comes into the window, its place is told twice."""
    first = (9, 9)
    trail, marks, expected = made_of(steps, first)
    assert in_order(before, [first] * (1 + odd) + trail, marks) == [(first, None), *expected]


def test_odd_entries_later_tell_a_press_late_and_never_out_of_order():
    trail = [(1, 1), (1, 1), (2, 2), (2, 2), (2, 2)]
    assert in_order((0, 0), trail, [1, 1]) == [
        ((1, 1), None), ((2, 2), None), ((2, 2), 0), ((2, 2), 1),
    ]  # fmt: skip

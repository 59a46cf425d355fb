from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.arena.ratings import (
    CENTRE,
    SCALE,
    cross_table,
    elo_table,
    expected_score,
    pair_scores,
    results_of,
    sprt,
)


def played(one, other, won, of):
    return [(one, other, 1.0)] * won + [(one, other, 0.0)] * (of - won)


def test_a_difference_is_what_the_share_says():
    table = elo_table("ab", played("a", "b", 750, 1000))
    assert table["a"].elo - table["b"].elo == pytest.approx(400 * math.log10(3), abs=2.0)
    assert (table["a"].elo + table["b"].elo) / 2 == pytest.approx(CENTRE, abs=0.1)


def test_the_interval_of_two_is_that_of_their_share():
    """Var(r) = (400/ln 10)^2 / (n p (1-p)) for the difference; each has half of it."""
    table = elo_table("ab", played("a", "b", 500, 1000))
    expected = 1.959964 * SCALE / math.sqrt(1000 * 0.25) / 2
    assert table["a"].high - table["a"].elo == pytest.approx(expected, rel=0.01)


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(4)
    names, strengths = "abc", np.array([0.0, 100.0, -100.0])
    held = []
    for _ in range(150):
        results = [
            (names[i], names[j], float(rng.random() < expected_score(strengths[i] - strengths[j])))
            for i, j in ((0, 1), (0, 2), (1, 2))
            for _ in range(40)
        ]
        table = elo_table(names, results)
        held += [
            table[name].low <= CENTRE + strength <= table[name].high
            for name, strength in zip(names, strengths, strict=True)
        ]
    assert 0.91 <= np.mean(held) <= 0.99


def test_one_who_wins_all_has_a_finite_rating():
    table = elo_table("ab", played("a", "b", 20, 20))
    assert 300 < table["a"].elo - table["b"].elo < 2000


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"),
                          st.sampled_from((0.0, 0.5, 1.0))), max_size=30))  # fmt: skip
def test_the_other_side_of_each_result_gives_the_same_table(results):
    results = [item for item in results if item[0] != item[1]]
    turned = [(other, one, 1.0 - points) for one, other, points in results]
    for name, rating in elo_table("abc", results).items():
        assert rating == pytest.approx(elo_table("abc", turned)[name], abs=0.2)
        assert rating.low <= rating.elo <= rating.high


def test_the_cross_table_counts_from_both_sides():
    table = cross_table("ab", [("a", "b", 1.0), ("b", "a", 0.5), ("b", "a", 1.0), ("a", "b", 1.0)])
    assert table == {("a", "b"): (2, 1, 1), ("b", "a"): (1, 1, 2)}


def line(game, black, white, winner, opening):
    return {"game": game, "black": black, "white": white, "winner": winner, "opening": opening}


def test_results_and_pairs_are_read_from_lines():
    lines = [line(1, "a", "b", "black", 0), line(2, "b", "a", "draw", 0),
             line(3, "a", "b", "white", 1)]  # fmt: skip
    assert results_of(lines) == [("a", "b", 1.0), ("b", "a", 0.5), ("a", "b", 0.0)]
    assert pair_scores(lines, "a") == [0.75], "the second opening lacks a colour"
    assert pair_scores(lines, "b") == [0.25]


def test_the_sequential_test_decides_either_way():
    assert sprt([]).verdict == "undecided"
    assert sprt([1.0, 0.5] * 20).verdict == "stronger"
    assert sprt([0.0, 0.5] * 20).verdict == "not stronger"
    assert sprt([0.5, 1.0]).verdict == "undecided"


def test_the_sequential_test_errs_as_seldom_as_it_says():
    """With equal players "stronger" is a false alarm: 5 % at most, some luck allowed."""
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(60):
        scores = []
        while (found := sprt(scores, elo1=100.0).verdict) == "undecided":
            scores.append(float(rng.integers(0, 2, 2).mean()))
        alarms += found == "stronger"
    assert alarms <= 7


@pytest.mark.parametrize("given", [{"elo0": 5.0, "elo1": 5.0}, {"alpha": 0.0}, {"beta": 0.6}])
def test_senseless_bounds_are_refused(given):
    with pytest.raises(ValueError, match="elo0 < elo1"):
        sprt([0.5], **given)

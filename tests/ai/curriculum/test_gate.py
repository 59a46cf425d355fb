"""The gate lets a pair pass that has won its match, and no other."""

from __future__ import annotations

import pytest

from ai.curriculum.run import judge


@pytest.mark.parametrize(
    ("scores", "is_accepted", "reason"),
    [
        ([1.0] * 8 + [0.5] * 2, True, "stronger"),
        ([0.0] * 10, False, "not stronger"),
        ([0.5] * 4, False, "did not win the match"),
        ([0.5, 0.5, 0.5, 1.0], True, "won the match"),
    ],
)
def test_a_whole_match_is_decided(scores, is_accepted, reason):
    verdict = judge(scores, pairs=len(scores), elo=100.0)
    assert (verdict.is_accepted, verdict.reason) == (is_accepted, reason)
    assert verdict.score == pytest.approx(sum(scores[: verdict.pairs]) / verdict.pairs)


def test_an_open_match_goes_on_and_an_early_end_counts_no_later_game():
    assert judge([0.5, 1.0], pairs=10, elo=100.0) is None
    short = judge([0.0] * 30, pairs=100, elo=100.0)
    assert short.pairs < 30
    assert judge([0.0] * short.pairs + [1.0] * 60, pairs=100, elo=100.0) == short

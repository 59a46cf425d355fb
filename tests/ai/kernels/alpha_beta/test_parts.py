"""Parts of the search that decide by one position: the table's word, blind depths, hopes."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import Board, Rules
from ai.kernels.alpha_beta import layout
from ai.kernels.alpha_beta.entries import keep
from ai.kernels.alpha_beta.layout import EXACT, HOPE_SHIFT, LOWER, UPPER, WIDTH, WIN
from ai.kernels.alpha_beta.pruning import is_skipped, reduction_of
from ai.kernels.alpha_beta.search import likely_score, seen_depth
from ai.nets.evaluation import shipped_evaluation
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta, _new_words

RULES = Rules(9)


def entry(score, bound):
    return ((score + WIN) << 2 | bound) << (layout.MOVE_BITS + layout.DEPTH_BITS)


@pytest.mark.parametrize(
    ("score", "bound", "expected"),
    [
        (50, EXACT, 50), (50, LOWER, 50), (-50, LOWER, 0), (-50, UPPER, -50), (50, UPPER, 0),
        (WIN - 9, EXACT, 0),
    ],
)  # fmt: skip
def test_the_table_says_more_than_the_evaluation_where_its_bound_does(score, bound, expected):
    with_it, without = (
        PatternAlphaBeta(RULES, memory=1, tuning={"is_table_used": one})._record for one in (1, 0)
    )
    assert likely_score(with_it, entry(score, bound), 0) == expected
    assert likely_score(without, entry(score, bound), 0) == 0
    assert likely_score(with_it, -1, 7) == 7


def test_a_position_without_a_move_of_the_table_is_searched_a_ply_less():
    search, words = (
        PatternAlphaBeta(RULES, memory=1, tuning={"blind_depth": 4}),
        _new_words(1 << 20),
    )
    search._position.follow(Board.from_moves("e5 e6", RULES))
    position, trees = search._position.record, search._record
    assert [seen_depth(position, trees, words, depth, -1) for depth in (3, 4, 9)] == [3, 3, 8]
    assert seen_depth(position, trees, words, 9, 40) == 9, "a forced answer"
    keep(position, trees, words, 2, 0, EXACT, 30)
    assert seen_depth(position, trees, words, 9, -1) == 9


def quiet_level(tuning):
    """Return a search whose level 1 lists fifty quiet moves, the best of them ten logits ahead."""
    search = PatternAlphaBeta(
        Rules(15),
        evaluation=shipped_evaluation(),
        memory=1,
        tuning={"policy_count": 0, "history_less": 0, **tuning},
    )
    fields = search._fields
    fields.moves[WIDTH : WIDTH + 50] = list(range(50))
    fields.kinds[WIDTH : WIDTH + 50] = [0] * 50
    fields.hopes[WIDTH : WIDTH + 50] = [0] * 50
    fields.most_hope[1] = 10 << HOPE_SHIFT
    fields.played[0], fields.likely[1] = 100, 5000
    return search


def test_moves_far_behind_the_best_and_without_success_are_searched_less_deep():
    def less(tuning, history=0):
        search = quiet_level(tuning)
        search._fields.history[8] = history
        return reduction_of(search._position.record, search._record, 1, 8, 8, 1)

    plain = less({})
    assert less({"policy_less": 50, "policy_even": 2}) == plain + 3  # 6 logits, at most 8 of them
    assert less({"history_less": 100}, 2000) == plain - 2
    assert less({"history_less": 100}, -2000) == plain + 2
    assert less({}, 2000) == plain


def test_fewer_quiet_moves_are_searched_far_behind_the_best_or_where_nothing_grows():
    assert is_skipped(quiet_level({})._record, 1, 2, 8) == 0
    assert is_skipped(quiet_level({"policy_count": 1})._record, 1, 2, 8) == 1
    search = quiet_level({"count_worse": 50})
    fields = search._fields
    fields.moves[2 * WIDTH : 2 * WIDTH + 50] = list(range(50))
    fields.likely[2] = 5000
    for before, expected in ((-100, 0), (100, 1)):
        fields.evals[0] = before
        assert is_skipped(search._record, 2, 2, 8) == expected


def test_a_window_grows_in_steps_before_it_is_opened():
    search = PatternAlphaBeta(RULES, memory=1, tuning={"aspiration": 40, "aspiration_steps": 1})
    fields = search._fields
    fields.scores[0] = 100
    search._narrow(9)
    assert (fields.low, fields.high) == (60, 140)
    fields.missed = -1
    search._widen(0)
    assert (fields.low, fields.high) == (-60, 140)
    search._widen(1)
    assert fields.low == -WIN
    fields.missed = 1
    search._widen(0)
    assert fields.high == 260
    search._widen(1)
    assert fields.high == WIN


@pytest.mark.parametrize(
    "part",
    [
        "blind_depth",
        "is_table_used",
        "history_less",
        "count_worse",
        "aspiration_steps",
    ],
)
def test_each_part_changes_the_search(part):
    board = Board.from_moves("h8 i9 g9 h10 i10 g7 j7 f10", Rules(15))
    value = {"blind_depth": 3, "is_table_used": 1, "aspiration_steps": 2}.get(part, 50)

    def nodes(tuning):
        search = PatternAlphaBeta(
            board.rules,
            evaluation=shipped_evaluation(),
            memory=1,
            tuning={"aspiration": 10, **tuning},
        )
        return search.search(board, Limit(), np.random.default_rng(0), depth=10).nodes

    assert nodes({part: 0}) != nodes({part: value})

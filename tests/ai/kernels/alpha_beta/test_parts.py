"""Parts of the search that decide by one position: the table's word, blind depths, hopes."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import Board, Rules
from ai.kernels.alpha_beta import layout
from ai.kernels.alpha_beta.entries import keep
from ai.kernels.alpha_beta.layout import EXACT, HOPE_SHIFT, LOWER, UNDECIDED, UPPER, WIDTH, WIN
from ai.kernels.alpha_beta.pruning import is_skipped, reduction_of
from ai.kernels.alpha_beta.search import known_score, lazy_score, likely_score, seen_depth
from ai.nets.evaluation import shipped_evaluation
from ai.search.base import Limit, SearchClock
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


@pytest.mark.parametrize(("kind", "expected"), [(0, 1), (1 << 4, 1), (1 << 8, 1), (1, 0)])
def test_late_threats_may_be_left_out_by_their_place_but_fours_never(kind, expected):
    for count_threats in (0, 1):
        search = quiet_level({"count_threats": count_threats})
        search._fields.kinds[WIDTH + 20] = kind
        is_counted = kind == 0 or count_threats == 1
        assert is_skipped(search._record, 1, 2, 20) == (expected if is_counted else 0)


@pytest.mark.parametrize("gap", [-1, 0, 1])
def test_a_lazy_leaf_is_judged_by_its_patterns_where_these_are_far_outside(gap):
    search = PatternAlphaBeta(
        Rules(15), evaluation=shipped_evaluation(), memory=1, tuning={"lazy": 200}
    )
    plain = PatternAlphaBeta(Rules(15), memory=1)
    board = Board.from_moves("h8 i9 g9 h10 i10 g7 j7 f10", Rules(15))
    patterns, whole = plain.score(board), search.score(board)
    assert patterns != whole
    arguments = search._position.record, search._record
    for alpha, beta in (
        (patterns - 250 + gap, patterns - 200 + gap),
        (patterns + 200 + gap, 10**5),
    ):
        is_far = patterns - 200 >= beta or patterns + 200 <= alpha
        assert lazy_score(*arguments, 0, alpha, beta) == (patterns if is_far else UNDECIDED)
        assert lazy_score(*arguments, 1, alpha, beta) == UNDECIDED, "only leaves are lazy"


@pytest.mark.parametrize(("stand_pat", "beta"), [(0, -900), (1, -900), (1, 900)])
def test_a_leaf_above_beta_is_not_searched_for_fours(stand_pat, beta):
    board = Board.from_moves("h8 h11 h9 a1 h10 o15", Rules(15))  # Black can make a four
    search = PatternAlphaBeta(Rules(15), memory=1, tuning={"stand_pat": stand_pat})
    search._set_position(board)
    clock = SearchClock(Limit(nodes=1000))
    with clock.record() as spent:
        score = known_score(
            search._position.record, search._position.table, search._record,
            search._fours.record, search._words, spent, 1, 0, beta - 1, beta,
        )  # fmt: skip
    has_rested = stand_pat == 1 and search.score(board) >= beta
    assert (clock.nodes > 0) == (not has_rested)
    assert score == search.score(board) or not has_rested


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
        "stand_pat",
        "lazy",
    ],
)
def test_each_part_changes_the_search(part):
    board = Board.from_moves("h8 i9 g9 h10 i10 g7 j7 f10", Rules(15))
    value = {"blind_depth": 3, "is_table_used": 1, "aspiration_steps": 2, "stand_pat": 1}.get(
        part, 50
    )

    def nodes(tuning):
        search = PatternAlphaBeta(
            board.rules,
            evaluation=shipped_evaluation(),
            memory=1,
            tuning={"aspiration": 10, **tuning},
        )
        return search.search(board, Limit(), np.random.default_rng(0), depth=10).nodes

    assert nodes({part: 0}) != nodes({part: value})

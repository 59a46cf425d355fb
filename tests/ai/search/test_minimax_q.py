"""Root scores: by hand, by kernels and by Python alike, by crosses and by full scans alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.evaluators.five_rows import FiveRowEvaluator
from ai.game import Board, Rules
from ai.search import minimax_q
from ai.search.base import Limit

RULES = Rules(15, 5)
UNLIMITED = Limit()
SMALL = [Rules(5, 3), Rules(6, 4, exact=True), Rules(7, 5), Rules(8, 5, exact=True)]


class Whole:
    """The same scores, one board at a time, so that the search runs in Python."""

    def __init__(self, rules):
        self.inner = FiveRowEvaluator(rules, scans_all=True)
        self.score, self.to_value = self.inner.score, self.inner.to_value


MADE = {
    rules: (FiveRowEvaluator(rules), FiveRowEvaluator(rules, scans_all=True), Whole(rules))
    for rules in SMALL
}


def board_after(rules, numbers):
    board = Board(rules)
    for number in numbers:
        legal = list(board.legal_moves)
        if len(legal) < 2:
            break
        board.push(legal[number % len(legal)])
        if board.outcome() is not None:
            board.pop()
    return board


def found_by(evaluator, board, limit=UNLIMITED, **settings):
    found = minimax_q.search(board, evaluator, limit, np.random.default_rng(5), **settings)
    return found.move, found.scores, found.first_scores, found.nodes, found.visits.tolist()


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(SMALL), st.lists(st.integers(0, 63), max_size=30),
    st.sampled_from(minimax_q.UPDATES), st.sampled_from(minimax_q.SIGNS),
    st.sampled_from([1, 2, 3]), st.sampled_from([None, 1, 7, 40, 300]),
)  # fmt: skip
def test_cross_full_scan_and_python_choose_and_score_alike(
    rules, numbers, update, sign, depth, nodes
):
    board = board_after(rules, numbers)
    kept = board.copy()
    cross, full, whole = MADE[rules]
    given = {"update": update, "sign": sign, "depth": depth}
    limit = Limit(nodes=min(nodes or 2000, 2000) if depth == 3 else nodes)
    first = found_by(cross, board, limit, **given)
    assert found_by(full, board, limit, **given) == first
    if depth < 3 or nodes is not None:
        assert found_by(whole, board, limit, **given) == first
    assert board == kept
    assert limit.nodes is None or first[3] <= limit.nodes


def test_roots_are_the_empty_points_beside_a_stone():
    evaluator = FiveRowEvaluator(RULES)
    board = Board.from_moves("a1 h8", RULES)
    found = minimax_q.search(board, evaluator, Limit(), np.random.default_rng(0), depth=1)
    texts = {board.to_text(move) for move in found.scores}
    assert texts == {"a2", "b1", "b2", "g7", "g8", "g9", "h7", "h9", "i7", "i8", "i9"}
    assert sorted(evaluator.near_moves(board)) == sorted(found.scores)


@pytest.mark.parametrize(
    ("update", "sign", "change"),
    [
        ("best", "alternating", min),
        ("best", "same", lambda gains: max(-gain for gain in gains)),
        ("mean", "alternating", lambda gains: sum(gains) / len(gains)),
        ("sum", "alternating", sum),
    ],
)
@pytest.mark.parametrize("kind", [FiveRowEvaluator, Whole])
def test_a_root_is_changed_by_alpha_gamma_and_diff(kind, update, sign, change):
    """Delta = alpha gamma^d diff: diff is the board's score after minus before the leaf's stone."""
    evaluator = FiveRowEvaluator(RULES)
    board = Board.from_moves("h8 g7 i8", RULES)
    found = minimax_q.search(
        board, kind(RULES), Limit(), np.random.default_rng(0),
        alpha=0.5, gamma=0.25, depth=2, update=update, sign=sign,
    )  # fmt: skip
    before = evaluator.score(board)
    for move, score in found.scores.items():
        board.push(move)
        after = -evaluator.score(board)
        gains = []
        for reply in evaluator.near_moves(board):
            board.push(reply)
            gains.append(evaluator.score(board) - after)
            board.pop()
        board.pop()
        assert found.first_scores[move] == after - before
        assert score == pytest.approx(after - before + 0.5 * 0.25 * change(gains))
    assert found.nodes == found.visits.sum()


def test_no_reply_follows_a_five():
    board = Board.from_moves("f8 a1 g8 a3 h8 a5 i8 a7", RULES)
    found = minimax_q.search(board, FiveRowEvaluator(RULES), Limit(), np.random.default_rng(0))
    assert {board.to_text(move) for move in list(found.scores)[:2]} == {"e8", "j8"}
    assert found.visits[found.move] == 1
    assert found.value > 0.99


def test_a_limit_leaves_out_roots_that_were_not_finished():
    board = Board.from_moves("h8 g7 i8 j8 g9", RULES)
    evaluator = FiveRowEvaluator(RULES)
    whole = minimax_q.search(board, evaluator, Limit(), np.random.default_rng(0))
    roots = len(whole.scores)
    assert whole.finished == roots
    few = minimax_q.search(board, evaluator, Limit(nodes=roots + 60), np.random.default_rng(0))
    assert 0 < few.finished < roots
    assert few.scores == {move: whole.scores[move] for move in few.scores}
    assert few.nodes == roots + 60
    none = minimax_q.search(board, evaluator, Limit(nodes=roots), np.random.default_rng(0))
    assert none.finished == 0
    assert none.scores == none.first_scores

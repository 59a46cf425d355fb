"""Wins that the search claims for certain: each is proven against every legal answer."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import Board, Rules
from ai.game.rules import RULE_NAMES
from ai.kernels.alpha_beta.layout import LIKELY, LONGEST, TREE, WIN
from ai.kernels.alpha_beta.order import list_moves
from ai.kernels.alpha_beta.search import doubt_loss
from ai.kernels.jit import fields_of, new_record
from ai.nets.evaluation import shipped_evaluation
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta, least_score, to_value
from benchmarks.claimed_wins import DECIDED, ClaimProver, claims, main

FIFTEEN = Rules(15)
NO_WIN = (
    "f7 g8 i9 e6 g5 e8 e5 f5 d7 h7 e7 c7 d8 f6 d6 d9 i6 i8 g6 h6 h8 g9 g4 g3 h5 f3 f4 e4 j7 k8 j8 "
    "j6 j10 g7"
)
"""After k9 h9 the other side wins by force; the search held k9 for a win."""


def test_a_win_that_is_none_is_not_claimed():
    board = Board.from_moves(NO_WIN, FIFTEEN)
    search = PatternAlphaBeta(FIFTEEN, evaluation=shipped_evaluation(), memory=64)
    found = search.search(board, Limit(nodes=200_000), np.random.default_rng(0))
    assert abs(found.scores[found.move]) < DECIDED
    assert found.value < 1.0
    without = PatternAlphaBeta(
        FIFTEEN, evaluation=shipped_evaluation(), memory=64, tuning={"doubt": 0}
    )
    found = without.search(board, Limit(nodes=200_000), np.random.default_rng(0))
    assert found.scores[found.move] > DECIDED, "or the position shows nothing any more"
    assert board.to_text(found.move) == "k9"


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_each_claim_of_a_game_is_proven(rule):
    rules = Rules(15, 5, rule)
    prover = ClaimProver(rules, 5_000, shipped_evaluation())
    seen = 0
    for number in range(2):
        for board, found in claims(prover, rules, 4, number):
            assert prover.is_proven(board, found), " ".join(map(board.to_text, board.moves))
            seen += 1
    assert seen > 0, "games that show nothing"


RENJU = "k10 g9 j6 k7 f8 i9 j8 j7 i7 h9 f9 g10 f11 f10 k9 h6 k11 k12 l10 m11 m9"
"""Black threatens an open four; n8, on none of its points, refutes it in renju."""


def test_a_loss_in_renju_is_no_claim_while_a_distant_stone_may_make_fouls():
    board = Board.from_moves(RENJU, Rules(15, 5, "renju"))
    search = PatternAlphaBeta(board.rules)
    found = search.search(board, Limit(nodes=20_000), np.random.default_rng(0))
    assert abs(found.scores[found.move]) < DECIDED


def test_the_prover_finds_a_false_claim(capsys):
    board = Board.from_moves(NO_WIN, FIFTEEN)
    (k9,) = (move for move in board.legal_moves if board.to_text(move) == "k9")
    prover = ClaimProver(FIFTEEN, 20_000, shipped_evaluation())
    assert not prover.wins(board, k9)
    assert main(["--moves", "h8 a1 h9 c1 h10 e1", "--nodes", "500"]) == 0
    assert capsys.readouterr().out.endswith("proven\n")


def levels(moves, rules):
    """Return the record of a search in a position whose moves are listed, and how many there are."""
    search = PatternAlphaBeta(rules, memory=1)
    search._position.follow(Board.from_moves(moves, rules))
    count = list_moves(search._position.record, search._position.table, search._record, 1, 8, -1)
    return search._fields, count


def test_a_list_is_whole_where_all_other_moves_lose_at_once():
    fields, count = levels("h8 a1 h9 c1 h10", FIFTEEN)
    assert (count, fields.is_whole[1]) == (4, 1), "an open three has four answers"
    fields, count = levels("h8 a1 h9 c1 h10", Rules(15, 5, "caro"))
    assert fields.is_whole[1] == 0, "a stone farther off may block the row"
    fields, count = levels("h8 a1 h9 c1 h10", Rules(15, 5, "renju"))
    assert fields.is_whole[1] == 0, "Black's four may become a foul"
    fields, count = levels("a1 h8 c1 h9 e15 h10", Rules(15, 5, "renju"))
    assert fields.is_whole[1] == 1, "White's may not"
    fields, count = levels("h8 a1 h9", FIFTEEN)
    assert (count, fields.is_whole[1]) == (8, 0), "cut at eight"


def test_a_loss_is_likely_if_an_answer_was_not_searched():
    record = new_record(TREE)
    fields = fields_of(record)
    for doubt, is_whole, score, expected in (
        (1, 0, 12 - WIN, 12 - LIKELY),
        (1, 1, 12 - WIN, 12 - WIN),
        (0, 0, 12 - WIN, 12 - WIN),
        (1, 0, -900, -900),
        (1, 0, 12 - LIKELY, 12 - LIKELY),
    ):
        fields.doubt = doubt
        fields.is_whole[1], fields.best[1] = is_whole, score
        doubt_loss(record, 1)
        assert fields.best[1] == expected


def test_a_likely_win_is_no_certain_one():
    assert 0.99 < to_value(LIKELY - 20) < 1.0
    assert to_value(WIN - LONGEST + 1) == 1.0
    assert least_score(LIKELY - 20, 0.5) == LIKELY - 20, "a level plays it like a win"
    assert least_score(0, 1.5) == LONGEST - LIKELY, "and a likely loss like a loss"

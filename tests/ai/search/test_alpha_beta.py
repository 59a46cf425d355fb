from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.evaluators.base import LineEvaluator
from ai.evaluators.pattern import PatternEvaluator
from ai.game import Board, Rules
from ai.players.base import Limit
from ai.registry.players import create_player
from ai.search import alpha_beta
from ai.search.alpha_beta import WIN

TIC_TAC_TOE = Rules(3, 3)
SMALL_DROP = Rules(4, 3, height=3, gravity=True)
CONNECT_FOUR = Rules(7, 4, height=6, gravity=True)


def search(board, depth, *, nodes=None, seconds=None, table=None, seed=0):
    return alpha_beta.search(
        board,
        LineEvaluator(board.rules),
        Limit(seconds, nodes),
        np.random.default_rng(seed),
        depth=depth,
        table=table,
    )


@cache
def plain_minimax(moves, rules):
    """Return the result for the side to move, 1, 0 or -1, by trying everything."""
    board = Board.from_moves(moves, rules)
    outcome = board.outcome()
    if outcome is not None:
        return outcome.winner * board.to_move
    return max(-plain_minimax((*moves, move), rules) for move in board.legal_moves)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([TIC_TAC_TOE, SMALL_DROP]), st.lists(st.integers(0, 99), min_size=3))
def test_it_agrees_with_trying_everything(rules, numbers):
    board = Board(rules)
    for number in numbers[: rules.points - 2]:
        if board.outcome() is not None:
            return
        legal = list(board.legal_moves)
        board.play(legal[number % len(legal)])
    if board.outcome() is not None:
        return
    before = board.copy()
    found = search(board, rules.points)
    assert (board, board.moves) == (before, before.moves)
    assert set(found.scores) == set(board.legal_moves)
    for move, score in found.scores.items():
        assert np.sign(score) == -plain_minimax((*board.moves, move), rules)


def test_tic_tac_toe_is_a_draw_whatever_is_played_first():
    found = search(Board(TIC_TAC_TOE), 9)
    assert found.depth == 9
    assert set(found.scores.values()) == {0}


def test_the_quicker_win_and_the_later_loss_are_better():
    board = Board.from_moves("c1 c2 d1 d2 a1 a2", CONNECT_FOUR)
    found = search(board, 3)
    assert [board.to_text(move) for move in found.best] == ["b1", "e1"][: len(found.best)]
    assert found.scores[found.best[0]] == WIN - 7
    lost = Board.from_moves("c1 c2 d1 d2 e1", CONNECT_FOUR)  # open on both sides
    scores = search(lost, 4).scores
    assert max(scores.values()) == -(WIN - 7)


def test_the_bound_on_nodes_holds_and_the_first_depth_is_always_finished():
    table = {}
    board = Board.from_moves("d1 d2", CONNECT_FOUR)
    found = search(board, 8, nodes=500, table=table)
    assert found.nodes <= 501
    assert 1 < found.depth < 8
    assert board.ply == 2
    least = search(board, 8, nodes=1, table=table)
    assert (least.depth, len(least.scores)) == (1, 7)


@pytest.mark.parametrize(
    ("moves", "expected"),
    [("c1 c2 d1 d2 g1 g2", {"b1", "e1"}), ("c1 g1 d1 g2 c2 g3 a1", {"g4"})],
    ids=["wins", "wins first"],
)
def test_the_player_wins_where_it_can(moves, expected):
    player = create_player("alpha-beta", CONNECT_FOUR, {"depth": 3})
    board = Board.from_moves(moves, CONNECT_FOUR)
    choice = player.choose(board, Limit(), np.random.default_rng(0))
    assert board.to_text(choice.move) in expected
    assert choice.value == 1.0
    assert choice.explanation["scores"][0][1] == max(s for _, s in choice.explanation["scores"])


def test_the_player_takes_the_tighter_bound():
    player = create_player("alpha-beta", CONNECT_FOUR, {"nodes": None, "depth": 5})
    free = player.choose(Board(CONNECT_FOUR), Limit(), np.random.default_rng(0))
    bound = player.choose(Board(CONNECT_FOUR), Limit(nodes=60), np.random.default_rng(0))
    assert free.explanation["depth"] == 5
    assert bound.explanation["nodes"] <= 61


def test_the_result_is_a_move_with_its_line_and_its_work():
    board = Board.from_moves("c1 c2 d1 d2 a1 a2", CONNECT_FOUR)
    found = search(board, 5)
    assert found.move in found.best
    assert found.value == 1.0
    assert found.policy.sum() == pytest.approx(1.0)
    assert set(np.flatnonzero(found.policy)) == set(found.best)
    assert found.visits.sum() == found.nodes
    assert set(np.flatnonzero(found.visits)) == set(found.scores)
    line = board.copy()
    for move in found.principal_variation:
        line.play(move)
    assert found.principal_variation[0] == found.move
    assert line.outcome() is not None, "the line leads to the win that the score promises"


def test_the_generator_draws_among_equals():
    moves = {search(Board(TIC_TAC_TOE), 9, seed=seed).move for seed in range(40)}
    assert moves == set(range(9))


def test_a_time_that_is_over_still_gives_a_move():
    board = Board.from_moves("h8 i9", Rules(15, 5))
    found = search(board, 9, seconds=0.0)
    assert found.move in board.legal_moves
    assert (found.depth, board.ply) == (1, 2)


@pytest.mark.parametrize("evaluator", [LineEvaluator, PatternEvaluator])
def test_any_evaluator_that_scores_can_be_searched_by(evaluator):
    rules = Rules(5, 4)
    board = Board.from_moves("c3 a1 c2 a5", rules)  # c4 makes three with both ends open
    found = alpha_beta.search(board, evaluator(rules), Limit(), np.random.default_rng(0), depth=3)
    assert board.to_text(found.move) == "c4"
    assert found.value == 1.0


def test_a_score_of_a_game_that_is_won_or_lost_is_the_end_of_the_scale():
    evaluator = LineEvaluator(TIC_TAC_TOE)
    found = [alpha_beta.value_of(score, evaluator) for score in (WIN - 3, 3 - WIN, 0)]
    assert found[:2] == [1.0, -1.0]
    assert -1.0 < found[2] < 1.0

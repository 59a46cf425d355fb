"""Players of published documents: what their documents say they do, and their settings."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ai import Board, ForcedMove, Limit, Opening, RootScores, Rules, ValueField, create_player
from ai.evaluators.convolution import ConvolutionEvaluator
from ai.players.published.convolution import fitted_weights

RULES = Rules(15, 5)
UNLIMITED = Limit()


def choose(name, moves, settings=None, rules=RULES, limit=UNLIMITED):
    board = Board.from_moves(moves, rules)
    choice = create_player(name, rules, settings).choose(board, limit, np.random.default_rng(0))
    return board.to_text(choice.move), choice


FORCED = [
    # moves, reason, points; Black (the first) moves where the number of stones is even
    ("f8 a1 g8 a3 h8 a5 i8 a7", "five", {"e8", "j8"}),
    ("f8 a1 g8 a3 h8 a5 i8 e8", "five", {"j8"}),
    ("f8 a1 g8 a3 h8 a5 i8", "five of the other side", {"e8", "j8"}),
    ("f8 a1 g8 a3 h8 a5 j8", "five of the other side", {"i8"}),
    ("f8 a1 g8 a3 h8", "open four of the other side", {"e8", "i8"}),
    ("f8 a1 g8 a3 i8", "open four of the other side", {"h8"}),
    ("f8 a1 g8 e8 h8 o1", None, set()),
    ("f8 a1 g8 a3", None, set()),
]


@pytest.mark.parametrize("name", ["minimax-q", "genetic"])
@pytest.mark.parametrize(("moves", "reason", "points"), FORCED)
def test_the_default_policy_makes_five_then_stops_then_leaves_it(name, moves, reason, points):
    move, choice = choose(name, moves, {"default_policy": True})
    said = choice.explanation
    if reason is None:
        assert not isinstance(said, ForcedMove)
        return
    assert isinstance(said, ForcedMove)
    board = Board.from_moves(moves, RULES)
    assert (said.forced_by, {board.to_text(item) for item in said.forced_points}) == (
        reason,
        points,
    )
    assert move in points


def test_an_own_open_three_waits_unless_it_is_asked_for():
    moves = "f8 f3 g8 g3 h8 h3"
    assert choose("minimax-q", moves)[0] in {"e3", "i3"}
    move, choice = choose("minimax-q", moves, {"make_open_four": True})
    assert choice.explanation["forced_by"] == "open four"
    assert move in {"e8", "i8"}


def test_a_row_is_stopped_where_it_is_worth_most_or_first():
    moves = "h4 a1 h5 a3 h6 j7"  # White's j7 makes h7 worth more to White, to stop, than h3
    for settings, expected in (({"blocking_point": "first"}, "h7"), ({}, "h7")):
        board = Board.from_moves(moves + " a5", RULES)
        player = create_player("minimax-q", RULES, settings)
        assert (
            board.to_text(player.choose(board, Limit(), np.random.default_rng(0)).move) == expected
        )


def test_the_default_policys_kernels_are_loaded_only_for_players_that_have_one(monkeypatch):
    name = "ai.players.published.default_policy"
    monkeypatch.delitem(sys.modules, name)
    create_player("genetic", RULES, {"default_policy": False})
    assert name not in sys.modules
    create_player("genetic", RULES, {"default_policy": True})
    assert name in sys.modules


def test_without_its_default_policy_genetic_plays_as_ever():
    games = []
    for settings in ({}, {"default_policy": False}):
        player, rng, board = (
            create_player("genetic", RULES, settings),
            np.random.default_rng(3),
            Board(RULES),
        )
        while board.ply < 12:
            board.push(player.choose(board, Limit(), rng).move)
        games.append(list(board.moves))
    assert games[0] == games[1]
    assert games[0] == GENETIC_GAME


GENETIC_GAME = [127, 112, 126, 95, 142, 97, 110, 94, 155, 96, 156, 98]
"""As it was played before the setting was there."""


def test_minimax_q_explains_its_roots():
    move, choice = choose("minimax-q", "h8 g7 i8")
    said = choice.explanation
    assert isinstance(said, RootScores)
    board = Board.from_moves("h8 g7 i8", RULES)
    assert board.to_text(said.root_scores[0][0]) == move
    assert [item for item, _ in said.root_scores] == [item for item, _ in said.first_scores]
    assert said.finished == len(said.root_scores)
    assert choice.policy.argmax() == choice.move
    assert isinstance(choose("minimax-q", "")[1].explanation, Opening)


@pytest.mark.parametrize("settings", [{}, {"evaluation": "full"}], ids=str)
def test_minimax_q_plays_one_game_whichever_way_it_evaluates(settings):
    player, rng, board = (
        create_player("minimax-q", Rules(7), settings),
        np.random.default_rng(1),
        Board(Rules(7)),
    )
    while board.outcome() is None:
        board.push(player.choose(board, Limit(), rng).move)
    assert board.moves[:9] == MINIMAX_GAME


MINIMAX_GAME = [24, 25, 32, 16, 30, 31, 18, 12, 37]


def test_convolution_plays_the_arg_max_of_its_field():
    move, choice = choose("convolution", "h8 a1 j8 c1 k8 e1")
    said = choice.explanation
    assert isinstance(said, ValueField)
    board = Board.from_moves("h8 a1 j8 c1 k8 e1", RULES)
    field = ConvolutionEvaluator(RULES, fitted_weights()).field(board)
    assert said.field_values == tuple(field.tolist())
    assert move == board.to_text(int(field.argmax())) == "i8"
    assert choice.policy.argmax() == choice.move


def test_convolution_takes_weights_one_by_one():
    board = Board.from_moves("h8 a1 i8 c1", RULES)
    own = {"five": 1.0, "four": 1.0, "three": 0.0, "two": 0.0, "beta": 0.0}
    choice = create_player("convolution", RULES, own).choose(
        board, Limit(), np.random.default_rng(0)
    )
    assert set(choice.explanation.field_values) == {0.0}
    assert not choice.policy[board.moves].any()
    assert choice.policy.max() == pytest.approx(1 / 221)
    first = choose("convolution", "", {"method": "text-book"}, Rules(6))[1]
    assert first.explanation == choose("convolution", "", {}, Rules(6))[1].explanation


def test_convolution_begins_where_its_constraint_is_highest():
    assert choose("convolution", "")[0] in {"h8", "i8", "h7", "i7"}

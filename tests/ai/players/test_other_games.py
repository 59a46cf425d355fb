"""Every player that says it plays other games does, and the others say that they do not."""

from __future__ import annotations

import numpy as np
import pytest

from ai import PLAYERS, WHITE, Board, Limit, OptionError, Rules, create_player
from ai.players.cnn_ann import CnnAnnPlayer
from ai.players.frozen import FrozenPlayer
from ai.registry.players import get_player_info, resolve_settings

CONNECT_FOUR = Rules(7, 4, height=6, gravity=True)
GAMES = {
    "tic-tac-toe": Rules(3, 3),
    "connect-four": CONNECT_FOUR,
    "gomoku": Rules(7, 5, full_board_winner=WHITE),
    "rectangle": Rules(5, 4, height=4),
}
OTHERS = [name for name, info in PLAYERS.items() if info.plays_other_games and name != "human"]
SQUARE = [name for name, info in PLAYERS.items() if not info.plays_other_games]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", OTHERS)
def test_plays_legal_games_to_the_end(name, game):
    rules, rng = GAMES[game], np.random.default_rng(2)
    settings = {"nodes": 60} if name == "alpha-beta" else {}
    player, board = create_player(name, rules, settings), Board(rules)
    while board.outcome() is None:
        choice = player.choose(board, Limit(), rng)
        if choice.policy is not None:
            assert choice.policy.shape == (rules.points,)
        board.play(choice.move)


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("rules", [CONNECT_FOUR, Rules(7, 5, height=6), Rules(7, 5, gravity=True)])
def test_a_player_of_squares_refuses_in_words(name, rules):
    with pytest.raises(OptionError, match=f"{name}: expected a square board without gravity"):
        create_player(name, rules)


def test_both_sides_of_the_board_are_looked_at():
    with pytest.raises(OptionError, match="from 3 to 8, found 9"):
        create_player("oracle", Rules(8, 4, height=9))


@pytest.mark.parametrize(
    ("moves", "reason", "expected"),
    [
        ("c1 c2 d1 d2 e1 e2", "win", {"b1", "f1"}),
        ("c1 a1 d1 a2 e1", "stop", {"b1", "f1"}),
        ("c1 c2 d1 d2 e1", "stop", {"b1", "f1"}),
        ("d1 d2", "any", {"a1", "b1", "c1", "d3", "e1", "f1", "g1"}),
    ],
)
def test_one_ply_wins_else_stops_else_plays_anywhere(moves, reason, expected):
    player, board = create_player("one-ply", CONNECT_FOUR), Board.from_moves(moves, CONNECT_FOUR)
    choices = [player.choose(board, Limit(), np.random.default_rng(seed)) for seed in range(40)]
    assert {board.to_text(choice.move) for choice in choices} == expected
    assert {choice.explanation["reason"] for choice in choices} == {reason}


def test_one_ply_without_attention_is_random():
    player = create_player("one-ply", CONNECT_FOUR, {"attention": 0.0})
    board = Board.from_moves("c1 c2 d1 d2 e1 e2", CONNECT_FOUR)
    moves = {player.choose(board, Limit(), np.random.default_rng(seed)).move for seed in range(60)}
    assert moves == set(board.legal_moves)


def test_the_rank_counts_points_in_the_air_and_the_frozen_twin_agrees(tmp_path):
    settings = resolve_settings(get_player_info("cnn-ann-plus"), {})
    player = CnnAnnPlayer("cnn-ann-plus", CONNECT_FOUR, settings)
    board = Board.from_moves("d1 d2 e1", CONNECT_FOUR)
    choice = player.choose(board, Limit(), np.random.default_rng(0))
    better = np.flatnonzero(choice.policy > choice.policy[choice.move])
    assert choice.explanation["rank"] == len(better) + 1
    assert not any(int(point) in board.legal_moves for point in better)
    frozen = FrozenPlayer(CONNECT_FOUR, settings, player._evaluator.weights)
    frozen.save(tmp_path / "four.npz")
    again = FrozenPlayer.load(tmp_path / "four.npz")
    assert again.rules == CONNECT_FOUR
    assert again.choose(np.array(board.stones, np.int8), board.to_move) == choice.move

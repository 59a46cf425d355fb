"""Captions: sentences that an audience reads."""

from __future__ import annotations

import pytest

from ai import BLACK, WHITE, Explanation, find_player_info
from scripts.gomoku.explain.captions import CaptionInput, caption, score_of, sentence_of

PAIR = {
    "game": 12,
    "black": find_player_info("genetic"),
    "white": find_player_info("cnn-ann-plus"),
}


@pytest.mark.parametrize(
    ("explanation", "text"),
    [
        ({}, ""),
        ({"opening": True}, "the first stone is a random point near the centre"),
        ({"population": [[1]] * 10, "generations": 7}, "the fittest of 10 plans after 7 generations"),
        ({"population": [[1]] * 10}, "the fittest of 10 plans"),
        ({"rank": 1, "probabilities": [0.1, 0.6, 0.3]}, "the network's first choice (60 %)"),
        ({"rank": 3, "probabilities": [0.1, 0.6, 0.3]}, "the network's third choice (10 %)"),
        ({"rank": 9, "probabilities": []}, "the network's 9th choice"),
        ({"rank": 9, "masked": 8}, "the network's first choice"),
        ({"rank": 1, "memory": {"distance": 0.0}},
         "the network's first choice; it remembers this very position"),
        ({"rank": 1, "memory": {"distance": 1.0}},
         "the network's first choice; it remembers a position much like this"),
        ({"rank": 1, "memory": {"distance": 9.0}}, "the network's first choice"),
        ({"visits": [[3, 900], [4, 100]]}, "the point it tried most in 1 000 random games"),
        ({"best": [3, 4]}, "the point with the strongest pattern"),
    ],
)  # fmt: skip
def test_the_reason_of_a_move(explanation, text):
    assert Explanation.from_plain(explanation).caption() == text


def test_a_guided_search_plays_no_random_games():
    said = Explanation.from_plain({"visits": [[3, 900], [4, 100]]})
    assert said.caption("guided search") == "the point it tried most in 1 000 games"


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ({}, "A new game begins."),
        ({"mover": BLACK, "point": "d4"}, "Black plays d4."),
        ({"mover": WHITE, "point": "c3", "explanation": Explanation.from_plain({"rank": 1})},
         "White plays c3: the network's first choice."),
        ({"mover": WHITE, "winner": WHITE, "how": "five in a row"}, "White wins: five in a row."),
        ({"winner": BLACK, "is_training": True},
         "Black wins; White looks back at the game and learns."),
        ({"winner": 0}, "Draw."),
    ],
)  # fmt: skip
def test_the_sentence_of_a_moment(moment, text):
    assert sentence_of(CaptionInput(**PAIR, **moment)) == text


def test_the_score_counts_the_last_fifty_games():
    assert score_of(()) == "The first game"
    assert score_of((BLACK,)) == "White lost the last game"
    assert score_of((0,)) == "White drew the last game"
    assert score_of((WHITE, WHITE, BLACK, 0)) == "White won 2 of the last 4 games (50 %)"
    assert score_of((BLACK,) * 70 + (WHITE,) * 50) == "White won 50 of the last 50 games (100 %)"


def test_the_heading_names_players_for_an_audience():
    heading = caption(CaptionInput(**PAIR)).heading
    assert heading == "Game 12  ·  Black: genetic algorithm  ·  White: self-teaching network"
    assert (
        "your-own"
        in caption(CaptionInput(1, find_player_info("your-own"), find_player_info(""))).heading
    )


def test_the_memory_alone_is_no_network_to_an_audience():
    plain = {"rank": 1, "probabilities": [0.7, 0.3], "memory": {"nodes": 3, "distance": 9.0}}
    said = Explanation.from_plain(plain)
    pair = {**PAIR, "white": find_player_info("ann")}
    moment = CaptionInput(**pair, mover=WHITE, point="d4", explanation=said)
    assert sentence_of(moment) == "White plays d4: the memory's first choice (70 %)."
    assert caption(moment).heading.endswith("White: memory alone (ANN)")
    said = Explanation.from_plain({"rank": 1, "memory": {"nodes": 0}})
    empty = CaptionInput(**pair, mover=WHITE, point="a7", explanation=said)
    assert sentence_of(empty) == "White plays a7: its memory is still empty."

"""What the status bar says of a match that is played fast and unseen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scripts.gomoku.game.match_screen import RECENT, Pace, learning_text


def test_the_pace_is_measured_over_the_last_games_alone():
    pace = Pace()
    assert pace.text(1) == "Fast, unseen: game 1 · measuring the pace · F to watch"
    pace.begin_game(0.0)
    assert pace.seconds is None
    for number in range(100):
        pace.begin_game(1000.0 + 0.5 * number)
    assert pace.seconds == 0.5
    assert pace.text(101) == "Fast, unseen: game 101 · 120 games a minute · F to watch"
    assert RECENT < 100


def test_the_text_is_due_twice_a_second_and_at_each_game():
    pace = Pace()
    assert [pace.is_due(now) for now in (0.0, 0.2, 0.49, 0.5, 0.9)] == [1, 0, 0, 1, 0]
    pace.begin_game(0.91)
    assert pace.is_due(0.91)


@pytest.mark.parametrize(
    ("learner", "winners", "said"),
    [
        (None, [1], ""),
        ({"link": None}, [1], ""),
        ({"is_training_on": False}, [1], "learning is off"),
        ({"is_training": True}, [1], "White retrains"),
        ({"is_training": True, "training_left": 7.6}, [1], "White retrains: 8 s left"),
        ({}, [], "retrains after White's next loss"),
        ({}, [-1, -1], "retrains after White's next loss"),
        ({}, [1, -1, -1, -1], "retrains after White's next loss, in about 8 s"),
    ],
)
def test_a_fast_match_says_when_is_retrained(learner, winners, said):
    pace = Pace()
    for now in (10.0, 12.0, 14.0):
        pace.begin_game(now)
    usual = {"link": 1, "is_training_on": True, "is_training": False, "training_left": None}
    seat = SimpleNamespace(color=-1)
    found = None if learner is None else SimpleNamespace(seat=seat, **{**usual, **learner})
    assert learning_text(pace, found, winners, "White") == said
    assert pace.text(3, said).split(" · ")[1] == "30 games a minute"

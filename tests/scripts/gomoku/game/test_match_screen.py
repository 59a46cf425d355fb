"""What the status line says of a match."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ai import GameSession, PlayerInfo, Rules
from scripts.gomoku.game.match_screen import MatchStatus

RULES = Rules(3, 3)
BOARD = SimpleNamespace(sides={1: "Black", -1: "White"}, place_word="point")


@pytest.fixture
def screen():
    told = []
    made = MatchStatus(lambda: BOARD, lambda text, *, busy=False: told.append((text, busy)))
    made.told = told
    return made


@pytest.mark.parametrize(
    ("is_human", "said"),
    [
        (False, "Game 3 · White: self-teaching network thinks"),
        (True, "Game 3 · White: your turn: click a point"),
    ],
)
def test_it_names_a_player_as_the_scoreboard_does(screen, is_human, said):
    info = PlayerInfo("cnn-ann-plus", "", "", title="self-teaching network")
    seat = SimpleNamespace(is_human=is_human, info=info, label="cnn-ann-plus")
    screen.show_turn(GameSession(RULES, 3, moves=(4,)), seat)
    assert screen.told == [(said, not is_human)]


def test_how_a_game_ended_is_told_also_of_one_that_was_played_unseen(screen):
    session = GameSession(RULES, 8, moves=(0, 3, 1, 4, 2))
    screen.show_end(session.record())
    screen.show_state(SimpleNamespace(session=session))
    screen.show_state(SimpleNamespace(session=None))
    assert screen.told == [("Game 8: Black wins, three in a row", False)] * 2

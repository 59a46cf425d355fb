"""What the status line says of a match."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ai import PlayerInfo
from scripts.gomoku.game.match_screen import MatchScreen


@pytest.mark.parametrize(
    ("is_human", "said"),
    [
        (False, "Game 3 · White: self-teaching network thinks"),
        (True, "Game 3 · White: your turn: click a point"),
    ],
)
def test_it_names_a_player_as_the_scoreboard_does(is_human, said):
    board = SimpleNamespace(sides={-1: "White"}, place_word="point")
    screen = MatchScreen.__new__(MatchScreen)
    screen._match = SimpleNamespace(is_shown=True, game=3, board=board)
    told = []
    screen.tell = lambda text, *, busy=False: told.append((text, busy))
    info = PlayerInfo("cnn-ann-plus", "", "", title="self-teaching network")
    screen.tell_turn(-1, SimpleNamespace(is_human=is_human, info=info, label="cnn-ann-plus"))
    assert told == [(said, not is_human)]

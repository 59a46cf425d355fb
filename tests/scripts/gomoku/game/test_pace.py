"""The words of fast-forward games."""

from __future__ import annotations

from scripts.gomoku.game.match_screen import Pace


def test_the_pace_is_that_of_the_latest_games():
    pace = Pace()
    assert "minute" not in pace.text(1, 100.0)
    assert " · 30 games a minute · " in pace.text(2, 102.0)
    for game in range(3, 40):
        said = pace.text(game, 102.0 + (game - 2) * 0.5)
    assert "game 39 · 120 games a minute · F to watch" in said

"""What a match says of itself, without an app."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scripts.gomoku.game.match import Match


@pytest.mark.parametrize(
    ("session", "expected"),
    [(None, False), (SimpleNamespace(is_over=False), True), (SimpleNamespace(is_over=True), False)],
)
def test_a_game_is_in_progress_from_its_first_to_its_last_move(session, expected):
    assert Match.is_playing.fget(SimpleNamespace(session=session)) is expected

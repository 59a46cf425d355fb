"""What a board of the hall says of its games: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

from scripts.hall.board import LOST, RECENT, WON, HallBoard


def test_whites_share_is_of_the_last_games_alone():
    share = HallBoard.share.fget
    assert share(SimpleNamespace(results=[])) is None
    assert share(SimpleNamespace(results=[WON])) == 1.0
    assert share(SimpleNamespace(results=[LOST] * 9 + [WON] * RECENT)) == 1.0
    results = [LOST] * 9 + [WON] + [LOST] * (RECENT - 1)
    assert share(SimpleNamespace(results=results)) == 1 / RECENT

"""What a board of the hall says of its games: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ai import Rules
from scripts.hall.board import LOST, RECENT, WON, HallBoard


def test_whites_share_is_of_the_last_games_alone():
    share = HallBoard.share.fget
    assert share(SimpleNamespace(results=[])) is None
    assert share(SimpleNamespace(results=[WON])) == 1.0
    assert share(SimpleNamespace(results=[LOST] * 9 + [WON] * RECENT)) == 1.0
    results = [LOST] * 9 + [WON] + [LOST] * (RECENT - 1)
    assert share(SimpleNamespace(results=results)) == 1 / RECENT


def test_a_game_is_played_back_stone_by_stone_and_its_end_is_seen_for_a_while():
    class EndError(Exception):
        """No other game is finished."""

    waits, shown = [], []

    async def seconds(count):
        waits.append(count)

    async def until(test):
        if not test():
            raise EndError

    record = SimpleNamespace(moves=(0, 4, 1, 5, 2), rules=Rules(4, 3))
    board = SimpleNamespace(
        rng=SimpleNamespace(uniform=lambda low, high: high), seconds=seconds, until=until,
        record=record, shown_record=None, _show=shown.append,
    )  # fmt: skip
    with pytest.raises(EndError):
        HallBoard._play_back(board).send(None)
    assert waits == [0.8, *[0.55] * 5, 2.5]
    assert [(len(state.moves), state.line) for state in shown] == [
        (1, ()), (2, ()), (3, ()), (4, ()), (5, ()), (5, (0, 1, 2)),
    ]  # fmt: skip

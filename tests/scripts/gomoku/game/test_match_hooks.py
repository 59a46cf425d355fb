"""What the match asks of its game and its coach: with fakes, without an app."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from scripts.gomoku.game.match import Match


def test_nothing_is_taken_back_or_resigned_where_no_game_is_in_progress():
    match = SimpleNamespace(session=None, _recall=lambda: True)
    assert not Match.take_back(match)
    assert not Match.resign(match, 1)
    match.session = SimpleNamespace(request_undo=lambda: True, resign=lambda color: color == 1)
    assert Match.take_back(match)
    assert Match.resign(match, 1)
    assert not Match.resign(match, -1)


@pytest.mark.parametrize(
    ("waits", "asked"), [(False, ["learn", "swap"]), (True, ["learn", "wait"])]
)
def test_after_a_game_weights_that_are_ready_are_taken_or_waited_for(waits, asked):
    done = []

    async def step(name):
        if name:
            done.append(name)

    match = SimpleNamespace(
        unheld=lambda: step(""), screen=SimpleNamespace(show_end=lambda record: None),
        coach=SimpleNamespace(
            learn=lambda record: done.append("learn"), swap=lambda: step("swap"),
            finish_training=lambda: step("wait"),
        ),
        shows_losses=False, is_shown=False, wait_for_training=waits,
        _write=lambda record: done.append("write"),
    )  # fmt: skip
    asyncio.run(Match._learn(match, SimpleNamespace(winner=-1)))
    assert done == [*asked, "write"]

"""What the match asks of its game and its trainer: with fakes, without an app."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from ai import GameSession, MoveChoice, Rules
from scripts.gomoku.game.game_loop import play_game
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.table import LiveTable
from scripts.gomoku.seats.learner_client import LearnerClient
from scripts.gomoku.seats.seat import Seat


def test_nothing_is_taken_back_or_resigned_where_no_game_is_in_progress():
    recalled = []
    seats = [SimpleNamespace(recall=lambda name=name: recalled.append(name)) for name in "bw"]
    table = LiveTable(lambda: tuple(seats), dict, print)
    assert not table.take_back()
    assert not table.resign(1)
    table.session = SimpleNamespace(request_undo=lambda: True, resign=lambda color: color == 1)
    assert not table.resign(-1)
    assert recalled == []
    assert table.take_back()
    assert table.resign(1)
    assert recalled == ["b", "w"] * 2, "who is asked for a click is asked no more"


@pytest.mark.parametrize(
    ("waits", "asked"), [(False, ["learn", "swap"]), (True, ["learn", "wait"])]
)
def test_after_a_game_weights_that_are_ready_are_taken_or_waited_for(waits, asked):
    done = []

    async def step(name):
        if name:
            done.append(name)

    match = SimpleNamespace(
        wait_while_paused=lambda: step(""),
        trainer=SimpleNamespace(
            learn=lambda record: done.append("learn"), swap=lambda: step("swap"),
            finish_training=lambda: step("wait"),
        ),
        shows_losses=False, is_shown=False, wait_for_training=waits,
        _write=lambda record: done.append("write"),
    )  # fmt: skip
    asyncio.run(Match._learn(match, SimpleNamespace(winner=-1)))
    assert done == [*asked, "write"]


def test_a_method_of_before_goes_on_working_with_one_line():
    said = []
    match = Match.__new__(Match)
    console = SimpleNamespace(renamed=lambda *names: said.append(names))
    host = SimpleNamespace(console=console)
    vars(match).update(slot=SimpleNamespace(host=host), live=SimpleNamespace(is_paused=True))
    assert match.is_held
    assert said == [("Match.is_held", "is_paused")]
    assert match.hold == match.pause
    assert said[1:] == [("Match.hold", "pause")]
    learner = LearnerClient.__new__(LearnerClient)
    seat = Seat.__new__(Seat)
    learner.slot = seat.slot = match.slot
    assert learner.take_up == learner.restore
    assert seat.await_game == seat.prepare_game


def test_a_seat_that_overrides_a_method_by_its_former_name_is_asked():
    asked = []

    class Noting(Seat):
        def prepare_game(self, game):
            asked.append(game)

    class Counting(Noting):
        def await_game(self, game):
            super().await_game(game + 1)
            asked.append(game)

    Counting.__new__(Counting).prepare_game(4)
    assert asked == [5, 4]


def test_after_a_stone_that_was_drawn_by_lot_there_is_no_pause():
    session, pauses = GameSession(Rules(7), 1, seed=1), []

    async def nothing(*_):
        return False

    async def play(state, pause):
        pauses.append(pause)
        if len(pauses) == 3:
            raise EOFError

    async def choose(**words):
        return MoveChoice(min(words["legal"]))

    async def answer_of(session, answer):
        return await answer

    def ignore(*_):
        return None

    seat = SimpleNamespace(is_human=False, choose=choose)
    host = SimpleNamespace(
        wait_while_paused=nothing, random_opening=True, is_shown=True, is_waiting=False,
        pause_after_stone=0.35, note_turn=ignore, note_ply=ignore, note_ranks=ignore,
        board=SimpleNamespace(play=play), answer_of=answer_of,
        live=SimpleNamespace(seat_at=lambda color: seat),
        status_line=SimpleNamespace(show_turn=ignore, show_ply=ignore),
    )  # fmt: skip
    with pytest.raises(EOFError):
        asyncio.run(play_game(host, session))
    assert pauses == [0.0, 0.35, 0.35]

"""A person at the board: sits down, takes back, asks, swaps, resigns, loses and teaches."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager

import pytest

from sim import WorkerError
from sim.testing import Pilot

FIVE_WIDE = [range(start, start + 5) for row in range(7) for start in (row * 7, row * 7 + 1)]


@contextmanager
def seated(color="black", **options):
    """Open the live scene with a person at one seat and wait for the person's turn."""
    options = {f"player_{color}": "human", "graphics": False, "seed": 1} | options
    with Pilot(**options) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: getattr(match, color)._legal)
        yield pilot, match, pilot.component("HumanControls")
        assert pilot.app.host.error_count == 0


def place(pilot, match, move):
    """Click a point and wait until it is the person's turn again or the game is over."""
    seat = match.black if match.current.to_move == 1 else match.white
    game, ply = match.game, match.current.ply
    pilot.component("BoardView").clicked.emit(move)
    pilot.wait_until(lambda: match.game > game or match.current.ply > ply)
    pilot.wait_until(lambda: seat._legal)


def play_line(pilot, match):
    """Play Black for five in a row of a rank, round what White blocks; return when won."""
    game = match.game
    while match.game == game:
        stones = match.current.stones
        rows = [row for row in FIVE_WIDE if all(stones[move] != -1 for move in row)]
        best = max(rows, key=lambda row: sum(stones[move] for move in row))
        place(pilot, match, next(move for move in best if not stones[move]))


def details_of(pilot, game):
    path = pilot.component("Archive").store.path
    with sqlite3.connect(path) as reader:
        (text,) = reader.execute("SELECT details FROM games WHERE game = ?", (game,)).fetchone()
    reader.close()
    return json.loads(text)


def test_undo_goes_back_to_the_first_move_and_the_record_holds_the_final_line():
    with seated() as (pilot, match, talk):
        seen = [()]
        for move in (24, 10, 45):
            free = move if not match.current.stones[move] else match.current.stones.index(0)
            place(pilot, match, free)
            seen.append(tuple(match.current.moves))
        for expected in reversed(seen[:-1]):
            talk.undo()
            ply = len(expected)
            pilot.wait_until(lambda: match.black._legal and match.current.ply == ply)  # noqa: B023
            assert tuple(match.current.moves) == expected
            assert match.black._legal == frozenset(match.current.legal_moves)
        talk.undo()
        pilot.step(3)
        assert match.current.moves == []
        assert talk.notice == "You have no move to take back"
        assert sum(match.results.rank_counts) == 0
        place(pilot, match, seen[-1][0])
        assert tuple(match.current.moves) == seen[1], "the same answer to the same move"
        assert sum(match.results.rank_counts) == 1
        talk.resign()
        talk.resign()
        pilot.wait_until(lambda: match.played == 1)
        assert match.records[0].moves == seen[1]
        kept = details_of(pilot, 1)
        assert (kept["taken_back"], kept["people"]) == (3, ["black"])


def test_undo_while_the_other_side_thinks_takes_back_ones_own_move_alone():
    with seated() as (pilot, match, talk):
        pilot.component("BoardView").clicked.emit(24)
        while match.current.ply == 0:
            pilot.step()
        assert match.current.moves == [24], "White has not answered yet"
        talk.undo()
        pilot.wait_until(lambda: match.black._legal)
        assert match.current.moves == []


def test_bad_clicks_place_nothing_and_say_why():
    with seated() as (pilot, match, talk):
        place(pilot, match, 24)
        moves = list(match.current.moves)
        pilot.component("BoardView").clicked.emit(24)
        pilot.step(2)
        assert match.current.moves == moves
        assert pilot.app.host.status.lines["seat"].text == "d4 is occupied"
        pilot.component("BoardView").clicked.emit(min(match.black._legal))
        while match.current.ply == len(moves):
            pilot.step()
        pilot.component("BoardView").clicked.emit(min(match.current.legal_moves))
        assert talk.notice == "Wait for White's move"
        assert len(match.current.moves) == len(moves) + 1


@pytest.mark.parametrize("player", ["pattern", "opponent", "oracle"])
def test_a_hint_is_a_legal_point_that_is_marked_until_the_next_stone(player):
    with seated(player_white="genetic") as (pilot, match, talk):
        talk.hint_player = player
        board = pilot.component("BoardView")
        talk.ask_hint()
        pilot.wait_until(lambda: board.hint is not None)
        name = "genetic" if player == "opponent" else player
        assert talk.notice.startswith("Hint: ")
        assert talk.notice.endswith(f"({name} player)")
        assert match.current.moves == [], "a hint places nothing"
        place(pilot, match, 24)
        assert board.hint is None


def test_to_resign_is_asked_once_and_loses_the_game():
    with seated("white", player_black="random") as (pilot, match, talk):
        place(pilot, match, min(match.white._legal))
        coach = pilot.component("LearnerClient")
        talk.resign()
        pilot.step(3)
        assert match.played == 0, "asked first"
        talk.play_on()
        talk.resign()
        assert match.played == 0, "asked again"
        talk.resign()
        pilot.wait_until(lambda: match.played == 1)
        record = match.records[0]
        assert (record.winner, record.termination) == (1, "resigned")
        pilot.wait_until(lambda: coach.games_learnt >= 1)
        assert coach.retrains == 0, "no stone of Black decided it"
        assert pilot.component("Archive").record(match.archive.run_id, 1) == record


def test_swapping_sides_gives_the_seat_to_its_player_and_takes_the_other():
    with seated("white", player_black="random") as (pilot, match, talk):
        pilot.component("LearnerClient").is_training_on = False
        ply = match.current.ply
        talk.swap_sides()
        assert (match.black.is_human, match.white.is_human) == (True, False)
        pilot.wait_until(lambda: match.black._legal)
        assert match.current.ply == ply + 1, "White's player has moved for the person"
        talk.leave()
        pilot.wait_until(lambda: match.played >= 2)
        assert not talk.is_at_table


def test_the_panel_and_its_keys_are_there_only_while_a_person_sits():
    with Pilot(player_white="random", speed=64.0, window=(400, 300), quality="low") as pilot:
        match, talk = pilot.component("Match"), pilot.component("HumanControls")

        def offered():
            titles = {entry.title for entry in pilot.app.host.panels.panels}
            return "Your seat" in titles, {entry.key for entry in pilot.app.host.panels.commands}

        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 1)
        assert offered()[0] is False
        pilot.press("w")
        pilot.wait_until(lambda: match.white._legal)
        has_panel, keys = offered()
        assert has_panel
        assert {"u", "h"} <= keys
        place(pilot, match, min(match.white._legal))
        ply = match.current.ply
        pilot.press("u")
        pilot.wait_until(lambda: match.current.ply == ply - 2)
        pilot.wait_until(lambda: len(pilot.component("BoardView").stones) == ply - 2)
        pilot.press("h")
        pilot.wait_until(lambda: pilot.component("BoardView").hint is not None)
        pilot.press("w")
        pilot.step(2)
        assert not talk.is_at_table
        assert "u" not in offered()[1]
        assert pilot.app.host.error_count == 0


def test_white_learns_from_losing_to_a_person():
    with seated() as (pilot, match, _):
        play_line(pilot, match)
        lost = match.records[0]
        assert lost.winner == 1
        assert match.trainer.retrains == 1
        assert match.white.network_id == 1
        for ply, move in enumerate(lost.moves):
            if ply % 2 == 0:
                assert match.game == 2, "the same stones must not win again"
                place(pilot, match, move)
            elif match.current.moves[ply] != move:
                return  # another answer in the same position
        pytest.fail("White answered every move as in the game that it lost")


def test_a_person_who_left_has_left_for_the_next_games_too():
    with seated("white", player_black="random") as (pilot, match, talk):
        pilot.component("LearnerClient").is_training_on = False
        talk.leave()
        pilot.wait_until(lambda: match.played >= 2)
        assert not match.white.is_human
        assert match.white.player == "cnn-lines"


def test_a_click_is_for_one_of_those_who_wait_and_for_nobody_else():
    with seated() as (pilot, match, _talk):
        board = pilot.component("BoardView")
        answered, got, state = [], [], {"may": True, "wanted": True}
        board.answered.connect(lambda move, is_taken: answered.append((move, is_taken)))

        async def wait(name, points, **asked):
            try:
                got.append((name, await board.ask_point(frozenset(points), 1, **asked)))
            except WorkerError:
                got.append((name, None))

        board.start_coroutine(wait("below", {3, 4}, may_use=lambda: state["may"]))
        board.start_coroutine(wait("above", {5}, may_use=lambda: state["may"],
                                   is_wanted=lambda: state["wanted"]))  # fmt: skip
        pilot.step(2)
        board.clicked.emit(3)
        assert answered.pop() == (3, False), "not among the latest one's points"
        board.clicked.emit(5)
        pilot.step(2)
        assert got == [("above", 5)]
        board.start_coroutine(wait("gone", {6}, is_wanted=lambda: state["wanted"]))
        pilot.step(2)
        state["wanted"] = False
        pilot.step(2)
        assert got.pop() == ("gone", None)
        state["may"] = False
        assert match.current.moves == []
        board.clicked.emit(4)
        pilot.wait_until(lambda: match.current.moves)
        assert match.current.moves[0] == 4, "it was for the seat, who may use it"
        assert got == [("above", 5)]

"""The pure parts of the timeline and of a person's seat."""

from __future__ import annotations

import contextlib
from itertools import pairwise
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

from ai import Board, GameRecord, GameSummary, Rules
from ai.memory import MemoryNodes
from ai.messages import LoadWeights
from scripts.gomoku.explain.comparison import first_choices
from scripts.gomoku.history.replay import Replay
from scripts.gomoku.history.timeline import (
    Filter,
    GameList,
    Timeline,
    date_text,
    result_text,
    short_date_text,
)
from scripts.gomoku.seats.learner_client import NetworkCache

RULES = Rules(7, 5, full_board_winner=-1)


def summary(game, *, run_id=1, winner=1, network_id=0, termination="five", is_beside=False):
    return GameSummary(
        run_id, game, winner, 20, network_id, termination, "2026-01-02T03:04:05+00:00", is_beside
    )


def listed(games, *arguments):
    return [(game.run_id, game.game) for game in games.shown(*arguments)]


def test_a_list_is_newest_first_and_filtered():
    games = GameList()
    games.add([summary(1), summary(2, winner=-1), summary(3, winner=-1, network_id=1)])
    games.add([summary(1, run_id=2, network_id=1, winner=0)])
    assert listed(games, Filter.ALL) == [(2, 1), (1, 3), (1, 2), (1, 1)]
    assert listed(games, Filter.LOST) == [(1, 1)]
    assert listed(games, Filter.WON) == [(1, 3), (1, 2)]
    assert listed(games, Filter.RECENT, 1) == [(2, 1), (1, 3)]
    assert listed(games, Filter.RECENT, 2) == [], "trained after the last game"
    assert games.last == (2, 1)
    assert len(games) == 4


def test_a_list_is_filtered_anew_only_when_something_changed():
    games = GameList()
    games.add([summary(1)])
    first = games.shown(Filter.ALL)
    assert games.shown(Filter.ALL) is first
    games.add([])
    assert games.shown(Filter.ALL) is first
    games.add([summary(2)])
    assert listed(games, Filter.ALL) == [(1, 2), (1, 1)]


def test_the_newest_game_of_a_number_is_found():
    games = GameList()
    games.add([summary(1), summary(2), summary(1, run_id=2)])
    assert games.find(1).run_id == 2
    assert games.find(1, run_id=1).run_id == 1
    assert games.find(9) is None


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (summary(1), "Black"),
        (summary(1, winner=-1, termination="full"), "White, full"),
        (summary(1, winner=-1, termination="resigned"), "White, resigned"),
        (summary(1, winner=0, termination="full"), "draw, full"),
        (summary(1, is_beside=True), "Black, side game"),
    ],
)
def test_a_result_is_said_in_words(game, text):
    assert result_text(game) == text


def test_a_row_shows_the_time_of_today_and_the_day_of_earlier_games():
    moment = "2026-01-02T12:30:00+00:00"
    day = short_date_text(moment, "")
    assert day.endswith("Jan")
    assert ":30" in short_date_text(moment, "2026-01-02")
    assert day in date_text(moment)
    games = GameList()
    games.add([summary(7, network_id=None)])
    row = games.row(games.find(7), "2026-05-05")
    assert (row.label, row.plies, row.network) == ("7##1", "20", "")
    assert games.row(games.find(7), "2026-05-05") is row
    assert games.row(games.find(7), "2026-05-06") is not row


def test_a_second_window_lists_the_runs_that_the_first_one_keeps(tmp_path):
    folder = tmp_path / "first" / "scn_a"
    folder.mkdir(parents=True)
    (folder / "runs.sqlite3").write_bytes(b"")
    replay = SimpleNamespace(
        replay="", folder="", board=SimpleNamespace(size=7, show=lambda state: None),
        run=SimpleNamespace(
            data_dir=tmp_path / "second", other_data_dir=tmp_path / "first", offering=tmp_path
        ),
        panel=lambda *words, **more: None, draw_choice=None, open_file=None,
        opens_files=lambda *words: None,
    )  # fmt: skip
    Replay.start(replay)
    assert [card.folder for card in replay.runs] == [folder]
    replay.run.other_data_dir = None
    Replay.start(replay)
    assert replay.runs == []


@pytest.mark.parametrize("text", ["", "yesterday"])
def test_a_moment_that_cannot_be_read_is_shown_as_it_is(text):
    assert date_text(text) == text
    assert short_date_text(text, "2026-01-01") == text[:10]


def test_a_shelf_keeps_the_first_and_the_newest_without_their_memory():
    shelf = NetworkCache(kept=8, newest=3)
    for number in range(100):
        shelf.keep(LoadWeights(number, {"dense.kernel": number}, memory="nodes"))
    shelf.keep(LoadWeights(99, {"dense.kernel": "changed"}))
    kept = [network.network_id for network in shelf.networks()]
    assert len(kept) == 8
    assert kept[0] == 0
    assert kept[-3:] == [97, 98, 99]
    assert max(b - a for a, b in pairwise(kept)) < 50, "spread over the run"
    assert shelf.networks()[-1].message == LoadWeights(99, {"dense.kernel": 99})
    assert shelf.networks()[-1].label == "99, this run"


def test_of_large_networks_a_shelf_keeps_as_many_as_have_room_and_six_at_least():
    shelf = NetworkCache(most_bytes=10_000)
    for number in range(100):
        shelf.keep(LoadWeights(number, {"dense.kernel": np.zeros(250, np.float32)}))
    kept = [network.network_id for network in shelf.networks()]
    assert len(kept) == 10
    assert (kept[0], kept[-5:]) == (0, [95, 96, 97, 98, 99])
    larger = NetworkCache(most_bytes=10_000)
    for number in range(100):
        nodes = MemoryNodes(np.zeros((100, 25), np.float32))
        larger.keep(LoadWeights(number, {}, memory=nodes))
    assert [network.network_id for network in larger.networks()][-3:] == [97, 98, 99]
    assert len(larger.networks()) == 6


def test_a_shelf_keeps_a_memory_that_plays_by_itself():
    shelf = NetworkCache()
    shelf.keep(LoadWeights(4, {}, memory="nodes"))
    assert shelf.networks()[0].message == LoadWeights(4, {}, memory="nodes")


def test_the_first_choices_are_empty_points_in_order():
    policy = [0.1, 0.4, 0.2, 0.2, 0.1]
    assert first_choices(policy, [0, 1, 0, 0, 0], 3) == [(2, 0.2), (3, 0.2), (0, 0.1)]
    assert first_choices(None, [0] * 5) == []


@pytest.mark.parametrize(
    ("file", "count", "heading"),
    [(None, 8, "Game 3 of 8  ·  "), ("file", 8, "Game 3 of 8  ·  "), ("file", 1, "")],
)
def test_a_replay_says_which_of_how_many_games_it_shows(file, count, heading):
    headings = []
    board = Board.from_moves("a1 a7 b1 b7 c1 c7 d1 d7 e1", RULES)
    replay = SimpleNamespace(
        shown=GameRecord.from_board(board, 3), games=[SimpleNamespace(game=number + 1) for number in range(count)],
        viewer=None, fault="", changes={}, best={}, review=None,
        file=file and SimpleNamespace(players_of=str, words_at=lambda game, ply, **more: []),
    )  # fmt: skip
    ui = SimpleNamespace(
        heading=headings.append, text=lambda *words: None, imgui=MagicMock(), room=1
    )
    with contextlib.suppress(AttributeError):  # what stands below the heading needs an app
        Replay.draw(replay, ui)
    (shown,) = headings
    assert shown.startswith(heading)
    assert ("Game" in shown) == bool(heading)


def test_new_games_are_read_from_the_database_when_somebody_looks_and_once():
    asked = []

    def summaries(after):
        asked.append(after)
        return [summary(after[1] + 1)]

    archive = SimpleNamespace(store=object(), summaries=summaries)
    timeline = SimpleNamespace(archive=archive, _games=GameList(), _has_new=True)
    for _ in range(3):
        Timeline.add_game(timeline, None)
    assert asked == []
    assert len(Timeline.games.fget(timeline)) == len(Timeline.games.fget(timeline)) == 1
    Timeline.add_game(timeline, None)
    assert len(Timeline.games.fget(timeline)) == 2
    assert asked == [(0, 0), (1, 1)]

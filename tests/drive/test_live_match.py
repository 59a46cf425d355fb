"""Drives the shipped match headless, as a person would. No sleeps: workers are awaited."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import cv2
import pytest

from sim.app.app import run
from sim.testing import Pilot, run_options
from tests.drive.own_scene import quick_scene, scene_with

STATS_KEYS = {
    "scene", "seed", "quality", "games", "results", "winners", "moves", "plies", "retrains",
    "retrain_seconds", "held", "ann_nodes", "rank_counts", "frames", "frame_ms", "frame_ms_training",
    "script_errors", "missing_packages", "worker_restarts", "startup_seconds",
}  # fmt: skip


def play(path: Path, **options) -> dict:
    options.setdefault("headless", True)
    assert run(run_options(seed=1, stats=path, **options)) == 0
    return json.loads(path.read_text())


def test_learning_run_reports_everything_and_is_the_same_without_a_picture(tmp_path):
    scene = quick_scene(tmp_path)
    undrawn = play(tmp_path / "b.json", games=2, scene=scene, graphics=False)
    drawn = play(tmp_path / "a.json", games=2, scene=scene, quality="low")
    assert set(drawn) == set(undrawn) == STATS_KEYS
    assert drawn["moves"] == undrawn["moves"]
    assert drawn["winners"] == undrawn["winners"]
    assert "black" in drawn["winners"][:1], "the second game is played by what was learnt"
    for stats in (drawn, undrawn):
        assert sum(stats["results"].values()) == stats["games"] == len(stats["winners"]) == 2
        assert stats["plies"] == sum(map(len, stats["moves"]))
        assert stats["retrains"] == stats["results"]["black"] == len(stats["retrain_seconds"])
        assert len(stats["held"]) == stats["retrains"]
        assert all(0.0 <= held <= 1.0 for held in stats["held"])
        assert stats["script_errors"] == 0
    assert {"tensorflow", "keras"}.isdisjoint(sys.modules)


def test_opening_is_one_of_the_nine_centre_points_and_moves_are_legal(tmp_path):
    stats = play(tmp_path / "a.json", games=5, graphics=False, player_white="random")
    for moves in stats["moves"]:
        assert moves[0] in {16, 17, 18, 23, 24, 25, 30, 31, 32}
        assert len(set(moves)) == len(moves)


@pytest.mark.parametrize("size", [(1280, 720), (800, 600)])
def test_screenshot_shows_board_and_panels(tmp_path, size):
    path = tmp_path / "shot.png"
    play(tmp_path / "a.json", games=1, player_white="random", screenshot=path, window=size)
    picture = cv2.imread(str(path))
    assert picture.shape == (size[1], size[0], 3)
    middle = picture[size[1] // 3, size[0] // 3]
    assert middle.max() > 60, "the board is bright"
    assert picture[-5, 5].max() < 60, "the status bar is dark"
    assert len({tuple(pixel) for pixel in picture[::7, ::7].reshape(-1, 3)}) > 500


def test_video_has_a_frame_for_each_thirtieth_of_a_second(tmp_path):
    path = tmp_path / "film.mp4"
    options = run_options(headless=True, seed=1, seconds=1.0, video=path, player_white="random")
    assert run(options) == 0
    video = cv2.VideoCapture(str(path))
    assert 30 <= int(video.get(cv2.CAP_PROP_FRAME_COUNT)) <= 31


def test_a_person_sits_down_and_places_a_stone():
    with Pilot(speed=64.0, player_white="random", quality="low") as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 1)
        pilot.press("w")
        assert match.white.is_human
        pilot.wait_until(lambda: match.white._legal)
        move = min(match.white._legal)
        ply = match.current.ply
        pilot.click_at(board.position_of(move))
        pilot.wait_until(lambda: match.current.ply > ply)
        assert match.current.moves[ply] == move
        pilot.press("w")
        assert not match.white.is_human
        pilot.wait_until(lambda: match.current.ply > ply + 2 or match.played >= 1)


def test_fast_forward_plays_unseen_games_and_comes_back():
    with Pilot(speed=1.0, player_white="random", quality="low", window=(400, 300)) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.current is not None)
        pilot.press("f")
        assert match.is_fast
        pilot.app.clock.speed = 64.0
        pilot.wait_until(lambda: match.played >= 4)
        assert not pilot.component("Match").slot.error
        board = pilot.component("BoardView")
        for show in (lambda: pilot.press("f"), lambda: match.take_over(-1)):
            match.is_fast = True
            pilot.wait_until(lambda: not match.is_shown and match.current.ply > 1)
            pilot.app.clock.pause()
            show()
            assert match.is_shown, "at once, not from the next game on"
            assert len(board.stones) >= match.current.ply > 0
            line = pilot.app.host.status.lines["match"].text
            assert line.startswith(f"Game {match.game}"), line
            pilot.app.clock.resume()
        assert match.white.is_human
        assert match.is_fast
        assert match._is_game_shown(), "while a person plays"


def test_fast_forward_begins_amid_a_game_and_says_what_happens():
    white = {"player_white": "ann", "quality": "low", "window": (400, 300)}
    with Pilot(speed=1.0, seed=1, **white) as pilot:
        match, lines = pilot.component("Match"), pilot.app.host.status.lines
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 1)
        game, shown = match.game, len(pilot.component("BoardView").stones)
        pilot.press("f")
        assert not match.is_shown, "the game in progress is not shown to its end"
        assert match.game == game
        first = f"Fast, unseen: game {game} · measuring the pace"
        assert lines["match"].text.startswith(first), "within the frame"
        assert lines["match"].text.endswith("F to watch")
        pilot.wait_until(lambda: match.game > game + 1)
        assert len(pilot.component("BoardView").stones) <= shown + 1
        pilot.step(1)
        assert lines["match"].text.startswith(f"Fast, unseen: game {match.game} · ")
        assert " games a minute · " in lines["match"].text
        pilot.wait_until(lambda: "White" in lines["match"].text)
        pilot.press("f")
        assert match.is_shown
        match.take_over(1)
        pilot.press("f")
        assert match.is_shown, "a person sees the game"


def test_killed_player_is_replaced_and_the_match_goes_on():
    with Pilot(player_white="random", quality="low", window=(400, 300)) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.played >= 1)
        os.kill(match.black.worker.link.process_id, signal.SIGKILL)
        played = match.played
        pilot.wait_until(lambda: match.played >= played + 2)
        warnings = [item for item in pilot.app.console.records if "restarted" in item.text]
        assert len(warnings) == 1
        assert warnings[0].count == 1
        assert pilot.app.host.error_count == 0


SMALL = {"more": "steps=20000"}
"""A White whose training takes long enough to be seen, and little more."""


@pytest.mark.nightly
def test_killed_trainer_loses_nothing_that_was_learnt(tmp_path):
    with Pilot(scene=scene_with(tmp_path, SMALL), seed=1, graphics=False) as pilot:
        match, coach = pilot.component("Match"), pilot.component("LearnerClient")
        pilot.wait_until(lambda: coach.retrains >= 1)
        nodes = coach.statistics["nodes"]
        pilot.wait_until(lambda: coach.is_training)
        os.kill(coach.link.process_id, signal.SIGKILL)
        played, retrains = match.played, coach.retrains
        pilot.wait_until(lambda: coach.retrains >= retrains + 1 and match.played > played)
        assert coach.statistics["nodes"] >= nodes
        assert pilot.app.world.links.restarts == 1
        assert sum("restarted" in item.text for item in pilot.app.console.records) == 1


@pytest.mark.parametrize("white", ["ann", pytest.param(None, marks=pytest.mark.nightly)])
def test_what_was_learnt_is_taken_up_again(white, tmp_path):
    again = {"graphics": False, "data_dir": tmp_path / "data", "player_white": white}
    first = play(tmp_path / "a.json", games=3, **again)
    with Pilot(**again) as pilot:
        match, coach = pilot.component("Match"), pilot.component("LearnerClient")
        pilot.wait_until(lambda: match.game >= 4)
        (said,) = [item.text for item in pilot.app.console.records if "resumed" in item.text]
        player = white or "cnn-lines"
        assert said == f"resumed at game 4: White is {player} and goes on with what it learnt"
        assert coach.statistics["nodes"] >= first["ann_nodes"]
        metrics = pilot.app.world.metrics  # the charts go on where they ended
        assert len(metrics.series("retrain_seconds")[0]) >= first["retrains"] > 0
        for name in ("nodes", *(("loss",) if white is None else ())):
            games, values = metrics.series(name)
            assert len(games) >= first["retrains"]
            assert list(games[: first["retrains"]]) == sorted(set(games[: first["retrains"]]))
            assert all(values > 0)
        assert len(metrics.series("ga_best")[0]) >= 3
        by_row, won = metrics.series("white_row")[1], metrics.series("white_won")[1]
        assert len(by_row) >= 3
        assert all(by_row <= won[: len(by_row)]), "a game won by a row is won"
        assert sum(match.results.all_ranks) >= sum(first["rank_counts"]) > 0
    shutil.rmtree(next((tmp_path / "data").glob("*/learner")))  # a learner that knows nothing yet
    with Pilot(**again) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.game >= 4)
        assert len(pilot.app.world.metrics.series("white_won")[0]) >= 3
        coach = pilot.component(
            "LearnerClient"
        )  # past games are learnt beside the first ones to come
        pilot.wait_until(lambda: coach.games_learnt >= 3)
    fresh = play(tmp_path / "b.json", games=1, fresh=True, **again)
    assert fresh["moves"][0] == first["moves"][0]


def test_keys_pause_step_and_help():
    with Pilot(speed=1.0, player_white="random", quality="low") as pilot:
        pilot.step(2)
        pilot.press("space")
        assert pilot.app.clock.paused
        frozen = pilot.app.clock.time
        pilot.step(5)
        assert pilot.app.clock.time == frozen
        pilot.press(".")
        assert pilot.app.clock.time > frozen
        pilot.press("f1")
        assert pilot.app.shell.is_open("Keys")
        pilot.press("escape")
        assert not pilot.app.shell.is_open("Keys")


def test_fast_forward_stops_to_show_a_game_that_white_lost():
    options = {"player_white": "ann", "quality": "low", "window": (400, 300)}
    with Pilot(seed=1, speed=64.0, **options) as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        pilot.wait_until(lambda: match.current is not None)
        pilot.press("f")
        pilot.press("l")
        assert match.shows_losses
        pilot.wait_until(lambda: "lost off screen" in pilot.app.host.status.lines["match"].text)
        lost = match.records[-1]
        assert lost.winner == 1
        pilot.wait_until(lambda: len(board.stones) == len(lost.moves))
        pilot.press("l")
        assert not match.shows_losses
        assert pilot.app.host.error_count == 0


def test_the_first_stone_flies_while_the_players_still_start():
    with Pilot(speed=1.0, seed=1, graphics=False) as pilot:
        match = pilot.component("Match")
        assert match.current.ply == 1
        assert match.white.seated is None
        assert match.trainer.link is None
        pilot.wait_until(lambda: match.current.ply >= 4)
        assert match.white.seated is not None
        moves = match.current.moves[:4]
    with Pilot(seed=1, graphics=False) as pilot:
        match = pilot.component("Match")
        assert match.current is None, "nobody watches a run that is faster than life"
        pilot.wait_until(lambda: match.records or (match.current and match.current.ply >= 4))
        played = match.records[0].moves if match.records else match.current.moves
        assert list(played[:4]) == list(moves), "the same game"


def test_a_person_who_sits_down_at_once_does_not_wait_for_the_players():
    with Pilot(speed=1.0, seed=1, graphics=False, player_black="random") as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        pilot.press("w")
        pilot.wait_until(lambda: match.white._legal)
        board.clicked.emit(min(match.white._legal))
        pilot.wait_until(lambda: match.current.ply >= 3)
        assert match.black.seated is not None
        assert pilot.app.host.error_count == 0


def test_a_run_that_goes_on_reads_what_is_stored_before_its_first_stone(tmp_path):
    scene = quick_scene(tmp_path)
    options = {"scene": scene, "data_dir": tmp_path / "data", "graphics": False, "trust": True}
    with Pilot(seed=1, **options) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.played >= 1)
    with Pilot(speed=1.0, seed=1, **options) as pilot:
        match = pilot.component("Match")
        assert match.current is None
        pilot.wait_until(lambda: match.current is not None)
        assert match.game > 1
        assert match.game == max(item.record.game for item in match.archive.earlier_games()) + 1

"""Games of other programs in the scene: opened, dropped, named in a dialog, exported."""

from __future__ import annotations

import pytest

from ai import read_game_file
from sim.app.navigation import path_of
from sim.commands.cli.application import run_application
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

SGF = (
    "(;GM[4]SZ[15]PB[Mei]PW[Jan]C[begin]AB[hh]AW[gi];B[ke];W[ii]C[a reply](;B[hj];W[hi];B[ji])"
    "(;B[gj]N[quieter];W[ff])(;B[zz]))(;GM[4]SZ[20];B[aa];W[tt])"
)
TEXT = "1. h8 g7 2. e11 white 3. - i7 4. h6 0-1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games of others")
    (folder / "two.sgf").write_text(SGF)
    (folder / "swap2.txt").write_text(TEXT)
    (folder / "twice.txt").write_text("1. h8 g7\n2. h8 0-1")
    return folder


@pytest.fixture(scope="module")
def pilot(folder):
    with Pilot(scene="scenes/replay.scene.json", graphics=False, replay=str(folder / "two.sgf"),
               out=folder / "run", speed=1.0) as driven:  # fmt: skip
        driven.app.clock.frame_step = 1 / 30
        yield driven


def drop(pilot, path):
    pilot.app.inject(InputEvent("drop", text=str(path)))
    pilot.step(2)


def records(pilot, level):
    return [str(item) for item in pilot.app.console.records if item.level == level]


def test_a_game_is_played_gone_through_and_reviewed(pilot):
    replay, viewer = pilot.component("Replay"), pilot.component("GameViewer")
    pilot.wait_until(lambda: viewer.ply >= 2)
    assert (replay.board.size, len(replay.shown.moves)) == (15, 7)
    pilot.press("arrow_left")
    assert not viewer.is_playing, "who steps by hand is not carried on"
    viewer.first()
    for key, ply in (("arrow_right", 1), ("end", 7), ("arrow_left", 6)):
        pilot.press(key)
        assert (viewer.ply, len(replay.board.stones)) == (ply, ply)
    assert replay.file.players_of(1) == "Black: Mei  ·  White: Jan"
    assert replay.file.words_at(1, 0) == ["begin"]
    assert replay.file.words_at(1, 4) == ["a reply"]
    assert [line.name for line in replay.lines()] == ["quieter"], "what cannot be played is left"
    replay.show_variation(0)
    assert (viewer.ply, viewer.title, len(viewer.record.moves)) == (4, "quieter", 6)
    replay.show_main()
    assert viewer.record == replay.shown
    assert "live_game" not in {entry.name for entry in pilot.app.host.panels.commands}


def test_the_next_game_has_its_own_board_and_the_camera_and_the_bowls_follow(pilot):
    replay, camera = pilot.component("Replay"), pilot.app.scene.camera
    bowl = pilot.app.scene.find("White bowl")
    before = camera.coming_view.distance, bowl.transform.position[0]
    pilot.press("n")
    assert (replay.board.size, replay.shown.game) == (20, 2)
    assert camera.coming_view.distance == pytest.approx(before[0] * 20.9 / 15.9, rel=0.1)
    assert bowl.transform.position[0] == pytest.approx(before[1] * 13.1 / 10.225)
    pilot.press("p")
    assert camera.coming_view.distance == pytest.approx(before[0])


FOUL = "(;GM[4]SZ[15]RU[RIF];B[hh];W[ao];B[ih];W[an];B[jh];W[am];B[lh];W[al];B[mh];W[aj];B[kh])"
PROBLEM = "(;GM[4]SZ[15]RU[renju]AB[hh][ih][jh][gg]AW[gh];B[kh]C[four];W[lh])"


def test_a_foul_and_a_problem_are_shown_to_their_end_and_told_in_words(pilot, folder):
    replay, viewer = pilot.component("Replay"), pilot.component("GameViewer")
    (folder / "foul.sgf").write_text(FOUL)
    (folder / "problem.sgf").write_text(PROBLEM)
    drop(pilot, folder / "foul.sgf")
    assert any("RU[RIF] is read as renju" in text for text in records(pilot, "info"))
    pilot.wait_until(lambda: viewer.ply == 11)
    told = "foul.sgf: Black's foul (overline), White wins, 11 stones"
    lines = pilot.app.host.status.lines
    pilot.wait_until(lambda: any(told in line.text for line in lines.values()))
    drop(pilot, folder / "problem.sgf")
    guessed = "black moves after 4 black and 1 white stones"
    assert any(guessed in text for text in records(pilot, "info"))
    total = len(replay.shown.moves)
    pilot.wait_until(lambda: viewer.ply == total)
    assert len(replay.board.stones) == 7 < total
    viewer.first()
    for ply in range(1, total + 1):
        pilot.press("arrow_right")
        assert viewer.ply == ply
    pilot.press("arrow_left")
    assert replay.file.words_at(1, total - 1) == ["four"]
    assert pilot.app.host.error_count == 0


def test_a_file_that_is_dropped_is_opened_and_a_wrong_one_is_one_line(pilot, folder):
    replay = pilot.component("Replay")
    drop(pilot, folder / "swap2.txt")
    assert replay.file.words_at(1, 3) == ["Player 2 takes White"]
    assert len(replay.shown.moves) == 5
    drop(pilot, folder / "twice.txt")
    assert len(replay.shown.moves) == 5, "what was shown stays"
    (line,) = records(pilot, "error")
    assert "twice.txt:2:4: expected an empty point, found h8, where move 1 lies" in line
    drop(pilot, folder / "picture.png")
    assert (
        "expected a file that this scene opens (.sgf, .psq, .txt, .scene.json)"
        in (records(pilot, "error")[-1])
    )
    assert pilot.app.host.error_count == 0


@pytest.mark.parametrize("suffix", [".sgf", ".psq", ".txt"])
def test_the_game_that_is_shown_is_exported(pilot, folder, suffix):
    replay = pilot.component("Replay")
    drop(pilot, folder / "swap2.txt")
    path = replay.export.path_for(suffix)
    replay.by_hand("export_game", str(path))
    (game,) = read_game_file(path)
    assert game.moves == replay.shown.moves
    assert path.parent == folder / "run" / "games"
    assert replay.export.path_for(suffix) != path, "nothing is overwritten"


def test_a_person_plays_on_from_any_move_as_either_colour(pilot, folder):
    replay, side_game = pilot.component("Replay"), pilot.component("SideGame")
    viewer, board = pilot.component("GameViewer"), pilot.component("BoardView")
    drop(pilot, folder / "swap2.txt")
    viewer.jump(4)
    side_game.play_against("random")
    side_game.play_black()
    assert side_game.people == [1]
    pilot.wait_until(lambda: side_game._legal)
    board.clicked.emit(0)
    pilot.wait_until(lambda: side_game.current.ply == 6 and side_game._legal)
    side_game.undo()
    pilot.wait_until(lambda: side_game.current.ply == 4 and side_game._legal)
    board.clicked.emit(1)
    pilot.wait_until(lambda: side_game.current.ply == 6 and side_game._legal)
    played = tuple(side_game.current.moves)
    side_game.give_up()
    pilot.wait_until(lambda: not side_game.is_running)
    assert (viewer.record.winner, viewer.record.termination) == (-1, "resigned")
    assert [line.moves for line in replay.lines()] == [played]
    viewer.jump(3)
    side_game.play_white()
    assert side_game.people == [-1]
    pilot.wait_until(lambda: side_game._legal)
    replay.go(0)  # shows the game itself again
    assert not side_game.is_running
    assert viewer.record == replay.shown
    assert pilot.app.host.error_count == 0


@pytest.mark.nightly
def test_the_review_values_the_positions_of_a_file(pilot, folder):
    replay = pilot.component("Replay")
    drop(pilot, folder / "swap2.txt")
    replay.toggle_review()
    replay.review.evaluation.begin(replay.shown)
    pilot.wait_until(lambda: len(replay.review.evaluation.values) == 6)
    assert replay.review.evaluation.values[0].by == "alpha-beta"
    replay.toggle_review()
    assert replay.review is None


@pytest.mark.nightly
def test_a_file_dropped_on_a_live_match_is_shown_and_the_match_is_back_as_it_was(folder):
    with Pilot(
        seed=3, player_white="random", player_black="random", graphics=False, out=folder / "live"
    ) as pilot:
        timeline, match = pilot.component("Timeline"), pilot.component("Match")
        viewer, board = pilot.component("GameViewer"), pilot.component("BoardView")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 2)
        live, distance = tuple(match.current.moves), pilot.app.scene.camera.coming_view.distance
        drop(pilot, folder / "two.sgf")
        assert (board.size, len(viewer.record.moves)) == (15, 7)
        assert [line.name for line in timeline.lines()] == ["quieter"]
        timeline.show_variation(0)
        timeline.show_main()
        assert viewer.title == "two.sgf, 1 of 2"
        timeline.open_file(str(folder / "two.sgf"), 2)
        assert (board.size, len(viewer.record.moves)) == (20, 2)
        timeline.export_game(str(folder / "out.sgf"))
        assert len(read_game_file(folder / "out.sgf")) == 1
        timeline.open_file(str(folder / "two.sgf"), 3)
        assert "expected a game from 1 to 2, found 3" in records(pilot, "error")[-1]
        pilot.press("escape")
        assert (viewer.record, board.size) == (None, 7)
        assert pilot.app.scene.camera.coming_view.distance == pytest.approx(distance)
        assert tuple(match.current.moves)[: len(live)] == live
        assert pilot.app.host.error_count == 0


def test_a_path_may_be_quoted_or_a_uri():
    assert path_of('"/a b.sgf" ').as_posix() == "/a b.sgf"
    assert path_of("file://host/a%20b.sgf").as_posix() == "/a b.sgf"


def test_the_command_line_names_what_is_wrong_and_writes_other_formats(folder, capsys):
    two = str(folder / "two.sgf")
    assert run_application(["replay", two, "--game", "3", "--headless"]) == 2
    assert "expected a game from 1 to 2, found 3" in capsys.readouterr().err
    assert run_application(["replay", str(folder / "twice.txt"), "--headless"]) == 2
    assert "twice.txt:2:4: expected an empty point" in capsys.readouterr().err
    out = folder / "second.psq"
    assert run_application(["replay", two, "--game", "2", "--export", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: 1 game\n"
    assert read_game_file(out)[0].moves == (0, 399)
    assert run_application(["replay", two, "--export", str(out)]) == 2
    assert "expected one game for a .psq file, found 2" in capsys.readouterr().err

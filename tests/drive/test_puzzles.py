"""Puzzles are solved by mouse, and positions are set up, pasted, shared and played on from."""

from __future__ import annotations

import cv2
import pytest

from ai import BLACK, WHITE, from_text, read_position
from scripts.gomoku.game.user_file import UserFile
from scripts.gomoku.teaching.lessons import Progress
from sim.testing import Pilot

SCENE = "scenes/puzzles.scene.json"


@pytest.fixture(scope="module")
def pilot(warm_workers, tmp_path_factory):
    options = {"scene": SCENE, "window": (800, 500), "quality": "low", "speed": 64.0}
    with Pilot(data_dir=tmp_path_factory.mktemp("data"), **options) as pilot:
        pilot.step(5)
        pilot.picture()
        yield pilot
        assert pilot.app.host.error_count == 0


def click(pilot, point):
    board = pilot.component("BoardView")
    pilot.click_at(board.object.transform.to_world(board.position_of(point)))


def ghosts(pilot):
    found = [item for item in pilot.app.scene.objects.values() if item.name == "GhostLine"]
    return [item for item in found if item.is_shown and item.model]


def answer(pilot, point):
    """Click a point and wait until it is judged and answered."""
    puzzles = pilot.component("Puzzles")
    pilot.wait_until(lambda: puzzles.is_asking)
    click(pilot, point)
    pilot.wait_until(lambda: puzzles.is_judging or puzzles.is_solved)
    pilot.wait_until(lambda: puzzles.is_asking or puzzles.is_solved, frames=20_000)


def test_a_wrong_answer_is_refuted_and_a_win_is_played_to_its_end(pilot):
    puzzles, board = pilot.component("Puzzles"), pilot.component("BoardView")
    lesson, position = puzzles.lesson, puzzles.position
    assert puzzles.question() == "1. White to move and win by fours in 3 (freestyle)"
    wrong = next(move for move in position.legal_moves if move not in lesson.best)
    answer(pilot, wrong)
    assert puzzles.told.startswith(f"{position.to_text(wrong)} is wrong: ")
    assert len(ghosts(pilot)) == 1 + 1 + len(puzzles._line.moves)
    assert puzzles._line.moves
    assert wrong not in board.stones
    for _ in range(lesson.moves_to_win):
        pilot.press("h")
        pilot.wait_until(lambda: board.hint is not None)
        assert ghosts(pilot) == []
        before = puzzles.position.ply
        answer(pilot, from_text(puzzles.told.split()[1].rstrip("."), 15))
        assert puzzles.position.ply == before + (1 if puzzles.is_solved else 2)
    assert puzzles.is_solved
    assert len(puzzles.position.winning_line()) >= 5
    pilot.wait_until(lambda: len(board.marks) >= 5)
    assert (puzzles.progress.streak, puzzles.progress.solved) == (0, {lesson.task.name})


def test_what_is_told_moves_nothing(pilot):
    puzzles, overlays = pilot.component("Puzzles"), pilot.app.shell.overlays
    told, heights = puzzles.told, set()
    for text in ("", "n9 is right: proven to win by fours. Black answers o9. Go on now."):
        puzzles.told = text
        pilot.draw_panels(3)
        heights.add(round(overlays._heights["Puzzle"], 3))
    puzzles.told = told
    assert len(heights) == 1


def test_a_streak_grows_and_is_kept(pilot):
    puzzles = pilot.component("Puzzles")
    puzzles.choose(kind="defence", unsolved=True)
    for streak in (1, 2):
        pilot.press("n")
        assert puzzles.lesson.task.kind == "defence"
        answer(pilot, puzzles.lesson.best[-1])
        assert puzzles.is_solved
        assert puzzles.progress.streak == streak
    kept = UserFile(pilot.app.run_context.data_dir / "puzzles.json").read()
    assert Progress.of(kept).values() == puzzles.progress.values()
    number = puzzles.lesson.number
    assert puzzles.lesson not in puzzles.listed()
    pilot.press("p")
    assert puzzles.lesson.number == puzzles.listed()[-1].number > number, "around the end"
    puzzles.choose(kind="fours", depth="4 to 5 moves")
    assert {item.moves_to_win for item in puzzles.listed()} == {4, 5}
    puzzles.choose(kind="All", depth="All", unsolved=False)


def test_a_position_is_set_up_by_mouse_and_says_what_is_wrong(pilot):
    editor, puzzles = pilot.component("PositionEditor"), pilot.component("Puzzles")
    editor.open()
    assert editor.set_up.stones == tuple(puzzles.position.stones)
    editor.clear()
    editor.choose("black")
    for text in ("d4", "e4", "f4", "g4", "h4"):
        click(pilot, from_text(text, 15))
        pilot.step(2)
    assert editor.set_up.stones.count(BLACK) == 5
    assert "Black has 5 in a row, d4 to h4: the game is over" in editor.set_up.fault
    editor.play_on()
    assert not editor.game.is_running
    assert "the game is over" in editor.told
    click(pilot, from_text("h4", 15))
    pilot.step(2)
    assert editor.set_up.fault == ""
    assert "4 black and 0 white stones" in editor.set_up.note
    editor.undo()
    assert editor.set_up.stones.count(BLACK) == 5
    editor.choose("remove")
    pilot.step(2)
    click(pilot, from_text("f4", 15))
    pilot.step(2)
    assert editor.set_up.stones.count(BLACK) == 4


def test_a_position_is_read_from_text_and_shared(pilot, tmp_path):
    editor, board = pilot.component("PositionEditor"), pilot.component("BoardView")
    editor.read("nonsense")
    assert editor.told.startswith("Not read: text:1:1: expected a drawn position")
    editor.read("(;GM[4]SZ[9]AB[ee][fe]AW[dd]PL[W])")
    assert (board.size, editor.set_up.to_move) == (9, WHITE)
    pilot.app.shell.backend.clipboard.set(editor.text())
    editor.clear()
    pilot.press("v", "control")
    pilot.draw_panels(3)
    assert editor.set_up.stones.count(BLACK) == 2
    assert editor.set_up.to_move == WHITE
    editor.copy("sgf")
    again = read_position(pilot.app.shell.backend.clipboard.get())
    assert dict(again.setup) == {
        point: color for point, color in enumerate(editor.set_up.stones) if color
    }
    editor.write_picture(str(tmp_path / "position.png"))
    picture = cv2.imread(str(tmp_path / "position.png"))
    assert picture.shape[1] == 1024


def test_a_position_is_analysed_and_played_on_from(pilot):
    editor, board = pilot.component("PositionEditor"), pilot.component("BoardView")
    editor.read("h8 a1 i8 a3 j8 a5")
    editor.analyse()
    pilot.wait_until(lambda: editor.value is not None, frames=20_000)
    assert editor.told.startswith("Black wins in 2")
    assert editor._line.moves
    editor.seat("white", "random")
    editor.play_on()
    pilot.wait_until(lambda: editor.told == "Black: your turn, click a point", frames=20_000)
    assert ghosts(pilot) == []
    click(pilot, from_text("k8", 15))
    pilot.wait_until(lambda: editor.game.session.board.ply == 8, frames=20_000)
    editor.undo()
    pilot.wait_until(lambda: editor.game.session.board.ply == 6)
    editor.stop()
    assert editor.set_up.stones == tuple(read_position_stones("h8 a1 i8 a3 j8 a5"))
    editor.read("h8 a1 i8 a3 j8 a5 k8 a7")
    editor.play_on()
    pilot.wait_until(lambda: editor.told == "Black: your turn, click a point")
    click(pilot, from_text("g8", 15))
    pilot.wait_until(lambda: not editor.game.is_running, frames=20_000)
    assert editor.told == "Black wins (five in a row)"
    assert "Black has 5 in a row, g8 to k8" in editor.set_up.fault
    puzzles = pilot.component("Puzzles")
    puzzles.return_to_puzzle()
    assert not editor.is_open
    assert len(board.stones) == len(puzzles.position.stones) - puzzles.position.stones.count(0)


def read_position_stones(text):
    stones = [0] * 225
    for ply, word in enumerate(text.split()):
        stones[from_text(word, 15)] = -1 if ply % 2 else 1
    return stones

"""Lessons: their order, their filter, and what of the user's progress is kept."""

from __future__ import annotations

import json

import pytest

from ai import read_suite
from scripts.gomoku.game.user_file import UserFile
from scripts.gomoku.teaching.lessons import (
    DEPTHS,
    KINDS,
    LessonFilter,
    Progress,
    lessons_of,
)

LESSONS = lessons_of(read_suite())


def test_every_position_is_a_lesson_and_has_a_kind_and_a_depth():
    assert len(LESSONS) == 240
    assert [lesson.number for lesson in LESSONS] == list(range(1, 241))
    by_filter = [
        lesson
        for kind in KINDS
        for depth in DEPTHS
        for lesson in LessonFilter(kind, depth.name).chosen(LESSONS, ())
    ]
    assert sorted(by_filter, key=lambda lesson: lesson.number) == list(LESSONS)
    wins = LessonFilter("fours").chosen(LESSONS, ())
    assert [item.moves_to_win for item in wins] == sorted(item.moves_to_win for item in wins)
    assert {item.moves_to_win for item in LessonFilter("defence").chosen(LESSONS, ())} == {1}


def test_solved_lessons_can_be_left_out():
    first = LESSONS[0].task.name
    assert LessonFilter(is_unsolved_only=True).chosen(LESSONS, [first]) == list(LESSONS[1:])


def test_the_streak_grows_with_new_clean_answers_only():
    progress = Progress()
    progress.solve("a", is_clean=True)
    progress.solve("a", is_clean=True)
    progress.solve("b", is_clean=False)
    assert (progress.streak, progress.best, progress.solved) == (1, 1, {"a", "b"})
    progress.fail()
    progress.solve("c", is_clean=True)
    assert (progress.streak, progress.best) == (1, 1)


def test_progress_is_kept_in_a_file(tmp_path):
    file = UserFile(tmp_path / "folder" / "puzzles.json")
    assert Progress.of(file.read()) == Progress()
    progress = Progress({"a"}, 3, 5)
    file.write(progress.values())
    assert file.fault == ""
    assert Progress.of(UserFile(tmp_path / "folder" / "puzzles.json").read()) == progress


@pytest.mark.parametrize("text", ["{", "[]", "\x00", '{"solved": 5, "streak": -1, "best": "x"}'])
def test_a_broken_file_begins_anew_and_is_kept_beside(tmp_path, text):
    path = tmp_path / "puzzles.json"
    path.write_text(text, encoding="utf-8")
    file = UserFile(path)
    assert Progress.of(file.read()) == Progress()
    file.write({"streak": 1})
    assert json.loads(path.read_text(encoding="utf-8")) == {"streak": 1}
    is_broken = not text.startswith('{"')
    assert (tmp_path / "puzzles.json.bad").exists() == is_broken
    assert file.fault.endswith(f"it is kept as {path}.bad") == is_broken
    file.write({"streak": 2})
    assert file.fault == ""


def test_two_broken_files_are_both_kept(tmp_path):
    path = tmp_path / "puzzles.json"
    for number in (1, 2):
        path.write_text("{" * number, encoding="utf-8")
        file = UserFile(path)
        file.read()
        file.write({})
    assert (tmp_path / "puzzles.json.bad").read_text() == "{"
    assert (tmp_path / "puzzles.json.bad-2").read_text() == "{{"


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    file = UserFile(tmp_path / "file" / "puzzles.json")
    file.write({})
    assert "expected to write it" in file.fault

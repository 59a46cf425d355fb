from __future__ import annotations

import os

import pytest

from ai.game import WHITE, Board, GameRecord, Rules
from ai.runs.results import game_line, timing_line
from base.storage.json_file import LinesFile, LinesFileError, read_lines


def test_lines_come_back_in_order(tmp_path):
    path = tmp_path / "out" / "games.jsonl"
    with LinesFile(path) as lines:
        lines.append({"game": 1})
        lines.append({"game": 2, "text": "é"})
    assert read_lines(path) == [{"game": 1}, {"game": 2, "text": "é"}]
    assert b"\r" not in path.read_bytes()


def test_each_line_is_on_its_way_before_the_next(tmp_path):
    path = tmp_path / "games.jsonl"
    lines = LinesFile(path)
    lines.append({"game": 1})
    assert read_lines(path) == [{"game": 1}]
    lines.close()
    lines.close()


def test_a_cut_last_line_is_left_out_and_removed_when_writing_goes_on(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text('{"game": 1}\n{"ga')
    assert read_lines(path) == [{"game": 1}]
    with LinesFile(path) as lines:
        lines.append({"game": 2})
    assert read_lines(path) == [{"game": 1}, {"game": 2}]


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text('{"game": 1}\n{"ga\n{"game": 3}\n')
    with pytest.raises(LinesFileError, match=r"games\.jsonl:2: "):
        read_lines(path)
    path.write_text("[1]\n")
    with pytest.raises(LinesFileError, match="expected an object"):
        read_lines(path)


def test_a_check_names_the_line_it_refuses(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text('{"game": 1}\n{"plies": 3}\n')
    with pytest.raises(LinesFileError, match=":2: 'game'"):
        read_lines(path, lambda values: values["game"])


def test_a_file_that_is_not_there_has_no_lines(tmp_path):
    assert read_lines(tmp_path / "games.jsonl") == []


def test_the_lines_of_a_game_have_the_agreed_keys():
    rules = Rules(7, 5, full_board_winner=WHITE)
    board = Board.from_moves("d1 a1 d2 a2 d3 a3 d4 a4 d5", rules)
    line = game_line(GameRecord.from_board(board, 4), ranks=[1, 3], ann_nodes=9, relearn_records=4)
    assert line == {
        "game": 4,
        "winner": "black",
        "reason": "five",
        "plies": 9,
        "moves": board.moves,
        "ranks": [1, 3],
        "ann_nodes": 9,
        "relearn_records": 4,
    }
    timing = timing_line(4, black_seconds=0.1, white_seconds=0.2, retrain_seconds=None, held=None)
    assert list(timing) == ["game", "black_seconds", "white_seconds", "retrain_seconds", "held"]


def test_lines_are_on_the_disk_when_the_file_is_closed_or_repaired(tmp_path, monkeypatch):
    path, synced = tmp_path / "games.jsonl", []
    path.write_bytes(b'{"game": 1}\n{"ga')
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size))
    lines = LinesFile(path)
    assert synced == [12], "cut, and that is kept"
    lines.append({"game": 2})
    lines.close()
    assert synced == [12, 24]

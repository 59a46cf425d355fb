"""Positions of lost games: what was missed, and what beat it; the suite that ships is proven."""

from __future__ import annotations

import json

import pytest

from ai.bench.prover import TacticProver
from ai.bench.suite import LOST_FILE, read_suite
from ai.game import Board, Rules
from base.files import SHIPPED_ROOT
from benchmarks import engine_suite
from benchmarks.engine_suite import LostGames

RULES = Rules(15)
FOURS = "f3 i12 k6 j6 m3 l3 m6 c13 g5 h5 c4 c6 l12 m10 k10 j3 k8 m4 m11 j4 i7 m13"
"""Black wins by five fours, if it is Black's turn."""
TASKS = read_suite(SHIPPED_ROOT / LOST_FILE)
NIGHTLY = pytest.mark.nightly


def game_of(moves, color, opening=20):
    board = Board.from_moves(moves, RULES)
    return {
        "moves": [int(move) for move in board.moves],
        "opening": opening,
        "color": color,
        "points": 0.0,
    }


def test_a_missed_win_is_a_task_and_one_that_was_played_is_none():
    won = TacticProver(RULES).line_by_fours(Board.from_moves(FOURS, RULES))
    right = Board(RULES).to_text(won[0])
    (missed,) = LostGames(RULES).tasks_of(game_of(f"{FOURS} a1", 0, 22), 7)
    assert (missed.kind, missed.name, missed.moves) == ("fours", "lost-fours-007-22", FOURS)
    assert right in missed.best
    assert "a1" not in missed.best
    assert LostGames(RULES).tasks_of(game_of(f"{FOURS} {right}", 0, 22), 7) == []


def test_the_win_that_beat_it_is_a_task():
    won = TacticProver(RULES).line_by_fours(Board.from_moves(FOURS, RULES))
    right = Board(RULES).to_text(won[0])
    (beaten,) = LostGames(RULES).tasks_of(game_of(f"{FOURS} {right}", 1, 22), 7)
    assert (beaten.kind, beaten.moves) == ("fours", FOURS)


def test_only_lost_games_are_taken_and_a_position_once(tmp_path):
    head = {"rule": "freestyle"}
    lost = game_of(f"{FOURS} a1", 0, 22)
    games = [lost, {**lost, "points": 1.0}, lost]
    path, out = tmp_path / "match.jsonl", tmp_path / "suite.json"
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *games)))
    assert engine_suite.main(["--lost", str(path), "--out", str(out)]) == 0
    (task,) = read_suite(out)
    assert task.name == "lost-fours-001-22"


def test_a_suite_is_solved_and_counted(tmp_path, capsys):
    out = tmp_path / "suite.json"
    path = tmp_path / "match.jsonl"
    lines = ({"rule": "freestyle"}, game_of(f"{FOURS} a1", 0, 22))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    engine_suite.main(["--lost", str(path), "--out", str(out)])
    assert engine_suite.main(["--solve", str(out), "--nodes", "500"]) == 0
    assert "all: 1 of 1" in capsys.readouterr().out


def test_the_suite_of_lost_games_is_whole():
    assert len({task.moves for task in TASKS}) == len(TASKS) >= 100
    assert len({task.name for task in TASKS}) == len(TASKS)


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(task, id=task.name, marks=() if number % 12 == 0 else NIGHTLY)
        for number, task in enumerate(TASKS)
    ],
)
def test_each_answer_is_proven(task):
    board, lost = task.board(), LostGames(RULES)
    assert lost.kind_of(board) == (task.kind, task.plies)
    assert {board.to_text(move) for move in lost.right_moves(board, task.kind)} == set(task.best)

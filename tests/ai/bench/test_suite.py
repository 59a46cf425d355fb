"""The suite of tactical positions: what is in it is proven."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ai.bench.prover import TacticProver
from ai.bench.suite import KINDS, SuiteError, read_suite, write_suite
from ai.game import Board, Rules
from ai.game.rules import RULE_NAMES
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta

TASKS = read_suite()
NIGHTLY = pytest.mark.nightly


def of_kind(kind, step):
    """Return tasks of a kind, every `step`-th by day and the others by night."""
    tasks = [task for task in TASKS if task.kind == kind]
    return [
        pytest.param(task, id=task.name, marks=() if number % step == 0 else NIGHTLY)
        for number, task in enumerate(tasks)
    ]


def texts(board, moves):
    return {board.to_text(move) for move in moves}


def test_the_suite_is_whole():
    assert len(TASKS) >= 240
    assert len({task.name for task in TASKS}) == len(TASKS)
    assert len({task.moves for task in TASKS}) == len(TASKS)
    assert {task.kind for task in TASKS} == set(KINDS)
    for kind in ("fours", "threes", "defence"):
        assert {task.rule for task in TASKS if task.kind == kind} == set(RULE_NAMES)
    assert max(task.plies for task in TASKS if task.kind == "fours") >= 25
    for task in TASKS:
        board = task.board()
        assert board.outcome() is None
        assert set(task.best) <= texts(board, board.legal_moves)


@pytest.mark.parametrize("task", of_kind("fours", 10))
def test_every_first_move_of_a_win_by_fours_is_right(task):
    board, prover = task.board(), TacticProver(task.board().rules)
    assert prover.plies_by_fours(board) == task.plies
    assert texts(board, prover.first_fours(board)) == set(task.best)


@pytest.mark.parametrize("task", of_kind("defence", 20))
def test_no_other_defence_holds(task):
    board, prover = task.board(), TacticProver(task.board().rules)
    assert prover.is_threatened(board)
    assert prover.plies_by_fours(board) == 0
    assert texts(board, prover.defences(board)) == set(task.best)


@pytest.mark.parametrize("task", of_kind("threes", 24))
def test_every_first_move_of_a_win_by_threes_is_proven(task):
    board, prover = task.board(), TacticProver(task.board().rules)
    found = texts(board, prover.first_threes(board))
    assert prover.plies_by_fours(board) == 0
    assert found <= set(task.best)
    for first in set(task.best) - found:
        assert prover.proves_by_threes(board, quiet_attacks(board, first), 3)


def quiet_attacks(board, first):
    """Return attacks of which the first is named, and alpha-beta finds the others.

    They prove wins by stones that make no three, which the search for threes leaves out.
    """
    search, rng, begun = PatternAlphaBeta(board.rules), np.random.default_rng(0), board.ply

    def attack(position):
        if position.ply == begun:
            return next(move for move in position.legal_moves if position.to_text(move) == first)
        search.forget()
        return search.search(position, Limit(nodes=20_000), rng).move

    return attack


# Black wins by threes: a three and a three cross, and no answer stops both.
CROSSED = "h8 a1 h9 o1 i10 a15 j10 o15"


def test_a_proof_looks_at_every_answer():
    board = Board.from_moves(CROSSED, Rules(15))
    prover = TacticProver(board.rules)
    crossing = next(move for move in board.legal_moves if board.to_text(move) == "h10")
    assert prover.plies_by_fours(board) == 0
    assert prover.proves_by_threes(board, lambda _: crossing, 1)
    away = next(move for move in board.legal_moves if board.to_text(move) == "o8")
    assert not prover.proves_by_threes(board, lambda _: away, 1)
    assert board.ply == 8
    board.push(next(move for move in board.legal_moves if board.to_text(move) == "o8"))
    assert not prover.proves_by_threes(board, lambda _: None, 1)
    single = Board.from_moves("h8 a1 h9 o1", Rules(15))
    assert not prover.proves_by_threes(single, lambda _: crossing, 1), "h7 and h11 hold"


def test_a_file_that_is_no_suite_is_told(tmp_path):
    path = tmp_path / "suite.json"
    write_suite(path, TASKS[:2])
    assert read_suite(path) == TASKS[:2]
    row = json.loads(path.read_text())["tasks"][0]
    for text in ("{", "[]", '{"tasks": [{"name": "x"}]}', json.dumps({"tasks": [{**row, "best": []}]}),
                 json.dumps({"tasks": [{**row, "kind": "other"}]}), '{"tasks": []}'):  # fmt: skip
        path.write_text(text)
        with pytest.raises(SuiteError, match="expected a"):
            read_suite(path)
    for wrong, told in (
        ({"moves": "h8 h8"}, "found 'h8' held by black"),
        ({"moves": "h8 z99"}, "z99"),
        ({"moves": 5}, "int"),
        ({"rule": "foo"}, "found 'foo'"),
        (
            {"moves": "a1 a15 b1 b15 c1 c15 d1 d15 e1"},
            "expected a game that goes on, found its end",
        ),
        ({"moves": "h8", "best": ["h8"]}, "expected moves that can be played, found h8"),
        ({"moves": "h8", "best": ["h9", "z9"]}, "expected moves that can be played, found z9"),
        ({"moves": "h8", "best": [7]}, "expected moves that can be played, found 7"),
    ):
        path.write_text(json.dumps({"tasks": [row, {**row, "name": "bad", **wrong}]}))
        with pytest.raises(SuiteError, match=f"suite.json: bad: .*{told}"):
            read_suite(path)
    with pytest.raises(SuiteError, match=r"missing.json: expected a suite"):
        read_suite(tmp_path / "missing.json")

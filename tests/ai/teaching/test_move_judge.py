"""A person's move is judged before it is played: what it loses, and how it is refuted."""

from __future__ import annotations

import pytest

from ai.bench.prover import TacticProver
from ai.bench.suite import read_suite
from ai.game import Board, Rules, from_text
from ai.teaching.move_judge import MoveJudge

FIFTEEN = Rules(15)
OPEN_THREE = "h8 a1 i8 a3 j8"
"""Black has an open three; White is to move."""
FOUR = "h8 g8 i8 a3 j8 c5 k8"
"""Black threatens five at l8; White is to move."""


@pytest.fixture(scope="module")
def judge() -> MoveJudge:
    return MoveJudge(FIFTEEN)


def points(text: str, size: int = 15) -> tuple[int, ...]:
    return tuple(from_text(word, size) for word in text.split())


@pytest.mark.parametrize(
    ("moves", "move", "told"),
    [
        (OPEN_THREE, "o15", "Black wins"),
        (FOUR, "o15", "Black wins at once"),
        ("h8 a1 i8 a3 j8 a5 k8 c1", "o15", "misses a win"),
    ],
)
def test_a_blunder_is_told_with_what_it_loses_and_its_line(judge, moves, move, told):
    verdict = judge.judge(points(moves), *points(move))
    assert verdict.is_blunder
    assert told in verdict.why
    assert verdict.better not in (None, verdict.move)
    board = Board.from_moves(moves, FIFTEEN)
    if not verdict.is_missed_win:
        board.push(verdict.move)
    attacker = board.to_move
    for point in verdict.line:
        board.play(point)
    outcome = board.outcome()
    assert outcome is None or outcome.winner == attacker


@pytest.mark.parametrize("move", ["g8", "k8"])
def test_a_move_that_holds_is_no_blunder(judge, move):
    assert not judge.judge(points(OPEN_THREE), *points(move)).is_blunder


def test_nothing_is_blamed_where_every_move_loses(judge):
    moves = "h8 a1 i8 a3 j8 a5 k8"  # an open four
    assert not judge.judge(points(moves), *points("o15")).is_blunder
    assert not judge.judge(points(moves), *points("l8")).is_blunder


def test_a_move_that_wins_the_game_is_no_blunder(judge):
    moves = "h8 a1 i8 a3 j8 a5 k8 c1"
    assert not judge.judge(points(moves), *points("l8")).is_blunder


def test_other_ways_to_win_keep_the_win(judge):
    task = next(item for item in read_suite() if item.kind == "fours" and len(item.best) > 1)
    board = task.board()
    own = MoveJudge(board.rules)
    for text in task.best:
        assert not own.judge(board.moves, from_text(text, 15)).is_blunder, text


def test_the_solver_judges_small_boards_and_its_line_is_followed():
    rules = Rules(6, 4, full_board_winner=-1)
    own = MoveJudge(rules)
    moves = points("c3 a1 d3", 6)
    verdict = own.judge(moves, from_text("a2", 6))
    assert verdict.is_blunder
    assert verdict.is_proven
    assert "Black wins" in verdict.why
    assert len(verdict.line) >= 3


def test_a_threat_by_fours_of_the_suite_is_a_blunder_unless_it_is_stopped():
    task = next(
        item for item in read_suite() if item.kind == "defence" and item.rule == "freestyle"
    )
    board = task.board()
    own, prover = MoveJudge(board.rules), TacticProver(board.rules)
    wrong = next(move for move in board.legal_moves if prover.loses_by_fours_after(board, move))
    verdict = own.judge(board.moves, wrong)
    assert verdict.is_blunder
    assert verdict.line

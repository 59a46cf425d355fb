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
        ("h8 g8 i8 a3 j8 a5 k8 c1", "o15", "misses a win"),
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


def test_a_certain_win_that_stays_certain_is_not_missed(judge):
    moves = "h8 a1 i8 a3 j8 a5 k8 c1"  # an open four: one end is left after any answer
    assert not judge.judge(points(moves), *points("o15")).is_blunder


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
    rules = Rules(7, full_board_winner=-1)
    own = MoveJudge(rules)
    missed = own.judge(points("d4 c3 d5 c5 d3", 7), from_text("g1", 7))
    assert (missed.is_blunder, missed.is_missed_win, missed.is_proven) == (True, True, True)
    assert missed.line[0] == missed.better
    lost = own.judge(points("d4 a1 e4 a7 c4", 7), from_text("a2", 7))
    assert (lost.is_blunder, lost.is_missed_win, lost.is_proven) == (True, False, True)
    assert "Black wins by fours in 2" in lost.why
    assert lost.better in points("b4 f4", 7)
    unknown = own.judge(points("d4 e5 c3", 7), from_text("a7", 7))
    assert not unknown.is_blunder, "what is not proven is not told"


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

"""Answers to puzzles are proven: every proving move counts, a wrong one gets its refutation."""

from __future__ import annotations

import pytest

from ai.bench.suite import KINDS, read_suite
from ai.game import Board, Rules, from_text
from ai.messages.teaching import AnswerFound, FindAnswer, JudgeAnswer, JudgeMove, ValuePosition
from ai.teaching.answer_judge import AnswerJudge
from ai.workers.teacher import TeacherService
from base.worker.service import WorkerRequestError

TASKS = read_suite()
NIGHTLY = pytest.mark.nightly


def of_kind(kind: str, step: int) -> list[object]:
    """Return tasks of a kind, every `step`-th by day and the others by night."""
    tasks = [task for task in TASKS if task.kind == kind]
    return [
        pytest.param(task, id=task.name, marks=() if number % step == 0 else NIGHTLY)
        for number, task in enumerate(tasks)
    ]


@pytest.mark.parametrize("task", [*of_kind("fours", 20), *of_kind("threes", 16)])
def test_a_win_is_played_against_the_best_defence_until_five_is_on_the_board(task):
    board = task.board()
    judge, attacker = AnswerJudge(board.rules), board.to_move
    best = [from_text(text, 15) for text in task.best]
    for _ in range(40):
        move = judge.hint(board.moves, task.kind, best)
        assert move is not None
        verdict = judge.judge(board.moves, task.kind, move, best)
        assert verdict.is_right
        board.play(move)
        if verdict.is_solved:
            break
        board.play(verdict.reply)
        best = []
    outcome = board.outcome()
    assert outcome is not None
    assert outcome.winner == attacker


@pytest.mark.parametrize("task", [*of_kind("fours", 20), *of_kind("defence", 30)])
def test_all_stored_moves_are_right_and_others_are_refuted(task):
    board = task.board()
    judge = AnswerJudge(board.rules)
    best = [from_text(text, 15) for text in task.best]
    for move in best:
        assert judge.judge(board.moves, task.kind, move, best).is_right
    if task.kind == "defence":
        for move in [move for move in board.legal_moves if move not in best][::40]:
            verdict = judge.judge(board.moves, task.kind, move, best)
            assert not verdict.is_right
            line = board.copy()
            line.push(move)
            for point in verdict.line:
                line.play(point)


def test_a_wrong_attack_is_answered_and_says_so():
    task = next(item for item in TASKS if item.kind == "fours")
    board = task.board()
    judge = AnswerJudge(board.rules)
    wrong = next(move for move in board.legal_moves if board.to_text(move) not in task.best)
    verdict = judge.judge(board.moves, "fours", wrong, ())
    assert not verdict.is_right
    assert verdict.line
    assert verdict.why
    assert wrong not in verdict.line


def test_a_quiet_move_is_compared_with_the_stored_one():
    task = next(item for item in TASKS if item.kind == "quiet")
    board = task.board()
    judge = AnswerJudge(board.rules)
    best = [from_text(text, 15) for text in task.best]
    assert judge.judge(board.moves, "quiet", best[0], best).is_solved
    verdict = judge.judge(board.moves, "quiet", from_text("a1", 15), best)
    assert not verdict.is_right
    assert "the search values it at" in verdict.why


def test_the_worker_answers_all_of_it():
    service, rules = TeacherService(), Rules(15)
    moves = tuple(Board.from_moves("h8 a1 i8 a3 j8 a5 k8 c1", rules).moves)
    five = from_text("l8", 15)
    assert service.handle(ValuePosition(rules, moves), lambda told: None).value == 1.0
    assert not service.handle(JudgeMove(rules, moves, five), lambda told: None).is_blunder
    assert set(KINDS) >= {"fours"}
    answer = JudgeAnswer(rules, moves, "fours", five, ())
    assert service.handle(answer, lambda told: None).is_solved
    found = service.handle(FindAnswer(rules, moves, "fours", ()), lambda told: None)
    assert isinstance(found, AnswerFound)
    assert found.move in (five, from_text("g8", 15))
    with pytest.raises(WorkerRequestError, match="expected JudgeMove"):
        service.handle(5, lambda told: None)

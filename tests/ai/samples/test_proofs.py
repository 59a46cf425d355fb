from __future__ import annotations

import numpy as np

from ai.game import BLACK, WHITE, Board, GameRecord, Rules
from ai.samples.one_hot import missed_lessons, stones_after
from ai.samples.proofs import SampleProver
from ai.samples.threats import threat_lessons
from ai.search.oracle import Oracle

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = "d4 a1 d3 a2 d5 a3 d2 a4 d6"
LOST_LATE = (
    30, 36, 29, 31, 22, 15, 14, 38, 16, 4, 5, 17, 18, 12, 24, 6, 23, 25, 42, 9, 40, 21, 13, 46, 26,
    19, 0, 37, 41, 35, 10, 28, 3, 2, 1, 34, 43, 44, 33, 47, 32, 11, 48,
)  # fmt: skip
ORACLE = Oracle(RULES, node_limit=20_000)


def game(moves: str, rules: Rules = RULES, color: int = WHITE) -> GameRecord:
    return GameRecord.from_board(Board.from_moves(moves, rules), 1, color)


def test_each_losing_move_becomes_a_lesson_of_all_proven_defences():
    record = GameRecord(RULES, LOST_LATE, BLACK, "five", 1)
    lessons = SampleProver(RULES, 2_000).lessons(record)
    mistakes = Oracle(RULES, node_limit=2_000).find_mistakes(record).mistakes
    assert len(lessons) == len(mistakes) > 0
    for lesson, ply in zip(lessons, reversed(mistakes), strict=True):
        assert (lesson.stones == stones_after(record, ply)).all()
        assert lesson.label[record.moves[ply]] == 0
        assert lesson.label.sum() == np.float32(1.0)
        board = Board(RULES)
        for move in record.moves[:ply]:
            board.push(move)
        for move in np.flatnonzero(lesson.label):
            with board.played(int(move)):
                assert ORACLE.solve(board).result == "white"


def test_of_other_games_and_of_black_nothing_is_proven():
    other = Rules(9, 5)
    assert SampleProver(other, 100).lessons(game(LOST, other)) == []
    assert SampleProver(RULES, 100).lessons(game(LOST, color=BLACK)) == []


def test_a_threat_that_was_not_answered_was_missed():
    record = game(LOST)
    lessons = threat_lessons(record)
    missed = missed_lessons(record, lessons)
    assert [lesson.stones.tolist() for lesson in missed] == [
        stones_after(record, ply).tolist() for ply in (5, 7)
    ]


def test_a_win_at_once_misses_nothing():
    record = game("d4 a1 d3 a2 d5 a3 g7 a4 d2 a5")
    assert record.winner == WHITE
    final = stones_after(record, 9).tolist()
    missed = missed_lessons(record, threat_lessons(record))
    assert final not in [lesson.stones.tolist() for lesson in missed]

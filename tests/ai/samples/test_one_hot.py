from __future__ import annotations

import numpy as np

from ai.game import BLACK, WHITE, Board, GameRecord, Rules, from_text
from ai.samples.one_hot import learner_plies, one_hot, stones_after, walk_back

RULES = Rules(7, 5, full_board_winner=WHITE)


def lost_by_white() -> GameRecord:
    """Black makes the row d1 to d5; White plays the a column."""
    moves = "d1 a1 d2 a2 d3 a3 d4 a4 d5"
    return GameRecord.from_board(Board.from_moves(moves, RULES), game=1)


def lost_by_black() -> GameRecord:
    moves = "d1 a1 d2 a2 d3 a3 g7 a4 g6 a5"
    return GameRecord.from_board(Board.from_moves(moves, RULES), game=1, learner_color=BLACK)


def points(lesson) -> list[int]:
    return np.flatnonzero(lesson.label).tolist()


def move(text: str) -> int:
    return from_text(text, 7)


def test_record_k_is_the_state_before_blacks_kth_last_stone_with_white_to_move():
    record = lost_by_white()
    lessons = walk_back(record, 3)
    assert [points(lesson) for lesson in lessons] == [[move("d5")], [move("d4")], [move("d3")]]
    for lesson, plies in zip(lessons, (7, 5, 3), strict=True):
        board = record.board(plies)
        assert board.to_move == WHITE
        assert (lesson.stones == board.array().ravel()).all()
        assert lesson.stones[points(lesson)[0]] == 0


def test_a_short_game_gives_fewer_records_and_never_the_random_first_stone():
    lessons = walk_back(lost_by_white(), 50)
    assert len(lessons) == 4
    assert points(lessons[-1]) == [move("d2")]


def test_a_learner_on_black_learns_from_whites_stones_with_mirrored_colors():
    record = lost_by_black()
    lesson = walk_back(record, 1)[0]
    assert points(lesson) == [move("a5")]
    assert lesson.stones[move("a4")] == 1
    assert lesson.stones[move("d1")] == -1


def test_no_records_give_no_lessons():
    assert walk_back(lost_by_white(), 0) == []


def test_labels_sum_to_one():
    assert one_hot(4, 1, 3).tolist() == [0, 0.5, 0, 0.5]


def test_stones_and_plies_follow_the_board():
    record = lost_by_white()
    for plies in range(len(record.moves) + 1):
        assert (stones_after(record, plies) == record.board(plies).array().ravel()).all()
    assert list(learner_plies(record)) == [1, 3, 5, 7]
    assert list(learner_plies(lost_by_black())) == [0, 2, 4, 6, 8]

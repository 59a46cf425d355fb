from __future__ import annotations

import numpy as np
import pytest

from ai.game import WHITE, Board, GameRecord, Rules, from_text
from ai.learning.self_teaching import MET, PLAYED, MetPositions

RULES = Rules(7, 5, full_board_winner=WHITE)


def game(moves: str, number: int = 1) -> GameRecord:
    board = Board.from_moves(moves, RULES)
    return GameRecord.from_resignation(board, number, loser=WHITE)


def point(text: str) -> int:
    return from_text(text, 7)


def test_each_position_is_kept_once_with_the_answer_given_last():
    met = MetPositions(49)
    met.meet(game("d4 a1 d5 a2"))
    met.meet(game("d4 a1 d5 g7"))
    assert len(met) == 2
    assert met.played.tolist() == [point("a1"), point("g7")]
    assert (met.stones != 0).sum(axis=1).tolist() == [1, 3]
    assert met.stones[0][point("d4")] == 1, "the opponent's stones are 1"


def test_the_oldest_give_way():
    met = MetPositions(49, most=2)
    met.meet(game("d4 a1 d5 a2 d6 a3"))
    assert (met.stones != 0).sum(axis=1).tolist() == [3, 5]
    assert met.played.tolist() == [point("a2"), point("a3")]


def test_arrays_bring_everything_back():
    met = MetPositions(49)
    met.meet(game("d4 a1 d5 a2"))
    again = MetPositions(49)
    again.restore(met.arrays())
    assert (again.stones == met.stones).all()
    assert again.played.tolist() == met.played.tolist()
    again.restore({})
    assert len(again) == 0
    assert again.arrays() == {}
    assert again.stones.shape == (0, 49)


@pytest.mark.parametrize(
    ("stones", "played"),
    [(np.zeros((2, 9)), [1]), (np.zeros((1, 49)), [1, 2]), (np.zeros((1, 49)), [49])],
)
def test_arrays_that_do_not_fit_change_nothing(stones, played):
    met = MetPositions(49)
    met.meet(game("d4 a1"))
    with pytest.raises(ValueError, match="expected"):
        met.restore({MET: stones, PLAYED: np.array(played)})
    assert len(met) == 1

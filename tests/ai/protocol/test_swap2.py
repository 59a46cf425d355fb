"""swap2: three stones, then a side, by the player's value or by rows; and the quick move."""

import numpy as np
import pytest

from ai.game import Board, Rules
from ai.players.base import MoveChoice
from ai.protocol import swap2
from ai.protocol.messages import Coordinates, Swap
from ai.protocol.quick_move import quick_move
from ai.protocol.table import move_of, point_of

RULES = Rules(15)
DICE = np.random.default_rng(0)


def position(*points: tuple[int, int]) -> Board:
    return Board.from_moves([move_of(swap2.Point(*point), RULES) for point in points], RULES)


def of_value(*values: float | None):
    """Return a player's answers: the first empty point, worth each value in turn."""
    left = list(values)

    def ask(board: Board, share: float) -> MoveChoice:
        return MoveChoice(quick_move(board), value=left.pop(0) if len(left) > 1 else left[0])

    return ask


@pytest.mark.parametrize("size", [5, 9, 20])
def test_three_stones_are_legal_and_no_side_has_two_in_a_row_of_five(size: int) -> None:
    for _ in range(20):
        points = swap2.first_three(size, size, DICE)
        board = Board.from_moves([move_of(p, Rules(size)) for p in points], Rules(size))
        assert size < 9 or not swap2.is_black_ahead(board)


THREE = position((7, 7), (8, 8), (7, 5))
FIVE = position((7, 7), (8, 8), (7, 5), (9, 9), (12, 3))


@pytest.mark.parametrize(
    ("board", "values", "kind", "points"),
    [
        (THREE, (0.9,), Coordinates, 1),
        (THREE, (-0.9,), Swap, 0),
        (THREE, (0.0, 0.5, -0.01, 0.3, 0.4), Coordinates, 2),
        (THREE, (None,), Swap, 0),
        (FIVE, (0.1,), Coordinates, 1),
        (FIVE, (-0.1,), Swap, 0),
        (FIVE, (None,), Coordinates, 1),
        (position((7, 7), (8, 8), (7, 5), (0, 0), (7, 6)), (None,), Swap, 0),
    ],
)
def test_the_side_is_chosen_by_value_or_by_rows(board, values, kind, points) -> None:
    before = list(board.moves)
    answer = swap2.answer(board, of_value(*values), DICE)
    assert isinstance(answer, kind)
    if isinstance(answer, Coordinates):
        assert len(answer.points) == points
        for point in answer.points:
            assert move_of(point, RULES) in board.legal_moves
    assert board.moves == before


def test_the_fifth_stone_is_that_of_the_most_even_position() -> None:
    asked = []

    def ask(board: Board, share: float) -> MoveChoice:
        asked.append(list(board.moves))
        return MoveChoice(quick_move(board), value=[0.1, 0.5, -0.05, 0.3, 0.4][len(asked) - 1])

    answer = swap2.answer(THREE, ask, DICE)
    assert isinstance(answer, Coordinates)
    assert [move_of(point, RULES) for point in answer.points] == asked[2][3:]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("a1 a2 b1 b2 c1 c2 d1 d2", {"e1"}),
        ("h8 a2 g8 b2 h9 c2 j1 d2", {"e2"}),
        ("", {"h8"}),
    ],
)
def test_the_quick_move_wins_or_stops_a_row(moves: str, expected: set[str]) -> None:
    board = Board.from_moves(moves, RULES)
    assert board.to_text(quick_move(board)) in expected


def test_the_quick_move_plays_a_game_to_its_end() -> None:
    board = Board(Rules(6, 5))
    while board.outcome() is None:
        board.play(quick_move(board))
    assert point_of(board.moves[0], board.rules) in {(2, 2), (3, 3), (2, 3), (3, 2)}

"""SWAP2BOARD: the policy of `ai.session.opening` in the protocol's words; and the quick move."""

import numpy as np
import pytest

from ai.game import Board, Choice, IllegalMoveError, Rules
from ai.players.base import Limit, MoveChoice
from ai.protocol import swap2
from ai.protocol.messages import Coordinates, Point, Swap
from ai.protocol.table import move_of, point_of
from ai.protocol.thinker import quick_move
from ai.session.opening import plan_by_value

RULES = Rules(15)


def position(*points: tuple[int, int]) -> Board:
    return Board.from_moves([move_of(Point(*point), RULES) for point in points], RULES)


THREE = position((7, 7), (8, 8), (7, 5))
FIVE = position((7, 7), (8, 8), (7, 5), (9, 9), (12, 3))


class Says:
    """A player that plays quick moves and says values in turn, the last one for good."""

    name = "says"

    def __init__(self, *values: float) -> None:
        self.values = list(values)
        self.asked: list[list[int]] = []

    def choose(self, board, limit, rng) -> MoveChoice:
        self.asked.append(list(board.moves))
        value = self.values.pop(0) if len(self.values) > 1 else self.values[0]
        return MoveChoice(quick_move(board), value=value)

    def close(self) -> None:
        pass


def answer(player, board, seed=0, budget=lambda share: Limit(nodes=1)):
    return swap2.answer(player, board, budget, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("board", "value", "expected"),
    [
        (THREE, 0.9, Coordinates((point_of(quick_move(THREE), RULES),))),
        (THREE, -0.9, Swap()),
        (FIVE, 0.01, Coordinates((point_of(quick_move(FIVE), RULES),))),
        (FIVE, -0.01, Swap()),
    ],
)
def test_a_color_is_taken_by_value_and_white_by_its_move(board, value, expected) -> None:
    before = list(board.moves)
    assert answer(Says(value), board) == expected
    assert board.moves == before


@pytest.mark.parametrize(("board", "count"), [(Board(RULES), 3), (THREE, 2)])
def test_stones_are_those_that_the_one_policy_places(board, count) -> None:
    values = (0.4, -0.3, 0.01, 0.2)
    said = answer(Says(*([0.0] if board.ply else []), *values), board)
    phase, rng = swap2.phase_of(board), np.random.default_rng(0)
    if board.ply:
        phase = phase.after(Choice.TWO_MORE)
    expected = plan_by_value(Says(*values), phase, board.copy(), Limit(nodes=1), rng)
    assert said == Coordinates(tuple(point_of(move, RULES) for move in expected))
    assert len(said.points) == count


def test_who_has_a_plan_of_its_own_follows_it() -> None:
    class Plans(Says):
        def choose_opening(self, phase, board, limit, rng):
            return {"choice": (Choice.BLACK,), "stones": (0, 1, 2)}[
                "choice" if phase.choices else "stones"
            ]

    assert answer(Plans(0.9), THREE) == Swap()
    assert answer(Plans(0.9), Board(RULES)).points == (Point(0, 0), Point(1, 0), Point(2, 0))


def test_an_illegal_move_of_white_is_an_error() -> None:
    class Lies(Says):
        def choose(self, board, limit, rng) -> MoveChoice:
            return MoveChoice(board.moves[0], value=0.9)

    with pytest.raises(IllegalMoveError, match="says: expected a legal move, found 112"):
        answer(Lies(0.0), THREE)


def test_a_choice_takes_half_of_the_time_at_most() -> None:
    shares = []

    def budget(share: float) -> Limit:
        shares.append(share)
        return Limit(nodes=1)

    answer(Says(0.9), THREE, budget=budget)
    answer(Says(0.0), Board(RULES), budget=budget)
    assert shares == [0.5, 1.0, 1.0]


@pytest.mark.parametrize("size", [5, 9, 22])
def test_where_there_is_no_time_the_answer_is_legal(size: int) -> None:
    for moves in ([], [0, 2, 4], [0, 2, 4, 7, 9]):
        board = Board.from_moves(moves, Rules(size))
        said = answer(swap2.QuickPlayer(), board, seed=size)
        for point in said.points:
            board.play(move_of(point, board.rules))


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

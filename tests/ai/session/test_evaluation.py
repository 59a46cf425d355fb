"""What positions of a game are worth: proven on small boards, judged by a player elsewhere."""

from __future__ import annotations

import itertools

import pytest

from ai.game import IllegalMoveError, Rules
from ai.messages import EvaluatePosition
from ai.session.evaluation import JUDGE, SOLVER, PositionEvaluator
from ai.workers.player import PlayerService

FIVE = Rules(5, 4, full_board_winner=-1)


def test_the_solver_proves_who_wins_and_names_the_move():
    evaluator = PositionEvaluator(FIVE)
    four = (6, 0, 7, 1, 8)  # Black has three in a row, both ends open; White is to move
    lost = evaluator.evaluate(four, nodes=2000)
    assert (lost.ply, lost.value, lost.is_proven, lost.by) == (5, -1.0, True, SOLVER)
    won = evaluator.evaluate((*four, 24), nodes=2000)
    assert (won.value, won.best in (5, 9)) == (1.0, True)
    over = evaluator.evaluate((*four, 24, 9), nodes=2000)
    assert (over.value, over.is_proven, over.best) == (-1.0, True, None)


def test_what_is_not_proven_is_no_value():
    found = PositionEvaluator(FIVE).evaluate((), nodes=1)
    assert (found.value, found.is_proven, found.best) == (0.0, False, None)


def test_elsewhere_a_player_judges_the_same_position_the_same_way():
    large = Rules(9, 5)
    moves = (40, 0, 41, 1, 42, 2, 43, 80)  # Black makes five with the next stone
    first = PositionEvaluator(large).evaluate(moves, nodes=10)
    assert first.by == JUDGE
    assert first.value > 0.9
    assert first.best in (39, 44)
    assert first == PositionEvaluator(large).evaluate(moves, nodes=10)


def test_a_players_value_does_not_swing_with_the_side_to_move():
    """A quiet game is not decided anew by each stone."""
    moves = (40, 41, 49, 31, 50, 48, 32, 58)
    evaluator = PositionEvaluator(Rules(9, 5))
    values = [evaluator.evaluate(moves[:ply], nodes=1).value for ply in range(len(moves) + 1)]
    black = [value if ply % 2 == 0 else -value for ply, value in enumerate(values)]
    steps = [abs(after - before) for before, after in itertools.pairwise(black)]
    assert max(steps) < 0.4, black


def test_on_narrow_boards_the_player_looks_further_ahead():
    evaluator = PositionEvaluator(Rules(7, 4, height=6, gravity=True))
    lost = evaluator.evaluate(
        (38, 35, 39, 36), nodes=1
    )  # three in a row, both ends open, come next
    assert (lost.value, lost.best in (37, 40)) == (1.0, True)


def test_moves_that_break_the_rules_are_refused():
    with pytest.raises(IllegalMoveError):
        PositionEvaluator(FIVE).evaluate((3, 3), nodes=10)


def test_a_worker_evaluates_without_a_player():
    answer = PlayerService().handle(EvaluatePosition(FIVE, (6, 0, 7, 1, 8, 24)), lambda _: None)
    assert (answer.value, answer.ply) == (1.0, 6)


def test_on_large_boards_the_player_sees_a_win_that_is_several_moves_away():
    evaluator = PositionEvaluator(Rules(9, 5))
    crossing_twos = (38, 0, 39, 8, 22, 72, 31, 80)  # a quiet stone makes two open threes
    found = evaluator.evaluate(crossing_twos, nodes=evaluator.usual_nodes())
    assert (found.value, found.is_only) == (1.0, False)
    assert found.plies is not None
    assert found.plies > 3

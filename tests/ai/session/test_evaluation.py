"""What positions of a game are worth: proven on small boards, judged by a player elsewhere."""

from __future__ import annotations

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


def test_moves_that_break_the_rules_are_refused():
    with pytest.raises(IllegalMoveError):
        PositionEvaluator(FIVE).evaluate((3, 3), nodes=10)


def test_a_worker_evaluates_without_a_player():
    answer = PlayerService().handle(EvaluatePosition(FIVE, (6, 0, 7, 1, 8, 24)), lambda _: None)
    assert (answer.value, answer.ply) == (1.0, 6)

"""A game looked over: losses, better moves, and reasons in words."""

from __future__ import annotations

import pytest

from ai.game import Rules
from ai.session.evaluation import PositionEvaluator
from ai.session.position_value import PositionValue, backed_up
from ai.session.review import deeds, evaluate_game, review_game, summary

FIVE = Rules(9, 5)
NOBODY = PositionValue(0, 0.0, is_proven=False, best=None, by="alpha-beta")
BLACK_THREE = (40, 0, 41, 2, 42)
"""Three of Black in the middle row, both ends open; White is to move."""


def value(ply, own, best=None, by="alpha-beta"):
    """Return a value for the side to move."""
    return PositionValue(ply, own, is_proven=False, best=best, by=by)


def reviewed(moves, *, nodes=2000, rules=FIVE):
    """Return the review of a game."""
    values = evaluate_game(PositionEvaluator(rules), moves, nodes=nodes)
    return review_game(rules, moves, values)


@pytest.mark.parametrize(
    ("moves", "move", "words"),
    [
        ((40, 0, 41, 2), 42, ["makes an open three"]),
        ((*BLACK_THREE, 80), 43, ["makes an open four"]),
        ((39, 38, 40, 2, 41, 80), 42, ["makes a four"]),
        ((*BLACK_THREE, 80, 43, 79), 44, ["makes five"]),
        ((39, 38, 40, 2, 41, 80, 42), 43, ["stops five"]),
        ((40,), 0, []),
    ],
)
def test_a_moves_deeds_are_told(moves, move, words):
    assert deeds(FIVE, moves, move, NOBODY) == words


def test_other_lengths_have_words_of_their_own():
    rules = Rules(7, 4, height=6, gravity=True)
    assert deeds(rules, (38, 35, 39, 36), 40, NOBODY) == ["makes an open 3"]
    assert deeds(rules, (38, 35, 39, 36, 40, 28), 37, NOBODY) == ["makes 4 in a row"]


def test_what_leaves_an_open_three_is_a_blunder_with_its_reason():
    found = reviewed((*BLACK_THREE, 80))
    last = found[-1]
    assert (last.side, last.after, last.is_blunder) == ("White", -1.0, last.loss >= 0.4)
    assert "Black wins by fours in 2" in last.why
    lost_at = [item.ply for item in found if item.is_blunder]
    assert lost_at, "somebody let it happen"
    assert summary(found, "White").startswith("White: 3 moves, ")


def test_a_win_that_is_missed_is_named_with_the_better_move():
    found = reviewed((*BLACK_THREE, 80, 8))[-1]
    assert found.loss > 0.0
    assert found.best in (39, 43)
    assert found.why.startswith("misses a win by fours in 2")
    assert found.better == "makes an open four"


def test_what_stops_a_five_is_the_only_defence():
    moves = (39, 38, 40, 2, 41, 80, 42, 43)
    assert "the only defence" in reviewed(moves)[-1].why.split("; ")


def test_what_was_overlooked_is_not_the_fault_of_the_move_that_the_player_would_make():
    values = {0: value(0, 0.1, best=4), 1: value(1, 0.9), 2: value(2, -0.8)}
    found = backed_up(values, (4, 5))
    assert [found[ply].value for ply in range(3)] == [-0.9, 0.9, -0.8]
    kept = {0: value(0, 0.1, best=7), 1: value(1, -0.5)}
    assert backed_up(kept, (4,))[0].value == 0.5, "a move that turned out better sets the value"
    solved = {0: value(0, 1.0, 3, "exact solver"), 1: value(1, 1.0, None, "exact solver")}
    assert backed_up(solved, (4,)) == solved, "what is proven stays"


def test_a_review_is_the_same_again_whatever_was_evaluated_before():
    moves = (40, 41, 31, 50, 32, 30)
    evaluator = PositionEvaluator(FIVE)
    forth = {ply: evaluator.evaluate(moves[:ply], nodes=1500) for ply in range(len(moves) + 1)}
    assert forth == evaluate_game(evaluator, moves, nodes=1500)


@pytest.mark.parametrize("rules", [Rules(15, 5, "renju"), Rules(6, 4), Rules(7, 4, height=6)])
def test_other_rules_are_reviewed_too(rules):
    assert [item.ply for item in reviewed((20, 0, 21), rules=rules)] == [0, 1, 2]


def test_what_the_solver_cannot_prove_is_not_known():
    rules = Rules(7, 5, full_board_winner=-1)
    found = reviewed((24, 0), nodes=1, rules=rules)
    assert [item.loss for item in found] == [None, None]
    assert summary(found, "Black") == "Black: 1 move, 0 blunders, nothing known"

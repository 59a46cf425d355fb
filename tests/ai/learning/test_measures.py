from __future__ import annotations

import numpy as np
import pytest

from ai.game import WHITE, Board, GameRecord, Rules
from ai.learning.measures import (
    FAILED_BELOW,
    HeldTest,
    Measures,
    agreement,
    positions_of,
    variety,
)

RULES = Rules(3, 3, full_board_winner=WHITE)
STATES = np.array([[1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0]], np.int8)


def labels(*points: int) -> np.ndarray:
    return np.eye(9, dtype=np.float32)[list(points)]


def answering(*points: int):
    """A network that answers these points, one for each state asked."""
    return lambda states: labels(*points)[: len(states)]


def test_held_is_the_share_of_nodes_answered_with_their_label():
    test = HeldTest.of(STATES, labels(4, 5), RULES)
    by_state = {tuple(state): point for state, point in zip(STATES.tolist(), (4, 5), strict=True)}
    right = [by_state[tuple(state)] for state in test.states.tolist()]
    assert test.fraction(answering(*right)) == 1.0
    assert test.fraction(answering(right[0], 8)) == 0.5
    assert test.fraction(answering(8, 8)) == 0.0


def test_nodes_with_equal_stones_are_one_with_summed_labels():
    same = np.stack([STATES[0]] * 3)
    test = HeldTest.of(same, labels(4, 5, 5), RULES)
    assert len(test) == 1
    assert test.fraction(answering(5)) == 1.0
    assert test.fraction(answering(4)) == 0.0


def test_any_of_the_highest_labels_will_do():
    test = HeldTest.of(np.stack([STATES[0]] * 2), labels(4, 5), RULES)
    assert test.fraction(answering(4)) == test.fraction(answering(5)) == 1.0


def test_occupied_points_are_masked_in_answer_and_label():
    test = HeldTest.of(STATES[:1], labels(0) + 0.5 * labels(7), RULES)
    both = labels(0) + 0.5 * labels(7)
    assert test.fraction(lambda states: both) == 1.0
    assert len(HeldTest.of(STATES[:1], labels(0), RULES)) == 0, "nothing there that could be held"


def test_without_a_node_there_is_nothing_to_say():
    empty = HeldTest.of(STATES[:0], labels()[:0], RULES)
    assert empty.fraction(answering(0)) is None


def test_of_a_large_memory_an_even_sample_is_asked():
    states = np.unique(np.random.default_rng(0).integers(-1, 2, (400, 9)).astype(np.int8), axis=0)
    states = states[(states == 0).any(axis=1)]
    test = HeldTest.of(states, np.ones((len(states), 9), np.float32), RULES, most=50)
    assert len(test) == 50
    assert test.fraction(lambda asked: np.zeros((len(asked), 9), np.float32)) == 1.0


@pytest.mark.parametrize(("held", "has_failed"), [(None, False), (0.95, False), (0.5, True)])
def test_a_training_fails_below_nine_tenths(held, has_failed):
    assert FAILED_BELOW == 0.9
    assert Measures(held).has_failed is has_failed


def test_agreement_compares_the_best_free_points():
    mine = labels(1, 4) + 0.5 * labels(2, 8)
    its = (2.0 * labels(1, 5)).astype(np.float64)
    free = np.ones((2, 9), np.bool_)
    assert agreement(mine, its, free) == 0.5
    free[1, 5] = False
    its[1, 4] = 1.0
    assert agreement(mine, its, free) == 1.0
    assert agreement(mine[:0], its[:0], free[:0]) is None


def test_one_order_of_the_points_has_hardly_any_variety():
    one_order = np.tile(np.arange(9.0, dtype=np.float32), (20, 1))
    assert variety(one_order) == pytest.approx(1 / 20)
    assert variety(labels(0, 1, 2, 3)) == 1.0
    assert variety(labels()[:0]) is None


def test_positions_are_those_with_the_learner_to_move_each_once():
    record = GameRecord.from_board(Board.from_moves("a1 b1 a2 b2 a3", RULES), 1)
    found = positions_of([record, record], RULES.points)
    assert sorted(np.abs(found).sum(axis=1).tolist()) == [1, 3]
    assert positions_of([], 9).shape == (0, 9)

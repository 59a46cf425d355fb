from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.game import BLACK, WHITE, Board, GameRecord, Rules, from_text, parse_diagram, symmetries
from ai.samples.threats import (
    OPPONENT,
    OWN,
    double_points,
    threat_label,
    threat_lessons,
    winning_points,
)

RULES = Rules(7, 5, full_board_winner=WHITE)

stones_7x7 = st.lists(st.sampled_from([-1, 0, 1]), min_size=49, max_size=49).map(
    lambda values: np.array(values, np.int8)
)


def stones(diagram: str) -> np.ndarray:
    return parse_diagram(diagram).ravel()


def names(flags: np.ndarray) -> list[str]:
    size = round(len(flags) ** 0.5)
    return sorted(
        f"{chr(97 + point % size)}{size - point // size}" for point in np.flatnonzero(flags)
    )


def brute_force(board: np.ndarray, color: int, rules: Rules) -> list[int]:
    """Try every empty point on a real board."""
    found = []
    for point in np.flatnonzero(board == 0):
        trial = Board(rules)
        trial.stones = board.tolist()
        trial.to_move = color
        trial.push(int(point))
        if trial.is_decided:
            found.append(int(point))
    return found


@given(stones_7x7, st.sampled_from([OPPONENT, OWN]), st.booleans(), st.integers(3, 5))
def test_winning_points_are_those_that_the_rules_know(board, color, exact, length):
    rules = Rules(7, length, exact=exact)
    found = np.flatnonzero(winning_points(board[None], color, rules)[0]).tolist()
    assert found == brute_force(board, color, rules)


OPEN_THREE = """
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . X X X . .
    . . . . . . .
    . O . . O . .
    . . . . . . .
"""


def test_an_open_three_is_answered_where_it_becomes_an_open_four():
    board = stones(OPEN_THREE)
    assert names(double_points(board, OPPONENT, RULES)) == ["b4", "f4"]
    label = threat_label(board, RULES)
    assert names(label > 0) == ["b4", "f4"]
    assert label.sum() == pytest.approx(1.0)


def test_a_five_goes_before_an_open_four():
    board = stones(OPEN_THREE)
    board[[from_text(text, 7) for text in ("a1", "b1", "c1", "d1")]] = OPPONENT
    assert names(threat_label(board, RULES) > 0) == ["e1"]


def test_a_quiet_state_has_no_label():
    assert threat_label(np.zeros(49, np.int8), RULES) is None


def test_ones_own_five_goes_before_all_where_it_is_wanted():
    board = stones(OPEN_THREE)
    board[[from_text(text, 7) for text in ("a7", "b7", "c7", "d7")]] = OWN
    board[[from_text(text, 7) for text in ("a1", "b1", "c1", "d1")]] = OPPONENT
    assert names(threat_label(board, RULES, with_own=True) > 0) == ["e7"]
    assert names(threat_label(board, RULES) > 0) == ["e1"]


@given(stones_7x7, st.integers(0, 7))
def test_labels_turn_with_the_board(board, symmetry):
    table = symmetries(7)[symmetry]
    label, turned = threat_label(board, RULES), threat_label(board[table], RULES)
    if label is None:
        assert turned is None
    else:
        np.testing.assert_allclose(turned, label[table])


def test_lessons_are_the_states_of_the_learner_with_a_threat():
    record = GameRecord.from_board(Board.from_moves("d2 a1 d3 a2 d4 a3 d5 a5 d6", RULES), game=1)
    lessons = threat_lessons(record)
    assert [int((lesson.stones != 0).sum()) for lesson in lessons] == [5, 7]
    assert names(lessons[0].label > 0) == ["d5"] or "d5" in names(lessons[0].label > 0)
    assert names(lessons[1].label > 0) == ["d1", "d6"]


def test_a_learner_on_black_is_threatened_by_white():
    record = GameRecord.from_board(
        Board.from_moves("d2 a1 d3 a2 g7 a3 g6 a4 f7 a5", RULES), game=1, learner_color=BLACK
    )
    last = threat_lessons(record)[-1]
    assert names(last.label > 0) == ["a5"]

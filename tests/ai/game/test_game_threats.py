"""Threats as people see them are those that the learner labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import BLACK, WHITE, Board, Rules, ThreatKind, find_threats, from_text
from ai.samples.threats import double_points, winning_points
from tests.examples import examples


@st.composite
def positions(draw):
    size = draw(st.integers(4, 7))
    length = draw(st.integers(3, min(5, size)))
    stones = draw(st.lists(st.sampled_from([0, 0, 1, 1, -1]), min_size=size**2, max_size=size**2))
    return Rules(size, length, exact=draw(st.booleans())), np.array(stones, np.int8)


@settings(max_examples=examples(50, 150), deadline=None)
@given(positions())
def test_they_are_the_points_that_the_learner_labels(position):
    rules, stones = position
    found = find_threats(stones.tolist(), rules)
    for color in (BLACK, WHITE):
        fives = np.flatnonzero(winning_points(stones[None], color, rules)[0]).tolist()
        told = [item.point for item in found if (item.color, item.kind.value) == (color, "five")]
        assert told == fives
        opens = [item.point for item in found if item.color == color and item.point not in fives]
        doubles = np.flatnonzero(double_points(stones, color, rules)).tolist()
        assert opens == ([] if fives else doubles)


@settings(max_examples=examples(40, 100), deadline=None)
@given(positions())
def test_their_stones_are_of_their_color_and_their_points_empty(position):
    rules, stones = position
    for threat in find_threats(stones.tolist(), rules):
        assert stones[threat.point] == 0
        assert len(threat.stones) >= rules.win_length - 2
        assert {int(stones[point]) for point in threat.stones} == {threat.color}


def texts(moves, size=7):
    return sorted(moves, key=lambda text: from_text(text, size))


@pytest.mark.parametrize(
    ("moves", "kind", "points", "stones"),
    [
        ("b4 a1 c4 b1 d4 c1 e4", ThreatKind.FIVE, ["a4", "f4"], "b4 c4 d4 e4"),
        ("b4 a1 c4 g1 d4", ThreatKind.OPEN_FOUR, ["e4"], "b4 c4 d4"),
        ("b4 a1 c4 b1 e4 g1 f4", ThreatKind.FIVE, ["d4"], "b4 c4 e4 f4"),
    ],
)
def test_a_line_in_words(moves, kind, points, stones):
    board = Board.from_moves(moves, Rules(7))
    found = [item for item in find_threats(board.stones, board.rules) if item.color == BLACK]
    by_point = {board.to_text(item.point): item for item in found}
    assert set(points) <= set(by_point)
    for point in points:
        assert by_point[point].kind is kind
        held = [board.to_text(stone) for stone in by_point[point].stones]
        assert texts(held) == texts(stones.split())


def test_an_empty_board_threatens_nothing():
    assert find_threats([0] * 225, Rules()) == ()

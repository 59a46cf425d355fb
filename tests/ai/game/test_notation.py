from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ai.game.board
import ai.game.move
import ai.game.opening
from ai.game import (
    CoordinateError,
    NotationError,
    Rules,
    centre_points,
    format_diagram,
    format_moves,
    from_text,
    parse_diagram,
    parse_moves,
    random_centre_point,
    to_text,
)

sizes = st.integers(3, 20)


@given(sizes, st.data())
def test_a_point_survives_text(size, data):
    move = data.draw(st.integers(0, size * size - 1))
    assert from_text(to_text(move, size), size) == move
    assert from_text(to_text(move, size).upper(), size) == move


@given(sizes, st.data())
def test_moves_survive_text(size, data):
    moves = tuple(data.draw(st.lists(st.integers(0, size * size - 1))))
    assert parse_moves(format_moves(moves, size), size) == moves


@given(sizes.flatmap(lambda size: hnp.arrays(np.int8, (size, size), elements=st.integers(-1, 1))))
def test_a_position_survives_its_diagram(array):
    assert np.array_equal(parse_diagram(format_diagram(array)), array)


def test_corners():
    assert [from_text(text, 7) for text in ("a1", "a7", "g1", "g7", "d4")] == [42, 0, 48, 6, 24]
    assert to_text(8, 20) == "i20"


@pytest.mark.parametrize(
    "text", ["", "d", "4", "d0", "d8", "h1", "d04", "4d", "d4 d5", "é4", "d-1"]
)
def test_what_is_no_point_is_refused(text):
    with pytest.raises(CoordinateError, match="expected"):
        from_text(text, 7)


def test_a_number_off_the_board_is_refused():
    with pytest.raises(CoordinateError, match="found 49"):
        to_text(49, 7)


def test_faults_name_their_place():
    with pytest.raises(
        NotationError, match=r"move 2: expected a point from 'a1' to 'g7', found 'z9'"
    ):
        parse_moves("d4, z9", 7)
    with pytest.raises(NotationError, match="line 2: expected 3 points"):
        parse_diagram("X..\n.O\n...")
    with pytest.raises(NotationError, match=r"line 3: expected 'X', 'O' or '\.', found '#'"):
        parse_diagram("X..\n.O.\n..#")


@given(sizes, st.integers(0, 2**32))
def test_the_opening_is_one_of_nine(size, seed):
    points = centre_points(size)
    assert len(set(points)) == 9
    rows_and_cols = {divmod(point, size) for point in points}
    assert all(abs(r - size // 2) <= 1 and abs(c - size // 2) <= 1 for r, c in rows_and_cols)
    assert random_centre_point(Rules(size, 3), np.random.default_rng(seed)) in points


@pytest.mark.parametrize("module", [ai.game.board, ai.game.move, ai.game.opening])
def test_the_examples_in_the_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0

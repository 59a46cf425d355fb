from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.game import SYMMETRY_COUNT, Board, Rules, compose, invert, symmetries

sizes = st.integers(3, 20)
indices = st.integers(0, SYMMETRY_COUNT - 1)


@given(sizes)
def test_eight_different_permutations_with_the_identity_first(size):
    tables = symmetries(size)
    assert tables.shape == (SYMMETRY_COUNT, size * size)
    assert len({table.tobytes() for table in tables}) == SYMMETRY_COUNT
    assert np.array_equal(tables[0], np.arange(size * size))
    assert all(np.array_equal(np.sort(table), np.arange(size * size)) for table in tables)


@given(sizes, indices, indices)
def test_closed_under_composition_and_inverse(size, first, second):
    tables = symmetries(size)
    known = {table.tobytes() for table in tables}
    assert compose(tables[first], tables[second]).tobytes() in known
    assert invert(tables[first]).tobytes() in known
    assert np.array_equal(compose(tables[first], invert(tables[first])), tables[0])
    points = np.arange(size * size) * 3
    assert np.array_equal(
        points[tables[first]][tables[second]], points[compose(tables[first], tables[second])]
    )


@given(indices, st.permutations(range(49)))
def test_moves_are_carried_like_stones(index, order):
    rules = Rules(7)
    board = Board(rules)
    turned = Board(rules)
    table = symmetries(7)[index]
    carry = invert(table)
    for move in order[:12]:
        board.push(move)
        turned.push(int(carry[move]))
    assert np.array_equal(board.array().ravel()[table], turned.array().ravel())
    assert board.outcome() == turned.outcome()


def test_first_is_a_quarter_turn_counter_clockwise():
    grid = np.arange(9)
    assert grid[symmetries(3)[1]].reshape(3, 3).tolist() == [[2, 5, 8], [1, 4, 7], [0, 3, 6]]


def test_shared_table_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        symmetries(3)[0, 0] = 1

"""Stones, rows and region of the tree's board equal those of plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import Board, Rules, RulesError
from ai.kernels.jit import fields_of
from ai.kernels.tree.layout import MAX_SIDE, cell_of, new_tree_board, open_centre
from ai.kernels.tree.stones import lift_stone, put_stone, rows_in
from tests.ai.kernels.tree.plain_tree import has_row, record_of, region, spots_of

RULES = [
    Rules(3, 3), Rules(5, 4), Rules(7, 5), Rules(15, 5), Rules(15, 5, exact=True),
    Rules(20, 6, exact=True), Rules(20, 10), Rules(20, 20),
]  # fmt: skip


@pytest.mark.parametrize("is_exact", [0, 1])
def test_a_row_is_found_wherever_it_stands(is_exact):
    rng = np.random.default_rng(is_exact)
    found = 0
    for length in range(3, MAX_SIDE + 1):
        for _ in range(60):
            bits = (rng.random(MAX_SIDE) < rng.choice([0.5, 0.8, 0.95])).astype(int).tolist()
            start = int(rng.integers(MAX_SIDE - length + 1))
            if rng.random() < 0.5:
                bits[start : start + length] = [1] * length
            # A margin of 4 bits stands before the first point, and more behind the last one.
            line = sum(bit << (place + 4) for place, bit in enumerate(bits))
            expected = has_row(bits, length, is_exact)
            assert (rows_in(line, length, is_exact) != 0) == expected
            found += expected
    assert 150 < found < 1100


def walk(rules, reach, steps, seed):
    """Put and lift stones at random inside the region and compare with a `Board`."""
    rng = np.random.default_rng(seed)
    board = Board(rules)
    record = new_tree_board(rules, reach)
    put_stone(record, cell_of(rules.points // 2, rules.size))
    board.push(rules.points // 2)
    start = fields_of(record).lines[:].copy()
    before = spots_of(record, rules.size)
    for _ in range(steps):
        spots = spots_of(record, rules.size)
        assert len(spots) == len(set(spots))
        assert set(spots) == region(board, reach)
        if not spots or board.is_decided or (board.ply > 1 and rng.random() < 0.4):
            lift_stone(record, cell_of(board.pop(), rules.size))
        else:
            move = int(rng.choice(spots))
            board.push(move)
            rows = put_stone(record, cell_of(move, rules.size))
            assert (rows != 0) == board.is_decided
        assert int(fields_of(record).ply) == board.ply
    while board.ply > 1:
        lift_stone(record, cell_of(board.pop(), rules.size))
    assert list(fields_of(record).lines) == list(start)
    assert spots_of(record, rules.size) == before, "lifting restores the very order"


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_random_steps_equal_those_of_the_board(rules):
    for reach in (1, 2, 4):
        walk(rules, reach, 40, reach)


@pytest.mark.nightly
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_many_random_steps_equal_those_of_the_board(rules):
    for seed in range(5):
        walk(rules, 1 + seed % 4, 2500, 10 + seed)


def test_stones_far_from_each_other_have_a_region_each():
    rules = Rules(20, 5)
    board = Board.from_moves([0, 399, 210, 19], rules)
    record = record_of(board, 2)
    assert set(spots_of(record, 20)) == region(board, 2)


@pytest.mark.parametrize("size", [3, 8, 15])
def test_an_empty_board_is_played_in_its_middle(size):
    record = new_tree_board(Rules(size, 3), 2)
    assert int(fields_of(record).count) == 0
    open_centre(record, Rules(size, 3))
    middle = size // 2
    expected = {
        row * size + col
        for row in range(size)
        for col in range(size)
        if max(abs(row - middle), abs(col - middle)) <= 2
    }
    assert set(spots_of(record, size)) == expected


def test_what_is_not_supported_is_refused():
    with pytest.raises(RulesError, match="expected a square board without gravity of at most 22"):
        new_tree_board(Rules(7, 4, height=6, gravity=True), 2)
    with pytest.raises(RulesError, match="found Rules"):
        new_tree_board(Rules(7, 4, height=6), 2)
    for reach in (0, 5):
        with pytest.raises(ValueError, match=f"region: expected 1 to 4, found {reach}"):
            new_tree_board(Rules(15), reach)

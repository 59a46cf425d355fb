"""Rollouts equal those of plain Python, draw for draw."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import BLACK, EMPTY, WHITE, Board, Rules
from ai.kernels.jit import fields_of
from ai.kernels.randomness import new_random, seed_random
from ai.kernels.tree.rollout import roll_out, roll_out_often
from tests.ai.kernels.tree.plain_tree import (
    PlainRandom,
    play_out,
    random_board,
    record_of,
    spots_of,
)

RULES = [
    Rules(5, 4), Rules(7, 5, full_board_winner=WHITE), Rules(15, 5), Rules(15, 5, exact=True),
    Rules(20, 9), Rules(6, 6, full_board_winner=BLACK),
]  # fmt: skip


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_rollouts_equal_the_plain_ones(rules):
    rng = np.random.default_rng(5)
    random, winners = new_random(), []
    for case in range(6):
        board = random_board(rules, 1 + int(rng.integers(rules.points // 2)), rng)
        record = record_of(board, 1 + case % 4)
        spots = spots_of(record, rules.size)
        seed_random(random, case)
        state = fields_of(random)
        plain = PlainRandom(int(state.congruential), int(state.xorshift))
        for _ in range(3):
            winner = roll_out(record, random)
            assert winner == play_out(board, spots, plain)
            assert spots_of(record, rules.size) == spots
            winners.append(winner)
        state = fields_of(random)
        assert (state.congruential, state.xorshift) == (plain.congruential, plain.xorshift)
    assert len(set(winners)) > 1


def test_both_sides_win_about_as_often_from_an_even_position():
    record = record_of(Board.from_moves("h8 i9", Rules(15)), 3)
    random = new_random()
    seed_random(random, 1)
    total = roll_out_often(record, random, 2000)
    assert abs(total) < 600
    seed_random(random, 1)
    assert roll_out_often(record, random, 2000) == total
    seed_random(random, 2)
    assert roll_out_often(record, random, 2000) != total


def test_the_side_to_move_wins_most_with_an_open_four():
    board = Board.from_moves("g8 g1 h8 h2 i8 j3 j8 k4", Rules(15))
    record = record_of(board, 1)
    random = new_random()
    seed_random(random, 1)
    assert roll_out_often(record, random, 1000) > 500


def test_a_full_region_counts_as_a_full_board():
    random = new_random()
    seed_random(random, 3)
    for winner, expected in ((BLACK, 0), (WHITE, 1), (EMPTY, 2)):
        board = Board.from_moves("h8", Rules(15, 5, full_board_winner=winner))
        assert roll_out(record_of(board, 1), random) == expected

"""Fouls of renju and the blocked rows of caro on the core, against the slow rule code."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import BLACK, EMPTY, Board, Rules, RulesError
from ai.game.renju import foul_points
from ai.kernels.layout import FIVE
from ai.kernels.position import KernelPosition
from ai.kernels.threats.fouls import end_stop, is_foul
from ai.search.base import Limit
from ai.search.fours import FourSearch

RENJU, CARO = Rules(15, 5, "renju"), Rules(15, 5, "caro")


@cache
def core(rules):
    return KernelPosition(rules, knows_fouls=True)


def crowded(rules, seed, plies, side=5):
    """Return an unfinished game of stones drawn within a small square, whatever is allowed."""
    rng, first = np.random.default_rng(seed), (rules.size - side) // 2
    board = Board(rules)
    for _ in range(plies):
        free = [
            row * rules.size + column
            for row in range(first, first + side)
            for column in range(first, first + side)
            if row * rules.size + column in board.legal_moves
        ]
        if not free:
            break
        board.push(int(rng.choice(free)))
        if board.outcome() is not None:
            board.pop()
            break
    return board


def fouls(board):
    position = core(board.rules)
    position.follow(board)
    free = [move for move, stone in enumerate(board.stones) if stone == EMPTY]
    return {move for move in free if is_foul(position.record, position.table, move)}


@given(seed=st.integers(0, 10**6), plies=st.integers(6, 40), side=st.integers(5, 9))
@settings(max_examples=25, deadline=None)
def test_the_core_finds_the_fouls_that_the_rules_name(seed, plies, side):
    board = crowded(RENJU, seed, plies, side)
    before = (board.copy(), core(RENJU).moves)
    assert fouls(board) == set(foul_points(board.stones, 15, 15))
    assert board == before[0]
    assert core(RENJU).moves == board.moves


@given(rules=st.sampled_from([RENJU, CARO]), seed=st.integers(0, 10**6), plies=st.integers(8, 40))
@settings(max_examples=25, deadline=None)
def test_the_core_sees_the_fives_that_win(rules, seed, plies):
    board = crowded(rules, seed, plies, 6)
    position = core(rules)
    position.follow(board)
    for move, stone in enumerate(board.stones):
        if stone == EMPTY:
            for side, color in enumerate((BLACK, -BLACK)):
                classes = [position.line_class(move, direction, side) for direction in range(4)]
                assert (max(classes) == FIVE) == board.completes_row(move, color)


@given(rules=st.sampled_from([RENJU, CARO]), seed=st.integers(0, 10**6), plies=st.integers(10, 30))
@settings(max_examples=10, deadline=None)
def test_a_win_by_fours_holds_by_the_rules(rules, seed, plies):
    """Each attack is legal and leaves one answer, or none that the rules allow."""
    board = crowded(rules, seed, plies, 7)
    found = FourSearch(rules).find(board, Limit(nodes=300))
    mover, line = board.to_move, list(found.line)
    for place, move in enumerate(line):
        assert move in board.legal_moves
        board.push(move)
        if board.outcome() is not None:
            assert board.outcome().winner == mover
            return
        if place % 2 == 0:
            held = [reply for reply in board.legal_moves if holds(board, reply)]
            assert held == line[place + 1 : place + 2], "the next move is the only one that holds"


def holds(board, reply):
    """Return whether an answer stops a five of the side that is not to move, or is one."""
    attacker = -board.to_move
    board.push(reply)
    try:
        if board.outcome() is not None:
            return board.outcome().winner != attacker
        return not any(board.completes_row(move, attacker) for move in board.legal_moves)
    finally:
        board.pop()


def test_a_five_in_caro_is_stopped_at_its_free_end_too():
    board = Board.from_moves("e8 d8 f8 a1 g8 a3 h8", CARO)
    position = core(CARO)
    position.follow(board)
    five, end = 7 * 15 + 8, 7 * 15 + 9  # i8, j8
    assert end_stop(position.record, 0, five) == end
    board.push(end)
    assert not board.completes_row(five, BLACK)


def test_who_does_not_know_fouls_gets_no_core_for_them():
    for rules in (RENJU, CARO):
        with pytest.raises(RulesError, match="rule: expected freestyle or standard"):
            KernelPosition(rules)
    with pytest.raises(RulesError, match="rule: expected freestyle or standard"):
        KernelPosition(Rules(15, 4, "caro"), knows_fouls=True)

"""The search for continuous threats against proofs that try every legal answer."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.bench.prover import TacticProver
from ai.game import Board, Rules
from ai.kernels.layout import NONE, OPEN_THREE
from ai.kernels.threats.layout import INFINITE, WIDTH
from ai.search.base import Limit
from ai.search.threes import ThreeSearch

RULES = [Rules(9), Rules(9, 5, exact=True), Rules(15, 5, "renju"), Rules(15, 5, "caro")]
ENOUGH = Limit(nodes=20_000)
MOST_ATTACKS = 12
"""Quiet attacks of a win that is played to its end."""


@cache
def search_of(rules, weakest=OPEN_THREE, likely=8):
    return ThreeSearch(rules, weakest=weakest, likely=likely)


@cache
def prover_of(rules):
    return TacticProver(rules)


def scattered(rules, seed, plies):
    """Return an undecided board of stones drawn in the middle 7x7 points."""
    rng, board, first = np.random.default_rng(seed), Board(rules), rules.size // 2 - 3
    while board.ply < plies:
        row, col = (first + int(rng.integers(7)) for _ in range(2))
        if row * rules.size + col not in board.legal_moves:
            continue
        board.push(row * rules.size + col)
        if board.outcome() is not None:
            board.pop()
            break
    return board


def is_proven(board, search):
    """Return whether the attacks that a search names win against every legal answer."""

    def attack(position):
        search.forget()
        found = search.find(position, ENOUGH)
        return found.line[0] if found.plies else None

    return prover_of(board.rules).proves_by_threes(board, attack, MOST_ATTACKS)


def plain_attacks(board):
    """Return every move after which each legal answer loses to continuous fours."""
    prover = prover_of(board.rules)
    return {
        move
        for move in board.legal_moves
        if prover.proves_by_threes(board, lambda _, move=move: move, 1)
    }


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.rule.value)
@given(seed=st.integers(0, 10**6), plies=st.integers(8, 20))
@settings(max_examples=12, deadline=None)
def test_what_it_wins_is_won_against_every_legal_answer(rules, seed, plies):
    board = scattered(rules, seed, plies)
    before, search = board.copy(), search_of(rules)
    search.forget()
    found = search.find(board, ENOUGH)
    assert (board, board.moves) == (before, before.moves)
    assert bool(found.line) == (found.plies > 0)
    if found.plies:
        assert is_proven(board, search)
        line = board.copy()
        for move in found.line:
            line.play(move)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.rule.value)
@given(seed=st.integers(0, 10**6), plies=st.integers(8, 16))
@settings(max_examples=6, deadline=None)
def test_it_finds_every_win_of_one_quiet_attack(rules, seed, plies):
    board = scattered(rules, seed, plies)
    if prover_of(rules).plies_by_fours(board) == 0:
        search = search_of(rules, NONE, INFINITE)
        search.forget()
        if plain_attacks(board) & set(sorted(board.legal_moves)[:WIDTH]):
            found = search.find(board, Limit(nodes=200_000))
            is_far = rules.size > 9 and found.is_cut  # more answers there than the limit can try
            assert found.plies > 0 or is_far


def test_a_win_behind_many_fours_is_cut_and_one_of_many_attacks_left_out():
    renju, caro = Rules(15, 5, "renju"), Rules(15, 5, "caro")
    far = "k8 k7 j7 e6 h9 h5 e7 h10 i9 g6 g5 k10 h6 g11 e9 j11"
    board = Board.from_moves(far, renju)
    assert {board.to_text(move) for move in plain_attacks(board)} == {"i8"}, (
        "then 11 plies by fours"
    )
    found = search_of(renju).find(board, Limit(nodes=20_000))
    assert (found.plies, found.is_cut) == (0, True)
    board = Board.from_moves("k5 e5 i7 j7 k8 i10 h5 k7 i6 h11", caro)
    (attack,) = plain_attacks(board)
    assert sorted(board.legal_moves).index(attack) > WIDTH
    assert search_of(caro, NONE, INFINITE).find(board, ENOUGH).plies == 0
    found = search_of(caro).find(board, ENOUGH)
    assert (found.plies, found.line[0]) == (5, attack), "of the stones that make a three it is one"


CROSSED = "h8 a1 h9 o1 i10 a15 j10 o15"
"""Black wins by h10, which makes two open threes: a foul in renju."""


def test_two_threes_win_where_they_are_no_foul():
    for rules in (Rules(15), Rules(15, 5, exact=True), Rules(15, 5, "caro")):
        board = Board.from_moves(CROSSED, rules)
        assert {board.to_text(move) for move in plain_attacks(board)} >= {"h10"}
        found = search_of(rules).find(board, ENOUGH)
        assert found.plies > 0
        assert is_proven(board, search_of(rules))
    board = Board.from_moves(CROSSED, Rules(15, 5, "renju"))
    assert "h10" not in {board.to_text(move) for move in plain_attacks(board)}
    found = search_of(board.rules).find(board, ENOUGH)
    assert not found.line or board.to_text(found.line[0]) != "h10"


def test_the_side_to_move_can_be_seen_to_lose():
    board = Board.from_moves(CROSSED + " h10", Rules(15))
    search = search_of(board.rules)
    assert search.is_lost(board, ENOUGH)
    board.pop()
    board.push(0 if 0 in board.legal_moves else 7)
    assert not search.is_lost(board, ENOUGH)


def test_limits_cut_it_and_the_same_limit_finds_the_same():
    board, search = Board.from_moves(LONG, Rules(15)), search_of(Rules(15))
    for limit in (Limit(nodes=0), Limit(nodes=1), Limit(seconds=0.0)):
        search.forget()
        found = search.find(board, limit)
        assert (found.line, found.plies, found.is_cut) == ((), 0, True)
        assert found.nodes <= 1
    kinds = set()
    for nodes in (40, 4000):
        search.forget()
        first = search.find(board, Limit(nodes=nodes))
        search.forget()
        assert search.find(board, Limit(nodes=nodes)) == first
        assert first.nodes <= nodes
        kinds.add(first.is_cut)
    assert kinds == {True, False}


def test_what_is_found_is_remembered_for_the_next_move():
    board = Board.from_moves(LONG, Rules(15))
    search = search_of(board.rules)
    search.forget()
    first = search.find(board, ENOUGH)
    assert first.plies >= 15
    assert len(first.line) > 5
    board.push(first.line[0])
    board.push(first.line[1])
    again = search.find(board, ENOUGH)
    assert again.plies == first.plies - 2
    assert again.nodes < first.nodes // 2


LONG = "f8 h10 h7 j10 i8 j9 g10 j8 j7 h9 g7 i7 h6 e9 h5 h8 i6 j11 j12 h11 h12 g4"

"""The search for continuous fours against a plain one that works from the rules alone."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ai.game import BLACK, EMPTY, WHITE, Board, Rules
from ai.game.lines import windows
from ai.kernels.position import KernelPosition
from ai.kernels.threats.points import five_point, pass_turn
from ai.search.base import Limit
from ai.search.fours import FourSearch

RULES = [
    Rules(9, 5),
    Rules(9, 5, exact=True),
    Rules(7, 4),
    Rules(5, 3),
    Rules(10, 6, exact=True),
    Rules(13, 5),
]
FIFTEEN = Rules(15, 5)


@cache
def search_of(rules):
    return FourSearch(rules)


class PlainFours:
    """Continuous fours from the windows of the board and its rows, on stones alone."""

    def __init__(self, board):
        rules = self.rules = board.rules
        self.stones = list(board.stones)
        self.windows = windows(rules.size, rules.win_length, rules.rows)

    def short_of_a_row(self, color, missing):
        """Return the empty points of windows in which only `missing` stones of a color lack."""
        found = set()
        for window in self.windows:
            empty = [move for move in window if self.stones[move] == EMPTY]
            own = sum(self.stones[move] == color for move in window)
            if len(empty) == missing and own == self.rules.win_length - missing:
                found.update(empty)
        return found

    def completes(self, move, color):
        """Return whether a stone makes a row; under the exact rule, one that is not too long."""
        self.stones[move] = color
        found = False
        for window in self.windows:
            if move in window and all(self.stones[point] == color for point in window):
                found |= not self.rules.exact or not self.is_longer(window, color)
        self.stones[move] = EMPTY
        return found

    def is_longer(self, window, color):
        size, step = self.rules.size, window[1] - window[0]
        for end, sign in ((window[0], -1), (window[-1], 1)):
            col = end % size
            after = end + sign * step
            next_col = col + sign * (0 if step == size else -1 if step == size - 1 else 1)
            is_on = 0 <= after < len(self.stones) and 0 <= next_col < size
            if is_on and self.stones[after] == color:
                return True
        return False

    def fives(self, color):
        return [move for move in self.short_of_a_row(color, 1) if self.completes(move, color)]

    def wins(self, color, deep):
        """Return whether `color`, to move, wins by fours, at most `deep` of them."""
        if self.fives(color):
            return True
        others = self.fives(-color)
        if deep == 0 or len(others) > 1:
            return False
        for move in self.short_of_a_row(color, 2) & set(others or range(len(self.stones))):
            self.stones[move] = color
            answers = self.fives(color)
            found = len(answers) > 1
            if len(answers) == 1:
                self.stones[answers[0]] = -color
                found = self.wins(color, deep - 1)
                self.stones[answers[0]] = EMPTY
            self.stones[move] = EMPTY
            if found:
                return True
        return False


def clustered(rules, seed, plies):
    """Return an undecided board of stones that lie close together."""
    rng, board, middle = np.random.default_rng(seed), Board(rules), rules.size // 2
    reach = min(middle, 3)
    while board.ply < min(plies, (2 * reach) ** 2):
        row, col = (middle + int(rng.integers(-reach, reach + 1)) for _ in range(2))
        move = row * rules.size + col
        if row < rules.size and col < rules.size and board.stones[move] == EMPTY:
            board.push(move)
            if board.outcome() is not None:
                board.pop()
                board.push(next(iter(board.legal_moves)))
                if board.outcome() is not None:
                    board.pop()
                    break
    return board


DEEP_ENOUGH = 6  # fours of the plain search


def check_line(board, color, line):
    """Play a win: each attack leaves a five, the answer is the only one, the last wins."""
    plain = PlainFours(board)
    for place, move in enumerate(line):
        assert plain.stones[move] == EMPTY
        mine = color if place % 2 == 0 else -color
        if place % 2:
            assert plain.fives(color) == [move]
        elif plain.completes(move, color):
            assert place == len(line) - 1
            return
        else:
            assert set(plain.fives(-color)) <= {move}
        plain.stones[move] = mine
    assert len(plain.fives(color)) > 1


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(RULES), st.integers(0, 10**6), st.integers(4, 22))
@example(RULES[0], 140053, 13)  # a win of nine fours
def test_it_agrees_with_trying_every_point(rules, seed, plies):
    board = clustered(rules, seed, plies)
    if board.outcome() is not None:
        return
    before = board.copy()
    for color in (BLACK, WHITE):
        found = search_of(rules).find(board, Limit(), color=color)
        assert (board, board.moves) == (before, before.moves)
        assert found.is_complete
        if found.line:
            check_line(board, color, found.line)
        if len(found.line) < 2 * DEEP_ENOUGH:  # the plain search looks no deeper
            assert bool(found.line) == PlainFours(board).wins(color, DEEP_ENOUGH)


def test_random_positions_hold_wins_of_every_length():
    """What the test above compares is worth comparing: of 400 boards, lines of 1, 3, 5 and more."""
    lengths = set()
    for seed in range(400):
        board = clustered(Rules(9), seed, 10 + seed % 12)
        if board.outcome() is None:
            lengths.add(len(search_of(Rules(9)).find(board, Limit()).line))
    assert {0, 1, 3, 5} <= lengths
    assert max(lengths) >= 7


DEEP = (
    "l6 e12 l5 f10 g5 k10 g10 h7 d12 j5 h5 f5 k8 f11 h11 e4 g9 f8 j12 f12 h8 l11 h10",
    "f3 i12 k6 j6 m3 l3 m6 c13 g5 h5 c4 c6 l12 m10 k10 j3 k8 m4 m11 j4 i7 m13",
    "m13 f6 k8 c7 k7 h10 g10 l5 d11 e5 h9 f9 g3 i9 k6 e13 i5 d7 d5 e9 m8 j9 g7 k5 d13 j3 m12 h3 "
    "j11",
)
"""Positions won by one, five and twelve fours."""


@pytest.mark.parametrize(("moves", "attacks"), list(zip(DEEP, (1, 5, 12), strict=True)))
def test_wins_of_many_fours_are_played_to_their_end(moves, attacks):
    board = Board.from_moves(moves, FIFTEEN)
    found = search_of(FIFTEEN).find(board, Limit())
    assert len(found.line) == 2 * attacks - 1
    check_line(board, board.to_move, found.line)


def test_limits_cut_the_search_and_say_so():
    board = Board.from_moves(DEEP[2], FIFTEEN)
    search = FourSearch(FIFTEEN)
    for limit in (Limit(nodes=1), Limit(nodes=0), Limit(seconds=0.0)):
        found = search.find(board, limit)
        assert (found.line, found.is_complete) == ((), False)
        assert found.nodes <= 1
    assert search.find(board, Limit()).line, "what was cut is not remembered as without a win"


@pytest.mark.parametrize("rules", [Rules(9), Rules(22)], ids=str)
def test_the_turn_is_passed_and_taken_back(rules):
    position = KernelPosition(rules)
    position.follow(Board.from_moves("c3 d4 c4 d5 c5 d6 c6", rules))
    key = position.key
    assert five_point(position.record, 0, -1) >= 0
    assert five_point(position.record, 1, -1) == -1
    pass_turn(position.record)
    assert position.key != key
    pass_turn(position.record)
    assert position.key == key

"""The board core against a slow scanner that works from the definitions alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import BLACK, EMPTY, WHITE, Board, Rules
from ai.game.lines import DIRECTIONS
from ai.kernels import layout
from ai.kernels.moves import best_class, place, scan_classes, take_back
from ai.kernels.patterns import class_table
from ai.kernels.position import KernelPosition

OUTSIDE = 7


class SlowLine:
    """One line of the board, a stone of `color` put on it at `index`."""

    def __init__(self, contents, index, color, rules):
        self.contents = [OUTSIDE, *contents, OUTSIDE]
        self.index = index + 1
        self.color = color
        self.rules = rules
        self.contents[self.index] = color

    def with_one_more(self, test):
        for place_at, content in enumerate(self.contents):
            if content == EMPTY:
                self.contents[place_at] = self.color
                found = test()
                self.contents[place_at] = EMPTY
                if found:
                    return True
        return False

    def is_five(self):
        before = after = 0
        while self.contents[self.index - before - 1] == self.color:
            before += 1
        while self.contents[self.index + after + 1] == self.color:
            after += 1
        run = before + after + 1
        return run == self.rules.win_length or (
            run > self.rules.win_length and not self.rules.exact
        )

    def is_open_four(self):
        """One stone short, in one piece, and a five from either end."""
        first = last = self.index
        while self.contents[first - 1] == self.color:
            first -= 1
        while self.contents[last + 1] == self.color:
            last += 1
        if last - first + 1 != self.rules.win_length - 1:
            return False
        for end in (first - 1, last + 1):
            if self.contents[end] != EMPTY:
                return False
            self.contents[end] = self.color
            makes_five = self.is_five()
            self.contents[end] = EMPTY
            if not makes_five:
                return False
        return True

    def is_four(self):
        return self.with_one_more(self.is_five)

    def is_open_three(self):
        return self.with_one_more(self.is_open_four)

    def is_three(self):
        return self.with_one_more(self.is_four)

    def is_open_two(self):
        return self.with_one_more(self.is_open_three)

    def line_class(self):
        for name in ("FIVE", "OPEN_FOUR", "FOUR", "OPEN_THREE", "THREE", "OPEN_TWO"):
            if getattr(self, "is_" + name.lower())():
                return getattr(layout, name)
        return layout.NONE


def slow_class(board, move, direction, color):
    row_step, col_step = DIRECTIONS[direction]
    row, col = divmod(move, board.size)
    while 0 <= row - row_step < board.size and 0 <= col - col_step < board.size:
        row, col = row - row_step, col - col_step
    points = []
    while 0 <= row < board.size and 0 <= col < board.size:
        points.append(row * board.size + col)
        row, col = row + row_step, col + col_step
    contents = [board.stones[point] for point in points]
    return SlowLine(contents, points.index(move), color, board.rules).line_class()


def slow_counts(board):
    points, stones = Counter(), Counter()
    for move, content in enumerate(board.stones):
        for direction in range(4):
            for side, color in enumerate((BLACK, WHITE)):
                if content == EMPTY:
                    points[side, slow_class(board, move, direction, color)] += 1
                elif content == color:
                    stones[side, slow_class(board, move, direction, color)] += 1
    return points, stones


def fast_counts(position):
    sides_and_classes = [(side, kind) for side in range(2) for kind in range(layout.CLASSES)]
    points = {pair: position.count_points(*pair) for pair in sides_and_classes}
    stones = {pair: position.count_stones(*pair) for pair in sides_and_classes}
    return Counter(points), Counter(stones)


RULES = [
    Rules(7, 5),
    Rules(9, 5, exact=True),
    Rules(3, 3),
    Rules(6, 4),
    Rules(8, 6),
    Rules(9, 7),
    Rules(8, 6, exact=True),
    Rules(5, 5),
]


def play_clustered(rules, numbers):
    """Play moves that lie close together, so that patterns come about."""
    board = Board(rules)
    for number in numbers:
        if board.outcome() is not None:
            break
        middle = rules.size // 2
        legal = sorted(
            board.legal_moves,
            key=lambda move: max(abs(move // rules.size - middle), abs(move % rules.size - middle)),
        )
        board.push(legal[number % min(len(legal), 16)])
    return board


numbers = st.lists(st.integers(0, 10**6), max_size=40)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(RULES), numbers)
def test_counters_agree_with_the_definitions(rules, numbers):
    board = play_clustered(rules, numbers)
    position = KernelPosition(rules)
    position.follow(board)
    assert fast_counts(position) == slow_counts(board)
    assert position.key == board.key
    assert position.moves == board.moves
    for move in range(0, rules.points, 5):
        classes = [position.line_class(move, direction, 1) for direction in range(4)]
        assert classes == [slow_class(board, move, d, WHITE) for d in range(4)] or (
            board.stones[move] == BLACK
        )
        assert best_class(position.record, move, 1) == max(classes)


def snapshot(position):
    record = position.record
    if isinstance(record, np.ndarray):
        return record.tobytes()
    return repr(record)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(RULES), numbers)
def test_take_back_undoes_place_to_the_last_byte(rules, numbers):
    board = play_clustered(rules, numbers)
    position = KernelPosition(rules)
    position.follow(board)
    if board.outcome() is not None:
        return
    dirty_places = position._fields.moves
    for move in board.legal_moves:
        before = snapshot(position)
        kept = int(dirty_places[board.ply])
        place(position.record, position.table, move)
        assert position.key != board.key
        take_back(position.record, position.table)
        dirty_places[board.ply] = kept  # a move taken back may stay behind the end of the list
        assert snapshot(position) == before


@settings(max_examples=40, deadline=None)
@given(numbers, numbers)
def test_follow_finds_its_way_from_any_game_to_any_other(first, second):
    position = KernelPosition(Rules(7))
    for moves in (first, second):
        board = play_clustered(Rules(7), moves)
        position.follow(board)
        direct = KernelPosition(Rules(7))
        direct.follow(board)
        assert fast_counts(position) == fast_counts(direct)
        assert (position.key, position.moves) == (direct.key, direct.moves)


@pytest.mark.parametrize("rules", [Rules(15, 5), Rules(15, 5, exact=True), Rules(9, 3)])
def test_the_scanner_and_the_table_agree(rules):
    rng = np.random.default_rng(5)
    for _ in range(6):
        position = KernelPosition(rules)
        board = Board(rules)
        for move in rng.permutation(rules.points)[: rng.integers(rules.points)]:
            board.push(int(move))
        position.follow(board)
        fields = position._fields
        for cell in map(int, fields.cells[: rules.points]):
            for direction in range(4):
                tabled = int(fields.line_classes[cell * 4 + direction])
                assert scan_classes(position.record, cell, direction) == tabled


def test_table_treats_both_colors_alike():
    table = class_table(5, exact=False)
    keys = np.arange(len(table))
    swapped = ((keys & 0x5555) << 1) | ((keys >> 1) & 0x5555)
    assert np.array_equal(table[swapped], (table >> 4) | ((table & 15) << 4))


@pytest.mark.parametrize(
    ("line", "line_class"),
    [
        ("XXXXX....", layout.FIVE),
        (".XXXX....", layout.OPEN_FOUR),
        ("OXXXX....", layout.FOUR),
        (".XX.XX...", layout.FOUR),
        ("..XXX....", layout.OPEN_THREE),
        (".X.XX....", layout.OPEN_THREE),
        ("OXXX.....", layout.THREE),
        ("O.XXX.O..", layout.THREE),
        ("...XX....", layout.OPEN_TWO),
        ("OXX......", layout.NONE),
        ("OXXXO....", layout.NONE),
        ("....X....", layout.NONE),
    ],
)
def test_textbook_patterns(line, line_class):
    rules = Rules(9)
    position = KernelPosition(rules)
    blacks = [36 + col for col, symbol in enumerate(line) if symbol == "X"]
    whites = [36 + col for col, symbol in enumerate(line) if symbol == "O"]
    far = [0, 4, 8, 72, 76, 80]  # stones that touch no line of the others
    whites += far[: len(blacks) - len(whites)]
    for black, white in zip(blacks, whites, strict=False):
        place(position.record, position.table, black)
        place(position.record, position.table, white)
    assert [position.line_class(move, 0, 0) for move in blacks] == [line_class] * len(blacks)

"""Five-row patterns: each class by hand, and whole lines against a twin that reads text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.evaluators.five_rows import TABLE, FiveRowEvaluator
from ai.game import Board, Rules, RulesError, symmetries
from ai.kernels.cross import lines
from ai.kernels.jit import fields_of

RULES = Rules(15, 5)
NAMES = ("Win", "H4", "C4", "H3", "M3", "H2", "M2", "S4", "S3", "S2")


def value_of(text, *, exact=False):
    """Return the value of a board whose only stones lie in its middle row: X Black, O White."""
    evaluator = FiveRowEvaluator(Rules(len(text), 5, exact=exact))
    middle = len(text) // 2 * len(text)
    for col, cell in enumerate(text):
        if cell != ".":
            lines.put_stone(evaluator.record, middle + col, 1 if cell == "X" else 2, 0)
    return int(fields_of(evaluator.record).total)


def test_table_2_has_ten_scores():
    assert list(TABLE.values()) == [100_000, 10_000, 100, 200, 50, 5, 3, -5, -5, -5]
    assert list(TABLE) == list(range(1, 11))


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("....XXXXX......", "Win"),
        ("....XXXX.......", "H4"),
        ("OXXXX..........", "C4 -"),
        ("....XXX.X......", "C4"),
        ("....XX.XX......", "C4"),
        ("....X.XXX.X....", "C4 C4"),
        ("....XXX.XXX....", "C4 C4"),
        ("....XXX........", "H3"),
        ("....XX.X.......", "H3"),
        ("OXXX...........", "M3 -"),
        ("....X.X.X......", "M3"),
        ("....XX..X......", "M3"),
        ("....XX.........", "H2"),
        ("....X.X........", "H2"),
        ("OXX............", "M2 -"),
        ("....X...X......", "M2"),
        (".......OXXXXO..", "S4 - -"),
        ("......OXXX.O...", "S3 - -"),
        ("XXO............", "S2 -"),
        ("OXX.O.......XX.", "S2 H2 - -"),
        ("OXX.O........XX", "S2 M2 - -"),
        ("....X..........", ""),
        ("X....X....X....", ""),
    ],
)  # fmt: skip
def test_each_pattern_is_told(text, patterns):
    expected = 0
    for word in patterns.split():
        if word != "-":
            expected += list(TABLE.values())[NAMES.index(word)]
    assert value_of(text) == expected
    assert value_of(text[::-1]) == expected
    assert value_of(text.translate(str.maketrans("XO", "OX"))) == -expected


def test_longer_rows_are_no_five_under_the_exact_rule():
    assert value_of("....XXXXXX.....") == 200_000  # two fives' worth of stones
    assert value_of("....XXXXXX.....", exact=True) == 0
    assert value_of("....XXXXX......", exact=True) == 100_000


def read(text, stone):
    """Return the value of one side's patterns on a line, by the definition alone."""
    other = "O" if stone == "X" else "X"
    counted = dict.fromkeys(NAMES, 0)
    for place, cell in enumerate(text):
        if cell != stone:
            continue
        windows = [text[start : start + 5] for start in range(max(0, place - 4), place + 1)]
        full = [item.count(stone) for item in windows if len(item) == 5 and other not in item]
        opened = [
            text[start : start + 6].count(stone)
            for start in range(max(0, place - 4), place)
            if len(text[start : start + 6]) == 6
            and other not in text[start : start + 6]
            and text[start] == text[start + 5] == "."
        ]
        if full:
            most, is_open = max(full), max(opened, default=0) == max(full)
            rank = {5: "Win", 4: "H4 C4", 3: "H3 M3", 2: "H2 M2"}.get(most, "").split()
            if rank:
                counted[rank[0] if is_open or most == 5 else rank[-1]] += 1
        else:
            before = text[:place].rpartition(other)[2]
            after = text[place:].partition(other)[0]
            held = (before + after).count(stone)
            if held > 1:
                counted[f"S{held}"] += 1
    sizes = (5, 4, 4, 3, 3, 2, 2, 4, 3, 2)
    return sum(
        math.ceil(counted[name] / size) * score
        for name, size, score in zip(NAMES, sizes, TABLE.values(), strict=True)
    )


@settings(max_examples=80, deadline=None)
@given(st.text("X.O", min_size=5, max_size=15))
def test_a_line_is_worth_what_its_text_says(text):
    # Of a board of one line the other directions hold single stones, which are no patterns.
    assert value_of(text) == read(text, "X") - read(text, "O")


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, 80), unique=True, max_size=40), st.integers(0, 30))
def test_following_a_game_equals_a_new_look(moves, back):
    rules = Rules(9, 5)
    followed, anew = FiveRowEvaluator(rules), FiveRowEvaluator(rules, scans_all=True)
    board = Board(rules)
    for move in moves:
        board.push(move)
    followed.score(board)
    for _ in range(min(back, board.ply)):
        board.pop()
    assert followed.score(board) == anew.score(board)
    total = 0
    stones = np.array(board.stones).reshape(9, 9)
    for grid in (stones, stones[:, ::-1]):
        views = [*grid] if grid is stones else [*grid.T]
        diagonals = [np.diagonal(grid, shift) for shift in range(-8, 9)]
        for line in (*views, *diagonals):
            text = "".join("O.X"[int(cell) + 1] for cell in line)
            total += read(text, "X") - read(text, "O")
    assert followed.score(board) == total * board.to_move


def test_it_is_worth_the_same_turned():
    board = Board.from_moves("h8 i9 j8 k7 g8 h9", RULES)
    evaluator = FiveRowEvaluator(RULES)
    for image in symmetries(15):
        turned = Board(RULES)
        for move in board.moves:
            turned.push(int(image[move]))
        assert evaluator.score(turned) == evaluator.score(board)


def test_a_stone_scans_its_cross_alone():
    cross, full = FiveRowEvaluator(RULES), FiveRowEvaluator(RULES, scans_all=True)
    board = Board.from_moves("h8", RULES)
    assert (cross.score(board), full.score(board)) == (0, 0)
    assert (cross.scans, full.scans) == (4, 2 * 15 + 2 * 29)


def test_other_boards_are_refused():
    with pytest.raises(RulesError):
        FiveRowEvaluator(Rules(7, 4, height=6, gravity=True))

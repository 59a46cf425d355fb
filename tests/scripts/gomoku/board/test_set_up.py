"""Positions set up by hand: what can be played on from, and what is wrong with the others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai import BLACK, EMPTY, WHITE, Rule, Rules, from_text, read_position, replayed, write_position
from scripts.gomoku.board.set_up import SetUp


def set_up(black: str, white: str = "", rule: str = "freestyle", to_move: int = BLACK) -> SetUp:
    made = SetUp.empty(Rules(15, 5, Rule(rule)))
    for words, color in ((black, BLACK), (white, WHITE)):
        for word in words.split():
            made = made.with_stone(from_text(word, 15), color)
    return SetUp(made.rules, made.stones, to_move)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.integers(0, 224), st.sampled_from([BLACK, WHITE]), max_size=30),
    st.sampled_from([BLACK, WHITE]),
    st.sampled_from([Rule.FREESTYLE, Rule.STANDARD, Rule.RENJU, Rule.CARO]),
)
def test_a_sound_position_is_laid_as_it_is_and_a_faulty_one_says_so(stones, to_move, rule):
    made = SetUp.empty(Rules(15, 5, rule))
    for point, color in stones.items():
        made = made.with_stone(point, color)
    made = SetUp(made.rules, made.stones, to_move)
    if made.fault:
        return
    position = replayed(made.rules, made.record().moves)
    assert tuple(position.stones) == made.stones
    assert position.to_move == to_move
    assert position.outcome() is None
    assert SetUp.of_game(read_position(write_position(made.written()))) == made


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (set_up("a1 b1 c1 d1 e1"), "Black has 5 in a row, a1 to e1: the game is over"),
        (set_up("", "c3 d4 e5 f6 g7", to_move=WHITE), "White has 5 in a row"),
        (set_up("a1 b1 c1 d1 e1 f1", rule="renju"), "is an overline, which renju forbids"),
        (set_up("a1 b1 c1 d1 e1 f1", rule="freestyle"), "Black has 6 in a row"),
        (SetUp(Rules(3, 3), (1, -1, 1, 1, -1, -1, -1, 1, 1)), "The board is full"),
    ],
)
def test_a_position_that_is_over_says_why(made, told):
    assert told in made.fault


def test_six_in_a_row_is_laid_where_only_five_win():
    made = set_up("a1 b1 c1 d1 e1 f1", "a3 b3 c3 d3 f3 g3", rule="standard")
    assert made.fault == ""
    assert tuple(replayed(made.rules, made.record().moves).stones) == made.stones


def test_stones_that_no_turns_lay_are_noted():
    assert set_up("h8", "i8").note == ""
    assert set_up("h8", to_move=WHITE).note == ""
    assert "3 black and 0 white stones with Black to move" in set_up("h8 i8 j8").note
    assert set_up("h8 i8 j8").fault == ""


def test_another_size_keeps_the_stones_around_the_middle():
    made = set_up("h8", "a1")
    smaller = made.with_rules(Rules(9))
    assert smaller.stones[from_text("e5", 9)] == BLACK
    assert smaller.stones.count(WHITE) == 0
    assert smaller.with_rules(Rules(15)).stones[from_text("h8", 15)] == BLACK


@pytest.mark.parametrize(
    ("tool", "there", "left", "next_side"),
    [
        ("turns", EMPTY, BLACK, WHITE), ("turns", WHITE, EMPTY, WHITE),
        ("black", EMPTY, BLACK, BLACK), ("black", BLACK, EMPTY, BLACK),
        ("black", WHITE, BLACK, BLACK), ("white", BLACK, WHITE, BLACK),
        ("remove", WHITE, EMPTY, BLACK), ("remove", EMPTY, EMPTY, BLACK),
    ],
)  # fmt: skip
def test_a_click_puts_or_takes_a_stone_by_its_tool(tool, there, left, next_side):
    before = SetUp.empty(Rules(7)).with_stone(3, there)
    after = before.with_click(3, tool)
    assert (after.stones[3], after.to_move) == (left, next_side)
    assert after.with_stone(3, there).stones == before.stones

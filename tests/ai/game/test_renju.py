"""Fouls of Black: positions checked by hand, and a slow reading of the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    Board,
    Foul,
    IllegalMoveError,
    Outcome,
    Rules,
    RulesError,
    Termination,
    find_threats,
    from_text,
    replayed,
)
from ai.game.renju import find_foul, foul_points

RENJU = Rules(15, 5, "renju")
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def stones_of(black, white="", size=15):
    stones = [EMPTY] * (size * size)
    for color, text in ((BLACK, black), (WHITE, white)):
        for point in text.split():
            stones[from_text(point, size)] = color
    return stones


def foul_at(point, black, white=""):
    return find_foul(stones_of(black, white), from_text(point, 15), 15, 15)


CHECKED = {
    "two threes cross": ("h8", "h6 h7 i8 j8", "", Foul.DOUBLE_THREE),
    "two threes with gaps": ("h8", "h5 h7 i8 k8", "", Foul.DOUBLE_THREE),
    "three threes": ("h8", "h6 h7 i8 j8 i9 j10", "", Foul.DOUBLE_THREE),
    "a three and a closed three": ("h8", "h6 h7 i8 j8", "k8", None),
    "two threes at the edge": ("a8", "b8 c8 a9 a10", "", None),
    "two straight fours": ("h8", "h5 h6 h7 i8 j8 k8", "", Foul.DOUBLE_FOUR),
    "two closed fours": ("h8", "h5 h6 h7 i8 j8 k8", "h4 l8", Foul.DOUBLE_FOUR),
    "a four and a four that cannot grow": ("h8", "h5 h6 h7 i8 j8 k8", "h4 h9", None),
    "a four and a three": ("h8", "h5 h6 h7 i8 j8", "", None),
    "a four and two threes": ("h8", "h5 h6 h7 i8 j8 i9 j10", "", Foul.DOUBLE_THREE),
    "X.XXX.X is two fours": ("g8", "d8 f8 h8 j8", "", Foul.DOUBLE_FOUR),
    "XX.XX.XX is two fours": ("g8", "c8 d8 f8 i8 j8", "", Foul.DOUBLE_FOUR),
    "XXX.X.XXX is two fours": ("f8", "b8 c8 d8 h8 i8 j8", "", Foul.DOUBLE_FOUR),
    "a straight four is one four": ("h8", "e8 f8 g8", "", None),
    "six": ("g8", "d8 e8 f8 h8 i8", "", Foul.OVERLINE),
    "nine": ("g8", "c8 d8 e8 f8 h8 i8 j8 k8", "", Foul.OVERLINE),
    "five": ("h8", "d8 e8 f8 g8", "", None),
    "five over six": ("h8", "h4 h5 h6 h7 d8 e8 f8 g8 i8", "", None),
    "five over two threes": ("h8", "h4 h5 h6 h7 i8 j8 i9 j10", "h3", None),
    "five over two fours": ("h8", "h4 h5 h6 h7 i8 j8 k8 i9 j10 k11", "", None),
    # A three to which only a six would lead: b8 stands one point too near.
    "fake three, a six would follow": ("g8", "b8 e8 f8 g9 g10", "i8", None),
    "the same without the sixth stone": ("g8", "e8 f8 g9 g10", "i8", Foul.DOUBLE_THREE),
    # The row can grow at g8 and k8 alone, and both are sixes of their columns.
    "fake three, its points are sixes": (
        "h8", "h6 h7 i8 j8 g5 g6 g7 g9 g10 k5 k6 k7 k9 k10", "", None,
    ),
    "one of the points is free": ("h8", "h6 h7 i8 j8 k5 k6 k7 k9 k10", "", Foul.DOUBLE_THREE),
    # The row can grow at k8 alone, and k8 would be two fours: the row and the column.
    "fake three, its point is two fours": ("h8", "h6 h7 i8 j8 k5 k6 k7", "f8 k4", None),
    # The row can grow at k8 alone: k8 is a double three by column and diagonal, so no three.
    "fake three, its point is a double three": ("h8", "h6 h7 i8 j8 k6 k7 l9 m10", "f8", None),
    "its point is one three": ("h8", "h6 h7 i8 j8 k6 k7", "f8", Foul.DOUBLE_THREE),
    # And once more: k8's diagonal is no three, as its points n11 and j7 are sixes.
    "a double three that is fake itself": (
        "h8",
        "h6 h7 i8 j8 k6 k7 l9 m10 n8 n9 n10 n12 n13 j4 j5 j6 j9",
        "f8",
        Foul.DOUBLE_THREE,
    ),
    # Of b8 . d8 e8 f8 g8 with White at h8 only a six can come.
    "fake four": ("g8", "b8 d8 e8 f8 g9 g10 g11", "h8", None),
    "the four is real": ("g8", "b8 d8 e8 f8 g9 g10 g11", "", Foul.DOUBLE_FOUR),
}  # fmt: skip


@pytest.mark.parametrize(("point", "black", "white", "foul"), CHECKED.values(), ids=CHECKED)
def test_positions_checked_by_hand(point, black, white, foul):
    assert foul_at(point, black, white) == foul
    grid = {
        (number // 15, number % 15): color for number, color in enumerate(stones_of(black, white))
    }
    number = from_text(point, 15)
    assert slow_foul(grid, (number // 15, number % 15)) == foul


# -- a slow reading of the definitions ------------------------------------------------------------


def run_of(grid, at, step):
    """Return the black stones in a row with `at`, itself included."""
    found = {at}
    for sign in (1, -1):
        row, col = at
        while grid.get((row + sign * step[0], col + sign * step[1])) == BLACK:
            row, col = row + sign * step[0], col + sign * step[1]
            found.add((row, col))
    return frozenset(found)


def on_line(at, step):
    return [(at[0] + k * step[0], at[1] + k * step[1]) for k in range(-5, 6) if k]


def fours_of(grid, at, step):
    """Return the fours with `at`, each with the points that complete it."""
    found = {}
    for point in on_line(at, step):
        if grid.get(point) == EMPTY:
            after = {**grid, point: BLACK}
            row = run_of(after, at, step)
            if point in row and len(row) == 5:
                found.setdefault(row - {point}, []).append(point)
    return found


def is_five(grid, at):
    return any(len(run_of(grid, at, step)) == 5 for step in STEPS)


def has_three(grid, at, step):
    for point in on_line(at, step):
        if grid.get(point) != EMPTY:
            continue
        after = {**grid, point: BLACK}
        fours = fours_of(after, at, step)
        straight = [four for four, ends in fours.items() if len(ends) == 2 and point in four]
        if straight and not is_five(after, point) and slow_foul(grid, point) is None:
            return True
    return False


def slow_foul(grid, at):
    after = {**grid, at: BLACK}
    if is_five(after, at):
        return None
    if any(len(run_of(after, at, step)) > 5 for step in STEPS):
        return Foul.OVERLINE
    if sum(len(fours_of(after, at, step)) for step in STEPS) > 1:
        return Foul.DOUBLE_FOUR
    if sum(has_three(after, at, step) for step in STEPS) > 1:
        return Foul.DOUBLE_THREE
    return None


def slow_fouls(stones, size):
    grid = {(number // size, number % size): color for number, color in enumerate(stones)}
    found = {}
    for number, color in enumerate(stones):
        at = (number // size, number % size)
        near = sum(grid.get((at[0] + i, at[1] + j)) == BLACK
                   for i in range(-4, 5) for j in range(-4, 5))  # fmt: skip
        foul = slow_foul(grid, at) if color == EMPTY and near >= 4 else None
        if foul is not None:
            found[number] = foul
    return found


def drawn_stones(seed, size):
    """Return stones of which many are black, here and there in one half of the board."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.1, 0.45)
    colors = rng.choice([BLACK, WHITE, EMPTY], size * size, p=[share, share / 4, 1 - share * 5 / 4])
    return colors.tolist()


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32), st.integers(5, 9))
def test_fouls_are_those_of_the_definitions(seed, size):
    stones = drawn_stones(seed, size)
    assert foul_points(stones, size, size) == slow_fouls(stones, size)


@pytest.mark.nightly
def test_fouls_of_many_boards_are_those_of_the_definitions():
    seen = set()
    for seed in range(150):
        stones = drawn_stones(seed, 5 + seed % 11)
        found = foul_points(stones, 5 + seed % 11, 5 + seed % 11)
        assert found == slow_fouls(stones, 5 + seed % 11), seed
        seen.update(found.values())
    assert seen == set(Foul)


# -- on the board ---------------------------------------------------------------------------------

# Black h6 h7 i8 j8 and White far away; Black to move.
DOUBLE = "h6 a1 h7 c1 i8 e1 j8 g1"


def test_a_foul_is_no_legal_move_of_black():
    board = Board.from_moves(DOUBLE, RENJU)
    h8 = from_text("h8", 15)
    assert board.foul(h8) is Foul.DOUBLE_THREE
    assert board.fouls() == {h8: Foul.DOUBLE_THREE}
    assert h8 not in board.legal_moves
    assert h8 not in list(board.legal_moves)
    assert board.legal_moves.count() == len(list(board.legal_moves)) == 225 - 8 - 1
    assert not board.legal_moves.mask()[h8]
    with pytest.raises(IllegalMoveError, match="expected no foul of black, found the double three"):
        board.play(h8)


def test_white_may_play_what_black_must_not():
    board = Board.from_moves(DOUBLE + " o15", RENJU)
    h8 = from_text("h8", 15)
    assert board.fouls() == {}
    assert h8 in board.legal_moves
    freestyle = Board.from_moves(DOUBLE, Rules(15, 5))
    assert h8 in freestyle.legal_moves


def test_white_wins_with_six_and_black_with_exactly_five():
    white = Board.from_moves("a1 d8 c1 e8 e1 f8 g1 h8 i1 i8 k1 g8", RENJU)
    assert white.outcome() == Outcome(WHITE, Termination.FIVE)
    black = Board.from_moves("d8 a1 e8 c1 f8 e1 g8 g1 h8", RENJU)
    assert black.outcome() == Outcome(BLACK, Termination.FIVE)


def test_black_is_not_threatening_where_it_must_not_play():
    rules, stones = RENJU, stones_of("h5 h6 h7 i8 j8 k8")
    h8 = from_text("h8", 15)
    assert h8 not in {threat.point for threat in find_threats(stones, rules)}
    assert h8 in {threat.point for threat in find_threats(stones, Rules(15, 5))}


def test_the_game_ends_where_fouls_are_all_that_black_could_play():
    # Each empty point of this full board lies between five and more black stones.
    stones = np.full((7, 7), BLACK, np.int8)
    stones[3, 3] = EMPTY
    board = Board(Rules(7, 5, "renju", full_board_winner=WHITE))
    board.stones = stones.ravel().tolist()
    board.moves = [point for point in range(49) if point != 24]
    assert board.fouls() == {24: Foul.OVERLINE}
    assert board.outcome() == Outcome(WHITE, Termination.FULL)
    board.moves.append(PASS)
    board.to_move = WHITE
    assert board.outcome() is None


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"win_length": 4}, "renju is five in a row without gravity, found 4 in a row"),
        ({"gravity": True}, "found 5 in a row with gravity"),
    ],
)
def test_renju_is_five_in_a_row_without_gravity(values, fault):
    with pytest.raises(RulesError, match=fault):
        Rules(**{"size": 15, "win_length": 5, "rule": "renju", **values})


OVERLINE = "h8 a1 i8 a2 j8 a3 l8 a4 m8 a6 k8"


def test_a_recorded_game_ends_by_a_foul_and_white_wins():
    board = replayed(RENJU, OVERLINE)
    assert board.outcome() == Outcome(WHITE, Termination.FOUL)
    assert board.foul_made() is Foul.OVERLINE
    assert not board.legal_moves
    assert from_text("a7", 15) not in board.legal_moves
    with pytest.raises(IllegalMoveError, match="no move after the end"):
        board.play(from_text("a7", 15))
    assert board.pop() == from_text("k8", 15)
    assert board == replayed(RENJU, OVERLINE.rsplit(maxsplit=1)[0])
    assert board.outcome() is None


def test_a_foul_that_nobody_claimed_leaves_the_game_going_on():
    board = replayed(RENJU, f"{OVERLINE} a7 a8")
    assert board.outcome() is None
    assert board.ply == 13


def test_a_pass_changes_the_turn_and_nothing_else():
    for rules in (Rules(9), Rules(9, 5, "renju")):
        board = replayed(rules, "e5 pass e6")
        assert (board.stones.count(BLACK), board.to_move, board.ply) == (2, WHITE, 3)
        assert rules.stones_after(board.moves).tolist() == board.stones
        assert len(list(board.legal_moves)) == board.legal_moves.count() == 79
        empty = Board(rules)
        for _ in range(3):
            board.pop()
        assert (board == empty, board.key) == (True, 0)
    with pytest.raises(IllegalMoveError, match="from 0 to 80, found -1"):
        Board(Rules(9)).play(-1)


def test_passes_do_not_fill_a_board():
    board = replayed(Rules(3, 3), "pass pass pass pass pass pass pass pass pass a1")
    assert board.outcome() is None

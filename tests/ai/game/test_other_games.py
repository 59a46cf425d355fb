"""Boards that are no square, and stones that fall: laws, and counts known from elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import (
    BLACK,
    EMPTY,
    Board,
    CoordinateError,
    GameRecord,
    IllegalMoveError,
    Rules,
    RulesError,
    from_text,
    invert,
    landing_points,
    opening_points,
    playable,
    symmetries,
    to_text,
)

CONNECT_FOUR = Rules(7, 4, height=6, gravity=True)


@st.composite
def other_rules(draw):
    size, height = draw(st.integers(3, 9)), draw(st.integers(3, 9))
    return Rules(
        size,
        draw(st.integers(3, max(size, height))),
        exact=draw(st.booleans()),
        height=height,
        gravity=draw(st.booleans()),
    )


@st.composite
def games(draw, rules=None):
    board = Board(draw(other_rules()) if rules is None else rules)
    for number in draw(st.lists(st.integers(0, 10**6), max_size=80)):
        if board.outcome() is not None:
            break
        legal = list(board.legal_moves)
        board.play(legal[number % len(legal)])
    return board


def slow_winners(board):
    """Walk along every line of the whole grid, run by run."""
    grid, needed = board.array(), board.rules.win_length
    rows, columns = grid.shape
    lines = [*grid, *grid.T]
    for shift in range(-rows, columns):
        lines += [grid.diagonal(shift), grid[:, ::-1].diagonal(shift)]
    won = set()
    for line in lines:
        run, before = 0, EMPTY
        for color in [*line.tolist(), 9]:
            if color == before:
                run += 1
                continue
            if before != EMPTY and (run == needed or (run > needed and not board.rules.exact)):
                won.add(before)
            run, before = 1, color
    return won


@given(games())
def test_a_row_is_found_when_it_is_there(board):
    outcome = board.outcome()
    winner = slow_winners(board)
    if winner:
        assert {outcome.winner} == winner
        assert {board.stones[point] for point in board.winning_line()} == winner
    else:
        assert outcome is None or (outcome.is_draw and board.ply == board.rules.points)


@given(games())
def test_where_stones_fall_none_hangs_in_the_air(board):
    grid = board.array()
    if board.rules.gravity:
        for column in grid.T:
            assert np.all(np.diff((column != EMPTY).astype(int)) >= 0), "empty above, stones below"
        drops = landing_points(board.stones, board.size)
        assert [move % board.size for move in drops] == sorted(
            {move % board.size for move in drops}
        )
    else:
        drops = [move for move, color in enumerate(board.stones) if color == EMPTY]
    points = playable(np.array(board.stones, np.int8), board.rules)
    assert np.flatnonzero(points).tolist() == sorted(drops)
    legal = board.legal_moves
    if board.outcome() is None:
        assert sorted(legal) == sorted(drops) == np.flatnonzero(legal.mask()).tolist()
        assert len(legal) == len(drops)
        assert all(move in legal for move in drops)
        assert all(move not in legal for move in range(board.rules.points) if move not in drops)
    else:
        assert (list(legal), len(legal), legal.mask().any()) == ([], 0, False)


@given(games())
def test_text_and_record_and_repr_come_back(board):
    size, rows = board.size, board.rules.rows
    assert all(from_text(to_text(move, size, rows), size, rows) == move for move in board.moves)
    assert eval(repr(board), {"Board": Board, "Rules": Rules}) == board
    if board.outcome() is not None:
        record = GameRecord.from_board(board, 1)
        assert GameRecord.from_dict(record.as_dict()) == record
    while board.ply:
        board.pop()
    assert board == Board(board.rules)
    assert board.key == 0


@given(games(), st.integers(0, 7))
def test_a_symmetry_carries_games_to_games(board, number):
    tables = board.rules.symmetries()
    table = tables[number % len(tables)]
    twin = Board.from_moves([int(invert(table)[move]) for move in board.moves], board.rules)
    assert np.array_equal(np.array(board.stones)[table], twin.stones)
    assert (twin.outcome() is None) == (board.outcome() is None)


def test_the_symmetries_are_all_there_are():
    assert len(CONNECT_FOUR.symmetries()) == 2
    assert len(Rules(7, 4, height=6).symmetries()) == 4
    assert np.array_equal(Rules(7).symmetries(), symmetries(7))
    assert len({tuple(table) for table in Rules(5, 4, height=4).symmetries().tolist()}) == 4


def test_connect_four_has_as_many_positions_as_others_count():
    """Positions after each ply: OEIS A212693."""
    level, counts = {0: Board(CONNECT_FOUR)}, [1]
    for _ in range(5):
        following = {}
        for board in level.values():
            for move in board.legal_moves:
                board.push(move)
                following.setdefault(board.key, board.copy())
                board.pop()
        level = following
        counts.append(len(level))
    assert counts == [1, 7, 49, 238, 1120, 4263]


def test_a_disc_goes_to_the_bottom():
    board = Board.from_moves("d1 d2 d3", CONNECT_FOUR)
    assert board.to_text(board.moves[0]) == "d1"
    assert board.moves[0] == 38
    assert " ".join(map(board.to_text, board.legal_moves)) == "a1 b1 c1 d4 e1 f1 g1"
    with pytest.raises(IllegalMoveError, match="lowest empty point of its column, found 'd5'"):
        board.play(from_text("d5", 7, 6))
    with pytest.raises(CoordinateError, match="from 'a1' to 'g6'"):
        from_text("a7", 7, 6)
    assert [board.to_text(move) for move in opening_points(CONNECT_FOUR)] == ["c1", "d1", "e1"]


@pytest.mark.parametrize(
    "moves",
    ["a1 a2 b1 b2 c1 c2 d1", "d1 c1 d2 c2 d3 c3 d4", "a1 b1 b2 c1 d1 c2 c3 d2 d3 g1 d4"],
    ids=["along", "up", "slanting"],
)
def test_four_in_a_row(moves):
    board = Board.from_moves(moves, CONNECT_FOUR)
    assert board.outcome().winner == BLACK
    assert len(board.winning_line()) == 4


def test_a_square_has_one_description_and_old_files_are_read():
    assert Rules(7, 5, height=7) == Rules(7, 5)
    assert Rules(7, 5).as_dict().keys() == {"size", "win_length", "exact", "full_board_winner"}
    assert Rules(**CONNECT_FOUR.as_dict()) == CONNECT_FOUR
    assert (Rules(7).is_plain, CONNECT_FOUR.is_plain, CONNECT_FOUR.points) == (True, False, 42)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"size": 7, "height": 2}, "height: expected None or an int from 3 to 22, found 2"),
        ({"size": 7, "height": 6.0}, "height: .* found 6.0"),
        ({"size": 7, "win_length": 8, "height": 6}, "win_length: .* to the size 7, found 8"),
        ({"size": 7, "gravity": 1}, "gravity: expected a bool, found 1"),
    ],
)
def test_impossible_boards_are_refused(values, fault):
    with pytest.raises(RulesError, match=fault):
        Rules(**values)


@settings(max_examples=30)
@given(games())
def test_completes_row_says_what_a_move_would_do(board):
    for move in board.legal_moves:
        with board.played(move):
            wins = board.is_decided
        assert board.completes_row(move, board.to_move) == wins


@pytest.mark.parametrize(
    ("rules", "is_plain"),
    [
        (Rules(7, 5), True),
        (Rules(7, 4, height=6), False),
        (Rules(7, 4, gravity=True), False),
        (Rules(7, 4, height=6, gravity=True), False),
    ],
)
def test_a_game_is_plain_on_a_square_without_gravity_alone(rules, is_plain):
    assert rules.is_plain == is_plain

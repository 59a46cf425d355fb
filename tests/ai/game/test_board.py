from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import (
    BLACK,
    EMPTY,
    WHITE,
    Board,
    GameOverError,
    IllegalMoveError,
    Outcome,
    Rules,
    RulesError,
    Termination,
)
from ai.game.lines import windows


@st.composite
def rules_of_any_kind(draw):
    size = draw(st.integers(3, 20))
    return Rules(
        size=size,
        win_length=draw(st.integers(3, size)),
        exact=draw(st.booleans()),
        full_board_winner=draw(st.sampled_from([BLACK, WHITE, EMPTY])),
    )


@st.composite
def games(draw):
    board = Board(draw(rules_of_any_kind()))
    numbers = draw(st.lists(st.integers(0, 10**6), max_size=60))
    for number in numbers:
        if board.outcome() is not None:
            break
        legal = list(board.legal_moves)
        board.push(legal[number % len(legal)])
    return board


def slow_winner(board):
    """Look at every window of the whole board."""
    length = board.rules.win_length
    stones = board.stones
    for window in windows(board.size, length):
        color = stones[window[0]]
        if color == EMPTY or any(stones[point] != color for point in window):
            continue
        if not board.rules.exact:
            return color
        step = np.subtract(divmod(window[1], board.size), divmod(window[0], board.size))
        ends = (
            np.subtract(divmod(window[0], board.size), step),
            np.add(divmod(window[-1], board.size), step),
        )
        if all(
            not (0 <= row < board.size and 0 <= col < board.size)
            or stones[row * board.size + col] != color
            for row, col in ends
        ):
            return color
    return EMPTY


@given(games())
def test_incremental_win_check_agrees_with_a_full_scan(board):
    replay = Board(board.rules)
    for move in board.moves:
        assert slow_winner(replay) == EMPTY
        replay.push(move)
    winner = slow_winner(board)
    outcome = board.outcome()
    if winner != EMPTY:
        assert outcome == Outcome(winner, Termination.FIVE)
        line = board.winning_line()
        assert len(line) >= board.rules.win_length
        assert all(board.stones[point] == winner for point in line)
        assert board.moves[-1] in line
    elif board.ply == board.rules.points:
        assert outcome == Outcome(board.rules.full_board_winner, Termination.FULL)
    else:
        assert outcome is None
        assert board.winning_line() == ()


@given(games(), st.integers(0, 10**6))
def test_pop_undoes_push(board, number):
    if board.outcome() is not None:
        return
    before = board.copy()
    legal = list(board.legal_moves)
    move = legal[number % len(legal)]
    board.push(move)
    assert board != before
    assert board.key != before.key
    assert board.pop() == move
    assert board == before
    assert (board.key, board.moves, board.to_move) == (before.key, before.moves, before.to_move)
    assert board.winning_line() == before.winning_line()


@given(games())
def test_taking_everything_back_gives_the_empty_board(board):
    while board.ply:
        board.pop()
    assert board == Board(board.rules)
    assert board.key == 0


@given(games())
def test_repr_can_be_pasted(board):
    twin = eval(repr(board), {"Board": Board, "Rules": Rules})
    assert twin == board
    assert (twin.moves, twin.key) == (board.moves, board.key)


@given(games(), st.randoms())
def test_key_depends_on_the_position_alone(board, random):
    if board.is_decided:
        return
    black, white = board.moves[::2], board.moves[1::2]
    random.shuffle(black)
    random.shuffle(white)
    other = Board(board.rules)
    for ply in range(board.ply):
        other.push((white if ply % 2 else black)[ply // 2])
    assert other.key == board.key
    assert np.array_equal(other.array(), board.array())


@given(games())
def test_legal_moves_is_a_view(board):
    legal = board.legal_moves
    if board.outcome() is not None:
        assert (list(legal), legal.count(), bool(legal)) == ([], 0, False)
        assert not legal.mask().any()
        return
    assert sorted(legal) == np.flatnonzero(board.array().ravel() == EMPTY).tolist()
    assert legal.count() == len(legal) == legal.mask().sum() == len(list(legal))
    first = next(iter(legal))
    assert first in legal
    board.push(first)
    assert first not in legal
    assert -1 not in legal
    assert board.rules.points not in legal
    assert "d4" not in legal


def test_played_takes_back_even_when_the_block_fails():
    board = Board(Rules(7))
    with board.played(24) as same:
        assert same is board
        assert board.ply == 1
    with pytest.raises(KeyError), board.played(24):
        raise KeyError
    assert board == Board(Rules(7))


def test_play_refuses_what_the_rules_forbid():
    board = Board.from_moves("d4", Rules(7))
    with pytest.raises(IllegalMoveError, match="expected an empty point, found 'd4' held by black"):
        board.play(24)
    with pytest.raises(IllegalMoveError, match="from 0 to 48, found 49"):
        board.play(49)
    with pytest.raises(IllegalMoveError, match="as an int, found 'd4'"):
        board.play("d4")
    over = Board.from_moves("a1 b1 a2 b2 a3", Rules(3, 3))
    with pytest.raises(GameOverError, match="found 'c3'"):
        over.play(2)


def test_an_overline_wins_unless_the_rules_are_exact():
    moves = [0, 7, 1, 8, 2, 9, 4, 10, 5, 20, 3]
    free = Board.from_moves(moves, Rules(7))
    assert free.outcome() == Outcome(BLACK, Termination.FIVE)
    assert free.winning_line() == (0, 1, 2, 3, 4, 5)
    assert Board.from_moves(moves, Rules(7, exact=True)).outcome() is None


@pytest.mark.parametrize("winner", [WHITE, EMPTY, BLACK])
def test_a_full_board_is_won_by_whom_the_rules_say(winner):
    rules = Rules(3, 3, full_board_winner=winner)
    full = Board.from_moves([0, 1, 2, 4, 3, 5, 7, 6, 8], rules)
    assert full.outcome() == Outcome(winner, Termination.FULL)
    assert full.outcome().is_draw == (winner == EMPTY)
    assert not full.legal_moves


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"size": 2}, "size: expected an int from 3 to 22, found 2"),
        ({"size": 23}, "found 23"),
        ({"size": 7.0}, "found 7.0"),
        ({"size": True}, "found True"),
        ({"size": 7, "win_length": 8}, "win_length: expected an int from 3 to the size 7, found 8"),
        ({"exact": 1}, "exact: expected a bool, found 1"),
        ({"full_board_winner": 2}, "full_board_winner: expected 1, -1 or 0, found 2"),
    ],
)
def test_impossible_rules_are_refused(values, fault):
    with pytest.raises(RulesError, match=fault):
        Rules(**values)


@settings(max_examples=20)
@given(games())
def test_copy_is_independent(board):
    twin = board.copy()
    while twin.ply:
        twin.pop()
    assert twin == Board(board.rules)
    assert board.ply == len(board.moves)


def test_a_board_has_no_hash():
    with pytest.raises(TypeError):
        hash(Board())

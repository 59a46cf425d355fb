"""Pictures of boards that are seen from afar."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.gomoku.board.board_painter import BoardPainter
from scripts.gomoku.board.view_state import ViewState

MOVES = (24, 25, 17, 31, 10)


@pytest.fixture(scope="module")
def board():
    return BoardPainter(7)


def state(moves, line=()):
    """Return what a board of 7 points shows after these moves."""
    stones = [0] * 49
    for ply, move in enumerate(moves):
        stones[move] = (-1) ** ply
    return ViewState(7, 7, tuple(stones), tuple(moves), line=line)


def patch(board, picture, move):
    x, y = (round(value) for value in board._place(move))
    return picture[y - 5 : y + 6, x - 5 : x + 6].astype(int)


def test_stones_lie_where_they_were_played_in_their_colours(board):
    picture = board.paint(state((*MOVES, 0)))
    assert patch(board, picture, 17).mean() < 90
    assert patch(board, picture, 31).mean() > 180
    empty = np.abs(picture.astype(int) - board.empty).max(axis=2)
    assert empty[-20:, -20:].max() == 0, "far from every stone the wood is bare"


def test_the_last_move_is_marked_and_a_winning_row_instead_of_it(board):
    last = patch(board, board.paint(state(MOVES)), 10)
    before = patch(board, board.paint(state((*MOVES, 0))), 10)
    assert np.abs(last - before).max() > 60
    row = board.paint(state((*MOVES, 0), (24, 17, 10)))
    assert (
        np.abs(patch(board, row, 24) - patch(board, board.paint(state((*MOVES, 0))), 24)).max() > 60
    )
    assert patch(board, row, 0).mean() > 180, "the last stone keeps its own colour"


def test_painting_leaves_the_empty_board_as_it_is(board):
    before = board.empty.copy()
    board.paint(state(MOVES))
    assert np.array_equal(board.empty, before)
    assert np.array_equal(board.paint(state(())), before)

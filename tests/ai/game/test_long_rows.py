"""Rows longer than five, and what can be played after the end."""

from __future__ import annotations

import pytest

from ai.game import BLACK, WHITE, Board, Outcome, Rules, Termination
from ai.game.lines import rays
from ai.kernels.layout import FIVE
from ai.kernels.position import KernelPosition

STONES = (0, 1, 2, 3, 5, 6, 7, 8)  # a row of nine in the first line wants its middle


def row_with_a_gap(rules: Rules) -> Board:
    """Black has four and four beside the gap in the first line; White's lie apart."""
    white = (20, 24, 38, 42, 56, 60, 74, 78)
    return Board.from_moves(
        [move for pair in zip(STONES, white, strict=True) for move in pair], rules
    )


def test_rays_reach_the_edge_of_the_board():
    backward, forward = rays(9, 8)[4][0]
    assert (backward, forward) == ((3, 2, 1, 0), (5, 6, 7, 8))
    assert rays(9, 8)[0][0][1] == (1, 2, 3, 4, 5, 6, 7, 8)
    board = Board(Rules(9, 5))
    assert max(len(ray) for pair in board._rays[0] for ray in pair) == 8


@pytest.mark.parametrize(
    "grown", [(0, 1, 2, 4, 5, 6, 3), (0, 1, 2, 4, 5, 6, 3, 7), (0, 1, 2, 3, 5, 4)]
)
def test_an_exact_five_is_no_six_seven_or_eight(grown):
    white = (20, 24, 38, 42, 56, 60, 74)
    board = Board(Rules(9, 5, exact=True))
    for ply, move in enumerate(grown):
        board.play(move)
        assert board.outcome() is None
        if ply + 1 < len(grown):
            board.play(white[ply])
    assert not board.completes_row(8, BLACK) or len(grown) < 8


@pytest.mark.parametrize("exact", [False, True])
def test_a_row_of_nine_wins_unless_five_is_exact(exact):
    rules = Rules(9, 5, exact=exact)
    board = row_with_a_gap(rules)
    assert board.completes_row(4, BLACK) == (not exact)
    kernel = KernelPosition(rules)
    kernel.follow(board)
    assert (kernel.line_class(4, 0, 0) == FIVE) == (not exact)
    board.play(4)
    assert board.outcome() == (None if exact else Outcome(BLACK, Termination.FIVE))
    assert board.winning_line() == (() if exact else tuple(range(9)))


def test_six_in_a_row_win_in_every_direction():
    for step, start in ((1, 0), (9, 0), (10, 0), (8, 8)):
        board = Board(Rules(9, 5))
        for part in (0, 1, 2, 4, 5, 3):
            board.play(start + part * step)
            if part != 3:
                board.play(
                    next(move for move in (39, 31, 49, 33, 52, 68) if board.stones[move] == 0)
                )
        assert board.outcome() == Outcome(BLACK, Termination.FIVE)
        assert board.winning_line() == tuple(start + part * step for part in range(6))


def test_nothing_is_a_legal_move_after_the_end():
    won = Board.from_moves("a1 b1 a2 b2 a3", Rules(3, 3))
    assert won.outcome() is not None
    assert not any(move in won.legal_moves for move in range(-1, 10))
    full = Board.from_moves([0, 1, 2, 4, 3, 5, 7, 6, 8], Rules(3, 3, full_board_winner=WHITE))
    assert not any(move in full.legal_moves for move in range(9))
    falling = Board.from_moves([6, 7, 3, 4, 0], Rules(3, 3, gravity=True))
    assert falling.outcome() is not None
    assert not any(move in falling.legal_moves for move in range(9))

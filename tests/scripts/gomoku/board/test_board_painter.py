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


def test_a_picture_to_lie_on_a_board_covers_all_rows_and_columns():
    from scripts.gomoku.board.overlay_picture import PIXELS, OverlayPicture

    for size, rows in ((7, 6), (4, 9), (15, 15)):
        picture = OverlayPicture(size, rows)
        assert max(picture.pixels.shape[:2]) == PIXELS
        assert abs(picture.pixels.shape[1] / picture.pixels.shape[0] - size / rows) < 0.01
        corner = size * rows - 1
        picture.disc(corner, 0.3, (1.0, 0.0, 0.0))
        painted = picture.pixels[..., 3].nonzero()
        step = picture.step
        assert abs(painted[0].mean() - (rows - 0.5) * step) < 1.0
        assert abs(painted[1].mean() - (size - 0.5) * step) < 1.0


def test_a_far_board_follows_the_theme():
    from types import SimpleNamespace

    from scripts.gomoku.board.picture_board import PictureBoard
    from scripts.pieces.board_themes import THEMES

    item = SimpleNamespace(texture=None, casts_shadow=True)
    parent = SimpleNamespace(scene=SimpleNamespace(spawn=lambda *_, **__: item))
    theme = ["wood"]
    board = PictureBoard(parent, "Board", 7, 0.5, lambda: THEMES[theme[0]])
    empty = item.texture
    board.follow_look()
    assert item.texture is empty, "nothing has changed"
    theme[0] = "slate"
    board.follow_look()
    assert abs(item.texture.mean(axis=(0, 1)) - empty.mean(axis=(0, 1))).max() > 20.0
    board.show(ViewState.empty(7))
    shown = item.texture
    theme[0] = "wood"
    board.follow_look()
    assert abs(item.texture.mean(axis=(0, 1)) - shown.mean(axis=(0, 1))).max() > 20.0

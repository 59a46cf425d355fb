"""Stones of a small board in a panel: with fakes, without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scripts.gomoku.board.mini_board import _MiniBoard


@pytest.mark.parametrize(("color", "circles"), [(1, ["filled"]), (-1, ["filled", "edge"])])
def test_a_stone_has_two_fifths_of_a_step_as_radius_and_white_ones_an_edge(color, circles):
    drawn = []
    picture = SimpleNamespace(
        add_circle_filled=lambda place, radius, ink: drawn.append(("filled", radius)),
        add_circle=lambda place, radius, *more: drawn.append(("edge", radius)),
    )
    board = SimpleNamespace(
        step=20.0, list=picture, _place=lambda point: (0, 0), _ink=lambda color: 0
    )
    _MiniBoard._draw_stone(board, 3, color)
    assert drawn == [(name, 8.0) for name in circles]

"""Boards in the room that a scene has for them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scripts.pieces.fitting import fit, width_of


@pytest.mark.parametrize(("size", "planned"), [(6, 6), (4, 6), (9, 6), (20, 15)])
def test_a_board_takes_no_more_room_than_the_planned_one(size, planned):
    board = SimpleNamespace(transform=SimpleNamespace(scale=(2.0, 2.0, 2.0)))
    fit(board, size, planned)
    across, deep, high = board.transform.scale
    assert across == deep == high <= 1.0
    assert across * width_of(size) <= width_of(planned) + 1e-9
    assert (across == 1.0) == (size <= planned)

"""What the board looks like: the ring waits for its stone, edges are rounded, all is in the view."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.goban import block
from scripts.pieces.stones import LOOKS, heap
from sim.testing import Pilot


def test_the_last_moves_ring_is_laid_only_once_its_stone_has_landed():
    with Pilot(scene="scenes/tic_tac_toe.scene.json", graphics=False, speed=1.0) as pilot:
        board = pilot.component("TicTacToeBoard")
        pilot.app.clock.frame_step = 1 / 60
        pilot.component("Match").pause()
        board.show(ViewState.empty(3))
        landing = ViewState(3, 3, (0, 0, 0, 0, 1, 0, 0, 0, 0), (4,), to_move=-1)
        landed = []
        board.landed.connect(landed.append)
        shown = board.start_coroutine(board.play(landing))
        marked_before = []
        while not shown.done:
            pilot.step()
            if not landed:
                marked_before += board.marks
        assert landed == [4]
        assert not marked_before
        assert [mark.name for mark in board.marks] == ["LastMove"]


@pytest.mark.parametrize("size", [(1280, 720), (800, 600)])
def test_hello_has_its_whole_board_in_the_view(size):
    with Pilot(scene="scenes/hello.scene.json", window=size, quality="low", speed=1.0) as pilot:
        pilot.app.shell.layer.lay_out(least=9)
        pilot.step(2)
        board, half = pilot.app.scene.find("Board"), block(9).points.max()
        left, top, width, height = pilot.app.shell.viewport
        for corner in itertools.product((-half, half), (-half, half), (-0.62, 0.0)):
            x, y = pilot.pixel_of(board.transform.to_world(corner))
            assert left < x < left + width
            assert top < y < top + height


def test_the_boards_edges_are_rounded_and_its_faces_lie_where_they_lay():
    rows = np.concatenate(block(9).rows)
    points, normals = rows[:, :3], rows[:, 3:6]
    assert points[:, 2].max() == 0.0
    assert points[:, 2].min() == pytest.approx(-0.62)
    assert points[:, 0].max() == pytest.approx((9 - 1 + 1.9) / 2)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0, abs=1e-4)
    slanted = (np.abs(normals[:, 2]) > 0.1) & (np.abs(normals[:, 2]) < 0.9)
    assert slanted.any(), "between the upper face and the sides"
    assert rows[:4, 6:8] == pytest.approx(points[:4, :2] / 9.9 + 0.5, abs=1e-5), "the face above"


def test_a_bowls_lower_stones_are_darker_and_each_has_a_contact_shadow():
    stones = heap("white")
    by_height = sorted(stones, key=lambda part: part.position[2])
    assert by_height[0].look.color[0] < 0.6 * by_height[-1].look.color[0]
    assert len({id(part.mesh) for part in stones}) == 4, "the stone, and three rings around it"
    assert max(LOOKS["white"].color) < 0.85

"""A person plays with the keys alone: the board's cursor. Headless, no sleeps."""

from __future__ import annotations

import pytest

from ai import to_text
from sim.testing import Pilot

SIDE = 7
MIDDLE = SIDE * SIDE // 2


@pytest.fixture
def seated():
    with Pilot(player_black="human", graphics=False, seed=1) as pilot:
        match, board = pilot.component("Match"), pilot.component("BoardView")
        pilot.wait_until(lambda: match.black._legal, frames=9000)
        yield pilot, match, board
        assert pilot.app.host.error_count == 0


def press(pilot, *keys):
    for key in keys:
        pilot.press(key)
        pilot.step()


def test_it_is_shown_by_the_first_key_and_goes_as_the_picture_points(seated):
    pilot, _, board = seated
    assert board.cursor.point is None
    press(pilot, "arrow_right")
    assert board.cursor.point == MIDDLE
    for key, step in (("right", 1), ("up", -SIDE), ("left", -1), ("down", SIDE)):
        before = board.cursor.point
        press(pilot, f"arrow_{key}")
        assert abs(board.cursor.point - before) == abs(step)
    assert board.cursor.point == MIDDLE, "there and back"
    press(pilot, *(["arrow_left"] * SIDE))
    edge = board.cursor.point
    press(pilot, "arrow_left")
    assert board.cursor.point == edge, "it stays on the board"


def test_directions_follow_a_turned_view(seated):
    pilot, _, board = seated
    press(pilot, "arrow_right")
    for _ in range(4):
        right = board.object.transform.direction_to_local(pilot.app.scene.camera.view.right)
        before = board.position_of(board.cursor.point)
        press(pilot, "arrow_right")
        after = board.position_of(board.cursor.point)
        way = [new - old for new, old in zip(after, before, strict=True)]
        assert sum(a * b for a, b in zip(way, right, strict=True)) > 0.7
        board.object.transform.rotation = (
            board.object.transform.rotation[0] + 90.0, 0.0, 0.0,
        )  # fmt: skip
        pilot.step()


def test_enter_puts_a_stone_and_a_taken_point_stays_taken(seated):
    pilot, match, board = seated
    press(pilot, "arrow_right", "arrow_left", "enter")
    pilot.wait_until(lambda: match.current.ply >= 2 and match.black._legal)
    mine, theirs = match.current.moves[:2]
    assert mine in (MIDDLE - 1, MIDDLE + 1, MIDDLE - SIDE, MIDDLE + SIDE)
    assert board.cursor.point == mine, "it is there again at the next turn"
    press(pilot, "enter")
    pilot.step(3)
    assert match.current.ply == 2, "the point is taken"
    assert theirs != mine


def test_a_moved_pointer_hides_it(seated):
    pilot, _, board = seated
    press(pilot, "arrow_right")
    assert board.cursor.point is not None
    pilot.move(11.0, 13.0)
    pilot.step(2)
    assert board.cursor.point is None


def test_the_status_bar_names_the_point(seated):
    pilot, _, board = seated
    press(pilot, "arrow_right")
    assert to_text(board.cursor.point, SIDE) in board.cursor._told


def test_where_pieces_fall_enter_takes_the_point_of_the_column():
    with Pilot(scene="scenes/connect_four.scene.json", speed=64.0, graphics=False) as pilot:
        match, board = pilot.component("Match"), pilot.component("ConnectFourBoard")
        pilot.wait_until(lambda: match.current is not None and match.current.ply >= 1)
        pilot.press("w")
        pilot.wait_until(lambda: match.white._legal)
        press(pilot, "arrow_up", "arrow_up", "arrow_up")
        column = board.cursor.point % board.size
        (wanted,) = (point for point in match.white._legal if point % board.size == column)
        assert wanted != board.cursor.point, "it is higher than where a disc lands"
        ply = match.current.ply
        press(pilot, "enter")
        pilot.wait_until(lambda: match.current.ply > ply)
        assert match.current.moves[ply] == wanted
        assert pilot.app.host.error_count == 0

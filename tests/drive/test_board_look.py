"""What the board looks like: the ring waits for its stone, edges are rounded, all is in the view."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from imgui_bundle import imgui

from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.board_themes import contrast
from scripts.pieces.goban import block
from scripts.pieces.stones import LOOKS, heap
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from sim.ui.shell.toolbar import ToolSlider

ANY_POPUP = int(imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level)


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


@pytest.fixture(scope="module")
def table():
    """A board of 7 points on which nobody plays, in a window."""
    scene = "scenes/replay.scene.json"
    with Pilot(scene=scene, window=(1280, 720), quality="low", speed=1.0, seed=5) as pilot:
        pilot.app.clock.frame_step = 1 / 20
        board = pilot.component("BoardView")
        board.show(POSITION)
        yield pilot, board


STONES = [0] * 49
STONES[24], STONES[25] = 1, -1
POSITION = ViewState(7, 7, tuple(STONES), (24, 25))


def settle(pilot):
    pilot.step(24)
    pilot.draw_panels(2)


def pixel(pilot, board, x, y):
    """Return the colour in the window at a place on the board: red, green and blue, 0 to 1."""
    place = pilot.pixel_of(board.object.transform.to_world((x, y, 0.0)))
    across, down = (round(float(value)) for value in place)
    return tuple(pilot.picture()[down, across, ::-1] / 255.0)


def test_d_shows_the_board_from_straight_above_and_back_and_the_mouse_still_turns_the_view(table):
    pilot, board = table
    camera = pilot.app.scene.camera
    before = camera.view
    pilot.press("d")
    pilot.wait_until(lambda: camera.view.elevation == 90.0)
    assert (board.is_top_down, camera.view.elevation) == (True, 90.0)
    left, top, _, height = pilot.app.shell.viewport
    corners = [pilot.pixel_of(corner) for corner in board.corners(7, 7).tolist()]
    assert min(x for x, _ in corners) > left
    assert max(y for _, y in corners) < top + height
    assert max(y for _, y in corners) - min(y for _, y in corners) > 0.7 * height
    clicked = []
    board.clicked.connect(clicked.append)
    x, y = pilot.pixel_of(board.position_of(10))
    pilot.click(x, y)
    assert clicked == [10]
    pilot.app.inject(InputEvent("button_down", key="mouse3", x=600, y=400))
    pilot.app.inject(InputEvent("pointer_move", x=600, y=300))
    pilot.app.inject(InputEvent("button_up", key="mouse3", x=600, y=300))
    pilot.wait_until(lambda: camera.view.elevation < 80.0)
    pilot.press("d")
    pilot.wait_until(lambda: camera.view.elevation == pytest.approx(before.elevation, abs=1e-6))
    assert not board.is_top_down
    assert camera.view.elevation == pytest.approx(before.elevation)
    assert camera.view.distance == pytest.approx(before.distance)


def test_in_high_contrast_lines_can_be_read_in_the_window(table):
    pilot, board = table
    board.choose_theme("high-contrast")
    settle(pilot)
    assert board.object.model["theme"] == "high-contrast"
    assert board.stones[25].model == {
        "builtin": "stone", "color": "chalk", "edge": [8 / 255.0] * 3,
    }  # fmt: skip
    surface = pixel(pilot, board, -1.5, -1.5)
    across = [pixel(pilot, board, -1.0 + shift / 60.0, -1.5) for shift in range(-4, 5)]
    assert contrast(surface, min(across, key=sum)) >= 4.5
    board.choose_theme("scene's own")
    settle(pilot)
    assert board.object.model == {"builtin": "goban", "size": 7, "labels": True}
    assert board.stones[25].model == {"builtin": "stone", "color": "white"}


def test_a_board_of_another_size_is_framed_with_its_bowls_and_the_scenes_own_comes_back(table):
    pilot, board = table
    camera, bowl = pilot.app.scene.camera, pilot.app.scene.find("Black bowl")
    before, place = camera.view, tuple(bowl.transform.position)
    board.show(ViewState.empty(19))
    settle(pilot)
    left, top, width, height = pilot.app.shell.viewport
    for corner in board.corners(19, 19).tolist():
        x, y = pilot.pixel_of(corner)
        assert left < x < left + width
        assert top < y < top + height
    assert bowl.transform.position[0] < -10.5
    board.show(POSITION)
    settle(pilot)
    assert camera.view.distance == pytest.approx(before.distance)
    assert tuple(bowl.transform.position) == pytest.approx(place)


def test_the_picture_of_a_position_is_written_and_copied_or_the_reason_is_said(
    table, tmp_path, monkeypatch
):
    pilot, board = table
    board.write_picture(str(tmp_path / "a.png"))
    assert (tmp_path / "a.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    board.write_picture(str(tmp_path / "a.JPG"))
    assert (tmp_path / "a.JPG").read_bytes()[:2] == b"\xff\xd8"
    lines = pilot.app.world.status.lines
    assert lines["board"].text == "The picture is saved as a.JPG"
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("sys.platform", "linux")
    board.copy_picture()
    assert lines["board"].text.startswith("Not copied: expected the program ")
    taken = []
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr("subprocess.run", lambda words, **more: taken.append(more["input"]))
    board.copy_picture()
    assert taken[0][:4] == b"\x89PNG"
    assert lines["board"].text == "The picture is on the clipboard"


def test_the_volume_is_dragged_beside_the_mute_button_and_kept(table):
    pilot, _ = table
    sound, shell = pilot.app.run_context.sound, pilot.app.shell
    sound.muted = True
    slider = next(item for item in shell.playback.right if isinstance(item, ToolSlider))
    slider.change(0.4)
    slider.keep(slider.value())
    assert (sound.volume, sound.muted) == (0.4, False)
    assert pilot.app.settings.values.volume == 0.4
    mute = next(item for item in shell.playback.right if getattr(item, "name", "") == "app.mute")
    assert mute.icon() == "volume-low"
    sound.volume = 1.0


def test_preferences_and_the_boards_menu_draw_and_change_the_same_choice(table):
    pilot, board = table
    shell = pilot.app.shell
    shell.do("studio.preferences")
    settle(pilot)
    shell.playback.run_command(
        next(entry for entry in pilot.app.world.panels.commands if entry.name == "board_menu")
    )
    settle(pilot)
    assert imgui.is_popup_open("", ANY_POPUP)
    assert shell.is_open("Preferences")
    board.choose_coordinates("off")
    settle(pilot)
    assert board.object.model["labels"] is False
    board.choose_coordinates("scene's own")
    pilot.press("escape")
    shell.do("studio.preferences")
    assert not shell.is_open("Preferences")


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

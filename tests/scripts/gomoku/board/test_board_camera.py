"""The camera and the bowls suit every board: nothing is cut off, and nothing stands on the board."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from scripts.gomoku.board.board_camera import (
    ASPECT,
    BOWL_RADIUS,
    FROM_ABOVE,
    block_corners,
    bowl_corners,
    from_above,
    reach,
)
from scripts.gomoku.board.board_stage import BoardStage
from sim.core.scene.scene_camera import SceneCamera
from sim.render.view.camera_rig import CameraRig

SIZES = [*((size, size) for size in range(3, 23)), (3, 22), (22, 3), (10, 6)]
VIEWS = {"16:9": (1280, 720), "4:3": (1024, 768), "between panels at 200 %": (608, 592)}
SCENES = {  # the camera, the bowls and the board of the shipped scenes
    7: ((-2.6, -12.6, 10.4), ((-5.6, 2.2, -0.9), (5.6, -2.2, -0.9))),
    15: ((-3.92, -22.35, 18.97), ((-10.2, 4.2, -0.9), (10.2, -4.2, -0.9))),
}
TARGET = (0.0, -0.35, -0.2)


class Thing(SimpleNamespace):
    """An object of a scene, which has a place and a model."""

    __hash__ = object.__hash__


def thing(place, **model):
    transform = SimpleNamespace(position=place, to_world=lambda point: point)
    return Thing(transform=transform, model=model, parent=None, visible=True)


def scene_of(size):
    """Return a board of a shipped scene, its bowls, and the user's camera."""
    position, places = SCENES[size]
    camera = SceneCamera()
    rig = CameraRig(camera)
    rig.place(position, TARGET)
    bowls = [thing(place, builtin="bowl") for place in places]
    objects = {str(number): bowl for number, bowl in enumerate(bowls)}
    scene = SimpleNamespace(camera=camera, objects=objects, components=list)
    board = SimpleNamespace(
        object=thing((0.0, 0.0, 0.0)), scene=scene, corners=block_corners, size=size, rows=size,
        is_top_down=False,
    )  # fmt: skip
    stage = board.stage = BoardStage(board)
    stage.is_leading = True
    scene.components = lambda: [SimpleNamespace(instance=board)]
    return stage, bowls, rig


def show(stage, planned, columns, rows):
    stage.board.size, stage.board.rows = columns, rows
    stage.fit((planned, planned))


def seen(bowls, columns, rows):
    """Return the corners of a board and of its bowls, `[n, 3]`."""
    return np.concatenate(
        [block_corners(columns, rows), *(bowl_corners(bowl.transform.position) for bowl in bowls)]
    )


def shares(rig, points):
    """Return where points are in the view `[n, 2]`: 0 to 1 from the left and from above."""
    return rig.on_screen(points) / np.array(rig.viewport[2:])


@pytest.mark.parametrize("is_above", [False, True], ids=["from the side", "from above"])
@pytest.mark.parametrize("planned", SCENES)
def test_a_board_of_any_size_and_its_bowls_lie_inside_the_view_and_fill_it(planned, is_above):
    for columns, rows in SIZES:
        stage, bowls, rig = scene_of(planned)
        show(stage, planned, columns, rows)
        stage.board.is_top_down = is_above
        stage.follow(is_first=True)
        rig.update(0.1)
        for name, (width, height) in VIEWS.items():
            rig.viewport = (0, 0, width, height)
            rig.follow(10.0)
            points = block_corners(columns, rows) if is_above else seen(bowls, columns, rows)
            places = shares(rig, points)
            case = (name, columns, rows, places.min(axis=0), places.max(axis=0))
            assert ((places >= 0.0) & (places <= 1.0)).all(), case
            if name == "16:9":
                assert np.ptp(places, axis=0).max() > 0.7, case


@pytest.mark.parametrize("planned", SCENES)
def test_the_bowls_stand_beside_boards_of_any_size(planned):
    for columns, rows in SIZES:
        stage, bowls, _ = scene_of(planned)
        show(stage, planned, columns, rows)
        half = block_corners(columns, rows)[:, :2].max(axis=0)
        for bowl in bowls:
            away = np.abs(bowl.transform.position[:2]) - half
            gap = np.linalg.norm(np.maximum(away, 0.0))
            assert gap > BOWL_RADIUS, (columns, rows, gap)


def test_the_scenes_own_board_is_seen_as_the_scene_has_it_also_after_another_one():
    stage, bowls, rig = scene_of(7)
    camera, home = rig.camera, rig.camera.home
    places = [bowl.transform.position for bowl in bowls]
    show(stage, 7, 7, 7)
    assert camera.take_flight() is None
    assert camera.home is home
    rig.show(TARGET, 30.0, 50.0, 12.0)  # the user turns the view
    for _ in range(200):
        rig.update(0.1)
    before = camera.view
    show(stage, 7, 15, 15)
    rig.update(0.1)
    assert camera.view.azimuth == pytest.approx(30.0)
    assert camera.view.distance > 1.5 * before.distance
    assert bowls[0].transform.position[0] < places[0][0]
    show(stage, 7, 7, 7)
    rig.update(0.1)
    assert camera.view.distance == pytest.approx(before.distance)
    assert camera.home == home
    assert [bowl.transform.position for bowl in bowls] == places


def test_the_home_key_leads_to_the_view_of_the_board_that_is_shown():
    stage, _, rig = scene_of(7)
    show(stage, 7, 15, 15)
    rig.reset()
    for _ in range(200):
        rig.update(0.1)
    assert rig.camera.view.distance == pytest.approx(rig.camera.home.distance, rel=1e-3)
    assert rig.camera.home.distance > 25.0


def test_from_above_one_looks_straight_down_and_comes_back_to_where_one_was():
    stage, _, rig = scene_of(7)
    camera, home = rig.camera, rig.camera.home
    show(stage, 7, 7, 7)
    rig.show(TARGET, 25.0, 35.0, 14.0)
    for _ in range(200):
        rig.update(0.1)
    before = camera.view
    stage.board.is_top_down = True
    stage.follow(is_first=False)
    for _ in range(20):
        rig.update(0.1)
    assert (camera.view.elevation, camera.view.azimuth % 360.0) == (90.0, 0.0)
    assert camera.home == camera.view
    show(stage, 7, 9, 9)
    rig.update(0.1)
    assert camera.view == camera.home
    show(stage, 7, 7, 7)
    stage.board.is_top_down = False
    stage.follow(is_first=False)
    for _ in range(20):
        rig.update(0.1)
    assert camera.view.distance == pytest.approx(before.distance)
    assert camera.view.elevation == pytest.approx(before.elevation)
    assert camera.home == home


def test_from_above_the_board_is_large_in_a_narrow_view_too():
    for planned in SCENES:
        stage, _, rig = scene_of(planned)
        show(stage, planned, planned, planned)
        stage.board.is_top_down = True
        stage.follow(is_first=True)
        for width in (676, 941):  # of 650 pixels: both sides have panels, or one
            rig.viewport = (0, 0, width, 650)
            for _ in range(100):
                rig.follow(0.1)
            places = shares(rig, block_corners(planned, planned))
            assert np.ptp(places[:, 1]) > 0.68
        stage.board.is_top_down = False
        stage.follow(is_first=False)
        assert rig.camera.least_aspect == ASPECT


def test_a_view_from_above_that_was_kept_is_fitted_when_the_board_appears():
    stage, bowls, rig = scene_of(7)
    stage.board.size = stage.board.rows = 0
    stage.board.is_top_down = True
    stage.follow(is_first=True)
    rig.update(0.1)
    show(stage, 7, 7, 7)
    stage.follow(is_first=False)
    rig.update(0.1)
    other, _, _ = scene_of(7)
    show(other, 7, 7, 7)
    other.board.is_top_down = True
    other.follow(is_first=True)
    assert rig.camera.view == rig.camera.home == other.board.scene.camera.home
    places = shares(rig, seen(bowls, 7, 7))
    assert places[:, 1].min() > 0.13  # room for the scoreboard


def test_of_several_boards_none_moves_the_camera_and_all_are_seen_from_above():
    stage, _, rig = scene_of(7)
    other = SimpleNamespace(**vars(stage.board))
    other.object = thing((0.0, 0.0, 0.0))
    other.object.transform.to_world = lambda point: (point[0] + 20.0, point[1], point[2])
    other.stage = BoardStage(other)
    boards = [stage.board, other]
    stage.board.scene.components = lambda: [SimpleNamespace(instance=item) for item in boards]
    home = rig.camera.home
    show(stage, 7, 9, 9)
    assert rig.camera.home is home
    stage.board.is_top_down = True
    other.size = 0  # it appears later
    stage.follow(is_first=True)
    rig.update(0.1)
    other.size = 9
    stage.follow(is_first=False)
    rig.update(1.0)
    rig.viewport = (0, 0, 1280, 720)
    corners = block_corners(9, 9)
    places = shares(rig, np.concatenate([corners, corners + np.array([20.0, 0.0, 0.0])]))
    assert ((places > 0.0) & (places < 1.0)).all()
    away = replace(rig.camera.home, distance=9.0)
    rig.camera.fly_to(away, seconds=0.0)  # one board is looked at
    rig.update(0.1)
    other.size = 0
    stage.follow(is_first=False)
    rig.update(1.0)
    assert rig.camera.view == away


def test_a_view_from_above_leaves_as_much_room_as_other_views():
    points = block_corners(7, 7)
    view = from_above(points, 32.0)
    assert reach(view, points, FROM_ABOVE) == pytest.approx(1.0, abs=1e-6)
    assert reach(replace(view, distance=2.0 * view.distance), points) < 0.7

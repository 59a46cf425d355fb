"""Clouds of points: seen where they are, replaced without drawing everything, wrong ones refused."""

from __future__ import annotations

import numpy as np
import pytest

PILOT = {"scene": "scenes/hello.scene.json", "panels": False, "speed": 1.0, "window": (640, 400)}


@pytest.fixture(scope="module")
def pilot(module_pilot):
    module_pilot.app.clock.pause()
    return module_pilot


@pytest.fixture
def cloud(pilot):
    made = pilot.app.scene.spawn("Cloud", model={"builtin": "points", "size": 0.4})
    made.transform.position = (1.0, 0.0, 2.0)
    yield made
    made.destroy()
    pilot.step(2)


def colour_at(pilot, picture, point) -> list[int]:
    x, y = pilot.pixel_of(point)
    return picture[round(y), round(x)].tolist()


def test_points_are_seen_where_they_are_in_their_colours(pilot, cloud):
    cloud.points = np.array([[0, 0, 0], [-2, 0, 0]])
    cloud.point_colors = np.array([[255, 0, 0], [0, 255, 0]], np.uint8)
    picture = pilot.picture()
    assert colour_at(pilot, picture, (1.0, 0.0, 2.0)) == [0, 0, 255]
    assert colour_at(pilot, picture, (-1.0, 0.0, 2.0)) == [0, 255, 0]
    cloud.points = np.array([[-2, 0, 0]])
    cloud.point_colors = None
    cloud.material = {"color": [0, 0, 1]}
    picture = pilot.picture()
    assert colour_at(pilot, picture, (-1.0, 0.0, 2.0)) == [255, 0, 0]
    assert colour_at(pilot, picture, (1.0, 0.0, 2.0)) != [0, 0, 255]


def test_another_cloud_is_not_drawn_with_everything(pilot, cloud):
    cloud.points = np.zeros((100, 3))
    pilot.step(40)
    view = pilot.app.view
    full, partial = view.full_draws, view.partial_draws
    for step in range(5):
        cloud.points = np.full((100, 3), step / 10)
        pilot.step()
    assert view.full_draws == full
    assert view.partial_draws >= partial + 5
    cloud.points = np.zeros((0, 3))
    pilot.step()
    cloud.points = None
    pilot.step()
    assert pilot.app.console.counts["error"] == 0


def test_a_picture_of_a_camera_shows_points_in_the_same_size(pilot, cloud):
    cloud.points = np.zeros((1, 3))
    cloud.point_colors = np.array([[255, 0, 255]], np.uint8)
    pilot.picture()
    shares = []
    for factor in (1, 2):
        picture = pilot.app.scene.camera.image(width=320 * factor, height=200 * factor)
        is_point = (picture.astype(int) - [255, 0, 255] == 0).all(axis=2)
        shares.append(is_point.sum() / is_point.size)
    assert shares[0] > 0
    assert shares[0] == pytest.approx(shares[1], rel=0.5)


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("points", np.zeros((3, 2)), r"Cloud: points: expected numbers \[n, 3\], found float64"),
        ("points", np.zeros(3), r"found float64 \[3\]"),
        ("points", [["a", "b", "c"]], r"expected numbers \[n, 3\], found <U1 \[1, 3\]"),
        ("point_colors", np.zeros((3, 3)), r"point_colors: expected uint8 \[n, 3\] or \[n, 4\]"),
    ],
)
def test_what_is_no_cloud_is_refused_and_the_old_one_stays(cloud, name, value, fault):
    cloud.points = np.ones((2, 3))
    with pytest.raises(ValueError, match=fault):
        setattr(cloud, name, value)
    assert cloud.points.tolist() == [[1.0] * 3] * 2


def test_wrong_sizes_are_one_line(pilot, cloud):
    before = pilot.app.console.counts["error"]
    cloud.points = np.ones((2, 3))
    cloud.point_colors = np.zeros((3, 3), np.uint8)
    pilot.step()
    assert pilot.app.console.counts["error"] == before + 1
    line = pilot.app.console.records[-1].text
    assert line == "Cloud: point_colors: expected as many as points, 2, found 3"
    cloud.point_colors = None
    cloud.model = {"builtin": "points", "size": "big"}
    pilot.step()
    line = next(item.text for item in pilot.app.console.records if "big" in item.text)
    assert "size: expected a length in metres, found 'big'" in line

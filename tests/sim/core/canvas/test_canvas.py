"""A canvas checks what it is asked to draw, and tells of every change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.canvas.canvas import Canvas, bar_areas, limits, line_points, round_ticks
from sim.core.canvas.checks import checked_area
from sim.core.canvas.painter import Painter, to_bgra
from sim.core.scene.scene import Scene

AREA = np.array([10.0, 20.0, 200.0, 100.0])
RED = (1.0, 0.0, 0.0)
numbers = st.floats(-1e6, 1e6, allow_nan=False)


def canvas(**values):
    painter = Painter()
    return Canvas((64, 48), painter=lambda: painter, name="Wall: canvas", **values)


@pytest.mark.parametrize(
    ("draw", "text"),
    [
        (lambda c: c.line((0, 0), (1, float("nan")), RED), "found nan at [1, 1]"),
        (lambda c: c.polyline([[1, 2, 3]], RED), "points: expected [n, 2] numbers"),
        (lambda c: c.polyline([[1, 2]], RED), "with n of at least 2"),
        (lambda c: c.polyline("far", RED), "found 'far'"),
        (lambda c: c.polygon([[1, 2], [3, 4]], RED), "with n of at least 3"),
        (lambda c: c.circle((1, 2), -1, RED), "radius: expected a number of at least 0, found -1"),
        (lambda c: c.circle((1, 2), 3, (255, 0, 0)), "color: expected a colour, three or four"),
        (lambda c: c.circle((1, 2), 3, "red"), "found 'red'"),
        (lambda c: c.circle((1,), 3, RED), "center: expected x and y"),
        (lambda c: c.rectangle((0, 0, 0, 4), RED), "area: expected left, top, width and height"),
        (lambda c: c.text("a", (0, 0), size=0), "size: expected a number from 1 to 2000, found 0"),
        (lambda c: c.text("a", (0, 0), align="middle"), "align: expected one of left, center"),
        (lambda c: c.image(np.zeros((2, 2), np.float32)), "found [2, 2] of float32"),
        (lambda c: c.image(np.zeros((2, 2, 5), np.uint8)), "found [2, 2, 5] of uint8"),
        (lambda c: c.image(7), "of uint8, found 7"),
        (lambda c: c.image(np.zeros((2, 2), np.uint8), opacity=2), "opacity: expected"),
        (lambda c: c.heat_map([1, 2], AREA), "values: expected [rows, columns] numbers"),
        (lambda c: c.plot([], AREA, RED), "values: expected [n] numbers, at least one"),
        (lambda c: c.plot([1, float("inf")], AREA, RED), "found inf at [1]"),
        (lambda c: c.plot([1, 2], AREA, RED, low=3, high=1), "expected low below high"),
        (lambda c: c.plot([1, 2], AREA, RED, width=0), "width: expected"),
        (lambda c: c.plot([1, 1e305], AREA, RED), "expected numbers up to 1e+300"),
        (lambda c: c.bars([1], AREA, RED, gap=1), "gap: expected a number from 0 to 0.95"),
        (lambda c: c.resize(0, 10), "expected width and height in whole pixels"),
        (lambda c: c.resize(10.5, 10), "found (10.5, 10)"),
        (lambda c: c.clear((0, 0)), "clear: expected a colour"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_changes(draw, text):
    made = canvas()
    with pytest.raises(ValueError) as caught:
        draw(made)
    assert text in str(caught.value)
    assert str(caught.value).startswith("Wall: canvas")
    assert made.revision == 0


def test_colours_are_rgb_and_pixels_bgr():
    made = canvas(background=(1.0, 0.5, 0.0))
    assert made.is_opaque
    assert made.pixels.shape == (48, 64, 3)
    assert made.pixels[0, 0].tolist() == [0, 128, 255]
    made.clear((0.0, 0.0, 1.0))
    assert made.pixels[47, 63].tolist() == [255, 0, 0]


def test_a_background_that_shines_through_is_multiplied_by_its_opacity():
    made = canvas(background=(1.0, 0.5, 0.0, 0.5))
    assert made.pixels.shape == (48, 64, 4)
    assert made.pixels[0, 0].tolist() == [0, 64, 128, 128]


def test_asking_for_the_pixels_and_drawing_are_changes():
    made = canvas()
    assert made.picture is made.picture
    assert made.revision == 0
    made.pixels[:] = 9
    made.line((0, 0), (9, 9), RED)
    made.plot([1, 2, 3], (0, 0, 60, 40), RED)
    assert made.revision == 3
    assert (made.picture == 9).all(), "a painter that draws nothing"


def test_a_new_size_is_a_blank_picture_the_same_size_is_nothing():
    made = canvas()
    made.pixels[:] = 200
    before = made.revision
    made.resize(64, 48)
    assert made.revision == before
    assert (made.picture == 200).all()
    made.resize(32, 16, background=(0, 0, 0, 0))
    assert made.picture.shape == (16, 32, 4)
    assert not made.picture.any()


def test_an_object_tells_of_its_canvas_until_it_shows_another_picture():
    scene = Scene()
    wall, other = scene.spawn("Wall"), scene.spawn("Other")
    scene.drain_changes()
    drawn = wall.canvas
    assert wall.canvas is drawn, "the same one each time"
    assert scene.drain_changes().visual == {wall.id}
    drawn.line((0, 0), (9, 9), RED)
    assert scene.drain_changes().painted == {wall.id}
    other.texture = drawn
    scene.drain_changes()
    drawn.clear()
    assert scene.drain_changes().painted == {wall.id, other.id}
    drawn.resize(16, 16)
    assert scene.drain_changes().visual == {wall.id, other.id}
    wall.texture = "a.png"
    scene.destroy(other)
    scene.flush()
    scene.drain_changes()
    drawn.clear()
    assert scene.drain_changes().painted <= {other.id}
    assert wall.canvas is not drawn


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.zeros((2, 2), np.uint8), "[2, 2] of uint8"),
        (np.zeros((2, 2, 3), np.float64), "[2, 2, 3] of float64"),
        (np.full((2, 2, 3), np.nan), "[2, 2, 3] of float64"),
        (np.zeros((0, 2, 3), np.uint8), "[0, 2, 3] of uint8"),
        (7, "found 7"),
    ],
)
def test_a_texture_that_is_no_picture_is_refused_where_it_is_assigned(value, found):
    wall = Scene().spawn("Wall")
    with pytest.raises(
        ValueError, match="Wall: texture: expected a path, a canvas or an array"
    ) as e:
        wall.texture = value
    assert found in str(e.value)
    assert wall.texture is None


@given(st.lists(numbers, min_size=1, max_size=600), st.integers(4, 60))
def test_a_line_stays_in_its_area_and_keeps_its_extremes(values, width):
    array = np.array(values)
    low, high = limits("x", array, None, None)
    assert low < high
    area = checked_area("x", "area", (3, 4, width, 50))
    points = line_points(array, area, low, high)
    assert (np.diff(points[:, 0]) >= 0).all()
    assert points[:, 0].min() >= 3 - 1e-9
    assert points[:, 0].max() <= 3 + width + 1e-9
    assert points[:, 1].min() >= 4 - 1e-9
    assert points[:, 1].max() <= 54 + 1e-9
    shares = (array - low) / (high - low)
    assert points[:, 1].min() == pytest.approx(4 + 50 * (1 - shares.max()), abs=1e-6)
    assert points[:, 1].max() == pytest.approx(4 + 50 * (1 - shares.min()), abs=1e-6)


@given(st.lists(numbers, min_size=1, max_size=40))
def test_bars_stand_on_zero_and_are_as_high_as_their_numbers(values):
    array = np.array(values)
    low, high = limits("x", array, min(0.0, array.min()), max(0.0, array.max()))
    bars = bar_areas(array, AREA, low, high, 0.2)
    scale = AREA[3] / (high - low)
    heights = sorted(bar[3] for bar in bars)
    assert sum(heights) == pytest.approx(np.abs(array).sum() * scale, rel=1e-6, abs=1e-3)
    zero = AREA[1] + AREA[3] * high / (high - low)
    for _, top, _, height in bars:
        assert min(abs(top - zero), abs(top + height - zero)) < 1e-3


@given(numbers, st.floats(1e-3, 1e6), st.integers(1, 12))
def test_ticks_are_round_and_inside(low, span, most):
    high = low + span
    if high - low < 1e-4 * max(1.0, abs(low)):
        return
    ticks = round_ticks(low, high, most)
    assert len(ticks) <= most + 1
    for value, _ in ticks:
        assert low - span * 1e-6 <= value <= high + span * 1e-6


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (-1, 1, ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
        (0, 40, ["0", "10", "20", "30", "40"]),
        (0, 10, ["0.0", "2.5", "5.0", "7.5", "10.0"]),
        (0.0, 0.4, ["0.0", "0.1", "0.2", "0.3", "0.4"]),
    ],
)
def test_ticks_are_written_with_as_many_digits_as_they_need(low, high, labels):
    assert [label for _, label in round_ticks(low, high, 4)] == labels


def test_colours_are_multiplied_by_their_opacity_for_painters():
    assert to_bgra((1.0, 0.5, 0.0, 1.0)) == (0, 128, 255, 255)
    assert to_bgra((1.0, 0.5, 0.0, 0.5)) == (0, 64, 128, 128)

"""Charts: whole numbers on axes, their names, values under the pointer; panels that grow."""

from __future__ import annotations

import numpy as np
import pytest
from imgui_bundle import imgui, implot

from sim.testing import Pilot
from sim.ui.widgets.context import (
    SHAPES,
    is_whole,
    limits_of,
    marked_points,
    number,
    values_at,
    whole_ticks,
)

GAMES = np.array([5.0, 10.0, 15.0])
LINES = [("this run", "amber", GAMES, np.array([1.0, 3.0, 2.0])),
         ("before##2", "muted", np.array([5.0, 10.0]), np.array([0.5, 4.0]))]  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0.0, 5.2, 8, [0, 1, 2, 3, 4, 5]),
        (0.0, 5.2, 3, [0, 2, 4]),
        (0.0, 101.0, 6, [0, 20, 40, 60, 80, 100]),
        (1.0, 1.0, 4, [1]),
        (0.2, 0.8, 4, []),
        (-3.5, 3.5, 4, [-2, 0, 2]),
        (0.0, 12_345.0, 4, [0, 5000, 10_000]),
    ],
)
def test_ticks_are_whole_numbers(low, high, most, expected):
    assert whole_ticks(low, high, most) == expected


def test_an_axis_is_whole_where_all_its_values_are():
    assert is_whole([GAMES, [1, 2]])
    assert not is_whole([GAMES, [1.5]])
    assert not is_whole([[], []])
    assert limits_of([GAMES, [], [2.0]]) == (2.0, 15.0)


def test_the_values_at_a_place_are_those_of_the_nearest_point():
    assert values_at(LINES, 9.0) == (10.0, [("this run", "amber", 3.0), ("before", "muted", 4.0)])
    assert values_at(LINES, 99.0) == (15.0, [("this run", "amber", 2.0)])
    assert [number(value) for value in (3.0, 0.12345, 12000.0, -4.5)] == [
        "3", "0.123", "12,000", "-4.5"
    ]  # fmt: skip


def test_marks_of_lines_are_few_stay_where_they_are_and_do_not_cover_one_another():
    for count in (1, 2, 7, 8, 9, 100, 1000):
        for line in range(4):
            marked = list(range(count))[marked_points(count, line, 4, 8)]
            assert 1 <= len(marked) <= 8
    first, second = (set(range(100)[marked_points(100, line, 2, 8)]) for line in (0, 1))
    assert not first & second
    for line in (0, 1):
        grown = set(range(110)[marked_points(110, line, 2, 8)])
        assert set(range(100)[marked_points(100, line, 2, 8)]) <= grown


@pytest.fixture(scope="module")
def pilot():
    """Hold a window open with a floating panel that draws a chart, or buttons."""
    with Pilot(scene="scenes/hello.scene.json", window=(640, 400), quality="low") as driven:
        slot = next(iter(driven.app.scene.components()))
        driven.labels = []
        driven.app.host.panels.register(
            slot, "Chart", lambda ui: driven.panel(ui), dock="overlay-bottom"
        )
        driven.panel = lambda ui: None
        yield driven
        assert driven.app.host.error_count == 0


def test_a_chart_names_its_axes_and_tells_the_values_under_the_pointer(pilot, monkeypatch):
    named, ticked, told, place = [], [], [], []
    ui, ticks = type(pilot.app.shell.ui), implot.setup_axis_ticks
    write = ui._write_over
    monkeypatch.setattr(
        ui, "_write_over",
        lambda self, text, left, top: (named.append(text), write(self, text, left, top)),
    )  # fmt: skip
    monkeypatch.setattr(
        implot, "setup_axis_ticks",
        lambda axis, values, labels: (ticked.append(labels), ticks(axis, values, labels)),
    )  # fmt: skip

    def draw(ui):
        ui.imgui.dummy(ui.imgui.ImVec2(300, 1))
        ui.chart("Wins", LINES, x_name="game", y_name="wins", whole="xy", x_limits=(0.0, 16.0))
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        place[:] = [(low.x + high.x) / 2, (low.y + high.y) / 2]

    pilot.panel = draw
    pilot.draw_panels(3)
    assert named[-2:] == ["wins", "game"]
    assert all(label == str(int(label)) for label in ticked[-1])
    assert 2 * len(ticked) == len(named), (
        "values of 0.5 are no whole numbers: that axis has its own"
    )
    plain = ui.text
    monkeypatch.setattr(
        ui, "text", lambda self, text, color="text": (told.append(text), plain(self, text, color))
    )
    pilot.draw_panels(2)
    assert told == [], "nothing is told where no pointer is"
    pilot.move(*place)
    pilot.draw_panels(2)
    assert told[-3:] in (
        ["game 10", "this run 3", "before 4"],
        ["game 5", "this run 1", "before 0.5"],
    )


def test_several_lines_have_marks_of_another_shape_each_also_in_the_legend(pilot, monkeypatch):
    """Whoever does not see colours tells the lines of a chart apart."""
    drawn, legend = [], []
    scatter, polygon = implot.plot_scatter, imgui.ImDrawList.add_convex_poly_filled

    def scattered(label, x, y, spec):
        drawn.append((label.partition("##")[0], spec.marker, len(x)))
        scatter(label, x, y, spec)

    def filled(canvas, points, *rest):
        legend.append(len(points))
        polygon(canvas, points, *rest)

    monkeypatch.setattr(implot, "plot_scatter", scattered)
    monkeypatch.setattr(imgui.ImDrawList, "add_convex_poly_filled", filled)
    pilot.panel = lambda ui: ui.chart("Wins", LINES)
    pilot.draw_panels(1)
    assert drawn[-2:] == [("this run", SHAPES[0].value, 3), ("before", SHAPES[1].value, 2)]
    assert legend, "the second line's square"
    assert len({shape.value for shape in SHAPES}) == len(SHAPES) >= 5
    drawn.clear()
    pilot.panel = lambda ui: ui.chart("Wins", LINES[:1])
    pilot.draw_panels(1)
    assert drawn == [], "one line alone needs none"


def test_a_panel_that_grows_is_whole_at_once(pilot):
    drawn = []

    def draw(ui):
        for index, label in enumerate(pilot.labels):
            if index:
                ui.beside(ui.button_width(label))
            ui.button(label)
            end = imgui.get_window_pos().x + imgui.get_window_size().x
            drawn.append((label, imgui.get_item_rect_max().x <= end))

    pilot.panel, pilot.labels = draw, ["Resign", "Leave"]
    pilot.draw_panels(4)
    pilot.labels = ["Yes, resign", "Play on", "Leave"]
    drawn.clear()
    pilot.app.shell.layer.lay_out()  # once, as after a change
    assert drawn[-3:] == [("Yes, resign", True), ("Play on", True), ("Leave", True)]

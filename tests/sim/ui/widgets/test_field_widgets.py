"""Which widget a number gets: a slider where both ends are known and near, else a drag."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.ui.widgets import field_widgets, vector_fields
from sim.ui.widgets.field_widgets import FieldWidgets


@pytest.mark.parametrize(
    ("kind", "low", "high", "widget"),
    [
        (float, 0.0, 1.0, "slider_float"), (float, 0.0, 1001.0, "drag_float"),
        (float, 0.0, 1000.0, "slider_float"), (float, None, 1.0, "drag_float"),
        (float, 0.0, None, "drag_float"), (int, 0, 9, "slider_int"), (int, None, None, "drag_int"),
    ],
)  # fmt: skip
def test_a_number_is_a_slider_between_ends_that_are_near(monkeypatch, kind, low, high, widget):
    drawn = []

    def drawing(name):
        return lambda label, value, *more: drawn.append((name, value, more)) or (True, value)

    names = ("slider_float", "drag_float", "slider_int", "drag_int")
    monkeypatch.setattr(
        field_widgets, "imgui", SimpleNamespace(**{name: drawing(name) for name in names})
    )
    declared = SimpleNamespace(minimum=low, maximum=high, unit="%", step=None)
    assert FieldWidgets._number(SimpleNamespace(), kind, declared, kind(1)) == (True, 1)
    ((name, value, more),) = drawn
    assert (name, value) == (widget, 1)
    assert more[-1].endswith(" %%")
    if widget.startswith("slider"):
        assert more[:2] == (low, high)
    assert FieldWidgets._number(SimpleNamespace(), kind, declared, "no number")[1] == 0


class Buttons:
    """ImGui, of which one button is pressed."""

    def __init__(self, pressed):
        self.pressed = pressed

    def button(self, label, size):
        return label == self.pressed

    def get_content_region_avail(self):
        return SimpleNamespace(x=200.0)

    def get_style(self):
        return SimpleNamespace(item_inner_spacing=SimpleNamespace(x=4.0))

    def get_frame_height(self):
        return 20.0

    def __getattr__(self, name):
        return lambda *words: 0.0


@pytest.mark.parametrize(
    ("raw", "pressed", "found"),
    [
        ([1, 2, 3], "+", (True, [1, 2, 3, 3])), ([1, 2, 3], "-", (True, [1, 2])),
        ([1, 2, 3], "", (False, [1, 2, 3])), ([], "+", (True, [[1.0, 1.0, 1.0]])),
    ],
)  # fmt: skip
def test_one_more_colour_is_as_the_last_and_one_less_takes_that(monkeypatch, raw, pressed, found):
    monkeypatch.setattr(field_widgets, "imgui", Buttons(pressed))
    monkeypatch.setattr(field_widgets, "_go_on", lambda *words: None)
    widgets = SimpleNamespace(_is_mixed=False, _color=lambda item, flags: (False, item))
    assert FieldWidgets._colors(widgets, raw) == found


@pytest.mark.parametrize(("form", "least"), [("%.3f", -0.0001), ("%.1f", -0.04), ("%.0f", -0.4)])
def test_a_number_that_shows_as_nothing_has_no_minus_and_keeps_its_value(monkeypatch, form, least):
    seen = []

    def dragging(label, value, *more):
        seen.append(value)
        return value == 1.0, 2.0 if value == 1.0 else value

    plain = {name: lambda *words: None for name in (
        "push_id", "pop_id", "begin_group", "end_group", "same_line", "set_next_item_width",
    )}  # fmt: skip
    vector = SimpleNamespace(x=10.0, y=10.0)
    monkeypatch.setattr(vector_fields, "imgui", SimpleNamespace(
        **plain, drag_float=dragging, get_item_rect_size=lambda: vector,
        get_content_region_avail=lambda: SimpleNamespace(x=300.0),
        get_style=lambda: SimpleNamespace(item_inner_spacing=vector),
    ))  # fmt: skip
    monkeypatch.setattr(vector_fields, "begin_row", lambda theme, count: None)
    monkeypatch.setattr(vector_fields, "_draw_letter", lambda theme, axis: 0.0)
    monkeypatch.setattr(vector_fields, "_fitting", lambda value, room: form)
    changed, values = vector_fields.drag_numbers(None, [least, 1.0, -0.6])
    assert seen == [0.0, 1.0, -0.6]
    assert (changed, values) == (True, [least, 2.0, -0.6]), "what was not dragged is as it was"

"""What panels ask ImGui for, told by one that draws nothing: tooltips, tabs, combos."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from sim.ui.panels import console, keys_panel, script_editor
from sim.ui.widgets import field_widgets


def fake(monkeypatch, module, **answers):
    imgui = MagicMock()
    for name, answer in answers.items():
        getattr(imgui, name).return_value = answer
    monkeypatch.setattr(module, "imgui", imgui)
    return imgui


def test_a_keys_label_is_drawn_whole_whatever_room_it_has(monkeypatch):
    imgui = fake(monkeypatch, keys_panel)
    row = keys_panel.key_row("Label of a key", "F1")
    keys_panel.KeysPanel._draw_row(SimpleNamespace(), MagicMock(), row)
    drawn = [call.args[0] for call in imgui.text_wrapped.call_args_list]
    assert drawn == ["Label of a key"]


@pytest.mark.parametrize("is_hovered", [True, False])
@pytest.mark.parametrize("is_on", [True, False])
def test_a_levels_button_says_under_the_mouse_what_it_does(monkeypatch, is_hovered, is_on):
    imgui = fake(monkeypatch, console, is_item_hovered=is_hovered, small_button=False)
    counted = SimpleNamespace(counts={"error": 3})
    panel = SimpleNamespace(_console=counted, levels={"error": is_on}, _theme=MagicMock())
    console.ConsolePanel._draw_level(panel, "error", "!")
    told = [call.args[0] for call in imgui.set_tooltip.call_args_list]
    verb = "Hide" if is_on else "Show"
    assert told == ([f"{verb} lines of level error"] if is_hovered else [])


@pytest.mark.parametrize("is_open", [True, False])
def test_tabs_are_drawn_in_a_bar_that_is_shown_alone(monkeypatch, is_open):
    imgui = fake(monkeypatch, script_editor, begin_tab_bar=is_open, begin_tab_item=(True, True))
    monkeypatch.setattr(script_editor, "_tip", lambda text: None)
    shown = []
    tab = SimpleNamespace(is_unsaved=False, name="a.py", file=SimpleNamespace(path="/p/a.py"))
    panel = SimpleNamespace(_wanted=None, tabs=[tab], _console=MagicMock(), _show=shown.append)
    script_editor.ScriptEditorPanel._draw_tabs(panel)
    assert shown == ([tab] if is_open else [])
    assert imgui.end_tab_bar.called == imgui.begin_tab_item.called == is_open


@pytest.mark.parametrize(("raw", "label"), [({"$asset": "a.png"}, "a.png"), (None, None)])
def test_an_asset_is_shown_by_its_path_and_none_as_such(monkeypatch, raw, label):
    imgui = fake(monkeypatch, field_widgets, begin_combo=True, selectable=(True, True))
    widgets = SimpleNamespace(
        _list_assets=lambda: ["a.png", "b.png"], _has_file=lambda path: True, theme=None
    )
    found = field_widgets.FieldWidgets._asset(widgets, raw)
    assert found == (True, {"$asset": "b.png"})
    assert imgui.begin_combo.call_args.args[1] == (label or field_widgets.NONE)

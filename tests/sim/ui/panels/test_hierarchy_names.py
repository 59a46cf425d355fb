"""Renaming and choosing objects in the tree: without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.ui.panels import hierarchy


@pytest.mark.parametrize(
    ("entered", "escapes", "clicks", "name", "is_open"),
    [
        (True, False, False, "new", False),
        (False, True, False, "old", False),
        (False, False, True, "old", False),
        (False, False, False, "old", True),
    ],
)
def test_return_takes_the_name_and_escape_or_a_click_elsewhere_keeps_the_old_one(
    monkeypatch, entered, escapes, clicks, name, is_open
):
    fake = SimpleNamespace(
        set_next_item_width=lambda width: None, set_keyboard_focus_here=lambda: None,
        InputTextFlags_=hierarchy.imgui.InputTextFlags_, Key=hierarchy.imgui.Key,
        input_text=lambda label, text, flags: (entered, "new"),
        is_key_pressed=lambda key: escapes, is_mouse_clicked=lambda button: clicks,
    )  # fmt: skip
    monkeypatch.setattr(hierarchy, "imgui", fake)
    obj = SimpleNamespace(name="old")
    panel = SimpleNamespace(
        renaming="obj_one", _name="old",
        attempt=lambda action, *words: action(*words),
        editor=SimpleNamespace(rename=lambda obj, name: setattr(obj, "name", name)),
    )  # fmt: skip
    hierarchy.HierarchyPanel._draw_name_field(panel, obj)
    assert obj.name == name
    assert bool(panel.renaming) == is_open


@pytest.mark.parametrize(("row", "chosen"), [(3, "cdb"), (0, "ab"), (1, "b")])
def test_shift_chooses_all_rows_from_the_last_one(row, chosen):
    rows = list("abcd")
    found = []
    panel = SimpleNamespace(
        selection=SimpleNamespace(object=rows[1], objects=(rows[1],)),
        rows=lambda: [(item, 0) for item in rows], choose=lambda *items: found.extend(items),
    )  # fmt: skip
    hierarchy.HierarchyPanel.click(panel, rows[row], extends=True)
    assert sorted(found) == sorted(chosen)
    assert found[-1] == "b", "the one that was chosen last stays so"

"""What the inspector offers for several objects: without a window."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest

from sim.ui.panels import inspector


@pytest.mark.parametrize(
    ("flags", "is_ticked", "is_mixed"),
    [([True, True], True, False), ([True, False], False, True), ([False, False], False, False)],
)
def test_a_flag_that_differs_is_mixed_and_the_next_click_sets_it_for_all(
    monkeypatch, flags, is_ticked, is_mixed
):
    ticked, mixed = [], []

    def checkbox(label, value):
        ticked.append(value)
        return True, not value

    def mixed_flag(*, is_mixed):
        mixed.append(is_mixed)
        return contextlib.nullcontext()

    monkeypatch.setattr(inspector, "imgui", SimpleNamespace(checkbox=checkbox))
    monkeypatch.setattr(inspector, "mixed_flag", mixed_flag)
    objects = [SimpleNamespace(active=flag) for flag in flags]
    editor = SimpleNamespace(set_active=lambda obj, value: setattr(obj, "active", value))
    panel = SimpleNamespace(editor=editor, label=lambda *_: None, say=lambda *_: None)
    drawn = SimpleNamespace(
        form=panel, edit_each=lambda key, label, edits: [edit() for edit in edits]
    )
    inspector.SeveralObjects._draw_flag(drawn, None, objects, "active", "Active")
    assert (ticked, mixed) == ([is_ticked], [is_mixed])
    assert [obj.active for obj in objects] == [not is_ticked] * 2

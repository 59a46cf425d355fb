"""What each answer to the question about unsaved changes does and says: without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.ui.panels import dialogs


class Buttons:
    """ImGui, of which one button is pressed."""

    def __init__(self, pressed):
        self.pressed = pressed

    def button(self, label):
        return label.endswith(self.pressed)

    def is_item_hovered(self):
        return False

    def __getattr__(self, name):
        return lambda *words: None


@pytest.mark.parametrize(
    ("pressed", "line", "done"),
    [
        ("Save all", "app.question.save()", ["saved", "then"]),
        ("Discard", "app.question.discard()", ["then"]),
        ("Stay", "app.question.stay()", []),
    ],
)
def test_each_answer_does_what_it_says_and_tells_it(monkeypatch, pressed, line, done):
    monkeypatch.setattr(dialogs, "imgui", Buttons(pressed))
    said, found = [], []
    question = dialogs.UnsavedQuestion(
        unsaved=lambda: ["a.scene.json"], save=lambda: found.append("saved") or True,
        say=said.append,
    )  # fmt: skip
    question.ask("Close the window", lambda: found.append("then"))
    assert question.is_open
    assert found == []
    question._draw(SimpleNamespace(vector=lambda name: None))
    assert (said, found) == ([line], done)
    assert not question.is_open

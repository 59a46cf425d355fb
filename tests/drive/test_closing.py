"""Closing the window, or opening another scene, with changes that are not saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from sim.commands.new import new_project
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

HELLO = Path("scenes/hello.scene.json")


@pytest.fixture
def pilot(tmp_path):
    new_project(tmp_path / "mine")
    scene = next((tmp_path / "mine" / "scenes").glob("*.scene.json"))
    with Pilot(scene=scene, speed=1.0, window=(1000, 640), quality="low") as driven:
        driven.step(3)
        yield driven


@pytest.fixture
def script(pilot):
    """Return a script that was changed in the editor and not saved."""
    panel = pilot.app.shell.script
    path = next((pilot.app.run_context.project / "scripts").glob("*.py"))
    pilot.app.shell.open_at(str(path), 1)
    pilot.draw_panels(3)
    panel.current.editor.select_all()
    panel.current.editor.replace_text_in_current_cursor("CHANGED = 1\n")
    pilot.draw_panels(3)
    assert panel.has_unsaved
    return path


@pytest.fixture
def buttons(monkeypatch):
    """Return the places of all buttons, by the last word of their label, as they are drawn."""
    places = {}
    plain = imgui.button

    def noted(label, *more):
        pressed = plain(label, *more)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places[label.split()[-1]] = ((low.x + high.x) / 2, (low.y + high.y) / 2)
        return pressed

    monkeypatch.setattr(imgui, "button", noted)
    return places


def close(pilot):
    pilot.app.inject(InputEvent("close"))
    pilot.step(3)


def is_ending(pilot):
    return pilot.app.run_context.stop_requested


def test_without_changes_the_window_closes_at_once(pilot):
    close(pilot)
    assert is_ending(pilot)


def test_stay_keeps_the_window_and_the_text(pilot, script, buttons):
    close(pilot)
    assert pilot.app.question.is_open
    pilot.click(*buttons["Stay"])
    pilot.step(2)
    assert not pilot.app.question.is_open
    assert not is_ending(pilot)
    assert pilot.app.shell.script.has_unsaved


def test_escape_stays(pilot, script):
    close(pilot)
    pilot.press("escape")
    assert not pilot.app.question.is_open
    assert not is_ending(pilot)
    close(pilot)
    assert pilot.app.question.is_open, "it asks each time"


def test_save_writes_scripts_and_scene_and_closes(pilot, script, buttons):
    app = pilot.app
    before = app.run_context.scene_path.read_text()
    app.editor.rename(next(iter(app.scene.objects.values())), "Renamed by hand")
    close(pilot)
    pilot.click(*buttons["all"])
    assert is_ending(pilot)
    assert script.read_text() == "CHANGED = 1\n"
    assert "Renamed by hand" in app.run_context.scene_path.read_text() != before


def test_discard_closes_and_writes_nothing(pilot, script, buttons):
    before = script.read_text()
    close(pilot)
    pilot.click(*buttons["Discard"])
    assert is_ending(pilot)
    assert script.read_text() == before


def test_what_cannot_be_saved_keeps_the_window(pilot, script, buttons):
    script.unlink()
    script.mkdir()
    close(pilot)
    pilot.click(*buttons["all"])
    pilot.step(2)
    assert not is_ending(pilot)
    assert pilot.app.question.is_open
    assert "Console" in pilot.app.question.message


def test_another_scene_is_opened_after_the_answer_only(pilot, script, buttons):
    pilot.app.navigation.open_scene(HELLO)
    pilot.step(3)
    assert pilot.app.run_context.next_scene is None
    pilot.click(*buttons["Discard"])
    assert pilot.app.run_context.next_scene == HELLO


def test_an_audience_is_left_to_answer(pilot, script):
    pilot.press("f11")
    assert pilot.app.host.panels.is_presenting
    close(pilot)
    assert not pilot.app.host.panels.is_presenting
    assert pilot.app.question.is_open

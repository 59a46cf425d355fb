"""The script editor: saved text runs, nothing is lost, what is wrong is marked at its line."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace

import pytest

from sim.core.editing.source_file import DiskState
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from sim.ui.panels.script_editor import ScriptEditorPanel

SCRIPT = """from sim import Script, field


class Turner(Script):
    speed: float = field(1.0)

    def update(self, dt: float) -> None:
        self.turned = 1
"""


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    for name in ("scenes", "scripts"):
        (tmp_path / name).mkdir()
    script = tmp_path / "scripts" / "turner.py"
    script.write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "scripts" / "other.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "outside.py").symlink_to(__file__)
    scene = tmp_path / "scenes" / "a.scene.json"
    component = {"type": "scripts.turner:Turner", "fields": {}}
    objects = {"obj_one": {"name": "A", "components": {"cmp_one": component}}}
    scene.write_text(
        json.dumps({"format": "goishi.scene/1", "id": "scn_edit", "objects": objects}),
        encoding="utf-8",
    )
    with Pilot(scene=scene, speed=1.0, window=(900, 600), quality="low") as pilot:
        host, panels = pilot.app.host, pilot.app.world.panels
        panel = ScriptEditorPanel(tmp_path, pilot.app.console, panels.renew)
        slot = pilot.app.scene.component("cmp_one")
        panels.register(slot, "Scripts", panel.draw)
        yield SimpleNamespace(
            pilot=pilot, panel=panel, host=host, slot=slot, script=script, root=tmp_path
        )


def opened(stage, line=0):
    assert stage.panel.open("scripts/turner.py", line)
    stage.pilot.draw_panels(3)
    return stage.panel.current


def edit(stage, text):
    """Replace the text as one edit of the user."""
    editor = stage.panel.current.editor
    editor.select_all()
    editor.replace_text_in_current_cursor(text)
    stage.pilot.draw_panels()


def later(stage, seconds):
    """Let the tabs look as they would so much later, without waiting."""
    import time

    now = time.monotonic() + seconds
    for tab in stage.panel.tabs:
        tab.poll(now)


def by_another(stage, text):
    before = stage.script.stat().st_mtime_ns
    stage.script.write_text(text, encoding="utf-8")
    os.utime(stage.script, ns=(before + 10**9, before + 10**9))


def lines(stage):
    return [record.text for record in stage.host.console.records]


def test_enter_behind_a_colon_indents_the_next_line(stage):
    tab = opened(stage, 7)
    stage.pilot.press("end")
    for text in ("if dt:  # a colon", "x = 1", "y = 2"):
        stage.pilot.press("enter")
        stage.pilot.draw_panels(2)
        stage.pilot.type_text(text)
        stage.pilot.draw_panels(2)
    assert tab.text.splitlines()[6:10] == [
        "    def update(self, dt: float) -> None:",
        "        if dt:  # a colon",
        "            x = 1",
        "            y = 2",
    ]


def test_backspace_takes_a_whole_step_of_indentation(stage):
    tab = opened(stage, 8)
    stage.pilot.press("end")
    for key, cursor in (
        ("enter", 8), ("backspace", 4), ("backspace", 0), ("backspace", 23), ("backspace", 22),
    ):  # fmt: skip
        stage.pilot.press(key)
        stage.pilot.draw_panels(2)
        assert tab.editor.get_main_cursor_position().index == cursor
    assert tab.text.splitlines()[7:] == ["        self.turned = "]


def test_what_is_typed_and_saved_runs(stage):
    tab = opened(stage, 8)
    assert tab.line == 8
    stage.pilot.press("end")
    stage.pilot.type_text("00")
    assert tab.is_unsaved
    assert stage.panel.has_unsaved
    assert stage.script.read_text() == SCRIPT
    assert not stage.pilot.app.clock.paused
    stage.pilot.press("s", "control")
    assert stage.script.read_text() == SCRIPT.replace("turned = 1", "turned = 100")
    assert not tab.is_unsaved
    assert stage.pilot.app.world.reloader.reload(stage.script)
    stage.pilot.step(2)
    assert stage.slot.instance.turned == 100


def test_undo_back_to_the_saved_text_is_saved(stage):
    tab = opened(stage)
    stage.pilot.type_text("x")
    assert tab.is_unsaved
    stage.pilot.press("z", "control")
    stage.pilot.draw_panels()
    assert tab.text == SCRIPT
    assert not tab.is_unsaved


def test_a_fault_is_marked_a_while_after_the_last_key(stage, monkeypatch):
    monkeypatch.setattr("sim.ui.panels.script_editor.CHECK_SECONDS", 400.0)
    tab = opened(stage)
    edit(stage, SCRIPT.replace("def update(", "def update(("))
    assert tab.fault is None
    later(stage, 200.0)
    assert tab.fault is None
    later(stage, 500.0)
    assert tab.fault.line == 7
    assert tab.editor.has_markers()
    assert tab.editor.has_squiggles()
    edit(stage, SCRIPT)
    later(stage, 500.0)
    assert tab.fault is None
    assert not tab.editor.has_markers()


def test_an_error_of_the_guard_is_marked_until_the_file_is_saved(stage):
    tab = opened(stage)
    edit(stage, SCRIPT.replace("turned = 1", "turned = 1 / 0"))
    assert stage.panel.save()
    stage.pilot.app.world.reloader.reload(stage.script)
    stage.pilot.step(2)
    later(stage, 1.0)
    assert list(tab.errors) == [8]
    assert "ZeroDivisionError" in tab.errors[8]
    assert tab.editor.has_markers()
    edit(stage, SCRIPT)
    later(stage, 2.0)
    assert list(tab.errors) == [8]
    assert stage.panel.save()
    assert tab.errors == {}
    assert not tab.editor.has_markers()


@pytest.mark.parametrize("choice", ["keep", "take"])
def test_a_change_by_somebody_else_is_asked_about(stage, choice):
    tab = opened(stage)
    edit(stage, "mine = 1\n")
    by_another(stage, "theirs = 1\n")
    assert not stage.panel.save()
    assert tab.disk is DiskState.CHANGED
    assert stage.script.read_text() == "theirs = 1\n"
    stage.pilot.draw_panels(2)
    if choice == "keep":
        tab.keep_mine()
        assert stage.panel.save()
        assert stage.script.read_text() == "mine = 1\n"
    else:
        tab.take_theirs()
        assert tab.text == "theirs = 1\n"
        assert not tab.is_unsaved
    assert tab.disk is DiskState.SAME


def test_without_changes_of_ones_own_theirs_is_taken(stage):
    tab = opened(stage)
    by_another(stage, "theirs = 1\n")
    later(stage, 1.0)
    assert tab.text == "theirs = 1\n"
    assert tab.disk is DiskState.SAME


def test_a_vanished_file_is_written_anew(stage):
    tab = opened(stage)
    stage.script.unlink()
    later(stage, 1.0)
    assert tab.disk is DiskState.GONE
    stage.pilot.draw_panels(2)
    assert tab.save(anyway=True)
    assert stage.script.read_text() == SCRIPT


def test_a_read_only_file_is_shown_and_not_written(stage):
    stage.script.chmod(0o444)
    tab = opened(stage)
    stage.pilot.type_text("x")
    stage.pilot.draw_panels(2)
    assert tab.text == SCRIPT
    assert not tab.save()
    assert "read-only" in tab.message
    assert "read-only" in lines(stage)[-1]
    stage.script.chmod(0o644)
    later(stage, 1.0)
    assert not tab.editor.is_read_only_enabled()


def test_what_cannot_be_opened_is_one_line(stage):
    (stage.root / "scripts" / "latin.py").write_bytes(b"\xe9")
    (stage.root / "scripts" / "large.py").write_bytes(b"#" * 1_000_001)
    for name in ("outside.py", "../x.py", "scripts/latin.py", "scripts/large.py", "nowhere.py"):
        begun = len(lines(stage))
        assert not stage.panel.open(name)
        assert len(lines(stage)) == begun + 1
        assert lines(stage)[-1].startswith("script editor: ")
    assert stage.panel.tabs == []
    stage.pilot.draw_panels(2)


def test_tabs_come_to_the_front_and_close(stage):
    first = opened(stage)
    stage.panel.open("scripts/other.py")
    stage.pilot.draw_panels(3)
    second = stage.panel.current
    assert second.name == "other.py"
    assert stage.panel.open(stage.script, 4)
    stage.pilot.draw_panels(3)
    assert stage.panel.current is first
    assert first.line == 4
    assert len(stage.panel.tabs) == 2
    edit(stage, "x = 2\n")
    stage.panel.close(first)
    stage.pilot.draw_panels(2)
    assert stage.panel.tabs == [first, second]
    assert first.is_closing
    stage.panel.close(first)
    stage.pilot.draw_panels(2)
    assert stage.panel.tabs == [second]
    assert stage.script.read_text() == SCRIPT
    assert stage.host.error_count == 0


def test_control_f_opens_the_search(stage):
    opened(stage)
    stage.pilot.draw_panels(2)
    before = stage.pilot.picture()
    stage.pilot.press("f", "control")
    stage.pilot.draw_panels(3)
    after = stage.pilot.picture()
    assert (before != after).any(axis=2).sum() > 2000
    assert stage.panel.current.text == SCRIPT


BAD = SCRIPT.replace("        self.turned", "    self.turned")


def test_a_fault_goes_with_a_good_reload_of_an_older_file(stage):
    tab = opened(stage)
    kept = stage.script.stat().st_mtime_ns - 10**9
    stage.script.write_text(BAD, encoding="utf-8")
    stage.pilot.app.world.reloader.reload(stage.script)
    later(stage, 1.0)
    assert list(tab.errors) == [8]
    stage.script.write_text(SCRIPT, encoding="utf-8")
    os.utime(stage.script, ns=(kept, kept))  # as a copy that is moved back
    assert stage.pilot.app.world.reloader.reload(stage.script)
    later(stage, 2.0)
    assert (tab.errors, tab.fault) == ({}, None)
    assert not tab.editor.has_markers()


def test_a_mended_helper_brings_back_the_script_that_failed_for_it(stage):
    helper, reload = stage.root / "scripts" / "helper.py", stage.pilot.app.world.reloader.reload
    helper.write_text("def turns():\nreturn 7\n", encoding="utf-8")
    text = SCRIPT.replace("turned = 1", "turned = turns()")
    stage.script.write_text(f"from scripts.helper import turns\n{text}", encoding="utf-8")
    assert not reload(stage.script)
    assert "IndentationError" in lines(stage)[-1]
    helper.write_text("def turns():\n    return 7\n", encoding="utf-8")
    assert reload(helper)
    stage.pilot.step(2)
    assert stage.slot.instance.turned == 7
    assert "reloaded scripts/turner.py" in lines(stage)[-1]


@pytest.mark.parametrize("is_control_first", [False, True])
def test_undos_between_two_frames_are_not_lost(stage, is_control_first):
    tab = opened(stage)
    for letter in "abc":
        stage.pilot.type_text(letter)
        stage.pilot.press("arrow_left")  # so that each is a step
    control = frozenset({"control"})
    for _ in range(3):
        ends = [
            InputEvent("key_up", key="z", modifiers=control),
            InputEvent("key_up", key="lcontrol"),
        ]
        stage.pilot.app.inject(
            InputEvent("key_down", key="lcontrol", modifiers=control),
            InputEvent("key_down", key="z", modifiers=control),
            *(reversed(ends) if is_control_first else ends),
        )
    stage.pilot.draw_panels(2)
    assert tab.text == SCRIPT


@pytest.mark.parametrize("unsaved", [(), (False,), (True, False), (False, True)])
def test_one_unsaved_file_is_enough(unsaved):
    panel = SimpleNamespace(tabs=[SimpleNamespace(is_unsaved=value) for value in unsaved])
    assert ScriptEditorPanel.has_unsaved.fget(panel) == any(unsaved)

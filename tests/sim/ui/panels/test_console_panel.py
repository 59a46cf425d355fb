"""The console panel: its filters cost nothing at rest, what is clicked opens, Python is typed."""

from __future__ import annotations

import os
import stat
from types import SimpleNamespace

import pytest

from sim.core.editing.interpreter import Interpreter
from sim.core.input.input_actions import InputEvent
from sim.core.reporting.console import Console, ConsoleRecord
from sim.testing import Pilot
from sim.ui.panels.console import ConsoleLines, ConsolePanel, _color, as_text, place_in
from sim.ui.panels.prompt import PromptLine
from sim.ui.shell.backend import Clipboard, find_commands
from sim.ui.theme.theme import LEVEL_COLORS, PALETTES

HELLO = "scenes/hello.scene.json"
TRACE = "ZeroDivisionError: x\n  /p/scripts/stone.py:41 in update\n      self = 3"


def failure(line=41, **keys):
    return ConsoleRecord(
        "error", "ZeroDivisionError: x", source="Board", component="Drop", hook="update",
        file="scripts/stone.py", line=line, details=TRACE, **keys,
    )  # fmt: skip


# -- which lines ------------------------------------------------------------------------------


@pytest.fixture
def console():
    return Console(stderr=False, capacity=1000)


@pytest.fixture
def lines(console):
    return ConsoleLines(console)


def texts(lines):
    lines.update()
    return [row.record.text for row in lines.rows]


def test_equal_lines_are_joined_and_counted(console, lines):
    for text in ("a", "b", "a", "a"):
        console.info(text)
    assert texts(lines) == ["a", "b", "a", "a"]
    lines.is_collapsed = True
    assert texts(lines) == ["a", "b"]
    console.info("a")
    lines.update()
    assert [row.count for row in lines.rows] == [4, 1]
    for _ in range(3):
        console.add(failure())
    lines.update()
    assert lines.rows[-1].count == 3


def test_everything_is_filtered_anew_only_when_the_filter_changes(console, lines):
    for number in range(50):
        console.info(f"line {number}")
    lines.update()
    lines.update()
    assert lines.rebuilt == 1
    console.info("one more")
    assert texts(lines)[-1] == "one more"
    assert lines.rebuilt == 1
    lines.search = "LINE 4"
    assert texts(lines) == ["line 4", *[f"line {number}" for number in range(40, 50)]]
    assert lines.rebuilt == 2
    lines.levels["info"] = False
    assert texts(lines) == []


def test_what_fell_out_of_the_console_goes(console, lines):
    for number in range(5000):
        console.info(f"line {number}")
        if number % 7 == 0:
            lines.update()
    lines.update()
    assert lines.rebuilt == 1
    assert 1000 <= len(lines) < 1300
    assert texts(lines)[-1] == "line 4999"
    console.clear()
    assert texts(lines) == []
    console.info("afresh")
    assert texts(lines) == ["afresh"]


def test_an_open_row_shows_what_stands_behind(console, lines):
    console.info("before")
    console.add(failure())
    console.info("after")
    lines.update()
    row = lines.rows[1]
    lines.toggle(row)
    shown = [lines.line(number) for number in range(len(lines))]
    assert [line.detail for line in shown] == [None, None, *TRACE.splitlines(), None]
    assert lines.is_open(row)
    console.info("more")
    lines.update()
    assert len(lines) == 7
    lines.toggle(row)
    assert len(lines) == 4
    assert as_text(lines.rows).splitlines()[1].startswith("ERROR Board > Drop.update")


def test_a_line_of_a_traceback_names_a_place():
    assert place_in("  /p/scripts/stone.py:41 in update") == ("/p/scripts/stone.py", 41)
    assert place_in("  C:\\p\\x.py:7 in <module>") == ("C:\\p\\x.py", 7)
    assert place_in("      self = 3") is None


# -- the clipboard ----------------------------------------------------------------------------


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A clipboard program that keeps the text in a file."""
    kept = tmp_path / "kept"
    program = tmp_path / "xclip"
    program.write_text(f'#!/bin/sh\ncase "$3" in -in) cat > "{kept}";; -out) cat "{kept}";; esac\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return kept


@pytest.mark.skipif(os.name == "nt", reason="the programs of other systems")
def test_the_systems_clipboard_is_used_where_there_is_one(programs):
    clipboard = Clipboard()
    clipboard.set("ünï\ncode")
    assert programs.read_text(encoding="utf-8") == "ünï\ncode"
    programs.write_bytes(b"from \xff another")
    assert clipboard.get() == "from \ufffd another"
    programs.unlink()
    assert clipboard.get() == "ünï\ncode"
    private = Clipboard(is_shared=False)
    private.set("mine")
    assert private.get() == "mine"
    assert not programs.exists()


def test_without_a_program_copied_objects_reach_other_windows(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    one, other = (Clipboard(file=tmp_path / "cache" / "clipboard.json") for _ in range(2))
    one.set("plain text")
    assert (one.get(), other.get()) == ("plain text", "")
    one.set('{"format": "goishi.objects/1"}')
    assert other.get() == '{"format": "goishi.objects/1"}'
    other.set("newer")
    assert (one.get(), other.get()) == ('{"format": "goishi.objects/1"}', "newer")


def test_without_a_program_the_text_stays_here(tmp_path):
    assert find_commands({"PATH": str(tmp_path), "DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}) is None


# -- on the screen ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def window():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        pilot.app.console._stderr = False
        yield pilot


@pytest.fixture
def stage(window, tmp_path):
    """A panel and a prompt of this test's own, where the window's console stands."""
    opened: list[tuple[str, int]] = []
    app, host = window.app, window.app.host
    history = tmp_path / "history.txt"
    prompt = PromptLine(
        Interpreter(app.scene, app.console, app.world.watchdog, history, {"host": host})
    )
    panel = ConsolePanel(
        app.console,
        app.scene,
        open_at=lambda file, line: opened.append((file, line)),
        prompt=prompt,
    )
    shown = next(item for item in window.app.shell.panels if item.title == "Console")
    shown.draw = panel.draw
    window.app.shell.open("Console")
    window.app.shell.studio.clipboard.copy_elsewhere = panel.copy_marked
    made = SimpleNamespace(
        pilot=window, panel=panel, prompt=prompt, opened=opened, host=host,
        console=window.app.console,
    )  # fmt: skip
    made.console.clear()
    window.move(640, 300)
    window.draw_panels()
    prompt.focus()
    window.draw_panels(3)
    assert prompt.is_active
    assert prompt.text == ""
    yield made
    for _ in range(2):  # closes a list, then clears: the widget's text outlives its prompt
        window.press("escape")
    assert host.error_count == 0


def said(stage):
    return [record.text for record in stage.console.records]


def test_enter_runs_and_the_prompt_keeps_the_keyboard(stage):
    stage.pilot.type_text("6 * 7")
    stage.pilot.press("enter")
    assert said(stage) == [">>> 6 * 7", "42"]
    assert stage.prompt.text == ""
    stage.pilot.type_text("1 / 0")
    stage.pilot.press("enter")
    stage.pilot.draw_panels(3)
    assert stage.console.records[-1].place == "<prompt>:1"
    assert stage.prompt.is_active
    assert not stage.pilot.app.clock.paused


def test_a_statement_goes_on_until_an_empty_line(stage):
    stage.pilot.type_text("for i in range(2):")
    stage.pilot.press("enter")
    assert stage.prompt.text == "for i in range(2):\n    "
    stage.pilot.type_text("print(i)")
    stage.pilot.press("enter")
    stage.pilot.press("enter")
    assert said(stage) == [">>> for i in range(2):", "...     print(i)", "0", "1"]


def test_shift_enter_breaks_the_line(stage):
    stage.pilot.type_text("a = 1")
    stage.pilot.press("enter", "shift")
    assert stage.prompt.text == "a = 1\n"
    stage.pilot.type_text("a + 1")
    stage.pilot.press("enter")
    assert said(stage)[-1] == "2"


def test_up_and_down_walk_through_the_history(stage):
    for source in ("1", "2"):
        stage.pilot.type_text(source)
        stage.pilot.press("enter")
    stage.pilot.type_text("draft")
    seen = []
    for key in ("arrow_up", "arrow_up", "arrow_up", "arrow_down", "arrow_down", "arrow_down"):
        stage.pilot.press(key)
        seen.append(stage.prompt.text)
    assert seen == ["2", "1", "1", "2", "draft", "draft"]


def test_escape_clears(stage):
    stage.pilot.type_text("something")
    stage.pilot.press("escape")
    assert stage.prompt.text == ""
    stage.pilot.type_text("3")
    assert stage.prompt.text == "3"


def test_tab_completes(stage):
    stage.pilot.type_text("ü = scene.find_a")
    stage.pilot.press("tab")
    assert stage.prompt.text == "ü = scene.find_all"
    stage.pilot.press("escape")
    stage.pilot.type_text("scene.ob")
    stage.pilot.press("tab")
    assert stage.prompt.text == "scene.object"
    assert stage.prompt.choices == ["object_of_transform", "objects"]
    stage.pilot.press("arrow_down")
    assert stage.prompt.choices[stage.prompt.choice] == "objects"
    stage.pilot.press("enter")
    assert stage.prompt.text == "scene.objects"
    assert stage.prompt.choices == []
    assert said(stage) == []


def test_escape_closes_the_list_and_keeps_the_text(stage):
    stage.pilot.type_text("scene.ob")
    stage.pilot.press("tab")
    stage.pilot.press("escape")
    assert stage.prompt.choices == []
    assert stage.prompt.text == "scene.object"
    stage.pilot.press("tab")
    assert stage.prompt.choices
    stage.pilot.type_text("s")
    assert stage.prompt.choices == []


def first_row(stage):
    """Return the height of the first row on the screen."""
    shell = stage.pilot.app.shell
    _, top, _, height = shell.viewport
    return top + height + 61


def test_a_click_on_a_place_opens_it(stage):
    stage.console.add(failure())
    stage.pilot.draw_panels(2)
    for x in range(50, 420, 30):  # right of the arrow
        stage.pilot.click(x, first_row(stage))
    assert set(stage.opened) == {("scripts/stone.py", 41)}
    stage.opened.clear()
    stage.panel.lines.toggle(stage.panel.lines.rows[0])
    stage.pilot.draw_panels(2)
    stage.pilot.click(60, first_row(stage) + 40)
    assert stage.opened == [("/p/scripts/stone.py", 41)]


def test_a_line_is_copied(stage):
    stage.console.info("copy me")
    stage.pilot.draw_panels(2)
    stage.pilot.click(60, first_row(stage))
    stage.pilot.press("c", "control")
    assert stage.pilot.app.shell.backend.clipboard.get() == "INFO copy me"


def test_text_is_pasted_into_the_prompt(stage):
    stage.pilot.app.shell.backend.clipboard.set("a = 3\na + 4")
    stage.pilot.press("v", "control")
    assert stage.prompt.text == "a = 3\na + 4"
    stage.pilot.press("enter")
    assert said(stage)[-1] == "7"


def test_the_panel_follows_the_end_until_somebody_scrolls_up(stage):
    for number in range(300):
        stage.console.info(f"line {number}")
    stage.pilot.draw_panels(4)
    assert stage.panel.is_at_end
    stage.pilot.move(100, first_row(stage))
    for _ in range(3):
        stage.pilot.app.inject(InputEvent("wheel", y=2.0))
        stage.pilot.draw_panels()
    stage.pilot.draw_panels(10)
    assert not stage.panel.is_at_end
    stage.console.info("news")
    stage.pilot.draw_panels(3)
    assert not stage.panel.is_at_end


def test_ten_thousand_lines_are_filtered_once(stage):
    for number in range(10_000):
        stage.console.info(f"line {number}")
    stage.pilot.draw_panels(3)
    begun = stage.panel.lines.rebuilt
    stage.pilot.draw_panels(20)
    assert stage.panel.lines.rebuilt == begun
    assert len(stage.panel.visible()) >= 10_000


def test_errors_are_red_warnings_amber_and_what_was_typed_green():
    colors = {level: _color(ConsoleRecord(level, "words")) for level in LEVEL_COLORS}
    assert colors["error"] == "red"
    assert colors["warning"] == "amber"
    assert "green" not in colors.values()
    assert _color(ConsoleRecord("info", ">>> 1 + 1")) == "green"
    assert _color(ConsoleRecord("error", ">>> 1 + 1")) == "red"
    assert _color(ConsoleRecord("info", ">>> 1 + 1", source="Board")) == colors["info"]
    for palette in PALETTES.values():
        red, green, blue = palette.red[:3]
        assert red > 1.3 * max(green, blue)

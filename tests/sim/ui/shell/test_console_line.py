"""The console is one line of the status bar until something warrants more."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from sim.core.reporting.console import ConsoleRecord

HELLO = "scenes/hello.scene.json"


PILOT = {"scene": HELLO, "speed": 1.0, "window": (900, 500), "quality": "low"}


@pytest.fixture
def pilot(pilot):
    pilot.app.shell.layer.lay_out(least=9)
    return pilot


@pytest.fixture
def texts(monkeypatch):
    """What is written, and where it ends."""
    found = {}
    write = imgui.text_colored

    def noting(color, text):
        write(color, text)
        found[text] = imgui.get_item_rect_min()

    monkeypatch.setattr(imgui, "text_colored", noting)
    return found


def test_the_last_line_is_in_the_status_bar_and_a_click_opens_the_console(pilot, texts):
    shell = pilot.app.shell
    assert not shell.is_open("Console")
    pilot.app.console.info("one")
    pilot.app.console.info("two")
    pilot.app.console.python("hidden")
    shell.layer.lay_out()
    place = next(place for text, place in texts.items() if text.endswith(" two"))
    assert place.y > 500 - 28
    pilot.click(place.x + 10, place.y + 5)
    pilot.draw_panels(2)
    assert shell.is_open("Console")
    assert shell.viewport[3] < 400
    texts.clear()
    shell.layer.lay_out()
    assert not any(text.endswith(" two") and place.y > 500 - 28 for text, place in texts.items())


@pytest.mark.parametrize("level", ["warning", "error"])
def test_a_warning_raises_it_unless_a_person_closed_it(pilot, level):
    shell, console = pilot.app.shell, pilot.app.console
    console.info("nothing special")
    assert not shell.is_open("Console")
    console.add(ConsoleRecord(level, "something is wrong"))
    assert shell.is_open("Console")
    shell.panel_windows.open_by_hand("Console", is_open=False)
    console.add(ConsoleRecord(level, "something else, too"))
    assert not shell.is_open("Console")

"""A layout that is restored has the tabs in front that were in front when it was left."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from sim.core.project.settings import SettingsFile
from sim.testing import Pilot

HELLO = "scenes/hello.scene.json"


@pytest.fixture
def restart(monkeypatch, tmp_path):
    """Start the app with settings and layouts that the next start finds."""
    monkeypatch.setattr("sim.app.app.SettingsFile", lambda folder: SettingsFile(tmp_path))
    return lambda: Pilot(scene=HELLO, speed=1.0, window=(900, 600), quality="low")


def titles_in_front(pilot):
    """Return the title of the tab that is seen in each dock, by its side."""
    layout = pilot.app.shell.layout
    found = {}
    for side, node in layout.nodes.items():
        window = imgui.internal.dock_builder_get_node(node).visible_window
        found[side] = window.name.partition("###")[2] if window is not None else ""
    return found


def settle(pilot):
    pilot.wait_until(lambda: not pilot.app.shell.layout.is_settling, frames=60)
    pilot.draw_panels(3)


@pytest.mark.parametrize("title", ["Script", "Console"])
def test_the_tabs_in_front_are_in_front_at_the_next_start(restart, title):
    with restart() as pilot:
        shell = pilot.app.shell
        shell.preferences.arrange("studio")
        settle(pilot)
        shell.panel_windows.open_front(title)
        pilot.draw_panels(3)
        left = titles_in_front(pilot)
        assert left["bottom"] == title
    with restart() as pilot:
        settle(pilot)
        assert pilot.app.shell.layout.name == "studio"
        assert titles_in_front(pilot) == left


def test_the_tabs_in_front_are_in_front_after_another_arrangement(restart):
    with restart() as pilot:
        shell = pilot.app.shell
        shell.preferences.arrange("studio")
        settle(pilot)
        for title in ("Script", "Inspector"):
            shell.panel_windows.open_front(title)
            pilot.draw_panels(3)
        left = titles_in_front(pilot)
        shell.preferences.arrange("watch")
        settle(pilot)
        assert titles_in_front(pilot) != left
        shell.preferences.arrange("studio")
        settle(pilot)
        assert titles_in_front(pilot) == left


def test_a_glance_at_another_arrangement_keeps_what_was_left_there(restart):
    with restart() as pilot:
        shell = pilot.app.shell
        shell.preferences.arrange("studio")
        settle(pilot)
        shell.panel_windows.open_front("Script")
        pilot.draw_panels(3)
        left = titles_in_front(pilot)
        for name in ("watch", "studio", "watch"):  # gone again before anything stands
            shell.preferences.arrange(name)
            pilot.draw_panels(1)
        shell.preferences.arrange("studio")
        settle(pilot)
        assert titles_in_front(pilot) == left


def test_the_look_does_not_depend_on_the_text_sizes_before(restart):
    with restart() as pilot:
        shell = pilot.app.shell
        shell.preferences.arrange("studio")
        settle(pilot)
        shell.preferences.set_scale(1.0)
        before = style_of(imgui.get_style())
        for scale in (1.25, 1.5, 2.0, 1.25, 0.85, 1.5, 1.0):
            shell.preferences.set_scale(scale)
            pilot.draw_panels(2)
        assert style_of(imgui.get_style()) == before
        assert shell.theme.scale == 1.0


def style_of(style):
    """Return every number of ImGui's style by name, its record of the scale included."""
    values = {name: getattr(style, name) for name in dir(style) if not name.startswith("__")}
    pairs = {name: (value.x, value.y) for name, value in values.items() if hasattr(value, "x")}
    numbers = {name: value for name, value in values.items() if isinstance(value, int | float)}
    return numbers | pairs

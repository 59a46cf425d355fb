"""The shell: arrangements, themes, scales, keys, and panels that fail."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from sim.testing import Pilot
from sim.ui.theme.theme import PALETTES

HELLO = "scenes/hello.scene.json"


def luminance(color):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("color", ["text", "muted", "amber", "green", "red", "blue"])
@pytest.mark.parametrize("behind", ["panel", "popup", "plot", "bar"])
def test_every_text_colour_can_be_read(name, color, behind):
    palette = PALETTES[name]
    assert contrast(getattr(palette, color), getattr(palette, behind)) >= 4.5


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("behind", ["knob", "pressed", "raised", "section"])
def test_the_number_of_a_slider_can_be_read_wherever_its_knob_stands(name, behind):
    palette = PALETTES[name]
    assert getattr(palette, behind)[3] == 1.0
    assert contrast(palette.text, getattr(palette, behind)) >= 4.5


def test_each_theme_and_scale_leaves_room_for_the_scene():
    with Pilot(player_white="random", speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        for theme, scale in itertools.product(("dark", "light"), (1.0, 2.0)):
            shell.preferences.set_theme(theme)
            shell.preferences.set_scale(scale)
            picture = pilot.picture()
            width, height = shell.viewport[2:]
            assert width > 1280 * 0.45
            assert height > 720 * 0.4
            bar = picture[5, 5].mean() / 255
            assert (bar > 0.5) == (theme == "light")
            shell.preferences.set_scale(1.0)  # fonts of another size come and go
            pilot.picture()
            pilot.step(3)
            assert pilot.app.host.error_count == 0


def test_a_panel_closes_and_opens_and_the_scene_takes_its_room():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.open("Console")
        pilot.picture()
        before = shell.viewport[3]
        shell.open("Console", not shell.is_open("Console"))
        pilot.picture()
        assert shell.viewport[3] > before + 60
        shell.open("Console", not shell.is_open("Console"))
        pilot.picture()
        assert shell.viewport[3] == before


def test_the_scene_alone_and_back():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        pilot.press("f11")
        pilot.picture()
        assert pilot.app.shell.viewport == (0, 0, 1280, 720)
        pilot.press("escape")
        pilot.picture()
        assert pilot.app.shell.viewport != (0, 0, 1280, 720)


def test_a_key_is_changed_in_the_list_of_keys():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        pilot.press("f1")
        assert shell.is_open("Keys")
        pilot.picture()
        shell.key_list.waiting = "studio.pause"
        pilot.press("g")
        assert shell.keys.chord("studio.pause") == "g"
        pilot.press("g")
        assert pilot.app.clock.paused
        shell.key_list.waiting = "studio.faster"
        pilot.press("g")
        assert "taken already" in shell.key_list.message
        pilot.press("escape")
        assert not shell.is_open("Keys")


def test_settings_and_layout_are_there_at_the_next_start(tmp_path):
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        pilot.app.settings.path = tmp_path / "settings.toml"
        pilot.app.shell.layout.folder = tmp_path
        pilot.app.shell.preferences.set_theme("light")
        pilot.app.shell.preferences.arrange("studio")
        pilot.picture()
        viewport = pilot.app.shell.viewport
    assert 'theme = "light"' in (tmp_path / "settings.toml").read_text()
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        pilot.app.shell.layout.folder = tmp_path
        pilot.app.shell.layout.rebuild = None
        pilot.app.shell.layout.choose("studio")
        pilot.picture()
        assert pilot.app.shell.layout.nodes
        assert pilot.app.shell.viewport == viewport


@pytest.mark.parametrize("text", ["", "nonsense", "; goishi layout left=1 right=x bottom=3\n",
                                  "; goishi layout left=1 right=2 bottom=3\n[Docking][Data]\n"])  # fmt: skip
def test_a_damaged_layout_file_gives_the_usual_places(tmp_path, text):
    (tmp_path / "layout-studio.ini").write_text(text)
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        pilot.app.shell.layout.folder = tmp_path
        pilot.app.shell.preferences.arrange("studio")
        pilot.picture()
        width, height = pilot.app.shell.viewport[2:]
        assert width > 500
        assert height > 300
        assert pilot.app.host.error_count == 0
        told = [item.text for item in pilot.app.console.records if item.level == "warning"]
    assert len(told) == 1
    assert told[0].endswith(f"the file is kept as {tmp_path / 'layout-studio.ini.bad'}")
    assert (tmp_path / "layout-studio.ini.bad").read_text() == text


def test_a_layout_file_that_was_edited_never_reaches_imgui(tmp_path):
    """It would end the process: ImGui asserts, or crashes, at nodes that hang nowhere."""
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        pilot.app.shell.layout.folder = tmp_path
        pilot.app.shell.preferences.arrange("studio")
        pilot.picture()
    path = tmp_path / "layout-studio.ini"
    sound = path.read_text()
    edited = re.sub(r" Split=\w", "", sound)
    assert edited != sound
    path.write_text(edited)
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        layout = pilot.app.shell.layout
        layout.folder = tmp_path
        layout.rebuild = None
        layout.choose("studio")
        pilot.picture()
        assert pilot.app.shell.viewport[2] > 500


def test_an_engine_panel_that_fails_says_so_and_can_be_shown_again():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell

        def fail(ui):
            ui.imgui.begin_child("left open")
            raise ValueError("no drawing today")

        shell.add_panel("Broken", fail, icon="bug")
        pilot.picture()
        pilot.picture()
        lines = [item for item in pilot.app.console.records if item.level == "error"]
        assert len(lines) == 1
        assert "panel Broken: ValueError: no drawing today" in str(lines[0])
        assert pilot.picture().std() > 5


def test_many_commands_stay_inside_the_bar():
    with Pilot(window=(800, 600), player_white="random", speed=1.0, quality="low") as pilot:
        match = pilot.component("Match")
        for index in range(12):
            match.command(f"extra {index}", f"Another command {index}", lambda: None)
        pilot.step(2)
        pilot.picture()
        assert pilot.app.host.error_count == 0
        assert "command.extra 11" in pilot.app.shell.keys.actions

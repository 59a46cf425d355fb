"""The panels: where they lie, what they filter, and that they rest when nobody looks."""

from __future__ import annotations

import pytest

from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

HELLO = "scenes/hello.scene.json"


@pytest.mark.parametrize("size", [(1280, 720), (800, 600), (640, 400)])
def test_the_picture_and_the_panels_share_the_window(size):
    with Pilot(window=size, player_white="random", speed=1.0, quality="low") as pilot:
        pilot.step(3)
        shell = pilot.app.shell
        left, top, width, height = shell.viewport
        assert left == 0
        assert size[0] / 2 < width < size[0] - 150  # charts stand at the right
        assert height > size[1] / 3
        assert top >= 40
        assert top + height == size[1] - 28  # the status line below, with the console's last
        shell.open("Console")
        pilot.draw_panels(3)
        left, top, width, height = shell.viewport
        assert height > size[1] / 5
        assert top + height < size[1] - 80  # console and status line below
        assert pilot.app.host.error_count == 0


def test_the_console_filters_by_level_and_text():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        console, panel = pilot.app.console, pilot.app.shell.console
        console.info("first words")
        console.error("something broke")
        pilot.step(2)
        assert [item.text for item in panel.visible()][-2:] == ["first words", "something broke"]
        panel.levels["info"] = False
        assert all(item.level != "info" for item in panel.visible())
        panel.levels["info"] = True
        panel.search = "BROKE"
        assert [item.text for item in panel.visible()] == ["something broke"]
        assert len(pilot.app.shell.overlays.toasts) == 1


def test_without_ui_there_is_the_bare_world():
    with Pilot(scene=HELLO, speed=1.0, panels=False, window=(320, 200)) as pilot:
        pilot.step(3)
        assert pilot.app.shell is None
        assert pilot.app.display.image().std() > 5


def test_a_minimised_window_draws_nothing_until_it_is_back():
    with Pilot(scene=HELLO, speed=1.0, window=(320, 200)) as pilot:
        pilot.step(5)
        pilot.app.inject(InputEvent("minimize"))
        pilot.step(1)
        drawn = pilot.app.frame_stats.drawn
        pilot.step(10)
        assert pilot.app.frame_stats.drawn == drawn
        pilot.app.inject(InputEvent("restore"))
        pilot.step(10)
        assert pilot.app.frame_stats.drawn > drawn


def test_a_panel_that_raises_is_one_line_and_the_others_stay():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        slot = next(iter(pilot.app.scene.components()))
        for slot in pilot.app.scene.components():
            if slot.class_name == "HelloStone":
                break

        def fail(ui):
            raise ValueError("no drawing today")

        pilot.app.host.panels.register(slot, "Broken", fail, dock="right", order=0)
        pilot.draw_panels(5)  # they are drawn less often than the scene
        lines = [item for item in pilot.app.console.records if item.level == "error"]
        assert len(lines) == 1
        assert "no drawing today" in str(lines[0])
        assert pilot.app.display.image().std() > 5


def test_speed_keys_double_and_halve():
    with Pilot(scene=HELLO, speed=1.0, quality="low") as pilot:
        pilot.press("+")
        assert pilot.app.clock.speed == 2.0
        pilot.press("-")
        pilot.press("-")
        assert pilot.app.clock.speed == 0.5

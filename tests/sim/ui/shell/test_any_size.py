"""Wherever the window divided by the scale is at least 640x360, nothing overlaps or is cut."""

from __future__ import annotations

import itertools

import pytest
from imgui_bundle import imgui

from sim.core.project.settings import fitting_scale
from sim.testing import Pilot
from sim.ui.shell.toolbar import BarPart, fit

HELLO = "scenes/hello.scene.json"
SIZES = [(1280, 720, 2.0), (640, 360, 1.0), (800, 600, 1.0), (1280, 720, 1.0)]


class Drawn:
    """Where buttons of the toolbar, and windows over the view, were drawn last."""

    def __init__(self, patch):
        self.buttons, self.windows = {}, {}
        button, end, self.open = imgui.button, imgui.end, []
        slider = imgui.slider_int
        begin = imgui.begin

        def noting(label, *arguments):
            pressed = button(label, *arguments)
            if self.open and self.open[-1] == "Playback":
                low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
                self.buttons[label] = (low.x, low.y, high.x, high.y)
            return pressed

        def sliding(label, *arguments):
            found = slider(label, *arguments)
            if label.startswith("##") and self.open and self.open[-1] == "Playback":
                low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
                self.buttons[label] = (low.x, low.y, high.x, high.y)
            return found

        def begun(name, *arguments):
            self.open.append(name)
            return begin(name, *arguments)

        def ended():
            name = self.open.pop()
            corner, size = imgui.get_window_pos(), imgui.get_window_size()
            if "overlay" in name or name == "Legend" or name.startswith("toast"):
                self.windows[name] = (corner.x, corner.y, corner.x + size.x, corner.y + size.y)
            end()

        patch.setattr(imgui, "button", noting)
        patch.setattr(imgui, "slider_int", sliding)
        patch.setattr(imgui, "begin", begun)
        patch.setattr(imgui, "end", ended)

    def forget(self):
        self.buttons.clear()
        self.windows.clear()


@pytest.fixture
def drawn(monkeypatch):
    return Drawn(monkeypatch)


def overlapping(places):
    """Return the pairs of names whose rectangles share more than an edge."""
    return [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(places.items(), 2)
        if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1
    ]


def outside(places, left, top, width, height):
    return [
        name
        for name, (low, upper, high, lower) in places.items()
        if low < left - 1 or upper < top - 1 or high > left + width + 1 or lower > top + height + 1
    ]


def resize(pilot, width, height, scale, layout):
    shell = pilot.app.shell
    pilot.app.display.size = (width, height)
    shell.preferences.arrange(layout)
    shell.preferences.set_scale(scale)
    shell.layer.lay_out(least=9)  # the panels alone, without the scene
    assert shell.theme.scale == scale


@pytest.mark.parametrize("layout", ["watch", "studio"])
def test_nothing_overlaps_or_is_cut_at_any_size(drawn, layout):
    with Pilot(player_white="random", player_black="random", speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.overlays.introduce(shell.do)
        for width, height, scale in SIZES:
            resize(pilot, width, height, scale, layout)
            for number in range(3):
                shell.overlays.say(f"{number}: a message that is longer than a side panel is wide")
            drawn.forget()
            shell.layer.lay_out(least=3)
            at = (width, height, scale)
            assert len(drawn.buttons) >= 9, at
            assert not overlapping(drawn.buttons), at
            assert not outside(drawn.buttons, 0, 0, width, height), at
            assert {"Legend", "toast 0", "toast 2"} < drawn.windows.keys(), at
            assert not overlapping(drawn.windows), at
            left, top, across, down = shell.viewport
            view = {"view": (left, top, left + across, top + down)}
            for name in [name for name in drawn.windows if name.startswith("toast")]:
                toast = {name: drawn.windows.pop(name)}
                assert not overlapping(view | toast), (at, "the board is in the view")
                assert not outside(toast, 0, 42 * scale, width, height - 70 * scale), at
            assert not outside(drawn.windows, *shell.viewport), at
            shell.overlays.toasts.clear()
        assert pilot.app.host.error_count == 0


def test_messages_stand_over_the_view_where_nothing_lies_beside_it(drawn):
    with Pilot(scene=HELLO, window=(640, 360), speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        for panel in (*shell.panels, *pilot.app.host.panels.panels):
            shell.open(panel.title, is_open=False)
        shell.overlays.say("a message")
        shell.layer.lay_out(least=5)
        assert shell.viewport[2] == 640
        assert not outside({"": drawn.windows["toast 0"]}, *shell.viewport)
        x, y = (round(sum(drawn.windows["toast 0"][side::2]) / 2) for side in (0, 1))
        pilot.click(x, y)
        shell.layer.lay_out(least=2)
        assert not shell.overlays.toasts, "a click closes it"


def test_what_has_no_room_in_the_toolbar_is_in_its_menu(drawn):
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.preferences.set_scale(2.0)
        drawn.forget()
        items = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(imgui, "begin_popup", lambda name: name == "more")
            patch.setattr(imgui, "end_popup", lambda: None)
            menu_item = imgui.menu_item
            patch.setattr(
                imgui, "menu_item",
                lambda label, *rest: (items.append(label), menu_item(label, *rest))[1],
            )  # fmt: skip
            slider = imgui.slider_int
            patch.setattr(
                imgui, "slider_int",
                lambda label, *rest: (items.append(f"  {label}"), slider(label, *rest))[1],
            )  # fmt: skip
            shell.layer.lay_out(least=3)
        bar = shell.playback
        in_bar = {label.partition("##")[2] for label in drawn.buttons}
        for button in (*bar.left, *bar.right):
            in_menu = any(item.endswith(f"  {button.tip}") for item in items)
            assert in_menu != (button.tip in in_bar), button.tip


def test_the_lowest_ranks_stay_longest_and_names_are_written_out_where_there_is_room():
    parts = [BarPart(10, 2, rank, wide) for rank, wide in ((3, 10), (1, 30), (2, 40))]
    assert fit(parts, 200, 12) == ((0, 1, 2), frozenset({1, 2}))
    assert fit(parts, 60, 12) == ((0, 1, 2), frozenset({1}))
    assert fit(parts, 36, 12) == ((0, 1, 2), frozenset())
    assert fit(parts, 35, 12) == ((1,), frozenset())  # the menu's button takes its place, too
    assert fit(parts, 5, 12) == ((), frozenset())


def test_where_it_is_narrow_there_is_one_side_panel_at_a_time():
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.preferences.arrange("studio")
        shell.layer.lay_out(least=9)
        wide = shell.viewport
        assert shell.layout.nodes["left"] != shell.layout.nodes["right"]
        assert wide[0] > 0
        resize(pilot, 800, 600, 1.0, "studio")
        assert shell.layout.nodes["left"] == shell.layout.nodes["right"]
        assert shell.viewport[0] == 0
        assert shell.viewport[2] > 450
        resize(pilot, 1280, 720, 1.0, "studio")
        assert shell.viewport == wide


def test_below_that_the_scale_is_limited_and_says_so():
    assert fitting_scale(2.0, (1280, 720)) == 2.0
    assert fitting_scale(2.0, (1279, 720)) == 1.95
    assert fitting_scale(1.0, (600, 360)) == 0.9
    assert fitting_scale(1.0, (100, 100)) == 0.5
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.preferences.set_scale(2.0)
        pilot.draw_panels(2)
        pilot.press("=", "control")
        assert shell.theme.scale == 2.0
        assert shell.overlays.toasts[-1].text == (
            "Text stays at 200 %: 225 % needs a window of at least 1440x810 pixels"
        )
        pilot.app.display.size = (960, 720)
        pilot.draw_panels(2)
        assert shell.theme.scale == 1.5
        assert pilot.app.world.status.lines["scale"].text == (
            "Text 150 %: the window is too small for 200 %"
        )
        pilot.app.display.size = (1280, 720)
        pilot.draw_panels(2)
        assert shell.theme.scale == 2.0
        assert not pilot.app.world.status.lines["scale"].text


def test_a_low_view_keeps_the_board_in_sight_between_what_lies_over_it(drawn):
    """The console is open at 200 %: a person's buttons stay, the score gives way, and is back."""
    with Pilot(player_white="human", player_black="random", speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        panels = pilot.app.host.panels
        pilot.wait_until(lambda: "Your seat" in [entry.title for entry in panels.panels])
        resize(pilot, 1280, 720, 1.0, "watch")
        shell.open("Console")
        before = heights_over(shell, drawn)
        assert len(before) >= 2, "score and seat"
        resize(pilot, 1280, 720, 2.0, "watch")
        shell.panel_windows.open_front("Console")
        low = heights_over(shell, drawn)
        assert sum(low.values()) <= 0.6 * shell.viewport[3]
        assert [name for name in low if "seat" in name.lower()]
        resize(pilot, 1280, 720, 1.0, "watch")
        assert heights_over(shell, drawn).keys() == before.keys()


def heights_over(shell, drawn):
    """Return the heights of what was drawn over the view, by name."""
    shell.layer.lay_out(least=3)
    drawn.forget()
    shell.layer.lay_out(least=3)
    return {
        name: low - high for name, (_, high, _, low) in drawn.windows.items() if "overlay" in name
    }

"""Nothing is cut off without a sign: long names, narrow panels, large letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.core.project.recent_scenes import SceneCard
from sim.testing import Pilot
from sim.ui.panels.recording import RecordingPanel
from sim.ui.theme import theme

HELLO = "scenes/hello.scene.json"
LONG = "a name that nobody would think of " * 5


@pytest.fixture
def items(monkeypatch):
    """The right ends of all that is drawn, by what drew it, with the right end of its window."""
    found = {}

    def noting(name, draw):
        def drawn(label, *arguments):
            result = draw(label, *arguments)
            if name == "selectable":  # its frame is as wide as asked, its text is what counts
                end = imgui.get_item_rect_min().x + imgui.calc_text_size(label.split("##")[0]).x
            else:
                end = imgui.get_item_rect_max().x
            window = imgui.get_window_pos().x + imgui.get_window_width()
            found[label] = (end, window)
            return result

        return drawn

    for name in ("button", "small_button", "selectable"):
        monkeypatch.setattr(imgui, name, noting(name, getattr(imgui, name)))
    return found


def outside(items):
    return {label: ends for label, ends in items.items() if ends[0] > ends[1] + 1}


def test_a_text_is_cut_where_its_place_ends():
    with Pilot(scene=HELLO, window=(320, 200), speed=1.0) as pilot:
        cuts = []

        def draw(ui):
            for room in (1e9, 200.0, 80.0, 1.0):
                text = theme.cut(LONG, room)
                cuts.append((text, room, imgui.calc_text_size(text).x))

        pilot.app.shell.add_panel("Texts", draw, icon="x")
        pilot.draw_panels(2)
        assert cuts[0][0] == LONG
        for text, room, width in cuts[1:3]:
            assert text.endswith("…")
            assert LONG.startswith(text[:-1])
            assert room - 20 < width <= room
        assert cuts[3][0] == "…"


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_no_button_and_no_row_ends_outside_its_panel(items, scale):
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as pilot:
        app, shell = pilot.app, pilot.app.shell
        shell.preferences.set_scale(scale)
        shell.preferences.arrange("studio")
        board = app.scene.find("Board")
        app.editor.rename(board, LONG)
        app.host.status.set("one", LONG)
        app.host.status.set("two", LONG)
        shell.studio.selection.choose(board)
        app.welcome.toggle()
        app.welcome.recent = [SceneCard(Path("/a") / LONG / "scenes" / "b.scene.json", LONG, "")]
        pilot.draw_panels(6)
        for panel in shell.panels:
            shell.panel_windows.open_front(panel.title)
            pilot.draw_panels(2)
        recent = next(label for label in items if label.endswith("##recent 0"))
        assert recent.split("##")[0].endswith("…")
        outer = {label: ends for label, ends in outside(items).items() if "example" not in label}
        assert not outer
        assert app.host.error_count == 0


def test_the_answers_to_a_scripts_question_are_seen_where_its_panel_is_narrow(items):
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.preferences.set_scale(2.0)
        shell.preferences.arrange("studio")
        shell.open_at("scripts/gomoku/game/scoreboard.py", 1)
        shell.script.current.is_closing = True
        items.clear()
        pilot.draw_panels(3)
        assert {"Save##answer", "Discard##answer", "Cancel##answer"} <= set(items)
        assert not outside(items)


def test_the_buttons_of_the_recorder_are_seen_where_the_panel_is_low(items):
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.preferences.set_scale(2.0)
        bottoms = {}
        draw_buttons = RecordingPanel._draw_buttons

        def noting(panel, theme):
            draw_buttons(panel, theme)
            bottom = imgui.get_window_pos().y + imgui.get_window_height()
            bottoms["end"] = (imgui.get_item_rect_max().y, bottom)

        shell.preferences.arrange("studio")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RecordingPanel, "_draw_buttons", noting)
            shell.panel_windows.open_front("Recording")
            pilot.draw_panels(6)
        assert bottoms["end"][0] < bottoms["end"][1]


def test_what_floats_over_a_narrow_view_stays_inside_it(items, tmp_path):
    with Pilot(window=(1280, 720), quality="low", seed=1, player_white="random",
               player_black="random", data_dir=tmp_path) as pilot:  # fmt: skip
        app, shell = pilot.app, pilot.app.shell
        match, viewer = pilot.component("Match"), pilot.component("GameViewer")
        app.inject(InputEvent("minimize"))  # nothing is drawn while a game is played
        pilot.wait_until(lambda: match.records, frames=6000)
        app.inject(InputEvent("restore"))
        app.clock.speed = 1.0
        shell.preferences.set_scale(2.0)
        shell.panel_windows.open_front("Games")
        viewer.open(match.records[0])
        items.clear()
        pilot.draw_panels(6)
        left, _, width, _ = shell.viewport
        assert width < 800  # of 1280
        ends = {label.partition("##")[2]: end for label, (end, _) in items.items()}
        for name in ("first", "last", "Live game"):
            assert left < ends[name] <= left + width
        for label in ("Play on", "Compare"):
            if label in items:
                assert items[label][0] <= items[label][1]
        viewer.close()
        match.take_over(1)
        pilot.wait_until(lambda: pilot.component("HumanControls").is_at_table)
        pilot.component("HumanControls").wants_to_resign = True
        pilot.draw_panels(4)
        for label in ("Yes, resign", "Play on"):
            assert left < items[label][0] <= left + width
        assert app.host.error_count == 0

"""ImGui's backend: letters keep their size, and the wheel turns the panel around a list at its end."""

from __future__ import annotations

import string

import pytest
from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from sim.ui.shell import backend

HELLO = "scenes/hello.scene.json"


@pytest.mark.parametrize("atlas", [256, backend.ATLAS_SIZE])
def test_new_letters_have_the_size_of_their_line_after_others_were_dropped(monkeypatch, atlas):
    monkeypatch.setattr(backend, "ATLAS_SIZE", atlas)
    with Pilot(scene=HELLO, window=(640, 360), speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        theme, panels = shell.theme, shell.backend
        before = panels.io.fonts.tex_next_unique_id

        def show(*lines, frames=1):
            for _ in range(frames):
                panels.begin(0.01)
                widths = []
                for font, size, text in lines:
                    imgui.push_font(font, size)
                    widths.append(imgui.calc_text_size(text).x / size)
                    imgui.pop_font()
                panels.end()
            return widths

        for turn in range(24):
            low, high = 40.0 + turn * 0.5, 64.0 + turn * 0.5
            show((theme.text, 50.0 + turn, string.ascii_letters[: 20 + turn]))
            show((theme.bold, low, "abc"), (theme.bold, high, "abc"))
            show((theme.bold, low, "abcq"), (theme.bold, high, "abc"), frames=4)
            for more in range(3):
                show((theme.bold, low, "abcq"), (theme.bold, high, "abc"),
                     (theme.mono, 20.0 + turn + more, string.ascii_letters))  # fmt: skip
            one, other = show((theme.bold, high, "W"), (theme.bold, low, "W"))
            assert one == pytest.approx(other, rel=0.05)
            own = {item.tex_id for item in imgui.get_draw_data().textures if item.tex_id}
            assert {item.tex_id for item in panels._glyphs} == own, (
                "ImGui's own list, read here alone"
            )
            assert own <= set(panels._textures)
        if atlas == 256:
            assert panels.io.fonts.tex_next_unique_id > before + 5, "it was packed anew"


def test_the_wheel_turns_the_panel_around_a_list_that_is_at_its_end():
    with Pilot(scene=HELLO, window=(1280, 720), speed=1.0, quality="low") as pilot:
        pilot.app.clock.pause()
        slot = next(iter(pilot.app.scene.components()))
        places, flags = {}, int(imgui.TableFlags_.scroll_y)

        def draw(ui):
            places["panel"] = (imgui.get_scroll_y(), imgui.get_scroll_max_y())
            imgui.dummy(imgui.ImVec2(1, 60))
            corner = imgui.get_cursor_screen_pos()
            places["middle"] = (corner.x + 40, corner.y + 40)
            imgui.begin_child("list", imgui.ImVec2(0, 160))
            if imgui.begin_table("rows", 1, flags, imgui.ImVec2(0, 140)):
                places["rows"] = (imgui.get_scroll_y(), imgui.get_scroll_max_y())
                for row in range(15):
                    imgui.table_next_column()
                    imgui.text(f"row {row}")
                imgui.end_table()
            imgui.end_child()
            imgui.dummy(imgui.ImVec2(1, 2000))

        pilot.app.host.panels.register(slot, "Long", draw, dock="left")
        pilot.app.shell.panel_windows.open_front("Long")
        pilot.draw_panels(5)
        context = pilot.app.shell.backend.context

        def turn(y, times):
            for _ in range(times):
                pilot.move(*places["middle"])
                context.wheeling_window_release_timer = 0.0  # as after a pause
                pilot.app.inject(InputEvent("wheel", y=y))
                pilot.draw_panels(2)

        turn(-1.0, 1)
        assert (places["rows"][0] > 0, places["panel"][0]) == (True, 0.0), "the list first"
        for _ in range(20):
            if places["rows"][0] == places["rows"][1]:
                break
            turn(-1.0, 1)
        assert places["rows"][0] == places["rows"][1] > 20
        assert places["panel"][0] == 0.0
        turn(-1.0, 1)
        lowered = places["panel"][0]
        assert lowered > 0, "then the panel around it"
        turn(1.0, 1)
        assert (places["rows"][0] < places["rows"][1], places["panel"][0]) == (True, lowered)
        turn(1.0, 12)
        assert (places["rows"][0], places["panel"][0]) == (0.0, 0.0)

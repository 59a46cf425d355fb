"""ImGui's backend: letters keep their size, however many sizes of a font come and go."""

from __future__ import annotations

import string

import pytest
from imgui_bundle import imgui

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

"""In no language is a text of the window cut, covered by another one, or left in English."""

from __future__ import annotations

import json

import pytest
from imgui_bundle import imgui

from base.files import SHIPPED_ROOT
from base.language.catalogs import ENGLISH, LANGUAGES, use
from base.language.wording import tr
from sim.testing import Pilot
from sim.ui.theme.theme import cut
from tests.window_walk import Walk

SIZES = (((1280, 720), 1.0), ((1280, 720), 2.0), ((1920, 1080), 3.0))
"""Windows, each with a size of text."""
QUICK = {"player_black": "random", "player_white": "random"}
SEATED = ("self_teaching", "gomoku_15")
"""Scenes whose seats may be given to players that answer at once."""
SCENES = sorted(path.name.split(".")[0] for path in (SHIPPED_ROOT / "scenes").glob("*.scene.json"))
NOT_RUN = frozenset({"open_file", "hall_back"})
"""Commands that ask for a file, and one that only leads back."""


@pytest.fixture
def patch():
    with pytest.MonkeyPatch.context() as made:
        yield made
    use(ENGLISH)


def options_of(scene, tmp_path, window=SIZES[0][0]):
    seats = QUICK if scene in SEATED else {}
    return {
        "scene": f"scenes/{scene}.scene.json", "window": window, "speed": 1.0, "quality": "low",
        "seed": 1, "out": tmp_path / "run", **seats,
    }  # fmt: skip


MADE = {
    "a label in a column": lambda ui, text: (ui.text(text), imgui.same_line(20.0), ui.text("on")),
    "a line that does not wrap": lambda ui, text: imgui.text(text * 20),
    "a button of one size": lambda ui, text: imgui.button(text, imgui.ImVec2(24.0, 0.0)),
    "a list of one width": lambda ui, text: (
        imgui.set_next_item_width(40.0), imgui.combo("##list", 0, [text, "x"]),
    ),
    "an ellipsis": lambda ui, text: imgui.text(cut(text, 20.0)),
    "a hint": lambda ui, text: (
        imgui.set_next_item_width(30.0), imgui.input_text_with_hint("##hint", text, ""),
    ),
    "a drawing": lambda ui, text: imgui.get_window_draw_list().add_text(
        imgui.ImVec2(imgui.get_window_pos().x + imgui.get_window_width() - 9.0,
                     imgui.get_cursor_screen_pos().y), 0xFFFFFFFF, text,
    ),
}  # fmt: skip
"""Ways to cut a text, each with what draws it."""


def test_a_cut_text_is_found_however_it_is_cut(patch, tmp_path):
    with Pilot(**options_of("hello", tmp_path)) as pilot:
        walk = Walk(pilot, patch, ["de", "ko"])
        walk.look("nothing made")
        assert not walk.faults, json.dumps(walk.faults, indent=1, ensure_ascii=False)
        for way, draw in MADE.items():
            shell = pilot.app.shell
            del shell.panels[8:]
            shell.add_panel(way, lambda ui, draw=draw: draw(ui, tr("Take back")))
            shell.panel_windows.open_front(way)
            shell.layer.lay_out(least=3)
            before = len(walk.faults)
            walk.look(way)
            assert len(walk.faults) > before, way


@pytest.mark.parametrize(("window", "scale"), SIZES)
def test_no_panel_menu_or_dialog_cuts_a_text(patch, tmp_path, window, scale):
    with Pilot(**options_of("self_teaching", tmp_path, window)) as pilot:
        shell, walk = pilot.app.shell, Walk(pilot, patch)
        shell.preferences.set_scale(scale)
        assert shell.theme.scale == scale
        pilot.step(5)
        shell.studio.selection.choose(pilot.app.scene.find("Board"))
        for layout in ("watch", "studio"):
            shell.preferences.arrange(layout)
            docked = list(shell.panel_windows.panels)
            for panel in docked:
                shell.panel_windows.open_front(panel.title)
                walk.look(f"{layout}, {panel.title}")
        shell.do("app.welcome")
        walk.look("welcome")
        shell.do("app.welcome")
        walk.questions(["file.open", "file.save_as"])
        pilot.component("NewGame").open()
        walk.look("new game")
        assert not walk.faults, json.dumps(walk.faults, indent=1, ensure_ascii=False)
        assert not walk.english, json.dumps(walk.english, indent=1, ensure_ascii=False)
        assert walk.count > 5000
        assert pilot.app.host.error_count == 0


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("scene", SCENES)
def test_no_text_of_a_scene_is_cut_or_english(patch, tmp_path, scene):
    with Pilot(**options_of(scene, tmp_path)) as pilot:
        shell, walk = pilot.app.shell, Walk(pilot, patch)
        pilot.step(20)
        shell.studio.selection.choose(pilot.app.scene.roots[-1])
        walk.panels()
        walk.commands(but=NOT_RUN)
        shell.overlays.introduce(shell.do)
        walk.look("introduction")
        assert not walk.faults, json.dumps(walk.faults, indent=1, ensure_ascii=False)
        assert not walk.english, json.dumps(walk.english, indent=1, ensure_ascii=False)
        assert set(walk.languages) == set(LANGUAGES)

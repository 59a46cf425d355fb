"""Who may take a key first: with fakes, without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from imgui_bundle import imgui

from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot
from sim.ui.shell.shell_input import ShellInput


@pytest.mark.parametrize(("key", "asked"), [("escape", 1), ("a", 0)])
def test_only_escape_asks_whether_something_is_to_be_left(key, asked):
    left = []
    taken = SimpleNamespace(
        key_list=SimpleNamespace(waiting=""), escape=lambda: True,
        leave=lambda: left.append(key) or True,
        keys=SimpleNamespace(action_of=lambda chord: ""),
        owner=SimpleNamespace(action_of=lambda chord: "", is_playing=False),
        _is_typing=False, _has_dialog=False, _tool_of=lambda chord: "", _chord=lambda event: event.key,
        _is_scenes=lambda event: False, _moves_focus=lambda chord, **_: False,
    )  # fmt: skip
    is_taken = ShellInput._handle_key(taken, InputEvent("key_down", key=key))
    assert len(left) == asked
    assert is_taken == bool(asked)


def test_escape_closes_an_open_list_before_it_leaves_anything_else():
    left, opens = [], ["open"]

    def draw(ui):
        if opens:
            imgui.open_popup(opens.pop())
        if imgui.begin_popup("open"):
            imgui.text("one of many")
            imgui.end_popup()

    def is_open():
        return imgui.is_popup_open("", int(imgui.PopupFlags_.any_popup))

    with Pilot(scene="scenes/hello.scene.json", speed=1.0, quality="low") as pilot:
        shell = pilot.app.shell
        shell.add_panel("Choices", draw)
        shell.on_escape.append(lambda: left.append("left") or True)
        pilot.draw_panels(3)
        assert is_open()
        pilot.press("escape")
        pilot.draw_panels(2)
        assert not is_open()
        assert left == []
        pilot.press("escape")
        assert left == ["left"]

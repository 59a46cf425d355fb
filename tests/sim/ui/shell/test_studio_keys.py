"""W, E and R as keys of the tools: on by default, and only in the Studio layout."""

from __future__ import annotations

import pytest

from sim.core.input.input_actions import InputEvent
from sim.core.project.settings import UserSettings
from sim.testing import Pilot
from tests.sim.ui.shell.fed_events import fed_events


@pytest.fixture(scope="module")
def shared():
    with Pilot(scene="scenes/hello.scene.json", speed=1.0, quality="low") as made:
        made.app.clock.pause()
        made.picture()
        yield made


@pytest.fixture
def pilot(shared):
    shell = shared.app.shell
    shell.set_wer_keys(False)
    shell.preferences.arrange("studio")
    shell.studio.selection.use("play")
    shared.draw_panels(8)
    left, top, width, height = shell.viewport
    shared.click(left + width / 2, top + height - 30)
    return shared


def heard(pilot, key):
    """Press a key; return whether the scene's scripts hear it."""
    with fed_events() as seen:
        pilot.press(key)
    return any(event.kind == "key_down" and event.key == key for event in seen)


def test_the_preset_is_on_by_default_and_if_it_is_off_the_scene_hears_w(pilot):
    assert UserSettings().tool_keys
    assert heard(pilot, "w")
    assert pilot.app.shell.studio.selection.tool == "play"


def test_in_the_studio_view_the_tools_hear_w_e_r_and_the_scene_does_not(pilot):
    pilot.app.shell.set_wer_keys(True)
    for key, tool in (("w", "move"), ("e", "rotate"), ("r", "scale"), ("q", "play")):
        is_heard = heard(pilot, key)
        assert pilot.app.shell.studio.selection.tool == tool
        assert not is_heard or key == "q"


def test_after_a_click_into_the_tree_they_count_for_what_is_chosen_there(pilot):
    shell = pilot.app.shell
    shell.set_wer_keys(True)
    pilot.click(150, 400)  # into the tree
    shell.studio.selection.choose(pilot.app.scene.find("Stone"))
    for key, tool in (("w", "move"), ("e", "rotate"), ("r", "scale")):
        assert not heard(pilot, key)
        assert shell.studio.selection.tool == tool
    shell.studio.selection.choose(None)


def test_elsewhere_the_scene_hears_them(pilot):
    shell = pilot.app.shell
    shell.set_wer_keys(True)
    pilot.click(150, 400)  # into the tree
    assert heard(pilot, "w")
    assert shell.studio.selection.tool == "play"
    shell.preferences.arrange("watch")
    pilot.draw_panels(8)
    left, top, width, height = shell.viewport
    pilot.click(left + width / 2, top + height - 30)
    assert heard(pilot, "w")
    assert shell.studio.selection.tool == "play"


def test_the_keys_panel_switches_the_preset(pilot, monkeypatch):
    from sim.ui.panels import keys_panel

    shell = pilot.app.shell
    usual = keys_panel.imgui.checkbox
    with monkeypatch.context() as patch:
        patch.setattr(
            keys_panel.imgui, "checkbox",
            lambda label, on: (True, True) if label == "##wer keys" else usual(label, on),
        )  # fmt: skip
        shell.open("Keys")
        shell.layer.lay_out()
    shell.open("Keys", is_open=False)
    assert shell.preferences.has_wer_keys
    said = [str(item) for item in pilot.app.console.records if item.level == "debug"]
    assert any("shell.set_wer_keys(True)" in line for line in said)


@pytest.mark.parametrize("layout", ["studio", "watch"])
def test_f2_renames_what_is_chosen_and_the_tree_is_shown_for_it(pilot, layout):
    shell = pilot.app.shell
    shell.preferences.arrange(layout)
    obj = shell.studio.editor.create("Before")
    shell.studio.selection.choose(obj)
    pilot.press("f2")
    pilot.draw_panels(8)
    assert shell.is_open("Hierarchy")
    assert shell.studio.hierarchy.renaming == obj.id
    for letter in "After":
        pilot.app.inject(InputEvent("text", text=letter))
    pilot.press("enter")
    assert obj.name == "After"
    shell.studio.undo()
    assert obj.name == "Before"


def test_f2_says_what_it_needs_if_nothing_is_chosen(pilot):
    pilot.app.shell.studio.selection.choose(None)
    pilot.press("f2")
    assert "choose an object first" in str(pilot.app.console.records[-1])


def test_f_looks_at_what_is_chosen_after_a_click_into_the_tree_too(pilot):
    shell = pilot.app.shell
    shell.set_wer_keys(True)
    shell.studio.selection.choose(pilot.app.scene.find("Stone"))
    pilot.click(150, 400)  # into the tree
    shell.studio.selection.choose(pilot.app.scene.find("Stone"))
    assert not heard(pilot, "f")
    said = [str(item) for item in pilot.app.console.records if item.level == "debug"]
    assert 'do("studio.focus")' in said[-1]
    shell.studio.selection.choose(None)
    heard(pilot, "f")
    said = [str(item) for item in pilot.app.console.records if item.level == "debug"]
    assert sum("studio.focus" in line for line in said) == 1, "with nothing chosen it is free"


def test_a_command_of_a_script_comes_first_while_the_scene_plays_and_has_the_keys(pilot):
    shell, app = pilot.app.shell, pilot.app
    shell.set_wer_keys(True)
    slot, done = next(iter(app.scene.components())), []
    app.host.panels.add_command(slot, "white", "Play White", lambda: done.append(1), key="w")
    try:
        pilot.press("w")
        assert (shell.studio.selection.tool, done) == ("move", []), "paused"
        shell.studio.selection.use("play")
        app.clock.resume()
        pilot.press("w")
        assert (shell.studio.selection.tool, done) == ("play", [1])
        pilot.click(150, 400)  # into the tree
        pilot.press("w")
        assert shell.studio.selection.tool == "play"
    finally:
        app.clock.pause()
        app.host.panels.unregister(slot)

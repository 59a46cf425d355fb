"""Whose a key is: a game that jumps with Space, in Watch, full screen and the Studio layout."""

from __future__ import annotations

import json
import textwrap

import pytest

from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

PAUSE = (71.0, 20.0)  # the button in the toolbar
JUMPER = """
    from sim import Script

    class Jumper(Script):
        jumps = 0
        presses = 0

        def start(self):
            self.input.bind("jump", "space", "pad_south")
            self.input.bind("save", "control+s")
            self.input.bind("map", "f1", "escape")
            self.command("shrink", "Shrink", self.shrink, key="s")

        def update(self, dt):
            self.jumps += self.input.pressed("jump")
            self.presses += self.input.pressed("m")

        def shrink(self):
            self.object.transform.scale = (0.5, 0.5, 0.5)
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    root = tmp_path_factory.mktemp("game")
    for name in ("scenes", "scripts"):
        (root / name).mkdir()
    (root / "goishi.toml").write_text("", encoding="utf-8")
    (root / "scripts" / "jumper.py").write_text(textwrap.dedent(JUMPER), encoding="utf-8")
    component = {"cmp_jumper": {"type": "scripts.jumper:Jumper", "fields": {}}}
    player = {"name": "Player", "model": {"builtin": "box"}, "components": component}
    scene = {"format": "goishi.scene/1", "id": "scn_game", "objects": {"obj_player": player}}
    path = root / "scenes" / "game.scene.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    with Pilot(scene=path, speed=1.0, quality="low", window=(1000, 640)) as made:
        yield made


@pytest.fixture
def pilot(shared):
    app, shell = shared.app, shared.app.shell
    app.clock.resume()
    app._present(False)
    shell.preferences.arrange("watch")
    shared.draw_panels(8)
    yield shared
    shell.open("Keys", is_open=False)


def press(pilot, key, *modifiers):
    """Press a key; return whether the player jumped, and whether the scene is paused."""
    player = pilot.component("Jumper")
    before = player.jumps
    pilot.press(key, *modifiers)
    return player.jumps > before, pilot.app.clock.paused


def click_view(pilot):
    left, top, width, height = pilot.app.shell.viewport
    pilot.click(left + width / 2, top + height - 30)


def click_panel(pilot):
    pilot.click(150, 400)  # into the tree


def test_space_jumps_in_the_watch_layout_and_in_full_screen_and_does_not_pause(pilot):
    assert press(pilot, "space") == (True, False)
    pilot.press("f11")
    assert pilot.app.world.panels.is_presenting
    assert press(pilot, "space") == (True, False)
    assert press(pilot, "space", "shift") == (False, False), "nor does it with Shift"


def test_a_scene_that_is_paused_has_no_keys_and_hears_none_of_those_that_end_the_pause(pilot):
    pilot.app.shell.do("studio.pause")
    assert press(pilot, "space") == (False, False), "it goes on, and jumps not"
    pilot.step(3)
    assert press(pilot, "space") == (True, False)


def test_in_the_studio_a_click_into_the_view_gives_the_keys_and_one_into_a_panel_takes_them(pilot):
    pilot.app.shell.preferences.arrange("studio")
    pilot.draw_panels(8)
    assert "click the view" in pilot.app.shell.owner.told()
    assert press(pilot, "space") == (False, True)
    pilot.press("space")
    click_view(pilot)
    assert pilot.app.shell.owner.told() == "Keys: scene"
    assert press(pilot, "space") == (True, False)
    pilot.click(*PAUSE)
    assert pilot.app.clock.paused
    pilot.click(*PAUSE)
    assert press(pilot, "space") == (True, False), "the toolbar takes no keys"
    click_panel(pilot)
    assert press(pilot, "space") == (False, True)


def test_the_focus_of_the_studio_is_found_anew_when_its_layout_comes_back(pilot):
    shell = pilot.app.shell
    shell.preferences.arrange("studio")
    pilot.draw_panels(8)
    click_view(pilot)
    shell.preferences.arrange("watch")
    pilot.draw_panels(8)
    click_view(pilot)
    shell.preferences.arrange("studio")
    pilot.draw_panels(8)
    assert press(pilot, "space") == (False, True)


def test_w_e_r_are_the_scenes_while_it_has_them_and_the_tools_otherwise(pilot):
    shell = pilot.app.shell
    was_on = shell.preferences.has_wer_keys
    shell.set_wer_keys(True)
    shell.preferences.arrange("studio")
    pilot.app.world.input.bind("forward", "w")
    pilot.draw_panels(8)
    click_view(pilot)
    pilot.press("w")
    assert shell.studio.selection.tool == "play"
    pilot.press("e")
    assert shell.studio.selection.tool == "rotate"
    shell.studio.selection.use("play")
    shell.do("studio.pause")
    pilot.press("w")
    assert shell.studio.selection.tool == "move"
    shell.studio.selection.use("play")
    shell.set_wer_keys(was_on)


@pytest.mark.parametrize("action", ["studio.keys", "studio.watch", "studio.studio", "studio.save"])
def test_safe_keys_stay_the_windows(pilot, action):
    keys, ran = pilot.app.shell.keys, []
    keys.on_run.append(ran.append)
    *modifiers, key = keys.chord(action).split("+")
    pilot.app.world.input.bind("any", "f1", "f3", "f4", "f11", "escape", "control+s")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(keys._callbacks, action, lambda: None)
        pilot.press(key, *modifiers)
    keys.on_run.remove(ran.append)
    assert ran == [action]
    assert pilot.app.shell.owner.lent_to(action) == ""


def test_escape_ends_the_full_screen_of_a_game_that_has_bound_it(pilot):
    pilot.press("f11")
    pilot.press("escape")
    assert not pilot.app.world.panels.is_presenting


def test_a_game_that_uses_ctrl_has_the_chords_of_its_keys(pilot):
    owner, inputs = pilot.app.shell.owner, pilot.app.world.input
    inputs.bind("back", "s")
    assert not owner.is_scenes("control+s"), "Ctrl+S saves"
    inputs.bind("crouch", "control")
    assert owner.is_scenes("control+s")
    assert not owner.is_scenes("control+z")
    inputs.bind("crouch")
    inputs.bind("back")


def test_a_key_asked_for_by_its_name_is_the_scenes_and_the_windows_again_after_some_time(pilot):
    player, sound = pilot.component("Jumper"), pilot.app.world.run_context.sound
    pilot.step()
    before = player.presses
    pilot.press("m")
    assert player.presses == before + 1
    assert not sound.muted
    inputs = pilot.app.world.input
    assert inputs.use_of("m") == "jumper.py"
    inputs._frame += 601
    assert inputs.use_of("m") == ""


def test_a_scripts_command_gives_way_to_the_studio_while_a_panel_is_focused(pilot):
    shell = pilot.app.shell
    pilot.press("s")
    shrunk = pilot.app.scene.find("Player").transform
    assert tuple(shrunk.scale) == (0.5, 0.5, 0.5)
    shrunk.scale = (1.0, 1.0, 1.0)
    shell.keys.add(
        shell.keys.actions["studio.tool_scale"], lambda: shell.studio.selection.use("scale")
    )
    shell.input.commands._known = ()
    shell.keys.bind("studio.tool_move", "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(shell.keys.changed, "studio.tool_scale", "s")
        shell.preferences.arrange("studio")
        pilot.draw_panels(8)
        click_panel(pilot)
        pilot.press("s")
        assert shell.studio.selection.tool == "scale"
        assert tuple(shrunk.scale) == (1.0, 1.0, 1.0)
    shell.studio.selection.use("play")
    shell.keys.reset()


def test_the_list_of_keys_shows_the_scenes_and_which_of_the_windows_are_lent(pilot):
    shell = pilot.app.shell
    rows = {(row.label, row.key): row for row in shell.key_list.rows()}
    assert shell.key_list.rows()[0].label == "Keys of this scene"
    assert ("jump", "Space") in rows
    assert ("jump", "Pad south") in rows
    assert ("jumper.py", "M") in rows, "keys without an action stand by their script"
    assert rows["Pause or resume", "Space"].lent_to == "jump"
    assert rows["Sound on or off", "M"].lent_to == "jumper.py"
    assert rows["This list of keys", "F1"].lent_to == ""
    assert rows["Save the scene", "Ctrl+S"].lent_to == ""


def test_a_stop_forgets_the_keys_and_a_start_names_them_again(pilot):
    inputs, shell = pilot.app.world.input, pilot.app.shell
    shell.do("studio.stop")
    pilot.step(2)
    assert not inputs.used_keys()
    assert shell.owner.lent_to("studio.pause") == ""
    pilot.press("space")
    pilot.step(2)
    assert inputs.use_of("space") == "jump"
    assert press(pilot, "space") == (True, False)


def test_the_wheel_and_the_buttons_that_a_scene_uses_do_not_move_the_view(pilot):
    inputs, camera = pilot.app.world.input, pilot.app.view.camera
    left, top, width, height = pilot.app.shell.viewport
    x, y = left + width / 2, top + height / 2

    def use_mouse():
        before = tuple(camera._goal)
        pilot.move(x, y)
        pilot.app.inject(
            InputEvent("wheel", y=1.0),
            InputEvent("button_down", "mouse3", x=x, y=y),
            InputEvent("pointer_move", x=x + 40, y=y),
            InputEvent("button_up", "mouse3", x=x + 40, y=y),
        )
        pilot.step()
        return tuple(camera._goal) != before

    assert use_mouse()
    inputs.bind("aim", "mouse3")
    inputs.bind("zoom", "wheel_up", "wheel_down")
    assert not use_mouse()
    pilot.app.clock.pause()
    assert use_mouse()
    inputs.bind("aim")
    inputs.bind("zoom")


def test_the_ray_of_the_pointer_is_none_outside_of_the_view(pilot):
    inputs, eyes = pilot.app.world.input, [None]
    while len(eyes) < 2 or eyes[-1] != eyes[-2]:  # the view still makes room for the panels
        pilot.step()
        eyes.append(tuple(pilot.app.view.camera.eye.position))
    left, top, width, height = pilot.app.shell.viewport
    pilot.move(left + width / 2, top + height / 2)
    origin, direction = inputs.pointer_ray
    assert tuple(origin) == pytest.approx(tuple(pilot.app.view.camera.eye.position), abs=0.1)
    assert sum(direction**2) == pytest.approx(1.0)
    pilot.move(left + width / 2, top - 5)
    assert inputs.pointer_ray is None
    assert inputs.pointer == (left + width / 2, top - 5)


@pytest.mark.parametrize(("key", "title"), [
    (("f1",), "Keys"), ((",", "control"), "Preferences"), (("f6",), "Console"), (("f7",), "Profiler"),
    (("f3",), ""), (("f4",), "Hierarchy"),
])  # fmt: skip
def test_a_key_of_a_panel_leaves_the_full_screen_that_would_hide_it(pilot, key, title):
    shell = pilot.app.shell
    if title in ("Keys", "Profiler"):
        shell.open(title)  # hidden by the full screen: the key shows it, and does not close it
    pilot.press("f11")
    pilot.press(*key)
    pilot.draw_panels(3)
    assert not pilot.app.world.panels.is_presenting
    assert not title or shell.is_open(title)

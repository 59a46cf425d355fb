"""A game of two scenes with a pause menu and a saved game, by keyboard, gamepad and mouse."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from imgui_bundle import imgui

from sim.core.editing import PlayState
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

HALL = Path(__file__).parent / "cave_game" / "scenes" / "hall.scene.json"
OPTIONS = {"scene": HALL, "window": (640, 400), "quality": "low"}


@pytest.fixture
def pilot():
    with Pilot(graphics=False, speed=1.0, scene=HALL) as driven:
        driven.app.clock.frame_step = 1.0 / 60.0
        yield driven


def is_paused(pilot: Pilot) -> bool:
    return bool(pilot.app.clock.paused)


def names(menu: object) -> list[str]:
    return [row.label for row in menu.rows]  # type: ignore[attr-defined]


def test_the_game_is_walked_saved_paused_and_loaded_by_keys(pilot: Pilot) -> None:
    hero = pilot.component("Hero")
    assert names(hero.pause) == ["Go on", "Save", "Load", "Settings", "Quit"]
    pilot.press("p")
    assert is_paused(pilot)
    now = pilot.app.clock.time
    pilot.press("d")
    pilot.step(3)
    assert (hero.walked, pilot.app.clock.time) == (0, now), "the game stands still"
    pilot.press("arrow_down")
    pilot.press("enter")
    assert not is_paused(pilot)
    assert hero.saves.read("slot 1")["at"] == [-2.0, 0.0, 0.5]
    pilot.press("escape")
    for key in ("arrow_up", "arrow_up", "space"):  # round to Quit, and on to Settings
        pilot.press(key)
    pilot.press("arrow_right")
    pilot.press("arrow_down")
    for _ in range(3):
        pilot.press("arrow_right")
    pilot.press("arrow_down")
    pilot.press("enter")
    assert (hero.coins, hero.is_music_on) == (3, False)
    pilot.press("escape")
    assert hero.pause.is_open
    pilot.press("escape")
    assert not hero.pause.is_open
    assert not is_paused(pilot)
    pilot.app.inject(*held("d"))
    hall = pilot.app
    pilot.wait_until(lambda: pilot.app is not hall, frames=300)
    hero = pilot.component("Hero")
    assert pilot.app.scene.id == "scn_cavegamecave"
    assert hero.coins == 4
    pilot.app.clock.frame_step = 1.0 / 60.0
    pilot.press("p")
    pilot.app.host.hud.press("Load")
    cave = pilot.app
    pilot.wait_until(lambda: pilot.app is not cave, frames=300)
    hero = pilot.component("Hero")
    assert (hero.coins, list(hero.object.transform.position)) == (0, [-2.0, 0.0, 0.5])
    assert not is_paused(pilot)
    assert pilot.app.host.error_count == 0


def test_a_gamepad_goes_through_the_menu(pilot: Pilot) -> None:
    hero, pad = pilot.component("Hero"), pilot.connect_pad()

    def press(button: str) -> None:
        pad.press(button)
        pilot.step()
        pad.release(button)
        pilot.step()

    press("start")
    assert hero.pause.is_open
    assert is_paused(pilot)
    press("dpad_up")
    for value in (0.9, 0.95, 0.0):  # one tilt is one step
        pad.move("left_y", value)
        pilot.step()
    press("south")
    press("dpad_down")
    press("dpad_right")
    press("dpad_right")
    press("dpad_left")
    assert hero.coins == 1
    press("east")
    assert hero.pause.is_open
    press("start")
    assert not hero.pause.is_open
    assert not is_paused(pilot)


def test_an_error_behind_an_item_closes_the_menu_and_time_goes_on(pilot: Pilot) -> None:
    hero = pilot.component("Hero")
    hero.pause.item("Break", lambda: 1 / 0)
    hero.pause.toggle("Kept", False)
    hero.pause.open()
    pilot.press("arrow_up")
    pilot.press("enter")
    assert hero.pause.rows[-1].read() is True, "a value of the menu's own"
    pilot.app.host.hud.press("Break")
    pilot.step(2)
    assert pilot.app.host.error_count == 1
    assert not is_paused(pilot)
    assert pilot.app.host.hud.menu is None
    assert not pilot.app.world.input.has_grabbed("enter")


def test_a_menu_that_cannot_be_closed_and_wrong_arguments(pilot: Pilot) -> None:
    hero = pilot.component("Hero")
    title = hero.hud.menu("Cave", pauses=False, can_close=False)
    title.item("Start", title.close)
    title.open()
    for key in ("escape", "p", "backspace"):
        pilot.press(key)
    assert title.is_open
    assert not is_paused(pilot)
    pilot.press("enter")
    assert not title.is_open
    with pytest.raises(ValueError, match="expected a key"):
        hero.hud.menu("Odd", keys=("spaec",))
    with pytest.raises(ValueError, match="min below max"):
        title.slider("Odd", 0.5, min=1, max=1)
    hero.hud.menu("Cave")
    title.open()
    pilot.step()
    assert pilot.app.host.error_count == 0


def test_in_a_window_the_pointer_works_full_screen_stays_and_the_picture_fades(tmp_path) -> None:
    with Pilot(speed=1.0, data_dir=tmp_path, **OPTIONS) as pilot:
        pilot.app.shell.do("app.present")
        pilot.draw_panels(3)
        plain = pilot.picture().mean()
        pilot.press("p")
        pilot.step(2)
        dim = pilot.picture()
        assert dim.mean() < 0.6 * plain
        pilot.click_button("Settings")
        pilot.step(2)
        slider = pilot.app.world.hud.find("Coins")
        assert slider is not None
        left, top, width, height = slider[1].area
        pilot.click((left + 0.55 * width) * slider[0].scale, (top + height / 2) * slider[0].scale)
        assert 1 <= pilot.component("Hero").coins <= 8, "a click on the bar sets it"
        pilot.component("Hero").set_coins(0)
        pilot.press("escape")
        pilot.step(2)
        assert pilot.component("Hero").pause.is_open
        assert pilot.app.world.panels.is_presenting, "Escape leaves the menu first"
        pilot.press("escape")
        assert not pilot.component("Hero").pause.is_open
        assert pilot.app.world.panels.is_presenting
        hall, veils = pilot.app, []
        pilot.component("Hero").object.transform.position = (2.5, 0.0, 0.5)
        pilot.wait_until(lambda: veils.append(pilot.app.world.hud.veil) or pilot.app is not hall)
        assert veils[:-1] == sorted(veils[:-1]), "the last one is of the other scene"
        assert any(0.05 < veil < 0.95 for veil in veils)
        assert pilot.picture().mean() < 0.5 * plain, "it comes back from black"
        pilot.wait_until(lambda: pilot.app.world.hud.veil == 0.0)
        assert pilot.app.world.panels.is_presenting, "full screen stays"
        assert pilot.component("Hero").coins == 1
        assert pilot.app.host.error_count == 0


def test_in_the_studio_the_next_scene_has_the_keys_that_the_one_before_had(tmp_path) -> None:
    with Pilot(speed=1.0, data_dir=tmp_path, **OPTIONS) as pilot:
        pilot.app.shell.preferences.arrange("studio")
        pilot.draw_panels(8)
        left, top, width, height = pilot.app.shell.viewport
        pilot.click(left + width / 2, top + height - 20)
        hall = pilot.app
        pilot.component("Hero").object.transform.position = (2.5, 0.0, 0.5)
        pilot.wait_until(lambda: pilot.app is not hall)
        pilot.draw_panels(3)
        assert pilot.app.shell.owner.focus == "view"


def held(key: str) -> list[InputEvent]:
    return [InputEvent("key_down", key=key)]


@pytest.fixture
def window():
    """Return the pilot of a game in a window with panels, which nothing else ends."""
    with Pilot(speed=1.0, **OPTIONS) as driven:
        driven.app.options = dataclasses.replace(driven.app.options, seconds=None)
        driven.app.run_context.is_kept_open = True  # as where somebody sits before it
        driven.app.shell.preferences.arrange("studio")
        yield driven


def quit_game(pilot: Pilot) -> None:
    pilot.component("Hero").pause.open()
    pilot.step(2)
    pilot.app.host.hud.press("Quit")
    pilot.step(3)


def test_a_game_that_quits_stops_and_leaves_the_studio_open(window: Pilot) -> None:
    app = window.app
    app.editor.rename(app.scene.find("Hero"), "Heroine")  # not saved
    app.shell.playback.session.stop(keep=True)
    app.shell.playback.toggle()
    window.step(2)
    hero = app.scene.find("Heroine")
    begun = list(hero.transform.position)
    hero.transform.translate((1.0, 0.0, 0.0))
    app._present(True)
    quit_game(window)
    assert not app.run_context.stop_requested
    assert app.shell.playback.session.state is PlayState.STOPPED
    assert not app.world.panels.is_presenting
    assert list(app.scene.find("Heroine").transform.position) == begun
    assert app.shell.unsaved(), "what was not saved is still there"
    assert any("ended itself" in record.text for record in app.console.records)
    app.shell.playback.toggle()
    window.step(2)
    assert app.shell.playback.session.state is PlayState.PLAYING


def test_a_game_that_was_edited_while_it_played_asks_as_stop_does(window: Pilot) -> None:
    app = window.app
    app.editor.rename(app.scene.find("Hero"), "Heroine")
    quit_game(window)
    window.draw_panels(2)
    assert imgui.is_popup_open("", int(imgui.PopupFlags_.any_popup))
    assert app.shell.playback.session.state is PlayState.PAUSED
    assert not app.run_context.stop_requested
    app.shell.playback.end(keep=True)
    assert app.scene.find("Heroine") is not None


def test_a_script_that_ends_the_run_in_each_frame_does_so_once(window: Pilot) -> None:
    app = window.app
    app.editor.rename(app.scene.find("Hero"), "Heroine")
    hero = window.component("Hero")

    async def lose() -> None:
        while True:
            hero.run.finish(3)
            await hero.seconds(0)

    hero.start_coroutine(lose())
    window.step(5)
    told = [record for record in app.console.records if "ended itself" in record.text]
    assert [(record.level, record.count) for record in told] == [("warning", 1)]
    assert "exit code 3" in told[0].text


def test_a_game_that_quits_closes_a_window_that_just_shows_it(window: Pilot) -> None:
    app = window.app
    app.shell.preferences.arrange("watch")
    app.editor.rename(app.scene.find("Hero"), "Heroine")
    app.run_context.finish(3)
    window.step(2)
    assert not app.run_context.stop_requested, "there is something to lose"
    app.shell.playback.end(keep=False)
    app.editor.mark_saved()
    app.run_context.finish(3)
    window.step()
    assert app.run_context.exit_code == 3


def test_a_run_with_an_end_of_its_own_ends_after_the_question(window: Pilot) -> None:
    app = window.app
    app.options = dataclasses.replace(app.options, seconds=60.0)
    app.editor.rename(app.scene.find("Hero"), "Heroine")
    app.run_context.finish()
    window.step()
    assert app.question.is_open
    assert not app.run_context.stop_requested
    app.question.discard()
    window.step()
    assert app.run_context.exit_code == 0

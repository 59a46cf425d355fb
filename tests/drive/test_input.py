"""Keys under other layouts, gamepads and the mouse lock, in the app with its panels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sim.core.input.input_actions import InputActions, InputEvent
from sim.testing import Pilot


@pytest.fixture(scope="module")
def app_pilot() -> Iterator[Pilot]:
    with Pilot(
        scene="scenes/hello.scene.json", window=(640, 400), speed=1.0, quality="low"
    ) as pilot:
        pilot.step(3)
        yield pilot


@pytest.fixture
def pilot(app_pilot: Pilot) -> Iterator[Pilot]:
    yield app_pilot
    actions = app_pilot.app.world.input
    actions.lock.drop()
    app_pilot.app.inject(InputEvent("blur"), *(
        InputEvent("pad_disconnected", pad=pad.index) for pad in actions.pads
    ))  # fmt: skip
    app_pilot.app.clock.resume()
    app_pilot.step()


def frames_of(pilot: Pilot, *events: InputEvent) -> InputActions:
    """Feed events and return the input as scripts see it in that frame."""
    actions = pilot.app.world.input
    pilot.app.inject(*events)
    pilot.app._handle_input(0.01)
    return actions


@pytest.mark.parametrize(("key", "stand_in", "modifiers", "action"), [
    ("й", "q", (), "studio.tool_play"), ("/", "q", (), "studio.tool_play"),
    ("я", "z", ("control",), "studio.undo"), ("ζ", "z", ("control",), "studio.undo"),
    ("ь", "m", (), "app.mute"), ("z", "", ("control",), "studio.undo"),
])  # fmt: skip
def test_shortcuts_of_the_studio_work_under_every_layout(pilot, key, stand_in, modifiers, action):
    ran: list[str] = []
    keys = pilot.app.shell.keys
    keys.on_run.append(ran.append)
    event = InputEvent("key_down", key, modifiers=frozenset(modifiers), stand_in=stand_in)
    pilot.app.inject(event, InputEvent("key_up", key))
    pilot.step()
    keys.on_run.remove(ran.append)
    assert ran == [action]


def test_a_key_that_is_chosen_in_the_list_is_one_of_a_latin_keyboard(pilot):
    keys = pilot.app.shell.key_list
    keys.waiting = "studio.rebuild"
    pilot.app.inject(InputEvent("key_down", "х", modifiers=frozenset({"alt"}), stand_in="["))
    pilot.step()
    assert pilot.app.shell.keys.chord("studio.rebuild") == "alt+["
    keys.reset()


def test_an_unknown_key_is_an_error_of_its_script_with_a_hint(stage):
    stage.script("hop", """
        class Hop(Script):
            def start(self):
                self.input.bind("hop", "spcae")
    """)  # fmt: skip
    app = stage.open(
        {"obj_one": {"name": "One", "components": {"cmp_one": {"type": "scripts.hop:Hop"}}}}
    )
    app.frame()
    record = app.console.records[-1]
    assert record.level == "error"
    assert "found 'spcae'; did you mean 'space'" in record.text
    assert (record.file, record.line) == ("scripts/hop.py", 5)


def test_a_command_with_an_unknown_key_is_an_error_with_a_hint(pilot):
    slot = next(slot for slot in pilot.app.scene.components() if slot.instance is not None)
    with pytest.raises(ValueError, match="did you mean 'enter'"):
        slot.instance.command("wave", "Wave", bool, key="entr")


def test_a_fake_pad_plays_the_same_each_time(pilot):
    def play() -> list[tuple[float, float, bool]]:
        actions = pilot.app.world.input
        pad = pilot.connect_pad("Test pad")
        assert "Test pad" in pilot.app.console.records[-1].text
        found = []
        for value in (0.05, 0.3, 0.6, 1.0):
            pad.move("left_x", value)
            pad.move("left_y", -value)
            pad.press("a")
            frames_of(pilot)
            found.append((*actions.pads[0].left_stick, actions.pressed("pad_south")))
            actions.end_frame()
            pad.release("a")
        pad.disconnect()
        frames_of(pilot)
        assert actions.pads == ()
        return found

    first = play()
    assert first[0] == (0.0, 0.0, True)
    assert first == play()


def test_a_locked_mouse_turns_nothing_but_what_the_script_turns(pilot):
    actions, view = pilot.app.world.input, pilot.app.view
    actions.mouse_lock = True
    assert actions.mouse_lock
    frames_of(pilot)
    before = view.camera.camera.view
    frames_of(
        pilot,
        InputEvent("button_down", "mouse3", x=320, y=200),
        InputEvent("pointer_move", x=320, y=200, dx=40, dy=-10),
        InputEvent("pointer_move", x=320, y=200, dx=2, dy=0),
    )
    assert actions.mouse_delta == (42.0, -10.0)
    assert actions.down("mouse3")
    left, top, width, height = pilot.app.display.viewport
    assert actions.pointer == (left + width / 2, top + height / 2)
    frames_of(pilot, InputEvent("button_up", "mouse3"))
    (click,) = actions.clicks
    assert (click.x, click.y) == actions.pointer
    pilot.step(3)
    assert actions.mouse_delta == (0.0, 0.0)
    assert view.camera.camera.view == before


def test_escape_frees_the_mouse_and_a_click_into_the_view_locks_it_again(pilot):
    actions = pilot.app.world.input
    actions.mouse_lock = True
    pilot.step()
    pilot.press("escape")
    assert not actions.mouse_lock
    for _ in range(3):
        actions.mouse_lock = True  # as a script that asks in each frame
        pilot.step()
        assert not actions.mouse_lock
    frames_of(pilot, InputEvent("pointer_move", x=100, y=90))
    assert actions.pointer == (100, 90)
    x, y, *_ = pilot.app.display.viewport
    frames_of(pilot, InputEvent("pointer_move", x=x + 20, y=y + 20),
              InputEvent("button_down", "mouse1", x=x + 20, y=y + 20))  # fmt: skip
    assert actions.mouse_lock
    assert not actions.down("mouse1"), "the click does only this"
    pilot.step()
    frames_of(pilot, InputEvent("blur"))
    assert not actions.mouse_lock


def test_a_pause_frees_the_mouse_and_a_stop_or_an_error_ends_the_lock(pilot):
    app, actions = pilot.app, pilot.app.world.input
    actions.mouse_lock = True
    app.clock.pause()
    pilot.step()
    assert not actions.mouse_lock
    app.clock.resume()
    pilot.step()
    assert actions.mouse_lock
    slot = next(slot for slot in app.scene.components() if slot.instance is not None)
    app.world.guard.fail(slot, "update", RuntimeError("on purpose"))
    assert not actions.mouse_lock
    actions.mouse_lock = True
    pilot.step()
    assert not actions.mouse_lock, "not before a click"
    app.shell.do("studio.stop")
    pilot.step(2)
    assert not actions.lock.is_wanted
    app.shell.do("studio.pause")
    pilot.step(2)
    actions.mouse_lock = True
    pilot.step()
    assert actions.mouse_lock


def test_a_pads_button_runs_a_scripts_command(pilot):
    ran: list[int] = []
    slot = next(slot for slot in pilot.app.scene.components() if slot.instance is not None)
    slot.instance.command("wave", "Wave", lambda: ran.append(1), key="pad_start")
    pad = pilot.connect_pad()
    pad.press("start")
    pilot.step(2)
    assert ran == [1]


def test_a_person_looks_around_and_walks_in_the_courtyard():
    with Pilot(
        scene="scenes/first_person.scene.json", speed=1.0, graphics=False, panels=False
    ) as pilot:
        pilot.app.clock.frame_step = 1 / 60
        pilot.step(2)
        person = pilot.app.scene.find("Person").transform
        begin = tuple(person.position)
        pilot.app.inject(InputEvent("pointer_move", x=9, y=9, dx=50, dy=0))
        pilot.step()
        assert person.rotation[0] == 0.0, "not before a click"
        pilot.app.inject(InputEvent("button_down", "mouse1"), InputEvent("button_up", "mouse1"))
        pilot.step()
        pilot.app.inject(InputEvent("pointer_move", dx=-750.0, dy=100.0))
        pilot.step()
        assert tuple(person.rotation) == pytest.approx((90.0, -14.0, 0.0))
        pilot.app.inject(InputEvent("key_down", "ц", stand_in="w"))
        pilot.step(60)
        pilot.app.inject(InputEvent("key_up", "ц"))
        gone = [now - then for now, then in zip(person.position, begin, strict=True)]
        assert gone == pytest.approx([-3.0, 0.0, 0.0], abs=0.06)
        pad = pilot.connect_pad()
        pad.move("right_y", 1.0)
        pad.move("left_x", 1.0)
        pilot.step(60)
        assert person.rotation[1] == 85.0
        assert person.position[1] - begin[1] == pytest.approx(3.0, abs=0.06)

"""Input that comes all at once, as in a slow frame: each event goes where it belongs."""

from __future__ import annotations

import pytest

from sim.core.input.input_actions import InputEvent
from tests.sim.ui.shell.fed_events import fed_events

HELLO = "scenes/hello.scene.json"
PROMPT = (300.0, 592.0)
PAUSE = (71.0, 20.0)


PILOT = {"scene": HELLO, "speed": 1.0, "window": (1000, 640), "quality": "low"}


@pytest.fixture
def pilot(pilot):
    pilot.step(3)
    return pilot


def key(name, *, text=None):
    """Return what a window tells of a key: its text first."""
    typed = [InputEvent("text", text=name if text is None else text)]
    return [*typed * (text != ""), InputEvent("key_down", key=name), InputEvent("key_up", key=name)]


def click(x, y):
    return [
        InputEvent("pointer_move", x=x, y=y),
        InputEvent("button_down", key="mouse1", x=x, y=y),
        InputEvent("button_up", key="mouse1", x=x, y=y),
    ]


def typed(text):
    return [event for letter in text for event in key(letter)]


def at_once(pilot, *events):
    pilot.app.inject(*events)
    pilot.step()


def middle(pilot):
    left, top, width, height = pilot.app.shell.viewport
    return left + width / 2, top + height / 2


def test_what_is_typed_after_a_click_into_a_field_runs_no_keys(pilot):
    shell = pilot.app.shell
    shell.panel_windows.open_front("Console")
    pilot.step(10)
    at_once(pilot, *click(*PROMPT), *typed("qrstm. "))
    assert shell.console.prompt.text == "qrstm. "
    assert shell.studio.selection.tool == "play"
    assert not pilot.app.clock.paused


def test_a_key_leads_to_the_prompt_and_back_a_click_into_the_picture(pilot):
    shell = pilot.app.shell
    at_once(pilot, *key("f6", text=""), *typed("t=2"), *key("enter", text="\r"),
            *click(*middle(pilot)), *key("t"))  # fmt: skip
    assert shell.interpreter.namespace["t"] == 2
    assert shell.studio.selection.tool == "move"


def test_the_text_is_made_larger_while_it_is_typed(pilot):
    shell = pilot.app.shell
    before = shell.theme.scale
    pilot.press("f6")
    pilot.draw_panels(8)
    pilot.press("=", "control")
    pilot.draw_panels(2)
    assert shell.theme.scale > before
    pilot.press("-", "control")
    pilot.draw_panels(2)
    assert shell.theme.scale == before


def test_a_letter_that_opens_a_field_is_not_typed_there(pilot):
    shell = pilot.app.shell
    shell.keys.bind("studio.prompt", "j")
    down, text = InputEvent("key_down", key="j"), InputEvent("text", text="j")
    at_once(pilot, down, text, InputEvent("key_up", key="j"), *typed("k"))
    assert shell.console.prompt.text == "k"


def test_a_click_on_a_button_in_one_frame_presses_it_and_is_not_for_the_scene(pilot):
    with fed_events() as taken:
        at_once(pilot, *click(*PAUSE))
    assert pilot.app.clock.paused
    assert "button_down" not in [event.kind for event in taken]


def test_a_click_on_a_window_over_the_picture_is_not_for_the_scene(pilot):
    examples = InputEvent("key_down", key="e", modifiers=frozenset({"control"}))
    with fed_events() as taken:
        at_once(pilot, examples, InputEvent("key_up", key="e"), *click(500.0, 70.0))
    assert pilot.app.welcome.is_open
    assert "button_down" not in [event.kind for event in taken]


def test_all_that_is_typed_in_one_frame_is_there_in_it(pilot):
    text = "print('all of this was typed in one frame')"
    at_once(pilot, *key("f6", text=""), *typed(text))
    assert pilot.app.shell.console.prompt.text == text

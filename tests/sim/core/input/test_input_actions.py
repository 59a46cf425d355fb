"""Input: keys and chords, holding, clicks with slack, and focus that goes away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.input.input_actions import CLICK_SLACK, Click, EventKind, InputActions, InputEvent


def key(kind: EventKind, name: str, *modifiers: str) -> InputEvent:
    return InputEvent(kind, key=name, modifiers=frozenset(modifiers))


def button(kind: EventKind, x: float, y: float, name: str = "left") -> InputEvent:
    return InputEvent(kind, key=name, x=x, y=y)


def test_a_key_is_pressed_for_one_frame_and_down_until_released() -> None:
    actions = InputActions()
    actions.bind("focus", "F", "enter")
    actions.feed([key("key_down", "f")])
    assert actions.pressed("focus")
    assert actions.down("focus")
    actions.end_frame()
    assert not actions.pressed("focus")
    assert actions.down("focus")
    actions.feed([key("key_up", "F")])
    assert not actions.down("focus")


def test_a_key_that_repeats_is_pressed_once() -> None:
    actions = InputActions()
    actions.feed([key("key_down", "a")])
    actions.end_frame()
    actions.feed([key("key_down", "a")])
    assert not actions.pressed("a")


def test_a_key_that_comes_and_goes_within_a_frame_is_not_missed() -> None:
    actions = InputActions()
    actions.feed([key("key_down", "a"), key("key_up", "a")])
    assert actions.pressed("a")
    assert actions.down("a"), "a tap counts in a slow frame, too"


def test_an_action_without_binding_is_its_key() -> None:
    actions = InputActions()
    actions.feed([key("key_down", "space")])
    assert actions.pressed("space")
    assert not actions.pressed("enter")


@pytest.mark.parametrize("ask", ["pressed", "down", "strength"])
def test_an_action_that_is_not_bound_and_no_key_is_an_error_with_a_hint(ask: str) -> None:
    actions = InputActions()
    actions.bind("jump", "space")
    with pytest.raises(ValueError, match="found 'jmup'; did you mean 'jump'"):
        getattr(actions, ask)("jmup")
    with pytest.raises(ValueError, match="did you mean 'jump'"):
        actions.axis("jump", "jumpp")
    with pytest.raises(ValueError, match="found None"):
        getattr(actions, ask)(None)


@pytest.mark.parametrize(("given", "hint"), [
    ("spcae", "did you mean 'space'"), ("mouse9", "'mouse"), ("pad_suoth", "'pad_south'"),
    ("contrl+s", "found 'contrl+s'; did you mean 'control+s'"), ("", "found ''"),
    (["space"], "found"),
])  # fmt: skip
def test_a_key_that_there_is_not_cannot_be_bound(given: Any, hint: str) -> None:
    actions = InputActions()
    with pytest.raises(ValueError, match=r"bind\('jump', …\): expected a key") as told:
        actions.bind("jump", "w", given)
    assert hint in str(told.value)
    assert not actions.bindings, "nothing was bound"


def test_the_wheel_is_pressed_for_a_frame_and_its_steps_add_up() -> None:
    actions = InputActions()
    actions.bind("next", "wheel_up")
    actions.feed([InputEvent("wheel", y=1.0), InputEvent("wheel", y=2.0)])
    assert actions.pressed("next")
    assert not actions.pressed("wheel_down")
    assert not actions.down("next")
    assert actions.wheel == 3.0
    actions.end_frame()
    assert not actions.pressed("next")
    assert actions.wheel == 0.0


def test_a_key_is_the_scenes_once_it_is_bound_or_asked_for() -> None:
    actions = InputActions()
    actions.bind("jump", "space")
    actions.bind("dash", "shift+d")
    assert actions.use_of("space") == "jump"
    assert actions.use_of("shift+space") == "jump", "whoever runs with Shift jumps, too"
    assert actions.use_of("shift+d") == "dash"
    assert actions.use_of("d") == ""
    assert actions.down("Left") is False
    assert actions.use_of("arrow_left") == "test_input_actions.py"
    assert actions.used_keys()["jump"] == ("space",)
    before = actions.revision
    actions.down("left")
    assert actions.revision == before
    actions.forget()
    assert not actions.used_keys()
    assert actions.revision > before


def test_a_chord_needs_its_modifiers_and_a_key_alone_none() -> None:
    actions = InputActions()
    actions.bind("save", "Control+S")
    actions.bind("slow", "s")
    actions.feed([key("key_down", "s", "control")])
    assert actions.pressed("save")
    assert not actions.pressed("slow")
    actions = InputActions()
    actions.bind("save", "control+s")
    actions.feed([key("key_down", "s")])
    assert not actions.pressed("save")


@pytest.mark.parametrize("chord", ["control+shift+s", "shift+control+s"])
def test_the_modifiers_of_a_chord_come_in_any_order(chord: str) -> None:
    actions = InputActions()
    actions.bind("save as", chord)
    actions.feed([key("key_down", "s", "shift", "control")])
    assert actions.pressed("save as")


@pytest.mark.parametrize(("chord", "modifiers"), [("+", ()), ("control++", ("control",))])
def test_the_plus_key_can_be_bound(chord: str, modifiers: tuple[str, ...]) -> None:
    actions = InputActions()
    actions.bind("zoom", chord)
    actions.feed([key("key_down", "+", *modifiers)])
    assert actions.pressed("zoom")
    assert actions.down("zoom")


def test_a_chord_is_down_while_its_key_is_held() -> None:
    actions = InputActions()
    actions.bind("save", "control+s")
    actions.feed([key("key_down", "s", "control")])
    assert actions.down("save")


@given(st.floats(-20, 20), st.floats(-20, 20))
def test_a_click_may_move_by_the_slack(dx: float, dy: float) -> None:
    actions = InputActions()
    actions.feed([button("button_down", 100, 100), button("button_up", 100 + dx, 100 + dy)])
    moved = max(abs(100 + dx - 100), abs(100 + dy - 100))
    assert len(actions.clicks) == (1 if moved <= CLICK_SLACK else 0)
    assert actions.pointer == (100 + dx, 100 + dy)


def test_a_click_carries_the_ray_and_lasts_one_frame() -> None:
    actions = InputActions()
    origin, direction = np.zeros(3), np.array([0.0, 1.0, 0.0])
    actions.pointer_ray = (origin, direction)
    actions.feed([button("button_down", 1, 2, "right"), button("button_up", 1, 2, "right")])
    assert actions.clicks == [Click("right", 1, 2, origin, direction)]
    actions.end_frame()
    assert actions.clicks == []


def test_buttons_do_not_click_for_each_other() -> None:
    actions = InputActions()
    actions.feed([button("button_down", 1, 1), button("button_up", 1, 1, "right")])
    assert actions.clicks == []
    assert actions.down("left")


def test_losing_the_focus_lets_go_of_everything() -> None:
    actions = InputActions()
    actions.feed([key("key_down", "a"), button("button_down", 1, 1), InputEvent("blur")])
    assert not actions.down("a")
    assert not actions.down("left")
    actions.feed([button("button_up", 1, 1)])
    assert actions.clicks == []


kinds: list[EventKind] = [
    "key_down", "key_up", "text", "pointer_move", "button_down", "button_up", "wheel",
    "resize", "close", "focus", "blur", "minimize", "restore",
]  # fmt: skip
events = st.builds(
    InputEvent,
    kind=st.sampled_from(kinds),
    key=st.sampled_from(["a", "b", "left", ""]),
    x=st.floats(0, 10),
    y=st.floats(0, 10),
)


@given(st.lists(events, max_size=30))
def test_any_events_leave_nothing_behind_once_all_is_released(stream: list[InputEvent]) -> None:
    actions = InputActions()
    actions.feed(stream)
    actions.end_frame()
    actions.feed([InputEvent("blur")])
    for name in ("a", "b", "left"):
        assert not actions.down(name)
        assert not actions.pressed(name)
    assert actions.clicks == []


def test_each_click_of_a_frame_has_the_ray_of_its_own_place() -> None:
    actions = InputActions()
    stream = [
        InputEvent(kind, key="mouse1", x=x)
        for x in (1.0, 50.0)
        for kind in ("pointer_move", "button_down", "button_up")
    ]
    actions.feed(stream, ray=lambda x, y: (np.array([x, y, 0.0]), np.array([0.0, 0.0, 1.0])))
    assert [click.origin[0] for click in actions.clicks] == [1.0, 50.0]


def test_a_tap_that_is_shorter_than_a_frame_is_down_in_that_frame():
    actions = InputActions()
    actions.bind("walk", "d", "pad_a")
    actions.feed([InputEvent("pad_connected", text="Pad")])
    for down, up, key in (("key_down", "key_up", "d"), ("pad_down", "pad_up", "a")):
        actions.feed([InputEvent(down, key), InputEvent(up, key)])
        assert actions.down("walk")
        assert actions.strength("walk") == 1.0
        actions.end_frame()
        assert not actions.down("walk")
    actions.feed([InputEvent("button_down", "mouse1"), InputEvent("button_up", "mouse1")])
    assert actions.down("mouse1")
    actions.feed([InputEvent("blur")])
    assert not actions.down("mouse1")

"""Gamepads: dead zones, buttons, axes as actions, and pads that come and go."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.input.gamepad import DEAD_ZONE, Gamepad, radial
from sim.core.input.input_actions import InputActions, InputEvent

RAW = st.floats(-1.0, 1.0)


def connected(*indexes: int) -> InputActions:
    actions = InputActions()
    actions.feed([InputEvent("pad_connected", text=f"Pad {at}", pad=at) for at in indexes])
    return actions


def moved(axis: str, value: float, pad: int = 0) -> InputEvent:
    return InputEvent("pad_axis", axis, pad=pad, value=value)


@given(RAW, RAW)
def test_a_dead_zone_keeps_the_direction_and_bounds_the_length(x: float, y: float) -> None:
    low, high = DEAD_ZONE
    found = radial(x, y, low, high)
    length = math.hypot(*found)
    assert length <= 1.0 + 1e-12
    if math.hypot(x, y) <= low:
        assert found == (0.0, 0.0)
    else:
        assert found[0] * y == pytest.approx(found[1] * x, abs=1e-9)
        assert found[0] * x + found[1] * y >= 0.0
    if math.hypot(x, y) >= high:
        assert length == pytest.approx(1.0)


@given(RAW, RAW)
def test_a_longer_deflection_is_never_a_smaller_value(one: float, other: float) -> None:
    values = [abs(radial(value, 0.0, *DEAD_ZONE)[0]) for value in sorted((one, other), key=abs)]
    assert values == sorted(values)


def test_a_button_is_pressed_for_one_frame_by_each_of_its_names() -> None:
    actions = connected(0)
    actions.bind("jump", "pad_a", "space")
    actions.feed([InputEvent("pad_down", "south")])
    (pad,) = actions.pads
    for name in ("jump", "pad_south", "pad_a", "pad_cross", "pad1_south"):
        assert actions.pressed(name)
        assert actions.down(name)
    assert pad.pressed("south")
    assert pad.down("a")
    assert not actions.pressed("pad2_south")
    actions.end_frame()
    assert not actions.pressed("jump")
    assert actions.down("jump")
    actions.feed([InputEvent("pad_up", "a")])
    assert not actions.down("jump")
    assert actions.strength("jump") == 0.0


def test_sticks_and_triggers_are_actions_and_values() -> None:
    actions = connected(0)
    actions.bind("left", "a", "pad_left_stick_left")
    actions.bind("right", "d", "pad_left_stick_right")
    actions.feed([moved("left_x", 0.525)])
    assert actions.axis("left_x") == pytest.approx(0.5)
    assert actions.axis("left", "right") == pytest.approx(0.5)
    assert actions.strength("right") == pytest.approx(0.5)
    assert actions.pads[0].left_stick == pytest.approx((0.5, 0.0))
    assert actions.down("right")
    actions.end_frame()
    actions.feed([moved("left_x", 0.45)])
    assert actions.down("right"), "it is released a little below where it was pressed"
    assert not actions.pressed("right")
    actions.feed([moved("left_x", -1.0)])
    assert actions.axis("left", "right") == -1.0
    assert actions.pressed("left")
    assert not actions.down("right")
    actions.feed([InputEvent("key_down", "d")])
    assert actions.axis("left", "right") == 0.0
    actions.feed([moved("right_trigger", 1.0)])
    assert actions.pressed("pad_rt")
    assert actions.axis("right_trigger") == 1.0


@pytest.mark.parametrize(("raw", "value"), [(2.0, 1.0), (-7.0, -1.0), (math.nan, 0.0),
                                            (math.inf, 0.0), (0.1, 0.0)])  # fmt: skip
def test_an_axis_stays_in_its_range(raw: float, value: float) -> None:
    actions = connected(0)
    actions.feed([moved("left_y", raw)])
    assert actions.axis("left_y") == value
    assert actions.axis("pad1_left_y") == value


def test_pads_are_told_apart_and_go() -> None:
    actions = connected(0, 1)
    actions.bind("one", "pad1_south")
    actions.bind("two", "pad2_south")
    actions.feed([InputEvent("pad_down", "south", pad=1), moved("left_x", 1.0, 1)])
    assert [pad.name for pad in actions.pads] == ["Pad 0", "Pad 1"]
    assert (actions.down("one"), actions.down("two")) == (False, True)
    assert (actions.axis("pad1_left_x"), actions.axis("left_x")) == (0.0, 1.0)
    gone = actions.pads[1]
    actions.feed([InputEvent("pad_disconnected", pad=1)])
    assert not actions.down("two")
    assert not gone.is_connected
    assert gone.axis("left_x") == 0.0
    assert actions.axis("left_x") == 0.0
    assert len(actions.pads) == 1
    actions.feed([InputEvent("pad_down", "south", pad=7), InputEvent("pad_disconnected", pad=7)])
    assert not actions.down("pad_south"), "a pad that nobody connected does nothing"


def test_losing_the_focus_lets_go_of_the_pads() -> None:
    actions = connected(0)
    actions.feed([InputEvent("pad_down", "south"), moved("left_x", 1.0), InputEvent("blur")])
    assert not actions.down("pad_south")
    assert not actions.pads[0].down("south")
    assert actions.axis("left_x") == 0.0


def test_a_misspelt_part_says_what_there_is() -> None:
    pad = Gamepad(0, "Pad")
    with pytest.raises(ValueError, match=r"axis: expected one of left_x.*found 'left_z'"):
        pad.axis("left_z")
    with pytest.raises(ValueError, match=r"found 'suoth'; did you mean 'south'"):
        pad.down("suoth")
    with pytest.raises(ValueError, match=r"found 'lefty'; did you mean 'left_y'"):
        InputActions().axis("lefty")

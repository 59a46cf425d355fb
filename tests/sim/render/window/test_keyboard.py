"""The names of keys under layouts of the world, from the events that Panda3D reports on X11.

The events were recorded in a window under `setxkbmap`, once for each press. On Windows they come in
another order.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from sim.core.input.input_actions import InputActions, InputEvent
from sim.core.input.key_map import names_of
from sim.render.window.key_layout import DigitKeys, PandaLayout
from sim.render.window.keyboard import DOWN, RAW_DOWN, RAW_UP, TEXT, UP, Keyboard, strokes_of

US = "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./"
ROWS = {
    "us": US,
    "ru": "\0" + "1234567890-=" + "\0" * 12 + "\\" + "\0" * 20 + ".",
    "gr": "`1234567890-=;" + "\0" * 9 + "[]\\" + "\0" * 9 + ";'" + "\0" * 7 + ",./",
    "il": ";1234567890-=/'" + "\0" * 8 + "][\\" + "\0" * 10 + "," + "\0" * 7 + "\0\0.",
    "fr": "²&é\"'(-è_çà)=azertyuiop\0$*qsdfghjklmùwxcvbn,;:!",
    "de": "\0" + "1234567890ß\0qwertzuiopü+#asdfghjklöäyxcvbnm,.-",
    "dvorak": "`1234567890[]',.pyfgcrl/=\\aoeuidhtns-;qjkxbmwvz",
    "cz": ";+\0\0\0\0ýáíé=\0qwertzuiopú)\0asdfghjkl\0§yxcvbnm,.-",
}
LAYOUTS = {
    name: {
        raw: key.replace("\0", "")
        for raw, key in zip(US, row.ljust(len(US), "\0")[: len(US)], strict=True)
    }
    for name, row in ROWS.items()
}


def press(raw: str, mapped: str, text: str, layout: str, *held: str) -> InputEvent:
    """Return the event of a press."""
    events = [(RAW_DOWN, raw), *((TEXT, text) for _ in text[:1]), *((DOWN, mapped) for _ in mapped)]
    (stroke,) = strokes_of(events[: 1 + bool(text) + bool(mapped)])
    ((key, stand_in),) = Keyboard(lambda: LAYOUTS[layout]).press(stroke)
    return InputEvent("key_down", key, text, modifiers=frozenset(held), stand_in=stand_in)


@pytest.mark.parametrize(
    ("layout", "raw", "mapped", "text", "held", "runs"),
    [
        ("us", "w", "w", "w", (), {"w"}),
        ("us", "=", "=", "+", ("shift",), {"+", "plus"}),
        ("us", "w", "w", "W", ("shift",), {"shift+w"}),
        ("us", "w", "w", "W", (), {"w"}),  # Caps Lock
        ("us", "+", "+", "+", (), {"+", "plus"}),  # number pad
        ("us", "7", "home", "", (), set()),  # number pad without Num Lock
        ("us", "w", "", "", (), {"w"}),  # an input method composes Hangul
        ("ru", "w", "", "ц", (), {"w", "ц"}),
        ("ru", "w", "", "Ц", (), {"w", "ц"}),  # Caps Lock
        ("ru", "w", "", "Ц", ("shift",), {"shift+w"}),
        ("ru", "s", "", "ы", ("control",), {"control+s"}),
        ("ru", "/", ".", ".", (), {"."}),
        ("ru", "w", "w", "ц", (), {"w", "ц"}),  # the second layout after a US one
        ("ru", "w", "z", "ц", (), {"z", "ц"}),  # the second layout after a French one
        ("us", "w", "", "w", (), {"w"}),  # the second layout after a Russian one
        ("us", "w", "z", "w", (), {"w"}),  # the second layout after a French one
        ("us", "z", "w", "\x1a", ("control",), {"control+z"}),
        ("gr", "w", "", "ς", (), {"w"}),
        ("gr", "q", ";", ";", (), {"q", ";"}),
        ("il", "w", "'", "'", (), {"w", "'"}),
        ("il", "q", "/", "/", (), {"q", "/"}),
        ("il", "s", "", "ד", ("control",), {"control+s"}),
        ("fr", "w", "z", "z", (), {"z"}),
        ("fr", "z", "w", "w", (), {"w"}),
        ("fr", "z", "w", "\x17", ("control",), {"control+w"}),
        ("fr", "1", "", "&", (), {"1"}),
        ("fr", "1", "", "1", ("shift",), {"1"}),
        ("fr", "7", "7", "7", (), {"7"}),  # number pad
        ("de", "y", "z", "z", (), {"z"}),
        ("de", "z", "y", "y", (), {"y"}),
        ("de", "[", "", "ü", (), {"["}),
        ("de", "7", "7", "/", ("shift",), {"/"}),
        ("de", "]", "+", "+", (), {"+", "plus"}),
        ("de", "q", "q", "@", (), {"@", "q"}),  # AltGr
        ("dvorak", "w", ",", ",", (), {","}),
        ("dvorak", ",", "w", "w", (), {"w"}),
        ("dvorak", "/", "z", "\x1a", ("control",), {"control+z"}),
        ("cz", "2", "", "ě", (), {"2"}),
        ("cz", "2", "", "2", ("shift",), {"2"}),
        ("cz", "1", "+", "+", (), {"+", "plus", "1"}),
    ],
)
def test_a_press_runs_what_is_written_on_the_key(
    layout: str, raw: str, mapped: str, text: str, held: tuple[str, ...], runs: set[str]
) -> None:
    actions = InputActions()
    names = [*US, *"+?@", "plus", "ц", "control+s", "control+z", "control+w", "shift+w"]
    for name in names:
        actions.bind(f"act {name}", name)
    if len(mapped) > 1:
        (stroke,) = strokes_of([(RAW_DOWN, raw), (DOWN, mapped)])
        ((key, stand_in),) = Keyboard(lambda: LAYOUTS[layout]).press(stroke)
        actions.feed([InputEvent("key_down", key, stand_in=stand_in)])
    else:
        actions.feed([press(raw, mapped, text, layout, *held)])
    assert {name for name in names if actions.pressed(f"act {name}")} - {"&"} == runs


def test_a_key_is_released_by_the_name_of_its_press_whatever_the_layout_is_then() -> None:
    layout = ["ru"]
    keyboard = Keyboard(lambda: LAYOUTS[layout[0]])
    down, up = strokes_of([(RAW_DOWN, "w"), (TEXT, "ц"), (RAW_UP, "w"), (UP, "w")])
    assert [key.key for key in keyboard.press(down)] == ["ц"]
    layout[0] = "us"
    (again,) = strokes_of([(RAW_DOWN, "w"), (TEXT, "w"), (DOWN, "w")])
    assert [key.key for key in keyboard.press(again)] == ["ц"], "it repeats"
    assert keyboard.release(up) == ["ц"]
    assert [key.key for key in keyboard.press(again)] == ["w"]


@pytest.mark.parametrize("events", [
    [(RAW_DOWN, "ralt")],  # AltGr types nothing
    [(RAW_DOWN, "backspace")],  # an input method takes it
])  # fmt: skip
def test_what_the_system_keeps_for_itself_presses_nothing(events: list[tuple[str, str]]) -> None:
    (stroke,) = strokes_of(events)
    assert Keyboard(dict).press(stroke) == []
    assert stroke.marks(is_windows=False) == 0


def test_events_are_grouped_by_the_press_that_they_belong_to() -> None:
    shift = [(RAW_DOWN, "lshift"), (DOWN, "shift"), (DOWN, "lshift")]
    events = [*shift, (DOWN, "mouse1"), (RAW_DOWN, "a"), (DOWN, "a"), (TEXT, "A"), (RAW_UP, "a"),
              (UP, "a"), (UP, "mouse1"), (DOWN, "wheel_up"), (TEXT, "가"), (UP, "lshift")]  # fmt: skip
    found: list[tuple[Any, ...]] = [
        (item.kind, item.raw, item.mapped, item.typed, item.marks(is_windows=False))
        for item in strokes_of(events)
    ]
    assert found == [
        ("down", "lshift", ["shift", "lshift"], [], 2),
        ("button", "", ["mouse1"], [], 1),
        ("down", "a", ["a"], ["A"], 2),
        ("up", "a", ["a"], [], 1),
        ("button_up", "", ["mouse1"], [], 1),
        ("button", "", ["wheel_up"], [], 1),
        ("text", "", [], ["가"], 2),
        ("up", "", ["lshift"], [], 1),
    ]


def test_on_windows_the_mapped_key_comes_first() -> None:
    """As recorded of Panda3D there: Ctrl+comma, F4, Shift+W twice by repeating, a click."""
    control = [(DOWN, "control"), (RAW_DOWN, "lcontrol"), (DOWN, "lcontrol")]
    events = [
        *control, (DOWN, ","), (RAW_DOWN, ","), (UP, ","), (RAW_UP, ","),
        (UP, "control"), (RAW_UP, "lcontrol"), (UP, "lcontrol"),
        (DOWN, "f4"), (RAW_DOWN, "f4"), (UP, "f4"), (RAW_UP, "f4"),
        (DOWN, "w"), (RAW_DOWN, "w"), (TEXT, "W"), (DOWN, "w"), (TEXT, "W"),
        (DOWN, "e"), (RAW_DOWN, "e"), (TEXT, "e"),
        (DOWN, "mouse1"), (UP, "mouse1"), (RAW_DOWN, "7"), (TEXT, "7"),
    ]  # fmt: skip
    strokes = strokes_of(events, is_windows=True)
    assert [(item.kind, item.raw, item.mapped, item.typed) for item in strokes] == [
        ("down", "lcontrol", ["control", "lcontrol"], []),
        ("down", ",", [","], []),
        ("up", ",", [","], []),
        ("up", "lcontrol", ["control", "lcontrol"], []),
        ("down", "f4", ["f4"], []),
        ("up", "f4", ["f4"], []),
        ("down", "w", ["w"], ["W"]),
        ("down", "", ["w"], ["W"]),
        ("down", "e", ["e"], ["e"]),
        ("button", "", ["mouse1"], []),
        ("button_up", "", ["mouse1"], []),
        ("down", "7", [], ["7"]),
    ]
    marks = [item.marks(is_windows=True) for item in strokes]
    assert marks == [2, 1, 0, 0, 1, 0, 1, 1, 1, 1, 0, 0]


def test_a_key_that_repeats_without_its_place_is_the_one_that_is_held() -> None:
    """On a French keyboard, on Windows."""
    keyboard = Keyboard(lambda: LAYOUTS["fr"])
    events = [(DOWN, "w"), (RAW_DOWN, "z"), (TEXT, "w"), (DOWN, "w"), (TEXT, "w"), (UP, "w"),
              (RAW_UP, "z")]  # fmt: skip
    down, again, up = strokes_of(events, is_windows=True)
    assert [key.key for key in keyboard.press(down)] == ["w"]
    assert [key.key for key in keyboard.press(again)] == ["w"]
    assert keyboard.release(up) == ["w"]
    (other,) = strokes_of([(DOWN, "z"), (RAW_DOWN, "w"), (TEXT, "z")], is_windows=True)
    assert [key.key for key in keyboard.press(other)] == ["z"]


def test_the_digits_of_the_number_pad_have_names_of_their_own_and_are_digits_too():
    (stroke,) = strokes_of([(RAW_DOWN, "7"), (TEXT, "7"), (DOWN, "7")])
    (release,) = strokes_of([(RAW_UP, "7"), (UP, "7")])
    told = ["num_7", "", "7", "", "num_7", "7"]
    keyboard = Keyboard(lambda: LAYOUTS["us"], lambda digit, is_down: told.pop(0))
    assert keyboard.press(stroke) == keyboard.press(stroke) == [("num_7", "7")], "it repeats"
    assert keyboard.press(stroke) == keyboard.press(stroke) == [("7", "")], "that above, too"
    assert [keyboard.release(release) for _ in "12"] == [["num_7"], ["7"]]
    upper = Keyboard(lambda: LAYOUTS["us"]).press(stroke)
    assert upper == [("7", "")]
    assert names_of("num_7", "7", "7") == ("num_7", "7")


def test_presses_of_digits_are_told_apart_in_their_order_however_short_they_are() -> None:
    keys = DigitKeys()
    for code, is_down in ((87, True), (87, False), (10, True), (10, True), (10, False), (87, True)):
        if is_down:
            keys.press(code, types_digit=True)
        else:
            keys.release(code)
    found = [keys.next("1", is_down=is_down) for is_down in (True, False, True, False, True)]
    assert found == ["num_1", "num_1", "1", "1", "num_1"]
    assert keys.next("1", is_down=True) == keys.next("2", is_down=True) == ""
    keys.release(87)
    keys.press(87, types_digit=False)  # without Num Lock it is End
    assert keys.next("1", is_down=True) == ""
    keys.press(88, types_digit=True)
    keys.let_go()  # the release goes to another window
    keys.end_poll()
    keys.press(88, types_digit=True)
    assert [keys.next("2", is_down=True) for _ in "123"] == ["num_2", "num_2", ""]
    keys.press(89, types_digit=True)
    for _ in "12":
        keys.end_poll()
    assert keys.next("3", is_down=True) == "", "what was not reported is forgotten"


def test_windows_tells_of_short_presses_of_the_number_pad(monkeypatch) -> None:
    state = dict.fromkeys(range(0x60, 0x6A), 0)

    def read(key: int) -> int:
        found, state[key] = state[key], state[key] & ~1
        return found

    user32 = SimpleNamespace(GetAsyncKeyState=read)
    monkeypatch.setattr("ctypes.windll", SimpleNamespace(user32=user32), raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    layout = PandaLayout(None)
    state[0x61] = 1  # down and up since the last question
    assert [layout.digit_key("1", is_down=True) for _ in "12"] == ["num_1", "1"]
    state[0x61] = 1
    layout.end_poll()  # Panda3D reports it in the next one
    assert layout.digit_key("1", is_down=True) == "num_1"
    state[0x61] = 1
    for _ in "12":
        layout.end_poll()  # pressed while another window had the keyboard
    assert layout.digit_key("1", is_down=True) == "1"
    state[0x62] = -0x8000
    assert layout.digit_key("2", is_down=True) == "num_2", "it is held"
    assert layout.digit_key("2", is_down=False) == ""


@pytest.mark.parametrize(("key", "text"), [
    ("delete", "\x7f"), ("backspace", "\x08"), ("enter", "\r"), ("escape", "\x1b"), ("tab", "\t"),
])  # fmt: skip
def test_what_a_key_of_control_types_is_no_letter(key, text):
    (stroke,) = strokes_of([(RAW_DOWN, key), (TEXT, text), (DOWN, key)])
    assert stroke.letters == []
    assert stroke.marks(is_windows=False) == 2, "it was typed all the same"


@pytest.mark.parametrize("text", ["a", "ц", "한", " ", "\u200d", "\ud83d"])
def test_what_can_stand_in_a_text_is_a_letter(text):
    (stroke,) = strokes_of([(RAW_DOWN, "w"), (TEXT, text)])
    assert stroke.letters == [text]

"""Every punctuation key by character and by name, and names that are misspelt."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.input.input_actions import InputActions, InputEvent
from sim.core.input.key_map import KeyAction, KeyMap, KeyMapError, normal
from sim.core.input.key_names import CHARACTERS, KEYS, key_of

SHIFTED = dict(zip("`1234567890-=[]\\;',./", '~!@#$%^&*()_+{}|:"<>?', strict=True))
"""What the punctuation and digit keys of a US keyboard type with Shift."""
NAMES = [(name, key) for key, names in CHARACTERS.items() for name in names]


def typed(character: str) -> InputEvent:
    """Return the press that types a character on a US keyboard."""
    plain = next((key for key, upper in SHIFTED.items() if upper == character), character)
    held = frozenset({"shift"} if plain != character else ())
    return InputEvent("key_down", plain, character, modifiers=held)


def test_every_character_of_a_keyboard_has_a_name() -> None:
    assert set(CHARACTERS) == set(string.punctuation)


@pytest.mark.parametrize("character", string.punctuation + string.digits + "абв")
def test_every_character_can_be_bound_as_it_is_typed(character: str) -> None:
    actions = InputActions()
    for name in (character, *CHARACTERS.get(character, ())):
        actions.bind(f"act {name}", name)
    actions.feed([typed(character)])
    assert actions.bindings
    assert all(actions.pressed(action) and actions.down(action) for action in actions.bindings)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_named_key_can_be_bound(key: str) -> None:
    actions = InputActions()
    actions.bind("act", key.upper())
    held = frozenset({key}) if key in ("shift", "control", "alt") else frozenset()
    actions.feed([InputEvent("key_down", key, modifiers=held)])
    assert actions.pressed("act")


@pytest.mark.parametrize(("name", "key"), [*NAMES, ("return", "enter"), ("esc", "escape"),
                         ("ctrl+s", "control+s"), ("left", "arrow_left"), ("ctrl+plus", "control++"),
                         ("pad_a", "pad_south"), ("PAD2_LT", "pad2_left_trigger"), (" ", "space"),
                         ("pad_left_x", "pad_left_x"), ("pad0_a", ""), ("pad_q", "")])  # fmt: skip
def test_other_names_mean_the_same_key(name: str, key: str) -> None:
    assert normal(name) == normal(key) == key


@given(st.text(max_size=12))
def test_a_name_of_a_key_is_its_own_name(text: str) -> None:
    assert key_of(key_of(text)) == key_of(text)


def test_the_key_map_refuses_a_key_that_does_not_exist() -> None:
    keys = KeyMap()
    keys.add(KeyAction("undo", "Undo", "control+z", "Edit"), lambda: None)
    with pytest.raises(KeyMapError, match=r"found 'escpae'; did you mean 'escape'"):
        keys.bind("undo", "escpae")
    keys.bind("undo", "ctrl+plus")
    assert keys.chord("undo") == "control++"

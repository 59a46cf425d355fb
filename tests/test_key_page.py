"""The page of key names says what the code knows: its tables are made of the names there."""

from __future__ import annotations

import re

from docs.key_tables import PAGE, filled, tables
from sim.core.input.input_actions import InputActions
from sim.core.input.key_map import normal
from sim.core.input.key_names import (
    KEYS,
    PAD_AXES,
    PAD_BUTTONS,
    PAD_DIRECTIONS,
    POINTER_BUTTONS,
    WHEEL,
)


def test_the_tables_of_the_page_are_those_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text) == text, "python -m docs.key_tables writes them"


def test_every_name_on_the_page_can_be_bound_and_every_key_stands_there() -> None:
    made = tables()
    named = {
        name for table in made.values() for name in re.findall(r"`` (.+?) ``|`([^`]+)`", table)
    }
    names = {first or second.replace("\\|", "|") for first, second in named} - {*PAD_AXES}
    sticks = {name for name in names if normal(name) == "" and normal(f"pad_{name}")}
    unknown = {name for name in names - sticks if not normal(name)}
    assert not unknown
    numbered = {key for key in KEYS if re.fullmatch(r"f\d+", key)}
    assert {*KEYS, *POINTER_BUTTONS, *WHEEL} - numbered <= names
    pads = {f"pad_{part}" for part in (*PAD_BUTTONS, *PAD_DIRECTIONS)}
    assert pads <= names
    actions = InputActions()
    actions.bind("any", *(names - sticks))

"""How the kind of a field is called in an error."""

from __future__ import annotations

import enum
from typing import Literal

import pytest

from base.schema import KIND_WORDS
from scripts.gomoku.game.human_controls import HumanControls
from sim.core.scene.fields import collect_fields, field, kind_of
from sim.core.scene.scene import ComponentSlot
from sim.core.script.script import Script


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = "right"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        *KIND_WORDS.items(), (Literal["a", "b"], "one of a, b"), (Side, "one of left, right"),
    ],
)  # fmt: skip
def test_every_kind_has_words(kind, words):
    assert kind_of(kind).words == words
    assert words


class BlinkingLight(Script):
    seconds_between: float = field(1.0)
    is_on: bool = field(True)
    color: str = field("red", title="Colour of the light")


def title_of(cls):
    slot = ComponentSlot.__new__(ComponentSlot)
    slot.type_name, slot.instance = f"scripts.a:{cls.__name__}", cls.__new__(cls)
    return slot.title


def test_the_window_calls_classes_and_fields_by_words_or_their_own_titles():
    assert [item.title for item in collect_fields(BlinkingLight).values()] == [
        "Seconds between", "On", "Colour of the light",
    ]  # fmt: skip
    assert (title_of(BlinkingLight), title_of(HumanControls)) == ("Blinking light", "Your seat")

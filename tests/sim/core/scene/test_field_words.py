"""How the kind of a field is called in an error."""

from __future__ import annotations

import enum
from typing import Literal

import pytest

from sim.core.scene.fields import KIND_WORDS, _describe


class Side(enum.Enum):
    LEFT = "left"
    RIGHT = "right"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        *KIND_WORDS.items(), (Literal["a", "b"], "one of a, b"), (Side, "one of left, right"),
        (object, "object"),
    ],
)  # fmt: skip
def test_every_kind_has_words(kind, words):
    assert _describe(kind) == words
    assert words

"""Converts the spaces that an `Agent` declares to Gymnasium's spaces."""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium import spaces

from base.errors import FieldError
from sim.core.script.spaces import EXPECTED, PlainSpace

Space = gymnasium.Space[Any]


def space_of(plain: PlainSpace) -> Space:
    """Return the Gymnasium space that corresponds to a space given as a tuple of plain values.

    Raises:
        FieldError: the tuple is no known kind of space.
    """
    kind = plain[0]
    if kind == "box":
        _, low, high, dtype = plain
        return spaces.Box(low, high, dtype=dtype)
    if kind == "discrete":
        return spaces.Discrete(plain[1], start=plain[2])
    if kind == "binary":
        return spaces.MultiBinary(plain[1])
    if kind == "numbers":
        return spaces.MultiDiscrete(plain[1])
    if kind == "dict":
        return spaces.Dict({name: space_of(part) for name, part in plain[1].items()})
    raise FieldError("space", expected=EXPECTED, found=str(kind))

"""Field changes that are pending until the next game, and parsing of their texts."""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Hashable
from typing import Any

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LONGEST_NAME = 60


class RefusedError(ValueError):
    """A text is invalid for a field; says what is valid."""


class PendingChanges:
    """Pending values, by owner and key, which take effect at the next game."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[Hashable, str], Any] = {}
        self.revision = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def propose(self, owner: Hashable, key: str, value: Any, *, current: Any) -> None:
        """Add a pending change; proposing the current value withdraws it."""
        self.revision += 1
        if value == current and type(value) is type(current):
            self._waiting.pop((owner, key), None)
        else:
            self._waiting[owner, key] = value

    def withdraw(self, owner: Hashable, key: str) -> None:
        """Remove a pending change, if there is one."""
        self.revision += 1
        self._waiting.pop((owner, key), None)

    def withdraw_all(self, owner: Hashable) -> None:
        """Remove all pending changes of an owner."""
        self.revision += 1
        for place in [place for place in self._waiting if place[0] is owner]:
            del self._waiting[place]

    def has(self, owner: Hashable, key: str) -> bool:
        """Return whether a change of this key is pending."""
        return (owner, key) in self._waiting

    def value(self, owner: Hashable, key: str) -> Any:
        """Return the pending value.

        Raises:
            KeyError: no change is pending.
        """
        return self._waiting[owner, key]

    def of(self, owner: Hashable) -> dict[str, Any]:
        """Return the pending changes of one owner."""
        return {key: value for (who, key), value in self._waiting.items() if who is owner}

    def take(self) -> list[tuple[Any, str, Any]]:
        """Remove and return all pending changes as (owner, key, value)."""
        taken = [(owner, key, value) for (owner, key), value in self._waiting.items()]
        self._waiting.clear()
        self.revision += 1
        return taken


def kind_of(declared: Any) -> tuple[Any, bool]:
    """Return a field's type, and whether it may be None."""
    kind = declared.annotation
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        rest = [part for part in typing.get_args(kind) if part is not type(None)]
        return rest[0], len(rest) < len(typing.get_args(kind))
    return kind, False


def choices_of(declared: Any) -> tuple[str, ...]:
    """Return the choices of a text field; () for other fields."""
    kind, _ = kind_of(declared)
    return typing.get_args(kind) if typing.get_origin(kind) is typing.Literal else ()


def read_number(declared: Any, text: str) -> int | float | None:
    """Parse the text of a number field.

    Args:
        declared: the field, with `annotation`, `minimum` and `maximum`.
        text: the typed text.

    Raises:
        RefusedError: it is no number, or out of bounds.
    """
    kind, is_optional = kind_of(declared)
    words = text.strip()
    if is_optional and words.lower() == "none":
        return None
    number = float(words) if NUMBER.fullmatch(words) else math.nan
    low = -math.inf if declared.minimum is None else declared.minimum
    high = math.inf if declared.maximum is None else declared.maximum
    is_sound = math.isfinite(number) and low <= number <= high
    if not is_sound or (kind is int and not number.is_integer()):
        raise RefusedError(f"expected {expectation(declared)}")
    return int(number) if kind is int else number


def expectation(declared: Any) -> str:
    """Return the valid values of a number field, in words."""
    kind, is_optional = kind_of(declared)
    noun = "a whole number" if kind is int else "a number"
    low, high = declared.minimum, declared.maximum
    if low is not None and high is not None:
        noun += f" from {low:g} to {high:g}"
    elif low is not None:
        noun += f" of at least {low:g}"
    return noun + (" or none" if is_optional else "")


def write_value(value: Any) -> str:
    """Return a value in the form in which it is typed."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def clean_name(text: str) -> str:
    """Return a text as one line of at most 60 printable characters."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(line.split())[:LONGEST_NAME]

"""Typed options: a default, bounds or choices, a help text, and one parser for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from base.errors import GoishiError

OptionValue: TypeAlias = bool | int | float | str | None
"""What an option holds."""


class OptionError(GoishiError, ValueError):
    """An option is unknown or its value does not fit."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its key, default, bounds or choices, and help text.

    The type of the default is the type of the option, a number without one; a float takes ints,
    too. `optional` ones take None (text "none").
    """

    key: str
    default: OptionValue
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[OptionValue, ...] = ()
    help: str = ""
    optional: bool = False

    def resolve(self, value: object) -> OptionValue:
        """Parse and check a value or a text as this option's type.

        Raises:
            OptionError: the value does not fit; says what would.
        """
        if value is None or (isinstance(value, str) and value.lower() == "none"):
            if self.optional or self.default is None or None in self.choices:
                return None
            if not isinstance(self.default, str):
                raise self._error(value)
        converted = self._convert(value)
        if converted is None or not self._fits(converted):
            raise self._error(value)
        return converted

    def _convert(self, value: object) -> OptionValue:
        """Return `value` in the default's type, or None where it has no such meaning."""
        kind = type(self.default) if self.default is not None else float
        if kind is bool:
            return _to_bool(value)
        if kind is str:
            return value if isinstance(value, str) else None
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return None
        return _to_number(value, is_int=kind is int)

    def _fits(self, value: OptionValue) -> bool:
        """Return whether a converted value is one of the choices and within the bounds."""
        if self.choices and value not in self.choices:
            return False
        if isinstance(value, (bool, str)) or value is None:
            return True
        return fits_bounds(value, self.minimum, self.maximum)

    @property
    def expectation(self) -> str:
        """The values that are valid, in words."""
        kind = "float" if self.default is None else type(self.default).__name__
        if self.choices:
            text = "one of " + ", ".join(repr(choice) for choice in self.choices)
        else:
            text = bounds_text(kind, self.minimum, self.maximum)
        return text + (" or 'none'" if self.optional or self.default is None else "")

    def _error(self, value: object) -> OptionError:
        """Build the error for a value that does not fit."""
        return OptionError(f"{self.key}: expected {self.expectation}, found {value!r}")

    def as_dict(self) -> dict[str, object]:
        """Return the option as a dict of plain values for JSON."""
        return {
            "key": self.key,
            "default": self.default,
            "range": {
                "minimum": self.minimum,
                "maximum": self.maximum,
                "choices": list(self.choices) or None,
                "optional": self.optional or self.default is None,
            },
            "help": self.help,
        }


def fits_bounds(value: float, minimum: float | None, maximum: float | None) -> bool:
    """Return whether a number is within inclusive bounds; None is no bound."""
    low = -math.inf if minimum is None else minimum
    return low <= value <= (math.inf if maximum is None else maximum)


def bounds_text(noun: str, minimum: float | None, maximum: float | None) -> str:
    """Return a description of inclusive bounds, for error texts.

    >>> bounds_text("a number", 1, 5), bounds_text("int", 3, None)
    ('a number from 1 to 5', 'int of at least 3')
    """
    if minimum is not None and maximum is not None:
        return f"{noun} from {minimum:g} to {maximum:g}"
    if minimum is not None:
        return f"{noun} of at least {minimum:g}"
    return noun if maximum is None else f"{noun} of at most {maximum:g}"


def _to_bool(value: object) -> bool | None:
    """Read a bool or its text; None where it is neither."""
    if isinstance(value, bool):
        return value
    words = {"true": True, "yes": True, "on": True, "1": True}
    words |= {"false": False, "no": False, "off": False, "0": False}
    return words.get(value.lower()) if isinstance(value, str) else None


def _to_number(value: float | str, *, is_int: bool) -> int | float | None:
    """Read a finite number; None where it is none, or a fraction where an int is wanted."""
    try:
        number = float(value)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    if not is_int:
        return number
    return int(number) if number.is_integer() else None


def resolve(
    options: Iterable[Option], given: Mapping[str, object], *, owner: str
) -> dict[str, OptionValue]:
    """Return every option's value: the given one where there is one, else its default.

    Args:
        options: the known options.
        given: values or texts by the options' keys.
        owner: what the options belong to, for the error's text.

    Raises:
        OptionError: a key is unknown (the known ones are named) or a value does not fit.
    """
    known = {option.key: option for option in options}
    for key in given:
        if key not in known:
            names = ", ".join(known) or "no settings at all"
            raise OptionError(f"{owner}: expected one of {names}; found {key!r}")
    return {
        key: option.resolve(given[key]) if key in given else option.default
        for key, option in known.items()
    }

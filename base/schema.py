"""Options: named, typed, documented values with a default, bounds or choices.

Options describe the settings of players, command-line flags, the options and settings of scenes,
the user's settings and the plain fields of scripts. A dataclass declares its options with
`setting`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypeAlias

from base.errors import GoishiError
from base.spelling import one_of

OptionValue: TypeAlias = bool | int | float | str | None
"""Type of an option's value."""

NUMBER: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
KIND_WORDS: Final[Mapping[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
}


OPTION: Final = "option"
"""The metadata key under which a dataclass field keeps its option."""


class OptionError(GoishiError, ValueError):
    """An option is unknown or its value does not fit."""


_SWITCHES: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option, with the rules that its values must follow.

    A subclass decides how an error message names the option.

    Attributes:
        key: name of the option.
        default: value where none is given.
        minimum: lowest valid number; None for no bound.
        maximum: highest valid number; None for no bound.
        choices: the valid values; empty for all.
        help: one sentence for people.
        optional: whether None is valid, as text "none". If None is the default, it is valid anyway.
        kind: type of the values. None for the type of the default, or float if that is None. An
            option of type float accepts ints, too.
        besides: valid numbers outside the bounds.
        unit: unit of a number, such as "m".
        former: former keys, under which `resolve` also finds the option.
        former_values: values that no longer exist, each with the value that took its place. Stored
            settings may still hold them.
        names: for an option whose value is the path of a file: the values that stand for a file of
            Goishi's own instead; empty for all other options.
    """

    key: str
    default: OptionValue
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[OptionValue, ...] = ()
    help: str = ""
    optional: bool = False
    kind: type[bool | int | float | str] | None = None
    besides: tuple[float, ...] = ()
    unit: str = ""
    former: tuple[str, ...] = ()
    former_values: tuple[tuple[OptionValue, OptionValue], ...] = ()
    names: tuple[str, ...] = ()

    @property
    def value_kind(self) -> type[bool | int | float | str]:
        """Type of the option's values, None excepted."""
        return self.kind or (float if self.default is None else type(self.default))

    def resolve(self, value: object) -> OptionValue:
        """Return a value of this option's type, parsed from text if needed, and checked.

        Args:
            value: a text such as "3", "yes" or "none", or a value.

        Raises:
            OptionError: the value does not fit; the message says what is valid.
        """
        if not isinstance(value, str) or self.value_kind is str:
            is_none = isinstance(value, str) and value.lower() == "none" and self._takes_none
            return self.check(None if is_none else value)
        read: OptionValue
        word = value.strip().lower()
        if word == "none":
            read = None
        elif self.value_kind is bool:
            read = _SWITCHES.get(word, value)
        else:
            read = _number(value) if NUMBER.fullmatch(value) else value
        try:
            return self.check(read)
        except GoishiError:
            raise self._error(value) from None

    def check(self, value: object) -> OptionValue:
        """Check a value and return it in the option's type.

        Args:
            value: the value. A text is not parsed; it is valid only for an option of texts.

        Raises:
            OptionError: the value does not fit; the message says what is valid.
        """
        for former, present in self.former_values:
            if type(value) is type(former) and value == former:
                return present
        if value is None and self._takes_none:
            return None
        converted = self._convert(value)
        if converted is None or not self._fits(converted):
            raise self._error(value)
        return converted

    @property
    def _takes_none(self) -> bool:
        return self.optional or self.default is None or None in self.choices

    def _convert(self, value: object) -> OptionValue:
        """Return `value` converted to the option's type, or None if that is impossible."""
        kind = self.value_kind
        if kind in (bool, str):
            return value if isinstance(value, kind) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            number = float(value)
        except OverflowError:
            return None
        if not math.isfinite(number) or (kind is int and not number.is_integer()):
            return None
        return int(value) if kind is int else number

    def _fits(self, value: OptionValue) -> bool:
        """Return whether a converted value is one of the choices and within the bounds."""
        if self.choices and value not in self.choices:
            return False
        if isinstance(value, (bool, str)) or value is None:
            return True
        return value in self.besides or fits_bounds(value, self.minimum, self.maximum)

    @property
    def expectation(self) -> str:
        """Description of the valid values, None excepted, for error messages."""
        if self.choices:
            return "one of " + ", ".join(map(str, self.choices))
        bounds = bounds_text(KIND_WORDS[self.value_kind], self.minimum, self.maximum)
        return " or ".join([*(f"{value:g}" for value in self.besides), bounds])

    @property
    def wanted(self) -> str:
        """Description of the valid values, including None if it is valid, for error messages."""
        return self.expectation + (" or none" if self._takes_none else "")

    def wanted_for(self, found: object) -> str:
        """Return `wanted`; of several choices those first that look like the invalid value."""
        if not self.choices:
            return self.wanted
        return one_of(self.choices, found) + (" or none" if self._takes_none else "")

    def _error(self, value: object) -> GoishiError:
        """Build the error for a value that does not fit."""
        return OptionError(f"{self.key}: expected {self.wanted_for(value)}, found {value!r:.80}")

    def as_dict(self) -> dict[str, object]:
        """Return the option as a dict of plain values for JSON."""
        return {
            "key": self.key,
            "default": self.default,
            "range": {
                "minimum": self.minimum,
                "maximum": self.maximum,
                "choices": list(self.choices) or None,
                "optional": self._takes_none,
            },
            "help": self.help,
        }


def setting(
    default: OptionValue,
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    key: str = "",
    choices: tuple[OptionValue, ...] = (),
    help: str = "",
    optional: bool = False,
    kind: type[bool | int | float | str] | None = None,
    besides: tuple[float, ...] = (),
    former_values: tuple[tuple[OptionValue, OptionValue], ...] = (),
) -> Any:
    """Declare a field of a dataclass as an option.

    Args:
        default: value where none is given.
        minimum: lowest valid number; None for no bound.
        maximum: highest valid number; None for no bound.
        key: name of the option; empty for the name of the field.
        choices: the valid values; empty for all.
        help: one sentence for people.
        optional: whether None is valid.
        kind: type of the values; None for that of the default.
        besides: valid numbers outside the bounds.
        former_values: values that no longer exist, each with the value that took its place.
    """
    declared = Option(
        *(key, default, minimum, maximum, choices, help, optional, kind, besides),
        former_values=former_values,
    )
    return field(default=default, metadata={OPTION: declared})


def options_of(cls: type) -> dict[str, Any]:
    """Return the options that the fields of a dataclass declare, by the fields' names."""
    declared = {item.name: item.metadata[OPTION] for item in fields(cls) if OPTION in item.metadata}
    return {name: replace(item, key=item.key or name) for name, item in declared.items()}


def check_fields(item: Any) -> None:
    """Check the fields of a dataclass that declare options.

    Raises:
        OptionError: a value does not fit.
    """
    for name, option in options_of(type(item)).items():
        option.check(getattr(item, name))


def fits_bounds(value: float, minimum: float | None, maximum: float | None) -> bool:
    """Return whether a number is within bounds, which are valid themselves.

    Args:
        value: the number.
        minimum: lowest valid number; None for no bound.
        maximum: highest valid number; None for no bound.
    """
    low = -math.inf if minimum is None else minimum
    return low <= value <= (math.inf if maximum is None else maximum)


def bounds_text(noun: str, minimum: float | None, maximum: float | None) -> str:
    """Return a description of inclusive bounds, for error texts.

    >>> bounds_text("a number", 1, 5), bounds_text("a whole number", 3, None)
    ('a number from 1 to 5', 'a whole number of at least 3')
    """
    if minimum is not None and maximum is not None:
        return f"{noun} from {_written(minimum)} to {_written(maximum)}"
    if minimum is not None:
        return f"{noun} of at least {_written(minimum)}"
    return noun if maximum is None else f"{noun} of at most {_written(maximum)}"


def _written(bound: float) -> str:
    """Return a bound as text, a whole number with all its digits.

    Args:
        bound: the bound.
    """
    is_long = isinstance(bound, int) or (abs(bound) >= 1e5 and math.isfinite(bound))
    return str(int(bound)) if is_long else f"{bound:g}"


def resolve(
    options: Iterable[Option], given: Mapping[str, object], *, owner: str
) -> dict[str, OptionValue]:
    """Return every option's value: the given value, or else the default.

    Args:
        options: the known options.
        given: values or texts by the options' keys.
        owner: what the options belong to, for the error's text.

    Raises:
        OptionError: a key is unknown (the known ones are named) or a value does not fit.
    """
    known = {option.key: option for option in options}
    present = {former: key for key, option in known.items() for former in option.former}
    found: dict[str, OptionValue] = {key: option.default for key, option in known.items()}
    for word, value in given.items():
        key = word if word in known else present.get(word, "")
        if not key:
            names = one_of(known, word) if known else "one of no settings at all"
            raise OptionError(f"{owner}: expected {names}; found {word!r}")
        found[key] = known[key].resolve(value)
    return found


def parse_pairs(texts: Iterable[str], owner: str) -> dict[str, str]:
    """Parse texts of the form KEY=VALUE to values by key.

    Args:
        texts: the texts.
        owner: the flag that they are given by, for the error's text.

    Raises:
        OptionError: a text has no equals sign.
    """
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise OptionError(f"{owner}: expected KEY=VALUE, found {text!r}")
        found[key] = value
    return found


def _number(text: str) -> int | float:
    """Parse a number; whole numbers exactly, however many digits they have."""
    try:
        return int(text)
    except ValueError:
        return float(text)

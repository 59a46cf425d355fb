"""Settings of a player: what can be set, within which bounds, and what it means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

SettingValue: TypeAlias = bool | int | float | str | None
"""What a setting holds."""


class SettingError(ValueError):
    """A setting is unknown or its value is out of bounds."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing about a player that can be chosen.

    The type of the default is the type of the setting; a float setting takes
    ints, too. `optional` settings take None (text "none").
    """

    key: str
    default: SettingValue
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[SettingValue, ...] = ()
    help: str = ""
    optional: bool = False

    def resolve(self, value: object) -> SettingValue:
        """Return `value` as this setting's type; text is read as on a command line.

        Raises:
            SettingError: the value does not fit; says what would.
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

    def _convert(self, value: object) -> SettingValue:
        """Return `value` in the default's type, or None where it has no such meaning."""
        kind = type(self.default) if self.default is not None else float
        if kind is bool:
            return _to_bool(value)
        if kind is str:
            return value if isinstance(value, str) else None
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return None
        return _to_number(value, is_int=kind is int)

    def _fits(self, value: SettingValue) -> bool:
        """Tell whether a converted value is one of the choices and within the bounds."""
        if self.choices and value not in self.choices:
            return False
        if isinstance(value, (bool, str)) or value is None:
            return True
        above = self.minimum is None or value >= self.minimum
        below = self.maximum is None or value <= self.maximum
        return above and below

    @property
    def expectation(self) -> str:
        """What values are taken, in words."""
        kind = "float" if self.default is None else type(self.default).__name__
        if self.choices:
            text = "one of " + ", ".join(repr(choice) for choice in self.choices)
        elif self.minimum is not None and self.maximum is not None:
            text = f"{kind} from {self.minimum:g} to {self.maximum:g}"
        elif self.minimum is not None:
            text = f"{kind} of at least {self.minimum:g}"
        elif self.maximum is not None:
            text = f"{kind} of at most {self.maximum:g}"
        else:
            text = kind
        return text + (" or 'none'" if self.optional or self.default is None else "")

    def _error(self, value: object) -> SettingError:
        """Build the error for a value that does not fit."""
        return SettingError(f"{self.key}: expected {self.expectation}, found {value!r}")

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
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
    settings: Iterable[Setting], given: Mapping[str, object], *, owner: str
) -> dict[str, SettingValue]:
    """Return every setting's value: the given one where there is one, else its default.

    Raises:
        SettingError: a key is unknown (the known ones are named) or a value does not fit.
    """
    known = {setting.key: setting for setting in settings}
    for key in given:
        if key not in known:
            names = ", ".join(known) or "no settings at all"
            raise SettingError(f"{owner}: expected one of {names}; found {key!r}")
    return {
        key: setting.resolve(given[key]) if key in given else setting.default
        for key, setting in known.items()
    }

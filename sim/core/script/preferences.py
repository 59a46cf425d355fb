"""Preferences of scripts: what the user chooses once, for all scenes with the same script.

A preference is a class attribute. Scripts read it from themselves, and set it in the same way. Its
value is kept in the user's settings, so no scene file changes. The panel "Preferences" has a widget
for each preference of the scene's scripts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from base.schema import Option, OptionValue


class PreferenceAttribute:
    """Class attribute that declares a preference, and by which the script reads and sets it.

    Attributes:
        option: key, default value and valid values.
        title: name for the user.
        group: heading for the user; equal headings are joined.
    """

    def __init__(self, option: Option, title: str, group: str) -> None:
        self.option = option
        self.title = title
        self.group = group

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        return instance.slot.host.run.preferences.value(self.option)

    def __set__(self, instance: Any, value: object) -> None:
        instance.slot.host.run.preferences.change(self.option, value)


class DeclaredPreference(NamedTuple):
    """A preference of a script that is there.

    Attributes:
        script: the script; reading and setting the attribute `name` of it does the same for others.
        name: name of the attribute.
        declared: the declaration.
    """

    script: Any
    name: str
    declared: PreferenceAttribute


def preference(
    default: OptionValue,
    *,
    key: str,
    title: str,
    group: str,
    choices: tuple[OptionValue, ...] = (),
    min: float | None = None,
    max: float | None = None,
    help: str = "",
) -> Any:
    """Declare a value that the user chooses once and that is kept for all scenes.

    For example, `hints: bool = preference(True, key="hints", title="Hints", group="Play")`. Scripts
    with equal keys share the value.

    Args:
        default: value if the user has chosen none.
        key: name in the user's settings.
        title: name for the user.
        group: heading under which the user finds it.
        choices: the valid values; empty for all.
        min: lowest valid number.
        max: highest valid number.
        help: one sentence for the user.
    """
    option = Option(key, default, min, max, choices, help)
    return PreferenceAttribute(option, title, group)


def preferences_of(scripts: Iterable[object]) -> list[DeclaredPreference]:
    """Return the preferences that scripts declare, each key once, in order of group and script."""
    found: dict[str, DeclaredPreference] = {}
    for script in scripts:
        for name, value in _declared_in(type(script)):
            found.setdefault(value.option.key, DeclaredPreference(script, name, value))
    return sorted(found.values(), key=lambda item: item.declared.group)


_declared: WeakKeyDictionary[type, tuple[tuple[str, PreferenceAttribute], ...]]
_declared = WeakKeyDictionary()  # a reloaded script is a class of its own


def _declared_in(cls: type) -> tuple[tuple[str, PreferenceAttribute], ...]:
    """Return the preferences that a script class declares, with their names; cached."""
    found = _declared.get(cls)
    if found is None:
        every = (item for kind in reversed(cls.__mro__) for item in vars(kind).items())
        found = tuple(item for item in every if isinstance(item[1], PreferenceAttribute))
        _declared[cls] = found
    return found

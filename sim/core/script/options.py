"""Options of scripts: what a scene adds to the command line of `run`.

An option is a class attribute whose annotation says its type: `int`, `float`, `str` or `bool`,
with `| None` where its default is None. Every value in the declaration is a literal, so that the
command line can read it from the script's file without running any of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any, Final

from base.schema import OptionValue
from sim.core.project.run_options import FLAGS, Flag

KINDS: Final[Mapping[str, type[bool | int | float | str]]] = {
    kind.__name__: kind for kind in (int, float, str, bool)
}
WORDS: Final[Mapping[str, str]] = {
    "name": "key",
    "min": "minimum",
    "max": "maximum",
    "choices": "choices",
    "metavar": "metavar",
    "help": "help",
    "listed_by": "listed_by",
    "ends_run": "ends_run",
    "excludes": "excludes",
}
"""What a declaration may say, and what it is called in a `Flag`."""


class OptionAttribute:
    """Descriptor of an option in a script class; reading it returns the run's value.

    Attributes:
        option: the declaration; name and type come from the class.
    """

    def __init__(self, default: OptionValue, given: Mapping[str, Any]) -> None:
        self._default = default
        self._given = given
        self.option: Flag | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        annotation = inspect.get_annotations(owner).get(name, "")
        text = annotation if isinstance(annotation, str) else _written(annotation)
        self.option = declared_option(name, text, self._default, self._given)

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None or self.option is None:
            return self
        return instance.slot.host.run.options.get(self.option.key, self.option.default)


def option(default: OptionValue = None, **declared: object) -> Any:
    """Declare an option that a script adds to the command line of `run`.

    `rounds: int | None = option(min=1, metavar="N", help="Stop after so many rounds.")` is
    `--rounds N`; the script reads `self.rounds`. Every value is written as a literal: the help
    shows it without running the script.

    Args:
        default: value when the option is not given.
        declared: min, max, choices, metavar, help; name: if the flag differs from the attribute's
            name; listed_by: command that lists the valid names, "players" or "games";
            ends_run: whether a run with this option ends by itself; excludes: names of options
            that contradict this one, so that both together are refused.
    """
    return OptionAttribute(default, declared)


def declared_option(
    attribute: str, annotation: str, default: OptionValue, given: Mapping[str, Any]
) -> Flag:
    """Build the option that a class attribute declares.

    Args:
        attribute: name of the attribute; also of the flag, with dashes, unless `given` has one.
        annotation: its annotation as source text.
        default: value when the option is not given.
        given: the other declared values by keyword.

    Raises:
        TypeError: the type is none of `KINDS`, a keyword is unknown, or Goishi has that flag.
    """
    kind = KINDS.get(annotation.replace(" ", "").removesuffix("|None"))
    if kind is None:
        expected = ", ".join(KINDS)
        raise TypeError(f"option {attribute}: expected a type of {expected}, found {annotation!r}")
    if not given.keys() <= WORDS.keys():
        raise TypeError(f"option {attribute}: unknown words {sorted(given.keys() - WORDS.keys())}")
    named = {WORDS[word]: value for word, value in given.items()}
    named.setdefault("key", attribute.replace("_", "-"))
    declared = Flag(default=default, kind=kind, **named)
    if declared.key in {flag.key for flag in FLAGS.values()}:
        raise TypeError(f"option {attribute}: expected a flag of its own, found {declared.flag}")
    return replace(declared, choices=tuple(declared.choices), excludes=tuple(declared.excludes))


def collect_options(cls: type) -> dict[str, Flag]:
    """Return the options that a script class declares by name, those of its bases first."""
    found: dict[str, Flag] = {}
    for base in reversed(cls.__mro__):
        for value in vars(base).values():
            if isinstance(value, OptionAttribute) and value.option is not None:
                found[value.option.key] = value.option
    return found


def can_end_run(cls: type, given: Container[str]) -> bool:
    """Return whether a script class declares one of the given options, and that it ends a run."""
    return any(flag.ends_run and name in given for name, flag in collect_options(cls).items())


def _written(annotation: object) -> str:
    """Return a type as it would be written."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)

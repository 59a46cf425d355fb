"""Options of scripts: command-line flags of `run` that a scene's scripts declare.

An option is a class attribute annotated with its type: `int`, `float`, `str` or `bool`. If its
default is None, the type is followed by `| None`. Every value in the declaration is a literal. So
the command line can read it from the script's file without running the script.
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
"""Keywords of `option`; for each the attribute of `Flag` that it sets."""


class OptionAttribute:
    """Class attribute that declares an option; the script reads its value for this run from it.

    Attributes:
        option: the declaration. Name and type are those of the class attribute.
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

    Every value must be a literal, because the help is made without running the script. For example,
    this declares the flag `--rounds N`:

        rounds: int | None = option(min=1, metavar="N", help="Stop after so many rounds.")

    Args:
        default: value when the option is not given.
        declared: further properties, by keyword. min and max: bounds of a number. choices: the
            valid values. metavar: what the help calls the value. help: one sentence. name: name of
            the flag; by default that of the attribute. listed_by: the command that lists the valid
            values, "players" or "games". ends_run: whether a run with this option ends by itself.
            excludes: options that cannot be combined with this one.
    """
    return OptionAttribute(default, declared)


def declared_option(
    attribute: str, annotation: str, default: OptionValue, given: Mapping[str, Any]
) -> Flag:
    """Build the command-line flag that a class attribute declares.

    Args:
        attribute: name of the attribute. With dashes in place of underscores it is the flag's name,
            if `given` has no name.
        annotation: type of the attribute as source text.
        default: value when the option is not given.
        given: the other keywords of `option` with their values.

    Raises:
        TypeError: the type is not in `KINDS`, a keyword is unknown, or Goishi itself has that flag.
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
    """Return the options that a script class declares, by flag name, base classes first."""
    found: dict[str, Flag] = {}
    for base in reversed(cls.__mro__):
        for value in vars(base).values():
            if isinstance(value, OptionAttribute) and value.option is not None:
                found[value.option.key] = value.option
    return found


def can_end_run(cls: type, given: Container[str]) -> bool:
    """Return whether a run with the given options ends by itself because of one of them.

    Args:
        cls: a script class; only options that it declares count.
        given: names of the options on the command line.
    """
    return any(flag.ends_run and name in given for name, flag in collect_options(cls).items())


def _written(annotation: object) -> str:
    """Return a type's name as in source code."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)

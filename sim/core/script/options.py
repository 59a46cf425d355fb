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
"""Keywords that `option` accepts, each with the `Flag` attribute that it sets."""


class OptionAttribute:
    """Descriptor of an option in a script class; reading it returns the value for this run.

    Attributes:
        option: the declaration; its name and type come from the class attribute.
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

    For example, this declares the flag `--rounds N`, and the script reads `self.rounds`:

        rounds: int | None = option(min=1, metavar="N", help="Stop after so many rounds.")

    Every value must be a literal, since the help is made without running the script.

    Keywords are min, max, choices, metavar and help, and four more. `name` is the flag's name if it
    differs from the attribute's. `listed_by` is the command that lists the valid values, "players"
    or "games". `ends_run` says whether a run with this option ends by itself. `excludes` lists the
    options that cannot be combined with this one.

    Args:
        default: value when the option is not given.
        declared: the keywords above.
    """
    return OptionAttribute(default, declared)


def declared_option(
    attribute: str, annotation: str, default: OptionValue, given: Mapping[str, Any]
) -> Flag:
    """Build the command-line flag that a class attribute declares.

    Args:
        attribute: name of the attribute. Underscores replaced by dashes, it is the flag's name
            unless `given` has another.
        annotation: its annotation as source text.
        default: value when the option is not given.
        given: the other keywords of `option` with their values.

    Raises:
        TypeError: the type is not in `KINDS`, a keyword is unknown, or Goishi has that flag itself.
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
    """Return whether any of the given options, declared by this class, ends a run by itself.

    Args:
        cls: a script class.
        given: names of the options on the command line.
    """
    return any(flag.ends_run and name in given for name, flag in collect_options(cls).items())


def _written(annotation: object) -> str:
    """Return a type's name as in source code."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)

"""Options of scripts: what a scene adds to the command line of `run`.

An option is a class attribute whose annotation says its type: `int`, `float`, `str` or `bool`,
with `| None` where its default is None. Every value in the declaration is a literal, so that the
command line can read it from the script's file without running any of it.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from base.errors import UsageError
from sim.core.project.run_options import FLAGS, OptionValue

KINDS: Final[Mapping[str, type[OptionValue]]] = {
    "int": int, "float": float, "str": str, "bool": bool,
}  # fmt: skip
NAMES: Final = {int: "a whole number", float: "a number", str: "a text", bool: "a switch"}


@dataclass(frozen=True)
class Option:
    """One option as the command line has it.

    Attributes:
        name: without its dashes, as in "games".
        kind: the type of its value; a switch, which takes none, is a bool.
        default: the value where it is not given.
        min: the least number.
        max: the greatest number.
        choices: all values there are; empty for any.
        metavar: what the value is called in the help.
        help: one line that says what it does.
        listed_by: the command that lists what its text may name: "players" or "games".
        ends_run: whether a run that has it comes to an end by itself.
    """

    name: str
    kind: type[OptionValue]
    default: OptionValue | None = None
    min: float | None = None
    max: float | None = None
    choices: tuple[OptionValue, ...] = ()
    metavar: str = ""
    help: str = ""
    listed_by: str = ""
    ends_run: bool = False

    @property
    def flag(self) -> str:
        """With its dashes, as in "--games"."""
        return f"--{self.name}"

    @property
    def usage(self) -> str:
        """The flag and what its value is called, as in "--games N"."""
        return self.flag if self.kind is bool else f"{self.flag} {self.value_name}"

    @property
    def value_name(self) -> str:
        """What its value is called in the help."""
        return self.metavar or ("TEXT" if self.kind is str else "N")

    def check(self, value: object) -> OptionValue:
        """Return a value that fits.

        Raises:
            UsageError: it has another type, is out of bounds, or no choice.
        """
        number = isinstance(value, int | float) and not isinstance(value, bool)
        is_fit = number if self.kind is float else type(value) is self.kind
        if not is_fit:
            raise self._fault(NAMES[self.kind], value)
        fit: OptionValue = value  # type: ignore[assignment]
        if isinstance(fit, int | float):
            self._check_bounds(fit)
        if self.choices and fit not in self.choices:
            raise self._fault(f"one of {', '.join(map(str, self.choices))}", fit)
        return fit

    def _check_bounds(self, value: float) -> None:
        low = -math.inf if self.min is None else self.min
        high = math.inf if self.max is None else self.max
        if low <= value <= high:
            return
        if self.max is None:
            raise self._fault(f"at least {low:g}", value)
        raise self._fault(
            f"at most {high:g}" if self.min is None else f"{low:g} to {high:g}", value
        )

    def _fault(self, expected: str, found: object) -> UsageError:
        return UsageError(f"{self.flag}: expected {expected}, found {found!r:.80}")


class OptionAttribute:
    """The attribute of a script class that declares an option, and reads its value.

    Attributes:
        option: what was declared; the class that it stands in completes it.
    """

    def __init__(self, default: OptionValue | None, given: Mapping[str, Any]) -> None:
        self._default = default
        self._given = given
        self.option: Option | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        annotation = inspect.get_annotations(owner).get(name, "")
        text = annotation if isinstance(annotation, str) else _written(annotation)
        self.option = declared_option(name, text, self._default, self._given)

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None or self.option is None:
            return self
        return instance.slot.host.run.options.get(self.option.name, self.option.default)


def option(default: OptionValue | None = None, **declared: object) -> Any:
    """Declare an option that a script adds to the command line of `run`.

    `rounds: int | None = option(min=1, metavar="N", help="Stop after so many rounds.")` is
    `--rounds N`; the script reads `self.rounds`. Every value is written as a literal: the help
    shows it without running the script.

    Args:
        default: the value where the command line says nothing.
        declared: min, max, choices, metavar, help; name: where the flag is not the attribute's
            name; listed_by: the command that lists what a text may name, "players" or "games";
            ends_run: whether a run that has it comes to an end by itself.
    """
    return OptionAttribute(default, declared)


def declared_option(
    attribute: str, annotation: str, default: OptionValue | None, given: Mapping[str, Any]
) -> Option:
    """Return the option that an attribute declares.

    Args:
        attribute: its name in the class; the flag's, with dashes, where `given` has none.
        annotation: its type, as it is written.
        default: the value where the command line says nothing.
        given: what else was declared.

    Raises:
        TypeError: the type is none of `KINDS`, there is no such word, or Goishi has that flag.
    """
    kind = KINDS.get(annotation.replace(" ", "").removesuffix("|None"))
    if kind is None:
        expected = ", ".join(KINDS)
        raise TypeError(f"option {attribute}: expected a type of {expected}, found {annotation!r}")
    known = {item.name for item in fields(Option)} - {"kind", "default"}
    if not given.keys() <= known:
        raise TypeError(f"option {attribute}: unknown words {sorted(given.keys() - known)}")
    named = {"name": attribute.replace("_", "-"), **given}
    if f"--{named['name']}" in {flag.name for flag in FLAGS.values()}:
        raise TypeError(f"option {attribute}: expected a flag of its own, found --{named['name']}")
    if "choices" in named:
        named["choices"] = tuple(named["choices"])
    return Option(kind=kind, default=default, **named)


def collect_options(cls: type) -> dict[str, Option]:
    """Return the options that a script class declares by name, those of its bases first."""
    found: dict[str, Option] = {}
    for base in reversed(cls.__mro__):
        for value in vars(base).values():
            if isinstance(value, OptionAttribute) and value.option is not None:
                found[value.option.name] = value.option
    return found


def _written(annotation: object) -> str:
    """Return a type as it would be written."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)

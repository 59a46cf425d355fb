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
    """A command-line option declared by a script.

    Attributes:
        name: without its dashes, as in "games".
        kind: type of its value; bool for a switch, which takes none.
        default: value when it is not given.
        min: minimum of a number, None for none.
        max: maximum of a number, None for none.
        choices: allowed values; empty for any.
        metavar: placeholder of the value in the help.
        help: one line of help text.
        listed_by: command that lists the valid names: "players" or "games".
        ends_run: whether a run with this option ends by itself.
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
        """The flag with its dashes, as in "--games"."""
        return f"--{self.name}"

    @property
    def usage(self) -> str:
        """The flag with its placeholder, as in "--games N"."""
        return self.flag if self.kind is bool else f"{self.flag} {self.value_name}"

    @property
    def value_name(self) -> str:
        """The placeholder of its value in the help."""
        return self.metavar or ("TEXT" if self.kind is str else "N")

    def check(self, value: object) -> OptionValue:
        """Check a value and return it.

        Raises:
            UsageError: it has another type, is out of bounds, or not among the choices.
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
    """Descriptor of an option in a script class; reading it returns the run's value.

    Attributes:
        option: the declaration; name and type come from the class.
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
        default: value when the option is not given.
        declared: min, max, choices, metavar, help; name: if the flag differs from the attribute's
            name; listed_by: command that lists the valid names, "players" or "games";
            ends_run: whether a run with this option ends by itself.
    """
    return OptionAttribute(default, declared)


def declared_option(
    attribute: str, annotation: str, default: OptionValue | None, given: Mapping[str, Any]
) -> Option:
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

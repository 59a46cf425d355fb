"""Declares the flags of commands, with name, default, range and help in one place.

A flag is the default of a keyword-only parameter, whose annotation is the flag's type:

    @command
    def review(file: File, *, nodes: int | None = flag(None, "--nodes N", "Positions.")) -> int:
        ...
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, get_args, get_type_hints

import typer

from base.errors import GoishiError, UsageError
from base.schema import Option, OptionError, options_of, parse_pairs

R = TypeVar("R")
_CHECKED: Final = (bool, int, float, str)


@dataclass(frozen=True, slots=True)
class CommandFlag(Option):
    """A flag of a command; its `key` includes the dashes, as in "--games".

    Attributes:
        show_default: whether the help shows the default, or a text to show in its place.
    """

    default: Any = None
    metavar: str | None = None
    """Name of the value in the help, such as "N"; None for a switch."""
    expected: str = ""
    """Description of the valid values for errors; empty for one made from type and bounds."""
    show_default: bool | str = True
    short: tuple[str, ...] = ()
    """Shorter names, such as "-y"."""

    @property
    def shown(self) -> Any:
        """The flag as an option for Typer."""
        return typer.Option(
            self.key,
            *self.short,
            metavar=self.metavar,
            help=self.help,
            show_default=self.show_default,
        )

    def _error(self, value: object) -> UsageError:
        """Build the error for a value that does not fit."""
        expected = self.expected or self.expectation
        return UsageError(f"{self.key}: expected {expected}, found {value!r:.80}")


def flag(
    default: Any,
    usage: str,
    help: str,
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    choices: tuple[str, ...] = (),
    expected: str = "",
    show_default: bool | str = True,
) -> Any:
    """Declare a parameter of a command as a flag.

    Args:
        default: its value if the flag is not given.
        usage: the flag and a name for its value, as in "--games N".
        help: one sentence for people.
        minimum: lowest valid number; None for no bound.
        maximum: highest valid number; None for no bound.
        choices: the valid texts; empty for all.
        expected: description of the valid values for errors; empty for one made from type and
            bounds.
        show_default: whether the help shows the default, or a text to show in its place.
    """
    key, _, metavar = usage.partition(" ")
    return CommandFlag(
        key,
        default,
        minimum,
        maximum,
        choices,
        help,
        metavar=metavar,
        expected=expected,
        show_default=show_default,
    )


def switch(key: str, help: str, short: tuple[str, ...] = ()) -> Any:
    """Declare a parameter of a command as a switch: False unless it is given.

    Args:
        key: the switch with its dashes, as in "--json".
        help: one sentence for people.
        short: shorter names, such as "-y".
    """
    return CommandFlag(key, False, help=help, short=short)


def flag_of(owner: type, name: str, metavar: str | None, **changes: Any) -> Any:
    """Declare a parameter of a command as a flag, with the properties of a dataclass's option.

    Args:
        owner: the dataclass; it declares the option with `base.schema.setting`.
        name: name of the dataclass's field.
        metavar: name of the value in the help; None for a switch.
        changes: attributes of `CommandFlag` that differ from those of the option.
    """
    option = options_of(owner)[name]
    values = {item.name: getattr(option, item.name) for item in fields(Option)}
    return CommandFlag(**{**values, "metavar": metavar, **changes})


def command(function: Callable[..., R]) -> Callable[..., R]:
    """Decorator that lets Typer see the flags of a command, and checks the given values.

    Args:
        function: the command; its flags are the defaults of its keyword-only parameters.
    """
    hints = get_type_hints(function)
    defaults = function.__kwdefaults__ or {}
    flags: dict[str, CommandFlag] = {}
    for name, item in list(defaults.items()):
        if isinstance(item, CommandFlag):
            kinds = [kind for kind in (get_args(hints[name]) or (hints[name],)) if kind in _CHECKED]
            flags[name] = replace(item, kind=kinds[0] if kinds else None)
            function.__annotations__[name] = Annotated[hints[name], flags[name].shown]
            defaults[name] = item.default

    @functools.wraps(function)
    def checked(*arguments: Any, **given: Any) -> R:
        for name, item in flags.items():
            is_bounded = item.choices or (item.minimum, item.maximum) != (None, None)
            if is_bounded and given.get(name) is not None:
                item.check(given[name])
        return function(*arguments, **given)

    return checked


def settings_given(texts: Iterable[str]) -> dict[str, str]:
    """Return the settings of `--set` by key.

    Raises:
        UsageError: a text is not of the form KEY=VALUE.
    """
    try:
        return parse_pairs(texts, "--set")
    except OptionError as error:
        raise UsageError(str(error)) from None


def check_output(out: Path, suffix: str) -> None:
    """Check the file of `--out`, before anything is computed.

    Raises:
        UsageError: it has another suffix, or its folder does not exist.
    """
    if out.suffix != suffix:
        raise UsageError(f"--out: expected a name that ends in {suffix}, found {out.name!r}")
    if not out.parent.is_dir():
        raise UsageError(f"--out: expected a file in a folder that is there, found {out}")


@contextmanager
def writing_output(out: Path) -> Iterator[None]:
    """Context manager that turns an `OSError` into an error about `--out`.

    Args:
        out: the file of `--out`, which the block writes.

    Raises:
        GoishiError: the file, or another one that the block writes, cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise GoishiError(
            f"--out: expected a file that can be written, found {error.filename or out}: "
            f"{error.strerror or error}"
        ) from None

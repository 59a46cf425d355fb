"""The types that fields can have: what an error calls each, and how its raw values are parsed."""

from __future__ import annotations

import enum
import functools
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Final, NewType, cast

from base.own import is_own
from base.schema import KIND_WORDS, Option, OptionError

Color = NewType("Color", tuple[float, ...])
"""Three or four sRGB numbers from 0 to 1."""

Asset = NewType("Asset", str)
"""A file of the project, as a POSIX path relative to it."""

PLAIN: Final = frozenset(KIND_WORDS)
Resolve = Callable[[str], object]
"""Finds the object or the script with an id."""
Parse = Callable[[Any, Resolve | None], object]


class UnfitError(Exception):
    """A raw value does not fit a type.

    Args:
        expected: what does.
        found: the part of the value that does not.
    """

    def __init__(self, expected: str, found: object) -> None:
        self.expected = expected
        self.found = found
        super().__init__(expected)


@dataclass(frozen=True)
class Kind:
    """One type of field values.

    Attributes:
        words: what an error calls a value of it.
        parse: returns the value of a raw one; raises `UnfitError`.
        is_reference: whether its values are other components or objects.
    """

    words: str
    parse: Parse
    is_reference: bool = False


def without_none(kind: object) -> tuple[object, bool]:
    """Return a type without its None, and whether it had one."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        rest = [part for part in typing.get_args(kind) if part is not type(None)]
        if len(rest) == 1:
            return rest[0], True
    return kind, False


def kind_of(kind: Any) -> Kind | None:
    """Return how values of a type are parsed; None where a scene file cannot keep them."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in PLAIN:
        return Kind(KIND_WORDS[kind], functools.partial(_plain_item, Option("", "", kind=kind)))
    if kind is Color:
        return Kind("Color", functools.partial(_numbers, (3, 4), 0.0, 1.0))
    if kind is Asset:
        return Kind("Asset", _asset)
    if is_reference(kind):
        return Kind(kind.__name__, _reference, is_reference=True)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        words = ", ".join(str(item.value) for item in kind)
        return Kind(f"one of {words}", functools.partial(_member, f"one of {words}", kind))
    if origin is typing.Literal:
        words = f"one of {', '.join(map(str, arguments))}"
        return Kind(words, functools.partial(_choice, words, arguments))
    if origin is tuple and arguments:
        return Kind("tuple", functools.partial(_numbers, (len(arguments),), -inf, inf))
    if origin is list and arguments:
        item = kind_of(arguments[0])
        return None if item is None else Kind("list", functools.partial(_list, item))
    if kind in (dict, list, Any, type(None)) or origin is dict:
        return Kind(getattr(kind, "__name__", str(kind)), lambda raw, _: raw)
    return None


def is_reference(kind: object) -> bool:
    """Return whether a type is a script class, or that of the scene's objects."""
    return isinstance(kind, type) and any(
        base.__name__ in ("Script", "SceneObject") and is_own(base.__module__, "sim.core")
        for base in kind.__mro__
    )


# -- parsing ------------------------------------------------------------------------------------


def plain(option: Option, raw: object) -> object:
    """Return a switch, a number or a text as an option checks it.

    Raises:
        UnfitError: it does not fit.
    """
    try:
        return option.check(raw)
    except OptionError:
        raise UnfitError(option.wanted, raw) from None


def _plain_item(option: Option, raw: object, _: Resolve | None) -> object:
    return plain(option, raw)


def _numbers(
    lengths: tuple[int, ...], low: float, high: float, raw: object, _: Resolve | None
) -> tuple[float, ...]:
    if not isinstance(raw, list | tuple) or len(raw) not in lengths:
        raise UnfitError(f"{' or '.join(map(str, lengths))} numbers", raw)
    numbers = tuple(
        [item if type(item) is float and isfinite(item) else _number(item) for item in raw]
    )
    if not all(low <= number <= high for number in numbers):
        raise UnfitError(f"numbers from {low:g} to {high:g}", raw)
    return numbers


def _number(raw: object) -> float:
    return cast("float", plain(NUMBER, raw))


NUMBER: Final = Option("", 0.0)
"""An item of a vector."""


def _asset(raw: object, _: Resolve | None) -> str:
    if isinstance(raw, dict) and isinstance(raw.get("$asset"), str):
        return str(raw["$asset"])
    raise UnfitError('{"$asset": path}', raw)


def _reference(raw: object, resolve: Resolve | None) -> object:
    if not isinstance(raw, dict) or not isinstance(raw.get("$ref"), str):
        raise UnfitError('{"$ref": id}', raw)
    return raw["$ref"] if resolve is None else resolve(raw["$ref"])


def _member(words: str, kind: type[enum.Enum], raw: object, _: Resolve | None) -> enum.Enum:
    try:
        return kind(raw)
    except ValueError:
        raise UnfitError(words, raw) from None


def _choice(words: str, known: tuple[object, ...], raw: object, _: Resolve | None) -> object:
    if raw in known and type(raw) in {type(item) for item in known}:
        return raw
    raise UnfitError(words, raw)


def _list(item: Kind, raw: object, resolve: Resolve | None) -> list[object]:
    if not isinstance(raw, list | tuple):
        raise UnfitError("a list", raw)
    return [item.parse(part, resolve) for part in raw]

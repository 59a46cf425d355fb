"""Dataclasses in plain form: dictionaries, lists and numbers, written and read by their fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, get_args, get_type_hints


def write_fields(value: Any) -> dict[str, object]:
    """Return a dataclass's values by name; None and empty tuples are left out."""
    found = {item.name: getattr(value, item.name) for item in fields(value)}
    return {name: _plain(one) for name, one in found.items() if one is not None and one != ()}


def _plain(value: object) -> object:
    """Convert tuples to lists, and objects with a plain form to it."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.to_plain() if hasattr(value, "to_plain") else value


def read_fields(kind: type, plain: Mapping[str, object]) -> dict[str, Any]:
    """Return the values of a dataclass that a plain form holds, by name; unfit ones are left out.

    Args:
        kind: the dataclass.
        plain: what `write_fields` returned, or something like it.
    """
    hints = _hints(kind)
    names = [item.name for item in fields(kind) if item.name in plain]
    found = {name: _read(hints[name], plain[name]) for name in names}
    return {name: value for name, value in found.items() if value is not None}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, value: object) -> object:
    """Return a plain value as a type, None where it does not fit."""
    inner = get_args(kind)
    if type(None) in inner:
        return _read(inner[0], value)
    if isinstance(value, int | float) and kind in (bool, int, float):
        return kind(value) if kind is float or isinstance(value, int) else None
    if hasattr(kind, "from_plain"):
        return kind.from_plain(value) if isinstance(value, Mapping) else None
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value if kind is str and isinstance(value, str) else None
    kinds = [inner[0]] * len(value) if inner[-1:] == (...,) else inner
    if len(kinds) != len(value):
        return None
    found = [_read(one, item) for one, item in zip(kinds, value, strict=True)]
    return None if None in found else tuple(found)

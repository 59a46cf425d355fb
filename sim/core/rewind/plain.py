"""Plain values: copies that nobody changes afterwards, and how much memory they take."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from base.errors import FieldError

EXPECTED = "numbers, texts, arrays, lists, sets or dicts of them"
SIMPLE = (type(None), bool, int, float, complex, str, bytes)
DEEPEST = 30
ENTRY = 64
"""Bytes that one small value takes, about."""


def frozen(value: object, where: str, depth: int = 0) -> object:
    """Return a copy of a plain value, all the way down.

    Args:
        value: numbers, texts, arrays, and lists, tuples, sets and dicts of them.
        where: what errors name.
        depth: of the value in the one that was asked for.

    Raises:
        FieldError: a part of it is something else.
    """
    kind = type(value)
    if kind in SIMPLE:
        return value
    if depth > DEEPEST:
        raise FieldError(where, expected=f"at most {DEEPEST} levels", found="more")
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.copy()
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return value
    if isinstance(value, list):
        return [frozen(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, tuple) and kind is tuple:
        return tuple(frozen(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value))
    if isinstance(value, set | frozenset):
        items = {frozen(item, where, depth + 1) for item in value}
        return items if isinstance(value, set) else frozenset(items)
    if isinstance(value, Mapping):
        return {
            frozen(key, where, depth + 1): frozen(item, f"{where}[{key!r:.40}]", depth + 1)
            for key, item in value.items()
        }
    raise FieldError(where, expected=EXPECTED, found=f"{kind.__name__} {value!r:.60}")


def weight(value: object) -> int:
    """Return about how many bytes a plain value takes."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes) + ENTRY
    if isinstance(value, str | bytes):
        return len(value) + ENTRY
    if isinstance(value, Mapping):
        return ENTRY + sum(weight(key) + weight(item) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ENTRY + 8 * len(value) + sum(weight(item) for item in value if type(item) is not str)
    return ENTRY

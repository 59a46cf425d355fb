"""Values of scripts as JSON data: what a saved game holds, and what one scene gives the next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from base.values import is_printable

EXPECTED: Final = "numbers, texts, True, False, None, and lists and dicts of them"
DEEPEST: Final = 50
"""Maximum depth of lists and dicts in each other."""


def plain_data(value: object, where: str, depth: int = 0) -> object:
    """Return a copy of a value that consists of JSON types alone.

    Tuples and NumPy arrays, vectors among them, become lists. NumPy's numbers become Python's.

    Args:
        value: the value.
        where: name of the value in error messages.
        depth: how deep it lies in the value that is being copied.

    Raises:
        ValueError: a part of it is no such data; the message names its place.
    """
    if depth > DEEPEST:
        raise ValueError(f"{where}: expected at most {DEEPEST} levels, found more")
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where}: expected a finite number, found {value!r}")
        return float(value)
    if isinstance(value, list | tuple):
        return [plain_data(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {
            _key(key, where): plain_data(item, f"{where}[{key!r:.40}]", depth + 1)
            for key, item in value.items()
        }
    raise ValueError(f"{where}: expected {EXPECTED}, found {_brief(value)}")


def _text(text: str, where: str) -> str:
    if not is_printable(text):
        raise ValueError(f"{where}: expected a text of Unicode characters, found {text!r:.60}")
    return str(text)


def _key(key: object, where: str) -> str:
    if not isinstance(key, str):
        raise ValueError(f"{where}: expected texts as keys, found {key!r:.40}")
    return _text(key, f"{where}, a key")


def _brief(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        text = "one whose repr fails"
    return f"{type(value).__name__} {text:.60}"

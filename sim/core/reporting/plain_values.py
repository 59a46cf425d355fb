"""Serialisation between processes: plain data, and scripts' dataclasses by name.

A dataclass is packed as its class name and fields, so that each side creates an instance of the
class that it has loaded.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

EXPECTED = "numbers, texts, NumPy arrays, lists, dicts or dataclasses of them"
SIMPLE = (type(None), bool, int, float, complex, str, bytes)
DEEPEST = 50


@dataclasses.dataclass(frozen=True)
class PackedObject:
    """A dataclass instance: `module:Class`, and its fields by name."""

    kind: str
    fields: dict[str, object]


class SerializationError(TypeError):
    """A value cannot be serialised; the message names its place."""


def pack(value: Any, where: str, name_of: Callable[[type], str], depth: int = 0) -> Any:
    """Serialise a value to plain data.

    Args:
        value: the value.
        where: name of the value in error messages.
        name_of: returns the name `module:Class` of a dataclass.
        depth: present nesting depth.

    Raises:
        SerializationError: a part of it is not plain data.
    """
    if depth > DEEPEST:
        raise SerializationError(f"{where}: expected at most {DEEPEST} levels, found more")
    if type(value) in SIMPLE:
        return value
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.hasobject:
            raise SerializationError(
                f"{where}: expected an array of numbers or texts, found one of objects"
            )
        return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
    if type(value) in (list, tuple, set, frozenset):
        items = (pack(v, f"{where}[{i}]", name_of, depth + 1) for i, v in enumerate(value))
        return type(value)(items)
    if isinstance(value, dict):
        return {
            pack(key, f"{where}, a key", name_of, depth + 1): pack(
                item, f"{where}[{key!r:.40}]", name_of, depth + 1
            )
            for key, item in value.items()
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            item.name: pack(getattr(value, item.name), f"{where}.{item.name}", name_of, depth + 1)
            for item in dataclasses.fields(value)
        }
        return PackedObject(name_of(type(value)), fields)
    raise SerializationError(f"{where}: expected {EXPECTED}, found {_brief(value)}")


def unpack(value: Any, class_of: Callable[[str], type]) -> Any:
    """Deserialise a packed value.

    Args:
        value: the packed value.
        class_of: returns the class of a name `module:Class`.
    """
    if isinstance(value, PackedObject):
        made: object = object.__new__(class_of(value.kind))
        for name, item in value.fields.items():
            object.__setattr__(made, name, unpack(item, class_of))
        return made
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(unpack(item, class_of) for item in value)
    if isinstance(value, dict):
        return {unpack(key, class_of): unpack(item, class_of) for key, item in value.items()}
    return value


def _brief(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        text = "one whose repr fails"
    return f"{type(value).__name__} {text:.60}"

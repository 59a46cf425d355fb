"""JSON files, written atomically."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeGuard

from base.files import atomic_write
from base.values import JsonObject


def write_json(path: Path, values: Mapping[str, object]) -> None:
    """Replace a JSON file atomically.

    Raises:
        OSError: it cannot be written; the old file is untouched.
    """
    atomic_write(path, json.dumps(values, indent=2, allow_nan=False) + "\n", sync=True)


def write_table(path: Path, values: Mapping[str, object]) -> None:
    """Write a JSON file of many rows atomically, one line for each innermost object.

    Raises:
        OSError: it cannot be written; the old file is untouched.
    """
    atomic_write(path, table_text(values) + "\n", sync=True)


def table_text(value: object, indent: str = "") -> str:
    """Return JSON with a line for each value that has no list of objects below it.

    >>> print(table_text({"format": "a/1", "cells": [{"seed": 0, "ranks": [1, 2]}, {"seed": 1}]}))
    {
     "format": "a/1",
     "cells": [
      {"seed": 0, "ranks": [1, 2]},
      {"seed": 1}
     ]
    }
    """
    if not _holds_rows(value):
        return json.dumps(value, allow_nan=False, ensure_ascii=False)
    inner = indent + " "
    if isinstance(value, Mapping):
        lines = [f"{json.dumps(key)}: {table_text(item, inner)}" for key, item in value.items()]
        opening, closing = "{}"
    else:
        lines = [table_text(item, inner) for item in value]
        opening, closing = "[]"
    return "\n".join((opening, ",\n".join(inner + line for line in lines), indent + closing))


def _holds_rows(value: object) -> TypeGuard[Mapping[str, object] | Sequence[object]]:
    if isinstance(value, Mapping):
        return any(_holds_rows(item) for item in value.values())
    return isinstance(value, list | tuple) and any(
        isinstance(item, Mapping) or _holds_rows(item) for item in value
    )


def read_json(path: Path) -> JsonObject:
    """Read a JSON object.

    Raises:
        ValueError: the file holds no JSON object; the message names it.
        OSError: it cannot be read.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: expected JSON, found {error}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path}: expected a JSON object, found {type(values).__name__}")
    return values

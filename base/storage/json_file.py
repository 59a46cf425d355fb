"""JSON files: whole ones, written atomically, and append-only files with one object per line.

`games.jsonl` and `metrics.jsonl` of a run have one object per line; an incomplete last line is
ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeGuard

from base.contents import HEAD, stand_in
from base.errors import GoishiError
from base.files import atomic_write, check_no_link, read_regular
from base.values import JsonObject


def write_json(path: Path, values: Mapping[str, object]) -> None:
    """Replace a JSON file atomically.

    Raises:
        OSError: the file cannot be written; the old file is untouched.
    """
    atomic_write(path, json.dumps(values, indent=2, allow_nan=False) + "\n", sync=True)


def write_table(path: Path, values: Mapping[str, object]) -> None:
    """Write a JSON file in one step, formatted as by `table_text`.

    Args:
        path: the file.
        values: the JSON object to write.

    Raises:
        OSError: the file cannot be written; the old file is untouched.
    """
    atomic_write(path, table_text(values) + "\n", sync=True)


def table_text(value: object, indent: str = "") -> str:
    """Return JSON text in which each object of a list has one line, like a row of a table.

    An object that itself contains a list of objects is spread over several lines.

    Args:
        value: the value to write.
        indent: spaces at the start of each line but the first.

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


def json_fault(error: Exception) -> str:
    """Say what is wrong with a text that is no JSON.

    Args:
        error: what `json.loads`, or decoding the text, raised.
    """
    if isinstance(error, json.JSONDecodeError):
        if found := stand_in(error.doc[:HEAD].encode("utf-8", "replace")):
            return found
        return f"an error in line {error.lineno}: {error.msg[:1].lower()}{error.msg[1:]}"
    return "values nested too deep" if isinstance(error, RecursionError) else str(error)


def read_json(path: Path) -> JsonObject:
    """Read a JSON object from a file.

    Raises:
        ValueError: the file holds no JSON object; the message names the file.
        OSError: the file cannot be read.
    """
    try:
        values = json.loads(read_regular(path, None))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: expected JSON, found {json_fault(error)}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path}: expected a JSON object, found {type(values).__name__}")
    return values


class LinesFileError(GoishiError, ValueError):
    """A line is not valid JSON; the message names file and line."""


class LinesFile:
    """A file of JSON lines, append-only."""

    def __init__(self, path: Path) -> None:
        """Open a file for appending lines, after removing an incomplete last line.

        Args:
            path: the file; it and its folder are created if missing.

        Raises:
            OSError: the file cannot be opened or created, or is a link to another one.
        """
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        check_no_link(path)
        repair(path)
        self._file = path.open("ab", buffering=0)

    def append(self, values: Mapping[str, object]) -> None:
        """Append one line and pass it to the operating system, so that a kill cannot lose it.

        Args:
            values: the JSON object to write.

        Raises:
            OSError: the disk is full; nothing of the line is in the file.
            ValueError: a number is not finite.
        """
        text = json.dumps(values, separators=(", ", ": "), allow_nan=False) + "\n"
        left = memoryview(text.encode())
        end = os.fstat(self._file.fileno()).st_size
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            os.ftruncate(self._file.fileno(), end)
            raise

    def close(self) -> None:
        """Close the file; may be called twice."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> LinesFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def repair(path: Path) -> bool:
    """Remove an incomplete last line of a file; return whether there was one.

    Args:
        path: the file; it may be missing.
    """
    if not path.exists():
        return False
    content = read_regular(path, None)
    end = content.rfind(b"\n") + 1
    if end == len(content):
        return False
    with path.open("rb+") as file:
        file.truncate(end)
        os.fsync(file.fileno())
    return True


def read_lines(
    path: Path,
    check: Callable[[JsonObject], object] | None = None,
    *,
    note: Callable[[str], object] | None = None,
) -> list[JsonObject]:
    """Return the objects of all complete lines; an incomplete last line is ignored.

    Args:
        path: the file; a missing one has no lines.
        check: called with each object; a ValueError or KeyError it raises is reported with file and
            line.
        note: called with the error's text for each damaged line, which is left out; None to raise
            the error.

    Raises:
        LinesFileError: a complete line is not a JSON object or fails the check.
    """
    if not path.exists():
        return []
    lines = read_regular(path, None).split(b"\n")[:-1]
    result = []
    for number, line in enumerate(lines, start=1):
        try:
            result.append(_object_of(line, check))
        except (ValueError, KeyError, RecursionError) as error:
            said = f"{path}:{number}: {error}"
            if isinstance(error, json.JSONDecodeError):
                said = f"{path}:{number}: expected JSON, found {error.msg}"
            if note is None:
                raise LinesFileError(said) from error
            note(said)
    return result


def _object_of(line: bytes, check: Callable[[JsonObject], object] | None) -> JsonObject:
    """Return the object of a line; see `read_lines`."""
    values = json.loads(line.decode("utf-8"))
    if not isinstance(values, dict):
        raise ValueError(f"expected an object, found {line[:60].decode()!r}")
    if check is not None:
        check(values)
    return values


def cut_lines(
    path: Path, key: str, last: int, check: Callable[[JsonObject], object] | None = None
) -> int:
    """Remove the lines with a number above a limit; return how many lines remain.

    Args:
        path: the file; a missing one has no lines.
        key: key under which each line's object has its number.
        last: largest number to keep.
        check: called with each object, as in `read_lines`.

    Raises:
        LinesFileError: a complete line is damaged.
        OSError: the file cannot be written; it is unchanged.
    """
    lines = read_lines(path, check)
    kept = sum(int(line[key]) <= last for line in lines)
    if kept < len(lines):
        texts = path.read_bytes().split(b"\n")[:kept]
        atomic_write(path, b"".join(text + b"\n" for text in texts), sync=True)
    return kept

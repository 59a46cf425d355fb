"""Strict JSON for scene files: finds values that could not be written again."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from base.files import read_regular
from base.storage.json_file import json_fault
from base.values import JsonObject

LARGEST_FILE = 64 * 1024 * 1024
DEEPEST = 64  # nesting depth of maps and lists


class Words(str):
    """Text that an error message shows without quotes."""

    __slots__ = ()


class UnreadableError(ValueError):
    """A file cannot be read, or does not contain JSON.

    Args:
        expected: description of valid content.
        found: description of the actual content.
    """

    def __init__(self, expected: str, found: str) -> None:
        self.expected = expected
        self.found = Words(found)
        super().__init__(f"expected {expected}, found {found}")


class _DoubleKeys(JsonObject):
    """A dict read from JSON text in which keys were repeated.

    Attributes:
        double: the repeated keys.
    """

    double: tuple[str, ...] = ()


def read_json(path: Path) -> object:
    """Parse a JSON file; `wrong_values` then finds invalid values in the result.

    Raises:
        UnreadableError: the file cannot be read, or does not contain JSON.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise UnreadableError(f"a file up to {LARGEST_FILE >> 20} MiB", f"{size} bytes")
        text = read_regular(path, LARGEST_FILE).decode("utf-8-sig")
    except OSError as error:
        raise UnreadableError("a file that can be read", error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise UnreadableError(
            "a valid scene file", f"no UTF-8 text at byte {error.start}"
        ) from error
    return parse_json(text)


def parse_json(text: str) -> object:
    """Parse JSON text; `wrong_values` then finds invalid values in the result.

    Raises:
        UnreadableError: the text is not JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_map, parse_constant=float)
    except json.JSONDecodeError as error:
        raise UnreadableError("a valid scene file", json_fault(error)) from error
    except RecursionError as error:
        raise UnreadableError("JSON of sensible depth", "nesting too deep") from error
    except ValueError as error:  # such as an integer with too many digits
        raise UnreadableError("plain JSON values", str(error)) from error


def wrong_values(data: object) -> Iterator[tuple[tuple[str, ...], str, object]]:
    """Yield each value that scene files cannot store: its path, what was expected and found.

    The path is a tuple of keys. Invalid are numbers that are not finite, text that is not Unicode,
    repeated keys, and values nested too deeply.
    """
    stack: list[tuple[_Place | None, int, object]] = [(None, 0, data)]
    while stack:
        place, depth, value = stack.pop()
        if isinstance(value, float) and not math.isfinite(value):
            yield _path(place), "a finite number", value
        elif isinstance(value, str) and not _is_unicode(value):
            yield _path(place), "Unicode text", Words("half a surrogate pair")
        elif isinstance(value, dict | list) and depth >= DEEPEST:
            yield _path(place), "JSON of sensible depth", Words("nesting too deep")
        elif isinstance(value, dict | list):
            for key in getattr(value, "double", ()):
                yield (*_path(place), key), "a key that stands once", Words("it twice")
            stack.extend(_inside(place, depth, value))


def _inside(
    place: _Place | None, depth: int, value: JsonObject | list[object]
) -> Iterator[tuple[_Place, int, object]]:
    """Yield the items of a dict or list that may be invalid and must be checked closely.

    Args:
        place: path to the dict or list; None for the file.
        depth: nesting depth of the dict or list.
        value: the dict or list.

    Yields:
        Path, depth and value of an item.
    """
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if not _is_sound(key):
            yield ((place, key), "key"), depth + 2, key
        if _is_sound(item):
            continue
        if type(item) is not list or depth + 1 >= DEEPEST or not all(map(_is_sound, item)):
            yield (place, key), depth + 1, item


_Place = tuple[object, object]
"""Path to a value in nested data, as a pair.

The pair is the path of the dict or list that contains the value, and the value's key in it. The
path of the whole file is None.
"""


def _is_sound(value: object) -> bool:
    """Return whether a value is certainly valid; False means that it must be checked closely.

    This test is fast, because a file may hold millions of values.
    """
    kind = type(value)
    if kind is float:
        return math.isfinite(value)  # type: ignore[arg-type]
    if kind is str:
        return value.isascii()  # type: ignore[attr-defined, no-any-return]
    return kind is int or kind is bool or value is None


def _path(place: object) -> tuple[str, ...]:
    keys: list[str] = []
    while isinstance(place, tuple):
        place, key = place
        keys.append(str(key))
    return tuple(reversed(keys))


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _map(pairs: list[tuple[str, object]]) -> JsonObject:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    marked = _DoubleKeys(result)
    counts = Counter(key for key, _ in pairs)
    marked.double = tuple(key for key in result if counts[key] > 1)
    return marked

"""Strict JSON of scene files: values that cannot be stored again are errors with their place."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from base.values import JsonObject

LARGEST_FILE = 64 * 1024 * 1024
DEEPEST = 64  # maps and lists inside each other


class Words(str):
    """Text that an error message shows without quotes."""

    __slots__ = ()


class UnreadableError(ValueError):
    """A file cannot be read or holds no JSON.

    Args:
        expected: what is valid there.
        found: what the file holds.
    """

    def __init__(self, expected: str, found: str) -> None:
        self.expected = expected
        self.found = Words(found)
        super().__init__(f"expected {expected}, found {found}")


class _DoubleKeys(JsonObject):
    """A map whose text had keys more than once."""

    double: tuple[str, ...] = ()


def read_json(path: Path) -> object:
    """Parse the JSON in a file; see `wrong_values` for the faults inside it.

    Raises:
        UnreadableError: the file cannot be read, or holds no JSON.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise UnreadableError(f"a file up to {LARGEST_FILE >> 20} MiB", f"{size} bytes")
        text = path.read_bytes().decode("utf-8")
        return json.loads(text, object_pairs_hook=_map, parse_constant=float)
    except OSError as error:
        raise UnreadableError("a file that can be read", error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise UnreadableError("UTF-8 text", f"a wrong byte at {error.start}") from error
    except json.JSONDecodeError as error:
        raise UnreadableError("JSON", f"{error.msg} in line {error.lineno}") from error
    except RecursionError as error:
        raise UnreadableError("JSON of sensible depth", "nesting too deep") from error
    except UnreadableError:
        raise
    except ValueError as error:  # such as a whole number of too many digits
        raise UnreadableError("plain JSON values", str(error)) from error


def wrong_values(data: object) -> Iterator[tuple[tuple[str, ...], str, object]]:
    """Yield key path, expected and found of each value that scene files cannot store.

    Those are numbers that are not finite, text that is not Unicode, duplicate keys, and values
    nested too deep.
    """
    stack: list[tuple[tuple[str, ...], object]] = [((), data)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, float) and not math.isfinite(value):
            yield path, "a finite number", value
        elif isinstance(value, str) and not _is_unicode(value):
            yield path, "Unicode text", Words("half a surrogate pair")
        elif isinstance(value, dict | list) and len(path) >= DEEPEST:
            yield path, "JSON of sensible depth", Words("nesting too deep")
        elif isinstance(value, dict):
            for key in getattr(value, "double", ()):
                yield (*path, key), "a key that stands once", Words("it twice")
            for key, item in value.items():
                stack += ((*path, "key"), key), ((*path, key), item)
        elif isinstance(value, list):
            stack.extend(((*path, str(index)), item) for index, item in enumerate(value))


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

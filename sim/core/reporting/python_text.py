"""Values and calls as Python source that can be pasted into the app's prompt."""

from __future__ import annotations

import enum
import math
from pathlib import PurePath


class PythonSource(str):
    """A text that is Python source already, so that `written` returns it without quotes."""

    __slots__ = ()


def called(what: str, *arguments: object, **options: object) -> str:
    """Return the source of a call, for example `shell.open("Games", is_open=False)`.

    Args:
        what: source of the function, such as "shell.open".
        *arguments: values of its positional arguments.
        **options: values of its keyword arguments.
    """
    parts = [written(item) for item in arguments]
    parts += [f"{name}={written(item)}" for name, item in options.items()]
    return f"{what}({', '.join(parts)})"


def assigned(what: str, value: object) -> str:
    """Return the source of an assignment."""
    return f"{what} = {written(value)}"


def written(value: object) -> str:
    """Return a value as Python source.

    A path becomes a string, and an enum member becomes its value. In a tuple, a float without a
    fraction is written like an int, so that 2.0 becomes 2.
    """
    if isinstance(value, PythonSource):
        return str(value)
    if isinstance(value, enum.Enum):
        return written(value.value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, PurePath):
        return _text(str(value))
    if isinstance(value, tuple):
        items = [_number(item) if isinstance(item, float) else written(item) for item in value]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        pairs = (f"{_text(key)}: {written(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return f'float("{value}")'
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _text(text: str) -> str:
    shown = repr(str(text))
    if shown.startswith("'") and '"' not in shown:
        return f'"{shown[1:-1]}"'
    return shown

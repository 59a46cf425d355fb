"""Types for plain JSON values, and text that can be written to any stream."""

from __future__ import annotations

from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""An object of a JSON or TOML file; its values are checked where they are read."""


def is_printable(text: str) -> bool:
    """Return whether any stream can write a text, and any library read it as a file's path."""
    return text == printable(text)


def shown_text(value: object) -> str:
    """Return a value as text; a text stays the one that it is."""
    return value if isinstance(value, str) else str(value)


def printable(text: str) -> str:
    """Return text that any stream can write.

    Args:
        text: the text; lone surrogates in it, which are no valid characters, are replaced.
    """
    shown = text.encode("utf-8", "replace").decode()
    return text if shown == text else shown  # a `Wording` stays one

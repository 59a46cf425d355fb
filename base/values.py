"""Types for plain JSON values, and text that can be written to any stream."""

from __future__ import annotations

from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""An object of a JSON or TOML file; its values are checked where they are read."""


def printable(text: str) -> str:
    """Return text with lone surrogates replaced, so that any stream can write it."""
    return text.encode("utf-8", "replace").decode()

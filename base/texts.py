"""Texts from anywhere, made such that any stream and any window can take them."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text with lone surrogates replaced, so that any stream can write it."""
    return text.encode("utf-8", "replace").decode()

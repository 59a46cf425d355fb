"""Texts that are longer than their place."""

from __future__ import annotations

from imgui_bundle import imgui

ELLIPSIS = "…"


def cut(text: str, room: float) -> str:
    """Return as much of a text as fits into so many pixels, with an ellipsis where it is cut."""
    if imgui.calc_text_size(text).x <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if imgui.calc_text_size(text[:middle] + ELLIPSIS).x <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + ELLIPSIS

"""Shortening of texts."""

from __future__ import annotations

from imgui_bundle import imgui

ELLIPSIS = "…"


def cut(text: str, room: float) -> str:
    """Cut a text to `room` pixels, with an ellipsis if it is cut."""
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

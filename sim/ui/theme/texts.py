"""Shortening of texts."""

from __future__ import annotations

import functools

from imgui_bundle import imgui

ELLIPSIS = "…"


def cut(text: str, room: float) -> str:
    """Cut a text to `room` pixels, with an ellipsis if it is cut."""
    width = float(imgui.calc_text_size(text).x)
    return text if width <= room else _shortened(text, room, width)


@functools.lru_cache(maxsize=1024)
def _shortened(text: str, room: float, width: float) -> str:
    """Cut a text, found once for its width, which tells the font and its size."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if imgui.calc_text_size(text[:middle] + ELLIPSIS).x <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + ELLIPSIS

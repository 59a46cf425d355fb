"""The editor's colours for Python, in the theme's palette."""

from __future__ import annotations

import ctypes
from typing import Any

from imgui_bundle import imgui
from imgui_bundle.imgui_color_text_edit import TextEditor

from sim.ui import theme as look

HEADER = 24  # bytes of a bound object before its value, on 64-bit Python
CODE = {
    "text": look.TEXT,
    "keyword": look.AMBER,
    "declaration": (0.86, 0.78, 0.55, 1.0),
    "number": (0.72, 0.62, 0.86, 1.0),
    "string": look.GREEN,
    "punctuation": (0.74, 0.71, 0.67, 1.0),
    "preprocessor": (0.86, 0.78, 0.55, 1.0),
    "identifier": look.TEXT,
    "known_identifier": look.BLUE,
    "comment": (0.52, 0.50, 0.47, 1.0),
    "background": (0.075, 0.071, 0.067, 1.0),
    "cursor": look.AMBER,
    "selection": (0.94, 0.66, 0.26, 0.26),
    "whitespace": look.LINE,
    "matching_bracket_background": (0.94, 0.66, 0.26, 0.18),
    "matching_bracket_active": look.AMBER,
    "matching_bracket_level1": look.AMBER,
    "matching_bracket_level2": look.BLUE,
    "matching_bracket_level3": (0.72, 0.62, 0.86, 1.0),
    "matching_bracket_error": look.RED,
    "line_number": (0.42, 0.40, 0.375, 1.0),
    "current_line_number": look.TEXT,
    "current_line_highlight": (1.0, 1.0, 1.0, 0.03),
    "current_line_highlight_border": (1.0, 1.0, 1.0, 0.05),
}


def packed(color: tuple[float, ...], alpha: float | None = None) -> int:
    """Return a colour as ImGui's draw lists take it."""
    red, green, blue, own = color
    vector = imgui.ImVec4(red, green, blue, own if alpha is None else alpha)
    return int(imgui.color_convert_float4_to_u32(vector))


def python_palette() -> Any:
    """Return our palette; the widget's dark one where its layout is not the known one.

    The binding can read a palette and not change it, so the colours are written into the
    object's own memory, whose size is checked before and whose content after.
    """
    palette = TextEditor.Palette()
    colors = [packed(CODE[color.name]) for color in TextEditor.Color]
    size = ctypes.sizeof(ctypes.c_uint32) * len(colors)
    if TextEditor.Palette.__basicsize__ != HEADER + size:
        return TextEditor.get_dark_palette()
    (ctypes.c_uint32 * len(colors)).from_address(id(palette) + HEADER)[:] = colors
    if [palette.get(color) for color in TextEditor.Color] != colors:
        return TextEditor.get_dark_palette()
    return palette

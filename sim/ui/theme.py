"""How panels look: charcoal and amber, beside a wooden board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import imgui_bundle
from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui, implot

FONTS = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
TEXT = (0.91, 0.89, 0.86, 1.0)
MUTED = (0.60, 0.575, 0.54, 1.0)
AMBER = (0.94, 0.66, 0.26, 1.0)
GREEN = (0.45, 0.76, 0.52, 1.0)
RED = (0.93, 0.42, 0.36, 1.0)
BLUE = (0.45, 0.66, 0.90, 1.0)
PANEL = (0.105, 0.10, 0.095, 1.0)
RAISED = (0.165, 0.155, 0.145, 1.0)
LINE = (0.235, 0.22, 0.205, 1.0)
LEVELS = {"error": RED, "warning": AMBER, "info": TEXT, "debug": MUTED}


class Theme:
    """Fonts and colours; `scale` enlarges everything."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        fonts = imgui.get_io().fonts
        self.text = self._font(fonts, "Roboto/Roboto-Regular.ttf", 15.0)
        self.bold = self._font(fonts, "Roboto/Roboto-Bold.ttf", 15.0)
        self.mono = self._font(fonts, "Inconsolata-Medium.ttf", 14.0)
        self._style()

    def _font(self, fonts: Any, file: str, size: float) -> Any:
        font = fonts.add_font_from_file_ttf(str(FONTS / file), size * self.scale)
        config = imgui.ImFontConfig()
        config.merge_mode = True
        config.glyph_offset = imgui.ImVec2(0.0, 1.0)
        fonts.add_font_from_file_ttf(
            str(FONTS / "Font_Awesome_6_Free-Solid-900.otf"), 12.5 * self.scale, config
        )
        return font

    def _style(self) -> None:
        style = imgui.get_style()
        style.window_rounding = 0.0
        style.frame_rounding = 4.0
        style.popup_rounding = 5.0
        style.scrollbar_rounding = 6.0
        style.scrollbar_size = 11.0
        style.grab_rounding = 4.0
        style.window_border_size = 1.0
        style.frame_border_size = 0.0
        style.window_padding = imgui.ImVec2(10, 8)
        style.frame_padding = imgui.ImVec2(8, 4)
        style.item_spacing = imgui.ImVec2(7, 5)
        colors = {
            "text": TEXT, "text_disabled": MUTED, "window_bg": PANEL, "child_bg": (0, 0, 0, 0),
            "popup_bg": (0.13, 0.125, 0.12, 0.98), "border": LINE, "frame_bg": RAISED,
            "frame_bg_hovered": (0.22, 0.205, 0.19, 1.0),
            "frame_bg_active": (0.27, 0.25, 0.23, 1.0),
            "button": RAISED, "button_hovered": (0.26, 0.24, 0.22, 1.0),
            "button_active": (0.42, 0.31, 0.16, 1.0), "header": (0.25, 0.21, 0.16, 1.0),
            "header_hovered": (0.31, 0.26, 0.19, 1.0), "header_active": (0.38, 0.30, 0.19, 1.0),
            "check_mark": AMBER, "slider_grab": AMBER, "slider_grab_active": (1.0, 0.75, 0.36, 1.0),
            "separator": LINE, "scrollbar_bg": (0, 0, 0, 0), "scrollbar_grab": LINE,
        }  # fmt: skip
        for name, color in colors.items():
            style.set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*color))
        plot = implot.get_style()
        plot.plot_padding = imgui.ImVec2(4, 4)
        plot.plot_border_size = 0.0
        plot.set_color_(implot.Col_.frame_bg, imgui.ImVec4(0, 0, 0, 0))
        plot.set_color_(implot.Col_.plot_bg, imgui.ImVec4(0.07, 0.066, 0.062, 1.0))


__all__ = ["AMBER", "BLUE", "GREEN", "LEVELS", "MUTED", "RED", "TEXT", "Theme", "icons"]

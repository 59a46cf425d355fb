"""Bars at the window's edges: fixed windows, and the status line."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

from imgui_bundle import imgui

from sim.core.host.script_host import ScriptHost
from sim.render.view.scene_view import SceneView
from sim.ui.theme.texts import cut
from sim.ui.theme.theme import Theme
from sim.ui.widgets.layout import Area
from sim.ui.widgets.overlays import FIXED

STATUS_HEIGHT = 28
BAR_HEIGHT = 42
BAR = int(
    FIXED
    | imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_scrollbar
    | imgui.WindowFlags_.no_scroll_with_mouse
)
CLEAR_BAR = BAR | int(imgui.WindowFlags_.no_background)


@contextlib.contextmanager
def bar_window(
    theme: Theme, name: str, area: Area, padding: float, *, is_clear: bool = False
) -> Iterator[None]:
    """Draw a fixed window that fills an area, in a `with` block.

    `padding` is in pixels above and below the content, 0 for none at the sides, too; a clear
    window has no background.
    """
    imgui.set_next_window_pos(imgui.ImVec2(area.left, area.top))
    imgui.set_next_window_size(imgui.ImVec2(area.width, area.height))
    side = theme.px(10) if padding else 0.0
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(side, padding))
    if is_clear:
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
    imgui.begin(name, None, CLEAR_BAR if is_clear else BAR)
    imgui.pop_style_var(2 if is_clear else 1)
    try:
        yield
    finally:
        imgui.end()


class StatusLine:
    """The status bar: running tasks on the left, rendering quality on the right."""

    def __init__(self, host: ScriptHost, view: SceneView, theme: Theme) -> None:
        self._status = host.status
        self._view = view
        self._theme = theme

    def draw(self, width: float) -> None:
        """Draw the bar in `width` pixels; a cut text is shown in full in a tooltip."""
        theme = self._theme
        lines = [line for line in self._status.lines.values() if line.text]
        right = f"{self._view.quality}  ·  F1 keys"
        end = width - imgui.calc_text_size(right).x - theme.px(12)
        for index, line in enumerate(lines):
            if index:
                imgui.same_line(0, theme.px(18))
            room = end - imgui.get_cursor_pos_x() - theme.px(12)
            if room < theme.px(40):
                break
            seconds = f"  {math.floor(line.seconds)} s" if line.busy and line.seconds >= 1 else ""
            text = f"{line.text}{seconds}"
            shown = cut(text, room)
            imgui.text_colored(theme.vector("amber" if line.busy else "text"), shown)
            if shown != text and imgui.is_item_hovered():
                imgui.set_tooltip(text)
        imgui.same_line(end)
        imgui.text_colored(theme.vector("muted"), right)

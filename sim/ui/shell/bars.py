"""Bars at the window's edges: fixed windows, and the status line."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from imgui_bundle import imgui

from sim.core.profiling.profiler import FrameGauge
from sim.core.reporting.console import Console
from sim.core.script.panels import StatusBoard
from sim.core.tasks.clock import Clock
from sim.render.view.scene_view import SceneView
from sim.ui.theme.texts import cut
from sim.ui.theme.theme import LEVEL_COLORS, Theme, icons
from sim.ui.widgets.layout import Area
from sim.ui.widgets.overlays import FIXED

STATUS_HEIGHT = 28
BAR_HEIGHT = 42
CONSOLE_ROOM = 240  # pixels that tasks leave to the console's line
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


@dataclass(eq=False)
class StatusLine:
    """The status bar: running tasks and the console's last line.

    On the right a frame's milliseconds, fixed steps a second, and the quality of the picture.

    Args:
        status: the tasks.
        clock: whether it is paused.
        gauge: milliseconds and steps.
        console: whose last line is shown.
        view: knows the quality.
        theme: of the window.
        open_console: called when the console's line is clicked.
    """

    status: StatusBoard
    clock: Clock
    gauge: FrameGauge
    console: Console
    view: SceneView
    theme: Theme
    open_console: Callable[[], object]

    def watched(self) -> tuple[object, ...]:
        """Return values whose change requires a redraw."""
        lines = self.status.lines.values()
        busy = tuple(int(line.seconds) for line in lines if line.busy)
        return (self.status.revision, self.console.revision, self.gauge.revision, busy)

    def draw(self, width: float, *, has_console: bool = True) -> None:
        """Draw the bar; a cut text is shown in full in a tooltip.

        Args:
            width: pixels of the bar.
            has_console: the console is open: its last line is not repeated here.
        """
        theme = self.theme
        figures = self.gauge.text(paused=self.clock.paused)
        right = "  ·  ".join(filter(None, (figures, self.view.quality, "F1 keys")))
        end = width - imgui.calc_text_size(right).x - theme.px(12)
        kept = 0.0 if has_console else min(theme.px(CONSOLE_ROOM), 0.4 * end)
        self._draw_tasks(end - kept)
        if not has_console:
            self._draw_console(end)
        imgui.same_line(end)
        imgui.text_colored(theme.vector("muted"), right)

    def _draw_tasks(self, end: float) -> None:
        theme = self.theme
        lines = [line for line in self.status.lines.values() if line.text]
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
        if lines:
            imgui.same_line(0, theme.px(18))

    def _draw_console(self, end: float) -> None:
        """Draw the console as one line; a click opens it."""
        theme, console = self.theme, self.console
        told = next((item for item in reversed(console.records) if item.level != "debug"), None)
        text = "Console" if told is None else str(told).partition("\n")[0]
        color = "muted" if told is None else LEVEL_COLORS[told.level]
        room = end - imgui.get_cursor_pos_x() - theme.px(18)
        imgui.text_colored(theme.vector(color), cut(f"{icons.ICON_FA_TERMINAL} {text}", room))
        if imgui.is_item_hovered():
            imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
            imgui.set_tooltip(f"{text}\nOpen the console (F6)")
        if imgui.is_item_clicked():
            self.open_console()

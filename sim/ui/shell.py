"""The shell: where panels stand, what the keys do, and when the panels' layer is drawn anew."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imgui_bundle import imgui

from sim.core.console import ConsoleRecord
from sim.core.input_actions import InputEvent
from sim.core.panels import PanelEntry
from sim.core.script_host import ScriptHost
from sim.render.display import Display
from sim.render.scene_view import SceneView
from sim.ui.backend import ImGuiBackend
from sim.ui.console import ConsolePanel
from sim.ui.context import Ui
from sim.ui.playback import PlaybackBar
from sim.ui.theme import AMBER, LINE, MUTED, RED, TEXT, Theme, icons

STATUS_HEIGHT = 28
BAR_HEIGHT = 42
LEGEND_SECONDS = 10.0
TOAST_SECONDS = 6.0
SOFTWARE_INTERVAL = 0.15  # seconds between drawings of the panels where the processor draws
FIXED = (
    imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
)
FLOATING = FIXED | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_title_bar


@dataclass(frozen=True)
class Area:
    """A rectangle of the window, pixels from its top left corner."""

    left: int
    top: int
    width: int
    height: int


@dataclass
class Toast:
    """A message that goes by itself."""

    text: str
    color: tuple[float, float, float, float]
    until: float


class Shell:
    """All panels of the window."""

    def __init__(
        self,
        display: Display,
        *,
        host: ScriptHost,
        view: SceneView,
        data_dir: Path | None = None,
    ) -> None:
        self.display = display
        self.host = host
        self.view = view
        self.backend = ImGuiBackend(display)
        self.theme = Theme()
        self.ui = Ui(self.theme)
        self.console = ConsolePanel(host)
        self.playback = PlaybackBar(host)
        self.is_help_open = False
        self.hidden: set[str] = set()
        self.toasts: list[Toast] = []
        self._opened = time.monotonic()
        self._drawn_at = 0.0
        self._has_input = True
        self._seen: tuple[object, ...] = ()
        host.console.subscribe(self._on_record)
        display.show_panels()

    # -- layout -------------------------------------------------------------------------------

    @property
    def is_narrow(self) -> bool:
        """Whether the window is too small for everything at once."""
        return self.display.size[0] < 1000

    @property
    def side_width(self) -> int:
        """Width of the column of panels at the right."""
        if not any(entry.dock == "right" for entry in self.host.panels.panels):
            return 0
        return 232 if self.is_narrow else 336

    @property
    def console_height(self) -> int:
        """Height of the console."""
        return 92 if self.display.size[1] < 640 else 150

    @property
    def viewport(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the scene's picture."""
        width, height = self.display.size
        below = STATUS_HEIGHT + self.console_height
        return (0, BAR_HEIGHT, width - self.side_width, height - BAR_HEIGHT - below)

    # -- input --------------------------------------------------------------------------------

    def feed(self, events: Iterable[InputEvent]) -> list[InputEvent]:
        """Give events to the panels; return those that are for the scene."""
        rest: list[InputEvent] = []
        imgui.set_current_context(self.backend.context)
        for event in events:
            self._has_input = True
            self.backend.feed(event)
            if event.kind == "key_down" and not self.backend.io.want_text_input:
                self._on_key(event.key)
            if not self._is_taken(event):
                rest.append(event)
        return rest

    def _is_taken(self, event: InputEvent) -> bool:
        if event.kind in ("key_down", "text"):
            return bool(self.backend.io.want_text_input)
        if event.kind in ("button_down", "wheel"):
            place = self.backend.io.mouse_pos
            left, top, width, height = self.viewport
            is_inside = left <= place.x < left + width and top <= place.y < top + height
            return not is_inside or bool(self.backend.io.want_capture_mouse and self.is_help_open)
        return False

    def _on_key(self, key: str) -> None:
        if key == "f1":
            self.is_help_open = not self.is_help_open
        elif key == "escape":
            self.is_help_open = False
        else:
            self.playback.press(key)

    def _on_record(self, record: ConsoleRecord) -> None:
        if record.level == "error" and record.count == 1:
            self.toasts.append(Toast(str(record), RED, time.monotonic() + TOAST_SECONDS))
        elif record.text.startswith("reloaded "):
            self.toasts.append(Toast(record.text, TEXT, time.monotonic() + TOAST_SECONDS))
        del self.toasts[:-3]

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, wall_dt: float, *, force: bool = False) -> bool:
        """Lay out all panels where something changed; tell whether the layer is drawn anew."""
        now = time.monotonic()
        self.display.ui_buffer.set_active(False)
        if not force and not self._is_due(now):
            return False
        elapsed = now - self._drawn_at if self._drawn_at else wall_dt
        self._drawn_at = now
        self._has_input = False
        is_new = False
        for _ in range(2 if force else 1):  # ImGui sizes new windows in their first frame
            self.backend.begin(elapsed)
            try:
                self._draw_all(now)
            finally:
                is_new = self.backend.end(force=force)
        self.display.ui_buffer.set_active(is_new)
        return is_new

    def _is_due(self, now: float) -> bool:
        if self._has_input or self._drawn_at == 0.0:
            return True
        if now - self._drawn_at < (SOFTWARE_INTERVAL if self.display.is_software else 1 / 60):
            return False
        host = self.host
        busy = tuple(int(line.seconds) for line in host.status.lines.values() if line.busy)
        seen = (
            host.status.revision, host.metrics.revision, host.panels.revision,
            host.console.revision, host.clock.paused, host.clock.speed, busy, len(self.toasts),
            now - self._opened < LEGEND_SECONDS, self.display.size,
        )  # fmt: skip
        if seen == self._seen:
            return False
        self._seen = seen
        return True

    def _draw_all(self, now: float) -> None:
        width, height = self.display.size
        left, top, across, down = self.viewport
        with _window("Playback", Area(0, 0, width, BAR_HEIGHT), is_titled=False):
            self.playback.draw(self.is_narrow)
        if self.side_width:
            area = Area(across, BAR_HEIGHT, self.side_width, height - BAR_HEIGHT - STATUS_HEIGHT)
            with _window("Panels", area, is_titled=False):
                self._draw_docked("right")
        console_top = height - STATUS_HEIGHT - self.console_height
        with _window("Console", Area(0, console_top, across, self.console_height), is_titled=False):
            self.console.draw(self.theme)
        with _window("Status", Area(0, height - STATUS_HEIGHT, width, STATUS_HEIGHT),
                     is_titled=False, padding=(10, 5)):  # fmt: skip
            self._draw_status()
        self._draw_overlays(left, top, across)
        self._draw_toasts(now, left, top, down)
        if now - self._opened < LEGEND_SECONDS and not self.host.clock.instant:
            self._draw_legend(left, top, across, down)
        if self.is_help_open:
            self._draw_help(width, height)

    def _draw_docked(self, dock: str) -> None:
        for index, entry in enumerate(self.host.panels.panels):
            if entry.dock == dock and entry.title not in self.hidden:
                if index:
                    imgui.dummy(imgui.ImVec2(0, 2))
                self._draw_entry(entry)

    def _draw_entry(self, entry: PanelEntry) -> None:
        imgui.push_id(entry.title)
        self.host.call(entry.slot, f"panel {entry.title}", entry.draw, self.ui)
        imgui.pop_id()

    def _draw_overlays(self, left: int, top: int, across: int) -> None:
        for entry in self.host.panels.panels:
            if not entry.dock.startswith("overlay") or entry.title in self.hidden:
                continue
            imgui.set_next_window_pos(
                imgui.ImVec2(left + across / 2, top + 10), imgui.Cond_.always, imgui.ImVec2(0.5, 0)
            )
            imgui.set_next_window_bg_alpha(0.78)
            imgui.push_style_var(imgui.StyleVar_.window_rounding, 7.0)
            if imgui.begin(entry.title, None, int(FLOATING))[0]:
                self._draw_entry(entry)
            imgui.end()
            imgui.pop_style_var()

    def _draw_status(self) -> None:
        busy = [line for line in self.host.status.lines.values() if line.text]
        for index, line in enumerate(busy):
            if index:
                imgui.same_line(0, 18)
            color = AMBER if line.busy else TEXT
            seconds = f"  {math.floor(line.seconds)} s" if line.busy and line.seconds >= 1 else ""
            imgui.text_colored(imgui.ImVec4(*color), f"{line.text}{seconds}")
        right = f"{self.view.quality}  ·  F1 help"
        place = self.display.size[0] - imgui.calc_text_size(right).x - 12
        imgui.same_line(place)
        imgui.text_colored(imgui.ImVec4(*MUTED), right)

    def _draw_toasts(self, now: float, left: int, top: int, down: int) -> None:
        self.toasts = [toast for toast in self.toasts if toast.until > now]
        for index, toast in enumerate(self.toasts):
            imgui.set_next_window_pos(imgui.ImVec2(left + 12, top + down - 44 - 38 * index))
            imgui.set_next_window_bg_alpha(0.94)
            if imgui.begin(f"toast {index}", None, int(FLOATING))[0]:
                imgui.text_colored(imgui.ImVec4(*toast.color), toast.text[:110])
            imgui.end()

    def _draw_legend(self, left: int, top: int, across: int, down: int) -> None:
        for _, title, lines in self.host.panels.legends:
            imgui.set_next_window_pos(
                imgui.ImVec2(left + across / 2, top + down - 14), imgui.Cond_.always,
                imgui.ImVec2(0.5, 1.0),
            )  # fmt: skip
            imgui.set_next_window_bg_alpha(0.82)
            imgui.push_style_var(imgui.StyleVar_.window_rounding, 7.0)
            if imgui.begin("Legend", None, int(FLOATING))[0]:
                self.ui.heading(title)
                for line in lines:
                    imgui.text_colored(imgui.ImVec4(*MUTED), line)
            imgui.end()
            imgui.pop_style_var()

    def _draw_help(self, width: int, height: int) -> None:
        imgui.set_next_window_pos(
            imgui.ImVec2(width / 2, height / 2), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5)
        )
        if imgui.begin("Help", None, int(FLOATING))[0]:
            self.ui.heading(f"{icons.ICON_FA_KEYBOARD}  Keys")
            imgui.separator()
            for key, meaning in self._help_lines():
                imgui.text_colored(imgui.ImVec4(*AMBER), key)
                imgui.same_line(150)
                imgui.text(meaning)
        imgui.end()

    def _help_lines(self) -> list[tuple[str, str]]:
        commands = [
            (entry.key.upper(), entry.label) for entry in self.host.panels.commands if entry.key
        ]
        return [
            ("Space", "pause or go on"),
            (".", "one step while paused"),
            ("- and +", "slower, faster"),
            *commands,
            ("Right button", "turn the view"),
            ("Middle button", "move the view"),
            ("Wheel", "nearer, farther"),
            ("Home", "the view as at the start"),
            ("F1, Escape", "open and close this help"),
        ]

    def close(self) -> None:
        """Free what ImGui holds."""
        self.backend.close()


@contextlib.contextmanager
def _window(
    name: str, area: Area, *, is_titled: bool, padding: tuple[float, float] = (10, 8)
) -> Iterator[Any]:
    imgui.set_next_window_pos(imgui.ImVec2(area.left, area.top))
    imgui.set_next_window_size(imgui.ImVec2(area.width, area.height))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(*padding))
    imgui.push_style_color(imgui.Col_.border, imgui.ImVec4(*LINE))
    flags = FIXED if is_titled else FIXED | imgui.WindowFlags_.no_title_bar
    if name != "Panels":
        flags |= imgui.WindowFlags_.no_scrollbar | imgui.WindowFlags_.no_scroll_with_mouse
    imgui.begin(name, None, int(flags))
    try:
        yield
    finally:
        imgui.end()
        imgui.pop_style_color()
        imgui.pop_style_var()

"""The profiler panel: frames over time, one of them as a flame graph, and the dearest scripts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from imgui_bundle import imgui

from sim.core.host.script_host import ScriptHost
from sim.core.profiling.spans import Frame, Share, dearest
from sim.core.reporting.python_text import assigned, called
from sim.core.scene.scene import ComponentSlot
from sim.ui.panels.profiler.dearest_table import draw_dearest
from sim.ui.panels.profiler.flame import FlameGraph
from sim.ui.panels.profiler.frames_chart import HEIGHT, FramesChart
from sim.ui.panels.profiler.phase_colors import packed_tones
from sim.ui.theme.theme import Theme, icons
from sim.ui.widgets.context import PanelUi

TITLE: Final = "Profiler"
MOST: Final = 10
"""Scripts that are listed."""
RECENT_SECONDS: Final = 0.25
"""Between two looks at what the latest frames add up to."""
BESIDE: Final = 620.0  # unscaled pixels, from which on the scripts stand beside the frames
SCRIPTS_SHARE: Final = 0.38
"""Of the width, for the scripts beside the frames."""


class ProfilerPanel:
    """Draws what is recorded into the current ImGui window.

    Args:
        host: the script host that is recorded.
        open_script: opens the script of a component.

    Attributes:
        by_class: scripts of one class are one line.
        is_seen: it was drawn in the last frame: nothing lies over it.
    """

    def __init__(self, host: ScriptHost, open_script: Callable[[ComponentSlot], object]) -> None:
        self.by_class = False
        self.is_seen = False
        self._host = host
        self._profiling = host.profiling
        self._open_script = open_script
        self._chart = FramesChart()
        self._flame = FlameGraph()
        self._shares: list[Share] = []
        self._looked: tuple[object, ...] = ()

    def watched(self, now: float) -> object:
        """Return what changes where the panel is to be drawn anew.

        Args:
            now: seconds of the wall's clock.
        """
        profiling = self._profiling
        is_still = profiling.is_held or not self.is_seen
        return (profiling.is_held, profiling.chosen, is_still or int(now / RECENT_SECONDS))

    def draw(self, ui: PanelUi) -> None:
        """Draw frames and scripts, beside each other where there is room."""
        self.is_seen = True
        theme = ui.theme
        room = imgui.get_content_region_avail()
        if room.x < theme.px(BESIDE):
            self._draw_frames(theme, theme.px(HEIGHT))
            self._draw_scripts(ui)
            return
        right = SCRIPTS_SHARE * room.x
        gap = imgui.get_style().item_spacing.x
        if imgui.begin_child("frames", imgui.ImVec2(room.x - right - gap, 0)):
            self._draw_frames(theme, max(theme.px(HEIGHT), 0.32 * room.y))
        imgui.end_child()
        imgui.same_line()
        if imgui.begin_child("scripts", imgui.ImVec2(right, 0)):
            self._draw_scripts(ui)
        imgui.end_child()

    # -- frames -------------------------------------------------------------------------------

    def _draw_frames(self, theme: Theme, height: float) -> None:
        profiling = self._profiling
        self._draw_buttons(theme)
        shown = profiling.shown
        if shown is None:
            theme.wrapped("No frame is recorded yet.", "muted")
            return
        found = self._chart.draw(theme, profiling.history.frames, shown, height)
        if found is not None:
            self._say(called("host.profiling.hold", found.number))
            profiling.hold(found.number)
        bar = self._flame.draw(theme, shown)
        self._draw_legend(theme, shown)
        if bar is not None:
            self._open(bar.label.slot_id)

    def _draw_buttons(self, theme: Theme) -> None:
        profiling = self._profiling
        icon = icons.ICON_FA_CIRCLE_DOT if profiling.is_held else icons.ICON_FA_PAUSE
        label = "Record" if profiling.is_held else "Hold"
        if imgui.button(f"{icon}  {label}###hold"):
            if profiling.is_held:
                self._say("host.profiling.resume()")
                profiling.resume()
            else:
                self._say("host.profiling.hold()")
                profiling.hold()
        if not self._flame.whole:
            imgui.same_line()
            if imgui.button(f"{icons.ICON_FA_MAGNIFYING_GLASS_MINUS}##whole"):
                self._flame.show_whole()
            if imgui.is_item_hovered():
                imgui.set_tooltip("The whole frame")
        shown = profiling.shown
        if shown is not None:
            imgui.same_line()
            imgui.align_text_to_frame_padding()
            steps = f"{shown.fixed_steps} fixed step{'' if shown.fixed_steps == 1 else 's'}"
            text = f"frame {shown.number}  ·  {1000.0 * shown.seconds:.2f} ms  ·  {steps}"
            theme.wrapped(text, "text" if profiling.chosen is not None else "muted")

    def _draw_legend(self, theme: Theme, frame: Frame) -> None:
        """Name the phases after squares of their colours, with their milliseconds."""
        canvas, line = imgui.get_window_draw_list(), imgui.get_text_line_height()
        edge = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
        phases, is_first = frame.phases, True
        for phase, tone in packed_tones(theme.name).items():
            if phase not in phases:
                continue
            text = f"{phase} {1000.0 * phases[phase]:.2f}"
            width = 0.9 * line + imgui.calc_text_size(text).x
            gap = theme.px(10)
            if not is_first and imgui.get_item_rect_max().x + gap + width <= edge:
                imgui.same_line(0, gap)
            is_first = False
            place = imgui.get_cursor_screen_pos()
            low = imgui.ImVec2(place.x, place.y + 0.22 * line)
            high = imgui.ImVec2(place.x + 0.6 * line, place.y + 0.82 * line)
            canvas.add_rect_filled(low, high, tone, 2.0)
            canvas.add_text(
                imgui.ImVec2(place.x + 0.9 * line, place.y), theme.packed("muted"), text
            )
            imgui.dummy(imgui.ImVec2(width, line))

    # -- scripts ------------------------------------------------------------------------------

    def _draw_scripts(self, ui: PanelUi) -> None:
        theme, profiling = ui.theme, self._profiling
        ui.heading("Dearest scripts")
        label = "by class"
        ui.beside(ui.button_width(label) + imgui.get_frame_height())
        imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(4, 0))
        changed, self.by_class = imgui.checkbox(label, self.by_class)
        imgui.pop_style_var()
        if changed:
            self._say(assigned("shell.profiler.by_class", self.by_class))
        frames = profiling.history.frames
        if profiling.chosen is not None:
            text, seconds = f"in frame {profiling.chosen.number}", profiling.chosen.seconds
        else:
            text = f"mean of {len(frames)} frame{'' if len(frames) == 1 else 's'}"
            seconds = sum(frame.seconds for frame in frames) / max(1, len(frames))
        theme.wrapped(f"own time, {text}", "muted")
        shares = self.shares()
        if not shares:
            theme.wrapped("No script has run.", "muted")
            return
        clicked = draw_dearest(theme, shares, seconds)
        if clicked is not None:
            self._open(clicked.slot_id)

    def shares(self) -> list[Share]:
        """Return the scripts that take most: of the chosen frame, or of all that are recorded."""
        profiling = self._profiling
        chosen = profiling.chosen
        is_held, has_any = profiling.is_held, bool(profiling.history.frames)
        moment = int(time.monotonic() / RECENT_SECONDS)
        looked = (moment, is_held, has_any, chosen, self.by_class)
        if looked == self._looked:
            return self._shares
        self._looked = looked
        times = profiling.history.times() if chosen is None else chosen.own_seconds()
        count = len(profiling.history.frames) if chosen is None else 1
        self._shares = dearest(times, count, MOST, by_class=self.by_class)
        return self._shares

    def _open(self, slot_id: str) -> None:
        slot = self._host.scene.component(slot_id)
        if slot is not None:
            self._open_script(slot)

    def _say(self, line: str) -> None:
        self._host.console.python(line)

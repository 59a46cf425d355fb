"""The profiler panel: frames over time, one frame as a flame graph, the slowest scripts."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from imgui_bundle import imgui

from base.language.wording import numeral, tr, tr_many, wording
from sim.core.host.profiling import Profiling
from sim.core.profiling.spans import Bar, Frame, Phase, Share, dearest
from sim.core.reporting.python_text import assigned, called
from sim.core.scene.scene import ComponentSlot, Scene
from sim.ui.theme.theme import Theme, begin_flat_child, cut, icons, pressed_area
from sim.ui.widgets.context import PanelUi

TABLE: Final = int(imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_fixed_fit)
WIDE: Final = 300.0  # unscaled pixels, from which on there is a column of callbacks


def draw_slowest(theme: Theme, shares: Sequence[Share], frame_seconds: float) -> Share | None:
    """Draw a table of the slowest scripts.

    Args:
        theme: colours and scale.
        shares: times of the scripts, the slowest first; at least one.
        frame_seconds: duration of the whole frame in seconds.

    Returns:
        The clicked entry; None if there was no click.
    """
    is_wide = imgui.get_content_region_avail().x >= theme.px(WIDE)
    if not imgui.begin_table("dearest", 3 if is_wide else 2, TABLE):
        return None
    imgui.table_setup_column(tr("script"), int(imgui.TableColumnFlags_.width_stretch))
    if is_wide:
        imgui.table_setup_column(tr("callback"), int(imgui.TableColumnFlags_.width_fixed))
    imgui.table_setup_column(tr("ms"), int(imgui.TableColumnFlags_.width_fixed))
    widest = max(imgui.calc_text_size(milliseconds(share.seconds)).x for share in shares)
    clicked = None
    for number, share in enumerate(shares):
        imgui.table_next_row()
        imgui.table_next_column()
        if _draw_name(theme, share, number, frame_seconds):
            clicked = share
        if is_wide:
            imgui.table_next_column()
            imgui.text_colored(theme.vector("muted"), next(iter(share.callbacks), ""))
        imgui.table_next_column()
        text = milliseconds(share.seconds)
        left = widest - imgui.calc_text_size(text).x
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(0.0, left))
        imgui.text(text)
    imgui.end_table()
    return clicked


def _draw_name(theme: Theme, share: Share, number: int, frame_seconds: float) -> bool:
    """Draw a script's class and object, shortened to the available width.

    Args:
        theme: colours and scale.
        share: times of the script.
        number: index of the row.
        frame_seconds: duration of the whole frame in seconds.

    Returns:
        Whether the row was clicked.
    """
    room = imgui.get_content_region_avail().x
    place = imgui.get_cursor_pos()
    flags = int(imgui.SelectableFlags_.span_all_columns)
    is_clicked = imgui.selectable(f"##{number}", False, flags)[0]
    if imgui.is_item_hovered():
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        imgui.set_tooltip(_share_text(share, frame_seconds))
    imgui.set_cursor_pos(place)
    title = cut(share.title, room)
    imgui.text(title)
    rest = room - imgui.calc_text_size(title).x - theme.px(8)
    if rest > theme.px(24):
        imgui.same_line(0, theme.px(8))
        imgui.text_colored(theme.vector("muted"), cut(share.object, rest))
    return bool(is_clicked)


def _share_text(share: Share, frame_seconds: float) -> str:
    part = share.seconds / frame_seconds if frame_seconds else 0.0
    lines = [
        f"{share.title}  ·  {share.object}",
        tr("{milliseconds} a frame, {part:.1%} of it, in {calls:,.1f} calls").format(
            milliseconds=milliseconds(share.seconds), part=part, calls=share.calls
        ),
        *(f"{milliseconds(seconds):>10}  {name}" for name, seconds in share.callbacks.items()),
        tr("Click: open the script"),
    ]
    return wording("\n").join(lines)


def milliseconds(seconds: float) -> str:
    """Return a duration in seconds as text in milliseconds.

    >>> milliseconds(0.01234), milliseconds(0.0000123)
    ('12.34 ms', '0.012 ms')
    """
    return (
        tr("{seconds:.2f} ms").format(seconds=1000.0 * seconds)
        if seconds >= 0.001
        else tr("{seconds:.3f} ms").format(seconds=1000.0 * seconds)
    )


Tone = tuple[float, float, float]
TONES: Final[Mapping[Phase, tuple[Tone, Tone]]] = {
    Phase.INPUT: ((0.66, 0.73, 0.89), (0.56, 0.62, 0.80)),
    Phase.WORKERS: ((0.35, 0.72, 0.62), (0.22, 0.62, 0.54)),
    Phase.SCRIPTS: ((0.93, 0.65, 0.23), (0.89, 0.57, 0.03)),
    Phase.COROUTINES: ((0.87, 0.86, 0.43), (0.80, 0.79, 0.42)),
    Phase.PHYSICS: ((0.93, 0.46, 0.41), (0.89, 0.38, 0.34)),
    Phase.CLIPS: ((0.87, 0.57, 0.72), (0.77, 0.44, 0.93)),
    Phase.CULLING: ((0.43, 0.83, 0.98), (0.37, 0.72, 0.78)),
    Phase.DRAWING: ((0.42, 0.67, 0.98), (0.31, 0.53, 0.70)),
    Phase.PANELS: ((0.75, 0.55, 0.75), (0.58, 0.48, 0.95)),
    Phase.REST: ((0.55, 0.54, 0.50), (0.68, 0.56, 0.49)),
}
"""Colours of each phase: in the dark theme, and in the light one.

The colour-blind tell a phase from those beside it in the stack, too.
"""
PHASES: Final = {
    Phase.INPUT: tr("input"), Phase.WORKERS: tr("workers"), Phase.SCRIPTS: tr("scripts"),
    Phase.COROUTINES: tr("coroutines"), Phase.PHYSICS: tr("physics"), Phase.CLIPS: tr("clips"),
    Phase.CULLING: tr("culling"), Phase.DRAWING: tr("drawing"), Phase.PANELS: tr("panels"),
    Phase.REST: tr("rest"),
}  # fmt: skip
LETTERS: Final = imgui.color_convert_float4_to_u32(imgui.ImVec4(0.07, 0.06, 0.05, 1.0))
"""Colour of the names on the bars, as packed 32 bits."""
SHADES: Final = (1.0, 0.9)
"""Factors on the brightness of neighbouring bars, so that they can be told apart."""


@functools.cache
def packed_tones(theme: str, shade: float = 1.0) -> Mapping[Phase, int]:
    """Return the colour of each phase of a frame, packed into 32 bits for ImGui's draw lists.

    Args:
        theme: name of the theme.
        shade: factor on the brightness.
    """
    found = {}
    for phase, (dark, light) in TONES.items():
        red, green, blue = light if theme == "light" else dark
        color = imgui.ImVec4(shade * red, shade * green, shade * blue, 1.0)
        found[phase] = imgui.color_convert_float4_to_u32(color)
    return MappingProxyType(found)


LEAST_WIDTH: Final = 1.5  # pixels; narrower neighbours are drawn as one
NAMED_WIDTH: Final = 26.0  # unscaled pixels of a bar with a name on it


class FlameGraph:
    """Draws one frame as a flame graph: bars over time, nested calls below their callers.

    A click on a bar zooms to it; a right click shows the whole frame again.

    Attributes:
        whole: whether the whole frame is visible.
    """

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._bars: list[Bar] = []
        self._range = (0.0, 0.0)

    @property
    def whole(self) -> bool:
        """Whether all of the frame is shown."""
        return self._frame is None or self._range == (self._frame.begun, self._frame.ended)

    def show_whole(self) -> None:
        """Show all of the frame again."""
        if self._frame is not None:
            self._range = (self._frame.begun, self._frame.ended)

    def height(self, frame: Frame) -> float:
        """Return the pixels that all rows of a frame take."""
        self._show_frame(frame)
        return self._row * (1 + max((bar.depth for bar in self._bars), default=0))

    def draw(self, theme: Theme, frame: Frame) -> Bar | None:
        """Draw a frame over the available width; handle clicks on its bars.

        Args:
            theme: colours and scale.
            frame: the frame to draw.

        Returns:
            The bar of a component if it was double-clicked, else None.
        """
        self._show_frame(frame)
        origin = imgui.get_cursor_screen_pos()
        width = max(1.0, imgui.get_content_region_avail().x)
        imgui.invisible_button("flame", imgui.ImVec2(width, max(1.0, self.height(frame))))
        is_hovered = imgui.is_item_hovered()
        self._draw_bars(theme, origin, width)
        if not is_hovered:
            return None
        if imgui.is_mouse_clicked(1):
            self.show_whole()
        bar = self._bar_at(origin, width)
        if bar is None:
            return None
        self._show_tooltip(theme, frame, bar)
        if imgui.is_mouse_double_clicked(0) and bar.label.slot_id:
            return bar
        if imgui.is_item_clicked() and bar.ended > bar.begun:
            self._range = (bar.begun, bar.ended)
        return None

    @property
    def _row(self) -> float:
        return imgui.get_text_line_height() + 2.0

    def _show_frame(self, frame: Frame) -> None:
        """Show this frame as a whole if it is not the one shown already."""
        if frame is not self._frame:
            self._frame, self._bars = frame, frame.bars()
            self.show_whole()

    def _place(self, moment: float, left: float, width: float) -> float:
        begun, ended = self._range
        share = (moment - begun) / max(ended - begun, 1e-9)
        return left + width * min(1.0, max(0.0, share))

    def _draw_bars(self, theme: Theme, origin: imgui.ImVec2, width: float) -> None:
        canvas = imgui.get_window_draw_list()
        tones = [packed_tones(theme.name, shade) for shade in SHADES]
        begun, ended = self._range
        phases = [bar for bar in self._bars if bar.depth == 0]
        around = 0  # number of the phase that a bar is in
        covered: dict[int, float] = {}  # right end of what is drawn, by depth
        for number, bar in enumerate(self._bars):
            if bar.ended <= begun or bar.begun >= ended:
                continue
            if bar.depth:
                while around + 1 < len(phases) and phases[around + 1].begun <= bar.begun:
                    around += 1
            left = self._place(bar.begun, origin.x, width)
            right = self._place(bar.ended, origin.x, width)
            if right - left < LEAST_WIDTH:
                if left - covered.get(bar.depth, -1e9) < LEAST_WIDTH:
                    continue  # its neighbour is drawn in its place
                right = left + LEAST_WIDTH
            covered[bar.depth] = right
            phase = phases[around].label.phase if bar.depth and phases else bar.label.phase
            low = imgui.ImVec2(left, origin.y + bar.depth * self._row)
            high = imgui.ImVec2(max(left + 1.0, right - 1.0), low.y + self._row - 1.0)
            canvas.add_rect_filled(low, high, tones[number % len(tones)][phase])
            if right - left >= theme.px(NAMED_WIDTH):
                text = cut(name_of(bar), right - left - theme.px(6))
                canvas.add_text(imgui.ImVec2(left + theme.px(3), low.y), LETTERS, text)

    def _bar_at(self, origin: imgui.ImVec2, width: float) -> Bar | None:
        mouse = imgui.get_mouse_pos()
        begun, ended = self._range
        moment = begun + (mouse.x - origin.x) / width * (ended - begun)
        reach = LEAST_WIDTH / width * (ended - begun)  # of what is drawn wider than it is
        depth = int((mouse.y - origin.y) / self._row)
        near = [
            bar
            for bar in self._bars
            if bar.depth == depth and bar.begun - reach <= moment <= bar.ended + reach
        ]
        inside = [bar for bar in near if bar.begun <= moment <= bar.ended]
        return max(inside or near, key=lambda bar: bar.ended - bar.begun, default=None)

    def _show_tooltip(self, theme: Theme, frame: Frame, bar: Bar) -> None:
        if not imgui.begin_tooltip():
            return
        seconds = bar.ended - bar.begun
        share = seconds / frame.seconds if frame.seconds else 0.0
        imgui.text(name_of(bar))
        if bar.label.object:
            imgui.text_colored(theme.vector("muted"), bar.label.object)
        imgui.text(
            tr("{seconds:.3f} ms  ·  {share:.1%} of the frame").format(
                seconds=1000.0 * seconds, share=share
            )
        )
        hints = [tr("Click: zoom in")]
        hints += [] if self.whole else [tr("Right click: the whole frame")]
        hints += [tr("Double click: open the script")] if bar.label.slot_id else []
        imgui.text_colored(theme.vector("muted"), wording("\n").join(hints))
        imgui.end_tooltip()


def name_of(bar: Bar) -> str:
    """Return the name shown on a bar: class and callback of a script, else the step's name."""
    label = bar.label
    return f"{label.component}.{label.name}" if label.slot_id else wording(label.name)


HEIGHT: Final = 44.0  # unscaled pixels, at least
STEP: Final = 4.0  # from one bar to the next
TOPS: Final[tuple[int, ...]] = (
    1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000,
)  # fmt: skip
"""Possible values of the chart's upper edge, milliseconds."""
USUAL: Final = 0.95
"""Fraction of the visible frames that must fit below the chart's upper edge."""
SMOOTH: Final = 1000.0 / 60.0
"""Milliseconds of a frame at 60 frames a second."""


class FramesChart:
    """Draws the durations of the latest frames as bars; a click on a bar selects the frame."""

    def __init__(self) -> None:
        self._phases: dict[int, dict[Phase, float]] = {}  # by the frame's number

    def draw(
        self, theme: Theme, frames: Sequence[Frame], shown: Frame | None, height: float
    ) -> Frame | None:
        """Draw as many of the latest frames as fit into the available width.

        Args:
            theme: colours and scale.
            frames: recorded frames, the oldest first; at least one.
            shown: the selected frame, which is highlighted; None for none.
            height: height of the chart, pixels.

        Returns:
            The clicked frame, or the longest one if a key pressed the chart; else None.
        """
        origin = imgui.get_cursor_screen_pos()
        width = imgui.get_content_region_avail().x
        is_pressed = pressed_area("frames", max(1.0, width), height)
        canvas = imgui.get_window_draw_list()
        end = imgui.ImVec2(origin.x + width, origin.y + height)
        canvas.add_rect_filled(origin, end, theme.packed("plot"), theme.px(3))
        step = theme.px(STEP)
        visible = list(frames)[-max(1, int(width / step)) :]
        longest = sorted(frame.seconds for frame in visible)
        top = top_of(1000.0 * longest[int(USUAL * (len(longest) - 1))])
        canvas.push_clip_rect(origin, end, True)  # a rare frame may be longer than the scale
        self._draw_bars(theme, visible, shown, (origin.x, end.y), height / top)
        canvas.pop_clip_rect()
        self._draw_scale(theme, top, origin, end)
        number = int((imgui.get_mouse_pos().x - origin.x) / step)
        frame = visible[min(max(0, number), len(visible) - 1)]  # the last one right of all
        if is_pressed and not imgui.is_mouse_released(0):  # by a key
            return max(visible, key=lambda each: each.seconds)
        if number < len(visible) and imgui.is_item_hovered():
            self._show_tooltip(theme, frame)
        return frame if is_pressed else None

    def _draw_bars(
        self,
        theme: Theme,
        visible: list[Frame],
        shown: Frame | None,
        corner: tuple[float, float],
        pixels: float,
    ) -> None:
        """Draw a bar for each visible frame, stacked from the times of its phases.

        Args:
            theme: colours and scale.
            visible: the frames, the oldest first.
            shown: the selected frame, which is highlighted; None for none.
            corner: lower left corner of the chart, screen pixels.
            pixels: height of one millisecond, pixels.
        """
        canvas, tones = imgui.get_window_draw_list(), packed_tones(theme.name)
        step = theme.px(STEP)
        gap = max(1.0, theme.px(1))
        known, self._phases = self._phases, {}
        for number, frame in enumerate(visible):
            phases = known.get(frame.number) or frame.phases
            self._phases[frame.number] = phases
            left, bottom = corner[0] + number * step, corner[1]
            if frame is shown:
                high = bottom - pixels * 1000.0 * frame.seconds
                canvas.add_rect_filled(
                    imgui.ImVec2(left - gap, high - theme.px(4)),
                    imgui.ImVec2(left + step, bottom),
                    theme.packed("text"),
                )
            for phase, tone in tones.items():
                high = 1000.0 * phases.get(phase, 0.0) * pixels
                if high >= 0.3:
                    canvas.add_rect_filled(
                        imgui.ImVec2(left, bottom - high),
                        imgui.ImVec2(left + step - gap, bottom),
                        tone,
                    )
                    bottom -= high

    def _draw_scale(self, theme: Theme, top: int, low: imgui.ImVec2, high: imgui.ImVec2) -> None:
        """Label the chart's upper edge and draw the line of 60 frames per second.

        Args:
            theme: colours and scale.
            top: value of the upper edge, milliseconds.
            low: upper left corner of the chart, screen pixels.
            high: lower right corner of the chart, screen pixels.
        """
        canvas = imgui.get_window_draw_list()
        text = tr("{top} ms").format(top=top)
        size = imgui.calc_text_size(text)
        room = theme.px(3)
        canvas.add_rect_filled(
            low, imgui.ImVec2(low.x + size.x + 2 * room, low.y + size.y), theme.packed("plot", 0.8)
        )
        canvas.add_text(imgui.ImVec2(low.x + room, low.y), theme.packed("muted"), text)
        if top > SMOOTH:
            line = high.y - (high.y - low.y) * SMOOTH / top
            canvas.add_line(
                imgui.ImVec2(low.x, line), imgui.ImVec2(high.x, line), theme.packed("text", 0.45)
            )

    def _show_tooltip(self, theme: Theme, frame: Frame) -> None:
        """Show the times of a frame's phases in a tooltip."""
        if not imgui.begin_tooltip():
            return
        imgui.text(
            tr("frame {number}  ·  {seconds:.2f} ms").format(
                number=frame.number, seconds=1000.0 * frame.seconds
            )
        )
        for phase, seconds in sorted(frame.phases.items(), key=lambda item: -item[1]):
            imgui.text_colored(
                theme.vector("muted"),
                tr("{seconds:8.2f} ms  {phase}").format(
                    seconds=1000.0 * seconds, phase=PHASES[phase]
                ),
            )
        imgui.text_colored(
            theme.vector("muted"), tr("Click: pause the recording and look at this frame")
        )
        imgui.end_tooltip()


def top_of(milliseconds: float) -> int:
    """Return the chart's upper edge for a duration that must fit; both in milliseconds.

    >>> top_of(3.2), top_of(17.0), top_of(90000.0)
    (5, 20, 5000)
    """
    return next((top for top in TOPS if top >= milliseconds), TOPS[-1])


TITLE: Final = tr("Profiler")
MOST: Final = 10
"""Largest number of scripts in the list of slowest scripts."""
RECENT_SECONDS: Final = 0.25
"""Seconds between updates of the times summed over the recorded frames."""
BESIDE: Final = 620.0  # unscaled pixels, from which on the scripts stand beside the frames
SCRIPTS_SHARE: Final = 0.38
"""Fraction of the panel's width for the list of scripts, when it is beside the frames."""


class ProfilerPanel:
    """Draws the recorded frames and their slowest scripts into the current ImGui window.

    Args:
        profiling: records the frames.
        scene: the scene whose scripts are listed.
        say: prints the Python code that is equivalent to the user's action.
        open_script: opens the script of a component.

    Attributes:
        by_class: whether all scripts of one class share one line of the list.
        is_seen: whether the panel was drawn in the last frame and no other window hid it.
    """

    def __init__(
        self,
        profiling: Profiling,
        scene: Scene,
        *,
        say: Callable[[str], object],
        open_script: Callable[[ComponentSlot], object],
    ) -> None:
        self.by_class = False
        self.is_seen = False
        self._profiling, self._scene, self._say = profiling, scene, say
        self._open_script = open_script
        self._chart = FramesChart()
        self._flame = FlameGraph()
        self._shares: list[Share] = []
        self._looked: tuple[object, ...] = ()

    def watched(self, now: float) -> object:
        """Return values that show whether the panel must be redrawn: it must when they change.

        Args:
            now: time of a clock, seconds.
        """
        profiling = self._profiling
        is_still = profiling.is_paused or not self.is_seen
        return (profiling.is_paused, profiling.chosen, is_still or int(now / RECENT_SECONDS))

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
        if begin_flat_child("frames", imgui.ImVec2(room.x - right - gap, 0)):
            self._draw_frames(theme, max(theme.px(HEIGHT), 0.32 * room.y))
        imgui.end_child()
        imgui.same_line()
        if begin_flat_child("scripts", imgui.ImVec2(right, 0)):
            self._draw_scripts(ui)
        imgui.end_child()

    # -- frames -------------------------------------------------------------------------------

    def _draw_frames(self, theme: Theme, height: float) -> None:
        profiling = self._profiling
        self._draw_buttons(theme)
        shown = profiling.shown
        if shown is None:
            theme.wrapped(tr("No frame is recorded yet."), "muted")
            return
        found = self._chart.draw(theme, profiling.history.frames, shown, height)
        if found is not None:
            self._say(called("host.profiling.pause", found.number))
            profiling.pause(found.number)
        bar = self._flame.draw(theme, shown)
        self._draw_legend(theme, shown)
        if bar is not None:
            self._open(bar.label.slot_id)

    def _draw_buttons(self, theme: Theme) -> None:
        profiling = self._profiling
        icon = icons.ICON_FA_CIRCLE_DOT if profiling.is_paused else icons.ICON_FA_PAUSE
        label = tr("Record", "frames") if profiling.is_paused else tr("Pause")
        if imgui.button(icon + "  " + label + "###hold"):
            if profiling.is_paused:
                self._say("host.profiling.resume()")
                profiling.resume()
            else:
                self._say("host.profiling.pause()")
                profiling.pause()
        if not self._flame.whole:
            imgui.same_line()
            if imgui.button(f"{icons.ICON_FA_MAGNIFYING_GLASS_MINUS}##whole"):
                self._flame.show_whole()
            if imgui.is_item_hovered():
                imgui.set_tooltip(tr("The whole frame"))
        shown = profiling.shown
        if shown is not None:
            imgui.same_line()
            imgui.align_text_to_frame_padding()
            steps = tr_many("{count} fixed step", "{count} fixed steps", shown.fixed_steps)
            text = tr("frame {number}  ·  {seconds:.2f} ms  ·  {steps}").format(
                number=shown.number, seconds=1000.0 * shown.seconds, steps=steps
            )
            theme.wrapped(text, "text" if profiling.chosen is not None else "muted")

    def _draw_legend(self, theme: Theme, frame: Frame) -> None:
        """Draw the legend: each phase's colour, name and milliseconds."""
        canvas, line = imgui.get_window_draw_list(), imgui.get_text_line_height()
        edge = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
        phases, is_first = frame.phases, True
        for phase, tone in packed_tones(theme.name).items():
            if phase not in phases:
                continue
            text = PHASES[phase] + numeral(f" {1000.0 * phases[phase]:.2f}")
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
        ui.heading(tr("Slowest scripts"))
        label = tr("by class")
        ui.beside(ui.button_width(label) + imgui.get_frame_height())
        imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(4, 0))
        changed, self.by_class = imgui.checkbox(label, self.by_class)
        imgui.pop_style_var()
        if changed:
            self._say(assigned("shell.profiler.by_class", self.by_class))
        frames = profiling.history.frames
        if profiling.chosen is not None:
            text, seconds = (
                tr("in frame {number}").format(number=profiling.chosen.number),
                profiling.chosen.seconds,
            )
        else:
            text = tr_many("mean of {count} frame", "mean of {count} frames", len(frames))
            seconds = sum(frame.seconds for frame in frames) / max(1, len(frames))
        theme.wrapped(tr("own time, {text}").format(text=text), "muted")
        shares = self.shares()
        if not shares:
            theme.wrapped(tr("No script has run."), "muted")
            return
        clicked = draw_slowest(theme, shares, seconds)
        if clicked is not None:
            self._open(clicked.slot_id)

    def shares(self) -> list[Share]:
        """Return the slowest scripts, of the chosen frame or of all recorded frames."""
        profiling = self._profiling
        chosen = profiling.chosen
        is_held, has_any = profiling.is_paused, bool(profiling.history.frames)
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
        slot = self._scene.component(slot_id)
        if slot is not None:
            self._open_script(slot)

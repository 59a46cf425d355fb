"""Bars at the window's edges: the status bar and the timeline.

The timeline shows the last seconds of a scene; the scene can continue from an earlier moment.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from imgui_bundle import imgui

from base.errors import GoishiError
from base.language.wording import tr, wording
from sim.core.profiling.profiler import FrameGauge
from sim.core.reporting.console import Console
from sim.core.reporting.python_text import assigned, called
from sim.core.rewind.rewind import Rewind
from sim.core.rewind.tape import Mark
from sim.core.script.panels import StatusBoard, StatusLine
from sim.core.tasks.clock import Clock
from sim.render.view.scene_view import SceneView
from sim.ui.theme.theme import LEVEL_COLORS, Theme, cut, icons, pressed_area
from sim.ui.widgets.layout import Area
from sim.ui.widgets.overlays import FIXED

STATUS_HEIGHT = 28
BAR_HEIGHT = 42
QUALITIES = {"low": tr("low"), "medium": tr("medium"), "high": tr("high")}
CONSOLE_ROOM = 240  # pixels that tasks leave to the console's line
LEAST_TASK, LEAST_READ = 40, 160  # pixels of a task that is cut: the first one, others
SPARE = 90  # pixels to spare before what was left out comes back
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
    """Draw a fixed window that fills a rectangle; its content is drawn in the `with` block.

    Args:
        theme: colours and scale.
        name: title of the window for ImGui.
        area: the rectangle in the window, pixels.
        padding: pixels above and below the content; 0 also removes the padding at the sides.
        is_clear: whether the window has neither background nor border.
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
class StatusBar:
    """The status bar: running tasks and the console's last line.

    On the right are the milliseconds per frame, fixed steps per second and the render quality.

    Args:
        status: the tasks.
        clock: the scene's clock; tells whether the scene is paused.
        gauge: measures milliseconds and steps.
        console: the console.
        view: the 3D view, which knows the render quality.
        theme: colours and fonts of the window.
        open_console: called when the console's line is clicked.
        keys_told: returns a text that says who gets the scene's keys; "" for none.
    """

    status: StatusBoard
    clock: Clock
    gauge: FrameGauge
    console: Console
    view: SceneView
    theme: Theme
    open_console: Callable[[], object]
    keys_told: Callable[[], str] = str
    _left_out: int = field(default=0, init=False)
    """How many texts on the right are left out, so that the first task is whole."""

    def watched(self) -> tuple[object, ...]:
        """Return values that change whenever the bar must be redrawn."""
        lines = self.status.lines.values()
        busy = tuple(int(line.seconds) for line in lines if line.busy)
        return (self.status.revision, self.console.revision, self.gauge.revision, busy)

    def draw(self, width: float, *, has_console: bool = True) -> None:
        """Draw the bar; a shortened text is shown in full in a tooltip.

        Args:
            width: width of the bar, pixels.
            has_console: whether the console panel is open. The bar then omits the console's last
                line.
        """
        theme = self.theme
        figures = self.gauge.text(paused=self.clock.paused)
        told = self.keys_told() or tr("F1 keys")
        quality = QUALITIES.get(self.view.quality, self.view.quality)
        texts = [text for text in (figures, quality, told) if text]
        right, end, kept = self._beside_tasks(texts, width, has_console=has_console)
        self._draw_tasks(end - kept)
        if not has_console:
            self._draw_console(end)
        imgui.same_line(end)
        imgui.text_colored(theme.vector("muted"), right)

    def _beside_tasks(
        self, texts: list[str], width: float, *, has_console: bool
    ) -> tuple[str, float, float]:
        """Return the text on the right, where it begins, and the width kept for the console.

        Its first texts are left out as long as the first task would be cut. They come back when
        there is room to spare, so that they do not come and go with each move.

        Args:
            texts: the texts on the right.
            width: width of the bar, pixels.
            has_console: whether the console panel is open.
        """
        theme = self.theme
        line = next((line for line in self.status.lines.values() if line.text), None)
        needed = 0.0 if line is None else imgui.calc_text_size(_told(line)).x
        needed += imgui.get_cursor_pos_x() + theme.px(12)
        for left_out in range(len(texts)):
            right = wording("  ·  ").join(texts[left_out:])
            end = width - imgui.calc_text_size(right).x - theme.px(12)
            kept = 0.0 if has_console else min(theme.px(CONSOLE_ROOM), 0.4 * end)
            spare = theme.px(SPARE) if left_out < self._left_out else 0.0
            if needed + spare <= end - kept:
                break
        self._left_out = left_out
        return right, end, kept

    def _draw_tasks(self, end: float) -> None:
        theme = self.theme
        lines = [line for line in self.status.lines.values() if line.text]
        for index, line in enumerate(lines):
            text = _told(line)
            if index:
                imgui.same_line(0, theme.px(18))
            room = end - imgui.get_cursor_pos_x() - theme.px(12)
            least = theme.px(LEAST_READ if index else LEAST_TASK)
            if room < least and room < imgui.calc_text_size(text).x:
                break
            shown = cut(text, room)
            imgui.text_colored(theme.vector("amber" if line.busy else "text"), shown)
            if shown != text and imgui.is_item_hovered():
                imgui.set_tooltip(text)
        if lines:
            imgui.same_line(0, theme.px(18))

    def _draw_console(self, end: float) -> None:
        """Draw the console's last line; a click opens the console.

        Args:
            end: x position that the text must not exceed, pixels in the bar.
        """
        theme, console = self.theme, self.console
        told = next((item for item in reversed(console.records) if item.level != "debug"), None)
        text = tr("Console") if told is None else str(told).partition("\n")[0]
        color = "muted" if told is None else LEVEL_COLORS[told.level]
        room = end - imgui.get_cursor_pos_x() - theme.px(18)
        imgui.text_colored(theme.vector(color), cut((icons.ICON_FA_TERMINAL + " " + text), room))
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.set_cursor_screen_pos(low)
        is_pressed = pressed_area("console", max(1.0, high.x - low.x), max(1.0, high.y - low.y))
        if imgui.is_item_hovered():
            imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
            imgui.set_tooltip(tr("{text}\nOpen the console (F6)").format(text=text))
        if is_pressed:
            self.open_console()


def _told(line: StatusLine) -> str:
    """Return the text of a task, with its seconds while it lasts."""
    if not line.busy or line.seconds < 1:
        return line.text
    return line.text + tr("  {seconds} s").format(seconds=math.floor(line.seconds))


TITLE = tr("Rewind")
HEIGHT = 40  # unscaled pixels
LEAST_TRACK = 90  # unscaled pixels: texts of buttons give way before
NEAR = 5.0  # unscaled pixels from a mark
MOST_LINES = 8  # of each kind, in the menu
SPEEDS = (1 / 32, 64.0)
SECOND = 1.0
MARK_COLORS = {"warning": "amber", "error": "red", "episode": "blue"}
RANKS = ("warning", "episode", "error")
MENU, ASKING = "rewind menu", "rewind asks"


class RewindBar:
    """The timeline of a scene: shows the recorded past, plays it back and continues from it.

    Args:
        rewind: the recording of the last seconds.
        theme: colours and fonts of the window.
        say: called with the Python code that is equivalent to the user's action.
        tell: shows a message.
        keep_seconds: sets and saves how many seconds are recorded.
    """

    def __init__(
        self,
        rewind: Rewind,
        theme: Theme,
        *,
        say: Callable[[str], object],
        tell: Callable[[str], object],
        keep_seconds: Callable[[float], object],
    ) -> None:
        self.rewind = rewind
        self._theme = theme
        self._say = say
        self._tell = tell
        self._keep_seconds = keep_seconds
        self._is_dragged = False
        self._asks: list[str] = []
        self._opens_question = False
        self._keys: dict[str, Callable[[], object]] = {
            "arrow_left": lambda: self._move(-1),
            "arrow_right": lambda: self._move(1),
            "shift+arrow_left": lambda: self._move_time(-SECOND),
            "shift+arrow_right": lambda: self._move_time(SECOND),
            "home": lambda: self._seek(0),
            "end": lambda: self._seek(len(rewind) - 1),
            "space": self.toggle_playback,
            "+": lambda: self._change_speed(2.0),
            "-": lambda: self._change_speed(0.5),
            "escape": self.go_live,
        }

    @property
    def height(self) -> float:
        """Height of the bar in pixels."""
        return self._theme.px(HEIGHT)

    def watched(self, now: float) -> tuple[object, ...]:
        """Return values that show whether a redraw is needed: it is when they change.

        Args:
            now: time of a clock, seconds.
        """
        tape = self.rewind.tape
        length = 0 if tape is None or self.rewind.is_past else tape.revision and int(now * 4)
        return (self.rewind.revision, length)

    # -- what a person does -------------------------------------------------------------------

    def toggle(self) -> None:
        """Show the recorded past from its latest moment; if it is shown, return to the present."""
        if self.rewind.is_past:
            self.go_live()
        elif len(self.rewind):
            self._seek(len(self.rewind) - 1)
        elif self.rewind.is_on:
            self._tell(tr("Nothing to look back at yet"))
        else:
            self._tell(tr("Rewind is off: it keeps 0 seconds"))

    def press(self, chord: str) -> bool:
        """While the past is shown, run the command of a key.

        Args:
            chord: name of the key combination, "shift+arrow_left" for example.

        Returns:
            Whether the key has a command.
        """
        if not self.handles(chord):
            return False
        self._keys[chord]()
        return True

    def handles(self, chord: str) -> bool:
        """Return whether the past is shown and this key has a command of the timeline."""
        return self.rewind.is_past and chord in self._keys

    def go_live(self) -> None:
        """Return to the present."""
        self._say("app.rewind.live()")
        self.rewind.live()

    def toggle_playback(self) -> None:
        """Play the recorded past, or pause if it is playing."""
        if self.rewind.is_playing:
            self._say("app.rewind.pause()")
            self.rewind.pause()
        elif len(self.rewind):
            self._say("app.rewind.play()")
            self.rewind.play()

    def ask_to_continue(self) -> None:
        """Continue the scene from the shown moment.

        If some scripts cannot be reset to that moment, list them first and ask.
        """
        self._asks = self.rewind.stateless()
        if self._asks:
            self._opens_question = True
        else:
            self._continue()

    def _continue(self) -> None:
        self._say("app.rewind.continue_here()")
        self._attempt(self.rewind.continue_here)

    def _attempt(self, action: Callable[..., object], *arguments: object) -> None:
        try:
            action(*arguments)
        except (GoishiError, LookupError, OSError) as error:
            self._tell(str(error))

    def _seek(self, index: int) -> None:
        self.rewind.pause()
        self.rewind.seek(index)
        self._say(called("app.rewind.seek", self.rewind.index))

    def _move(self, frames: int) -> None:
        self._seek(self.rewind.index + frames)

    def _move_time(self, seconds: float) -> None:
        tape = self.rewind.tape
        if tape is not None:
            self._seek(tape.index_at(max(tape.begin, self.rewind.time + seconds)))

    def _change_speed(self, factor: float) -> None:
        speed = min(SPEEDS[1], max(SPEEDS[0], abs(self.rewind.speed) * factor))
        self._set_speed(math.copysign(speed, self.rewind.speed))

    def _set_speed(self, speed: float) -> None:
        self.rewind.speed = speed
        self.rewind.revision += 1

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, area: Area) -> None:
        """Draw the bar into an area of the window."""
        theme = self._theme
        with bar_window(theme, TITLE, area, theme.px(7)):
            self._draw_playback()
            wide = icons.ICON_FA_CODE_BRANCH + " " + tr("Continue from here")
            buttons = [icons.ICON_FA_ELLIPSIS]
            if self.rewind.is_past:
                buttons.insert(0, wide)
            room = imgui.get_content_region_avail().x
            needed = sum(_width_of(label) + theme.px(7) for label in buttons)
            if self.rewind.is_past and room - needed < theme.px(LEAST_TRACK):
                buttons[0] = icons.ICON_FA_CODE_BRANCH
                needed = sum(_width_of(label) + theme.px(7) for label in buttons)
            self._draw_track(max(theme.px(24), room - needed - theme.px(7)))
            self._draw_right(buttons)
            corner = imgui.ImVec2(area.left + area.width, area.top)
            for draw in (self._draw_menu, self._draw_question):
                imgui.set_next_window_pos(corner, imgui.Cond_.always, imgui.ImVec2(1.0, 1.0))
                draw()

    def _draw_playback(self) -> None:
        rewind, theme = self.rewind, self._theme
        imgui.begin_disabled(not len(rewind))
        icon = icons.ICON_FA_PAUSE if rewind.is_playing else icons.ICON_FA_PLAY
        if imgui.button(f"{icon}##playback"):
            self.toggle_playback()
        _tip(tr("Pause (Space)") if rewind.is_playing else tr("Play the past back (Space)"))
        imgui.same_line(0, theme.px(4))
        color = "muted" if rewind.is_past else "red"
        imgui.push_style_color(imgui.Col_.text, theme.vector(color))
        if imgui.button(f"{icons.ICON_FA_CIRCLE}##live") and rewind.is_past:
            self.go_live()
        imgui.pop_style_color()
        _tip(tr("Live again (F10)") if rewind.is_past else tr("Live"))
        imgui.end_disabled()
        imgui.same_line(0, theme.px(7))
        imgui.align_text_to_frame_padding()
        begin = imgui.get_cursor_pos_x()
        text = f"-{rewind.ago:.2f} s" if rewind.is_past else tr("Live")
        imgui.text_colored(theme.vector("amber" if rewind.is_past else "muted"), text)
        if rewind.title:
            _tip(tr("Saved: {title}").format(title=rewind.title))
        imgui.same_line(begin + imgui.calc_text_size("-00.00 s").x + theme.px(7))

    def _draw_track(self, width: float) -> None:
        """Draw the timeline with its marks; dragging on it shows an earlier moment.

        Args:
            width: available width, pixels.
        """
        theme, rewind = self._theme, self.rewind
        corner, high = imgui.get_cursor_screen_pos(), imgui.get_frame_height()
        imgui.invisible_button("track", imgui.ImVec2(width, high))
        canvas, middle = imgui.get_window_draw_list(), corner.y + high / 2
        half = theme.px(4)
        left, right = corner.x + theme.px(6), corner.x + width - theme.px(6)
        place = imgui.ImVec2(left, middle - half)
        canvas.add_rect_filled(
            place, imgui.ImVec2(right, middle + half), theme.packed("line"), half
        )
        tape = rewind.tape
        if tape is None or right <= left:
            return
        span = max(tape.end - tape.begin, 1e-6)
        at = left + (rewind.time - tape.begin) / span * (right - left)
        if not rewind.is_past:
            at = right
        filled = theme.packed("knob" if rewind.is_past else "hovered")
        canvas.add_rect_filled(place, imgui.ImVec2(at, middle + half), filled, half)
        marks = sorted(rewind.marks, key=lambda mark: RANKS.index(mark.kind))
        for mark in marks:
            x = left + (mark.time - tape.begin) / span * (right - left)
            canvas.add_rect_filled(
                imgui.ImVec2(x - theme.px(1), middle - 2 * half),
                imgui.ImVec2(x + theme.px(1), middle + 2 * half),
                theme.packed(MARK_COLORS[mark.kind]),
            )
        canvas.add_circle_filled(imgui.ImVec2(at, middle), theme.px(6), theme.packed("amber"))
        self._handle_pointer(left, right, marks)

    def _handle_pointer(self, left: float, right: float, marks: list[Mark]) -> None:
        tape = self.rewind.tape
        if tape is None:
            return
        x = imgui.get_io().mouse_pos.x
        time = tape.begin + (min(max(x, left), right) - left) / (right - left) * tape.span
        near = self._theme.px(NEAR) / (right - left) * tape.span
        found = min(
            (mark for mark in reversed(marks) if abs(mark.time - time) <= near),
            key=lambda mark: abs(mark.time - time),
            default=None,
        )
        if imgui.is_item_hovered():
            text = tr("{end:.2f} s ago").format(end=tape.end - time)
            if found is not None:
                text = tr("{end:.2f} s ago: {text:.200}").format(
                    end=tape.end - found.time, text=found.text
                )
            imgui.set_tooltip(text)
        if imgui.is_item_active():
            aimed = found.time if found is not None and imgui.is_item_activated() else time
            if not self._is_dragged or imgui.is_mouse_dragging(imgui.MouseButton_.left, 2.0):
                self.rewind.pause()
                self.rewind.seek_time(aimed)
            self._is_dragged = True
        elif self._is_dragged:
            self._is_dragged = False
            self._say(called("app.rewind.seek", self.rewind.index))

    def _draw_right(self, buttons: list[str]) -> None:
        theme = self._theme
        for label in buttons[:-1]:
            imgui.same_line(0, theme.px(7))
            imgui.begin_disabled(not self.rewind.can_continue)
            if imgui.button(label + "##continue"):
                self.ask_to_continue()
            imgui.end_disabled()
            can = self.rewind.can_continue
            _tip(
                tr("Continue the scene from here")
                if can
                else tr("A saved episode can only be viewed")
            )
        imgui.same_line(0, theme.px(7))
        if imgui.button(f"{buttons[-1]}##menu"):
            imgui.open_popup(MENU)
        _tip(tr("Speed, seconds, episodes"))

    def _draw_question(self) -> None:
        """Draw the question before continuing, with the scripts that keep their state."""
        if self._opens_question:
            self._opens_question = False
            imgui.open_popup(ASKING)
        if not imgui.begin_popup(ASKING):
            return
        theme = self._theme
        imgui.push_text_wrap_pos(theme.px(360))
        imgui.text(tr("These scripts save no state, so they continue as they are now:"))
        imgui.text_colored(theme.vector("amber"), ", ".join(self._asks))
        imgui.pop_text_wrap_pos()
        if imgui.button(tr("Continue from here")):
            self._continue()
            imgui.close_current_popup()
        imgui.same_line()
        if imgui.button(tr("Cancel")):
            imgui.close_current_popup()
        imgui.end_popup()

    # -- the menu -----------------------------------------------------------------------------

    def _draw_menu(self) -> None:
        if not imgui.begin_popup(MENU):
            return
        theme, rewind = self._theme, self.rewind
        imgui.set_next_item_width(theme.px(150))
        changed, speed = imgui.slider_float(
            tr("Speed"), abs(rewind.speed), *SPEEDS, "%.3gx", int(imgui.SliderFlags_.logarithmic)
        )
        is_turned, is_back = imgui.checkbox(tr("Backwards"), rewind.speed < 0)
        if (changed or is_turned) and math.isfinite(speed):
            self._set_speed((-1.0 if is_back else 1.0) * min(SPEEDS[1], max(SPEEDS[0], speed)))
            self._say(assigned("app.rewind.speed", rewind.speed))
        imgui.set_next_item_width(theme.px(150))
        changed, seconds = imgui.input_float(tr("Seconds kept"), rewind.seconds, 10.0, 10.0, "%.0f")
        if changed and math.isfinite(seconds):
            self._attempt(self._keep_seconds, seconds)
        self._draw_memory()
        self._draw_metrics()
        self._draw_episodes()
        imgui.end_popup()

    def _draw_memory(self) -> None:
        tape = self.rewind.tape
        if tape is not None:
            text = tr("{span:.1f} s in {bytes:.1f} MB").format(
                span=tape.span, bytes=tape.bytes / 2**20
            )
            imgui.text_colored(self._theme.vector("muted"), text)

    def _draw_metrics(self) -> None:
        found = list(self.rewind.metrics().items())[:MOST_LINES] if self.rewind.is_past else []
        if found:
            imgui.separator_text(tr("At this moment"))
            for name, value in found:
                imgui.text(cut(f"{name}: {value:.5g}", self._theme.px(300)))

    def _draw_episodes(self) -> None:
        rewind = self.rewind
        ended = [mark for mark in rewind.marks if mark.kind == "episode"][-MOST_LINES:]
        kept = rewind.kept()[:MOST_LINES]
        if not ended and not kept:
            return
        imgui.separator_text(tr("Episodes"))
        for number, mark in enumerate(reversed(ended)):
            imgui.push_id(number)
            if imgui.menu_item((icons.ICON_FA_FLOPPY_DISK + "  " + mark.text), "", False)[0]:
                self._keep(mark)
            _tip(tr("Save it to a file"))
            imgui.pop_id()
        for path in kept:
            if imgui.menu_item(f"{icons.ICON_FA_FOLDER_OPEN}  {path.name}", "", False)[0]:
                self._say(called("app.rewind.open", str(path)))
                self._attempt(rewind.open, path)
            _tip(tr("Open this recording of the past"))

    def _keep(self, mark: Mark) -> None:
        def keep() -> None:
            path: Path = self.rewind.keep(mark)
            self._tell(tr("Saved as {name}").format(name=path.name))

        self._attempt(keep)


def _width_of(label: str) -> float:
    return float(imgui.calc_text_size(label).x) + 2 * imgui.get_style().frame_padding.x


def _tip(text: str) -> None:
    allowed = imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled
    if text and imgui.is_item_hovered(int(allowed)):
        imgui.set_tooltip(text)

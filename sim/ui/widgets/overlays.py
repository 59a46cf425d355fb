"""Overlays on the view: scripts' overlay panels, toasts, the legend."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from imgui_bundle import imgui

from base.language.wording import Wording, refusal, tr, translated, wording
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.rewind.rewind import Rewind
from sim.core.script.panels import Legend, PanelEntry, PanelRegistry
from sim.core.tasks.clock import Clock
from sim.ui.theme.theme import icons
from sim.ui.theme.vectors import items_of
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.layout import Area
from sim.ui.widgets.set_aside import draw_of_script

LEGEND_SECONDS = 10.0
TOAST_SECONDS = 6.0
MOST_TOASTS = 3
CAPTION_SECONDS = 3.0
MOST_CAPTIONS = 4
LEVELS = {"error": tr("ERROR"), "warning": tr("WARNING"), "info": tr("INFO"), "debug": tr("DEBUG")}
TOAST_LINES = 3  # over the view
TOAST_LINES_BESIDE = 8  # beside it, where lines are short
MOST_TOLD = 0.8  # of the height, that messages may cover: what lies there is used
LEAST_BESIDE = 150.0  # pixels, unscaled, of what lies beside the view, to hold messages
BOLDER = 1.1  # how much wider than usual letters bold ones are, at most
BUTTONS_ROOM = 66.0  # pixels of two rows of buttons
MOST_OVER = 0.6  # of the view's height, that panels at its upper and lower edge may cover together
LEAST_LEGEND = 3.5  # heights of a line: with less room a legend is left out
MOST_BELOW = 0.42
"""Share of the view's height that the legend may cover with what lies below it.

The camera moves what is shown above as much as this, and no further.
"""
LOW_VIEW = 180.0  # unscaled pixels: in a view less high
MOST_LOW = 0.4  # of its height, that a panel at its upper edge may cover, even alone
CARD = tr("the legend, or the card of the first start")  # among the heights of panels
CARD_NAME = tr("Legend")  # of the window of both
EXAMPLES = tr("Examples (Ctrl+E)")
GAP_BELOW = 12.0  # pixels, under what stands at the lower edge
FIXED = (
    imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_focus_on_appearing
)
FLOATING = FIXED | imgui.WindowFlags_.always_auto_resize | imgui.WindowFlags_.no_title_bar
FLAGS = int(FLOATING)
TOAST = FLAGS & ~int(imgui.WindowFlags_.no_bring_to_front_on_focus)  # else it is below panels
ON_THE_CARD = int(imgui.HoveredFlags_.allow_when_blocked_by_active_item)
PLACES = {
    "overlay-top": ((0.5, 0.0), (0.5, 0.0), (0.0, 10.0)),
    "overlay-bottom": ((0.5, 1.0), (0.5, 1.0), (0.0, -GAP_BELOW)),
    "overlay-left": ((0.0, 0.0), (0.0, 0.0), (12.0, 10.0)),
}
"""Positions of overlay panels, by dock.

Each has a point of the view, the point of the panel that is put there, and the gap between the two
in pixels. The points are fractions of width and height from the top left.
"""


def close_popup() -> bool:
    """Close the list or menu that is open, over a dialog, too; return whether there was one.

    Dialogs stay.
    """
    stack = imgui.get_current_context().open_popup_stack
    dialog = imgui.internal.get_top_most_popup_modal()
    level = 0
    if dialog is not None:
        ids = [entry.popup_id for entry in items_of(stack)]
        level = 1 + ids.index(dialog.popup_id)
    if len(stack) <= level:
        return False
    imgui.internal.close_popup_to_level(level, True)
    return True


@dataclass
class Toast:
    """A message that disappears by itself."""

    text: str
    color: str
    until: float


class OverlayPanels:
    """Draws the overlays inside the view's area.

    Args:
        registry: the panels and legends of scripts.
        console: the console, whose errors are shown as messages.
        clock: the scene's clock; at maximum speed no legend is shown.
        rewind: recording of the scene's last seconds. While the past is shown, the panels of
            scripts take no input.
        ui: widgets and charts that the panels draw with.
        is_open: called with a panel's title; returns whether the panel is open.
    """

    def __init__(
        self,
        registry: PanelRegistry,
        console: Console,
        clock: Clock,
        rewind: Rewind,
        ui: PanelUi,
        is_open: Callable[[str], bool],
    ) -> None:
        self.ui = ui
        self.theme = ui.theme
        self.toasts: list[Toast] = []
        self.is_growing = False
        """Whether a panel had too little space in the last drawing and is redrawn."""
        self.covered_above = 0.0
        """Fraction of the view's height covered by overlays at the top in the last drawing."""
        self._needed: dict[str, tuple[float, float]] = {}
        self._heights: dict[str, float] = {}  # by title, at a scale of 1, as drawn last
        self._registry, self._console, self._clock = registry, console, clock
        self._rewind, self._is_open = rewind, is_open
        self._caption, self._caption_until = "", 0.0
        self.going_on: Callable[[], list[str]] = list
        """Returns what sounds and goes on, in words."""
        self._opened = time.monotonic()
        self._do: Callable[[str], object] | None = None
        console.subscribe(self._on_record)

    @property
    def shows_legend(self) -> bool:
        """Whether the legend is shown, in the first seconds or as first-start introduction."""
        if self._do is not None:
            return True
        is_early = time.monotonic() - self._opened < LEGEND_SECONDS
        return is_early and not self._clock.instant

    def introduce(self, do: Callable[[str], object]) -> None:
        """Show the legend with buttons, as an introduction for a new user.

        It stays until a button is pressed, a click lands outside, or `dismiss` is called.

        Args:
            do: runs an action by its name, such as "command.undo" or "app.welcome".
        """
        self._do = do

    def dismiss(self) -> bool:
        """Close the introduction of the first start; return whether it was shown."""
        was_shown, self._do = self._do is not None, None
        if was_shown:
            self._opened = -math.inf  # nor shown as a legend
        return was_shown

    def say(self, text: str, color: str = "text") -> None:
        """Show a message for some seconds; the oldest are dropped if there are too many.

        Args:
            text: the message.
            color: name of a colour of the palette.
        """
        self.toasts = [toast for toast in self.toasts if toast.text != text]
        self.toasts.append(Toast(text, color, time.monotonic() + TOAST_SECONDS))
        del self.toasts[:-MOST_TOASTS]

    def caption(self, text: str) -> None:
        """Show at the view's edge, for some seconds, what sounds."""
        self._caption, self._caption_until = text, time.monotonic() + CAPTION_SECONDS

    @property
    def present_caption(self) -> str:
        """The caption that is shown now; "" for none: a short sound, then those that go on."""
        short = [self._caption] if time.monotonic() < self._caption_until else []
        return wording("\n").join(list(dict.fromkeys([*short, *self.going_on()]))[:MOST_CAPTIONS])

    def _draw_caption(self, area: Area) -> None:
        """Draw what sounds in the upper right corner of the view.

        Args:
            area: rectangle of the view.
        """
        text = self.present_caption
        if not text:
            return
        gap = self.theme.px(10)
        self._place(area, (1.0, 0.0), (1.0, 0.0), (-gap, gap))
        imgui.set_next_window_bg_alpha(0.96)
        if imgui.begin("caption", None, TOAST)[0]:
            imgui.text_colored(self.theme.vector("text"), f"{icons.ICON_FA_VOLUME_LOW}  " + text)
        imgui.end()

    def draw(self, area: Area, around: Area) -> float:
        """Draw the overlays and set `covered_above`.

        Args:
            area: rectangle of the view.
            around: rectangle of the view and the panels around it; messages are drawn there, beside
                the view, if they fit.

        Returns:
            Fraction of the view's height that is covered at its bottom; messages do not count.
        """
        stacked: dict[str, float] = {}
        self.is_growing = False
        for entry in self._shown(area):
            self._draw_overlay(entry, area, stacked)
        below = stacked.get("overlay-bottom", 0.0)
        above = stacked.get("overlay-top", 0.0)
        room = min(MOST_OVER * area.height - above, MOST_BELOW * area.height) - below
        has_room = self._do is not None or room > LEAST_LEGEND * imgui.get_text_line_height()
        if self.shows_legend and has_room:
            height = self._draw_legend(area, below, room)
            self._draw_toasts(area, around, below + height + self.theme.px(6))
            below += height
        else:
            self._draw_toasts(area, around, below)
        self._draw_caption(area)
        gap = PLACES["overlay-top"][2][1]
        self.covered_above = (above + self.theme.px(gap)) / max(1, area.height) if above else 0.0
        return (below + self.theme.px(GAP_BELOW)) / max(1, area.height) if below else 0.0

    def _shown(self, area: Area) -> list[PanelEntry]:
        """Return the panels to draw over the view, in order; part of the view stays visible.

        They may cover at most `MOST_OVER` of the view's height. Panels at the lower edge have
        priority, since they hold the user's buttons. Panels that do not fit are left out, except
        the first one. In a very low view, a high panel at the upper edge is left out even if it is
        the first.
        """
        found = [
            entry
            for entry in self._registry.panels
            if entry.dock.startswith("overlay") and self._is_open(entry.title)
        ]
        heights = {entry.title: self._heights.get(entry.title, 0.0) for entry in found}
        room = MOST_OVER * area.height / self.theme.scale
        room -= self._heights.get(CARD, 0.0) if self._do is not None else 0.0
        height = area.height / self.theme.scale
        most = MOST_LOW * height if height < LOW_VIEW else math.inf
        has_one = self._do is not None
        left_out: set[str] = set()
        for entry in sorted(found, key=lambda entry: entry.dock != "overlay-bottom"):
            if entry.dock not in ("overlay-top", "overlay-bottom"):
                continue
            is_deep = entry.dock == "overlay-top" and heights[entry.title] > most
            if is_deep or (heights[entry.title] > room and has_one):
                left_out.add(entry.title)
            else:
                room -= heights[entry.title]
                has_one = True
        return [entry for entry in found if entry.title not in left_out]

    def _on_record(self, record: ConsoleRecord) -> None:
        if record.level == "error" and record.count == 1:
            self.say(message_of(record), "red")
        elif record.text.startswith("reloaded "):
            self.say(record.text)

    def _draw_overlay(self, entry: PanelEntry, area: Area, stacked: dict[str, float]) -> None:
        """Draw an overlay panel; panels with the same dock are stacked.

        Args:
            entry: the panel.
            area: rectangle of the view.
            stacked: used height of each dock in pixels; the panel's height is added.
        """
        anchor, pivot, gap = PLACES.get(entry.dock, PLACES["overlay-top"])
        used = stacked.get(entry.dock, 0.0)
        down = gap[1] * self.theme.scale + (used if gap[1] > 0 else -used)
        across = gap[0] * self.theme.scale
        self._place(area, anchor, pivot, (across, down))
        imgui.set_next_window_bg_alpha(0.82)
        imgui.push_style_var(imgui.StyleVar_.window_rounding, self.theme.px(7))
        if imgui.begin((entry.title + "###overlay " + entry.title), None, FLAGS)[0]:
            padding = imgui.get_style().window_padding.x
            self.ui.floating_room = max(80.0, area.width - self.theme.px(16) - 2.0 * padding)
            imgui.begin_disabled(self._rewind.is_past)
            draw_of_script(entry, entry.draw, self.ui, self.theme, self._console)
            imgui.end_disabled()
            self.ui.floating_room = None
            self._note_growth(entry.title)
        height = imgui.get_window_height() + self.theme.px(6)
        self._heights[entry.title] = height / self.theme.scale
        stacked[entry.dock] = used + height
        imgui.end()
        imgui.pop_style_var()

    def _note_growth(self, title: str) -> None:
        """Set `is_growing` if the content of a panel is larger than its window.

        Args:
            title: title of the panel, whose window is being drawn.
        """
        low, size = imgui.get_window_pos(), imgui.get_window_size()
        padding = imgui.get_style().window_padding
        end = imgui.internal.get_current_window().dc.cursor_max_pos
        needed = (round(end.x - low.x + padding.x), round(end.y - low.y + padding.y))
        is_small = needed[0] > size.x + 1.0 or needed[1] > size.y + 1.0
        if is_small and self._needed.get(title) != needed:  # once: the view may have no more room
            self.is_growing = True
        self._needed[title] = needed

    def _draw_legend(self, area: Area, used: float, room: float) -> float:
        """Draw the legends, or the introduction of the first start.

        Args:
            area: rectangle of the view.
            used: distance from the view's lower edge, pixels.
            room: available height in pixels; lines that do not fit are left out.

        Returns:
            The height, pixels.
        """
        height = 0.0
        for legend in self._registry.legends:
            self._place(area, (0.5, 1.0), (0.5, 1.0), (0.0, -self.theme.px(14) - used))
            imgui.set_next_window_bg_alpha(0.85)
            imgui.push_style_var(imgui.StyleVar_.window_rounding, self.theme.px(7))
            if imgui.begin(CARD_NAME, None, int(FLOATING))[0]:
                self._draw_words(legend, area, room)
                if self._do is not None:
                    self._draw_choices(legend, self._do)
                self.ui.floating_room = None
            height = imgui.get_window_height()
            imgui.end()
            imgui.pop_style_var()
        self._heights[CARD] = height / self.theme.scale
        return height

    def _draw_words(self, legend: Legend, area: Area, room: float) -> None:
        """Draw the title and the lines of a legend, wrapped to the view's width.

        Args:
            legend: the legend.
            area: rectangle of the view.
            room: available height in pixels; lines that do not fit are left out.
        """
        padding = imgui.get_style().window_padding
        across = self.ui.floating_room = area.width - self.theme.px(16) - 2.0 * padding.x
        lines = legend.lines[: 1 if self._do is not None else None]
        widest = max(imgui.calc_text_size(line).x for line in (legend.title, *lines))
        imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + min(across, widest * BOLDER))
        self.ui.heading(legend.title, wraps=True)
        room -= imgui.get_cursor_pos_y() + padding.y
        room -= self.theme.px(BUTTONS_ROOM) if self._do is not None else 0.0
        for line in lines:
            room -= imgui.calc_text_size(line, False, across).y + imgui.get_style().item_spacing.y
            if room < 0.0:
                break
            self.theme.wrapped(line, "muted")
        imgui.pop_text_wrap_pos()

    def _draw_choices(self, legend: Legend, do: Callable[[str], object]) -> None:
        """Draw the buttons of the introduction; a click on one, or outside, closes it.

        Args:
            legend: the legend, with the commands to offer.
            do: runs an action by its name.
        """
        imgui.dummy(imgui.ImVec2(0, self.theme.px(2)))
        is_pressed = self.ui.button(tr("Watch"))
        for name, label in legend.choices:
            self.ui.beside(self.ui.button_width(label))
            if self.ui.button(label):
                do(f"command.{name}")
                is_pressed = True
        self.ui.beside(self.ui.button_width(EXAMPLES))
        if self.ui.button(EXAMPLES):
            do("app.welcome")
            is_pressed = True
        is_on_it = imgui.is_window_hovered(ON_THE_CARD)
        if is_pressed or (imgui.is_mouse_clicked(imgui.MouseButton_.left) and not is_on_it):
            self.dismiss()

    def _draw_toasts(self, view: Area, around: Area, used: float) -> None:
        """Draw the messages, the newest lowest; a click on one closes it.

        Args:
            view: rectangle of the view.
            around: rectangle of the view and the panels around it; messages are drawn beside the
                view if there is enough space.
            used: distance of the messages from the view's lower edge, if they are drawn over it,
                pixels.
        """
        now = time.monotonic()
        self.toasts = [toast for toast in self.toasts if toast.until > now]
        beside = beside_view(view, around, self.theme.px(LEAST_BESIDE))
        area, lines = (view, TOAST_LINES) if beside is None else (beside, TOAST_LINES_BESIDE)
        height = used if beside is None else 0.0
        room = max(40.0, area.width - self.theme.px(46))
        for index, toast in enumerate(reversed(list(self.toasts))):
            text = _fitted(toast.text, lines, room)
            needed = imgui.calc_text_size(text, False, room).y + self.theme.px(30)
            if index and height + needed > MOST_TOLD * area.height:
                break
            gap = (self.theme.px(12), -self.theme.px(12) - height)
            self._place(area, (0.0, 1.0), (0.0, 1.0), gap)
            imgui.set_next_window_bg_alpha(0.96)
            if imgui.begin(f"toast {index}", None, TOAST)[0]:
                wrapped = min(imgui.calc_text_size(text).x, room)
                imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + wrapped + 1.0)
                imgui.text_colored(self.theme.vector(toast.color), text)
                imgui.pop_text_wrap_pos()
                if imgui.is_window_hovered() and imgui.is_mouse_clicked(0):
                    self.toasts.remove(toast)
            height += imgui.get_window_height() + self.theme.px(6)
            imgui.end()

    def _place(
        self,
        area: Area,
        anchor: tuple[float, float],
        pivot: tuple[float, float],
        gap: tuple[float, float],
    ) -> None:
        place = imgui.ImVec2(
            area.left + anchor[0] * area.width + gap[0],
            area.top + anchor[1] * area.height + gap[1],
        )
        imgui.set_next_window_pos(place, imgui.Cond_.always, imgui.ImVec2(*pivot))


def beside_view(view: Area, around: Area, least: float) -> Area | None:
    """Return the free rectangle to the right of the view, or else to the left.

    Args:
        view: rectangle of the view.
        around: rectangle of the view and the panels around it.
        least: smallest useful width, pixels.

    Returns:
        The rectangle; None if neither is wide enough.
    """
    right = view.left + view.width
    end = around.left + around.width
    for left, width in ((right, end - right), (around.left, view.left - around.left)):
        if width >= least:
            return Area(left, around.top, width, around.height)
    return None


def message_of(record: ConsoleRecord) -> str:
    """Return a record's text for a message, in the user's language if its words are known.

    Its file is named only once.
    """
    is_twice = bool(record.file) and record.source == record.file
    shown = dataclasses.replace(record, source="", component="") if is_twice else record
    text = refusal(record.text)
    is_plain = str(shown) == f"{record.level.upper()} {record.text}"
    if not is_plain or not isinstance(text, Wording):
        return str(shown)
    return LEVELS[record.level] + wording(" ") + text


def _fitted(text: str, lines: int, room: float) -> str:
    """Shorten a text to a number of lines; a shortened text ends with an ellipsis.

    Args:
        text: the text.
        lines: number of lines.
        room: width of a line, pixels.
    """
    text = translated(text)
    most = lines * 0.9 * room  # words do not fill their lines
    width = imgui.calc_text_size(text).x
    if width <= most:
        return text
    return text[: max(8, math.floor(len(text) * most / width) - 1)] + "…"

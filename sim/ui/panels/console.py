"""The console panel: log records filtered by level and text, with the Python prompt below.

The displayed lines are recomputed only after a change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.python_text import assigned
from sim.core.scene.scene import ComponentSlot, Scene
from sim.ui.panels.prompt import PromptLine
from sim.ui.theme.theme import LEVEL_COLORS, Theme, begin_flat_child, icons, is_opened
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.set_aside import is_set_aside, retry

FRAME = re.compile(r"^\s+(?P<file>\S.*):(?P<line>\d+) in \S+$")


SLACK = 256  # rows kept for a while after their records fell out of the console


@dataclass
class ConsoleRow:
    """A row of the console: one record, or several equal records in a group.

    Attributes:
        record: the record; the latest one of a group.
        key: unique key of the row.
        past: how often the earlier records of the group occurred in all.
    """

    record: ConsoleRecord
    key: int
    past: int = 0

    @property
    def count(self) -> int:
        """How often the record occurred, with the earlier records of its group."""
        return self.past + self.record.count


@dataclass(frozen=True)
class ConsoleLine:
    """One displayed line: a row itself, or one line of its details.

    Attributes:
        row: the row that the line belongs to.
        detail: text of the detail line; None for the row itself.
    """

    row: ConsoleRow
    detail: str | None = None


class ConsoleLines:
    """The displayed lines of a console: its filtered records and their unfolded details."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.levels = {"error": True, "warning": True, "info": True, "debug": False}
        self.search = ""
        self.is_collapsed = False
        self.rows: list[ConsoleRow] = []
        self.rebuilt = 0  # how often everything was filtered anew
        self._opened: set[int] = set()
        self._flat: list[ConsoleLine] | None = None  # lines, where some row is open
        self._filter: tuple[object, ...] = ()
        self._revision = -1
        self._last: ConsoleRecord | None = None
        self._joined: dict[tuple[object, ...], ConsoleRow] = {}

    def __len__(self) -> int:
        return len(self.rows) if self._flat is None else len(self._flat)

    def line(self, number: int) -> ConsoleLine:
        """Return a line by its index."""
        return ConsoleLine(self.rows[number]) if self._flat is None else self._flat[number]

    def toggle(self, row: ConsoleRow) -> None:
        """Unfold or fold the details of a row."""
        self._opened ^= {row.key}
        self._lay_out()

    def is_open(self, row: ConsoleRow) -> bool:
        """Return whether the details of a row are shown."""
        return row.key in self._opened

    def update(self) -> None:
        """Recompute the lines after a change of the console or the filter."""
        wanted = (tuple(self.levels.items()), self.search.lower(), self.is_collapsed)
        is_same = wanted == self._filter
        if is_same and self._revision == self.console.revision:
            return
        self._filter = wanted
        self._revision = self.console.revision
        fresh = self._fresh() if is_same else None
        if fresh is None:
            self.rebuilt += 1
            self.rows, self._joined = [], {}
            fresh = list(self.console.records)
            self._opened &= set(map(id, fresh))
        for record in fresh:
            self._add(record)
        records = self.console.records
        self._last = records[-1] if records else None
        if len(self.rows) > len(records) + SLACK:
            self._drop()
        self._lay_out()

    def _fresh(self) -> list[ConsoleRecord] | None:
        """Return the records added since the last update.

        Returns:
            The records; None if the console no longer holds the last record of that update.
        """
        if self._last is None:
            return None
        found: list[ConsoleRecord] = []
        for record in reversed(self.console.records):
            if record is self._last:
                return found[::-1]
            found.append(record)
        return None

    def _add(self, record: ConsoleRecord) -> None:
        if not self.levels[record.level] or self.search.lower() not in text_of(record).lower():
            return
        known = self._joined.get(record.key) if self.is_collapsed else None
        if known is not None:
            known.past += known.record.count
            known.record = record
            return
        row = ConsoleRow(record, id(record))
        self.rows.append(row)
        if self.is_collapsed:
            self._joined[record.key] = row

    def _drop(self) -> None:
        """Remove the rows whose records the console has discarded."""
        kept = set(map(id, self.console.records))
        self.rows = [row for row in self.rows if id(row.record) in kept]
        self._opened &= {row.key for row in self.rows}
        self._joined = {row.record.key: row for row in self.rows} if self.is_collapsed else {}

    def _lay_out(self) -> None:
        self._flat = None
        if not self._opened:
            return
        self._flat = []
        for row in self.rows:
            self._flat.append(ConsoleLine(row))
            if row.key in self._opened:
                self._flat.extend(ConsoleLine(row, text) for text in details_of(row.record))


def text_of(record: ConsoleRecord) -> str:
    """Return a record's text without its level."""
    return str(record).partition(" ")[2]


def details_of(record: ConsoleRecord) -> list[str]:
    """Return the detail lines of a record; empty if it has none."""
    if record.details:
        return record.details.splitlines()
    return record.text.splitlines() if "\n" in record.text else []


def place_in(detail: str) -> tuple[str, int] | None:
    """Return the file and line that a line of a traceback names; None if it names none."""
    found = FRAME.match(detail)
    return (found["file"], int(found["line"])) if found is not None else None


def as_text(rows: Iterable[ConsoleRow]) -> str:
    """Return rows as text for the clipboard, a line each."""
    return "\n".join(str(row.record) for row in rows)


def as_python(rows: Iterable[ConsoleRow]) -> str:
    """Return the Python code that the rows hold: typed input and the recorded edits."""
    lines = (row.record.text for row in rows)
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


EMPTY = tr("Nothing to report. What scripts print stands here.")
BADGES = {
    "error": icons.ICON_FA_CIRCLE_XMARK,
    "warning": icons.ICON_FA_TRIANGLE_EXCLAMATION,
    "info": icons.ICON_FA_CIRCLE_INFO,
    "debug": icons.ICON_FA_BUG,
}
MARKED = ("error", "warning")  # levels whose lines begin with their sign
OpenAt = Callable[[str, int], object]
BAR_BUTTONS = 4  # beside the filter
LONGEST_LINE = 2_000  # characters drawn of one line


class ConsolePanel:
    """Lists the console's records.

    Args:
        console: the console.
        scene: the live scene. A record of a component that was stopped after an error gets a button
            that runs the component again.
        open_at: called with file and line when a location is clicked; the file is relative to the
            project when inside it.
        prompt: the prompt line below the records.
    """

    def __init__(
        self,
        console: Console,
        scene: Scene,
        *,
        open_at: OpenAt | None = None,
        prompt: PromptLine | None = None,
    ) -> None:
        self.is_focused = False  # whether the list has the keyboard, when it was drawn last
        self.open_at = open_at
        self.prompt = prompt
        self.lines = ConsoleLines(console)
        self._console = console
        self._scene = scene
        self.selected: int | None = None  # the key of a row
        self.is_at_end = True
        self._wants_end = False
        self.on_type: Callable[[], object] = bool
        self._theme: Theme  # of the drawing under way

    @property
    def levels(self) -> dict[str, bool]:
        """The levels, and whether each is shown."""
        return self.lines.levels

    @property
    def search(self) -> str:
        """Text that shown records must contain."""
        return self.lines.search

    @search.setter
    def search(self, text: str) -> None:
        self.lines.search = text

    def visible(self) -> list[ConsoleRecord]:
        """Return the records that match the filter."""
        self.lines.update()
        return [row.record for row in self.lines.rows]

    def draw(self, ui: PanelUi) -> None:
        """Draw the filter line, the records and the prompt."""
        self._theme = theme = ui.theme
        self._draw_bar()
        self.lines.update()
        below = self.prompt.height() if self.prompt is not None else 0.0
        flags = imgui.WindowFlags_.horizontal_scrollbar
        if begin_flat_child("records", imgui.ImVec2(0, -below if below else 0), int(flags)):
            imgui.push_font(theme.mono, 0.0)
            self._draw_lines()
            imgui.pop_font()
            self._scroll()
            self._handle_keys()
        imgui.end_child()
        if self.prompt is not None:
            self.prompt.draw(theme)

    # -- the bar ------------------------------------------------------------------------------

    def _draw_bar(self) -> None:
        for level, badge in BADGES.items():
            self._draw_level(level, badge)
            imgui.same_line(0, 4)
        imgui.same_line(0, 12)
        padding = imgui.get_style().frame_padding.x
        beside = BAR_BUTTONS * (self._theme.px(20) + 2 * padding)
        room = imgui.get_content_region_avail().x - beside
        imgui.set_next_item_width(max(self._theme.px(50), min(self._theme.px(150), room)))
        imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(8, 0))
        _, self.search = imgui.input_text_with_hint("##search", tr("filter"), self.search)
        if imgui.is_item_deactivated_after_edit():
            self._console.python(assigned("shell.console.search", self.search))
        imgui.pop_style_var()
        imgui.same_line(0, 12)
        lines = self.lines
        if _toggle(
            self._theme, icons.ICON_FA_LAYER_GROUP, lines.is_collapsed, tr("Group equal lines")
        ):
            lines.is_collapsed = not lines.is_collapsed
            self._console.python(assigned("shell.console.lines.is_collapsed", lines.is_collapsed))
        imgui.same_line(0, 4)
        if _button(icons.ICON_FA_COPY, tr("copy all"), tr("Copy all lines that are shown")):
            imgui.set_clipboard_text(as_text(lines.rows))
        imgui.same_line(0, 4)
        if _button(icons.ICON_FA_TRASH, "clear", tr("Clear the console")):
            self._console.clear()
            self._console.python("host.console.clear()")
        if not self.is_at_end:
            imgui.same_line(0, 4)
            if _button(icons.ICON_FA_ARROW_DOWN, "end", tr("Go to the last line")):
                self._wants_end = True

    def _draw_level(self, level: str, badge: str) -> None:
        count = self._console.counts[level]
        color = LEVEL_COLORS[level] if self.levels[level] else "muted"
        imgui.push_style_color(imgui.Col_.text, self._theme.vector(color))
        imgui.push_style_var(imgui.StyleVar_.alpha, 1.0 if self.levels[level] else 0.5)
        if imgui.small_button(f"{badge} {count}##{level}"):
            self.levels[level] = not self.levels[level]
            what = f'shell.console.levels["{level}"]'
            self._console.python(assigned(what, self.levels[level]))
        imgui.pop_style_var()
        imgui.pop_style_color()
        if imgui.is_item_hovered():
            verb = tr("Hide") if self.levels[level] else tr("Show")
            imgui.set_tooltip(tr("{verb} lines of level {level}").format(verb=verb, level=level))

    # -- the lines ----------------------------------------------------------------------------

    def _draw_lines(self) -> None:
        lines = self.lines
        if not len(lines):
            text = self._why_empty() if self._console.records else EMPTY
            if self._theme.next_step(text, tr("Type Python")):
                self.on_type()
            return
        clipper = imgui.ListClipper()
        clipper.begin(len(lines))
        while clipper.step():
            for number in range(clipper.display_start, clipper.display_end):
                if number >= len(lines):  # a row was closed in this frame
                    break
                line = lines.line(number)
                imgui.push_id(number)
                if line.detail is None:
                    self._draw_row(line.row)
                else:
                    self._draw_detail(line)
                imgui.pop_id()
        clipper.end()

    def _why_empty(self) -> str:
        hidden = [level for level, is_shown in self.levels.items() if not is_shown]
        levels = tr(" and ").join(hidden)
        return (
            tr("Nothing to show ({levels} lines are hidden).").format(levels=levels)
            if hidden
            else tr("Nothing to show.")
        )

    def _draw_row(self, row: ConsoleRow) -> None:
        record = row.record
        start = imgui.get_cursor_pos()
        if _row(is_selected=self.selected == row.key):
            self.selected = row.key
            if is_opened():
                self._open(row)
        self._draw_menu(row)
        imgui.set_cursor_pos(start)
        if details_of(record):
            arrow = "CHEVRON_DOWN" if self.lines.is_open(row) else "CHEVRON_RIGHT"
            imgui.text_colored(self._theme.vector("muted"), getattr(icons, f"ICON_FA_{arrow}"))
            if _is_clicked():
                self.lines.toggle(row)
        imgui.set_cursor_pos(imgui.ImVec2(start.x + self._theme.px(16), start.y))
        color = self._theme.vector(_color(record))
        before, after = _pieces(record)
        if record.level in MARKED:
            imgui.text_colored(color, BADGES[record.level] + " ")
            imgui.same_line(0, 0)
        if before:
            imgui.text_colored(color, before)
            imgui.same_line(0, 0)
        if record.place:
            self._draw_place(record.place, record.file, record.line)
            imgui.same_line(0, 0)
        imgui.text_colored(color, after)
        imgui.same_line(0, 0)
        if row.count > 1:
            imgui.text_colored(self._theme.vector("amber"), f"  {row.count}x")
            imgui.same_line(0, 0)
        self._draw_retry(record)
        imgui.new_line()

    def _open(self, row: ConsoleRow) -> None:
        """Unfold a row, or fold it; of a row without details, open the file that it names."""
        record = row.record
        can_open = bool(record.file) and not record.file.startswith("<")
        if details_of(record):
            self.lines.toggle(row)
        elif self.open_at is not None and can_open and imgui.is_key_pressed(imgui.Key.enter, False):
            self.open_at(record.file, record.line)

    def _draw_detail(self, line: ConsoleLine) -> None:
        text = (line.detail or "")[:LONGEST_LINE]
        place = place_in(text)
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + self._theme.px(16))
        imgui.text_colored(self._theme.vector("muted"), text)
        if place is not None and self.open_at is not None:
            _underline_hovered(self._theme)
            if _is_clicked():
                self.open_at(*place)

    def _draw_place(self, text: str, file: str, number: int) -> None:
        imgui.text_colored(self._theme.vector("blue"), text)
        if self.open_at is None or file.startswith("<"):
            return
        _underline_hovered(self._theme)
        if _is_clicked():
            self.open_at(file, number)

    def _draw_retry(self, record: ConsoleRecord) -> None:
        slot = self._scene.component(record.slot_id) if record.slot_id else None
        if slot is not None and slot.error is record and is_set_aside(slot):
            imgui.same_line(0, 12)
            if imgui.small_button(tr("Retry")):
                retry(self._console, slot)
            imgui.same_line(0, 0)
        elif slot is not None and self._is_given_up(record, slot):
            imgui.same_line(0, 12)
            if imgui.small_button(tr("Restart")):
                retry(self._console, slot)
            imgui.same_line(0, 0)

    def _is_given_up(self, record: ConsoleRecord, slot: ComponentSlot) -> bool:
        """Return whether a record says that a worker of a component was given up, and it still is.

        Args:
            record: the record.
            slot: slot of the component.
        """
        return any(link.failure == record.text for link in slot.host.links.given_up(slot))

    def _draw_menu(self, row: ConsoleRow) -> None:
        if not imgui.begin_popup_context_item("row"):
            return
        record = row.record
        self.selected = row.key
        if imgui.menu_item_simple(tr("Copy line")):
            imgui.set_clipboard_text(str(record))
        if imgui.menu_item_simple(tr("Copy details"), enabled=bool(details_of(record))):
            imgui.set_clipboard_text("\n".join([str(record), *details_of(record)]))
        if imgui.menu_item_simple(tr("Copy as Python"), enabled=bool(as_python([row]))):
            imgui.set_clipboard_text(as_python([row]))
        if imgui.menu_item_simple(
            tr("Copy all as Python"), enabled=bool(as_python(self.lines.rows))
        ):
            imgui.set_clipboard_text(as_python(self.lines.rows))
        if imgui.menu_item_simple(tr("Copy all")):
            imgui.set_clipboard_text(as_text(self.lines.rows))
        can_open = bool(record.file) and not record.file.startswith("<")
        if self.open_at is not None and can_open:
            imgui.separator()
            if imgui.menu_item_simple(tr("Open {place}").format(place=record.place)):
                self.open_at(record.file, record.line)
        imgui.end_popup()

    # -- the rest -----------------------------------------------------------------------------

    def _scroll(self) -> None:
        """Follow new records while the end is visible; stay in place if the user scrolled up."""
        self.is_at_end = imgui.get_scroll_y() >= imgui.get_scroll_max_y() - 2
        if self.is_at_end or self._wants_end:
            imgui.set_scroll_here_y(1.0)
            self._wants_end = False

    def _handle_keys(self) -> None:
        self.is_focused = imgui.is_window_focused()

    def copy_marked(self) -> bool:
        """Copy the marked row, if a click into the list was the last; return whether it was."""
        chosen = [row for row in self.lines.rows if row.key == self.selected]
        if not (self.is_focused and chosen):
            return False
        imgui.set_clipboard_text(as_text(chosen))
        return True


def _pieces(record: ConsoleRecord) -> tuple[str, str]:
    """Return the text before and after a record's location: its source and its message."""
    text = record.text.partition("\n")[0][:LONGEST_LINE]
    hook = f".{record.hook}" if record.hook else ""
    where = f"{record.source} > {record.component}{hook}" if record.component else record.source
    return (f"{where}  " if where else "", f"  {text}" if record.place else text)


def _color(record: ConsoleRecord) -> str:
    if (
        record.level in ("info", "debug")
        and record.text.startswith((">>> ", "... "))
        and not record.source
    ):
        return "green"
    return LEVEL_COLORS[record.level]


def _row(*, is_selected: bool) -> bool:
    flags = imgui.SelectableFlags_
    size = imgui.ImVec2(max(imgui.get_content_region_avail().x, 1.0), 0)
    kinds = int(flags.allow_overlap | flags.allow_double_click)
    return bool(imgui.selectable("##row", is_selected, kinds, size)[0])


def _is_pointed_at() -> bool:
    """Return whether the pointer is over the text that was drawn last.

    A row of the list lies over the text and may take the pointer. ImGui's own test would then
    return False.
    """
    flags = int(imgui.HoveredFlags_.allow_when_blocked_by_active_item)
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    return bool(imgui.is_window_hovered(flags) and imgui.is_mouse_hovering_rect(low, high))


def _is_clicked() -> bool:
    return _is_pointed_at() and bool(imgui.is_mouse_clicked(0))


def _underline_hovered(theme: Theme) -> None:
    if _is_pointed_at():
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        imgui.get_window_draw_list().add_line(
            imgui.ImVec2(low.x, high.y), high, theme.packed("blue")
        )
        imgui.set_tooltip(tr("Open at this line"))


def _button(icon: str, name: str, tip: str) -> bool:
    is_pressed = imgui.small_button(f"{icon}##{name}")
    if imgui.is_item_hovered():
        imgui.set_tooltip(tip)
    return bool(is_pressed)


def _toggle(theme: Theme, icon: str, is_on: bool, tip: str) -> bool:
    imgui.push_style_color(imgui.Col_.text, theme.vector("amber" if is_on else "muted"))
    is_pressed = _button(icon, tip, tip)
    imgui.pop_style_color()
    return is_pressed

"""What the window shows of its texts: every one that is drawn, where, and whether it is cut.

A `SeenTexts` listens to the functions of ImGui that draw texts. After a drawing it knows each text as
it is read, and its fault: cut by its window, its column, its button or its tab, or under another text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from imgui_bundle import imgui

from base.language.wording import ID, Wording, translated
from sim.ui.theme import theme

NEAR = 1.5
"""Pixels that a rectangle may be beyond another one: sizes are rounded."""
PLAIN = (
    "text", "text_colored", "text_disabled", "text_unformatted", "text_wrapped", "bullet_text",
    "separator_text", "checkbox", "radio_button", "text_link", "text_link_open_url", "label_text",
)  # fmt: skip
"""Functions whose item is as wide as its text."""
FRAMED = ("button", "small_button", "tab_item_button", "progress_bar")
"""Functions that draw their text inside a frame, which may be too narrow for it."""
ROWS = ("selectable", "menu_item", "menu_item_simple")
"""Functions whose item is as wide as its window, and whose text begins at its left end."""
FOLDED = ("tree_node", "tree_node_ex", "collapsing_header")
"""Functions that draw an arrow before their text."""
LISTS = ("begin_combo", "combo")
"""Functions that draw the chosen one of some texts before an arrow."""
LABELLED = (
    "slider_float", "slider_int", "drag_float", "drag_int", "input_int", "input_float",
    "color_edit3", "color_edit4", "input_text",
)  # fmt: skip
"""Functions that draw their name behind a frame."""
FIXED = int(imgui.WindowFlags_.no_scroll_with_mouse)
"""Flag of windows that nobody can scroll."""
NO_WINDOW = "Debug##Default"
"""What ImGui draws into where no window was begun."""
HINTED = ("input_text_with_hint",)


class Box(NamedTuple):
    """A rectangle, pixels from the window's upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def meet(self, other: Box) -> Box:
        """Return what both rectangles cover."""
        return Box(
            max(self.left, other.left), max(self.top, other.top),
            min(self.right, other.right), min(self.bottom, other.bottom),
        )  # fmt: skip

    @property
    def is_empty(self) -> bool:
        """Whether it covers less than rounding does."""
        return self.right - self.left <= 2 * NEAR or self.bottom - self.top <= 2 * NEAR


NOWHERE = Box(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Seen:
    """A text that was drawn.

    Attributes:
        text: as it is read.
        english: what the program passed, before it was translated.
        is_marked: whether it was marked for translation.
        kind: name of the function that drew it.
        window: name of its window.
        box: where the letters stand; empty where another function has put them.
        fault: what is wrong with it; "" if nothing is.
    """

    text: str
    english: str
    is_marked: bool
    kind: str
    window: str
    box: Box
    fault: str = ""

    def __str__(self) -> str:
        return f"{self.window}: {self.kind} {self.text!r}: {self.fault}"


class SeenTexts:
    """Listens to all texts that ImGui draws.

    Args:
        patch: takes the place of ImGui's functions as long as it lasts.

    Attributes:
        found: the texts since `forget` was called, in the order of drawing.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.found: list[Seen] = []
        self._patch = patch
        self._last_cut: object = ""
        judges: dict[str, Callable[..., object]] = {
            **dict.fromkeys(PLAIN, self._judge_plain),
            **dict.fromkeys(FRAMED, self._judge_frame),
            **dict.fromkeys(ROWS, self._judge_row),
            **dict.fromkeys(FOLDED, self._judge_folded),
            **dict.fromkeys(LABELLED, self._judge_labelled),
            "begin": self._judge_window,
            "begin_popup_modal": self._judge_window,
            "begin_tab_item": self._judge_tab,
            "table_headers_row": self._judge_headers,
        }
        for name, judge in judges.items():
            patch.setattr(imgui, name, _after(getattr(imgui, name), name, judge))
        for name in LISTS:
            patch.setattr(imgui, name, self._listing(getattr(imgui, name), name))
        for name in HINTED:
            patch.setattr(imgui, name, self._hinting(getattr(imgui, name), name))
        patch.setattr(imgui, "table_setup_column", self._naming(imgui.table_setup_column))
        patch.setattr(imgui.ImDrawList, "add_text", self._painting(imgui.ImDrawList.add_text))
        patch.setattr(theme, "translated", self._remember)
        patch.setattr(theme, "_shortened", self._shortening(theme._shortened))
        self._columns: dict[int, list[str]] = {}

    def forget(self) -> None:
        """Begin anew."""
        self.found.clear()

    @property
    def faults(self) -> list[Seen]:
        """Texts that are cut, or under another text; each once."""
        cut = [seen for seen in self.found if seen.fault]
        return list({(seen.window, seen.text): seen for seen in (*cut, *self._covered())}.values())

    def _covered(self) -> Iterator[Seen]:
        """Yield texts of a window that another text of this window was drawn over."""
        windows: dict[str, list[Seen]] = {}
        for seen in self.found:
            if not seen.fault and not seen.box.is_empty:
                windows.setdefault(seen.window, []).append(seen)
        for texts in windows.values():
            texts.sort(key=lambda seen: seen.box.top)
            for place, seen in enumerate(texts):
                for other in texts[place + 1 :]:
                    if other.box.top > seen.box.bottom:
                        break
                    if not seen.box.meet(other.box).is_empty and seen.text != other.text:
                        fault = f"covered by {other.text!r}"
                        yield Seen(seen.text, seen.english, seen.is_marked, seen.kind, seen.window,
                                   seen.box, fault)  # fmt: skip

    # -- what is noted ------------------------------------------------------------------------

    def _note(
        self,
        kind: str,
        text: object,
        box: Box,
        needed: float = 0.0,
        room: float = 0.0,
        *,
        is_alone: bool = True,
    ) -> None:
        """Note a text, and whether it is cut.

        Args:
            kind: name of the function that drew it.
            text: what was passed to it.
            box: where the letters stand.
            needed: width of the letters in their frame; 0 where there is no frame.
            room: width that the frame has for them.
            is_alone: whether no other text stands at this place in turn.
        """
        shown = translated(str(text) if not isinstance(text, Wording) else text).partition(ID)[0]
        window = imgui.internal.get_current_window()
        if not shown.strip() or window.hidden or window.skip_items:
            return
        clip = _box_of(window.clip_rect)
        fault = f"{needed:.0f} pixels in a frame of {room:.0f}" if needed > room + NEAR else ""
        fault = fault or _cut_by(box, clip, window)
        self.found.append(
            Seen(shown, str(text), isinstance(text, Wording), kind, window.name,
                 box.meet(clip) if is_alone else NOWHERE, fault)
        )  # fmt: skip

    def _judge_plain(self, kind: str, args: tuple[Any, ...]) -> None:
        text = next((item for item in args if isinstance(item, str)), "")
        self._note(kind, text, _item())

    def _judge_frame(self, kind: str, args: tuple[Any, ...]) -> None:
        text = next((item for item in args if isinstance(item, str)), "")
        box = _item()
        self._note(kind, text, box, _width(text), box.right - box.left)

    def _judge_row(self, kind: str, args: tuple[Any, ...]) -> None:
        box = _item()
        left = box.left + imgui.get_style().item_spacing.x / 2
        self._note(kind, args[0], box._replace(left=left, right=left + _width(args[0])))

    def _judge_folded(self, kind: str, args: tuple[Any, ...]) -> None:
        text = next((item for item in reversed(args) if isinstance(item, str)), "")
        box, pad = _item(), imgui.get_style().frame_padding.x
        arrow = imgui.get_font_size() + pad * (3 if kind == "collapsing_header" else 2)
        self._note(kind, text, box._replace(right=box.left + arrow + _width(text)))

    def _judge_labelled(self, kind: str, args: tuple[Any, ...]) -> None:
        self._note(kind, args[0], _item())

    def _judge_window(self, kind: str, args: tuple[Any, ...]) -> None:
        window = imgui.internal.get_current_window()
        if window.name == NO_WINDOW:  # a dialog that is not open
            return
        node = window.dock_node
        if node is not None:
            if node.tab_bar is not None:
                self._judge_tabs(node.tab_bar)
            return
        if window.flags & int(imgui.WindowFlags_.no_title_bar):
            return
        style = imgui.get_style()
        room = window.size.x - 2 * style.frame_padding.x
        if window.has_close_button:
            room -= imgui.get_font_size() + style.frame_padding.x
        corner = window.pos
        box = Box(corner.x, corner.y, corner.x, corner.y)
        self._note("title", args[0], box, _width(args[0]), room)

    def _judge_tabs(self, bar: Any) -> None:
        for tab in bar.tabs:
            if tab.window is not None:
                self._note_tab(tab, tab.window.name)

    def _judge_tab(self, kind: str, args: tuple[Any, ...]) -> None:
        bar = imgui.internal.get_current_tab_bar()
        for tab in () if bar is None else bar.tabs:
            if tab.id_ == imgui.internal.tab_bar_get_current_tab(bar).id_:
                self._note_tab(tab, args[0])

    def _note_tab(self, tab: Any, name: str) -> None:
        if tab.width > 0:
            self._note("tab", name, NOWHERE, tab.content_width, tab.width)

    def _judge_headers(self, kind: str, args: tuple[Any, ...]) -> None:
        table = imgui.internal.get_current_table()
        for place, name in enumerate(self._columns.get(table.id_, [])):
            self._note("header", name, NOWHERE, _width(name), _column_width(table, place))
        self._columns.pop(table.id_, None)

    # -- functions of another form ------------------------------------------------------------

    def _naming(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(draw)
        def drawn(name: str, *args: Any, **options: Any) -> Any:
            table = imgui.internal.get_current_table()
            self._columns.setdefault(table.id_, []).append(name)
            return draw(name, *args, **options)

        return drawn

    def _listing(self, draw: Callable[..., Any], kind: str) -> Callable[..., Any]:
        @functools.wraps(draw)
        def drawn(label: str, chosen: Any, *args: Any, **options: Any) -> Any:
            texts = [chosen] if kind == "begin_combo" else list(args[0])
            corner, across = imgui.get_cursor_screen_pos(), imgui.calc_item_width()
            high = imgui.get_frame_height()
            room = across - high - imgui.get_style().frame_padding.x
            for text in texts:
                box = Box(corner.x, corner.y, corner.x + across, corner.y + high)
                self._note(kind, text, box, _width(text), room, is_alone=len(texts) == 1)
            return draw(label, chosen, *args, **options)

        return drawn

    def _hinting(self, draw: Callable[..., Any], kind: str) -> Callable[..., Any]:
        @functools.wraps(draw)
        def drawn(label: str, hint: str, text: str, *args: Any, **options: Any) -> Any:
            room = imgui.calc_item_width() - 2 * imgui.get_style().frame_padding.x
            found = draw(label, hint, text, *args, **options)
            self._note(kind, hint, _item(), 0.0 if text else _width(hint), room)
            return found

        return drawn

    def _painting(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(draw)
        def drawn(drawing: Any, *args: Any, **options: Any) -> Any:
            self._note_painted(drawing, args)
            return draw(drawing, *args, **options)

        return drawn

    def _note_painted(self, drawing: Any, args: tuple[Any, ...]) -> None:
        text = next((item for item in args if isinstance(item, str)), "")
        shown = translated(text)
        if isinstance(args[0], imgui.ImFont):
            size, place = args[0].calc_text_size_a(args[1], 1e9, 0.0, shown), args[2]
        else:
            size, place = imgui.calc_text_size(shown), args[0]
        low, high = drawing.get_clip_rect_min(), drawing.get_clip_rect_max()
        box = Box(place.x, place.y, place.x + size.x, place.y + size.y)
        window = imgui.internal.get_current_window()
        if shown.strip() and not window.hidden:
            clip = Box(low.x, low.y, high.x, high.y)
            fault = _cut_by(box, clip, window)
            self.found.append(
                Seen(shown, str(text), isinstance(text, Wording), "add_text", window.name,
                     NOWHERE, fault)
            )  # fmt: skip

    def _remember(self, text: str) -> str:
        self._last_cut = text
        return translated(text)

    def _shortening(self, shorten: Callable[..., str]) -> Callable[..., str]:
        def shortened(text: str, room: float, width: float) -> str:
            if isinstance(self._last_cut, Wording):
                window = imgui.internal.get_current_window().name
                fault = f"shortened from {width:.0f} to {room:.0f} pixels"
                self.found.append(
                    Seen(text, str(self._last_cut), True, "cut", window, NOWHERE, fault)
                )
            return shorten(text, room, width)

        return shortened


def _after(draw: Callable[..., Any], name: str, judge: Callable[..., object]) -> Callable[..., Any]:
    """Return a function that draws, and then judges what it has drawn."""

    @functools.wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        found = draw(*args, **options)
        judge(name, args)
        return found

    return drawn


def _cut_by(box: Box, clip: Box, window: Any) -> str:
    """Return what cuts a text off; "" if it is whole, or a person can scroll to it.

    Args:
        box: where its letters stand.
        clip: what is seen of its window or column.
        window: ImGui's window.
    """
    if box.right <= box.left:
        return ""
    can_cross = bool(window.flags & int(imgui.WindowFlags_.horizontal_scrollbar))
    can_fall = window.scroll_max.y > 0 and not window.flags & FIXED
    if box.right > clip.right + NEAR and not can_cross:
        return f"ends {box.right - clip.right:.0f} pixels beyond the right edge"
    if box.left < clip.left - NEAR and not can_cross:
        return f"begins {clip.left - box.left:.0f} pixels before the left edge"
    if box.bottom > clip.bottom + NEAR and not can_fall:
        return f"ends {box.bottom - clip.bottom:.0f} pixels below the lower edge"
    return ""


def _column_width(table: Any, place: int) -> float:
    """Return the width that a column of a table has for its header, pixels."""
    box = imgui.internal.table_get_cell_bg_rect(table, place)
    return float(box.max.x - box.min.x - 2 * table.cell_padding_x)


def _item() -> Box:
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    return Box(low.x, low.y, high.x, high.y)


def _box_of(rect: Any) -> Box:
    return Box(rect.min.x, rect.min.y, rect.max.x, rect.max.y)


def _width(text: str) -> float:
    return float(imgui.calc_text_size(translated(text).partition(ID)[0]).x)


@contextmanager
def seen_texts() -> Iterator[SeenTexts]:
    """Listen to all texts inside the `with` block."""
    with pytest.MonkeyPatch.context() as patch:
        yield SeenTexts(patch)

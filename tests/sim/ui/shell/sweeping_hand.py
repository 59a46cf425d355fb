"""A hand that uses every widget of the panels, one after the other, where it stands in the code.

ImGui's widgets are replaced by ones that answer as if they had been used. Menus and lists lie open,
so that what is in them is drawn too. A widget is known by the lines of code that draw it, and by its
label.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from imgui_bundle import imgui

ROOT = Path(__file__).resolve().parents[4]
PRESSED = ("button", "small_button", "invisible_button", "menu_item_simple", "radio_button")
PAIRS = ("selectable", "menu_item")
VALUES = (
    "checkbox", "combo", "slider_int", "slider_float", "drag_int", "drag_float", "drag_float2",
    "drag_float3", "drag_float4", "color_edit3", "color_edit4", "input_text",
    "input_text_with_hint", "input_text_multiline",
)  # fmt: skip
OPENED = ("begin_popup", "begin_combo", "begin_menu")
CLOSED = ("end_popup", "end_combo", "end_menu", "close_current_popup", "open_popup")
HELPERS = ("context.py", "field_widgets.py")
NEW = ("create(", "duplicate(", "instantiate(", "add_component(")  # ids differ each time
EDITS = ("editor.", "find(", "scene.get(")
MOST_OF_A_BAR = 40
MOST_OF_A_LINE = 2  # labels of one line of code, such as the rows of a list
LATE = ("Delete", "Remove", "close", "clear", "Stop", "Discard", "Leave", "Resign", "Live game")


class Widget(NamedTuple):
    """One widget: who draws it, its kind and its label."""

    site: tuple[str, ...]
    kind: str
    label: str

    def __str__(self) -> str:
        return f"{' < '.join(self.site)}: {self.kind} {self.label!r}"


class Hand:
    """Finds the widgets of a drawing, and uses one of them."""

    def __init__(self) -> None:
        self.found: list[Widget] = []
        self.target: Widget | None = None
        self.is_done = False
        self._last: Widget | None = None
        self._disabled = 0
        self._menus: set[str] = set()
        self.opens_menus = False
        """Whether the menus of a right click lie open, each where it is met first."""
        self._real = {name: getattr(imgui, name) for name in dir(imgui)}

    @contextmanager
    def on_panels(self) -> Iterator[None]:
        """Replace the widgets for a while."""
        fakes: dict[str, Any] = {name: self._pressing(name) for name in PRESSED}
        fakes |= {name: self._choosing(name) for name in PAIRS}
        fakes |= {name: self._changing(name) for name in VALUES}
        fakes |= dict.fromkeys(OPENED, lambda *_, **__: True)
        fakes |= dict.fromkeys(CLOSED, lambda *_, **__: None)
        fakes |= {
            "begin_popup_context_item": self._begin_context,
            "collapsing_header": self._header,
            "begin_disabled": self._begin_disabled,
            "end_disabled": self._end_disabled,
            "is_item_deactivated_after_edit": lambda: self.is_done and self._last == self.target,
        }
        for name, fake in fakes.items():
            setattr(imgui, name, fake)
        try:
            yield
        finally:
            for name in fakes:
                setattr(imgui, name, self._real[name])

    def begin(self, target: Widget | None = None) -> None:
        """Begin a drawing in which a widget is used."""
        self.found, self.target, self.is_done, self._disabled = [], target, False, 0
        self._menus = set()

    def _meets(self, kind: str, label: str) -> bool:
        """Take note of a widget; tell whether it is the one to be used."""
        widget = Widget(_site(), kind, label)
        self._last = widget
        if self._disabled:
            return False
        if widget not in self.found:
            self.found.append(widget)
        if widget != self.target or self.is_done:
            return False
        self.is_done = True
        return True

    def _pressing(self, kind: str) -> Any:
        def widget(label: str, *arguments: Any, **options: Any) -> bool:
            is_used = self._meets(kind, label) and options.get("enabled", True)
            self._real[kind](label, *arguments, **options)
            return is_used

        return widget

    def _choosing(self, kind: str) -> Any:
        def widget(label: str, *arguments: Any, **options: Any) -> tuple[bool, bool]:
            is_chosen = kind == "selectable" and arguments[:1] == (True,)
            is_used = not is_chosen and self._meets(kind, label)
            self._real[kind](label, *arguments, **options)
            return is_used, is_used

        return widget

    def _changing(self, kind: str) -> Any:
        def widget(label: str, *arguments: Any, **options: Any) -> tuple[bool, Any]:
            is_used = self._meets(kind, label)
            place = 1 if kind == "input_text_with_hint" else 0
            self._real[kind](label, *arguments, **options)
            value = arguments[place]
            return (True, _other(kind, value, arguments)) if is_used else (False, value)

        return widget

    def _header(self, label: str, *arguments: Any) -> bool:
        self._real["collapsing_header"](label, *arguments)
        return True

    def _begin_context(self, name: str) -> bool:
        if not self.opens_menus or name in self._menus:
            return False
        self._menus.add(name)
        return True

    def _begin_disabled(self, disabled: bool = True) -> None:
        self._real["begin_disabled"](disabled)
        self._disabled += disabled

    def _end_disabled(self) -> None:
        self._real["end_disabled"]()
        self._disabled = max(0, self._disabled - 1)


def _other(kind: str, value: Any, arguments: Any) -> Any:
    """Return another value than the present one."""
    if kind == "checkbox":
        return not value
    if kind == "combo":
        return (value + 1) % max(1, len(arguments[1]))
    if kind == "slider_int":
        return value + 1 if value < arguments[2] else value - 1
    if kind == "slider_float":
        low, high = arguments[1], arguments[2]
        return value + (high - low) / 4 if value < (low + high) / 2 else value - (high - low) / 4
    if kind in ("drag_int", "drag_float"):
        return value + 1
    if kind.startswith("input"):
        return f"{value}2"
    return [min(1.0, item + 0.25) if item < 0.9 else item - 0.25 for item in list(value)]


def _site() -> tuple[str, ...]:
    """Return the two innermost lines of code that draw, beside those that only help to."""
    frame = sys._getframe(3)
    found: list[str] = []
    while frame is not None and len(found) < 2:
        file = frame.f_code.co_filename
        if file != __file__ and Path(file).name not in HELPERS:
            found.append(f"{_short(file)}:{frame.f_lineno}")
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


def _short(file: str) -> str:
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def _is_of_window(widget: Widget) -> bool:
    return "toolbar.py" in widget.site[0] or "panel_menu.py" in widget.site[0]


def _lateness(widget: Widget) -> tuple[bool, bool]:
    """What changes the whole window is used last, after what takes things away."""
    return _is_of_window(widget), any(word in widget.label for word in LATE)


class Sweep:
    """Uses every widget that a shell draws, and keeps what the console says.

    Args:
        pilot: drives the app; it is paused.
        refusals: returns all that panels have refused: a value that is none changes nothing.
        tidy: called after each use, lets the panels show all they have again.
        untyped: how lines begin that are not typed: they would end the app.
    """

    def __init__(
        self, pilot: Any, refusals: Any, tidy: Any, *, untyped: tuple[str, ...] = ()
    ) -> None:
        self.pilot = pilot
        self.hand = Hand()
        self.refusals = refusals
        self.tidy = tidy
        self.untyped = untyped
        self.only: tuple[str, ...] = ("",)
        """How the files begin whose widgets are used."""
        self.bars: tuple[str, ...] = ()
        """How the files begin whose lines of code draw bars of different buttons, not rows."""
        self._said: list[str] = []
        pilot.app.console.subscribe(lambda record: self._said.append(record.text))
        self.used: dict[Widget, list[str]] = {}
        self.refused: set[Widget] = set()
        self.missed: list[Widget] = []
        self.faults: list[str] = []

    def run(self) -> None:
        """Use what is drawn now, and what that makes appear."""
        self.hand.opens_menus = False
        while True:
            self._draw()
            waiting = [item for item in self.hand.found if self._is_new(item)]
            if not waiting and self.hand.opens_menus:
                return
            if not waiting:
                self.hand.opens_menus = True
                continue
            waiting.sort(key=_lateness)
            self._use(waiting[0])

    def _is_new(self, widget: Widget) -> bool:
        same = [item for item in self.used if item.site == widget.site]
        if not widget.site[0].startswith(self.only):
            return False
        is_bar = _is_of_window(widget) or widget.site[0].startswith(self.bars)
        most = MOST_OF_A_BAR if is_bar else MOST_OF_A_LINE
        is_gone = self.missed.count(widget) > 2
        return widget not in self.used and len(same) < most and not is_gone

    def _use(self, widget: Widget) -> None:
        refused, edits = self.refusals(), self.pilot.app.editor.revision
        self._said.clear()
        self._draw(widget)
        if not self.hand.is_done:  # what was used before has taken it away
            self.missed.append(widget)
            self.tidy()
            return
        self.used[widget] = [line[4:] for line in self._said if line.startswith(">>> ")]
        if not self.used[widget] and self.refusals() != refused:
            self.refused.add(widget)
        self._type(self.used[widget], edits)
        self.tidy()

    def _type(self, lines: list[str], edits: int) -> None:
        """Type at the prompt what was said: it does the same, once an edit is taken back."""
        editor, shell = self.pilot.app.editor, self.pilot.app.shell
        is_edit = editor.revision != edits and len(lines) == 1 and lines[0].startswith(EDITS)
        after = editor.data()
        if is_edit and not editor.undo():
            self.faults.append(f"{lines[0]}: nothing to undo")
        for line in lines:
            if line.startswith(self.untyped):
                continue
            result = shell.interpreter.run(line)
            if result.error is not None:
                self.faults.append(f"{line}: {result.error.text}")
            elif is_edit and not any(word in line for word in NEW) and editor.data() != after:
                self.faults.append(f"{line}: does something else")

    def _draw(self, target: Widget | None = None) -> None:
        self.hand.begin(target)
        with self.hand.on_panels():
            self.pilot.app.shell.layer.lay_out()

    def silent(self, exempt: Any) -> list[str]:
        """Return the widgets that did something and said nothing."""
        return [
            str(item)
            for item, lines in self.used.items()
            if not lines and item not in self.refused and not exempt(item)
        ]

"""Menus over the view: a title, items, toggles, sliders and submenus, for a game's pause and start.

A menu takes the keyboard, the gamepads and the pointer while it is open, and works while the scene
is paused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from base.closed import Closed
from base.values import shown_text
from sim.core.canvas.painter import Picture
from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import checked_chord, chords_of, normal
from sim.core.scene.scene import ComponentSlot
from sim.core.script.hud import Button, HudBoard, HudCanvas

Kind = Literal["item", "toggle", "slider", "submenu"]
Followed = Callable[[Callable[..., object]], Callable[..., object]]

KEYS: Final = {
    "arrow_up": "up", "arrow_down": "down", "arrow_left": "left", "arrow_right": "right",
    "enter": "go", "space": "go", "escape": "back", "backspace": "back", "tab": "down",
    "dpad_up": "up", "dpad_down": "down", "dpad_left": "left", "dpad_right": "right",
    "south": "go", "a": "go", "east": "back", "b": "back",
}  # fmt: skip
"""What keys and buttons of gamepads do in an open menu."""
STICK: Final = {"left_x": ("left", "right"), "left_y": ("down", "up")}
TILTED, UPRIGHT = 0.6, 0.35  # deflections from which a stick counts, and below which it is at rest
SHADE = (0.0, 0.0, 0.0, 0.6)
PANEL = (0.115, 0.11, 0.102, 0.97)
EDGE = (1.0, 1.0, 1.0, 0.14)
CHOSEN = (0.40, 0.28, 0.11, 1.0)
AMBER = (0.94, 0.66, 0.26)
WORDS = (0.95, 0.93, 0.90)
FAINT = (0.62, 0.595, 0.56)
GROOVE = (1.0, 1.0, 1.0, 0.16)
WIDTH, ROW, TITLE, MARGIN = 440.0, 46.0, 74.0, 22.0  # pixels at scale 1 in a window of usual size
USUAL = (900.0, 560.0)  # width and height of a view in which a menu has these sizes
SMALLEST = 0.55  # of these sizes; with more rows than fit then, the menu scrolls
BAR = 0.42  # share of a row that a slider takes


@dataclass
class Row:
    """A row of a menu.

    Attributes:
        label: its text.
        kind: what it is.
        act: called without arguments when it is activated.
        read: returns the value that is shown; None if it has none.
        change: called with the new value.
        low: lowest value of a slider.
        high: highest value.
        step: distance of two values.
        is_enabled: whether it can be chosen.
        area: left, top, width and height on the canvas, pixels; zero while it is not shown.
    """

    label: str
    kind: Kind
    act: Callable[[], object] | None = None
    read: Callable[[], object] | None = None
    change: Callable[..., object] | None = None
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    is_enabled: bool = True
    area: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


class MenuCanvas(HudCanvas):
    """The canvas of a menu: it stays over a hot reload, and draws its rows itself."""

    __slots__ = ()

    stays = True

    @property
    def picture(self) -> Picture:
        """Pixels of the drawing, in which the rows are; not to be changed."""
        return self._pixels


class HudMenu(Closed):
    """A menu over the view, made by `self.hud.menu(title)`.

    While it is open, it has the keyboard, the gamepads and the pointer; scripts hear of none. Arrow
    keys, a stick or the pointer choose a row. Enter, Space, the lower button of a pad or a click
    activate it. Left and right change a slider or a toggle. Escape, Backspace or the right button
    of a pad go back to the menu above, or close it.

    Args:
        slot: slot of the component that the menu belongs to.
        board: the canvases over the view.
        followed: makes a method follow its script's hot reload.
        title: heading.
        keys: keys that open the menu, and close it again.
        pauses: whether scene time stands still while it is open.
        can_close: whether the user can close it.
    """

    __slots__ = (
        "_above", "_at", "_board", "_canvas", "_dragged", "_first", "_followed", "_has_paused",
        "_slot", "_tilt", "can_close", "key", "keys", "pauses", "rows", "title",
    )  # fmt: skip

    def __init__(
        self,
        slot: ComponentSlot,
        board: HudBoard,
        followed: Followed,
        title: str,
        *,
        keys: Sequence[str] = (),
        pauses: bool = True,
        can_close: bool = True,
    ) -> None:
        self.title = shown_text(title)
        self.pauses, self.can_close = pauses, can_close
        self.rows: list[Row] = []
        self.key = f"menu {self.title}"
        self.keys = tuple(checked_chord(key, f"menu({title!r})") for key in keys)
        self._slot, self._board, self._followed = slot, board, followed
        self._above: HudMenu | None = None
        self._canvas: MenuCanvas | None = None
        self._at = self._first = 0
        self._has_paused = False
        self._tilt: dict[str, int] = {}
        self._dragged: Row | None = None
        if self.keys:
            slot.host.input.bind(self.key, *self.keys)

    def __repr__(self) -> str:
        return f"<HudMenu {self.title!r}, {len(self.rows)} rows>"

    # -- what is in it ------------------------------------------------------------------------

    def item(
        self,
        label: str,
        callback: Callable[[], object],
        *,
        closes: bool = False,
        is_enabled: bool = True,
    ) -> None:
        """Add a row that calls a function.

        Args:
            label: its text.
            callback: called without arguments when it is activated.
            closes: whether the menu is closed first.
            is_enabled: whether it can be chosen; a disabled one is shown faint.
        """
        call = self._followed(callback)

        def act() -> None:
            if closes:
                self.close()
            self._slot.host.call(self._slot, f"menu {label}", call)

        self._add(Row(shown_text(label), "item", act, is_enabled=is_enabled))

    def toggle(
        self,
        label: str,
        value: bool | Callable[[], bool],
        changed: Callable[[bool], object] | None = None,
    ) -> None:
        """Add a row that is on or off.

        Args:
            label: its text.
            value: whether it is on at first; or a function that returns whether it is on.
            changed: called with the new value; None for nothing.
        """
        read, change = self._kept(value, changed)
        self._add(Row(shown_text(label), "toggle", read=read, change=change))

    def slider(
        self,
        label: str,
        value: float | Callable[[], float],
        changed: Callable[[float], object] | None = None,
        *,
        min: float = 0.0,
        max: float = 1.0,
        step: float = 0.1,
    ) -> None:
        """Add a row with a number that left, right and the pointer change.

        Args:
            label: its text.
            value: the number at first; or a function that returns it.
            changed: called with the new number; None for nothing.
            min: lowest number.
            max: highest number.
            step: distance of two numbers.

        Raises:
            ValueError: the numbers are not finite, `min` is not below `max`, or the step is not
                above 0.
        """
        numbers = (float(min), float(max), float(step))
        if not all(map(math.isfinite, numbers)) or not min < max or not step > 0.0:
            raise ValueError(
                f"menu.slider: expected min below max and a step above 0, found min {min!r}, "
                f"max {max!r}, step {step!r}"
            )
        read, change = self._kept(value, changed)
        low, high, by = numbers
        self._add(
            Row(shown_text(label), "slider", read=read, change=change, low=low, high=high, step=by)
        )

    def submenu(self, title: str) -> HudMenu:
        """Add a row that leads to a menu of its own; return that menu, to be filled."""
        inner = HudMenu(self._slot, self._board, self._followed, title, pauses=False)
        inner._above = self
        self._add(Row(shown_text(title), "submenu", lambda: self._show(inner)))
        return inner

    def clear(self) -> None:
        """Remove all rows, such as to fill the menu anew."""
        self.rows.clear()
        self._at = self._first = 0
        self.refresh()

    def refresh(self) -> None:
        """Draw the menu again, after a value that it shows has changed."""
        if self._canvas is not None:
            self._board.list_rows(self._canvas, self._buttons())
            self._canvas.redraw()
            self._canvas.changed()

    def _add(self, row: Row) -> None:
        self.rows.append(row)
        self.refresh()

    def _kept(
        self, value: object, changed: Callable[..., object] | None
    ) -> tuple[Callable[[], object], Callable[..., object]]:
        """Return functions that read and change a value; without a function it is kept here."""
        call = None if changed is None else self._followed(changed)
        if callable(value):
            return self._followed(value), call or bool
        box = [value]

        def change(new: object) -> None:
            box[0] = new
            if call is not None:
                call(new)

        return lambda: box[0], change

    # -- open and closed ----------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether it is shown, or a submenu of it."""
        shown = self._board.menu
        while isinstance(shown, HudMenu):
            if shown is self:
                return True
            shown = shown._above
        return False

    @property
    def is_alive(self) -> bool:
        """Whether its component works, and it could be drawn."""
        return self._canvas is not None and self._canvas.is_shown

    @property
    def can_open(self) -> bool:
        """Whether its component works."""
        return self._slot.is_active and not self._slot.is_gone

    def open(self) -> None:
        """Show the menu; nothing happens if it is shown. Another open menu is closed."""
        if self.is_open:
            return
        shown = self._board.menu
        if isinstance(shown, HudMenu):
            shown.close()
        clock = self._slot.host.clock
        self._has_paused = self.pauses and not clock.paused
        if self._has_paused:
            clock.pause()
        self._at = self._first = 0
        self._skip(1)
        self._show(self)

    def close(self) -> None:
        """Close the menu, and the menus above it; scene time goes on if the menu had paused it."""
        shown = self._board.menu
        if not self.is_open or not isinstance(shown, HudMenu):
            return
        shown._hide()
        self._board.show_menu(None, None)
        top = self
        while top._above is not None:
            top = top._above
        host = self._slot.host
        host.input.grab(())
        if top._has_paused and not host.clock.is_stopped:
            host.clock.resume()
        top._has_paused = False

    def _show(self, menu: HudMenu) -> None:
        """Show a menu in place of this one."""
        self._hide()
        menu._at = menu._first = 0 if menu is not self else self._at
        menu._skip(1)
        menu._draw_on_new_canvas()
        names = [name for name in KEYS if normal(name)]
        pads = [f"pad_{name}" for name in KEYS]
        self._slot.host.input.grab((*names, *filter(normal, pads), *self._top.keys))

    @property
    def _top(self) -> HudMenu:
        menu = self
        while menu._above is not None:
            menu = menu._above
        return menu

    def _draw_on_new_canvas(self) -> None:
        name = self._slot.object.path
        self._canvas = MenuCanvas(
            self._slot, f"{self.key} of {name}", (16, 16), anchor="center", margin=0.0,
            share=(0.0, 0.0, 1.0, 1.0), draw=self._draw, background=(0.0, 0.0, 0.0, 0.0),
        )  # fmt: skip
        self._board.show_menu(self, self._canvas)
        self.refresh()

    def _hide(self) -> None:
        self._dragged = None
        if self._canvas is not None:
            self._canvas.remove()
            self._canvas = None

    def _back(self) -> None:
        if self._above is not None:
            above = self._above
            self._hide()
            above._draw_on_new_canvas()
        elif self.can_close:
            self.close()

    # -- input --------------------------------------------------------------------------------

    def opens_by(self, event: InputEvent) -> bool:
        """Return whether an input event is one of the keys that open the menu."""
        return any(name in self.keys for name in _names_of(event))

    def handle(self, event: InputEvent, view: tuple[int, int, int, int]) -> bool:
        """Handle an input event while the menu is open; return whether nobody else may have it.

        Args:
            event: the event.
            view: left, top, width and height of the view in the window, pixels.
        """
        if event.kind in ("key_down", "pad_down"):
            meant = next((KEYS[name] for name in _plain(event) if name in KEYS), "")
            if meant:
                self._do(meant)
            elif self._top.opens_by(event) and self._top.can_close:
                self._top.close()
            return True
        if event.kind == "pad_axis" and event.key in STICK:
            self._tilt_stick(event.key, event.value)
        elif event.kind in ("pointer_move", "button_down", "button_up", "wheel"):
            return self._handle_pointer(event, view)
        return event.kind == "text"

    def _tilt_stick(self, axis: str, value: float) -> None:
        """Move by a stick: once for each time that it is tilted."""
        before = self._tilt.get(axis, 0)
        now = 0 if abs(value) < UPRIGHT else before
        if abs(value) >= TILTED:
            now = 1 if value > 0.0 else -1
        self._tilt[axis] = now
        if now and now != before:
            self._do(STICK[axis][now > 0])

    def _handle_pointer(self, event: InputEvent, view: tuple[int, int, int, int]) -> bool:
        if event.kind == "wheel":
            if event.y:
                self._do("up" if event.y > 0.0 else "down")
            return True
        canvas = self._canvas
        if canvas is None:
            return True
        x, y = (event.x - view[0]) / canvas.scale, (event.y - view[1]) / canvas.scale
        row = self._row_at(x, y)
        if event.kind == "button_up":
            self._dragged = None
        if event.kind == "pointer_move" and self._dragged is None and row is not None:
            self._choose(self.rows.index(row))
        is_press = event.kind == "button_down" and event.key == "mouse1"
        if is_press and row is not None and row.kind == "slider":
            self._dragged = row
        if self._dragged is not None:
            self._drag(self._dragged, x)
        is_of_a_slider = row is not None and row.kind == "slider"
        return event.kind == "button_down" and (row is None or is_of_a_slider)

    def _row_at(self, x: float, y: float) -> Row | None:
        def covers(row: Row) -> bool:
            left, top, width, height = row.area
            return row.is_enabled and left <= x < left + width and top <= y < top + height

        return next((row for row in self.rows if covers(row)), None)

    def _drag(self, row: Row, x: float) -> None:
        """Set a slider to the place of the pointer."""
        left, width = _bar_of(row)
        share = min(1.0, max(0.0, (x - left) / max(1.0, width)))
        self._change(row, row.low + share * (row.high - row.low))

    def _do(self, what: str) -> None:
        """Carry out what a key means: up, down, left, right, go or back."""
        if what in ("up", "down"):
            self._choose(self._at + (1 if what == "down" else -1))
            self._skip(1 if what == "down" else -1)
        elif what == "back":
            self._back()
        elif self.rows and self.rows[self._at].is_enabled and what:
            self._use(self.rows[self._at], what)

    def _use(self, row: Row, what: str) -> None:
        if row.kind == "slider" and what in ("left", "right"):
            value = self._value(row)
            sign = 1.0 if what == "right" else -1.0
            self._change(row, (value if isinstance(value, int | float) else 0.0) + sign * row.step)
        elif row.kind == "toggle":
            self._change(row, not self._value(row))
        elif what == "go" and row.act is not None:
            row.act()

    def _choose(self, index: int) -> None:
        if self.rows and index % len(self.rows) != self._at:
            self._at = index % len(self.rows)
            self.refresh()

    def _skip(self, step: int) -> None:
        """Go on to the next row that can be chosen."""
        for _ in self.rows:
            if self.rows[self._at % len(self.rows)].is_enabled:
                break
            self._at = (self._at + step) % len(self.rows)

    def _value(self, row: Row) -> object:
        read = row.read or bool
        return self._slot.host.call(self._slot, f"menu {row.label}", read)

    def _change(self, row: Row, value: object) -> None:
        """Give a row a value, a slider within its bounds and at one of its steps."""
        if row.kind == "slider" and isinstance(value, int | float):
            steps = round((value - row.low) / row.step)
            value = round(min(row.high, max(row.low, row.low + steps * row.step)), 9)
        if row.change is not None and value != self._value(row):
            self._slot.host.call(self._slot, f"menu {row.label}", row.change, value)
        self.refresh()

    def _buttons(self) -> list[Button]:
        """Return its rows as buttons, which the pointer, the prompt and tests press."""

        def press(row: Row) -> Callable[[], object]:
            def pressed() -> None:
                self._at = self.rows.index(row)
                self._use(row, "go")

            return pressed

        return [
            Button(row.label, row.area, press(row), is_enabled=row.is_enabled) for row in self.rows
        ]

    # -- the picture --------------------------------------------------------------------------

    def _draw(self, canvas: HudCanvas) -> None:
        """Draw the menu, in the middle of the view; it grows with the window."""
        wide, high = float(canvas.width), float(canvas.height)
        count = max(1, len(self.rows))
        grown = max(1.0, min(wide / USUAL[0], high / USUAL[1]))
        fits = (high - 16.0) / (TITLE + count * ROW + MARGIN)
        size = max(min(grown, fits, (wide - 16.0) / WIDTH), min(SMALLEST, (wide - 16.0) / WIDTH))
        shown = min(count, max(1, int(((high - 16.0) / size - TITLE - MARGIN) / ROW)))
        self._first = min(max(self._first, self._at - shown + 1), self._at, count - shown)
        width, height = WIDTH * size, (TITLE + shown * ROW + MARGIN) * size
        left, top = (wide - width) / 2.0, (high - height) / 2.0
        canvas.clear(SHADE)
        canvas.rectangle((left, top, width, height), PANEL, radius=14.0 * size)
        canvas.rectangle((left, top, width, height), EDGE, width=max(1.0, size), radius=14.0 * size)
        middle = (left + width / 2.0, top + 0.56 * TITLE * size)
        self._write(
            canvas, self.title, middle, WORDS, 28.0 * size, 600, "center", width - 40.0 * size
        )
        for number, row in enumerate(self.rows):
            place = number - self._first
            if 0 <= place < shown:
                y = top + (TITLE + place * ROW) * size
                row.area = (left + 16.0 * size, y, width - 32.0 * size, (ROW - 4.0) * size)
                self._draw_row(canvas, row, size, is_chosen=number == self._at)
            else:
                row.area = (0.0, 0.0, 0.0, 0.0)
        self._draw_more(canvas, (left, top, width, height), size, shown)
        self._board.list_rows(canvas, self._buttons())

    def _draw_row(self, canvas: HudCanvas, row: Row, size: float, *, is_chosen: bool) -> None:
        left, top, width, height = row.area
        if is_chosen:
            canvas.rectangle(row.area, CHOSEN, radius=8.0 * size)
            canvas.rectangle(row.area, AMBER, width=max(1.0, 1.4 * size), radius=8.0 * size)
        ink = WORDS if row.is_enabled else FAINT
        text, weight, middle = 19.0 * size, 600 if is_chosen else 450, top + height / 2.0
        has_value = row.kind in ("slider", "toggle")
        if not has_value:
            label = f"{row.label} …" if row.kind == "submenu" else row.label
            at = (left + width / 2.0, middle)
            self._write(canvas, label, at, ink, text, weight, "center", width - 24.0 * size)
            return
        room = width * (1.0 - BAR) - 92.0 * size if row.kind == "slider" else width * 0.7
        self._write(
            canvas, row.label, (left + 14.0 * size, middle), ink, text, weight, "left", room
        )
        value = None if row.read is None else row.read()
        if row.kind == "toggle":
            _draw_toggle(canvas, row, size, is_on=bool(value))
        else:
            _draw_slider(canvas, row, size, float(value) if isinstance(value, int | float) else 0.0)

    def _draw_more(
        self, canvas: HudCanvas, panel: tuple[float, float, float, float], size: float, shown: int
    ) -> None:
        """Draw a bar at the edge that shows which of the rows are seen, if not all are."""
        if shown >= len(self.rows):
            return
        left, top, width, _ = panel
        x, y = left + width - 9.0 * size, top + TITLE * size
        high = shown * ROW * size
        part, begin = shown / len(self.rows), self._first / len(self.rows)
        canvas.rectangle((x, y, 4.0 * size, high), GROOVE, radius=2.0 * size)
        canvas.rectangle((x, y + begin * high, 4.0 * size, part * high), AMBER, radius=2.0 * size)

    @staticmethod
    def _write(
        canvas: HudCanvas,
        text: str,
        at: tuple[float, float],
        ink: Sequence[float],
        size: float,
        weight: int,
        align: Literal["left", "center"],
        room: float,
    ) -> None:
        """Write a line, smaller if it is too long for its room."""
        wide = canvas.text_size(text, size=size, weight=weight)[0]
        size *= min(1.0, room / wide) if wide else 1.0
        canvas.text(text, at, ink, size=max(1.0, size), weight=weight, align=align, valign="middle")


def _bar_of(row: Row) -> tuple[float, float]:
    """Return left and width of a slider's bar on the canvas, pixels."""
    left, _, width, height = row.area
    bar = width * BAR
    return left + width - bar - 1.7 * height, bar


def _draw_slider(canvas: HudCanvas, row: Row, size: float, value: float) -> None:
    left, width = _bar_of(row)
    _, top, whole, height = row.area
    middle, thick = top + height / 2.0, 6.0 * size
    share = min(1.0, max(0.0, (value - row.low) / (row.high - row.low)))
    canvas.rectangle((left, middle - thick / 2, width, thick), GROOVE, radius=thick / 2)
    if share * width >= 1.0:
        canvas.rectangle((left, middle - thick / 2, share * width, thick), AMBER, radius=thick / 2)
    canvas.circle((left + share * width, middle), 8.0 * size, WORDS)
    digits = max(0, min(6, -math.floor(math.log10(row.step) + 1e-9)))
    at = (row.area[0] + whole - 12.0 * size, middle)
    canvas.text(f"{value:.{digits}f}", at, WORDS, size=16.0 * size, align="right", valign="middle")


def _draw_toggle(canvas: HudCanvas, row: Row, size: float, *, is_on: bool) -> None:
    left, top, width, height = row.area
    wide, high = 46.0 * size, 24.0 * size
    x, y = left + width - wide - 12.0 * size, top + (height - high) / 2.0
    canvas.rectangle((x, y, wide, high), AMBER if is_on else GROOVE, radius=high / 2.0)
    knob = x + (wide - high / 2.0 if is_on else high / 2.0)
    canvas.circle((knob, y + high / 2.0), 9.0 * size, WORDS)
    word = "on" if is_on else "off"
    at = (x - 10.0 * size, y + high / 2.0)
    canvas.text(word, at, FAINT, size=16.0 * size, align="right", valign="middle")


def _plain(event: InputEvent) -> tuple[str, ...]:
    """Return the names of the key or the pad's button of an event, without modifiers."""
    names = (event.key.lower(), event.stand_in)
    return tuple(normal(name) or name if event.kind == "key_down" else name for name in names)


def _names_of(event: InputEvent) -> tuple[str, ...]:
    """Return the chords or pads' buttons that an event answers to, in their normal form."""
    if event.kind == "key_down":
        found = chords_of(event.key, event.modifiers, event.stand_in, event.text)
        return tuple(filter(None, map(normal, found)))
    if event.kind == "pad_down":
        names = (f"pad_{event.key}", f"pad{event.pad + 1}_{event.key}")
        return tuple(filter(None, map(normal, names)))
    return ()

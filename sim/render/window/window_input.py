"""Window input: Panda3D's events in order of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from panda3d.core import (
    ButtonThrower,
    DataGraphTraverser,
    EventQueue,
    GraphicsOutput,
    ModifierButtons,
    MouseAndKeyboard,
    NodePath,
    WindowProperties,
)

from base.command_line import IS_WINDOWS
from sim.core.input.input_actions import EventKind, InputEvent
from sim.render.window.gamepads import PadReader
from sim.render.window.key_layout import open_layout
from sim.render.window.keyboard import (
    DOWN,
    RAW_DOWN,
    RAW_UP,
    TEXT,
    UP,
    Keyboard,
    Stroke,
    strokes_of,
)

Place = tuple[float, float]


def in_order(
    before: Place, trail: Sequence[Place], marks: Sequence[int]
) -> list[tuple[Place, int | None]]:
    """Merge a frame's pointer moves and button presses into one sequence, in order of time.

    Panda3D reports the pointer's positions and the presses in two separate lists. A press also adds
    the pointer's position to the first list, once or several times. These extra entries are called
    the marks of the press; they show when it happened.

    If the first list has more entries than moves and marks, the others are assumed before the first
    press. This happens when the pointer enters the window. If it has fewer, all presses are placed
    at the last position.

    Args:
        before: last pointer position of the previous frame.
        trail: pointer positions since then, one for each move and one for each mark.
        marks: number of marks of each press.

    Returns:
        (place, None) for a move, (place, index into `marks`) for a press.
    """
    runs: list[tuple[Place, int]] = []
    """Each run of equal positions in `trail`: the position, and its number of marks."""
    place = before
    for stop, run in groupby(trail):
        runs.append((stop, len(list(run)) - (stop != place)))
        place = stop
    wheres = _runs_of_presses([spare for _, spare in runs], marks)
    if wheres is None:
        return [(place, None), *((place, index) for index in range(len(marks)))]
    steps: list[tuple[Place, int | None]] = []
    steps += ((before, index) for index, where in enumerate(wheres) if where < 0)
    place = before
    for number, (stop, _) in enumerate(runs):
        if stop != place:
            steps.append((stop, None))
            place = stop
        steps += ((stop, index) for index, where in enumerate(wheres) if where == number)
    return steps


def _runs_of_presses(spare: Sequence[int], marks: Sequence[int]) -> list[int] | None:
    """Find at which pointer position each press happened.

    The list of pointer positions consists of runs of equal positions. Presses are placed in runs as
    late as their marks allow. `in_order` explains marks.

    Args:
        spare: for each run, the number of its entries that are not moves.
        marks: number of marks of each press.

    Returns:
        For each press the index of its run, -1 for before all runs. None if the runs have too few
        entries for all marks.
    """
    wheres = [-1] * len(marks)
    number, left = len(spare), 0
    for index in range(len(marks) - 1, -1, -1):
        if not marks[index]:
            continue
        while left < marks[index]:
            number -= 1
            if number < 0:
                return None
            left = spare[number]
        wheres[index], left = number, left - marks[index]
    near = next((where for where, mark in zip(wheres, marks, strict=True) if mark), -1)
    for index, mark in enumerate(marks):
        near = wheres[index] = wheres[index] if mark else near  # at the place of the one before
    return wheres


MODIFIERS: Final = frozenset(
    {"shift", "lshift", "rshift", "control", "lcontrol", "rcontrol", "alt", "lalt", "ralt"}
)
REACH: Final = 0.25  # of the window's shorter side: so far the locked pointer may stray


class WindowInput:
    """Reads a window's keys, buttons, pointer, gamepads and size changes.

    Args:
        output: the window.
        size: width and height of the window in pixels.
        resize: called with each new size before its event is returned.

    Attributes:
        is_minimized: whether the window is minimised.
        is_focused: whether the window has the keyboard.
        pads: reads the gamepads.
    """

    def __init__(
        self,
        output: GraphicsOutput,
        size: tuple[int, int],
        resize: Callable[[tuple[int, int]], None],
    ) -> None:
        self.is_minimized = False
        self.is_focused = True
        self.pads = PadReader()
        self._output = output
        self._size = size
        self._resize = resize
        self._events: list[InputEvent] = []
        self._held: set[str] = set()
        self._pointer = (-1.0, -1.0)
        self._is_locked = False
        self._locked_at: Place | None = None  # where the locked pointer was; None before it moves
        self._free_at: Place = (-1.0, -1.0)  # where the pointer was before it was locked
        self._layout = open_layout(output)
        self._keyboard = Keyboard(
            self._layout.read, lambda digit, is_down: self._layout.digit_key(digit, is_down=is_down)
        )
        self._data_root = NodePath("data")
        mouse = self._data_root.attach_new_node(MouseAndKeyboard(output, 0, "mouse"))
        thrower = ButtonThrower("buttons")
        thrower.set_modifier_buttons(ModifierButtons())
        thrower.set_button_down_event(DOWN)
        thrower.set_button_up_event(UP)
        thrower.set_raw_button_down_event(RAW_DOWN)
        thrower.set_raw_button_up_event(RAW_UP)
        thrower.set_keystroke_event(TEXT)
        mouse.attach_new_node(thrower)
        output.set_window_event("goishi-window")
        output.set_close_request_event("goishi-close")  # the app closes it, or stays
        output.enable_pointer_events(0)

    def poll(self) -> list[InputEvent]:
        """Return the events since the last call, each with the pointer's position at its time.

        While the pointer is locked, its movement is one event before all others.
        """
        trail = self._read_trail()
        DataGraphTraverser().traverse(self._data_root.node())
        queue = EventQueue.get_global_event_queue()
        found: list[tuple[str, str]] = []
        while not queue.is_queue_empty():
            event = queue.dequeue_event()
            name = event.get_name()
            if name == "goishi-window":
                self._window_changed()
            elif name == "goishi-close":
                self._emit("close")
            elif name.startswith("goishi-") and event.get_num_parameters() > 0:
                value = event.get_parameter(0)
                is_text = name == TEXT
                found.append(
                    (name, value.get_wstring_value() if is_text else value.get_string_value())
                )
        strokes = strokes_of(found, is_windows=IS_WINDOWS)
        if self._is_locked:
            self._move_locked()
            trail = []
        marks = [stroke.marks(is_windows=IS_WINDOWS) for stroke in strokes]
        for place, index in in_order(self._pointer, trail, marks):
            if place != self._pointer and not self._is_locked:
                self._pointer = place
                self._emit("pointer_move")
            if index is not None:
                self._handle(strokes[index])
        self._layout.end_poll()
        events, self._events = self._events, []
        return [*events, *self.pads.poll(is_focused=self.is_focused)]

    def lock_pointer(self, is_locked: bool, *, is_confined: bool = True) -> None:
        """Hide the pointer and report only how far it moves, or show it again where it was.

        Args:
            is_locked: whether to lock it.
            is_confined: whether the window system keeps it in the window. Without this, a program
                that stands still, as under a debugger, keeps nobody's pointer.
        """
        if is_locked == self._is_locked:
            return
        self._is_locked = is_locked
        properties = WindowProperties()
        properties.set_cursor_hidden(is_locked)
        is_kept = is_locked and is_confined
        properties.set_mouse_mode(
            WindowProperties.M_confined if is_kept else WindowProperties.M_absolute
        )
        self._output.request_properties(properties)
        if is_locked:
            self._free_at, self._locked_at = self._pointer, None
            self._pointer = self._middle
            self._center()
        else:
            self._pointer = self._free_at
            self._output.move_pointer(0, round(self._free_at[0]), round(self._free_at[1]))

    def close(self) -> None:
        """Free what reads the keyboard's layout."""
        self._layout.close()

    @property
    def _middle(self) -> Place:
        return (float(self._size[0] // 2), float(self._size[1] // 2))

    def _center(self) -> None:
        """Put the locked pointer into the window's middle, if the window system allows it now."""
        x, y = self._middle
        if self._output.move_pointer(0, round(x), round(y)):
            self._locked_at = (x, y)

    def _move_locked(self) -> None:
        """Report how far the locked pointer has moved, and put it back before it gets far."""
        pointer, last = self._output.get_pointer(0), self._locked_at
        if not pointer.get_in_window():
            return
        if last is None:
            self._center()
            return
        place = self._locked_at = (pointer.get_x(), pointer.get_y())
        dx, dy = place[0] - last[0], place[1] - last[1]
        if dx or dy:
            event = InputEvent("pointer_move", x=self._pointer[0], y=self._pointer[1],
                               modifiers=self._modifiers(), dx=dx, dy=dy)  # fmt: skip
            self._events.append(event)
        x, y = self._middle
        if max(abs(place[0] - x), abs(place[1] - y)) > REACH * min(self._size):
            self._center()

    def _read_trail(self) -> list[Place]:
        """Return where the pointer was in the window since the last call."""
        events = self._output.get_input_device(0).get_pointer_events()
        trail = [
            (events.get_xpos(index), events.get_ypos(index))
            for index in range(events.get_num_events())
            if events.get_in_window(index)
        ]
        pointer = self._output.get_pointer(0)
        place = (pointer.get_x(), pointer.get_y())
        if pointer.get_in_window() and place != (trail[-1] if trail else self._pointer):
            trail.append(place)
        return trail

    def _handle(self, stroke: Stroke) -> None:
        """Turn a press, a release or typed text into events."""
        for text in stroke.letters:
            self._emit("text", text=text)
        if stroke.kind == "down":
            for item in self._keyboard.press(stroke):
                self._held.add(item.key)
                text = "".join(stroke.letters)
                self._emit("key_down", key=item.key, text=text, stand_in=item.stand_in)
        elif stroke.kind == "up":
            for key in self._keyboard.release(stroke):
                self._held.discard(key)
                self._emit("key_up", key=key)
        elif stroke.kind in ("button", "button_up"):
            self._button(stroke.mapped[0], is_down=stroke.kind == "button")

    def _button(self, key: str, *, is_down: bool) -> None:
        if key.startswith("wheel_"):
            if is_down:
                step = {"wheel_up": 1.0, "wheel_down": -1.0}.get(key, 0.0)
                self._events.append(InputEvent("wheel", x=0.0, y=step, modifiers=self._modifiers()))
            return
        (self._held.add if is_down else self._held.discard)(key)
        self._emit("button_down" if is_down else "button_up", key=key)

    def _emit(self, kind: EventKind, *, key: str = "", text: str = "", stand_in: str = "") -> None:
        x, y = self._pointer
        self._events.append(InputEvent(kind, key, text, x, y, self._modifiers(), stand_in))

    def _modifiers(self) -> frozenset[str]:
        held = self._held & MODIFIERS
        return frozenset(key.lstrip("lr") if key[0] in "lr" else key for key in held)

    def _window_changed(self) -> None:
        properties = self._output.get_properties()
        if not properties.get_open():
            self._emit("close")
            return
        if properties.get_minimized() != self.is_minimized:
            self.is_minimized = properties.get_minimized()
            self._emit("minimize" if self.is_minimized else "restore")
        size = (properties.get_x_size(), properties.get_y_size())
        if size != self._size and min(size) > 0:
            self._size = size
            self._resize(size)
            self._events.append(InputEvent("resize", x=float(size[0]), y=float(size[1])))
        self.is_focused = properties.get_foreground()
        if not self.is_focused:
            self._held.clear()
            self._keyboard.let_go()
            self._emit("blur")

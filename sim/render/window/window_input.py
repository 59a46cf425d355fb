"""Window input: Panda3D's events in order of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from panda3d.core import (
    ButtonThrower,
    DataGraphTraverser,
    EventParameter,
    EventQueue,
    GraphicsOutput,
    ModifierButtons,
    MouseAndKeyboard,
    NodePath,
)

from sim.core.input.input_actions import EventKind, InputEvent

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
BOTH_SIDES: Final = frozenset({"shift", "control", "alt", "meta"})
BUTTONS: Final = frozenset({"mouse1", "mouse2", "mouse3"})


class WindowInput:
    """Reads a window's keys, buttons, pointer and size changes.

    Args:
        output: the window.
        size: width and height of the window in pixels.
        resize: called with each new size before its event is returned.

    Attributes:
        is_minimized: whether the window is minimised.
    """

    def __init__(
        self,
        output: GraphicsOutput,
        size: tuple[int, int],
        resize: Callable[[tuple[int, int]], None],
    ) -> None:
        self.is_minimized = False
        self._output = output
        self._size = size
        self._resize = resize
        self._events: list[InputEvent] = []
        self._held: set[str] = set()
        self._pointer = (-1.0, -1.0)
        self._data_root = NodePath("data")
        mouse = self._data_root.attach_new_node(MouseAndKeyboard(output, 0, "mouse"))
        thrower = ButtonThrower("buttons")
        thrower.set_modifier_buttons(ModifierButtons())
        thrower.set_button_down_event("goishi-down")
        thrower.set_button_up_event("goishi-up")
        thrower.set_keystroke_event("goishi-text")
        mouse.attach_new_node(thrower)
        output.set_window_event("goishi-window")
        output.set_close_request_event("goishi-close")  # the app closes it, or stays
        output.enable_pointer_events(0)

    def poll(self) -> list[InputEvent]:
        """Return the events since the last call, each with the pointer's position at its time."""
        trail = self._read_trail()
        DataGraphTraverser().traverse(self._data_root.node())
        queue = EventQueue.get_global_event_queue()
        presses: list[tuple[str, EventParameter]] = []
        while not queue.is_queue_empty():
            event = queue.dequeue_event()
            name = event.get_name()
            if name == "goishi-window":
                self._window_changed()
            elif name == "goishi-close":
                self._emit("close")
            elif name.startswith("goishi-") and event.get_num_parameters() > 0:
                presses.append((name, event.get_parameter(0)))
        for place, index in in_order(self._pointer, trail, _marks(presses)):
            if place != self._pointer:
                self._pointer = place
                self._emit("pointer_move")
            if index is not None:
                self._button(*presses[index])
        events, self._events = self._events, []
        return events

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

    def _button(self, name: str, parameter: EventParameter) -> None:
        if name == "goishi-text":
            self._emit("text", text=parameter.get_wstring_value())
            return
        key = parameter.get_string_value()
        is_down = name == "goishi-down"
        if key.startswith("wheel_"):
            if is_down:
                step = {"wheel_up": 1.0, "wheel_down": -1.0}.get(key, 0.0)
                self._events.append(InputEvent("wheel", x=0.0, y=step, modifiers=self._modifiers()))
            return
        (self._held.add if is_down else self._held.discard)(key)
        if key in BUTTONS:
            self._emit("button_down" if is_down else "button_up", key=key)
        else:
            self._emit("key_down" if is_down else "key_up", key=key)

    def _emit(self, kind: EventKind, *, key: str = "", text: str = "") -> None:
        x, y = self._pointer
        self._events.append(InputEvent(kind, key, text, x, y, self._modifiers()))

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
        if not properties.get_foreground():
            self._held.clear()
            self._emit("blur")


def _marks(presses: Sequence[tuple[str, EventParameter]]) -> list[int]:
    """Return how many entries each press left in the list of pointer positions.

    X11 adds the pointer's position to the list at each press, and twice for most keys.
    """
    marks: list[int] = []
    for index, (name, parameter) in enumerate(presses):
        key = "" if name == "goishi-text" else parameter.get_string_value()
        if key in BOTH_SIDES:
            marks.append(0)  # told beside the left or the right one
        elif name == "goishi-down" and key not in BUTTONS and not key.startswith("wheel_"):
            has_text = index > 0 and presses[index - 1][0] == "goishi-text"
            marks.append(1 if has_text else 2)  # of which the text has one
        else:
            marks.append(1)
    return marks

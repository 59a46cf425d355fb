"""Gamepads: reads Panda3D's devices and reports what has changed as input events."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from panda3d.core import ButtonEvent, InputDevice, InputDeviceManager

from sim.core.input.input_actions import InputEvent

BUTTONS: Final = {
    "face_a": "south", "face_b": "east", "face_x": "west", "face_y": "north", "back": "back",
    "guide": "guide", "start": "start", "lstick": "left_stick", "rstick": "right_stick",
    "lshoulder": "left_shoulder", "rshoulder": "right_shoulder", "dpad_up": "dpad_up",
    "dpad_down": "dpad_down", "dpad_left": "dpad_left", "dpad_right": "dpad_right",
    "hat_up": "dpad_up", "hat_down": "dpad_down", "hat_left": "dpad_left",
    "hat_right": "dpad_right",
}  # fmt: skip
"""Our names of Panda3D's buttons."""
TRIGGERS: Final = {"ltrigger": "left_trigger", "rtrigger": "right_trigger"}
"""Axes whose place a button takes on pads without analogue triggers."""
AXES: Final = ("left_x", "left_y", "right_x", "right_y", "left_trigger", "right_trigger")
SWAPPED_VENDORS: Final = frozenset({0x054C, 0x057E})
"""Sony and Nintendo: their Linux drivers name buttons by place (Documentation/input/gamepad.rst of
the kernel); the drivers of Xbox pads swap north and west."""
SWAPPED: Final = {"west": "north", "north": "west"}


@dataclass
class PadState:
    """What was last reported of one device.

    Attributes:
        index: its place among the pads.
        held: the buttons that are held.
        values: the value of each axis that is not 0.
    """

    index: int
    held: set[str] = field(default_factory=set)
    values: dict[str, float] = field(default_factory=dict)


class PadReader:
    """Reports connected gamepads, their buttons and axes.

    Args:
        find_devices: returns the gamepads that are connected now, as objects with the attributes of
            Panda3D's `InputDevice`.
    """

    def __init__(self, find_devices: Callable[[], Iterable[Any]] | None = None) -> None:
        self._find_devices = find_devices or panda_devices
        self._states: dict[Any, PadState] = {}

    def poll(self, *, is_focused: bool = True) -> list[InputEvent]:
        """Return what has changed since the last call.

        Args:
            is_focused: whether the window has the focus; otherwise nothing counts as pressed.
        """
        devices = [device for device in self._find_devices() if device.connected]
        gone = [device for device in self._states if device not in devices]
        events = [InputEvent("pad_disconnected", pad=self._states.pop(key).index) for key in gone]
        for device in devices:
            if device not in self._states:
                taken = {state.index for state in self._states.values()}
                index = next(number for number in range(len(taken) + 1) if number not in taken)
                self._states[device] = PadState(index)
                events.append(InputEvent("pad_connected", text=device.name, pad=index))
            if is_focused:
                events += _changes(self._states[device], device)
            else:
                device.get_button_events()  # forgets them
                self._states[device] = PadState(self._states[device].index)
        return events

    def forget(self) -> None:
        """Report all pads again, as for another scene."""
        self._states.clear()


def panda_devices() -> list[Any]:
    """Return the gamepads that Panda3D finds on this machine, after reading their state."""
    manager = InputDeviceManager.get_global_ptr()
    manager.update()
    found = list(manager.get_devices(InputDevice.DeviceClass.gamepad))
    for device in found:
        device.poll()
    return found


def _changes(state: PadState, device: Any) -> list[InputEvent]:
    """Return the events of one device, and record them in its state."""
    held, values = _read(device)
    events = _taps(state, device)
    events += [InputEvent("pad_up", key, pad=state.index) for key in sorted(state.held - held)]
    events += (InputEvent("pad_down", key, pad=state.index) for key in sorted(held - state.held))
    for axis in AXES:
        value = values.get(axis, 0.0)
        if value != state.values.get(axis, 0.0):
            events.append(InputEvent("pad_axis", axis, pad=state.index, value=value))
    state.held, state.values = held, values
    return events


def _taps(state: PadState, device: Any) -> list[InputEvent]:
    """Return the presses and releases of one device in their order, and record them in its state.

    A press that is shorter than a frame is among them, where the system tells of it.
    """
    if not device.has_button_event():
        return []
    told, events = device.get_button_events(), []
    for place in range(told.get_num_events()):
        event = told.get_event(place)
        name, is_down = str(event.button), event.type == ButtonEvent.T_down
        if event.type not in (ButtonEvent.T_down, ButtonEvent.T_up):
            continue
        if axis := TRIGGERS.get(name):
            state.values[axis] = value = float(is_down)
            events.append(InputEvent("pad_axis", axis, pad=state.index, value=value))
        elif (key := _button_of(name, device)) and is_down != (key in state.held):
            (state.held.add if is_down else state.held.discard)(key)
            events.append(InputEvent("pad_down" if is_down else "pad_up", key, pad=state.index))
    return events


def _button_of(name: str, device: Any) -> str:
    """Return our name of a device's button; "" if it is none that we know."""
    key = BUTTONS.get(name, "")
    is_swapped = device.vendor_id in SWAPPED_VENDORS and sys.platform.startswith("linux")
    return SWAPPED.get(key, key) if is_swapped else key


def _read(device: Any) -> tuple[set[str], dict[str, float]]:
    """Return the held buttons and the values of the axes of one device, by our names."""
    pressed = {str(button.handle) for button in device.buttons if button.pressed}
    held = {key for name in pressed if (key := _button_of(name, device))}
    values = {
        axis.axis.name.lower(): float(axis.value)
        for axis in device.axes
        if axis.known and axis.axis.name.lower() in AXES
    }
    for button, axis in TRIGGERS.items():
        if button in pressed:
            values[axis] = max(1.0, values.get(axis, 0.0))
    return held, values

"""The keyboard layout in use: which character each key types without modifiers.

Panda3D's own map knows only the first of several layouts between which a person switches. On X11
the layout in use is read from the X server, by the X Keyboard Extension.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from collections.abc import Mapping
from typing import Final, Protocol

from panda3d.core import GraphicsOutput

log = logging.getLogger(__name__)

LIBRARY: Final = "libX11.so.6"
CORE_KEYBOARD: Final = 0x100  # XkbUseCoreKbd
UNICODE: Final = 0x01000000  # added to a character's number in most keysyms
EVENT_BYTES: Final = 192  # of an XEvent
ROWS: Final = (
    (10, "1234567890-="), (24, "qwertyuiop[]"), (38, "asdfghjkl;'"), (49, "`"), (51, "\\"),
    (52, "zxcvbnm,./"), (94, "<"),
)  # fmt: skip
"""Key codes of X servers on Linux, by the first of each row of a US keyboard."""

KEYPAD: Final = {
    79: "7", 80: "8", 81: "9", 83: "4", 84: "5", 85: "6", 87: "1", 88: "2", 89: "3", 90: "0",
}  # fmt: skip
"""Digits of the number pad, by the key codes of X servers on Linux."""
KEYMAP_BYTES: Final = 32
FIRST_OF_KEYPAD: Final = 0x60  # VK_NUMPAD0 of Windows

Characters = Mapping[str, str]
"""The character that each key types without modifiers, by the key's name on a US keyboard."""


class KeyLayout(Protocol):
    """Interface of a source of the layout in use."""

    def read(self) -> Characters:
        """Return the character that each key types without modifiers; "" for one not known."""
        ...

    def read_keypad(self) -> frozenset[str]:
        """Return the digits whose keys of the number pad are down now.

        Panda3D gives them the names of the upper row.
        """
        ...

    def close(self) -> None:
        """Free the source."""
        ...


class PandaLayout:
    """The layout as Panda3D knows it; of several it is the first on X11.

    Args:
        output: the window.
    """

    def __init__(self, output: GraphicsOutput) -> None:
        self._output = output

    def read(self) -> Characters:
        """Return the character that each key types without modifiers."""
        found = self._output.get_keyboard_map()
        names = (
            (str(found.get_raw_button(index)), str(found.get_mapped_button(index)))
            for index in range(found.get_num_buttons())
        )
        return {raw: mapped for raw, mapped in names if len(raw) == 1 and len(mapped) == 1}

    def read_keypad(self) -> frozenset[str]:
        """Return the digits whose keys of the number pad are down now; none but on Windows."""
        if sys.platform != "win32":
            return frozenset()
        state = ctypes.windll.user32.GetAsyncKeyState
        return frozenset(str(digit) for digit in range(10) if state(FIRST_OF_KEYPAD + digit) < 0)

    def close(self) -> None:
        """Do nothing."""


class XState(ctypes.Structure):
    """The first field of the C structure XkbStateRec, and room for the others."""

    _fields_ = (("group", ctypes.c_ubyte), ("more", ctypes.c_ubyte * 63))


class XLayout:
    """The layout in use at the X server, through a connection of its own.

    Args:
        x11: the loaded library Xlib.

    Raises:
        OSError: the X server does not answer.
    """

    def __init__(self, x11: ctypes.CDLL) -> None:
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XkbKeycodeToKeysym.restype = ctypes.c_ulong
        self._x11 = x11
        self._display = ctypes.c_void_p(x11.XOpenDisplay(None))
        if not self._display:
            raise OSError("the X server does not answer")
        self._event = ctypes.create_string_buffer(2 * EVENT_BYTES)
        self._group = -1
        self._characters: Characters = {}

    def read(self) -> Characters:
        """Return the character that each key types without modifiers."""
        state = XState()
        self._x11.XkbGetState(self._display, CORE_KEYBOARD, ctypes.byref(state))
        has_changed = int(state.group) != self._group
        while self._x11.XPending(self._display):  # the server tells only of other keyboard maps
            self._x11.XNextEvent(self._display, self._event)
            self._x11.XRefreshKeyboardMapping(self._event)
            has_changed = True
        if has_changed:
            self._group = int(state.group)
            self._characters = {
                raw: self._character(code)
                for first, row in ROWS
                for code, raw in enumerate(row, first)
            }
        return self._characters

    def read_keypad(self) -> frozenset[str]:
        """Return the digits whose keys of the number pad are down now."""
        down = ctypes.create_string_buffer(KEYMAP_BYTES)
        self._x11.XQueryKeymap(self._display, down)
        bits = int.from_bytes(down.raw, "little")
        return frozenset(digit for code, digit in KEYPAD.items() if bits >> code & 1)

    def close(self) -> None:
        """Close the connection."""
        self._x11.XCloseDisplay(self._display)

    def _character(self, code: int) -> str:
        """Return the character of a key code, if it is of Unicode or of Latin; else "".

        Keys that all layouts share have the first layout only.
        """
        groups = (self._group, 0)
        found = (self._x11.XkbKeycodeToKeysym(self._display, code, group, 0) for group in groups)
        symbol = next(filter(None, found), 0)
        number = symbol - UNICODE if symbol > UNICODE else symbol
        is_known = symbol > UNICODE or 0x20 < symbol < 0x7F or 0xA0 < symbol < 0x100
        return chr(number).lower() if is_known and number < sys.maxunicode else ""


def open_layout(output: GraphicsOutput) -> KeyLayout:
    """Open the source of the layout in use.

    Args:
        output: the window.
    """
    if not sys.platform.startswith("linux"):
        return PandaLayout(output)
    try:
        return XLayout(ctypes.CDLL(LIBRARY))
    except (OSError, AttributeError) as error:
        log.info("of several keyboard layouts only the first is known: %s", error)
        return PandaLayout(output)

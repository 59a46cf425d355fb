"""The keyboard layout in use: which character each key types, and which keys are the number pad's.

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
UPPER_ROW: Final = dict(enumerate("1234567890", 10))
"""Digits above the letters, likewise."""
KEYPAD_DIGITS: Final = range(0xFFB0, 0xFFBA)  # XK_KP_0 to XK_KP_9
KEY_PRESS, KEY_RELEASE, FOCUS_OUT = 2, 3, 10  # types of X events
KEYS_AND_FOCUS: Final = 1 | 2 | 1 << 21  # KeyPressMask, KeyReleaseMask, FocusChangeMask
FIRST_OF_KEYPAD: Final = 0x60  # VK_NUMPAD0 of Windows
PRESSED: Final = 0x8001  # of GetAsyncKeyState: it is down, or went down since the last question

Characters = Mapping[str, str]
"""The character that each key types without modifiers, by the key's name on a US keyboard."""


class KeyLayout(Protocol):
    """Interface of a source of the layout in use."""

    def read(self) -> Characters:
        """Return the character that each key types without modifiers; "" for one not known."""
        ...

    def digit_key(self, digit: str, *, is_down: bool) -> str:
        """Return which key of a digit was pressed or released: "1", or "num_1" of the number pad.

        Panda3D gives both the same name. They are told apart however short the press is: presses
        and releases are asked about in their order, each once.

        Args:
            digit: the digit of which Panda3D reports a press or a release now.
            is_down: whether it is a press.

        Returns:
            The key; "" if it is not known, as of a key that repeats.
        """
        ...

    def end_poll(self) -> None:
        """Forget what nothing has asked about; called when all input has been read."""
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
        self._pressed: set[str] = set()

    def read(self) -> Characters:
        """Return the character that each key types without modifiers."""
        found = self._output.get_keyboard_map()
        names = (
            (str(found.get_raw_button(index)), str(found.get_mapped_button(index)))
            for index in range(found.get_num_buttons())
        )
        return {raw: mapped for raw, mapped in names if len(raw) == 1 and len(mapped) == 1}

    def digit_key(self, digit: str, *, is_down: bool) -> str:
        """Return which key of a digit was pressed; the number pad is known on Windows only."""
        if not is_down:
            return ""
        self._read_pad()
        is_pad = digit in self._pressed
        self._pressed.discard(digit)
        return f"num_{digit}" if is_pad else digit

    def end_poll(self) -> None:
        """Forget the presses of the poll before this one."""
        self._pressed.clear()
        self._read_pad()  # what went down after Panda3D has read its events is of the next poll

    def _read_pad(self) -> None:
        """Add the digits whose keys of the number pad went down since the last call."""
        if sys.platform == "win32":
            state = ctypes.windll.user32.GetAsyncKeyState
            for digit in range(10):
                if state(FIRST_OF_KEYPAD + digit) & PRESSED:
                    self._pressed.add(str(digit))

    def close(self) -> None:
        """Do nothing."""


class XState(ctypes.Structure):
    """The first field of the C structure XkbStateRec, and room for the others."""

    _fields_ = (("group", ctypes.c_ubyte), ("more", ctypes.c_ubyte * 63))


class XKey(ctypes.Structure):
    """The C structure XKeyEvent."""

    _fields_ = (
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("root", ctypes.c_ulong),
        ("subwindow", ctypes.c_ulong), ("time", ctypes.c_ulong), ("place", ctypes.c_int * 4),
        ("state", ctypes.c_uint), ("keycode", ctypes.c_uint), ("same_screen", ctypes.c_int),
    )  # fmt: skip


class DigitKeys:
    """The presses and releases of digits in a window, in their order, until they are asked about.

    A key that repeats is pressed once. What nothing has asked about by the end of the next poll is
    forgotten: Panda3D has not reported it.
    """

    def __init__(self) -> None:
        self._poll = 0
        self._down: dict[int, str] = {}  # by key code
        self._found: list[tuple[int, str, bool]] = []  # poll, key, whether it went down

    def press(self, code: int, *, types_digit: bool) -> None:
        """Note the press of a key.

        Args:
            code: its code at the X server.
            types_digit: whether it types a digit of the number pad, as it does with Num Lock.
        """
        pad = f"num_{KEYPAD[code]}" if code in KEYPAD and types_digit else ""
        key = UPPER_ROW.get(code, pad)
        if key and code not in self._down:
            self._down[code] = key
            self._found.append((self._poll, key, True))

    def release(self, code: int) -> None:
        """Note the release of a key."""
        key = self._down.pop(code, "")
        if key:
            self._found.append((self._poll, key, False))

    def let_go(self) -> None:
        """Note that the window has lost the keyboard: it hears of no release."""
        self._down.clear()

    def next(self, digit: str, *, is_down: bool) -> str:
        """Return the key of the first press or release of a digit, and forget those up to it.

        Returns:
            Such as "1" or "num_1"; "" if there is none.
        """
        for place, (_, key, went_down) in enumerate(self._found):
            if key[-1] == digit and went_down == is_down:
                del self._found[: place + 1]
                return key
        return ""

    def end_poll(self) -> None:
        """Forget what is from the poll before this one."""
        self._found = [entry for entry in self._found if entry[0] == self._poll]
        self._poll += 1


class XLayout:
    """The layout in use at the X server and the digits pressed, through a connection of its own.

    Args:
        x11: the loaded library Xlib.
        window: the window's id at the X server.

    Raises:
        OSError: the X server does not answer.
    """

    def __init__(self, x11: ctypes.CDLL, window: int) -> None:
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XkbKeycodeToKeysym.restype = ctypes.c_ulong
        self._x11 = x11
        self._display = ctypes.c_void_p(x11.XOpenDisplay(None))
        if not self._display:
            raise OSError("the X server does not answer")
        self._event = ctypes.create_string_buffer(2 * EVENT_BYTES)
        self._group = -1
        self._characters: Characters = {}
        self._is_stale = False
        self._digits = DigitKeys()
        x11.XkbSetDetectableAutoRepeat(self._display, 1, None)  # no release between repeats
        x11.XSelectInput(self._display, ctypes.c_ulong(window), ctypes.c_long(KEYS_AND_FOCUS))
        x11.XFlush(self._display)

    def read(self) -> Characters:
        """Return the character that each key types without modifiers."""
        state = XState()
        self._x11.XkbGetState(self._display, CORE_KEYBOARD, ctypes.byref(state))
        self._read_events()
        if self._is_stale or int(state.group) != self._group:
            self._group, self._is_stale = int(state.group), False
            self._characters = {
                raw: self._character(code)
                for first, row in ROWS
                for code, raw in enumerate(row, first)
            }
        return self._characters

    def digit_key(self, digit: str, *, is_down: bool) -> str:
        """Return which key of a digit was pressed or released."""
        self._x11.XSync(self._display, 0)  # the server has told of all that Panda3D reports
        self._read_events()
        return self._digits.next(digit, is_down=is_down)

    def end_poll(self) -> None:
        """Forget the presses of the poll before this one."""
        self._read_events()
        self._digits.end_poll()

    def _read_events(self) -> None:
        """Read what the server has told: keys, a lost focus, another keyboard map."""
        while self._x11.XPending(self._display):
            self._x11.XNextEvent(self._display, self._event)
            key = XKey.from_buffer(self._event)
            if key.type == KEY_PRESS:
                symbol = ctypes.c_ulong()
                self._x11.XLookupString(self._event, None, 0, ctypes.byref(symbol), None)
                self._digits.press(key.keycode, types_digit=symbol.value in KEYPAD_DIGITS)
            elif key.type == KEY_RELEASE:
                self._digits.release(key.keycode)
            elif key.type == FOCUS_OUT:
                self._digits.let_go()
            else:
                self._x11.XRefreshKeyboardMapping(self._event)
                self._is_stale = True

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
        return XLayout(ctypes.CDLL(LIBRARY), output.get_window_handle().get_int_handle())
    except (OSError, AttributeError) as error:
        log.info("of several keyboard layouts only the first is known: %s", error)
        return PandaLayout(output)

"""Files dropped onto the window, under X11 by its drag-and-drop protocol XDND, version 5.

Panda3D does not report drops. On X11 a window may name a proxy window, which receives the messages
of a drag in its place. Here a small proxy window with its own X connection follows the protocol,
and only two properties of Panda3D's window are set. On Windows and macOS, Panda3D's window
procedure would have to be replaced; there the user pastes a path instead.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from typing import Final, Protocol

from base.files import path_of_uri

log = logging.getLogger(__name__)

VERSION: Final = 5
OLDEST: Final = 3
CLIENT_MESSAGE: Final = 33
SELECTION_NOTIFY: Final = 31
REPLACE: Final = 0
ATOM: Final = 4
WINDOW: Final = 33
ANY_TYPE: Final = 0
LONGEST: Final = 1 << 18
"""Longest list of files that is read, in words of 4 bytes."""
FILES: Final = b"text/uri-list"
LIBRARY: Final = "libX11.so.6"
_PARTS: Final = (
    b"Aware Proxy Enter Position Status Leave Drop Finished Selection ActionCopy TypeList"
)
_NAMES: Final = (*(b"Xdnd" + part for part in _PARTS.split()), FILES)
_HEAD: Final = (
    ("type", ctypes.c_int),
    ("serial", ctypes.c_ulong),
    ("send_event", ctypes.c_int),
    ("display", ctypes.c_void_p),
)
"""First fields of an X event."""


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, padded to the size of an XEvent."""

    _fields_ = (
        *_HEAD,
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("padding", ctypes.c_long * 24),
    )


class SelectionEvent(ctypes.Structure):
    """The C structure XSelectionEvent of Xlib."""

    _fields_ = (
        *_HEAD,
        ("requestor", ctypes.c_ulong),
        ("selection", ctypes.c_ulong),
        ("target", ctypes.c_ulong),
        ("property", ctypes.c_ulong),
        ("time", ctypes.c_ulong),
    )


class Drops(Protocol):
    """Interface of a source of files that the user drops onto the window."""

    def poll(self) -> list[str]:
        """Return the paths of files dropped since the last call."""
        ...

    def close(self) -> None:
        """Stop accepting drops."""
        ...


class NoDrops:
    """Source without drops, for systems on which they are not reported."""

    def poll(self) -> list[str]:
        """Return an empty list."""
        return []

    def close(self) -> None:
        """Do nothing."""


def open_drops(window: int) -> Drops:
    """Open the source of files dropped onto a window; `NoDrops` if the system reports none.

    Args:
        window: the window's id at the X server; 0 for no window.
    """
    if not window or not sys.platform.startswith("linux"):
        return NoDrops()
    try:
        return XDrops(ctypes.CDLL(LIBRARY), window)
    except (OSError, AttributeError) as error:
        log.info("files cannot be dropped onto the window: %s", error)
        return NoDrops()


def paths_of(uris: bytes) -> list[str]:
    r"""Return the local files of a list of URIs, a line each.

    >>> paths_of(b"file:///tmp/a%20b.sgf\r\n# a comment\r\nhttp://x.org/a.sgf\r\n")
    ['/tmp/a b.sgf']
    """
    lines = uris.decode("utf-8", "replace").replace("\0", "").splitlines()
    found = (path_of_uri(line.strip()) for line in lines if line.startswith("file:"))
    return [path for path in found if path]


class XDrops:
    """Receives files dropped onto an X11 window, by the protocol XDND and a proxy window.

    Args:
        x11: the loaded library Xlib.
        window: the window's id at the X server.

    Raises:
        OSError: the X server does not answer.
    """

    def __init__(self, x11: ctypes.CDLL, window: int) -> None:
        self._x11 = _signed(x11)
        self._display = x11.XOpenDisplay(None)
        if not self._display:
            raise OSError("the X server does not answer")
        self._atoms = {name: x11.XInternAtom(self._display, name, 0) for name in _NAMES}
        root = x11.XDefaultRootWindow(self._display)
        self._proxy = x11.XCreateSimpleWindow(self._display, root, -9, -9, 1, 1, 0, 0, 0)
        self._target = window
        self._source = 0
        self._is_wanted = False
        for own in (self._proxy, window):
            self._set(own, b"XdndProxy", WINDOW, self._proxy)
            self._set(own, b"XdndAware", ATOM, VERSION)
        x11.XFlush(self._display)

    def poll(self) -> list[str]:
        """Return the paths of files dropped since the last call."""
        paths: list[str] = []
        event = ClientMessage()
        while self._display and self._x11.XPending(self._display):
            self._x11.XNextEvent(self._display, ctypes.byref(event))
            if event.type == CLIENT_MESSAGE:
                self._handle_message(event)
            elif event.type == SELECTION_NOTIFY:
                told = ctypes.cast(ctypes.byref(event), ctypes.POINTER(SelectionEvent)).contents
                paths += self._receive(int(told.property))
        return paths

    def close(self) -> None:
        """Stop accepting drops: close the connection and the proxy window."""
        if self._display:
            self._x11.XCloseDisplay(self._display)
            self._display = None

    # -- the protocol --------------------------------------------------------------------------

    def _handle_message(self, message: ClientMessage) -> None:
        name = next((key for key, atom in self._atoms.items() if atom == message.message_type), b"")
        if name == b"XdndEnter":
            self._source = int(message.data[0])
            version = (message.data[1] >> 24) & 0xFF
            has_list = bool(message.data[1] & 1)
            kinds = self._kinds() if has_list else [int(kind) for kind in message.data[2:5]]
            self._is_wanted = version >= OLDEST and self._atoms[FILES] in kinds
        elif name == b"XdndLeave":
            self._source = 0
        elif int(message.data[0]) != self._source or not self._source:
            return
        elif name == b"XdndPosition":
            action = self._atoms[b"XdndActionCopy"] if self._is_wanted else 0
            self._send(b"XdndStatus", int(self._is_wanted), 0, 0, action)
        elif name == b"XdndDrop":
            self._ask(int(message.data[2]))

    def _ask(self, moment: int) -> None:
        """Request the list of dropped files from the source; it arrives as an event.

        Args:
            moment: the X server's time stamp of the drop.
        """
        if not self._is_wanted:
            self._finish(is_taken=False)
            return
        selection, kind = self._atoms[b"XdndSelection"], self._atoms[FILES]
        at = moment & 0xFFFFFFFF
        self._x11.XConvertSelection(self._display, selection, kind, selection, self._proxy, at)
        self._x11.XFlush(self._display)

    def _receive(self, name: int) -> list[str]:
        paths = paths_of(self._read(self._proxy, name)) if name else []
        self._finish(is_taken=bool(paths))
        return paths

    def _finish(self, *, is_taken: bool) -> None:
        action = self._atoms[b"XdndActionCopy"] if is_taken else 0
        self._send(b"XdndFinished", int(is_taken), action)
        self._source = 0

    def _kinds(self) -> list[int]:
        """Return the data types that the source offers, as X atoms.

        Called only for more than three types; fewer are in the protocol's first message.
        """
        data = self._read(self._source, self._atoms[b"XdndTypeList"])
        size = ctypes.sizeof(ctypes.c_long)
        places = range(0, len(data), size)
        return [int.from_bytes(data[at : at + size], sys.byteorder) for at in places]

    def _send(self, name: bytes, *values: int) -> None:
        """Send a message of the protocol to the window from which files are dragged.

        Args:
            name: type of the message, such as `b"XdndStatus"`.
            *values: its data after the first value, which is always the id of our window.
        """
        event = ClientMessage(type=CLIENT_MESSAGE, display=self._display, window=self._source)
        event.message_type, event.format = self._atoms[name], 32
        for index, value in enumerate((self._target, *values)):
            event.data[index] = value
        self._x11.XSendEvent(self._display, self._source, 0, 0, ctypes.byref(event))
        self._x11.XFlush(self._display)

    # -- properties ----------------------------------------------------------------------------

    def _set(self, window: int, name: bytes, kind: int, value: int) -> None:
        data = (32, REPLACE, ctypes.byref(ctypes.c_ulong(value)), 1)
        self._x11.XChangeProperty(self._display, window, self._atoms[name], kind, *data)

    def _read(self, window: int, name: int) -> bytes:
        """Return the bytes of a window's property; its 32-bit items are stored as C longs.

        Args:
            window: id of the window.
            name: atom of the property's name.
        """
        kind, form = ctypes.c_ulong(), ctypes.c_int()
        count, left = ctypes.c_ulong(), ctypes.c_ulong()
        data = ctypes.c_void_p()
        found = [ctypes.byref(part) for part in (kind, form, count, left, data)]
        self._x11.XGetWindowProperty(self._display, window, name, 0, LONGEST, 0, ANY_TYPE, *found)
        if not data.value:
            return b""
        size = ctypes.sizeof
        width = {8: 1, 16: size(ctypes.c_short)}.get(form.value, size(ctypes.c_long))
        content = ctypes.string_at(data.value, count.value * width)
        self._x11.XFree(data)
        return content


def _signed(x11: ctypes.CDLL) -> ctypes.CDLL:
    """Declare the argument and result types of the Xlib functions; return the library.

    Without this, ctypes would pass window ids and pointers as C ints, which are too small.
    """
    pointer, number, whole = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int
    declared: dict[str, tuple[object, tuple[object, ...]]] = {
        "XOpenDisplay": (pointer, (ctypes.c_char_p,)),
        "XCloseDisplay": (whole, (pointer,)),
        "XDefaultRootWindow": (number, (pointer,)),
        "XInternAtom": (number, (pointer, ctypes.c_char_p, whole)),
        "XCreateSimpleWindow": (number, (pointer, number, whole, whole, ctypes.c_uint,
                                         ctypes.c_uint, ctypes.c_uint, number, number)),
        "XChangeProperty": (whole, (pointer, number, number, number, whole, whole, pointer, whole)),
        "XGetWindowProperty": (whole, (pointer, number, number, ctypes.c_long, ctypes.c_long, whole,
                                       number, pointer, pointer, pointer, pointer, pointer)),
        "XConvertSelection": (whole, (pointer, number, number, number, number, number)),
        "XSendEvent": (whole, (pointer, number, whole, ctypes.c_long, pointer)),
        "XPending": (whole, (pointer,)),
        "XNextEvent": (whole, (pointer, pointer)),
        "XFlush": (whole, (pointer,)),
        "XFree": (whole, (pointer,)),
    }  # fmt: skip
    for name, (result, arguments) in declared.items():
        function = getattr(x11, name)
        function.restype, function.argtypes = result, arguments
    return x11

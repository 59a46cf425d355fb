"""Asks a window to close, as a window manager does when its cross is clicked (ICCCM 4.2.8.1)."""

from __future__ import annotations

import ctypes
import sys


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, padded to the size of an XEvent."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("padding", ctypes.c_long * 24),
    )


def close_windows(title: str) -> int:
    """Ask every window whose title ends so to close; return how many were asked."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    protocols = x11.XInternAtom(display, b"WM_PROTOCOLS", 0)
    delete = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    count = 0
    for window in _windows(x11, display, x11.XDefaultRootWindow(display)):
        if not _title(x11, display, window).endswith(title):
            continue
        event = ClientMessage(
            type=33, display=display, window=window, message_type=protocols, format=32
        )
        event.data[0] = delete
        x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
        count += 1
    x11.XFlush(display)
    x11.XCloseDisplay(display)
    return count


def _windows(x11: ctypes.CDLL, display: ctypes.c_void_p, root: int) -> list[int]:
    parent, children = ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)()
    above, count = ctypes.c_ulong(), ctypes.c_uint()
    x11.XQueryTree(
        display, ctypes.c_ulong(root), ctypes.byref(above), ctypes.byref(parent),
        ctypes.byref(children), ctypes.byref(count),
    )  # fmt: skip
    found = [int(children[index]) for index in range(count.value)]
    for window in list(found):
        found += _windows(x11, display, window)
    return found


def _title(x11: ctypes.CDLL, display: ctypes.c_void_p, window: int) -> str:
    name = ctypes.c_char_p()
    x11.XFetchName(display, ctypes.c_ulong(window), ctypes.byref(name))
    return (name.value or b"").decode()


if __name__ == "__main__":
    sys.exit(0 if close_windows(sys.argv[1]) else 1)

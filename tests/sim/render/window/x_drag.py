"""A program that drags files over a window by XDND, as file managers do."""

from __future__ import annotations

import ctypes
import sys

NAMES = (b"XdndProxy", b"XdndEnter", b"XdndPosition", b"XdndStatus", b"XdndLeave", b"XdndDrop",
         b"XdndFinished", b"XdndSelection", b"XdndActionCopy", b"XdndTypeList", b"text/uri-list",
         b"text/plain", b"A", b"B")  # fmt: skip


class Event(ctypes.Structure):
    """An XEvent: what all begin with, and then numbers."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("numbers", ctypes.c_ulong * 24),
    )


class Drag:
    """Drags a list of files; `told` holds (message, its first five numbers) of the target."""

    def __init__(self, target: int, uris: bytes, kinds=(b"text/uri-list",)) -> None:
        self.x11 = x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        for name in ("XDefaultRootWindow", "XInternAtom", "XCreateSimpleWindow"):
            getattr(x11, name).restype = ctypes.c_ulong
        self.display = ctypes.c_void_p(x11.XOpenDisplay(None))
        self.atoms = {name: x11.XInternAtom(self.display, name, 0) for name in NAMES}
        self.window = new_window(x11, self.display)
        self.uris, self.target, self.told = uris, target, []
        self.proxy = self.read_proxy()
        selection = ctypes.c_ulong(self.atoms[b"XdndSelection"])
        x11.XSetSelectionOwner(self.display, selection, ctypes.c_ulong(self.window), 0)
        numbers = [self.atoms[kind] for kind in kinds]
        self.set(self.window, b"XdndTypeList", numbers)
        self.send(b"XdndEnter", 5 << 24 | (len(numbers) > 3), *[*numbers, 0, 0, 0][:3])
        self.send(b"XdndPosition", 0, 10 << 16 | 10, 0, self.atoms[b"XdndActionCopy"])

    def set(self, window: int, name: bytes, numbers: list[int]) -> None:
        held = (ctypes.c_ulong * len(numbers))(*numbers)
        self.x11.XChangeProperty(self.display, ctypes.c_ulong(window),
                                 ctypes.c_ulong(self.atoms[name]), ctypes.c_ulong(4), 32, 0,
                                 held, len(numbers))  # fmt: skip

    def read_proxy(self) -> int:
        kind, form, count = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_ulong()
        left, data = ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)()
        self.x11.XGetWindowProperty(
            self.display, ctypes.c_ulong(self.target), ctypes.c_ulong(self.atoms[b"XdndProxy"]),
            ctypes.c_long(0), ctypes.c_long(1), 0, ctypes.c_ulong(0), ctypes.byref(kind),
            ctypes.byref(form), ctypes.byref(count), ctypes.byref(left), ctypes.byref(data),
        )  # fmt: skip
        return int(data[0]) if count.value else 0

    def send(self, name: bytes, *values: int) -> None:
        event = Event(type=33)
        for index, value in enumerate((self.target, self.atoms[name], 32, self.window, *values)):
            event.numbers[index] = value
        self.x11.XSendEvent(self.display, ctypes.c_ulong(self.proxy), 0, ctypes.c_long(0),
                            ctypes.byref(event))  # fmt: skip
        self.x11.XSync(self.display, 0)

    def drop(self) -> None:
        self.send(b"XdndDrop", 0, 0)

    def poll(self) -> None:
        """Answer what the target asks for, and note what it tells."""
        event = Event()
        while self.x11.XPending(self.display):
            self.x11.XNextEvent(self.display, ctypes.byref(event))
            if event.type == 33:
                name = next(key for key, atom in self.atoms.items() if atom == event.numbers[1])
                self.told.append((name, [int(item) for item in event.numbers[3:8]]))
            elif event.type == 30:  # it asks for the files
                self.give(*(int(item) for item in event.numbers[1:6]))

    def give(self, requestor: int, selection: int, target: int, name: int, moment: int) -> None:
        self.x11.XChangeProperty(
            self.display, ctypes.c_ulong(requestor), ctypes.c_ulong(name), ctypes.c_ulong(target),
            8, 0, self.uris, len(self.uris),
        )  # fmt: skip
        event = Event(type=31)
        for index, value in enumerate((requestor, selection, target, name, moment)):
            event.numbers[index] = value
        self.x11.XSendEvent(self.display, ctypes.c_ulong(requestor), 0, ctypes.c_long(0),
                            ctypes.byref(event))  # fmt: skip
        self.x11.XSync(self.display, 0)

    def close(self) -> None:
        self.x11.XCloseDisplay(self.display)


def new_window(x11: ctypes.CDLL, display: ctypes.c_void_p) -> int:
    root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
    number = ctypes.c_ulong(0)
    window = x11.XCreateSimpleWindow(display, root, 0, 0, 40, 40, 0, number, number)
    x11.XSync(display, 0)
    return int(window)


def drag_to(window: int, path: str) -> None:
    """Drop a file onto a window of another process, and wait until that has taken it."""
    drag = Drag(window, f"file://{path}\r\n".encode())
    drag.drop()
    while not any(name == b"XdndFinished" for name, _ in drag.told):
        drag.poll()
    drag.close()


if __name__ == "__main__":
    drag_to(int(sys.argv[1]), sys.argv[2])

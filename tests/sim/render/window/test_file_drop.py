"""Files dropped onto a window: the whole XDND dialogue with a source, at a real X server."""

from __future__ import annotations

import ctypes
import time

import pytest

from sim.render.window.file_drop import NoDrops, open_drops, paths_of
from tests.sim.render.window.x_drag import Drag, new_window

URIS = b"file:///tmp/one%20game.sgf\r\nfile://host/b.psq\r\nhttp://x.org/c.sgf\r\n"
LONGEST = 20.0  # seconds


@pytest.fixture
def target():
    """A window whose own program knows nothing of drops."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = x11.XCreateSimpleWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    yield new_window(x11, display)
    x11.XCloseDisplay(display)


@pytest.fixture
def drops(target):
    found = open_drops(target)
    yield found
    found.close()


def until(drops, drag, name):
    """Let both take turns until the target tells the source this; return numbers and paths."""
    end, paths = time.monotonic() + LONGEST, []
    while time.monotonic() < end:
        paths += drops.poll()
        drag.poll()
        for told, numbers in drag.told:
            if told == name:
                return numbers, paths
    raise AssertionError(f"expected {name}, found {drag.told}")


@pytest.mark.window
@pytest.mark.parametrize("kinds", [
    (b"text/plain", b"text/uri-list"), (b"A", b"B", b"text/plain", b"text/uri-list"),
])  # fmt: skip
def test_a_source_gives_its_files(target, drops, kinds):
    drag = Drag(target, URIS, kinds)
    numbers, _ = until(drops, drag, b"XdndStatus")
    assert numbers[:2] == [target, 1]
    drag.drop()
    numbers, paths = until(drops, drag, b"XdndFinished")
    assert numbers[:3] == [target, 1, drag.atoms[b"XdndActionCopy"]]
    assert paths == ["/tmp/one game.sgf", "/b.psq"]
    drag.close()


@pytest.mark.window
def test_what_is_no_file_is_refused(target, drops):
    drag = Drag(target, b"hello", (b"text/plain",))
    assert until(drops, drag, b"XdndStatus")[0][1] == 0
    drag.drop()
    numbers, paths = until(drops, drag, b"XdndFinished")
    assert (numbers[1], paths) == (0, [])
    drag.send(b"XdndLeave", 0)
    drag.drop()
    assert drops.poll() == [], "nobody drags any more"
    drag.close()


def test_without_a_window_there_are_no_drops():
    assert isinstance(open_drops(0), NoDrops)
    assert open_drops(0).poll() == []
    assert paths_of(b"\xff\r\nfile:///a\0\r\n") == ["/a"]

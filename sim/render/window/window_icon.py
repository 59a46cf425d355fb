"""The icon of a window: for X by the property `_NET_WM_ICON` (EWMH 1.5); Panda3D sets none there.

On Windows Panda3D reads an ICO file itself. Elsewhere nothing is done.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from pathlib import Path
from typing import Final

import numpy as np
from panda3d.core import Filename, WindowProperties

from base.files import read_regular
from sim.render.materials.picture_decoding import decode_picture

CARDINAL: Final = 6
BITS: Final = 32
REPLACE: Final = 0


def name_icon(properties: WindowProperties, icon: Path | None) -> None:
    """Let Panda3D read the icon of a window that is to be opened, where it can.

    Args:
        properties: of the window, changed in place.
        icon: a picture; an ICO file of the same name lies beside it. None for no icon.
    """
    if icon is not None and sys.platform == "win32":
        ico = Filename.from_os_specific(str(icon.with_suffix(".ico")))
        properties.set_icon_filename(ico)


def show_icon(window: int, icon: Path | None) -> None:
    """Set the icon of an open window of X; a file that is no picture changes nothing.

    Args:
        window: the window's number.
        icon: a picture; None for no icon.
    """
    if icon is None or not window or not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, ValueError):
        _set_property(window, icon_numbers(decode_picture(read_regular(icon))))


def icon_numbers(picture: np.ndarray) -> list[int]:
    """Return a picture as EWMH wants it: width, height, and a number ARGB for each pixel.

    Args:
        picture: `[h, w]` grey, `[h, w, 3]` BGR or `[h, w, 4]` BGRA, uint8.
    """
    if picture.ndim == 2:
        picture = np.repeat(picture[:, :, None], 3, axis=2)
    height, width, channels = picture.shape
    whole = np.full((height, width, 4), 255, np.uint8)
    whole[:, :, :channels] = picture
    return [width, height, *np.ascontiguousarray(whole).view("<u4").ravel().tolist()]


def _set_property(window: int, numbers: list[int]) -> None:
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    found = x11.XOpenDisplay(None)
    if not found:
        return
    display = ctypes.c_void_p(found)
    atom = ctypes.c_ulong(x11.XInternAtom(display, b"_NET_WM_ICON", 0))
    data = (ctypes.c_ulong * len(numbers))(*numbers)
    x11.XChangeProperty(
        display, ctypes.c_ulong(window), atom, ctypes.c_ulong(CARDINAL), BITS, REPLACE,
        data, len(numbers),
    )  # fmt: skip
    x11.XFlush(display)
    x11.XCloseDisplay(display)

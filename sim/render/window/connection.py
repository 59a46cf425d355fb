"""Notices that the connection to the X server has broken off.

Xlib then calls a function of the program. When that returns, Xlib ends the process, and Panda3D's
own function ends it with an assertion.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable
from typing import Final

LIBRARY: Final = "libX11.so.6"
FAILED: Final = 1


class ConnectionLoss:
    """What happens when the connection breaks off.

    Attributes:
        end: called then, without arguments; None for nothing. The process ends when it returns.
    """

    def __init__(self, x11: ctypes.CDLL) -> None:
        self.end: Callable[[], object] | None = None
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        self._called_by_c = kind(self._lost)  # kept as long as Xlib may call it
        x11.XSetIOErrorHandler.restype = ctypes.c_void_p
        x11.XSetIOErrorHandler(self._called_by_c)

    def _lost(self, connection: int | None) -> int:
        """End the process; Xlib calls this.

        Args:
            connection: address of Xlib's structure of the connection.
        """
        end, self.end = self.end, None
        with contextlib.suppress(Exception):
            if end is not None:
                end()
        os._exit(FAILED)


_losses: Final[list[ConnectionLoss]] = []


def watch_connection() -> ConnectionLoss | None:
    """Take the place of Panda3D's function for a lost connection; call it when a pipe is made.

    Returns:
        What is called then; None on systems without X.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        found = ConnectionLoss(ctypes.CDLL(LIBRARY))
    except (OSError, AttributeError):
        return None
    _losses.append(found)  # Xlib keeps its address, also when the window is closed
    return found

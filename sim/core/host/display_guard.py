"""Guards a run against functions that open windows of their own where there is no display.

OpenCV's windows belong to Qt, which ends the whole process if it finds no display.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final, NoReturn

OPENCV: Final = "cv2"
OPENERS: Final = (
    "imshow", "namedWindow", "selectROI", "selectROIs", "createTrackbar", "createButton",
    "displayOverlay", "displayStatusBar", "startWindowThread",
)  # fmt: skip
"""OpenCV's functions that open a window."""
SOCKET: Final = "/tmp/.X11-unix/X"
"""Where a display of this machine listens on Linux, up to its number."""


def install_display_guard() -> None:
    """Make OpenCV's functions for windows raise an explanatory error if there is no display."""
    if has_display():
        return
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # of other packages that use Qt
    known = sys.modules.get(OPENCV)
    if known is not None:
        _close(known)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def has_display() -> bool:
    """Return whether windows can be opened; True on systems where that cannot be known."""
    if not sys.platform.startswith("linux"):
        return True
    host, _, number = os.environ.get("DISPLAY", "").rpartition(":")
    number = number.partition(".")[0]
    if not number.isdecimal():
        return False
    if host not in ("", "unix"):
        return True  # of another machine
    return any(_answers(f"{begin}{SOCKET}{number}") for begin in ("", "\0"))


def _answers(address: str) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.settimeout(1.0)
            end.connect(address)
    except OSError:
        return False
    return True


def _close(module: ModuleType) -> None:
    """Replace OpenCV's functions for windows by ones that raise an error."""
    for name in OPENERS:
        if hasattr(module, name):
            setattr(module, name, _refusal(name))


def _refusal(name: str) -> Callable[..., NoReturn]:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise RuntimeError(
            f"cv2.{name}: expected a display to open a window on, found none: show the picture in "
            "the scene, by self.hud.canvas(...), or save it by cv2.imwrite(...)"
        )

    return refuse


class _Finder(MetaPathFinder):
    """Import hook that finds OpenCV once, and closes its windows when it has been loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return OpenCV's spec with a loader around its own; None for all other modules.

        Args:
            name: full name of the module.
            path: ignored.
            target: ignored.
        """
        if name != OPENCV:
            return None
        sys.meta_path.remove(self)  # OpenCV imports itself a second time while it loads
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _ClosingLoader(spec.loader)
        return spec


class _ClosingLoader(Loader):
    """Loads OpenCV, then replaces its functions for windows.

    Args:
        inner: OpenCV's own loader.
    """

    def __init__(self, inner: Loader) -> None:
        self._inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as its own loader does."""
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, then close its windows."""
        self._inner.exec_module(module)
        _close(sys.modules.get(OPENCV, module))

"""Checks before a start: installed packages, system libraries, a display.

For each missing thing an error of one line says what to do. This module imports only the standard
library.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Final

from base.program import INSTALL

REQUIRED_PACKAGES: Final = (
    "PIL",
    "bidi",
    "cv2",
    "h5py",
    "imgui_bundle",
    "joblib",
    "keras",
    "matplotlib",
    "numba",
    "numpy",
    "packaging",
    "panda3d",
    "platformdirs",
    "psutil",
    "pyrr",
    "rich",
    "tensorflow",
    "typer",
    "uharfbuzz",
    "watchfiles",
)
"""Import names of the packages in requirements.txt without which Goishi cannot start."""

LIBRARIES: Final = ("libGL.so.1", "libEGL.so.1", "libX11.so.6", "libXext.so.6", "libglib-2.0.so.0")
"""Shared libraries that Panda3D and OpenCV load on Linux."""
LIBRARY_PACKAGES: Final = "libgl1 libegl1 libgl1-mesa-dri libx11-6 libxext6 libglib2.0-0"
"""Debian and Ubuntu packages that contain `LIBRARIES`, and software OpenGL."""


class PreflightError(Exception):
    """A package, library or display is missing; the message says what to do."""


def require_packages() -> None:
    """Check that the packages of requirements.txt are installed, importing none.

    Raises:
        PreflightError: one or more are missing.
    """
    missing = [name for name in REQUIRED_PACKAGES if not _is_installed(name)]
    if missing:
        raise PreflightError(f"missing packages: {', '.join(missing)}; run: {INSTALL}")


NO_PICTURE: Final = " (or use --headless --no-graphics)"
NO_WINDOW: Final = " or use --headless --for SECONDS"


def require_libraries(
    load: Callable[[str], object] = ctypes.CDLL,
    *,
    names: Sequence[str] = LIBRARIES,
    instead: str = NO_PICTURE,
) -> None:
    """Check that the system libraries for drawing can be loaded; does nothing outside Linux.

    Args:
        load: called with the name of a shared library; raises OSError if it is missing.
        names: names of the libraries.
        instead: what the user can do without them, as the end of the message; empty for nothing.

    Raises:
        PreflightError: a library is missing.
    """
    if not sys.platform.startswith("linux"):
        return
    missing = [name for name in names if not _can_load(name, load)]
    if missing:
        listed = ", ".join(name.partition(".so")[0] for name in missing)
        raise PreflightError(
            f"{listed} not found: sudo apt-get install {LIBRARY_PACKAGES}{instead}"
        )


def require_display(
    environment: Mapping[str, str] = os.environ,
    load: Callable[[str], ctypes.CDLL] = ctypes.CDLL,
    *,
    instead: str = NO_WINDOW,
) -> None:
    """Check that a window can be opened; does nothing outside Linux.

    Call `require_libraries` before.

    Args:
        environment: environment variables, of which DISPLAY is read.
        load: loads a shared library by name.
        instead: what the user can do without it, as the end of the message; empty for nothing.

    Raises:
        PreflightError: there is no X display, or it does not answer.
    """
    if not sys.platform.startswith("linux"):
        return
    name = environment.get("DISPLAY", "")
    if not name:
        raise PreflightError(f"no display found: set DISPLAY{instead}")
    if not _answers(name, load):
        raise PreflightError(
            f"no display found: nothing answers at DISPLAY={name}; set another{instead}"
        )


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _can_load(name: str, load: Callable[[str], object]) -> bool:
    try:
        load(name)
    except OSError:
        return False
    return True


def _answers(display_name: str, load: Callable[[str], ctypes.CDLL]) -> bool:
    library = load("libX11.so.6")
    library.XOpenDisplay.restype = ctypes.c_void_p
    library.XOpenDisplay.argtypes = [ctypes.c_char_p]
    library.XCloseDisplay.argtypes = [ctypes.c_void_p]
    connection = library.XOpenDisplay(display_name.encode())
    if not connection:
        return False
    library.XCloseDisplay(connection)
    return True

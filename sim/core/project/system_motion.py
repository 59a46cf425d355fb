"""Whether the user has asked the system for less motion."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

WAIT_SECONDS: Final = 1.0
CLIENT_AREA_ANIMATION: Final = 0x1042  # SPI_GETCLIENTAREAANIMATION of Windows
GNOME: Final = ("gsettings", "get", "org.gnome.desktop.interface", "enable-animations")
MACOS: Final = ("defaults", "read", "com.apple.universalaccess", "reduceMotion")


def system_reduces_motion() -> bool:
    """Return whether the system's settings ask for less motion; False where that is unknown.

    GNOME, Windows and macOS have such a setting.
    """
    if sys.platform == "win32":
        return not _windows_animates()
    if sys.platform == "darwin":
        return _answer(MACOS) == "1"
    return _answer(GNOME) == "false"


def _answer(command: Sequence[str]) -> str:
    """Return what a program prints; "" if it is not there, fails, or takes too long."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=WAIT_SECONDS, check=True,
            encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _windows_animates() -> bool:
    found = ctypes.c_int(1)
    library = getattr(ctypes, "windll").user32  # noqa: B009 - only Windows has it
    library.SystemParametersInfoW(CLIENT_AREA_ANIMATION, 0, ctypes.byref(found), 0)
    return bool(found.value)

"""A hand at a display: presses keys by xdotool, and takes pictures of what the screen shows."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Final

LONGEST: Final = 300.0
HELD: Final = 0.3
"""Seconds that a key is down."""
PAUSE: Final = 1.5
"""Seconds after each key."""


class HandError(Exception):
    """What was expected on the screen, and what was found."""


class Hand:
    """Works at one display.

    Args:
        display: name of the X display.
    """

    def __init__(self, display: str) -> None:
        self._environment = {**os.environ, "DISPLAY": display}

    def focus(self, title: str, seconds: float = LONGEST) -> None:
        """Wait for a window and give it the keyboard.

        Args:
            title: the window's title, or its beginning.
            seconds: the longest time to wait.

        Raises:
            HandError: there is no such window.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self._do("search", "--onlyvisible", "--name", f"^{title}"):
                self._do("windowfocus", found.split()[0])
                return
            time.sleep(0.5)
        raise HandError(f"expected a window {title!r}, found none")

    def tap(self, *keys: str) -> None:
        """Press and release keys, one after the other; a chord is `ctrl+comma`."""
        for key in keys:
            self._do("keydown", key)
            time.sleep(HELD)
            self._do("keyup", key)
            time.sleep(PAUSE)

    def picture(self, path: Path) -> None:
        """Write what the screen shows to a file."""
        words = ["import", "-window", "root", str(path)]
        subprocess.run(words, env=self._environment, check=False, capture_output=True)

    def _do(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

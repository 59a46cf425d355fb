"""A hand at a display: presses keys by xdotool, and takes pictures of what the screen shows."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]

LONGEST: Final = 300.0
PAUSE: Final = 3.0
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

    def focus(
        self, title: str, seconds: float = LONGEST, *, is_over: Callable[[], bool] = bool
    ) -> None:
        """Wait for a window and give it the keyboard.

        Args:
            title: a part of the window's title.
            seconds: the longest time to wait.
            is_over: returns whether to wait no more.

        Raises:
            HandError: there is no such window.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end and not is_over():
            if found := self._do("search", "--onlyvisible", "--name", title):
                self._do("windowfocus", found.split()[0])
                return
            time.sleep(0.5)
        raise HandError(f"expected a window {title!r}, found none")

    def tap(self, *keys: str) -> None:
        """Tap keys, one after the other; a chord is `ctrl+comma`. One that is held would repeat."""
        for key in keys:
            self._do("key", key)
            time.sleep(PAUSE)

    def picture(self, path: Path) -> None:
        """Write what the screen shows to a file."""
        words = ["import", "-window", "root", str(path)]
        subprocess.run(words, env=self._environment, check=False, capture_output=True)

    def wait_for(
        self, path: Path, is_meant: Callable[[Picture], bool], seconds: float = LONGEST
    ) -> Picture:
        """Return the first picture of the screen that is meant; the last one stays in a file.

        Args:
            path: the file.
            is_meant: decides about a picture `[height, width, 3]`, as OpenCV orders colours.
            seconds: the longest time to wait.

        Raises:
            HandError: none came.
        """
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.picture(path)
            found = read_picture(path)
            if found is not None and is_meant(found):
                return found
            time.sleep(2.0)
        raise HandError(f"expected another picture than {path}")

    def _do(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=self._environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()


def read_picture(path: Path) -> Picture | None:
    """Return a picture `[height, width, 3]`, None if the file holds none."""
    import cv2

    if not path.is_file() or not path.stat().st_size:
        return None
    found = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    return None if found is None else np.asarray(found, np.uint8)


def shows_something(picture: Picture) -> bool:
    """Whether a picture is not of one colour."""
    return float(picture.std()) > 20.0

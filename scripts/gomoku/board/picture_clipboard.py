"""Pictures on the clipboard of the system, by a program that the system has for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

SECONDS: Final = 10.0  # that the program may take
UNIX: Final = (
    ("wl-copy", "--type", "image/png"),
    ("xclip", "-selection", "clipboard", "-t", "image/png", "-i"),
)
"""Programs that read a PNG file from their input and put it on the clipboard."""
MAC: Final = 'set the clipboard to (read (POSIX file "{file}") as «class PNGf»)'
WINDOWS: Final = (
    "Add-Type -AssemblyName System.Windows.Forms,System.Drawing;"
    "[Windows.Forms.Clipboard]::SetImage([Drawing.Image]::FromFile('{file}'))"
)


class ClipboardError(OSError):
    """A picture could not be copied; the message says what was expected."""


def copy_png(content: bytes) -> None:
    """Put a picture on the clipboard.

    Args:
        content: the content of a PNG file.

    Raises:
        ClipboardError: the system has no program for it, or the program failed.
    """
    if sys.platform in ("win32", "darwin"):
        _copy_by_file(content)
        return
    is_wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    there = [words for words in UNIX if shutil.which(words[0])]
    fitting = [words for words in there if (words[0] == "wl-copy") == is_wayland]
    if not fitting:
        wanted = "wl-copy (of wl-clipboard)" if is_wayland else "xclip"
        raise ClipboardError(f"expected the program {wanted}, found none: save the picture instead")
    _run(fitting[0], content)


def _copy_by_file(content: bytes) -> None:
    """Put a picture on the clipboard of Windows or macOS, which read it from a file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.png"
        file.write_bytes(content)
        words = ("osascript", "-e", MAC.format(file=file))
        if sys.platform == "win32":
            words = ("powershell", "-NoProfile", "-STA", "-Command", WINDOWS.format(file=file))
        _run(words, b"")


def _run(words: tuple[str, ...], content: bytes) -> None:
    try:
        subprocess.run(
            words,
            input=content,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ClipboardError(f"expected {words[0]} to take the picture, found: {error}") from None

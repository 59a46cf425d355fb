"""The system clipboard for ImGui; a buffer of this process if there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from imgui_bundle import imgui

WAIT_SECONDS = 1.0
Commands = tuple[Sequence[str], Sequence[str]]  # one that writes, one that reads


class Clipboard:
    """Clipboard text, shared with the system if a program for that is installed.

    Args:
        is_shared: False keeps the text in this process, as a run without a window should.
    """

    def __init__(self, *, is_shared: bool = True) -> None:
        self.commands = find_commands(os.environ) if is_shared else None
        self.text = ""

    def install(self, platform: imgui.PlatformIO) -> None:
        """Set it as ImGui's clipboard; on Windows ImGui uses its own."""
        if sys.platform == "win32":
            return
        platform.platform_set_clipboard_text_fn = lambda context, text: self.set(text)
        platform.platform_get_clipboard_text_fn = lambda context: self.get()

    def set(self, text: str) -> None:
        """Put text into the clipboard."""
        self.text = text
        if self.commands is not None:
            _run(self.commands[0], text)

    def get(self) -> str:
        """Return the text of the clipboard."""
        if self.commands is not None:
            found = _run(self.commands[1], None)
            if found is not None:
                return found
        return self.text


def find_commands(environment: Mapping[str, str]) -> Commands | None:
    """Return the commands that write and read this session's clipboard, None for none."""
    choices: list[Commands] = []
    if environment.get("WAYLAND_DISPLAY"):
        choices.append((("wl-copy",), ("wl-paste", "--no-newline")))
    if environment.get("DISPLAY"):
        xclip = ("xclip", "-selection", "clipboard")
        choices.append(((*xclip, "-in"), (*xclip, "-out")))
        choices.append((("xsel", "-b", "-i"), ("xsel", "-b", "-o")))
    if sys.platform == "darwin":
        choices.append((("pbcopy",), ("pbpaste",)))
    path = environment.get("PATH")
    for commands in choices:
        if all(shutil.which(command[0], path=path) for command in commands):
            return commands
    return None


def _run(command: Sequence[str], text: str | None) -> str | None:
    """Run a program; return what it wrote, None where it failed."""
    try:
        done = subprocess.run(  # a writer stays behind to serve the text: its output is not ours
            command,
            input=None if text is None else text.encode("utf-8", "replace"),
            stdin=subprocess.DEVNULL if text is None else None,
            stdout=subprocess.PIPE if text is None else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=WAIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return "" if done.stdout is None else done.stdout.decode("utf-8", "replace")

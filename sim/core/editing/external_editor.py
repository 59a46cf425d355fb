"""Opens files at a given line in an editor program that is installed on the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from base.command_line import split_words
from base.trust import GATE
from sim.core.reporting.console import Console

PYCHARM = ("pycharm", "pycharm.sh", "pycharm-community", "pycharm-professional", "charm")
VS_CODE = ("code", "code-insiders", "codium")
NEEDS_TERMINAL = frozenset(
    {"vi", "vim", "nvim", "nano", "pico", "ed", "ex", "joe", "micro", "hx", "helix", "kak", "mg"}
)
"""Editor programs that run in a terminal; they are not offered, because there is no terminal."""


@dataclass(frozen=True)
class ExternalEditor:
    """An editor program installed on the machine.

    Attributes:
        name: label of its button.
        command: the program and its fixed arguments.
        place: called with a path and a line; returns the arguments that open the file there.
    """

    name: str
    command: tuple[str, ...]
    place: Callable[[str, int], tuple[str, ...]]

    def arguments(self, path: Path, line: int) -> list[str]:
        """Return the command, as a list of words, that opens a file at a line (counted from 1)."""
        return [*self.command, *self.place(str(path), max(1, line))]


class ExternalEditors:
    """The external editors of this machine, and the processes started."""

    def __init__(self, console: Console, environment: Mapping[str, str] | None = None) -> None:
        self.console = console
        self.editors = find_editors(os.environ if environment is None else environment)
        self._started: list[tuple[ExternalEditor, subprocess.Popen[bytes]]] = []

    def open(self, editor: ExternalEditor, path: Path, line: int) -> bool:
        """Start an editor program as a separate process; write failures to the console.

        Args:
            editor: the program.
            path: file to open.
            line: line number, from 1.

        Returns:
            Whether the process was started.
        """
        if not path.is_file():
            self.console.error(f"{editor.name}: expected a file, found none at {path}")
            return False
        quiet = subprocess.DEVNULL
        try:
            process = subprocess.Popen(
                editor.arguments(path.resolve(), line),
                stdin=quiet,
                stdout=quiet,
                stderr=quiet,
                start_new_session=True,  # nothing on Windows, where no signal of a terminal comes
                env={key: value for key, value in os.environ.items() if key != GATE},
            )
        except OSError as error:
            self.console.error(f"{editor.name}: could not be started: {error.strerror or error}")
            return False
        self._started.append((editor, process))
        return True

    def poll(self) -> None:
        """Write an error to the console for each editor that exited with a failure.

        Call it regularly on the main thread.
        """
        running = []
        for editor, process in self._started:
            code = process.poll()
            if code is None:
                running.append((editor, process))
            elif code:
                self.console.error(f"{editor.name}: expected it to open the file, exit code {code}")
        self._started = running


def find_editors(environment: Mapping[str, str]) -> list[ExternalEditor]:
    """Return the editor programs that are installed: PyCharm, VS Code, then the user's own.

    The user's own are named by the environment variables VISUAL and EDITOR.

    Args:
        environment: environment variables, of which PATH, VISUAL and EDITOR are used.
    """
    path = environment.get("PATH", "")
    found = []
    for name, programs, place in (
        ("PyCharm", PYCHARM, _pycharm),
        ("VS Code", VS_CODE, _vs_code),
    ):
        program = next(filter(None, (shutil.which(item, path=path) for item in programs)), None)
        if program is not None:
            found.append(ExternalEditor(name, (program,), place))
    for variable in ("VISUAL", "EDITOR"):
        editor = _of_variable(environment.get(variable, ""), path)
        if editor is not None and all(editor.command[0] != item.command[0] for item in found):
            found.append(editor)
    return found


def _of_variable(value: str, path: str) -> ExternalEditor | None:
    try:
        words = split_words(value)
    except ValueError:  # an unclosed quote
        return None
    program = shutil.which(words[0], path=path) if words else None
    if program is None:
        return None
    stem = Path(program).stem
    if stem in NEEDS_TERMINAL or (stem.startswith("emacs") and {"-nw", "-t"} & set(words)):
        return None
    place = next((place for names, place in PLACES if stem in names), _plain)
    return ExternalEditor(stem, (program, *words[1:]), place)


def _pycharm(path: str, line: int) -> tuple[str, ...]:
    return ("--line", str(line), path)


def _vs_code(path: str, line: int) -> tuple[str, ...]:
    return ("-g", f"{path}:{line}")


def _plus(path: str, line: int) -> tuple[str, ...]:
    return (f"+{line}", path)


def _colon(path: str, line: int) -> tuple[str, ...]:
    return (f"{path}:{line}",)


def _kate(path: str, line: int) -> tuple[str, ...]:
    return ("-l", str(line), path)


def _plain(path: str, line: int) -> tuple[str, ...]:
    return (path,)


PLACES: tuple[tuple[tuple[str, ...], Callable[[str, int], tuple[str, ...]]], ...] = (
    (VS_CODE, _vs_code),
    (PYCHARM, _pycharm),
    (("emacs", "emacsclient", "gvim", "mvim", "gedit", "gnome-text-editor", "geany", "xed",
      "pluma"), _plus),
    (("subl", "sublime_text", "zed", "zeditor", "lapce"), _colon),
    (("kate", "kwrite", "mate"), _kate),
)  # fmt: skip
"""Pairs: names of editor programs, and the function that makes their arguments.

The function returns the arguments that open a file at a line. Programs that are not listed open the
file without a line.
"""

"""What the tutorial lets a reader type: shell commands, and a breakpoint in a debugger.

The pictures of those steps are drawn from what really came back.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from base.files import SHIPPED_ROOT
from benchmarks.debug_client import Debugger, Run, free_port
from sim.testing import Pilot
from sim.ui.theme.theme import FONTS

HOME = "~/garden"
FONT = "Inconsolata-Medium.ttf"
BACK, INK, FAINT, AMBER = (0.07, 0.07, 0.08), (0.9, 0.88, 0.82), (0.55, 0.54, 0.5), (1.0, 0.72, 0.3)
MARK = (0.3, 0.2, 0.12)
LETTER, LEADING, MARGIN = 22, 32, 28

Words = tuple[str, tuple[float, ...]]
"""A text and its colour."""


@dataclass(frozen=True)
class Stopped:
    """A run that stands at the breakpoint of the page."""

    debugger: Debugger
    thread: int
    frame: dict[str, Any]
    path: Path
    typed: str
    """What the page types there."""

    def value(self, expression: str) -> str:
        """Return what an expression is at the breakpoint."""
        return self.debugger.value(self.frame["id"], expression)

    def go_on(self) -> None:
        """Take the breakpoint away and let the run go on."""
        self.debugger.ask("setBreakpoints", source={"path": str(self.path)}, breakpoints=[])
        self.debugger.send("continue", threadId=self.thread)


def run_commands(commands: list[str], project: Path) -> list[tuple[str, str]]:
    """Run the shell commands of a page in a project and return each with its output.

    Raises:
        RuntimeError: one of them failed.
    """
    answers = []
    for command in commands:
        words = [word.replace(HOME, str(project)) for word in shlex.split(command)]
        if words[0] == "python":
            words[0] = sys.executable
        done = subprocess.run(words, cwd=SHIPPED_ROOT, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
        answers.append((command, (done.stdout + done.stderr).replace(str(project), HOME)))
    return answers


@contextmanager
def at_breakpoint(text: str, command: str, project: Path) -> Iterator[Stopped]:
    """Run a command of the page, attach, and stop where it says.

    Args:
        text: of the step: "the line `…` of `…` … the condition `…`", and a block that is typed.
        command: as in the page; a port of its own and no window are added.
        project: that was built from the page.

    Raises:
        ValueError: the text names no breakpoint.
    """
    flat = " ".join(text.split())
    named = re.search(r"the line `([^`]+)` of `([^`]+)`.*?the condition `([^`]+)`", flat)
    blocks = re.findall(r"^```(\w*)\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    typed = next((code for language, code in blocks if not language), None)
    if named is None or typed is None:
        raise ValueError("expected a line, a file, a condition and what is typed, found not all")
    path = project / named[2]
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    words = [word.replace(HOME, str(project)) for word in shlex.split(command)]
    port = free_port()
    run = Run(
        *words[3:], "--debug-port", str(port), "--no-graphics", "--speed", "1", "--for", "600"
    )
    debugger = None
    try:
        run.line("debugger: ")
        debugger = Debugger(port)
        debugger.attach(path, lines.index(named[1]) + 1, named[3])
        thread, frame = debugger.stop()
        yield Stopped(debugger, thread, frame, path, typed)
    finally:
        if debugger is not None:
            debugger.close()
        run.close()


# -- pictures of text -----------------------------------------------------------------------------


def draw_terminal(project: Path, answers: list[tuple[str, str]], width: int = 1040) -> Any:
    """Return a picture of commands and what they answered: BGR `[h, w, 3]`."""
    lines: list[tuple[Words, bool]] = []
    for command, output in answers:
        lines.append(((f"$ {command}", AMBER), False))
        lines += [((line, INK), False) for line in output.splitlines()]
    return draw_lines(project, lines, width)


def draw_stop(project: Path, stopped: Stopped, shown: tuple[str, ...], width: int = 1040) -> Any:
    """Return a picture of the line that a debugger stands at, and of values there."""
    at = int(stopped.frame["line"])
    source = stopped.path.read_text(encoding="utf-8").splitlines()
    lines: list[tuple[Words, bool]] = []
    where = f"{stopped.path.relative_to(project)}, line {at}, in {stopped.frame['name']}"
    lines.append(((where, FAINT), False))
    for number in range(at - 3, at + 4):
        color = INK if number == at else FAINT
        lines.append(((f"{number:4}  {source[number - 1]}", color), number == at))
    lines.append((("", FAINT), False))
    for expression in shown:
        lines.append(((f">>> {expression}", AMBER), False))
        lines.append(((stopped.value(expression), INK), False))
    return draw_lines(project, lines, width)


def draw_lines(project: Path, lines: list[tuple[Words, bool]], width: int) -> Any:
    """Return lines of a text in even letters, some of them marked: BGR `[h, w, 3]`."""
    font = project / "assets" / FONT
    shutil.copy(FONTS / FONT, font)
    with Pilot(scene=project / "scenes" / "main.scene.json", window=(320, 200)) as pilot:
        canvas = pilot.app.scene.spawn("Words", model={"builtin": "plane"}).canvas
        letter = canvas.text_size("m" * 100, size=LETTER, font=f"assets/{FONT}")[0] / 100
        lines = _wrapped(lines, int((width - 2 * MARGIN) / letter))
        canvas.resize(width, 2 * MARGIN + LEADING * len(lines), background=BACK)
        for number, ((text, color), is_marked) in enumerate(lines):
            top = MARGIN + LEADING * number
            if is_marked:
                canvas.rectangle((0, top, width, LEADING), MARK)
            place = (MARGIN, top + LEADING / 2)
            canvas.text(text, place, color, size=LETTER, valign="middle", font=f"assets/{FONT}")
        picture = canvas.pixels.copy()
    font.unlink()
    return picture


def _wrapped(lines: list[tuple[Words, bool]], letters: int) -> list[tuple[Words, bool]]:
    """Return lines of at most so many letters each."""
    found = []
    for (text, color), is_marked in lines:
        is_long = len(text) > letters
        parts = textwrap.wrap(text, letters, subsequent_indent="    ") if is_long else [text]
        found += [((part, color), is_marked) for part in parts]
    return found

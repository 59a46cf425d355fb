"""A person at a real window: moves, clicks and types through xdotool, and sees what is printed."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 60.0
KEY_MILLISECONDS = "2"


class Person:
    """Starts the app in a window and uses it, as fast as the system takes it.

    Args:
        words: of the command line after `main.py run`.
    """

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "main.py", "run", *words],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.lines: list[str] = []
        self._queue: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._asked = 0
        found = self._do("search", "--sync", "--onlyvisible", "--name", "Goishi$")
        self.window = found.split()[0]

    def click(self, x: float, y: float, *, holding: str = "") -> None:
        """Click at pixels from the window's upper left corner, wherever it lies on the screen."""
        words = ["mousemove", "--window", self.window, str(round(x)), str(round(y))]
        key = ["keydown", holding], ["keyup", holding]
        self._do(
            *words,
            *key[0] * bool(holding),
            "click",
            "1",
            *key[1] * bool(holding),
        )

    def move(self, x: float, y: float) -> None:
        """Move the pointer to pixels from the window's upper left corner."""
        self._do("mousemove", "--window", self.window, str(round(x)), str(round(y)))

    def press(self, *chords: str) -> None:
        self._do("key", "--delay", KEY_MILLISECONDS, *chords)

    def type(self, text: str) -> None:
        self._do("type", "--delay", KEY_MILLISECONDS, text)

    def do(self, statement: str) -> None:
        """Type Python at the prompt, wherever the keyboard was, and run it."""
        self.press("F6")
        self.type(statement)
        self.press("Return")

    def ask(self, expression: str) -> str:
        """Type a question at the prompt; return what is printed."""
        self._asked += 1
        self.do(f'print("answer", {self._asked}, {expression})')
        mark = f"answer {self._asked} "
        return self.wait_for(mark).partition(mark)[2].strip()

    def ask_until(self, expression: str) -> None:
        deadline = time.monotonic() + LONGEST
        while self.ask(expression) != "True":
            assert time.monotonic() < deadline, expression

    def wait_for(self, *texts: str) -> str:
        """Return the next printed line that holds all texts; what was before it is passed over."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            try:
                line = self._queue.get(timeout=0.2)
            except queue.Empty:
                assert self.process.poll() is None, (self.process.returncode, self.lines[-20:])
                continue
            if all(text in line for text in texts):
                return line
        raise AssertionError(f"expected a line with {texts}, found {self.lines[-20:]}")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=LONGEST)
        self._reader.join(timeout=LONGEST)
        if self.process.stderr is not None:
            self.process.stderr.close()

    def _read(self) -> None:
        for line in self.process.stderr or ():
            self.lines.append(line.rstrip())
            self._queue.put(line.rstrip())

    def _do(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words], check=True, timeout=LONGEST, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

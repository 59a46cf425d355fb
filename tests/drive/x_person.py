"""A person at a real window: moves, clicks and types through xdotool, and sees what is printed."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 120.0
BETWEEN = 0.35  # seconds between two things that a hand does


class Person:
    """Starts the app in a window and uses it.

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
        self._do("search", "--sync", "--onlyvisible", "--name", "Goishi")

    def click(self, x: float, y: float, button: int = 1) -> None:
        self._do("mousemove", str(round(x)), str(round(y)))
        time.sleep(BETWEEN)
        self._do("click", str(button))
        time.sleep(BETWEEN)

    def click_holding(self, key: str, x: float, y: float) -> None:
        self._do("mousemove", str(round(x)), str(round(y)))
        time.sleep(BETWEEN)
        self._do("keydown", key)
        time.sleep(BETWEEN)
        self._do("click", "1")
        time.sleep(BETWEEN)
        self._do("keyup", key)
        time.sleep(BETWEEN)

    def press(self, *chords: str) -> None:
        for chord in chords:
            self._do("key", chord)
            time.sleep(BETWEEN)

    def type(self, text: str) -> None:
        self._do("type", "--delay", "60", text)
        time.sleep(BETWEEN)

    def wait_for(self, *texts: str) -> str:
        """Return the next printed line that holds all texts; what was before it is passed over."""
        deadline = time.monotonic() + LONGEST
        while time.monotonic() < deadline:
            try:
                line = self._queue.get(timeout=0.2)
            except queue.Empty:
                assert self.process.poll() is None, self.lines[-20:]
                continue
            if all(text in line for text in texts):
                return line
        raise AssertionError(f"expected a line with {texts}, found {self.lines[-20:]}")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=LONGEST)
        self._reader.join(timeout=LONGEST)
        self.process.stderr.close()

    def _read(self) -> None:
        for line in self.process.stderr:
            self.lines.append(line.rstrip())
            self._queue.put(line.rstrip())

    def _do(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], check=True, timeout=LONGEST, stdout=subprocess.DEVNULL)

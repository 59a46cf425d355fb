"""The process that detects when a run hangs: `python -I -S hang_monitor.py OPTIONS`.

Some calls in C neither return nor react to signals. Such a call cannot be ended from inside its
process: while it holds Python's lock, no Python code runs there. Therefore `hang_client.py` in the
run writes a line to this process twice a second. This process acts when the lines stop, or when
they say that a script's call takes too long. It requests the run's stack, which a handler in C
writes, prints the blocking line of the script, and ends the run. With a window it asks the user
first.

Only the standard library is imported, and nothing of Goishi, so that it starts in milliseconds.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

BEAT, STUCK, LEAVING = "beat", "stuck", "leaving"
ENDS_WITH_1 = 1
"""Number of the signal SIGHUP, which makes the run end with exit code 1.

In the run, the signal's handler is the C function `_exit`, which gets the number as exit code.
"""
CONTROLS = bytes(code for code in range(32) if code != ord("\n"))
"""Bytes to skip in what the run writes: all below 32 except line breaks.

When the run gets a signal, C code writes the signal's number as such a byte, even if Python hangs.
"""
STOPS = {int(signal.SIGINT), int(signal.SIGTERM)}
LOOK_SECONDS = 0.25
BROKEN_OFF = "ERROR the run ended in the middle: os._exit, a crash in a library, or a kill"
DUMP_SECONDS = 2.0
MOST_STARVED = 8.0
"""Largest number of seconds that the run gets in addition to write its stack.

The run usually has `DUMP_SECONDS`. Seconds in which it waits for a busy processor are added to
them, up to this limit.
"""
STOPPED = ("T", "t")
"""Letters of Linux for a process that was stopped by a debugger or a terminal."""
WAIT, RESTART = 10, 11
"""Exit codes of the dialog's process: the user wants to wait, or to restart the run."""
FRAME = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)$')


@dataclass(frozen=True)
class MonitorOptions:
    """Options that the run gives to the monitor when it starts it.

    Attributes:
        process: process id of the run.
        limit: seconds of silence after which the run counts as hanging.
        patience: seconds that a call which has exceeded its time may still take.
        roots: the folders that hold `scripts/`.
        dialog: command, as a list of words, that asks the user whether to wait or to restart; empty
            without a window.
        again: command, as a list of words, that starts the run again; empty if unknown.
        left_out: name of the environment variable that lists the component types that the next run
            must not load.
    """

    process: int
    limit: float
    patience: float
    roots: list[str]
    dialog: list[str]
    again: list[str]
    left_out: str


@dataclass(frozen=True)
class BlockedPlace:
    """The line of a script in which the run hangs.

    Attributes:
        file: path of the script, relative to its project.
        line: line number.
        call: text of the line.
        component: class and method of the component that the engine called.
        kind: type of that component, `module:Class`.
    """

    file: str
    line: int
    call: str
    component: str
    kind: str

    def __str__(self) -> str:
        return f"{self.component}  {self.file}:{self.line}  blocks in {self.call}"


class HangMonitor:
    """Receives the lines that the run writes, and ends the run if it hangs."""

    def __init__(self, options: MonitorOptions) -> None:
        self.options = options
        self._left = options.limit
        self._silence = 0.0  # seconds since the run last said that all is well
        self._is_stuck = False
        self._is_asked_to_stop = False
        self._is_over = False
        self._text = ""
        self._dump: list[str] = []
        self._dialog: subprocess.Popen[bytes] | None = None
        self._system = Path(f"/proc/{options.process}")
        self._waited = processor_delay(self._system)
        self._place: BlockedPlace | None = None

    def watch(self) -> int:
        """Watch until the run has ended; return the exit code of this process."""
        while True:
            begun = time.monotonic()
            if not self._read(LOOK_SECONDS):
                self._close_dialog()
                if not self._is_over:
                    print_error(BROKEN_OFF)
                return 0
            self.count(time.monotonic() - begun)
            if self.must_end:
                self._end_silent_run()
            elif self._dialog is not None:
                self._look_at_dialog()
            elif self._left <= 0.0:
                self._left = self.options.limit
                self._report()

    def _read(self, seconds: float) -> bool:
        """Read what the run has written; return False if the run has ended.

        Args:
            seconds: time to wait for input.
        """
        readable, _, _ = select.select([0], [], [], seconds)
        if not readable:
            return True
        content = os.read(0, 65536)
        return bool(content) and self.process(content)

    @property
    def must_end(self) -> bool:
        """Whether the run was asked to stop but has been silent for longer than `patience`."""
        return self._is_asked_to_stop and self._silence > self.options.patience

    def process(self, content: bytes) -> bool:
        """Handle bytes that the run wrote; return False if the run says that it is ending."""
        if STOPS.intersection(content):
            self._is_asked_to_stop = True
        text = content.translate(None, CONTROLS).decode("utf-8", "replace")
        *lines, self._text = (self._text + text).split("\n")
        for line in lines:
            if line == BEAT:
                self._left, self._is_stuck = self.options.limit, False
                self._silence = 0.0
                self._close_dialog()
            elif line == LEAVING:
                self._is_over = True
                return False
            elif line == STUCK:
                if not self._is_stuck:
                    self._left = min(self._left, self.options.patience)
                self._is_stuck = True
            else:
                self._dump.append(line)
        return True

    def count(self, passed: float) -> None:
        """Count seconds in which the run wrote nothing.

        They count as silence, and they shorten the time left until the run counts as hanging. Time
        in which the run was stopped, or waited for a processor, does not count.

        Args:
            passed: elapsed seconds.
        """
        starved = processor_delay(self._system)
        waited, self._waited = starved - self._waited, starved
        if passed < 4 * LOOK_SECONDS and state_of(self._system) not in STOPPED:
            counted = max(passed / 2, passed - waited)
            self._left -= counted
            self._silence += counted

    def _dumped(self) -> BlockedPlace | None:
        """Make the run write its stack; return where a script hangs, None if none is running."""
        self._dump.clear()
        with contextlib.suppress(OSError, AttributeError):
            os.kill(self.options.process, signal.SIGURG)  # some computations in C handle signals
            os.kill(self.options.process, signal.SIGUSR2)
        end, starved = time.monotonic() + DUMP_SECONDS, processor_delay(self._system)
        while not any(map(FRAME.match, self._dump)):
            late = min(processor_delay(self._system) - starved, MOST_STARVED)
            if time.monotonic() > end + late:
                break
            if not self._read(0.1):
                return None
        self._read(0.1)
        return place_in(self._dump, self.options.roots)

    def _report(self) -> None:
        """Find where the run hangs, print it, and end the run or ask the user.

        Nothing happens if no script is the cause, or if the run continues meanwhile.
        """
        place = self._dumped()
        if place is None or not self._is_silent():
            return  # not caused by a script, or it recovered
        if self.options.dialog:
            if place != self._place:
                print_error(f"WARNING {place}")
            self._place = place
            self._dialog = subprocess.Popen([*self.options.dialog, str(place)])
        else:
            print_error(f"ERROR {place}: it cannot be stopped, the run ends")
            self._end_run()

    def _is_silent(self) -> bool:
        """Wait up to 1.2 seconds; return whether the run still hangs after that.

        It hangs if it writes nothing, or only that a call takes too long.
        """
        self._is_stuck, end = True, time.monotonic() + 1.2
        while self._is_stuck and time.monotonic() < end:
            if not self._read(0.1):
                return False
        return self._is_stuck

    def _end_silent_run(self) -> None:
        """End a run that was asked to stop and is silent; print where it blocks."""
        place = self._dumped()
        if not self._is_over and self._is_silent():  # asked just after a call, it has yet to beat
            print_error(
                f"ERROR {place or 'the run'}: asked to stop and silent, it ends in the middle"
            )
            self._end_run()

    def _end_run(self) -> None:
        self._is_over = True
        with contextlib.suppress(OSError):
            os.kill(self.options.process, ENDS_WITH_1)
            time.sleep(1.0)
            os.kill(self.options.process, getattr(signal, "SIGKILL", ENDS_WITH_1))

    def _look_at_dialog(self) -> None:
        code = self._dialog.poll() if self._dialog is not None else None
        if code is None:
            return
        self._dialog = None
        self._left = 2 * self.options.limit
        if code == RESTART and self._place is not None and self.options.again:
            self._end_run()
            known = os.environ.get(self.options.left_out, "")
            os.environ[self.options.left_out] = f"{known},{self._place.kind}".strip(",")
            null = os.open(os.devnull, os.O_RDONLY)
            os.dup2(null, 0)
            for stop in STOPS:  # ignored signals would be inherited
                signal.signal(stop, signal.SIG_DFL)
            os.execv(self.options.again[0], self.options.again)

    def _close_dialog(self) -> None:
        if self._dialog is not None:
            self._dialog.terminate()
            self._dialog = None


def processor_delay(task: Path) -> float:
    """Return for how many seconds in all a thread has been waiting for a processor.

    Linux only; 0.0 on other systems and after the thread has ended.

    Args:
        task: folder of the thread below `/proc`; a process's folder stands for its main thread.
    """
    try:
        return int((task / "schedstat").read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def state_of(task: Path) -> str:
    """Return the letter with which Linux describes a thread's state; "" if there is no such thread.

    Args:
        task: folder of the thread below `/proc`; a process's folder stands for its main thread.
    """
    try:
        text = (task / "stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return "".join(text.rpartition(")")[2].split()[:1])


def place_in(dump: list[str], roots: list[str]) -> BlockedPlace | None:
    """Find the line where a script hangs, in a stack that `faulthandler` wrote.

    Args:
        dump: lines of the stack, the innermost call first.
        roots: the folders that hold `scripts/`.

    Returns:
        The place; None if no script is running.
    """
    scripts = [(Path(root), f"{root}{os.sep}scripts{os.sep}") for root in roots]
    found: list[tuple[Path, str, int, str]] = []
    for match in filter(None, map(FRAME.match, dump)):
        for root, folder in scripts:
            if match["file"].startswith(folder):
                found.append((root, match["file"], int(match["line"]), match["name"]))
                break
    if not found:
        return None
    root, file, line, _ = found[0]
    outer_root, outer_file, outer_line, name = found[-1]
    owner = class_at(outer_file, outer_line)
    module = ".".join(Path(outer_file).relative_to(outer_root).with_suffix("").parts)
    return BlockedPlace(
        file=Path(file).relative_to(root).as_posix(),
        line=line,
        call=line_of(file, line),
        component=f"{owner}.{name}" if owner else name,
        kind=f"{module}:{owner}",
    )


def class_at(file: str, line: int) -> str:
    """Return the name of the class that contains a line of a file; empty if none does."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.lineno <= line <= (node.end_lineno or 0):
            return node.name
    return ""


def line_of(file: str, number: int) -> str:
    """Return the text of a line of a file, stripped and cut to 80 characters.

    Args:
        file: path of the file.
        number: line number, from 1.

    Returns:
        The text; "its code" if the line cannot be read.
    """
    try:
        lines = Path(file).read_text("utf-8", "replace").splitlines()
        text = lines[number - 1].strip()
    except (OSError, IndexError):
        return "its code"
    return text if len(text) <= 80 else text[:79] + "…"


def print_error(text: str) -> None:
    """Write one line on stderr."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


if __name__ == "__main__":
    for stop in (signal.SIGINT, signal.SIGTERM):  # left to the run; this process notices its end
        signal.signal(stop, signal.SIG_IGN)
    sys.exit(HangMonitor(MonitorOptions(**json.loads(sys.argv[1]))).watch())

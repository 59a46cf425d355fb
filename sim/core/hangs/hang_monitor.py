"""The process that detects when a run hangs: `python -I -S hang_monitor.py OPTIONS`.

Some calls in C neither return nor react to signals. Such a call cannot be ended from inside its
process: while it holds Python's lock, no Python code runs there. Therefore `hang_client.py` in the
run writes a line to this process twice a second. This process acts when the lines stop, or when
they say that a script's call takes too long. It requests the run's stack, which a handler in C
writes, prints the blocking line of the script, and ends the run. With a window it asks the user
first.

The same file watches the end of a run's process (`exit_watch.py` starts it then): see
`ExitMonitor`.

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
DOOR = 3
"""File descriptor of the run's exit door in this process: a byte written to it ends the run."""
GONE_SECONDS = 2.0
"""Seconds in which a process that was ended must be gone; otherwise it is killed."""
STOPS = {
    int(getattr(signal, name))
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGXCPU")
    if hasattr(signal, name)
}
"""Signals that ask a run to end, and that can be told from text when they arrive as a byte."""
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
        door: file descriptor of the run's exit door, which ends it with exit code 1; -1 for none.
    """

    process: int
    limit: float
    patience: float
    roots: list[str]
    dialog: list[str]
    again: list[str]
    left_out: str
    door: int = -1


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
        end_process(self.options.process, self.options.door)

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


@dataclass(frozen=True)
class ExitOptions:
    """Options of an `ExitMonitor`.

    Attributes:
        process: id of the process that should end.
        exit_seconds: seconds that it may take.
        door: file descriptor of its exit door.
        roots: the folders that hold `scripts/`.
    """

    process: int
    exit_seconds: float
    door: int
    roots: list[str]


class ExitMonitor:
    """Waits for the end of its parent process; if that does not come, says why, and ends it."""

    def __init__(self, options: ExitOptions) -> None:
        self.options = options
        self._system = Path(f"/proc/{options.process}")

    def watch(self) -> int:
        """Watch until the process has ended; return the exit code of this process."""
        left, starved = self.options.exit_seconds, processor_delay(self._system)
        while left > 0.0:
            begun = time.monotonic()
            if not self._wait(LOOK_SECONDS):
                return 0
            passed, delay = time.monotonic() - begun, processor_delay(self._system)
            if state_of(self._system) not in STOPPED:
                left -= max(passed / 2, passed - (delay - starved))
            starved = delay
        self._end()
        return 0

    def _wait(self, seconds: float) -> bool:
        """Wait until the process has ended; return False if it has.

        Args:
            seconds: maximum time.
        """
        if os.getppid() != self.options.process:
            return False
        readable, _, _ = select.select([0], [], [], seconds)
        return os.getppid() == self.options.process and not (readable and not os.read(0, 65536))

    def _end(self) -> None:
        """Say what keeps the process from ending, end that, and then the process itself."""
        process = self.options.process
        place = place_in(dump := self._dumped(), self.options.roots)
        children = children_of(process)
        own = [child for child in children if child.is_own]
        if place is not None:
            what = f"its process still stands in {place}"
        elif children:
            named = ", ".join(str(child) for child in children)
            what = f"its process waits for {named}"
        else:
            frame = next(filter(None, map(FRAME.match, dump)), None)
            what = "its process still stands in a function of atexit, or in a library"
            if frame is not None:
                file = Path(frame["file"])
                short = "/".join(file.parts[-2 if file.stem == "__init__" else -1 :])
                what = f"its process still stands in {frame['name']}  {short}:{frame['line']}"
        print_error(f"WARNING the run is over, but {what}; after {self._seconds} it is ended")
        for child in own:
            with contextlib.suppress(OSError):
                os.kill(child.process, signal.SIGKILL)
        if place is None and own and self._is_gone():
            return
        end_process(process, self.options.door)

    @property
    def _seconds(self) -> str:
        return f"{self.options.exit_seconds:g} s (setting exit_timeout)"

    def _dumped(self) -> list[str]:
        """Return the lines of the stack of the process; empty if it cannot write them."""
        if not is_caught(self._system, signal.SIGUSR2):
            return []
        with contextlib.suppress(OSError):
            os.kill(self.options.process, signal.SIGURG)  # some computations in C handle signals
            os.kill(self.options.process, signal.SIGUSR2)
        text, end = "", time.monotonic() + DUMP_SECONDS
        while time.monotonic() < end:
            readable, _, _ = select.select([0], [], [], 0.2)
            if readable:
                text += os.read(0, 65536).decode("utf-8", "replace")
            elif text:
                break
        return text.split("\n")

    def _is_gone(self) -> bool:
        end = time.monotonic() + GONE_SECONDS
        while time.monotonic() < end:
            if not self._wait(0.1):
                return True
        return False


@dataclass(frozen=True)
class ChildProcess:
    """A child of the process that should end.

    Attributes:
        process: its id.
        command: its command line.
        is_own: whether it is a part of the run, made by Python's `multiprocessing` or `os.fork`.
    """

    process: int
    command: str
    is_own: bool

    def __str__(self) -> str:
        short = self.command if len(self.command) <= 60 else f"{self.command[:59]}…"
        return f"the process {self.process} ({short})"


def children_of(process: int) -> list[ChildProcess]:
    """Return the living children of a process, without this process and Python's own helpers.

    Linux only; empty on other systems.

    Args:
        process: id of the process.
    """
    found: list[ChildProcess] = []
    parent = command_of(process)
    with contextlib.suppress(OSError):
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            fields = _fields_of(Path("/proc", entry))
            if len(fields) < 2 or fields[0] == "Z" or fields[1] != str(process):
                continue
            command = command_of(int(entry))
            if "resource_tracker" not in command:  # it ends by itself
                is_own = command == parent or "multiprocessing" in command
                found.append(ChildProcess(int(entry), command, is_own))
    return found


def command_of(process: int) -> str:
    """Return the command line of a process; empty if it is not known."""
    try:
        content = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return ""
    return content.replace(b"\0", b" ").decode("utf-8", "replace").strip()


def is_caught(task: Path, number: int) -> bool:
    """Return whether a process has a handler for a signal; True if it is not known.

    Args:
        task: folder of the process below `/proc`.
        number: number of the signal.
    """
    try:
        text = (task / "status").read_text("utf-8", "replace")
        caught = int(text.partition("SigCgt:")[2].split()[0], 16)
    except (OSError, ValueError, IndexError):
        return True
    return bool(caught >> (number - 1) & 1)


def end_process(process: int, door: int) -> None:
    """End the run: by its exit door if it has one, else by a signal; kill it if that fails.

    Args:
        process: id of the run's process.
        door: file descriptor of its exit door; -1 for none.
    """
    with contextlib.suppress(OSError):
        if door >= 0:
            os.write(door, b"x")
        else:
            os.kill(process, ENDS_WITH_1)
        end = time.monotonic() + GONE_SECONDS
        while time.monotonic() < end and os.getppid() == process:
            time.sleep(0.05)
        if os.getppid() == process:
            os.kill(process, getattr(signal, "SIGKILL", ENDS_WITH_1))


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
    return "".join(_fields_of(task)[:1])


def _fields_of(task: Path) -> list[str]:
    """Return the fields of a file `stat` below `/proc`, from the state on; empty if it is gone."""
    try:
        text = (task / "stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


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
    for stop in STOPS:  # left to the run; this process notices its end
        signal.signal(stop, signal.SIG_IGN)
    given = json.loads(sys.argv[1])
    if "exit_seconds" in given:
        sys.exit(ExitMonitor(ExitOptions(**given)).watch())
    sys.exit(HangMonitor(MonitorOptions(**given)).watch())

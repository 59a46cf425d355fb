"""The process of an engine, which can never block its caller; its log and its faults.

Threads read and write with bounded buffers. So neither an engine that never reads nor one that
never stops writing can block the caller. On POSIX systems the engine is a child of `guard.py`,
which kills it once this process is gone.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import psutil  # type: ignore[import-untyped]

from ai.players.base import PlayerError
from ai.protocol.messages import LineSplitter
from base.worker.starting import usual_environment

if TYPE_CHECKING:
    from base.windows import Job

LARGEST: Final = 8 * 2**20
"""Maximum size of a log file in bytes; later lines are dropped."""
LONGEST: Final = 500
"""Maximum number of characters of a logged line; the rest is cut."""


class DialogueLog:
    """Log file of a dialogue: lines with time and direction; thread-safe, and never raises."""

    def __init__(self, path: Path | None) -> None:
        """Open a log file for appending.

        Args:
            path: the file; None to write nothing.
        """
        self._path = path
        self._lock = threading.Lock()
        self._room = LARGEST
        if path is not None:
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                self._room -= path.stat().st_size if path.is_file() else 0

    def sent(self, line: str) -> None:
        """Log a line sent to the engine."""
        self._write(">", line)

    def received(self, line: str) -> None:
        """Log a line received from the engine."""
        self._write("<", line)

    def noted(self, line: str) -> None:
        """Log an event, or a line of the engine's standard error."""
        self._write("!", line)

    def _write(self, mark: str, line: str) -> None:
        if self._path is None:
            return
        time = datetime.now().isoformat(timespec="milliseconds")
        data = f"{time} {mark} {line[:LONGEST]}\n".encode("utf-8", "replace")
        with self._lock:
            if self._room <= 0:
                return
            self._room -= len(data)
            if self._room <= 0:
                data += b"(the log is full)\n"
            with contextlib.suppress(OSError), self._path.open("ab") as file:
                file.write(data)


class EngineFault(StrEnum):
    """Reason for which an engine loses a game."""

    START = "start"
    """The engine could not be started, or did not answer START in time."""
    TURN_TIME = "turn time"
    """The engine sent no move within the time of a move."""
    MATCH_TIME = "match time"
    """The engine has used up the time for all its moves of the game."""
    MEMORY = "memory"
    """The engine exceeded its memory limit."""
    EXITED = "exited"
    """The engine's process ended."""
    FLOOD = "flood"
    """The engine wrote more than allowed between two commands."""
    DEAF = "deaf"
    """The engine does not read its input."""
    ILLEGAL = "illegal move"
    """The engine's move is off the board or on a stone."""
    GARBAGE = "garbage"
    """The engine's output is no valid reply."""
    REFUSED = "refused"
    """The engine answered ERROR or UNKNOWN to a mandatory command."""


class EngineFaultError(PlayerError):
    """An engine has lost the game by a fault; its process is ended.

    Attributes:
        fault: kind of fault.
        engine: name of the engine.
    """

    def __init__(self, engine: str, fault: EngineFault, text: str) -> None:
        super().__init__(f"{engine}: {fault}: {text}")
        self.engine = engine
        self.fault = fault


GUARD: Final = Path(__file__).with_name("guard.py")
MOST_LINES: Final = 64
"""Maximum number of unread replies of an engine."""
MOST_BYTES: Final = 16 * 2**20
"""Maximum bytes that an engine may write between two commands, including texts for people."""
MOST_UNWRITTEN: Final = 256
"""Maximum number of commands that an engine has not read yet."""
CHUNK: Final = 65536
MEMORY_SECONDS: Final = 0.1
"""Seconds between two checks of an engine's memory."""
LOOKS_FOR_CHILDREN: Final = 10
"""Number of memory checks between two looks for new child processes of the engine."""
ERROR_SECONDS: Final = 0.2
"""Seconds that the last line of standard error is waited for, once the engine has ended."""
SHOWN_ERROR: Final = 200
"""Maximum number of its characters that a fault shows."""
TEXTS: Final = ("MESSAGE", "DEBUG")
SIGNALLED: Final = 128
"""Exit codes above this mean that a signal ended the process: this plus the signal's number."""


class EngineProcess:
    """A running engine. One thread may use it; any thread may call `kill`."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        log: DialogueLog | None = None,
        max_memory: int = 0,
    ) -> None:
        """Start the program.

        Args:
            name: name of the engine, for errors.
            command: program and arguments; no shell interprets them.
            folder: working folder; None for the current one.
            log: log of the dialogue; None for no log.
            max_memory: bytes that the engine and its child processes may use; 0 for no limit.

        Raises:
            EngineFaultError: the program cannot be started.
        """
        self._name = name
        self._log = log or DialogueLog(None)
        self._ready = threading.Condition()
        self._ending = threading.Lock()
        self._lines: deque[str] = deque()
        self._unwritten: deque[bytes] = deque()
        self._fault: EngineFaultError | None = None
        self._bytes = 0
        self._last_error = ""
        """Last line of the engine's standard error."""
        self._is_ended = False
        self._family: dict[int, psutil.Process] = {}
        self._lifeline = -1
        self._job: Job | None = None
        self._process = self._started(_found(name, command, folder), folder)
        self._streams(max_memory)

    def send(self, line: str) -> None:
        """Write a line, without waiting for the engine to read it."""
        self._log.sent(line)
        with self._ready:
            self._bytes = 0
            if len(self._unwritten) >= MOST_UNWRITTEN:
                self._fail(EngineFault.DEAF, f"{MOST_UNWRITTEN} lines wait for it to read")
            self._unwritten.append(f"{line}\r\n".encode())
            self._ready.notify_all()

    def receive(self, until: float) -> str | None:
        """Return the engine's next reply; None if there is none in time.

        Messages for people (MESSAGE, DEBUG) are skipped.

        Args:
            until: time limit, by `time.monotonic()`.

        Raises:
            EngineFaultError: the engine has ended, writes too much, or uses too much memory.
        """
        with self._ready:
            while True:
                is_flood = self._fault is not None and self._fault.fault is not EngineFault.EXITED
                if self._lines and not is_flood:
                    return self._lines.popleft()
                if self._fault is not None:
                    raise self._fault
                left = until - time.monotonic()
                if left <= 0:
                    return None
                self._ready.wait(left)

    def discard(self) -> int:
        """Drop the unread replies; return their number."""
        with self._ready:
            count = len(self._lines)
            self._lines.clear()
            return count

    def end(self, seconds: float) -> None:
        """Wait up to `seconds` for the engine to exit; then kill it and its children."""
        with self._ready:
            self._ready.wait_for(lambda: self._fault is not None, seconds)
        self.kill()

    def kill(self) -> None:
        """Kill the engine with all its children, and close its pipes; may be called twice.

        A new thread does it. So an exception in the caller's thread (a time limit, Ctrl+C) leaves
        no process behind.
        """
        ending = threading.Thread(target=self._end_all, name=f"end of engine {self._name}")
        ending.start()
        ending.join()

    def _end_all(self) -> None:
        with self._ending:
            with self._ready:
                if self._is_ended:
                    return
                self._is_ended = True
                self._ready.notify_all()
            self._stop()
            self._process.wait()
            if self._lifeline >= 0:
                os.close(self._lifeline)
            for thread, stream in zip(self._threads, self._pipes, strict=False):
                thread.join(1.0)
                if not thread.is_alive() and stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()

    def _stop(self) -> None:
        """Kill the engine and all processes that it has started.

        Call it before anything waits for the process. Until then the system gives the process's id
        to no other process.
        """
        self._see_family()
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for process in list(self._family.values()):
            with contextlib.suppress(psutil.Error):
                process.kill()
        if self._job is not None:
            self._job.end()
        with contextlib.suppress(OSError):
            self._process.kill()

    # -- start --------------------------------------------------------------------------------

    def _started(self, command: list[str], folder: Path | None) -> subprocess.Popen[bytes]:
        """Start the program: on POSIX systems as a child of `guard.py`, on Windows in a job."""
        kept: tuple[int, ...] = ()
        if os.name == "posix":
            reading, self._lifeline = os.pipe()
            kept = (reading,)
            command = [sys.executable, "-I", "-S", str(GUARD), str(reading), *command]
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=usual_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=kept,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            if self._lifeline >= 0:
                os.close(self._lifeline)
            raise EngineFaultError(
                self._name, EngineFault.START, f"expected a program that starts, found {error}"
            ) from None
        finally:
            for descriptor in kept:
                os.close(descriptor)
        if sys.platform == "win32":
            self._job = _job_of(process)
        return process

    def _streams(self, max_memory: int) -> None:
        """Start the threads that read, write and check the memory.

        Args:
            max_memory: allowed bytes; 0 for no limit.
        """
        process = self._process
        self._pipes = (process.stdout, process.stderr, process.stdin)
        works: list[Callable[[], None]] = [self._read, self._read_errors, self._write]
        if max_memory:
            works.append(lambda: self._watch(max_memory))
        self._threads = [
            threading.Thread(target=work, name=f"engine {self._name}", daemon=True)
            for work in works
        ]
        for thread in self._threads:
            thread.start()

    # -- threads ------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read the engine's output until its end."""
        splitter = LineSplitter()
        for data in _chunks(self._process.stdout):
            with self._ready:
                self._bytes += len(data)
                if self._bytes > MOST_BYTES:
                    self._fail(
                        EngineFault.FLOOD, f"more than {MOST_BYTES >> 20} MiB without a command"
                    )
                    return
                for line in splitter.feed(data):
                    if not self._queue_reply(line):
                        return
        code = self._exit_code()
        self._threads[1].join(ERROR_SECONDS)
        with self._ready:
            rest = splitter.rest()
            if rest.strip():
                self._queue_reply(rest)
            said = f" after {self._last_error[:SHOWN_ERROR]!r}" if self._last_error else ""
            self._fail(EngineFault.EXITED, f"its process {_end_of(code)}{said}")

    def _exit_code(self) -> int | None:
        """Wait for the end of the process; return its exit code, None if unknown.

        Where the system allows it, the process's id stays reserved meanwhile.
        """
        if not hasattr(os, "waitid"):  # Windows, and macOS before Python 3.13
            return self._process.wait()
        with contextlib.suppress(OSError):
            ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            return None if ended is None else ended.si_status
        return None

    def _queue_reply(self, line: str) -> bool:
        """Queue a line unless it is a message for people; return False if too many are unread."""
        self._log.received(line)
        if line.lstrip()[:8].upper().startswith(TEXTS):
            return True
        if len(self._lines) >= MOST_LINES:
            self._fail(EngineFault.FLOOD, f"more than {MOST_LINES} replies to one command")
            return False
        self._lines.append(line)
        self._ready.notify_all()
        return True

    def _read_errors(self) -> None:
        splitter = LineSplitter()
        for data in _chunks(self._process.stderr):
            for line in splitter.feed(data):
                self._log.noted(line)
                self._last_error = line.strip()

    def _write(self) -> None:
        """Thread that writes queued lines; if the engine does not read, only this thread blocks."""
        stream = self._process.stdin
        if stream is None:
            return
        with contextlib.suppress(OSError, ValueError):
            while True:
                with self._ready:
                    self._ready.wait_for(lambda: self._unwritten or self._is_ended)
                    if self._is_ended:
                        return
                    data = self._unwritten.popleft()
                while data:
                    data = data[stream.write(data) or 0 :]

    def _watch(self, most: int) -> None:
        """Thread that checks the memory of the engine and its children until the engine ends.

        Args:
            most: allowed bytes.
        """
        looks = 0
        while True:
            with self._ready:
                if self._ready.wait_for(self._is_over, MEMORY_SECONDS):
                    return
            if looks % LOOKS_FOR_CHILDREN == 0:
                self._see_family()
            looks += 1
            held = self._held_memory()
            if held > most:
                with self._ready:
                    text = f"expected at most {most >> 20} MiB, found {held >> 20}"
                    self._fail(EngineFault.MEMORY, text)
                return

    def _is_over(self) -> bool:
        return self._is_ended or self._fault is not None

    def _see_family(self) -> None:
        """Look for the engine's present processes, and measure their memory from now on."""
        with contextlib.suppress(psutil.Error):
            first = psutil.Process(self._process.pid)
            members = first.children(recursive=True)
            if os.name != "posix":
                members.append(first)
            self._family.update({process.pid: process for process in members})

    def _held_memory(self) -> int:
        """Return the memory of the engine's known processes together, in bytes."""
        held = 0
        for process in list(self._family.values()):
            with contextlib.suppress(psutil.Error):
                held += int(process.memory_info().rss)
        return held

    def _fail(self, fault: EngineFault, text: str) -> None:
        """Record a fault of the engine; only the first one counts.

        The caller holds the lock. The next `receive` raises the fault, and whoever catches the
        error kills the engine.

        Args:
            fault: kind of fault.
            text: description of what happened.
        """
        if self._fault is not None or self._is_ended:
            return
        self._fault = EngineFaultError(self._name, fault, text)
        self._log.noted(f"{fault}: {text}")
        self._ready.notify_all()


def _found(name: str, command: Sequence[str], folder: Path | None) -> list[str]:
    """Return the command with the full path of its program.

    Args:
        name: name of the engine, for errors.
        command: program and arguments.
        folder: working folder; None for the current one.

    Raises:
        EngineFaultError: the program or the folder does not exist.
    """
    if folder is not None and not folder.is_dir():
        raise EngineFaultError(
            name, EngineFault.START, f"expected a folder, found no folder {str(folder)!r}"
        )
    here = Path.cwd() if folder is None else folder
    program = shutil.which(command[0]) or shutil.which(str(here / command[0]))
    if program is None:
        is_file = (here / command[0]).is_file()
        found = f"{command[0]!r}" + (", a file that may not be executed" if is_file else "")
        raise EngineFaultError(
            name, EngineFault.START, f"expected a program that can be run, found {found}"
        )
    return [program, *command[1:]]


def _job_of(process: subprocess.Popen[bytes]) -> Job | None:
    """Return a job object of Windows with a process that has just begun; None if it gives none."""
    from base.windows import Job

    with contextlib.suppress(OSError):
        job = Job()
        job.take(process.pid)
        return job
    return None


def _end_of(code: int | None) -> str:
    """Describe how a process has ended.

    Args:
        code: exit code; 128 plus a signal's number if the signal ended the process; None if
            unknown.
    """
    with contextlib.suppress(ValueError):
        if os.name == "posix" and code is not None and code > SIGNALLED:
            return f"was ended by {signal.Signals(code - SIGNALLED).name}"
    return f"ended with code {code}"


def _chunks(stream: IO[bytes] | None) -> Iterator[bytes]:
    """Yield chunks of bytes from a pipe until its end."""
    while stream is not None:
        data = b""
        with contextlib.suppress(OSError, ValueError):
            data = stream.read(CHUNK)
        if not data:
            return
        yield data

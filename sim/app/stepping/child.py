"""A child process that steps scenes: how it is started, asked, and what is told when it is gone."""

from __future__ import annotations

import contextlib
import pickle
import signal
import subprocess
import sys
import weakref
from io import BufferedReader
from typing import IO, Any, Final

import base.errors
import sim.app.episodes
from base.errors import GoishiError, WorkerLostError
from base.files import SHIPPED_ROOT

START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from sim.app.serving import main; main()"
)
"""What the child runs: no module of the program is imported in it, and none of this package."""
PATIENCE: Final = 10.0
"""Seconds that a child has for its end, when it is asked to."""


class Child:
    """One child process, asked by name and arguments; it begins at once, and nobody waits yet.

    An answer that was not waited for to the end, as with Ctrl+C, is thrown away before the next
    question.

    Args:
        name: what errors call it.
        kind: what it serves, see `sim.app.serving.METHODS_OF`.
        arguments: plain values for that.
    """

    def __init__(self, name: str, kind: str, *arguments: object) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, str(SHIPPED_ROOT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._end = weakref.finalize(self, _end, self._process)
        self._owed = 0
        self._about: Any = None
        self.send("open", kind, *arguments)

    @property
    def about(self) -> Any:
        """What it says of what it serves, once that is open.

        Raises:
            GoishiError: it cannot be opened; the process has ended.
            WorkerLostError: the process has ended.
        """
        if self._about is None:
            try:
                self._about = self.receive()
            except BaseException:
                self.close()
                raise
        return self._about

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def ask(self, method: str, *arguments: object) -> Any:
        """Call a method there and return its answer.

        Raises:
            GoishiError: what it raised.
            WorkerLostError: the process has ended.
        """
        self.send(method, *arguments)
        return self.receive()

    def send(self, method: str, *arguments: object) -> None:
        """Ask, without waiting for the answer.

        Raises:
            WorkerLostError: the process has ended.
        """
        while self._owed:
            with contextlib.suppress(GoishiError):
                self.receive()
        try:
            self._stdin.write(pickle.dumps((method, arguments), protocol=5))
            self._stdin.flush()
        except (OSError, ValueError):
            raise self._lost() from None
        self._owed += 1

    def receive(self) -> Any:
        """Wait for the answer to the oldest question without one.

        Raises:
            GoishiError: what was raised there.
            WorkerLostError: the process has ended.
        """
        try:
            self._stdout.peek(1)  # waits, and takes nothing: it can be broken off
            self._owed = 0
            kind, *rest = pickle.load(self._stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self._owed = 0
            raise self._lost() from None
        if kind == "ok":
            return rest[0]
        raise error_of(*rest)

    def close(self) -> None:
        """End the process. May be called twice."""
        self._end()

    @property
    def _stdin(self) -> IO[bytes]:
        return self._process.stdin  # type: ignore[return-value]  # a pipe was asked for

    @property
    def _stdout(self) -> BufferedReader:
        return self._process.stdout  # type: ignore[return-value]

    def _lost(self) -> WorkerLostError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        code = self._process.returncode
        how = "is closed"
        if code is not None and code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
        elif code is not None:
            how = f"has ended with exit code {code}"
        return WorkerLostError(f"{self.name}: expected an answer, found that the process {how}")


def error_of(kind: str, values: dict[str, str], text: str) -> GoishiError:
    """Return the error that was raised in a child, from what it sent."""
    found = getattr(base.errors, kind, getattr(sim.app.episodes, kind, GoishiError))
    error: GoishiError = found.__new__(found, text)
    Exception.__init__(error, text)
    vars(error).update(values)
    return error


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let a child end by closing its input; kill it where it does not."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

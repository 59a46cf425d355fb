"""Calls by name: what a process of ours may be asked by another, and how the answer comes back.

A call is a name and arguments. Its answer is `("ok", value)`, or `("error", kind, values, text)`:
the class of the error, its attributes that are texts, and its message. All are plain values, as the
two ends may know Goishi's packages by different names (`base` and `goishi._own.base`), so that no
class of ours means the same to both. The caller gets the value, or the same error.

What is carried by what: pickles on the pipes of a child process (`CallProcess`, `serve_calls`), an
actor's method on a cluster, JSON on a socket for remote control. Messages to the workers of a scene
are another matter: they are sent without waiting, and told of progress (`service.py`).
"""

from __future__ import annotations

import contextlib
import inspect
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from io import BufferedReader
from typing import IO, Any, Final, TypeAlias

import base.errors
from base.errors import GoishiError, UsageError, WorkerLostError
from base.files import SHIPPED_ROOT

Methods: TypeAlias = Mapping[str, Callable[..., object]]
Answer: TypeAlias = tuple[Any, ...]
""""ok" and the value, or "error", the class of the error, its attributes, its message."""
START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from importlib import import_module; "
    "name, _, function = sys.argv.pop(1).partition(':'); getattr(import_module(name), function)()"
)
"""What a child runs: it imports no module of the program that starts it."""
END_SECONDS: Final = 10.0
"""In which a process ends that is asked to; then it is killed."""
OPEN_SECONDS: Final = 600.0
"""In which an actor of a cluster finds a core and opens its scenes."""
GREETING_SECONDS: Final = 10.0
"""In which a program that connects says who it is."""
START_SECONDS: Final = 120.0
"""In which an app that a program starts says where it can be reached."""


class CallTable:
    """The calls that are answered, by name.

    Args:
        methods: what each does; its signature says which arguments it takes.
    """

    def __init__(self, methods: Methods) -> None:
        self._methods = methods
        self._signatures = {name: inspect.signature(found) for name, found in methods.items()}

    def call(
        self, name: str, arguments: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> object:
        """Do what is asked, and return the value.

        Raises:
            UsageError: there is no such call, or its arguments do not fit.
            Exception: what it raises.
        """
        method, keywords = self._methods.get(name), named or {}
        if method is None:
            raise UsageError(f"call: expected {', '.join(self._methods)}, found {name!r:.80}")
        try:
            self._signatures[name].bind(*arguments, **keywords)
        except TypeError as error:
            raise UsageError(f"{name}: {error}") from None
        return method(*arguments, **keywords)

    def answer(
        self, name: str, arguments: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> Answer:
        """Do what is asked, and return the answer; whatever fails is one, too."""
        try:
            return "ok", self.call(name, arguments, named)
        except Exception as error:  # whoever asked is told, and may go on
            return answer_of(error)


def answer_of(error: Exception) -> Answer:
    """Return the answer that tells an error; one that is not ours is a `GoishiError` there."""
    if not isinstance(error, GoishiError):
        return "error", GoishiError.__name__, {}, f"{type(error).__name__}: {error}"
    values = {name: value for name, value in vars(error).items() if isinstance(value, str)}
    return "error", type(error).__name__, values, str(error)


def result_of(answer: Sequence[Any]) -> Any:
    """Return the value of an answer.

    Raises:
        GoishiError: the answer is an error.
    """
    kind, *rest = answer
    if kind == "ok":
        return rest[0]
    raise error_of(answer)


def error_of(answer: Sequence[Any]) -> GoishiError:
    """Return the error that an answer tells, as it was raised there."""
    _, kind, values, text = answer
    found = getattr(base.errors, kind, GoishiError)
    error: GoishiError = found.__new__(found, text)
    Exception.__init__(error, text)
    vars(error).update(values)
    return error


def serve_calls(
    requests: IO[bytes], answers: IO[bytes], open_methods: Callable[..., Methods]
) -> None:
    """Answer calls `(name, arguments)` until the stream of them ends.

    Args:
        requests: a pickle each.
        answers: a pickle each.
        open_methods: called with the arguments of the first call, "open"; returns what can be
            called then. "about" answers that first call, "close" is called at the end.
    """
    close: list[Callable[..., object]] = []
    tables: list[CallTable] = []

    def opened(*arguments: Any) -> object:
        methods = open_methods(*arguments)
        close.append(methods["close"])
        tables.append(CallTable(methods))
        return tables[-1].call("about")

    tables.append(CallTable({"open": opened}))
    with contextlib.suppress(EOFError, pickle.UnpicklingError, BrokenPipeError, ValueError):
        while True:
            name, arguments = pickle.load(requests)
            pickle.dump(tables[-1].answer(name, arguments), answers, protocol=5)
            answers.flush()
    for end in close:
        end()


class CallProcess:
    """A child process that answers calls; it begins at once, and nobody waits yet.

    An answer that was not waited for to the end, as with Ctrl+C, is thrown away before the next
    call.

    Args:
        name: what errors call it.
        main: `module:function` that the child runs: it serves calls on its standard input.
        arguments: of the first call, "open".
    """

    def __init__(self, name: str, main: str, *arguments: object) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, str(SHIPPED_ROOT), main],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._end = weakref.finalize(self, _end, self._process)
        self._owed = 0
        self._about: Any = None
        self.send("open", *arguments)

    @property
    def about(self) -> Any:
        """The answer to "open", once it is there.

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

    def ask(self, name: str, *arguments: object) -> Any:
        """Call by name, and return the value.

        Raises:
            GoishiError: what was raised there.
            WorkerLostError: the process has ended.
        """
        self.send(name, *arguments)
        return self.receive()

    def send(self, name: str, *arguments: object) -> None:
        """Call by name, without waiting for the answer.

        Raises:
            WorkerLostError: the process has ended.
        """
        while self._owed:
            with contextlib.suppress(GoishiError):
                self.receive()
        try:
            self._stdin.write(pickle.dumps((name, arguments), protocol=5))
            self._stdin.flush()
        except (OSError, ValueError):
            raise self._lost() from None
        self._owed += 1

    def receive(self) -> Any:
        """Wait for the answer to the oldest call without one, and return its value.

        Raises:
            GoishiError: what was raised there.
            WorkerLostError: the process has ended.
        """
        try:
            self._stdout.peek(1)  # waits, and takes nothing: it can be broken off
            self._owed = 0
            answer = pickle.load(self._stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self._owed = 0
            raise self._lost() from None
        return result_of(answer)

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
            self._process.wait(END_SECONDS)
        code = self._process.returncode
        how = "is closed"
        if code is not None and code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
        elif code is not None:
            how = f"has ended with exit code {code}"
        return WorkerLostError(f"{self.name}: expected an answer, found that the process {how}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let a child end by closing its input; kill it where it does not."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

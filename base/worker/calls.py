"""Function calls by name from one of Goishi's processes to another, and their answers.

A call is a name and arguments. Its answer is `("ok", value)`, or `("error", kind, values, text)`:
the class name of the error, its text attributes, and its message. The caller gets the value, or the
same error is raised in the caller's process. All parts are plain values. Classes cannot be pickled,
because the processes may have Goishi's packages under different names (`base` and
`goishi._own.base`).

Calls are sent as pickles on the pipes of a child process (`CallProcess`, `serve_calls`), as methods
of an actor on a cluster, or as JSON on a socket for remote control. The workers of a scene use
`service.py` instead, where requests do not wait and report progress.
"""

from __future__ import annotations

import contextlib
import inspect
import pickle
import subprocess
import sys
import types
import typing
import weakref
from collections.abc import Callable, Mapping, Sequence
from io import BufferedReader
from typing import IO, Any, Final, TypeAlias

import base.errors
from base.errors import FieldError, GoishiError, UsageError, WorkerLostError
from base.files import SHIPPED_ROOT
from base.schema import KIND_WORDS
from base.worker.ending import how_it_ended
from base.worker.starting import SAFE

Methods: TypeAlias = Mapping[str, Callable[..., object]]
Answer: TypeAlias = tuple[Any, ...]
"""Answer to a call: `("ok", value)`, or `("error", class name, attributes, message)`.

The attributes are those of the error whose values are texts, by name.
"""
START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from importlib import import_module; "
    "name, _, function = sys.argv.pop(1).partition(':'); getattr(import_module(name), function)()"
)
"""Python code with which a child process is started: `python -P -c CODE FOLDER MODULE:FUNCTION`.

It adds FOLDER to `sys.path`, imports MODULE and calls FUNCTION. It does not import the program that
starts the process.
"""
END_SECONDS: Final = 10.0
"""Seconds after which a process that was asked to end is killed."""
OPEN_SECONDS: Final = 600.0
"""Maximum seconds to wait until a process on a cluster has started and opened its scenes."""
GREETING_SECONDS: Final = 10.0
"""Maximum seconds to wait until a program that connects has sent its token."""
START_SECONDS: Final = 120.0
"""Maximum seconds for a started app to print its address."""


class CallTable:
    """The functions of a process that another process can call by name.

    Args:
        methods: functions by name; calls are checked against their signatures.
        checks_types: whether the arguments must also fit the annotations, since the caller may be
            any program. The annotations may be bool, int, float, str, None, `Sequence`, `Mapping`,
            `object` and unions of these.
    """

    def __init__(self, methods: Methods, *, checks_types: bool = False) -> None:
        self._methods = methods
        self._signatures = {name: inspect.signature(found) for name, found in methods.items()}
        self._names = {name: _names_of(found) for name, found in self._signatures.items()}
        self._types = {
            name: typing.get_type_hints(found) if checks_types else {}
            for name, found in methods.items()
        }

    def call(
        self, name: str, arguments: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> object:
        """Call a function by name and return its value.

        Args:
            name: name of the function.
            arguments: positional arguments of the function.
            named: keyword arguments of the function; None for none.

        Raises:
            UsageError: there is no such function, or the arguments do not fit it.
            FieldError: an argument has the wrong type.
            Exception: whatever the function raises.
        """
        self.check(name, arguments, named)
        return self._methods[name](*arguments, **(named or {}))

    def check(
        self, name: str, arguments: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> None:
        """Check that there is such a function, and that the arguments fit it.

        Args:
            name: name of the function.
            arguments: positional arguments of the function.
            named: keyword arguments of the function; None for none.

        Raises:
            UsageError: there is no such function, or the arguments do not fit it.
            FieldError: an argument has the wrong type.
        """
        if name not in self._methods:
            raise UsageError(f"call: expected {', '.join(self._methods)}, found {name!r:.80}")
        all_names, required = self._names[name]
        if not arguments and named and required <= named.keys() <= all_names:
            given = named  # `bind` takes longer than most calls
        else:
            try:
                given = self._signatures[name].bind(*arguments, **(named or {})).arguments
            except TypeError as error:
                raise UsageError(f"{name}: {error}") from None
        kinds = self._types[name]
        for key, value in given.items():
            check_argument(key, value, kinds.get(key, object))

    def answer(
        self, name: str, arguments: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> Answer:
        """Call a function by name; return its value or its error as an `Answer`.

        Args:
            name: name of the function.
            arguments: positional arguments of the function.
            named: keyword arguments of the function; None for none.
        """
        try:
            return "ok", self.call(name, arguments, named)
        except Exception as error:  # the caller gets the error and may continue
            return answer_of(error)


def _names_of(signature: inspect.Signature) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the parameters that can be given by name: all, and the required ones.

    Both are empty if there are others.
    """
    found = signature.parameters.values()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if any(one.kind not in by_name for one in found):
        return frozenset(), frozenset()
    required = [one.name for one in found if one.default is inspect.Parameter.empty]
    return frozenset(one.name for one in found), frozenset(required)


def check_argument(name: str, value: object, kind: object) -> None:
    """Check that an argument fits an annotation; `CallTable` lists the annotations.

    Args:
        name: name of the argument, for the error message.
        value: the argument.
        kind: the annotation.

    Raises:
        FieldError: it does not fit.
    """
    if type(value) is kind:
        return
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    if not any(_fits(value, item) for item in kinds):
        words = " or ".join(_words(item) for item in kinds if item is not type(None))
        raise FieldError(name, expected=words, found=" ".join(repr(value).split())[:80])


def _fits(value: object, kind: object) -> bool:
    """Return whether a value fits an annotation that is no union."""
    origin = typing.get_origin(kind) or kind
    if isinstance(value, bool):
        return origin in (bool, object)
    if origin is float:
        return isinstance(value, int | float)
    if origin is Sequence:
        return isinstance(value, list | tuple) or getattr(value, "ndim", 0) > 0
    return isinstance(value, typing.cast("type", origin))


def _words(kind: object) -> str:
    """Return an annotation that is no union in words, for error messages."""
    others = {Sequence: "a list", Mapping: "a map"}
    origin: typing.Any = typing.get_origin(kind) or kind
    return KIND_WORDS.get(origin) or others[origin]


def answer_of(error: Exception) -> Answer:
    """Return an error in the form of an answer, which can be sent to another process.

    Args:
        error: the exception. One that is no `GoishiError` is described as a plain `GoishiError`.
    """
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
    """Return the exception that an answer describes; inverse of `answer_of`.

    Args:
        answer: an answer that begins with "error".
    """
    _, kind, values, text = answer
    found = getattr(base.errors, kind, GoishiError)
    error: GoishiError = found.__new__(found, text)
    Exception.__init__(error, text)
    vars(error).update(values)
    return error


def serve_calls(
    requests: IO[bytes], answers: IO[bytes], open_methods: Callable[..., Methods]
) -> None:
    """Receive calls and answer them until the stream ends.

    A call is `(name, arguments)`. The first call must be "open".

    Args:
        requests: stream of pickled calls.
        answers: stream for the pickled answers.
        open_methods: called with the arguments of "open"; returns the functions that can be called
            from then on, by name. Two of them are needed. "about" is called at once, and its value
            is the answer to "open". "close" is called at the end.
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
    """A child process that answers calls; starting it does not wait until it is ready.

    If waiting for an answer was interrupted, for example by Ctrl+C, that answer is dropped before
    the next call.

    Args:
        name: name of the process in errors.
        main: `module:function` that the child runs; it serves calls on its standard input.
        arguments: arguments of the first call, "open".
    """

    def __init__(self, name: str, main: str, *arguments: object) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, SAFE, "-c", START, str(SHIPPED_ROOT), main],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._end = weakref.finalize(self, _end, self._process)
        self._owed = 0
        self._about: Any = None
        self.send("open", *arguments)

    @property
    def about(self) -> Any:
        """The value returned by the first call, "open"; waits for it.

        Raises:
            GoishiError: opening failed; the process has ended.
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
        """Process id."""
        return self._process.pid

    def ask(self, name: str, *arguments: object) -> Any:
        """Call a function by name, wait, and return its value.

        Args:
            name: name of the function.
            arguments: its arguments.

        Raises:
            GoishiError: the function raised it in the other process.
            WorkerLostError: the process has ended.
        """
        self.send(name, *arguments)
        return self.receive()

    def send(self, name: str, *arguments: object) -> None:
        """Call a function by name without waiting; `receive` returns its value.

        Args:
            name: name of the function.
            arguments: its arguments.

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
        """Wait for the answer to the call that was sent, and return its value.

        Raises:
            GoishiError: the function raised it in the other process.
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
        how = "is closed" if code is None else how_it_ended(code)
        return WorkerLostError(f"{self.name}: expected an answer, found that the process {how}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a child by closing its input; kill it if it does not end."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

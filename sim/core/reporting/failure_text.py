"""Error texts for exceptions of scripts, whose own formatting may raise or never return."""

from __future__ import annotations

import linecache
import os
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from types import FrameType, TracebackType
from typing import TypeGuard, TypeVar

from base.closed import hint_for
from base.errors import ScriptTimeout
from base.files import SHIPPED_ROOT, is_of_python
from base.interruption import Interruption
from base.worker.failure import clear_text

ENGINE_FOLDERS = tuple(f"{SHIPPED_ROOT / name}{os.sep}" for name in ("sim", "base"))
"""Folders of the engine's own code, as prefixes of file names; all other files are the user's."""
LONGEST_LOCAL = 80
LONGEST_TEXT = 20_000
LONGEST_MESSAGE = 2_000
"""Maximum number of characters of a console line or of a command's error message."""
MOST_LOCALS = 12

Answer = TypeVar("Answer")
Error = TypeVar("Error", bound=BaseException)
Watch = Callable[[], AbstractContextManager[object]]


class SafeInspector:
    """Calls methods of a script's objects that may raise or never return.

    An example is the `__str__` of an exception.

    Args:
        watch: returns a context manager that surrounds each call. It may raise `ScriptTimeout`; no
            further calls are made after that.
    """

    def __init__(self, watch: Watch = nullcontext) -> None:
        self._watch = watch
        self._is_over = False

    def ask(self, question: Callable[[], Answer]) -> tuple[Answer | None, str]:
        """Call a function that may run user code.

        Args:
            question: called without arguments.

        Returns:
            Its result and ""; None and the name of the exception's class if it failed.
        """
        if self._is_over:
            return None, ScriptTimeout.__name__
        try:
            with self._watch():
                return question(), ""
        except Interruption:
            raise
        except BaseException as fault:
            self._is_over = is_kind(fault, ScriptTimeout)
            return None, type(fault).__name__


def is_kind(error: BaseException, kind: type[Error]) -> TypeGuard[Error]:
    """Return whether an exception is of a class, without reading its `__class__`.

    A script's exception may define a `__class__` that is wrong or raises.

    Args:
        error: the exception.
        kind: the class.
    """
    return issubclass(type(error), kind)


def trace_of(error: BaseException) -> TracebackType | None:
    """Return the traceback of an exception, even if its class overrides `__traceback__`."""
    found: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    return found


def describe(error: BaseException, asking: SafeInspector | None = None) -> str:
    """Return class name and text of an exception, with a placeholder if its text cannot be read.

    Args:
        error: the exception.
        asking: reads the text; None for a new inspector without a time limit.
    """
    name = type(error).__name__ or "an exception without a name"
    text, fault = (asking or SafeInspector()).ask(lambda: str(error))
    if text is None:
        return f"{name} (its text raised {fault})"
    text = clear_text(text)
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]}…"
    if is_kind(error, AttributeError):
        found: AttributeError = error
        text += (asking or SafeInspector()).ask(lambda: hint_for(found))[0] or ""
    return f"{name}: {text}" if text.strip() else name


def shortened(text: str, longest: int = LONGEST_MESSAGE) -> str:
    """Return a text; if it is longer than `longest` characters, cut it and add its full length."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text)} characters)"


def user_traceback(error: BaseException, asking: SafeInspector | None = None) -> str:
    """Return class and text of an exception and its traceback through the user's code.

    Each frame has its first local variables. The traceback of a worker process is added.

    Args:
        error: the exception.
        asking: reads user objects; None for a new inspector without a time limit.
    """
    asking = asking or SafeInspector()
    lines = [describe(error, asking)]
    for frame, line in traceback.walk_tb(trace_of(error)):
        name = frame.f_code.co_filename
        if not name.startswith(ENGINE_FOLDERS):
            lines.append(f"  {name}:{line} in {frame.f_code.co_name}")
            lines.extend(_locals_of(frame, asking))
    told, _ = asking.ask(lambda: str(getattr(error, "worker_traceback", "")))
    lines.extend((told or "").splitlines())
    return "\n".join(lines)


def late(error: ScriptTimeout, timeout: float) -> ScriptTimeout:
    """Return a timeout exception whose message says which call did not end.

    Args:
        error: the exception that the watchdog raised; its traceback is kept.
        timeout: the time limit, seconds.

    Returns:
        A new exception.
    """
    text = f"did not finish within {timeout:g} s (setting script_timeout)"
    call = _waiting_call(error.__traceback__) if error.args else ""
    told = ScriptTimeout(f"{text}: it waits in {call}" if call else text)
    return told.with_traceback(error.__traceback__)


def _waiting_call(trace: TracebackType | None) -> str:
    """Return the source text of the call that was running in the innermost frame of user code.

    Args:
        trace: traceback to look in.

    Returns:
        The text; empty if there is no such frame or no source.
    """
    found = ""
    while trace is not None:
        code = trace.tb_frame.f_code
        file = code.co_filename
        if not (file.startswith(ENGINE_FOLDERS) or is_of_python(file)):
            positions = next(islice(code.co_positions(), trace.tb_lasti // 2, None), None)
            found = _segment(file, positions) if positions is not None else ""
        trace = trace.tb_next
    return found


def _segment(file: str, place: tuple[int | None, int | None, int | None, int | None]) -> str:
    line, last, begin, end = place
    text = linecache.getline(file, line or 0).encode()
    is_one_line = line == last and begin is not None and end is not None
    return _cut((text[begin:end] if is_one_line else text).decode("utf-8", "replace").strip())


def own_place(error: BaseException, asking: SafeInspector) -> tuple[str, int]:
    """Return the file and line that an exception itself names, such as a SyntaxError.

    Args:
        error: the exception.
        asking: reads its attributes.

    Returns:
        File and line; ("", 0) if it names none.
    """
    file, _ = asking.ask(lambda: getattr(error, "file", ""))
    line, _ = asking.ask(lambda: getattr(error, "line", 0))
    if isinstance(file, Path):
        file = str(file)
    if isinstance(file, str) and file:
        return file, line if isinstance(line, int) else 0
    if is_kind(error, SyntaxError) and isinstance(error.filename, str):
        return error.filename, error.lineno if isinstance(error.lineno, int) else 0
    return "", 0


def _locals_of(frame: FrameType, asking: SafeInspector) -> list[str]:
    shown = list(frame.f_locals.items())[:MOST_LOCALS]
    return [f"      {key} = {_brief(value, asking)}" for key, value in shown]


def _brief(value: object, asking: SafeInspector) -> str:
    text, fault = asking.ask(lambda: repr(value))
    if text is None:
        return f"<repr raised {fault}>"
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LOCAL else text[: LONGEST_LOCAL - 1] + "…"

"""A Python prompt for the running scene, with a time limit, history and completion."""

from __future__ import annotations

import ast
import codeop
import contextlib
import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from base.errors import ScriptTimeout
from base.files import atomic_write, check_regular, set_aside
from base.spelling import hint_of
from sim.core.reporting.console import ConsoleRecord
from sim.core.reporting.failure_text import ENGINE_FOLDERS

if TYPE_CHECKING:
    from sim.core.hangs.watchdog import Watchdog
    from sim.core.reporting.console import Console
    from sim.core.scene.scene import Scene

FILE = "<prompt>"
HISTORY_NAME = "prompt_history.txt"
LONGEST_REPR = 2_000  # characters shown of one value
LONGEST_OUTPUT = 20_000  # characters kept of what one input prints
MOST_LINES = 400  # console lines of one input's output
MOST_COMPLETIONS = 200
COMPLETION_SECONDS = 5.0
FOUND = re.compile(
    r"""(?<![\w.])(?P<value>(?:find|component)\((?:"[^"\\\n]*"|'[^'\\\n]*')\)(?:\.[A-Za-z]\w*)*)"""
    r"""\.(?P<begin>\w*)\Z"""
)
"""Matches a `find(…)` or `component(…)` with a dot at the end of an input, for completion."""


@dataclass(frozen=True)
class Result:
    """Result of one input at the prompt.

    Attributes:
        output: text that the input printed, including the values of expressions.
        error: console record of its exception; None if there was none.
        is_incomplete: whether the input needs more lines; nothing was run then.
    """

    output: str = ""
    error: ConsoleRecord | None = None
    is_incomplete: bool = False


class Interpreter:
    """Runs Python code typed at the prompt, in a namespace with names of the scene.

    Use it on the main thread only.

    Args:
        scene: the running scene, which the code can use under the same name.
        console: where inputs, outputs and errors are written.
        watchdog: stops inputs that do not end.
        history: file in which the inputs are stored.
        names: further names for the namespace and their values, as for `add_names`; None for none.
    """

    def __init__(
        self,
        scene: Scene,
        console: Console,
        watchdog: Watchdog,
        history: Path,
        names: Mapping[str, object] | None = None,
    ) -> None:
        self._scene, self._console, self._watchdog = scene, console, watchdog
        self._selected: object = None
        self._given: dict[str, object] = {"editor": None}
        self.namespace: dict[str, object] = {"__name__": "__prompt__", "__doc__": None}
        self.history = PromptHistory(history)
        self.add_names(**(names or {}))

    def refresh(self) -> None:
        """Set the names of the scene in the namespace again, in case an input has changed them."""
        self.namespace.update(
            {
                "scene": self._scene,
                "find": self._scene.find,
                "component": self.component,
                **self._given,
                "selected": self.selected,
            }
        )

    def add_names(self, **names: object) -> None:
        """Add further names to the namespace.

        Args:
            **names: the names and their values. A function `selected` is not added itself: it is
                called before each input and returns the value of the name `selected`. Without it,
                the value is the attribute `selected` of `editor`.
        """
        self._selected = names.pop("selected", self._selected)
        self._given.update(names)
        self.refresh()

    @property
    def selected(self) -> object:
        """What is selected in the editor at present; None without an editor."""
        if callable(self._selected):
            return self._selected()
        return getattr(self.namespace.get("editor"), "selected", None)

    def component(self, name: str) -> object:
        """Return the script of a component.

        Args:
            name: id of the component, or name of its class; of several, the first is returned.

        Returns:
            The script; the component's slot if its script could not be loaded.

        Raises:
            LookupError: no component has this id or class.
        """
        for slot in self._scene.components():
            if slot.instance is not None and slot.is_called(name):
                return slot.instance
        broken = self._scene.component(name)
        if broken is not None:
            return broken
        names = dict.fromkeys(slot.class_name for slot in self._scene.components())
        hint = hint_of(names, name)
        raise LookupError(f"expected a component's id or class, found {name!r}{hint}")

    # -- running ------------------------------------------------------------------------------

    def run(self, source: str) -> Result:
        """Run an input; write the input, its output and its error to the console.

        An input that needs more lines is not run. As in Python's own prompt, an empty last line
        ends a block. Exceptions are caught and reported in the result.
        """
        if self.needs_more(source):
            return Result(is_incomplete=True)
        source = source.rstrip()
        if not source:
            return Result()
        code, fault = _compiled(source)
        self._echo(source)
        self.history.add(source)
        printed = _Bounded()
        self._console.is_typing = True
        try:
            if code is not None:
                fault = self._guarded(lambda: self._execute(code, printed))
        finally:
            self._console.is_typing = False
        output = printed.text()
        self._show(output)
        error = self._failure(fault) if fault is not None else None
        return Result(output, error)

    def needs_more(self, source: str) -> bool:
        """Return whether an input is incomplete and needs further lines; nothing is run."""
        has_empty_end = "\n" in source and not source.rpartition("\n")[2].strip()
        text = source.rstrip() + ("\n" if has_empty_end else "")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return bool(text.strip()) and codeop.compile_command(text, FILE, "single") is None
            except Exception:  # a syntax error, or several statements at once: run it
                return False

    def _execute(self, code: CodeType, printed: _Bounded) -> None:
        self.refresh()
        display, sys.displayhook = sys.displayhook, self._display
        keyboard, sys.stdin = sys.stdin, io.StringIO()  # input() would block for ever
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, self.namespace)
        finally:
            sys.displayhook, sys.stdin = display, keyboard

    def _display(self, value: object) -> None:
        if value is None:
            return
        self.namespace["_"] = value
        text = repr(value)
        if len(text) > LONGEST_REPR:
            text = f"{text[:LONGEST_REPR]}… ({len(text)} characters)"
        sys.stdout.write(f"{text}\n")

    def _guarded(
        self, function: Callable[[], object], timeout: float | None = None
    ) -> BaseException | None:
        """Call a function with a time limit; return the exception that it raised, or None.

        Args:
            function: called without arguments.
            timeout: seconds; None for the setting `script_timeout`.
        """
        watchdog = self._watchdog
        fault: BaseException | None = None
        try:
            with watchdog.watching(timeout):
                function()
        except BaseException as error:
            fault = error
        if isinstance(fault, ScriptTimeout):
            text = f"did not finish within {watchdog.timeout:g} s (setting script_timeout)"
            return ScriptTimeout(text).with_traceback(fault.__traceback__)
        return fault

    # -- what the console says ----------------------------------------------------------------

    def _echo(self, source: str) -> None:
        for number, line in enumerate(source.split("\n")):
            self._console.info(f"{'...' if number else '>>>'} {line}")

    def _show(self, output: str) -> None:
        lines = output.splitlines()
        for line in lines[:MOST_LINES]:
            self._console.info(line)
        if len(lines) > MOST_LINES:
            self._console.info(f"… {len(lines) - MOST_LINES} more lines")

    def _failure(self, error: BaseException) -> ConsoleRecord:
        name = type(error).__name__
        text = error.msg if isinstance(error, SyntaxError) else safe_text(error)
        first = (text.splitlines() or [""])[0]
        return self._console.add(
            ConsoleRecord(
                "error",
                f"{name}: {first}" if first else name,
                file=FILE,
                line=_line_of(error),
                details=_details(error, f"{name}: {text}" if text else name),
            )
        )

    # -- completion ---------------------------------------------------------------------------

    def complete(self, source: str, cursor: int) -> list[str]:
        """Return the names that can complete an input at the cursor; empty if there are none.

        The results of `find("A")` and `component("A")` are inspected directly; other expressions
        are completed by the package jedi.

        Args:
            source: the input.
            cursor: index of the cursor in it.
        """
        found = self._members(source[: max(0, cursor)])
        return found if found else self._completed(source, cursor)

    def _members(self, before: str) -> list[str]:
        """Return completions after a dot behind `find("A")`, `component("A")` or their attributes.

        Args:
            before: the input up to the cursor.
        """
        seen = FOUND.search(before)
        if seen is None:
            return []
        found: list[str] = []

        def ask() -> None:
            self.refresh()
            value = eval(seen["value"], {**self.namespace})
            begins = [name for name in dir(value) if name.startswith(seen["begin"])]
            found.extend(name for name in begins if seen["begin"] or not name.startswith("_"))

        fault = self._guarded(ask, COMPLETION_SECONDS)
        return [] if fault is not None else found[:MOST_COMPLETIONS]

    def _completed(self, source: str, cursor: int) -> list[str]:
        """Return jedi's completions at the cursor; empty if this package is not installed."""
        try:
            import jedi  # takes a third of a second: imported only for completion
        except ImportError:
            return []
        found: list[str] = []

        def ask() -> None:
            self.refresh()
            before = source[:cursor].split("\n")
            script = jedi.Interpreter(source, [self.namespace])
            answers = script.complete(len(before), len(before[-1]))
            found.extend(str(answer.name) for answer in answers[:MOST_COMPLETIONS])

        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fault = self._guarded(ask, COMPLETION_SECONDS)
        return [] if fault is not None else found


class _Bounded(io.TextIOBase):
    """Text stream that keeps only the first `LONGEST_OUTPUT` characters."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Append text as far as the limit allows; return its full length."""
        room = LONGEST_OUTPUT - self._length
        if room > 0:
            self._parts.append(text[:room])
        self._length += len(text)
        return len(text)

    def text(self) -> str:
        """Return the kept text, followed by a note if characters were dropped."""
        lost = self._length - LONGEST_OUTPUT
        note = f"\n… {lost} more characters" if lost > 0 else ""
        return "".join(self._parts) + note


def _compiled(source: str) -> tuple[CodeType | None, BaseException | None]:
    """Compile an input; return its code and None, or None and the exception."""
    if "\0" in source:  # a ValueError in Python before 3.11.4
        return None, SyntaxError("source code string cannot contain null bytes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            statements = ast.parse(source, FILE).body
            return compile(ast.Interactive(statements), FILE, "single"), None
        except Exception as error:
            return None, error


def safe_text(value: object) -> str:
    """Return `str(value)`, or a placeholder where that raises."""
    try:
        return str(value)
    except BaseException as error:
        return f"<str raised {type(error).__name__}>"


def _safe_repr(value: object) -> str:
    try:
        text = repr(value)
    except BaseException as error:
        text = f"<repr raised {type(error).__name__}>"
    return text if len(text) <= 80 else f"{text[:79]}…"


def _frames(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    for frame, line in traceback.walk_tb(error.__traceback__):
        if not frame.f_code.co_filename.startswith(ENGINE_FOLDERS):
            yield frame, line


def _line_of(error: BaseException) -> int:
    """Return the line of the input at which an exception was raised, counted from 1."""
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return error.lineno or 1
    lines = [line for frame, line in _frames(error) if frame.f_code.co_filename == FILE]
    return lines[-1] if lines else 1


def _details(error: BaseException, title: str) -> str:
    lines = [title]
    if isinstance(error, SyntaxError) and error.filename == FILE and error.text:
        lines.append(f"      {error.text.rstrip()}")
        lines.append(f"      {' ' * max(0, (error.offset or 1) - 1)}^")
    for frame, line in _frames(error):
        code = frame.f_code
        lines.append(f"  {code.co_filename}:{line} in {code.co_name}")
        if code.co_name != "<module>":
            for key, value in list(frame.f_locals.items())[:12]:
                lines.append(f"      {key} = {_safe_repr(value)}")
    return "\n".join(lines)


MOST_LINES = 1_000
LARGEST_FILE = 4_000_000  # bytes read, from the end


class PromptHistory:
    r"""Inputs typed at the prompt, oldest first, stored in a file that may be damaged or missing.

    The file has one input per line: line breaks are written as `\n`, backslashes as two.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[str] = _read(path)

    def add(self, source: str) -> None:
        """Append an input unless it equals the last, and save the file."""
        if not source.strip() or (self.entries and self.entries[-1] == source):
            return
        self.entries.append(source)
        del self.entries[:-MOST_LINES]
        self._write()

    def _write(self) -> None:
        text = "".join(f"{_escaped(entry)}\n" for entry in self.entries)
        with contextlib.suppress(OSError):  # the prompt works without its history
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not os.access(self.path, os.R_OK):
                set_aside(self.path)
            atomic_write(self.path, text.encode("utf-8", "replace"))


def _read(path: Path) -> list[str]:
    try:
        check_regular(path)
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LARGEST_FILE))
            content = file.read(LARGEST_FILE)
    except OSError:
        return []
    entries = [_unescaped(line) for line in content.decode("utf-8", "replace").split("\n")]
    return [entry for entry in entries if _is_sound(entry)][-MOST_LINES:]


def _is_sound(entry: str) -> bool:
    """Return whether a line of the history file is readable text, not from a damaged file."""
    is_plain = all(letter.isprintable() or letter in "\n\t" for letter in entry)
    return bool(entry.strip()) and is_plain and "\ufffd" not in entry


def _escaped(entry: str) -> str:
    return entry.replace("\\", "\\\\").replace("\r", "").replace("\n", "\\n")


def _unescaped(line: str) -> str:
    parts = line.rstrip("\r").split("\\\\")
    return "\\".join(part.replace("\\n", "\n") for part in parts)

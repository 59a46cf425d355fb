"""The console: records with counts; each new record also goes to stderr."""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from base.files import is_of_python
from base.missing_package import offer, package_of
from base.values import printable
from sim.core.reporting.failure_text import (
    ENGINE_FOLDERS,
    SafeInspector,
    Watch,
    describe,
    own_place,
    shortened,
    trace_of,
    user_traceback,
)

Level = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
CAPACITY = 10_000

log = logging.getLogger("goishi")


@dataclass
class ConsoleRecord:
    """One message of the console.

    Attributes:
        level: "debug", "info", "warning" or "error".
        text: the message.
        source: path of the object; empty for the engine.
        component: class of the component; empty for none.
        hook: the method of the component that ran, such as "update"; empty for none.
        file: source file, relative to the project if it is inside; empty if unknown.
        line: line in the source file; 0 if unknown.
        details: traceback through the user's code, with local variables; empty for none.
        slot_id: id of the component; empty for none.
        count: number of equal messages merged into this one.
        time: when the latest of them was written, in seconds since 1970.
    """

    level: Level
    text: str
    source: str = ""
    component: str = ""
    hook: str = ""
    file: str = ""
    line: int = 0
    details: str = ""
    slot_id: str = ""
    count: int = 1
    time: float = field(default_factory=time.time)

    @property
    def key(self) -> tuple[object, ...]:
        """What identifies a message; records with equal keys are merged into one with a count."""
        return (self.level, self.text, self.source, self.component, self.hook, self.file, self.line)

    def make_printable(self) -> None:
        """Replace lone surrogates, such as of a file's name that is no UTF-8."""
        for name in ("text", "source", "component", "hook", "file", "details"):
            setattr(self, name, printable(getattr(self, name)))

    @property
    def place(self) -> str:
        """`file:line`, empty when unknown."""
        return f"{self.file}:{self.line}" if self.file else ""

    def __str__(self) -> str:
        parts = [self.level.upper()]
        if self.component:
            hook = f".{self.hook}" if self.hook else ""
            parts.append(f"{self.source} > {self.component}{hook}")
        elif self.source:
            parts.append(self.source)
        if self.place:
            parts.append(f" {self.place} ")
        parts.append(self.text)
        if self.count > 1:
            parts.append(f" (x{self.count})")
        return " ".join(parts)


class Console:
    """Keeps the latest records, merges repeated errors and warnings, and notifies subscribers.

    Args:
        stderr: whether new records are also written to stderr.
        capacity: maximum number of kept records.
    """

    def __init__(self, *, stderr: bool = True, capacity: int = CAPACITY) -> None:
        self.records: deque[ConsoleRecord] = deque(maxlen=capacity)
        self.counts: dict[str, int] = dict.fromkeys(LEVELS, 0)
        self.project = Path()
        self.revision = 0
        self.is_typing = False
        """Whether a line typed at the prompt is running; then `Console.python` adds no line."""
        self._offered: dict[str, str] = {}
        self._renamed: set[tuple[str, str]] = set()
        self._stderr = stderr
        self._subscribers: list[Callable[[ConsoleRecord], None]] = []
        self._recent: dict[tuple[object, ...], ConsoleRecord] = {}

    def subscribe(self, callback: Callable[[ConsoleRecord], None]) -> None:
        """Call `callback` with each new record, and when a record's count increases."""
        self._subscribers.append(callback)

    def add(self, record: ConsoleRecord) -> ConsoleRecord:
        """Add a record, or count it in an equal earlier one.

        Only errors and warnings are merged.

        Returns:
            The record that the console keeps.
        """
        record.make_printable()
        self.counts[record.level] += 1
        self.revision += 1
        record.text = shortened(record.text)
        known = self._recent.get(record.key)
        if known is not None and record.level in ("error", "warning"):
            known.count += 1
            known.time = record.time
            standing = known
        else:
            self.records.append(record)
            if len(self._recent) > 1000:
                self._recent.clear()
            self._recent[record.key] = record
            standing = record
            if self._stderr:
                self._echo(record)
        for callback in self._subscribers:
            callback(standing)
        return standing

    def count_again(self, record: ConsoleRecord, more: int) -> None:
        """Increase the count of a kept record by `more`."""
        record.count += more
        self.counts[record.level] += more

    def _echo(self, record: ConsoleRecord) -> None:
        """Write a record to stderr; stop doing so once stderr is closed."""
        try:
            sys.stderr.write(f"{record}\n")
        except (OSError, ValueError, AttributeError):  # a broken pipe, closed, or there is none
            self._stderr = False

    def write(self, level: Level, text: str, *, source: str = "", component: str = "") -> None:
        """Add a record with a level and text."""
        self.add(ConsoleRecord(level, text, source=source, component=component))

    def python(self, source: str) -> None:
        """Add the Python code that corresponds to what the user has just done in the window.

        Nothing is added while a line typed at the prompt runs, since that line is on the console
        already.
        """
        if self.is_typing:
            return
        for number, line in enumerate(source.splitlines()):
            self.write("debug", f"{'...' if number else '>>>'} {line}")

    def info(self, text: str) -> None:
        """Add an information of the engine."""
        self.write("info", text)

    def warning(self, text: str) -> None:
        """Add a warning of the engine."""
        self.write("warning", text)

    def error(self, text: str) -> None:
        """Add an error of the engine."""
        self.write("error", text)

    def renamed(self, former: str, present: str) -> None:
        """Tell the user, once, that something has a new name.

        Args:
            former: the old name, which still works.
            present: the new name.
        """
        if (former, present) not in self._renamed:
            self._renamed.add((former, present))
            self.info(f"{former} is now {present}; the old name still works")

    def clear(self) -> None:
        """Forget all records and counts."""
        self.records.clear()
        self._recent.clear()
        self.counts = dict.fromkeys(LEVELS, 0)
        self.revision += 1

    def failure(
        self,
        error: BaseException,
        *,
        source: str,
        component: str,
        hook: str,
        slot_id: str,
        watch: Watch = nullcontext,
        note: str = "",
    ) -> ConsoleRecord:
        """Add the record of an exception from user code, and return it.

        It works even if the exception's own methods raise or hang.

        Args:
            error: the exception.
            source: path of the object.
            component: class of the component.
            hook: the component's method that ran; empty for none.
            slot_id: id of the component; empty for none.
            watch: returns a context manager that limits the time of `str(error)`.
            note: text that is added to the exception's.
        """
        asking = SafeInspector(watch)
        file, line = self._place(error, asking)
        text = f"{describe(error, asking).splitlines()[0]}{note}"
        self._offer_package(error, asking, file, line)
        details = user_traceback(error, asking)
        place = (source, component, hook, file, line)
        return self.add(ConsoleRecord("error", text, *place, details=details, slot_id=slot_id))

    @property
    def missing_packages(self) -> list[str]:
        """Names for pip of the packages that scripts failed to import, in order."""
        return list(dict.fromkeys(self._offered.values()))

    def _offer_package(
        self, error: BaseException, asking: SafeInspector, file: str, line: int
    ) -> None:
        """Tell the user, once, how to install a package that a script failed to import.

        Args:
            error: the exception; nothing is written if it is no failed import.
            asking: reads the exception.
            file: file of the script; empty if unknown.
            line: line of the import; 0 if unknown.
        """
        package, _ = asking.ask(lambda: package_of(error))
        text = offer(package or "", file or "a script")
        if package and text not in self._offered:
            self._offered[text] = package
            self.add(ConsoleRecord("warning", text, file=file, line=line))

    def place_of(self, error: BaseException) -> tuple[str, int]:
        """Return the file and line in user code where an exception was raised.

        Args:
            error: the exception.

        Returns:
            File and line of the innermost call in user code; ("", 0) if there is none. A
            SyntaxError names its own place.
        """
        return self._place(error, SafeInspector())

    def _place(self, error: BaseException, asking: SafeInspector) -> tuple[str, int]:
        own_file, own_line = own_place(error, asking)
        if own_file:
            return self.short_path(own_file), own_line
        frames = list(traceback.walk_tb(trace_of(error)))
        for frame, line in reversed(frames):
            name = frame.f_code.co_filename
            if not (name.startswith((*ENGINE_FOLDERS, "<")) or is_of_python(name)):
                return self.short_path(name), line
        return "", 0

    def short_path(self, file: str) -> str:
        """Return `file` relative to the project, with slashes, when it lies inside."""
        try:
            return Path(file).resolve().relative_to(self.project.resolve()).as_posix()
        except (ValueError, OSError, RuntimeError):  # outside, too long, or a loop of links
            return file

"""Frames as a Chrome trace: JSON that Perfetto and chrome://tracing open.

The file is valid JSON at any time: each write appends the closing brackets again. So a run that is
killed loses only its last moments.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import Final

from base.errors import GoishiError, UsageError
from base.values import JsonObject
from sim.core.profiling.spans import Frame, SpanLabel, WorkerSpan

HEAD: Final = '{"traceEvents":[\n'
TAIL: Final = '\n],"displayTimeUnit":"ms"}\n'
WRITE_SECONDS: Final = 0.5
"""Seconds between two writes."""
WRITE_EVENTS: Final = 20_000
"""Number of waiting events from which they are written at once, without waiting longer."""
MAIN: Final = 1
"""Id of the main thread in the trace."""


class TraceFile:
    """A trace file that is written during the run.

    Args:
        path: path of the file; an existing file is replaced.
        title: name of the process in the trace.

    Raises:
        UsageError: the file cannot be written.
    """

    def __init__(self, path: Path, title: str) -> None:
        self._path = path
        self._origin = time.perf_counter()
        self._written = self._origin
        self._process = os.getpid()
        self._heads: dict[SpanLabel, str] = {}
        self._workers: set[int] = set()
        self._waiting: list[str] = []
        self._is_first = True
        try:
            self._file = open(path, "wb", buffering=0)  # noqa: SIM115 (kept open)
            self._end = self._file.write((HEAD + TAIL).encode()) - len(TAIL)
        except OSError as error:
            raise UsageError(
                f"--profile: expected a file that can be written, found {path}: {error.strerror}"
            ) from error
        self._name("process_name", self._process, title)
        self._name("thread_name", self._process, "main thread")

    def write(self, frame: Frame) -> None:
        """Add a frame; waiting frames are written every `WRITE_SECONDS` and by `close`.

        Raises:
            GoishiError: the file cannot be written; what it holds stays valid.
        """
        arguments = {"frame": frame.number, "fixed_steps": frame.fixed_steps}
        head = self._head("frame", "frame", arguments)
        self._waiting.append(head + self._when(frame.begun, frame.ended))
        for label, begun, ended in frame.marks:
            self._add(label, begun, ended)
        for label, begun, ended in frame.in_order():
            self._add(label, begun, ended)
        for answer in frame.answers:
            self._add_answer(answer)
        now = time.perf_counter()
        if now - self._written >= WRITE_SECONDS or len(self._waiting) >= WRITE_EVENTS:
            self._written = now
            self.flush()

    def flush(self) -> None:
        """Write the waiting frames.

        Raises:
            GoishiError: the file cannot be written; it stays valid.
        """
        if not self._waiting or self._file.closed:
            return
        between = "" if self._is_first else ",\n"
        content = (between + ",\n".join(self._waiting)).encode()
        self._waiting.clear()
        try:
            self._put(content + TAIL.encode())
        except OSError as error:
            self._mend()
            raise GoishiError(
                f"--profile: expected to write {self._path}, found: {error.strerror}"
            ) from error
        self._end += len(content)
        self._is_first = False

    def close(self) -> None:
        """Write the waiting frames and close the file. May be called twice.

        Raises:
            GoishiError: the file cannot be written.
        """
        try:
            self.flush()
        finally:
            self._file.close()

    def _put(self, content: bytes) -> None:
        """Write bytes after the last event, in place of the closing brackets.

        Args:
            content: the bytes.
        """
        self._file.seek(self._end)
        view = memoryview(content)
        while view:
            view = view[self._file.write(view) :]

    def _mend(self) -> None:
        """Remove an incompletely written event and close the file; nothing more is written."""
        with contextlib.suppress(OSError):  # the disk is gone: there is nobody left to tell
            self._file.truncate(self._end)
            self._put(TAIL.encode())
        self._file.close()

    # -- events -------------------------------------------------------------------------------

    def _add(self, label: SpanLabel, begun: float, ended: float) -> None:
        head = self._heads.get(label)
        if head is None:
            name = label.name
            arguments: JsonObject = {}
            if label.slot_id:
                name = f"{label.component}.{label.name}"
                arguments = {"object": label.object, "component": label.component}
                arguments["callback"] = label.name
            head = self._heads[label] = self._head(name, label.phase.value, arguments)
        self._waiting.append(head + self._when(begun, ended))

    def _add_answer(self, answer: WorkerSpan) -> None:
        if answer.process not in self._workers:
            self._workers.add(answer.process)
            self._name("process_name", answer.process, f"worker {answer.worker}")
            self._name("thread_name", answer.process, "requests")
        head = self._head(answer.worker, "worker", {}, answer.process)
        self._waiting.append(head + self._when(answer.begun, answer.ended))

    def _head(
        self, name: str, category: str, arguments: JsonObject, process: int | None = None
    ) -> str:
        """Return an event as JSON text without its times and closing brace; `_when` adds both.

        Args:
            name: name of the event.
            category: its category in the trace.
            arguments: further values to show.
            process: process id; None for this process.
        """
        process = self._process if process is None else process
        event = {"ph": "X", "name": name, "cat": category, "pid": process, "tid": MAIN}
        event["args"] = arguments
        return json.dumps(event, separators=(",", ":"))[:-1]

    def _when(self, begun: float, ended: float) -> str:
        """Return an event's times and closing brace.

        Times are rounded to whole nanoseconds at both ends, so that inner spans stay within outer
        ones.

        Args:
            begun: when it began, in seconds of `time.perf_counter`.
            ended: when it ended, in the same unit.
        """
        first = round(max(0.0, begun - self._origin) * 1e9)
        length = round((ended - self._origin) * 1e9) - first
        return f',"ts":{first / 1000:.3f},"dur":{length / 1000:.3f}}}'

    def _name(self, what: str, process: int, name: str) -> None:
        event = {"ph": "M", "name": what, "pid": process, "tid": MAIN, "args": {"name": name}}
        self._waiting.append(json.dumps(event, separators=(",", ":")))

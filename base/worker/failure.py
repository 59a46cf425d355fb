"""State of a worker's task, and a description of its failure that can be sent to the parent."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from traceback import FrameSummary, TracebackException
from typing import Final, Literal

from base.errors import MakerError, WorkerError
from base.files import SHIPPED_ROOT, is_of_python
from base.missing_package import package_of

PLACE: Final = re.compile(r" \(([^() ]+:\d+)\)$")
GOISHI: Final = tuple(f"{SHIPPED_ROOT / name}{os.sep}" for name in ("base", "sim", "ai"))


@dataclass(frozen=True)
class Failure:
    """Why a request failed, or why a worker can answer nothing more."""

    text: str
    kind: str = ""
    """Class name of the exception; empty if `text` already names the worker."""
    stage: Literal["request", "start", "reading", "exit"] = "request"
    """What failed: a request, the worker's start, reading a message, or the whole process.

    The last one is "exit"; then the attribute `text` is the exit code of the process.
    """
    file: str = ""
    line: int = 0
    """Line in `file` at which the script failed; 0, with an empty `file`, if none is known.

    It is the innermost line of the traceback in code that is neither Goishi's nor Python's.
    """
    frames: tuple[str, ...] = ()
    """All lines of the traceback in code that is neither Goishi's nor Python's, outermost first.

    They have the form `/x/scripts/mine.py:12 in choose`.
    """
    package: str = ""
    """Name of the pip package that is missing; empty if none is."""

    def as_error(self, worker: str) -> WorkerError:
        """Return the failure as an exception whose message names the worker."""
        reason = self.text
        said = PLACE.search(reason)
        if self.file and said is not None and f"{self.file}:{self.line}".endswith(said[1]):
            reason = reason[: said.start()]  # the console says it, as a place to click on
        return WorkerError(
            f"{worker}: {self.kind}: {reason}" if self.kind else reason,
            file=self.file,
            line=self.line,
            worker_traceback="\n  ".join([f"in the {worker}:", *self.frames]) if self.file else "",
            package=self.package,
            reason=reason,
        )


NO_THREAD: Final = "can't start new thread"
"""Python's text where the system starts no more threads."""
NO_PROCESS: Final = (
    "expected the system to start a process, found that it allows no more (ulimit -u)"
)
"""What a `BlockingIOError` means when a process was to be started."""
_CLEARER: Final = (
    (
        re.compile("daemonic processes are not allowed to have children"),
        "expected joblib or subprocess to start processes in a job, found multiprocessing "
        "(docs/background_jobs.md)",
    ),
    (
        re.compile(r"Can't pickle .*goishi_(project|shipped)\w*\.scripts\."),
        "expected a function that a child process can import, found one of a script, which only "
        "@job and joblib can run (docs/background_jobs.md)",
    ),
    (
        re.compile(NO_THREAD),
        "expected the system to start a thread, found that it allows no more (ulimit -u)",
    ),
)
"""Python's texts about processes and threads, and what they mean."""


def clear_text(text: str) -> str:
    """Return the text of an exception; what Python says of processes in clearer words."""
    return next((words for pattern, words in _CLEARER if pattern.search(text)), text)


def failure_of(error: BaseException) -> Failure:
    """Describe an exception and where it was raised, including its causes."""
    if isinstance(error, MakerError) and error.__cause__ is not None:
        error = error.__cause__  # what the project's code raised
    try:
        text = clear_text(str(error))
    except Exception:  # an exception of a script's own may be broken
        text = ""
    frames = [
        frame
        for frame in _frames(TracebackException.from_exception(error))
        if not (frame.filename.startswith(("<", *GOISHI)) or is_of_python(frame.filename))
    ]
    return Failure(
        text,
        type(error).__name__,
        file=frames[-1].filename if frames else "",
        line=(frames[-1].lineno or 0) if frames else 0,
        frames=tuple(f"{item.filename}:{item.lineno} {item.name}".rstrip() for item in frames),
        package=package_of(error),
    )


def _frames(trace: TracebackException) -> Iterator[FrameSummary]:
    """Yield the stack frames of an exception; those of its causes come first."""
    earlier = trace.__cause__ or (None if trace.__suppress_context__ else trace.__context__)
    if earlier is not None:
        yield from _frames(earlier)
    for frame in trace.stack:
        yield FrameSummary(frame.filename, frame.lineno, f"in {frame.name}")
    file = getattr(trace, "filename", None)
    if file is not None:  # of a SyntaxError
        yield FrameSummary(file, int(getattr(trace, "lineno", None) or 0), "")


class TaskState(enum.Enum):
    """State of a worker's task."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

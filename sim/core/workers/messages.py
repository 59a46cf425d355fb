"""Failures that come from a worker's pipe."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from base.errors import WorkerError
from base.files import SHIPPED_ROOT

FRAME: Final = re.compile(r'File "([^"]+)", line (\d+)(?:, (in .+))?')
PLACE: Final = re.compile(r" \(([^() ]+:\d+)\)$")
GOISHI: Final = tuple(
    f"{SHIPPED_ROOT / name}{os.sep}" for name in ("base", "sim", "ai")
)  # not a user's


class DecodeError(str):
    """Why a message could not be decoded."""

    __slots__ = ()


@dataclass(frozen=True)
class WorkerExited:
    """The worker's process has ended; sent by the thread that waits for it."""

    exit_code: int | None


def failure_of(name: str, payload: tuple[str, str, str, str]) -> WorkerError:
    """Return a worker's error, with the innermost line outside of Goishi and the libraries."""
    _, kind, text, trace = payload
    places = [
        (file, int(line), function)
        for file, line, function in FRAME.findall(trace)
        if not file.startswith(("<", *GOISHI)) and "/lib/python" not in file
    ]
    if not places:
        return WorkerError(f"worker {name}: {kind}: {text}")
    details = [f"  {file}:{line} {function}".rstrip() for file, line, function in places]
    file, line, _ = places[-1]
    said = PLACE.search(text)
    if said is not None and f"{file}:{line}".endswith(said[1]):
        text = text[: said.start()]  # the console says it, as a place to click on
    return WorkerError(
        f"worker {name}: {kind}: {text}",
        file=file,
        line=line,
        worker_traceback="\n".join([f"in the worker {name}:", *details]),
    )

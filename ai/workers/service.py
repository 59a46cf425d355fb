"""The common part of all AI workers: setup, serving requests, shutdown.

Imports nothing heavy: the environment must be set before numpy is loaded.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol, TypeAlias, TypedDict

from ai.registry.modules import open_project

log = logging.getLogger(__name__)

SINGLE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""Environment of a worker that computes on one core."""

DEFAULT_NICE: Final = 5

Report: TypeAlias = Callable[[object], None]
"""Sends a payload that is not the last one of its request."""


class WorkerRequestError(RuntimeError):
    """A request is unknown, or not possible yet."""


class WorkerSettings(TypedDict, total=False):
    """Settings of a worker's process at its start; each worker uses some of them."""

    environment: Mapping[str, str]
    """Environment variables, added to those that set one thread for all libraries."""
    nice: int
    """Niceness to add; default 5 unless the worker has another."""
    jit: bool | None
    """For players and the hall: True for compiled kernels, compiling them first if the cache has
        none, False for the twin, None or absent for compiled ones if the cache has them.
    """
    threads: int
    """For the trainer and the hall: number of TensorFlow's threads (1)."""
    share: float
    """For the trainer: share of the time in which it computes, above 0 to 1 (1.0)."""
    idle: float
    """For the trainer: seconds without a request before it loads TensorFlow (2.0)."""
    project: str | None
    """A project's folder, whose players may sit down and learn, too, and whose games be played."""


class Pipe(Protocol):
    """The worker's end of a connection."""

    def recv(self) -> tuple[int, bool, object]:
        """Wait for the next `(request_id, final, payload)`; EOFError when the pipe closes."""

    def send(self, message: object, /) -> None:
        """Send a message."""


def settle(settings: WorkerSettings) -> None:
    """Set the environment and priority, open the project, and leave Ctrl+C to the parent."""
    os.environ.update({**SINGLE_THREAD, **settings.get("environment", {})})
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(max(0, int(settings.get("nice", DEFAULT_NICE)) - os.nice(0)))
    project = settings.get("project")
    if project:
        open_project(Path(project))  # messages name its games by their class


def serve(connection: Pipe, handle: Callable[[object, Report], object]) -> None:
    """Serve requests until the pipe closes.

    Each message is `(request_id, final, payload)`. A request that fails is answered
    with `("error", type, text, traceback)`; the loop goes on. Request id 0
    gets no answer, but errors are reported.

    Args:
        connection: the pipe to the parent.
        handle: called with the payload and a function to report progress; returns the answer.
    """
    with contextlib.suppress(EOFError, ConnectionError, BrokenPipeError):
        while True:
            answer_next(connection, handle)


def answer_next(connection: Pipe, handle: Callable[[object, Report], object]) -> None:
    """Wait for one request and answer it, see `serve`.

    Raises:
        EOFError: the pipe was closed.
        ConnectionError: the pipe is broken.
    """
    request_id = 0
    try:
        request_id, _, payload = connection.recv()
        answer = handle(payload, _reporter(connection, request_id))
        if request_id:
            connection.send((request_id, True, answer))
    except (EOFError, ConnectionError):
        raise
    except Exception as error:
        log.debug("request %s failed", request_id, exc_info=True)
        connection.send((request_id, True, describe_error(error)))


def describe_error(error: BaseException) -> tuple[str, str, str, str]:
    """Return the payload that represents an error on the pipe.

    Its text ends with the line of the project's scripts in the traceback, if there is one.
    """
    from ai.registry.modules import place_of

    said, place = str(error), place_of(error)
    if place and place not in said:
        said = f"{said} ({place})"
    return ("error", type(error).__name__, said, "".join(traceback.format_exception(error)))


def _reporter(connection: Pipe, request_id: int) -> Report:
    """Return a function that sends progress of one request."""

    def report(payload: object) -> None:
        if request_id:
            connection.send((request_id, False, payload))

    return report


__all__ = [
    "DEFAULT_NICE",
    "SINGLE_THREAD",
    "Pipe",
    "Report",
    "WorkerRequestError",
    "WorkerSettings",
    "answer_next",
    "describe_error",
    "serve",
    "settle",
]
